//! The scoring core: points per row, which pyramid is the highest, and what a round asks for.
//!
//! Knows nothing of pictures. Part 1 and 2 of the project's rules, in the README, are its source.

use serde::{Deserialize, Serialize};

use crate::{
    game::MEEPLES_IN_THE_BOX,
    reading::{Pyramid, Score},
};

/// The points of `rows` (meeples per row, row 1 first): each meeple scores the number of its row.
///
/// ```
/// // The rules' own example.
/// assert_eq!(pyrameeple::rules::points(&[5, 4, 2, 1]), 23);
/// ```
pub fn points(rows: &[usize]) -> u32 {
    // Saturating, so that not even a made-up record with absurd rows can stop the program.
    rows.iter()
        .zip(1u32..)
        .fold(0, |sum, (&meeples, row)| sum.saturating_add(u32::try_from(meeples).unwrap_or(u32::MAX).saturating_mul(row)))
}

/// What `rows` (row 1 first) are worth, as a [`Score`].
pub fn score_of_rows(rows: &[usize]) -> Score {
    Score { points: points(rows), rows: rows.to_vec(), meeples: rows.iter().sum() }
}

/// Puts the highest pyramid first: most rows, then more points, then more meeples (rules, decisions on "highest").
pub fn sort_best_first(pyramids: &mut [Pyramid]) {
    pyramids.sort_by_key(|p| std::cmp::Reverse((p.rows.len(), p.points, p.meeples)));
}

/// The score of the highest of `pyramids` (best first); 0 points and no rows when there is none.
pub fn score(pyramids: &[Pyramid]) -> Score {
    match pyramids.first() {
        Some(best) => Score { points: best.points, rows: best.rows.clone(), meeples: best.meeples },
        None => score_of_rows(&[]),
    }
}

/// What a round of the second variant asks a player to build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// The full triangle: as many meeples in row 1 as the round's base, one fewer in each row up to 1.
    #[default]
    FullTriangle,
    /// House option: at least as high as that triangle, on at least that base.
    AtLeast,
}

/// Meeples in row 1 that round `round` (from 1) asks for.
pub fn base_of_round(round: u32) -> usize {
    // "Round 1: a pyramid with 3 meeples in its base; each further round the base grows by one."
    usize::try_from(round).unwrap_or(usize::MAX).saturating_add(2)
}

/// The full triangle on `base` meeples: `base`, `base` − 1, … 1; no more rows than a box of meeples could fill.
///
/// ```
/// assert_eq!(pyrameeple::rules::full_triangle(4), [4, 3, 2, 1]);
/// ```
pub fn full_triangle(base: usize) -> Vec<usize> {
    (1..=base.min(MEEPLES_IN_THE_BOX)).rev().collect()
}

/// Whether `rows` are the pyramid that round `round` (from 1) asks for.
pub fn is_rounds_pyramid(rows: &[usize], round: u32, demand: Demand) -> bool {
    let base = base_of_round(round);
    match demand {
        Demand::FullTriangle => rows.len() == base && rows.iter().copied().eq((1..=base).rev()),
        Demand::AtLeast => rows.len() >= base && rows.first().is_some_and(|&first| first >= base),
    }
}

/// Why rows written by a person cannot be a pyramid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// Not numbers with commas between them.
    #[error("\"{text}\" is not a list of rows: give the meeples of each row, the lowest first, like 5,4,2,1 (0 for none)")]
    NotRows {
        /// What was given.
        text: String,
    },
    /// A row without meeples under a row with some.
    #[error(
        "row {row} is empty but a row above it is not: a meeple cannot float; give the meeples of each row, the lowest first"
    )]
    Floating {
        /// The empty row, from 1.
        row: usize,
    },
    /// More in a row than the row below can carry.
    #[error(
        "row {row} has {meeples} on a row of {below}: a meeple needs one head below it, or half of each of two, so no row has more \
         meeples than the row below it; the lowest row is the first"
    )]
    Wider {
        /// The row, from 1.
        row: usize,
        /// Its meeples.
        meeples: usize,
        /// Those of the row below.
        below: usize,
    },
    /// More than the box holds.
    #[error("{meeples} meeples were given, a player has {MEEPLES_IN_THE_BOX}: check the numbers")]
    TooMany {
        /// How many were given.
        meeples: usize,
    },
}

/// Refuses rows that no pyramid can have: an empty row under others, or more meeples than a player has.
pub fn check_rows(rows: &[usize]) -> Result<(), RowsError> {
    if let Some(empty) = rows.iter().position(|&n| n == 0) {
        return Err(RowsError::Floating { row: empty + 1 });
    }
    let meeples = rows.iter().fold(0usize, |sum, &n| sum.saturating_add(n));
    if meeples > MEEPLES_IN_THE_BOX {
        return Err(RowsError::TooMany { meeples });
    }
    Ok(())
}

/// Refuses rows that cannot stand: a meeple stands with its whole weight on one head, or with a foot on each of two (rules,
/// part 3). Only what people write is held against it; a reading says what it saw.
pub fn check_standing(rows: &[usize]) -> Result<(), RowsError> {
    let wider = rows.windows(2).position(|pair| pair[1] > pair[0]);
    wider.map_or(Ok(()), |at| Err(RowsError::Wider { row: at + 2, meeples: rows[at + 1], below: rows[at] }))
}

/// Rows as people write them: "5,4,2,1", "5 4 2 1", "5·4·2·1" or "5-4-2-1", the lowest first; "0" for no pyramid.
///
/// ```
/// assert_eq!(pyrameeple::rules::parse_rows("5, 4, 2, 1").unwrap(), [5, 4, 2, 1]);
/// ```
pub fn parse_rows(text: &str) -> Result<Vec<usize>, RowsError> {
    let not_rows = || RowsError::NotRows { text: text.to_owned() };
    let mut rows = Vec::new();
    for part in text.split([',', ';', '·', '-', '/', '+']) {
        let before = rows.len();
        for number in part.split_whitespace() {
            rows.push(number.parse::<usize>().map_err(|_| not_rows())?);
        }
        // Nothing between two commas is a slip of the hand, and it is not known which row it concerns.
        if rows.len() == before {
            return Err(not_rows());
        }
    }
    while rows.last() == Some(&0) {
        rows.pop();
    }
    check_rows(&rows)?;
    Ok(rows)
}

/// Points as people read them: "1 point", "23 points".
pub fn show_points(points: u32) -> String {
    if points == 1 { "1 point".to_owned() } else { format!("{points} points") }
}

/// Rows with their points: "5·4·2·1 (23 points)".
pub fn show_score(rows: &[usize]) -> String {
    format!("{} ({})", show_rows(rows), show_points(points(rows)))
}

/// Rows as people read them: "5·4·2·1"; "nothing" for no pyramid.
pub fn show_rows(rows: &[usize]) -> String {
    if rows.is_empty() {
        return "nothing".to_owned();
    }
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join("·")
}
