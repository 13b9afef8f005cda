//! In which row a piece that does not count would stand, by where it is in the picture.

use crate::reading::{Piece, Reading};

/// How much a step to the side weighs beside a step up: rows tilt a little in a picture, and neighbours know best.
const SIDEWAYS: f64 = 0.25;
/// A piece whose feet are this share of a piece's height above those of the nearest counted one stands a row above it.
const ROW_ABOVE: f64 = 0.6;

/// The row, from 1, in which `piece` would stand if it counted; `None` where no counted piece shows where rows are.
pub fn row_of(piece: &Piece, reading: &Reading) -> Option<usize> {
    if piece.row.is_some() {
        return piece.row;
    }
    let counted = reading.pieces.iter().filter(|p| p.counted && p.row.is_some());
    let weight = |p: &&Piece| (p.base.y - piece.base.y).abs() + SIDEWAYS * (p.base.x - piece.base.x).abs();
    let nearest = counted.min_by(|a, b| weight(a).total_cmp(&weight(b)))?;
    let height = f64::from(nearest.bounds.y1 - nearest.bounds.y0).max(1.0);
    let above = (nearest.base.y - piece.base.y) / height;
    let row = nearest.row? as i64 + (above / ROW_ABOVE).clamp(-1.0, 1.0).trunc() as i64;
    usize::try_from(row.max(1)).ok()
}

/// How far apart two pieces may be and still be said to touch, as a share of a piece's height: a picture from the side hides
/// a gap, and a piece that lies takes more room than one that stands.
const NEAR: f64 = 0.4;

/// Whether a counted piece is so near `piece` that the two would touch if it stood where it is.
pub fn is_near_counted(piece: &Piece, reading: &Reading) -> bool {
    reading.pieces.iter().filter(|p| p.counted).any(|p| {
        let slack = (f64::from(p.bounds.y1 - p.bounds.y0) * NEAR) as i32;
        let (a, b) = (p.bounds, piece.bounds);
        a.x0 - slack <= b.x1 && b.x0 <= a.x1 + slack && a.y0 - slack <= b.y1 && b.y0 <= a.y1 + slack
    })
}
