//! The stricter rule about pyramids that extend beyond the playmat.
//!
//! By default a meeple beyond the playmat is rejected and the rest of its pyramid counts. "A stricter option voids the whole
//! pyramid" (rules, decision on "Must not extend beyond the baseplate").

use crate::{
    reading::{Piece, PieceState, Reading},
    rules,
};

/// Why the pieces of a void pyramid do not count.
const REASON: &str = "in a pyramid that reaches beyond the playmat";

/// Takes the pyramids that reach beyond the playmat out of `reading`, and scores what is left.
pub fn void_overhanging(reading: &mut Reading) {
    let beyond = |p: &&Piece| p.state == PieceState::Upright && p.on_playmat == Some(false);
    let touches_one_beyond = |p: &Piece| reading.pieces.iter().filter(beyond).any(|b| touch(p, b));
    let void: Vec<bool> = (0..reading.pyramids.len())
        .map(|index| reading.pieces.iter().any(|p| p.pyramid == Some(index) && touches_one_beyond(p)))
        .collect();
    if !void.contains(&true) {
        return;
    }
    // New places of the pyramids that are left.
    let mut left = 0;
    let places: Vec<Option<usize>> = void
        .iter()
        .map(|void| {
            left += usize::from(!void);
            (!void).then(|| left - 1)
        })
        .collect();
    for piece in &mut reading.pieces {
        let Some(old) = piece.pyramid else { continue };
        piece.pyramid = places.get(old).copied().flatten();
        if piece.pyramid.is_none() {
            piece.counted = false;
            piece.row = None;
            piece.reason = Some(REASON.to_owned());
        }
    }
    let mut index = 0;
    reading.pyramids.retain(|_| {
        index += 1;
        places[index - 1].is_some()
    });
    if reading.score.is_some() {
        reading.score = Some(rules::score(&reading.pyramids));
    }
}

/// Whether two pieces touch as far as their boxes tell: no further apart than an eighth of a piece's height.
fn touch(a: &Piece, b: &Piece) -> bool {
    let slack = (a.bounds.y1 - a.bounds.y0).max(b.bounds.y1 - b.bounds.y0) / 8;
    let (a, b) = (a.bounds, b.bounds);
    a.x0 <= b.x1 + slack && b.x0 <= a.x1 + slack && a.y0 <= b.y1 + slack && b.y0 <= a.y1 + slack
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        geometry::{Px, PxBox},
        reading::{Pyramid, Status},
    };

    /// A meeple of 40 px at `x`, in `pyramid` or beyond the playmat.
    fn piece(id: usize, x: i32, pyramid: Option<usize>) -> Piece {
        Piece {
            id,
            state: PieceState::Upright,
            colour: "red".into(),
            row: pyramid.map(|_| 1),
            on_playmat: Some(pyramid.is_some()),
            pyramid,
            counted: pyramid.is_some(),
            reason: pyramid.is_none().then(|| "over the edge of the playmat".into()),
            base: Px::new(0.0, 0.0),
            head: Px::new(0.0, 0.0),
            bounds: PxBox { x0: x, y0: 0, x1: x + 40, y1: 40 },
            outline: Vec::new(),
            confidence: 1.0,
        }
    }

    fn pyramid(rows: &[usize], pieces: &[usize]) -> Pyramid {
        let colours = vec!["red".into()];
        Pyramid { rows: rows.to_vec(), points: rules::points(rows), meeples: pieces.len(), colours, pieces: pieces.to_vec() }
    }

    fn reading(pieces: Vec<Piece>, pyramids: Vec<Pyramid>) -> Reading {
        let score = Some(rules::score(&pyramids));
        let nothing = Reading::unreadable("a.jpg", "", "");
        Reading { status: Status::Read, reason: None, advice: None, score, pyramids, pieces, ..nothing }
    }

    #[test]
    fn a_pyramid_that_reaches_beyond_the_playmat_is_void_and_the_next_one_counts() {
        // Three together, the next one beyond the playmat; two others far away.
        let pieces = vec![
            piece(0, 0, Some(0)),
            piece(1, 42, Some(0)),
            piece(2, 84, Some(0)),
            piece(3, 126, None),
            piece(4, 400, Some(1)),
            piece(5, 442, Some(1)),
        ];
        let mut reading = reading(pieces, vec![pyramid(&[3], &[0, 1, 2]), pyramid(&[2], &[4, 5])]);
        void_overhanging(&mut reading);
        assert_eq!(reading.score.as_ref().map(|s| s.points), Some(2));
        assert_eq!(reading.pyramids.len(), 1);
        assert_eq!(reading.pieces.iter().map(|p| p.counted).collect::<Vec<_>>(), [false, false, false, false, true, true]);
        assert_eq!((reading.pieces[4].pyramid, reading.pieces[0].pyramid), (Some(0), None));
        assert!(reading.pieces[1].reason.as_deref().is_some_and(|r| r.contains("beyond the playmat")));
    }

    #[test]
    fn a_meeple_beyond_the_playmat_that_touches_nothing_voids_nothing() {
        let pieces = vec![piece(0, 0, Some(0)), piece(1, 300, None)];
        let before = reading(pieces, vec![pyramid(&[1], &[0])]);
        let mut after = before.clone();
        void_overhanging(&mut after);
        assert_eq!(before, after);
    }
}
