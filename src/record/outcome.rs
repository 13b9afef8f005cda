//! From readings to rows: what a player built by a reading, and which of several views of a pyramid to go by.

use crate::{
    matchplay::{Overhang, Setup},
    reading::{Piece, PieceState, Reading, Status},
    rules,
};

/// Meeples per row that `player` built by `reading`; `None` when it is unreadable.
pub fn built_rows(reading: &Reading, setup: &Setup, player: &str) -> Option<Vec<usize>> {
    let score = reading.score.as_ref().filter(|_| reading.status != Status::Unreadable)?;
    let rows = if setup.shared_playmat {
        reading.players.get(player).map_or_else(Vec::new, |s| s.rows.clone())
    } else {
        score.rows.clone()
    };
    let void = setup.options.overhang == Overhang::VoidPyramid && overhangs(reading, &rows);
    Some(if void { Vec::new() } else { rows })
}

/// Whether a meeple that stands beyond the playmat touches the pyramid of `rows`: then the pyramid extends beyond it.
fn overhangs(reading: &Reading, rows: &[usize]) -> bool {
    let Some(pyramid) = reading.pyramids.iter().position(|p| p.rows == rows) else { return false };
    let own = |p: &&Piece| p.pyramid == Some(pyramid);
    let beyond = |p: &&Piece| p.state == PieceState::Upright && p.on_playmat == Some(false);
    reading.pieces.iter().filter(beyond).any(|b| reading.pieces.iter().filter(own).any(|p| touch(p, b)))
}

/// Whether two pieces touch as far as their boxes tell: no further apart than an eighth of a piece's height.
fn touch(a: &Piece, b: &Piece) -> bool {
    let slack = (a.bounds.y1 - a.bounds.y0).max(b.bounds.y1 - b.bounds.y0) / 8;
    let (a, b) = (a.bounds, b.bounds);
    a.x0 <= b.x1 + slack && b.x0 <= a.x1 + slack && a.y0 <= b.y1 + slack && b.y0 <= a.y1 + slack
}

/// Which view was chosen, and whether the views agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenView {
    /// Its index.
    pub index: usize,
    /// What the views disagree about, in words; `None` when they agree.
    pub disagreement: Option<String>,
}

/// Which of several views of one pyramid to go by: one that is read rather than unsure rather than unreadable, and among
/// those the one the program is surest of. `None` without views.
pub fn choose_view(readings: &[&Reading], setup: &Setup, players: &[&str]) -> Option<ChosenView> {
    let trust = |status: Status| match status {
        Status::Read => 2,
        Status::Unsure => 1,
        Status::Unreadable => 0,
    };
    let better = |&(i, a): &(usize, &&Reading), &(j, b): &(usize, &&Reading)| {
        // Of equal ones the first given.
        trust(a.status).cmp(&trust(b.status)).then(a.confidence.total_cmp(&b.confidence)).then(j.cmp(&i))
    };
    let (index, _) = readings.iter().enumerate().max_by(better)?;
    let mut differing = Vec::new();
    for player in players {
        let seen: Vec<(usize, Vec<usize>)> =
            readings.iter().enumerate().filter_map(|(i, r)| built_rows(r, setup, player).map(|rows| (i, rows))).collect();
        let chosen = seen.iter().find(|(i, _)| *i == index).map(|(_, rows)| rows);
        if seen.iter().any(|(_, rows)| Some(rows) != chosen) {
            let views: Vec<String> =
                seen.iter().map(|(i, rows)| format!("view {} shows {}", i + 1, rules::show_score(rows))).collect();
            let whose = if players.len() > 1 { format!("of {player} ") } else { String::new() };
            differing.push(format!("the views {whose}disagree: {}; view {} is used", views.join(", "), index + 1));
        }
    }
    let disagreement = (!differing.is_empty()).then(|| differing.join("; "));
    Some(ChosenView { index, disagreement })
}
