//! Two readings of one picture, piece by piece.

use serde::Serialize;

use crate::reading::{Piece, Reading};

/// What became of one piece from one reading to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PieceChange {
    /// Its id then; `None` when it was not seen.
    pub then: Option<usize>,
    /// Its id now; `None` when it is not seen any more.
    pub now: Option<usize>,
    /// What changed, in words.
    pub what: String,
    /// What that does to the sum of all row numbers.
    pub points: i64,
}

/// Pieces further apart than this share of their height are not the same piece: half a meeple, so that no piece can be
/// taken for its neighbour, whose base is a whole one away.
const SAME_PIECE: f64 = 0.5;

/// What changed from `then` to `now`, piece by piece; empty when every piece is seen as it was.
pub fn compare(then: &Reading, now: &Reading) -> Vec<PieceChange> {
    // Closest pairs first, each piece once.
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, a) in then.pieces.iter().enumerate() {
        for (j, b) in now.pieces.iter().enumerate() {
            let apart = middle_distance(a, b);
            if apart <= SAME_PIECE * height(a).max(height(b)) {
                pairs.push((apart, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut now_of: Vec<Option<usize>> = vec![None; then.pieces.len()];
    let mut then_of: Vec<Option<usize>> = vec![None; now.pieces.len()];
    for (_, i, j) in pairs {
        if now_of[i].is_none() && then_of[j].is_none() {
            (now_of[i], then_of[j]) = (Some(j), Some(i));
        }
    }
    let mut changes = Vec::new();
    for (i, a) in then.pieces.iter().enumerate() {
        match now_of[i].and_then(|j| now.pieces.get(j)) {
            Some(b) => changes.extend(change(a, b)),
            None => changes.push(PieceChange {
                then: Some(a.id),
                now: None,
                what: format!("piece {} ({}, {}) is not seen any more", a.id, a.colour, standing(a)),
                points: -points(a),
            }),
        }
    }
    for (_, b) in now.pieces.iter().enumerate().filter(|(j, _)| then_of[*j].is_none()) {
        changes.push(PieceChange {
            then: None,
            now: Some(b.id),
            what: format!("a {} piece ({}) is seen that was not seen then, now piece {}", b.colour, standing(b), b.id),
            points: points(b),
        });
    }
    changes
}

fn change(a: &Piece, b: &Piece) -> Option<PieceChange> {
    let mut what = Vec::new();
    if standing(a) != standing(b) {
        what.push(format!("was {}, is {}", standing(a), standing(b)));
    }
    if a.colour != b.colour {
        what.push(format!("was {}, is {}", a.colour, b.colour));
    }
    let text = || format!("piece {}: {}", a.id, what.join("; "));
    (!what.is_empty()).then(|| PieceChange { then: Some(a.id), now: Some(b.id), what: text(), points: points(b) - points(a) })
}

/// Whether and how a piece counts, in words.
fn standing(piece: &Piece) -> String {
    match (piece.counted, piece.row) {
        (true, Some(row)) => format!("counted in row {row}"),
        _ => format!("{}, not counted", piece.state.name()),
    }
}

fn points(piece: &Piece) -> i64 {
    piece.row.filter(|_| piece.counted).map_or(0, |row| row as i64)
}

fn height(piece: &Piece) -> f64 {
    f64::from((piece.bounds.y1 - piece.bounds.y0).max(piece.bounds.x1 - piece.bounds.x0)).max(1.0)
}

fn middle_distance(a: &Piece, b: &Piece) -> f64 {
    let middle = |p: &Piece| (f64::from(p.bounds.x0 + p.bounds.x1) / 2.0, f64::from(p.bounds.y0 + p.bounds.y1) / 2.0);
    let ((ax, ay), (bx, by)) = (middle(a), middle(b));
    (ax - bx).hypot(ay - by)
}
