//! From readings to rows: what a player built by a reading, and which of several views of a pyramid to go by.

use std::borrow::Cow;

use crate::{
    matchplay::{Overhang, Setup},
    overhang::void_overhanging,
    players::{Player, Players},
    reading::{Reading, Status},
    rules,
};

/// Meeples per row that `player` built by `reading`; `None` when it is unreadable.
pub fn built_rows(reading: &Reading, setup: &Setup, player: &str) -> Option<Vec<usize>> {
    let mut reading = Cow::Borrowed(reading);
    if setup.options.overhang == Overhang::VoidPyramid {
        let judged = reading.to_mut();
        void_overhanging(judged);
        let players = setup.colours().into_iter().map(|(name, colours)| Player { name, colours });
        if setup.shared_playmat
            && let Ok(players) = Players::new(players.collect())
        {
            judged.players = players.shares(judged).scores;
        }
    }
    let score = reading.score.as_ref().filter(|_| reading.status != Status::Unreadable)?;
    Some(match setup.shared_playmat {
        true => reading.players.get(player).map_or_else(Vec::new, |s| s.rows.clone()),
        false => score.rows.clone(),
    })
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
