//! A player's claim against a picture: which pieces would have to count for it to hold.

use std::collections::BTreeMap;

use serde::Serialize;

use super::place::row_of;
use crate::{
    reading::{Piece, PieceState, Reading, Status},
    rules,
};

/// What a player claims to have built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// These rows, row 1 first.
    Rows(Vec<usize>),
    /// This many points.
    Points(u32),
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimCheck {
    /// Whether the picture gives what was claimed; `None` when it cannot be read.
    pub holds: Option<bool>,
    /// Rows as read.
    pub read: Vec<usize>,
    /// Points as read.
    pub points: u32,
    /// What the claim would need, or has against it, in sentences.
    pub needs: Vec<String>,
}

/// Most pieces that are tried together to explain claimed points: more would explain anything.
const MOST_TRIED: usize = 4;

/// Holds `claim` against what `reading` says was built: `rows`, or `None` when it cannot be read.
pub fn check_claim(claim: &Claim, reading: &Reading, rows: Option<&[usize]>) -> ClaimCheck {
    let Some(rows) = rows.filter(|_| reading.status != Status::Unreadable) else {
        let why = reading.reason.as_deref().unwrap_or("no reason given");
        let needs = vec![format!("the picture cannot be read, so it says nothing for or against the claim: {why}")];
        return ClaimCheck { holds: None, read: Vec::new(), points: 0, needs };
    };
    let points = rules::points(rows);
    let (holds, mut needs) = match claim {
        Claim::Rows(claimed) => (without_empty_top(claimed) == rows, rows_needed(claimed, rows, reading)),
        Claim::Points(claimed) => (*claimed == points, points_needed(*claimed, points, reading)),
    };
    if !holds {
        needs.extend(other_pyramids(claim, reading));
    }
    if reading.status == Status::Unsure {
        let (why, advice) = (reading.reason.as_deref().unwrap_or("no reason given"), reading.advice.as_deref());
        needs.push(format!("the reading itself is unsure: {why}{}", advice.map_or(String::new(), |a| format!(" ({a})"))));
    }
    ClaimCheck { holds: Some(holds), read: rows.to_vec(), points, needs }
}

/// `rows` without rows of nothing at the top: who claims "3, 0" claims "3".
fn without_empty_top(rows: &[usize]) -> &[usize] {
    let height = rows.iter().rposition(|&meeples| meeples > 0).map_or(0, |top| top + 1);
    &rows[..height]
}

/// Pieces that do not count but might be argued about, by the row they would stand in.
fn candidates(reading: &Reading) -> Vec<(usize, &Piece)> {
    let mut out: Vec<(usize, &Piece)> = reading
        .pieces
        .iter()
        .filter(|p| !p.counted && p.state != PieceState::Foreign)
        .filter_map(|p| row_of(p, reading).map(|row| (row, p)))
        .collect();
    // The likeliest first: upright ones, then those the program is least sure about.
    out.sort_by(|(_, a), (_, b)| {
        let upright = |p: &Piece| p.state == PieceState::Upright;
        upright(b).cmp(&upright(a)).then(a.confidence.total_cmp(&b.confidence))
    });
    out
}

/// A piece in words: "piece 7 (red, leaning: leans 14°)".
fn name(piece: &Piece) -> String {
    let reason = piece.reason.as_deref().map_or(String::new(), |r| format!(": {r}"));
    format!("piece {} ({}, {}{reason})", piece.id, piece.colour, piece.state.name())
}

fn rows_needed(claimed: &[usize], rows: &[usize], reading: &Reading) -> Vec<String> {
    let mut by_row: BTreeMap<usize, Vec<&Piece>> = BTreeMap::new();
    for (row, piece) in candidates(reading) {
        by_row.entry(row).or_default().push(piece);
    }
    let mut needs = Vec::new();
    for row in 1..=claimed.len().max(rows.len()) {
        let at = |rows: &[usize]| rows.get(row - 1).copied().unwrap_or(0);
        let (claim, read) = (at(claimed), at(rows));
        let in_row = by_row.get(&row).map_or(&[][..], Vec::as_slice);
        if claim > read {
            let missing = claim - read;
            let named: Vec<String> = in_row.iter().map(|p| name(p)).collect();
            let from = match (named.len(), missing) {
                (0, _) => "no piece in the picture stands for it".to_owned(),
                (n, m) if n < m => format!("only {} could be meant, {} more is nowhere to be seen", named.join(" and "), m - n),
                (n, m) if n == m => format!("{} would have to count", named.join(" and ")),
                (_, m) => format!("{m} of {} would have to count", named.join(", ")),
            };
            needs.push(format!("row {row}: {claim} are claimed, {read} are counted: {from}"));
        } else if claim < read {
            let mut weakest: Vec<&Piece> = reading.pieces.iter().filter(|p| p.counted && p.row == Some(row)).collect();
            weakest.sort_by(|a, b| a.confidence.total_cmp(&b.confidence));
            let named: Vec<String> = weakest
                .iter()
                .take(read - claim)
                .map(|p| format!("piece {} ({}, {:.0} % sure)", p.id, p.colour, p.confidence * 100.0))
                .collect();
            needs.push(format!(
                "row {row}: {claim} are claimed, {read} are counted: least sure of them is {}",
                named.join(" and ")
            ));
        }
    }
    needs
}

fn points_needed(claimed: u32, points: u32, reading: &Reading) -> Vec<String> {
    match claimed.cmp(&points) {
        std::cmp::Ordering::Equal => Vec::new(),
        std::cmp::Ordering::Less => {
            let gap = (points - claimed) as usize;
            let mut fitting: Vec<&Piece> = reading.pieces.iter().filter(|p| p.counted && p.row == Some(gap)).collect();
            fitting.sort_by(|a, b| a.confidence.total_cmp(&b.confidence));
            let example =
                fitting.first().map_or(String::new(), |p| format!("; without piece {} (row {gap}) it would be so", p.id));
            vec![format!("{claimed} points are claimed, {points} are counted: {gap} fewer{example}")]
        }
        std::cmp::Ordering::Greater => {
            let gap = (claimed - points) as usize;
            let candidates = candidates(reading);
            let mut found = Vec::new();
            combine(&candidates, gap, &mut Vec::new(), &mut found);
            found.sort_by_key(Vec::len);
            let Some(fewest) = found.first().map(Vec::len) else {
                let most: usize = candidates.iter().map(|(row, _)| row).sum();
                let seen = if candidates.is_empty() {
                    "every meeple in the picture counts already".to_owned()
                } else {
                    format!(
                        "the pieces that do not count ({}) would add {most} at most, and not {gap}",
                        candidates.iter().map(|(row, p)| format!("{}, about row {row}", name(p))).collect::<Vec<_>>().join("; ")
                    )
                };
                return vec![format!("{claimed} points are claimed, {points} are counted: {gap} more are needed and {seen}")];
            };
            found
                .iter()
                .filter(|set| set.len() == fewest)
                .take(3)
                .map(|set| {
                    let named: Vec<String> = set.iter().map(|(row, p)| format!("{} in row {row}", name(p))).collect();
                    format!("{claimed} points are claimed, {points} are counted: {} would have to count", named.join(" and "))
                })
                .collect()
        }
    }
}

/// Every set of at most [`MOST_TRIED`] of `pieces` whose rows sum to `gap`.
fn combine<'a>(
    pieces: &[(usize, &'a Piece)],
    gap: usize,
    taken: &mut Vec<(usize, &'a Piece)>,
    found: &mut Vec<Vec<(usize, &'a Piece)>>,
) {
    if gap == 0 {
        found.push(taken.clone());
        return;
    }
    if taken.len() == MOST_TRIED {
        return;
    }
    for (index, &(row, piece)) in pieces.iter().enumerate() {
        if row <= gap {
            taken.push((row, piece));
            combine(&pieces[index + 1..], gap - row, taken, found);
            taken.pop();
        }
    }
}

/// Whether the claim is true of something else in the picture: a pyramid that is not the highest, or all together.
fn other_pyramids(claim: &Claim, reading: &Reading) -> Vec<String> {
    let fits = |rows: &[usize], points: u32| match claim {
        Claim::Rows(claimed) => claimed == rows,
        Claim::Points(claimed) => *claimed == points,
    };
    let mut out = Vec::new();
    for pyramid in reading.pyramids.iter().skip(1).filter(|p| fits(&p.rows, p.points)) {
        out.push(format!(
            "a pyramid of {} is in the picture, but it is not the highest, and only the highest counts",
            rules::show_rows(&pyramid.rows)
        ));
    }
    let height = reading.pyramids.iter().map(|p| p.rows.len()).max().unwrap_or(0);
    let all: Vec<usize> = (0..height).map(|r| reading.pyramids.iter().filter_map(|p| p.rows.get(r)).sum()).collect();
    if reading.pyramids.len() > 1 && fits(&all, rules::points(&all)) {
        out.push(
            "it is what all pyramids in the picture come to, but they are not connected, and only the highest counts".to_owned(),
        );
    }
    out
}
