//! Pieces on the annotated picture: outline, row and number; a cross and a reason where a piece does not count.

use tiny_skia::{Color, Path, Rect};

use super::{
    Frame,
    canvas::{Align, CAPITALS, Canvas, Line, cross, polygon, rounded},
};
use crate::{
    export::points_text,
    geometry::Px,
    reading::{Piece, Reading},
};

/// A colour for each row from the lowest, again from the first after the last: colours that people with any colour vision
/// tell apart (Okabe and Ito, "Color Universal Design", 2008). The row's number stands beside it anyway.
const ROWS: [(u8, u8, u8); 7] =
    [(86, 180, 233), (230, 159, 0), (0, 190, 138), (240, 228, 66), (204, 121, 167), (60, 140, 255), (255, 120, 30)];

/// Below this height a piece has no room for its own number beneath its row's, canvas px.
const ROOM_FOR_BOTH: f64 = 30.0;

const DARK: (u8, u8, u8, u8) = (0, 0, 0, 190);

fn dark() -> Color {
    let (r, g, b, a) = DARK;
    Color::from_rgba8(r, g, b, a)
}

/// Colour of everything that does not count.
pub fn rejected() -> Color {
    Color::from_rgba8(255, 90, 60, 255)
}

/// The colour of `row`, 1 for the lowest.
pub fn row_colour(row: usize) -> Color {
    let (r, g, b) = ROWS[row.saturating_sub(1) % ROWS.len()];
    Color::from_rgba8(r, g, b, 255)
}

/// Draws all pieces of `reading`, those further away first.
pub fn draw(canvas: &mut Canvas, frame: &Frame, reading: &Reading) {
    let mut pieces: Vec<&Piece> = reading.pieces.iter().collect();
    pieces.sort_by(|a, b| a.base.y.total_cmp(&b.base.y));
    for piece in pieces.iter().filter(|piece| !piece.counted) {
        draw_rejected(canvas, frame, piece);
    }
    for piece in pieces.iter().filter(|piece| piece.counted) {
        if let Some(path) = shape(frame, piece) {
            let colour = row_colour(piece.row.unwrap_or(1));
            canvas.stroke(&path, Line { colour, width: line_width(frame, piece), casing: dark(), dashed: false });
        }
    }
    // Numbers after all outlines, so that no line crosses one.
    for piece in pieces.iter().filter(|piece| piece.counted) {
        number(canvas, frame, piece);
    }
    let pyramids = worths(canvas, frame, reading);
    reasons(canvas, frame, reading, pyramids);
}

/// Height of a piece on the canvas, px.
fn height(frame: &Frame, piece: &Piece) -> f64 {
    let standing = piece.base.distance(piece.head);
    standing.max(f64::from(piece.bounds.y1 - piece.bounds.y0) * 0.6) * frame.scale
}

fn line_width(frame: &Frame, piece: &Piece) -> f32 {
    (height(frame, piece) as f32 * 0.05).clamp(1.6, frame.letters * 0.16)
}

/// Bounds of a piece on the canvas.
fn bounds(frame: &Frame, piece: &Piece) -> Option<Rect> {
    let (from, to) = (
        frame.canvas_from_photo(Px::new(piece.bounds.x0.into(), piece.bounds.y0.into())),
        frame.canvas_from_photo(Px::new(piece.bounds.x1.into(), piece.bounds.y1.into())),
    );
    Rect::from_ltrb(from.x as f32, from.y as f32, to.x as f32, to.y as f32)
        .filter(|rect| rect.width() > 0.0 && rect.height() > 0.0)
}

/// The outline of a piece, or its bounds where that is not known.
fn shape(frame: &Frame, piece: &Piece) -> Option<Path> {
    if piece.outline.len() >= 3 {
        return polygon(piece.outline.iter().map(|&p| frame.canvas_from_photo(p)));
    }
    let bounds = bounds(frame, piece)?;
    rounded(bounds, bounds.width().min(bounds.height()) * 0.2)
}

/// The row in large figures in the middle of a piece, its own number in small ones below.
fn number(canvas: &mut Canvas, frame: &Frame, piece: &Piece) {
    let tall = height(frame, piece);
    let middle = frame.canvas_from_photo(Px::new((piece.base.x + piece.head.x) / 2.0, (piece.base.y + piece.head.y) / 2.0));
    let (x, y) = (middle.x as f32, middle.y as f32);
    let row = piece.row.map_or_else(|| "?".into(), |row| row.to_string());
    let size = (tall * 0.56) as f32;
    if tall < ROOM_FOR_BOTH {
        canvas.text(&row, (x, y + size * CAPITALS / 2.0), size, Align::Middle, Color::WHITE, Some(dark()));
        return;
    }
    let small = (tall * 0.27) as f32;
    canvas.text(&row, (x, y + size * 0.2), size, Align::Middle, Color::WHITE, Some(dark()));
    let name = format!("#{}", piece.id);
    canvas.text(&name, (x, y + (tall * 0.44) as f32), small, Align::Middle, Color::WHITE, Some(dark()));
}

fn draw_rejected(canvas: &mut Canvas, frame: &Frame, piece: &Piece) {
    let width = line_width(frame, piece);
    if let Some(path) = shape(frame, piece) {
        canvas.stroke(&path, Line { colour: Color::WHITE, width: width * 0.8, casing: dark(), dashed: true });
    }
    let inner = bounds(frame, piece).and_then(|bounds| {
        let side = bounds.width().min(bounds.height()) * 0.36;
        let (x, y) = (bounds.left() + bounds.width() / 2.0, bounds.top() + bounds.height() / 2.0);
        Rect::from_ltrb(x - side, y - side, x + side, y + side)
    });
    if let Some(path) = inner.and_then(cross) {
        canvas.stroke(&path, Line { colour: rejected(), width: width * 1.4, casing: Color::WHITE, dashed: false });
    }
}

/// A tag above each pyramid with what it is worth, where there are several; the one that counts is light, the others dark.
fn worths(canvas: &mut Canvas, frame: &Frame, reading: &Reading) -> Vec<Rect> {
    let size = frame.letters * 0.85;
    let mut tags = Vec::new();
    if reading.pyramids.len() < 2 {
        return tags;
    }
    for (index, pyramid) in reading.pyramids.iter().enumerate() {
        let members = reading.pieces.iter().filter(|piece| pyramid.pieces.contains(&piece.id));
        let Some(top) = members.min_by(|a, b| a.head.y.total_cmp(&b.head.y)) else { continue };
        let text = points_text(pyramid.points);
        let head = frame.canvas_from_photo(top.head);
        let (width, height) = (canvas.text_width(&text, size) + size * 0.9, size * 1.4);
        let left = (head.x as f32 - width / 2.0).clamp(0.0, (frame.width - width).max(0.0));
        let above = (head.y as f32 - height * 1.25).max(frame.top);
        let Some(tag) = Rect::from_xywh(left, above, width, height) else { continue };
        let (ground, ink) = if index == 0 { (Color::WHITE, Color::BLACK) } else { (dark(), Color::WHITE) };
        canvas.fill_rounded(tag, size * 0.4, ground);
        canvas.text(&text, (left + width / 2.0, above + size * 1.05), size, Align::Middle, ink, None);
        tags.push(tag);
    }
    tags
}

/// Tags with number and reason beside what does not count, where there is room between what is `taken`; the footer lists
/// them all anyway.
fn reasons(canvas: &mut Canvas, frame: &Frame, reading: &Reading, mut taken: Vec<Rect>) {
    let size = frame.letters * 0.72;
    let all = |counted_only: bool| {
        let shown = reading.pieces.iter().filter(move |piece| piece.counted || !counted_only);
        shown.filter_map(|piece| bounds(frame, piece)).collect::<Vec<_>>()
    };
    let (counted, pieces) = (all(true), all(false));
    for piece in reading.pieces.iter().filter(|piece| !piece.counted) {
        let Some(around) = bounds(frame, piece) else { continue };
        let full = piece.reason.as_ref().map(|reason| format!("#{} {reason}", piece.id));
        let texts: Vec<String> = full.into_iter().chain([format!("#{}", piece.id)]).collect();
        // Rather over a piece that does not count than not at all; never over one that does.
        let place = [&pieces, &counted].into_iter().find_map(|avoided| {
            texts.iter().find_map(|text| {
                let (width, height) = (canvas.text_width(text, size) + size * 0.7, size * 1.35);
                Some((text, free_place(frame, around, width, height, &[&taken, avoided])?))
            })
        });
        let Some((text, tag)) = place else { continue };
        canvas.fill_rounded(tag, size * 0.3, dark());
        let baseline = (tag.left() + size * 0.35, tag.top() + size * 1.02);
        canvas.text(text, baseline, size, Align::Left, Color::WHITE, None);
        taken.push(tag);
    }
}

/// A place for a tag below, above, right or left of `around`, inside the photo and clear of `taken`.
fn free_place(frame: &Frame, around: Rect, width: f32, height: f32, taken: &[&Vec<Rect>; 2]) -> Option<Rect> {
    let gap = height * 0.15;
    let middle = (around.left() + around.right()) / 2.0;
    let x = (middle - width / 2.0).clamp(0.0, (frame.width - width).max(0.0));
    let y = (around.top() + around.bottom() - height) / 2.0;
    let places = [
        (x, around.bottom() + gap),
        (x, around.top() - gap - height),
        (around.right() + gap, y),
        (around.left() - gap - width, y),
    ];
    let inside = |rect: &Rect| {
        rect.left() >= 0.0
            && rect.right() <= frame.width
            && rect.top() >= frame.top
            && rect.bottom() <= frame.top + frame.photo_height
    };
    places
        .into_iter()
        .filter_map(|(x, y)| Rect::from_xywh(x, y, width, height))
        .filter(inside)
        .find(|rect| taken.iter().copied().flatten().all(|other| !overlap(rect, other)))
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom()
}
