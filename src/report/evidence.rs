//! The evidence of a turn in the HTML report: its photo with every piece drawn on it, and every piece by itself.

use image::RgbImage;
use maud::{Markup, html};

use super::{TurnReport, cutout, html::Pictures, words::count};
use crate::reading::{Piece, Reading};

/// How a piece stands to the score.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Scores,
    /// In a pyramid, but not the highest.
    InAnother,
    Rejected,
}

fn standing(piece: &Piece, shared: bool) -> Standing {
    match piece.counted {
        false => Standing::Rejected,
        // On a shared playmat each player's highest pyramid scores: which one that is, the turns say.
        true if shared || piece.pyramid == Some(0) => Standing::Scores,
        true => Standing::InAnother,
    }
}

pub(super) fn evidence(turn: &TurnReport, pictures: &Pictures, anchor: &str, shared: bool) -> Markup {
    let Some(reading) = &turn.reading else { return html! {} };
    let picture = pictures(turn);
    pieces_on(picture.as_ref().map_err(String::as_str), reading, &format!("what {} built", turn.player), anchor, shared)
}

/// The picture with the pieces of `reading` drawn on it, and every piece by itself; it is a picture `of` this.
pub(super) fn pieces_on(picture: Result<&RgbImage, &str>, reading: &Reading, of: &str, anchor: &str, shared: bool) -> Markup {
    html! {
        @match picture.map_err(str::to_owned).and_then(|p| figure(p, reading, of, anchor, shared).map_err(|e| e.to_string())) {
            Err(why) => p.bad { "The picture cannot be shown: " (why) "." },
            Ok(figure) => (figure),
        }
        @if !reading.pieces.is_empty() {
            details {
                summary { (pieces_summary(reading, shared)) }
                div.pieces { @for piece in &reading.pieces { (piece_card(piece, standing(piece, shared), picture.ok())) } }
            }
        }
    }
}

/// The photo with every piece drawn on it; where the pieces fill little of it, that part large and the whole one small.
fn figure(picture: &RgbImage, reading: &Reading, of: &str, anchor: &str, shared: bool) -> Result<Markup, image::ImageError> {
    let (part, data) = cutout::part_with(picture, reading.pieces.iter().map(|p| p.bounds))?;
    let [x, y, width, height] = part;
    let whole = if (width, height) == picture.dimensions() { None } else { Some(cutout::small(picture)?) };
    Ok(html! {
        figure {
            input.marks-toggle type="checkbox" checked id={ "marks-" (anchor) };
            label for={ "marks-" (anchor) } { "Pieces drawn on the picture" }
            svg.photo viewBox=(format!("{x} {y} {width} {height}")) role="img" aria-label={ "Photo of " (of) } {
                image href=(data) x=(x) y=(y) width=(width) height=(height) {}
                g.marks { @for piece in &reading.pieces { (mark(piece, standing(piece, shared), width)) } }
            }
        }
        @if let Some(whole) = whole {
            details {
                summary { "The whole picture" }
                img.whole src=(whole) alt={ "The whole photo of " (of) };
            }
        }
    })
}

fn pieces_summary(reading: &Reading, shared: bool) -> String {
    let of = |wanted: Standing| reading.pieces.iter().filter(|p| standing(p, shared) == wanted).count();
    let another = match of(Standing::InAnother) {
        0 => String::new(),
        n => format!("{n} in another pyramid, "),
    };
    format!("Every piece: {} counted, {another}{} not counted", of(Standing::Scores), of(Standing::Rejected))
}

/// A piece drawn on the photo: its outline, its number, and a cross when it does not count.
/// `shown` is the width of what is shown, px.
fn mark(piece: &Piece, standing: Standing, shown: u32) -> Markup {
    let b = piece.bounds;
    let corners = [(b.x0, b.y0), (b.x1, b.y0), (b.x1, b.y1), (b.x0, b.y1)];
    let outline: Vec<String> = if piece.outline.len() > 2 {
        piece.outline.iter().map(|p| format!("{:.1},{:.1}", p.x, p.y)).collect()
    } else {
        corners.iter().map(|(x, y)| format!("{x},{y}")).collect()
    };
    let outline = outline.join(" ");
    // Legible on a phone, where the photo is some 350 px wide, without hiding the piece.
    let height = f64::from((b.y1 - b.y0).max(1));
    let size = (height * 0.36).max(f64::from(shown) / 60.0);
    let (x, y) = (f64::from(b.x0 + b.x1) / 2.0, f64::from(b.y0 + b.y1) / 2.0);
    let class = match standing {
        Standing::Scores => "counted",
        Standing::InAnother => "another",
        Standing::Rejected => "rejected",
    };
    html! {
        g class=(class) {
            title { (piece_words(piece)) }
            polygon.halo points=(outline) {}
            polygon points=(outline) {}
            @if !piece.counted { path d=(format!("M{} {}L{} {}M{} {}L{} {}", b.x0, b.y0, b.x1, b.y1, b.x1, b.y0, b.x0, b.y1)) {} }
            text x=(format!("{x:.1}")) y=(format!("{:.1}", y + size * 0.36)) font-size=(format!("{size:.1}")) { (piece.id) }
        }
    }
}

fn piece_words(piece: &Piece) -> String {
    match (piece.counted, piece.row) {
        (true, Some(row)) => format!("piece {}: {}, row {row}", piece.id, piece.colour),
        _ => format!("piece {}: {}, {}, not counted", piece.id, piece.colour, piece.state.name()),
    }
}

fn piece_card(piece: &Piece, standing: Standing, picture: Option<&RgbImage>) -> Markup {
    let cut = picture.and_then(|p| cutout::cutout(p, piece.bounds).ok().flatten());
    html! {
        div.piece.rejected[!piece.counted] {
            @if let Some((data, width, height)) = cut {
                img src=(data) width=(width / 2) height=(height / 2) loading="lazy" alt={ "cut-out of piece " (piece.id) };
            }
            div {
                b { (piece.id) } " " (piece.colour)
                br;
                @match (standing, piece.row) {
                    (Standing::Scores, Some(row)) => { "row " (row) ", " (count(row, "point")) },
                    (Standing::InAnother, Some(row)) => { "row " (row) " of another pyramid: scores nothing" },
                    _ => { "not counted: " (piece.reason.as_deref().unwrap_or(piece.state.name())) },
                }
                br;
                span.quiet { (format!("{:.0} % sure", piece.confidence * 100.0)) }
            }
        }
    }
}
