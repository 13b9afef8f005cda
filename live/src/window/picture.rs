//! The picture with what was read drawn on it.

use std::sync::Arc;

use eframe::egui::{
    self, Align2, Color32, ColorImage, FontId, Painter, Pos2, Rect, Shape, Stroke, TextureHandle, TextureOptions, pos2, vec2,
};
use pyrameeple::{
    geometry::Px,
    overlay,
    reading::{Piece, Reading},
};

use super::theme::row_colour;
use crate::{frame::Frame, session::Mark};

/// Pictures wider than this are shown at half their width or less, px: nobody sees the difference, and copying takes time.
const MOST_WIDTH: usize = 1920;
/// Behind lines and letters, so that they show on any picture.
const CASING: Color32 = Color32::from_black_alpha(190);

/// A frame on the graphics card.
#[derive(Default)]
pub struct Screen {
    texture: Option<TextureHandle>,
    number: u64,
}

impl Screen {
    /// The texture of `frame`, copied anew when it is another one.
    pub fn texture(&mut self, ctx: &egui::Context, frame: &Arc<Frame>) -> egui::TextureId {
        if let Some(texture) = self.texture.as_ref().filter(|_| self.number == frame.number) {
            return texture.id();
        }
        self.number = frame.number;
        let image = colour_image(frame);
        match &mut self.texture {
            Some(texture) => {
                texture.set(image, TextureOptions::LINEAR);
                texture.id()
            }
            None => self.texture.insert(ctx.load_texture("frame", image, TextureOptions::LINEAR)).id(),
        }
    }
}

fn colour_image(frame: &Frame) -> ColorImage {
    let rgb = &frame.picture.rgb;
    let (width, height) = (rgb.width() as usize, rgb.height() as usize);
    let step = width.div_ceil(MOST_WIDTH).max(1);
    if step == 1 {
        return ColorImage::from_rgb([width, height], rgb.as_raw());
    }
    let mut pixels = Vec::with_capacity((width / step) * (height / step) * 3);
    for y in 0..height / step {
        let line = &rgb.as_raw()[y * step * width * 3..];
        for x in 0..width / step {
            pixels.extend_from_slice(&line[x * step * 3..x * step * 3 + 3]);
        }
    }
    ColorImage::from_rgb([width / step, height / step], &pixels)
}

/// Where a picture of `width` × `height` px lies in the window.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The picture's rectangle, points.
    pub rect: Rect,
    /// Points per px.
    pub scale: f32,
}

impl Place {
    /// As large as fits into `area`, in its middle.
    pub fn fit(width: u32, height: u32, area: Rect) -> Self {
        let (width, height) = (width.max(1) as f32, height.max(1) as f32);
        let scale = (area.width() / width).min(area.height() / height).max(1e-3);
        Self { rect: Rect::from_center_size(area.center(), vec2(width, height) * scale), scale }
    }

    /// Where the place `p` of the picture lies in the window.
    pub fn window_from_picture(&self, p: Px) -> Pos2 {
        pos2(self.rect.left() + p.x as f32 * self.scale, self.rect.top() + p.y as f32 * self.scale)
    }

    /// The place of the picture that lies at `p` in the window.
    pub fn picture_from_window(&self, p: Pos2) -> Px {
        Px::new(f64::from((p.x - self.rect.left()) / self.scale), f64::from((p.y - self.rect.top()) / self.scale))
    }
}

/// Draws `reading` over its picture. `mark` says how each piece counts, `selected` which one keys act on; `strength`, 0 to
/// 1, is weaker while things move.
pub fn draw_reading(
    painter: &Painter,
    place: Place,
    reading: &Reading,
    mark: impl Fn(&Piece) -> Mark,
    selected: Option<usize>,
    strength: f32,
) {
    let mut painter = painter.with_clip_rect(place.rect);
    painter.set_opacity(strength);
    if let Some(playmat) = &reading.playmat {
        let edge = overlay::playmat_outline(playmat, reading.camera.as_ref(), reading.width.into(), reading.height.into());
        let points: Vec<Pos2> = edge.into_iter().map(|p| place.window_from_picture(p)).collect();
        line(&painter, points, 2.5, Color32::WHITE, false);
    }
    let mut pieces: Vec<&Piece> = reading.pieces.iter().collect();
    pieces.sort_by(|a, b| a.base.y.total_cmp(&b.base.y));
    for piece in &pieces {
        draw_piece(&painter, place, piece, mark(piece), selected == Some(piece.id));
    }
    // Numbers after all outlines, so that no line crosses one.
    for piece in &pieces {
        if let Mark::Counts(row) | Mark::CountsByHand(row) = mark(piece) {
            number(&painter, place, piece, row);
        }
    }
}

fn bounds(place: Place, piece: &Piece) -> Rect {
    let b = piece.bounds;
    Rect::from_min_max(
        place.window_from_picture(Px::new(b.x0.into(), b.y0.into())),
        place.window_from_picture(Px::new(b.x1.into(), b.y1.into())),
    )
}

fn outline(place: Place, piece: &Piece) -> Vec<Pos2> {
    if piece.outline.len() >= 3 {
        return piece.outline.iter().map(|&p| place.window_from_picture(p)).collect();
    }
    let rect = bounds(place, piece);
    vec![rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom()]
}

fn draw_piece(painter: &Painter, place: Place, piece: &Piece, mark: Mark, selected: bool) {
    let points = outline(place, piece);
    let width = (bounds(place, piece).height() * 0.05).clamp(1.5, 4.0);
    if selected {
        // A box around it: the shape says it, not the colour.
        painter.rect_stroke(bounds(place, piece).expand(5.0), 4.0, Stroke::new(5.0, CASING), egui::StrokeKind::Middle);
        painter.rect_stroke(bounds(place, piece).expand(5.0), 4.0, Stroke::new(2.5, Color32::WHITE), egui::StrokeKind::Middle);
    }
    match mark {
        Mark::Counts(row) => line(painter, points, width, row_colour(row), false),
        Mark::CountsByHand(row) => line(painter, points, width * 1.8, row_colour(row), false),
        Mark::DoesNot | Mark::RejectedByHand => {
            line(painter, points, width, Color32::WHITE, true);
            cross(painter, bounds(place, piece), if mark == Mark::RejectedByHand { width * 2.0 } else { width });
        }
    }
}

fn line(painter: &Painter, mut points: Vec<Pos2>, width: f32, colour: Color32, dashed: bool) {
    let Some(&first) = points.first() else { return };
    points.push(first);
    painter.add(Shape::line(points.clone(), Stroke::new(width * 2.0, CASING)));
    if dashed {
        painter.extend(Shape::dashed_line(&points, Stroke::new(width, colour), width * 3.0, width * 2.5));
    } else {
        painter.add(Shape::line(points, Stroke::new(width, colour)));
    }
}

fn cross(painter: &Painter, around: Rect, width: f32) {
    let rect = Rect::from_center_size(around.center(), around.size() * 0.7);
    for (thickness, colour) in [(width * 2.6, Color32::WHITE), (width * 1.5, Color32::from_rgb(213, 60, 0))] {
        painter.line_segment([rect.left_top(), rect.right_bottom()], Stroke::new(thickness, colour));
        painter.line_segment([rect.right_top(), rect.left_bottom()], Stroke::new(thickness, colour));
    }
}

/// The row in large figures in the middle of a piece.
fn number(painter: &Painter, place: Place, piece: &Piece, row: usize) {
    let middle = place.window_from_picture(Px::new((piece.base.x + piece.head.x) / 2.0, (piece.base.y + piece.head.y) / 2.0));
    let size = (piece.base.distance(piece.head) as f32 * place.scale * 0.62).clamp(9.0, 90.0);
    cased_text(painter, middle, &row.to_string(), FontId::proportional(size), Color32::WHITE);
}

/// Letters in their middle at `at`, with a dark rim.
pub fn cased_text(painter: &Painter, at: Pos2, text: &str, font: FontId, colour: Color32) {
    let rim = (font.size * 0.06).max(1.0);
    for (dx, dy) in [(-rim, 0.0), (rim, 0.0), (0.0, -rim), (0.0, rim)] {
        painter.text(at + vec2(dx, dy), Align2::CENTER_CENTER, text, font.clone(), CASING);
    }
    painter.text(at, Align2::CENTER_CENTER, text, font, colour);
}
