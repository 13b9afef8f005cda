//! The scoring core: points per row, and which pyramid is the highest.
//!
//! Knows nothing of pictures. Part 1 and 2 of the project's rules, in the README, are its source.

use crate::reading::{Pyramid, Score};

/// The points of `rows` (meeples per row, row 1 first): each meeple scores the number of its row.
///
/// ```
/// // The rules' own example.
/// assert_eq!(pyrameeple::rules::points(&[5, 4, 2, 1]), 23);
/// ```
pub fn points(rows: &[usize]) -> u32 {
    rows.iter().zip(1u32..).map(|(&meeples, row)| meeples as u32 * row).sum()
}

/// Puts the highest pyramid first: most rows, then more points, then more meeples (rules, decisions on "highest").
pub fn sort_best_first(pyramids: &mut [Pyramid]) {
    pyramids.sort_by_key(|p| std::cmp::Reverse((p.rows.len(), p.points, p.meeples)));
}

/// The score of the highest of `pyramids` (best first); 0 points and no rows when there is none.
pub fn score(pyramids: &[Pyramid]) -> Score {
    match pyramids.first() {
        Some(best) => Score { points: best.points, rows: best.rows.clone(), meeples: best.meeples },
        None => Score { points: 0, rows: Vec::new(), meeples: 0 },
    }
}
