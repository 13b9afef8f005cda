//! A result on show: the frozen picture, what the readings of it agree on, and what was changed by hand since.

use std::{sync::Arc, time::Instant};

use pyrameeple::{
    geometry::Px,
    matchplay::{Built, Setup},
    reading::{Piece, Reading, Status},
    record::built_rows,
};

use super::edits::{Edits, piece_at, row_at};
use crate::{
    read::Seen,
    vote::{Verdict, vote},
};

/// How a result came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Somebody pressed SPACE.
    Key,
    /// Time was up: this is the picture at time zero.
    Buzzer,
}

/// How a piece counts on show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It counts, in this row.
    Counts(usize),
    /// It counts by hand, in this row.
    CountsByHand(usize),
    /// It does not count.
    DoesNot,
    /// It was rejected by hand.
    RejectedByHand,
}

/// A result on show.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The readings that voted.
    pub votes: Vec<Arc<Seen>>,
    /// What they agree on.
    pub verdict: Verdict,
    /// Whose results these are, in the order of the list.
    pub players: Vec<String>,
    /// Index of the player whose result is being changed by hand.
    pub player: usize,
    /// Changes by hand, one for each player.
    pub edits: Vec<Edits>,
    /// Id of the piece that keys act on.
    pub selected: Option<usize>,
    /// How it came about.
    pub origin: Origin,
    /// Whether the picture was taken after time, by the clock.
    pub late: bool,
    /// Seconds on the clock when the picture was taken; `None` when it had not been started.
    pub seconds: Option<f64>,
    /// How long it took from the key press until the result stood there, s.
    pub waited: f64,
    /// What the players agreed before the match.
    setup: Setup,
}

impl Shown {
    /// The result of `votes` for `players`; `None` without votes.
    pub fn new(votes: Vec<Arc<Seen>>, setup: &Setup, players: Vec<String>, origin: Origin) -> Option<Self> {
        let readings: Vec<&Reading> = votes.iter().map(|seen| &seen.reading).collect();
        let names: Vec<&str> = players.iter().map(String::as_str).collect();
        let verdict = vote(&readings, setup, &names)?;
        let edits = vec![Edits::default(); players.len()];
        Some(Self {
            votes,
            verdict,
            players,
            player: 0,
            edits,
            selected: None,
            origin,
            late: false,
            seconds: None,
            waited: 0.0,
            setup: setup.clone(),
        })
    }

    /// The frame and reading to go by.
    pub fn used(&self) -> &Arc<Seen> {
        &self.votes[self.verdict.used]
    }

    /// Its reading.
    pub fn reading(&self) -> &Reading {
        &self.used().reading
    }

    /// When its picture was taken.
    pub fn taken_at(&self) -> Instant {
        self.used().frame.at
    }

    /// How far to trust the result, with the vote taken into account.
    pub fn status(&self) -> Status {
        match self.reading().status {
            Status::Read if self.verdict.disagreement.is_some() => Status::Unsure,
            status => status,
        }
    }

    /// Why it is not to be trusted, and what to do.
    pub fn doubts(&self) -> Vec<String> {
        let reading = self.reading();
        let reason = reading.reason.as_ref().filter(|_| reading.status != Status::Read);
        let with_advice = reason.map(|reason| match &reading.advice {
            Some(advice) => format!("{reason} – {advice}"),
            None => reason.clone(),
        });
        self.verdict.disagreement.iter().cloned().chain(with_advice).collect()
    }

    /// What player number `player` built, with what was changed by hand.
    pub fn built(&self, player: usize) -> Result<Built, String> {
        self.edits[player].built(self.reading(), &self.setup, &self.players[player], self.late)
    }

    /// Meeples per row that are shown for player number `player`; `None` when there is no score.
    pub fn rows(&self, player: usize) -> Option<Vec<usize>> {
        match self.built(player) {
            Ok(built) => Some(built.correction.map_or(built.rows, |correction| correction.rows)),
            Err(_) => built_rows(self.reading(), &self.setup, &self.players[player]),
        }
    }

    /// Whether anything was changed by hand.
    pub fn is_corrected(&self) -> bool {
        self.edits.iter().any(|edits| !edits.is_empty())
    }

    /// Whether the picture counts as late, by the clock or by hand.
    pub fn counts_late(&self) -> bool {
        self.edits.iter().find_map(|edits| edits.late).unwrap_or(self.late)
    }

    /// Says that the picture is late, or that it is not, against what was said so far.
    pub fn toggle_late(&mut self) {
        let late = !self.counts_late();
        for edits in &mut self.edits {
            edits.late = Some(late).filter(|&late| late != self.late);
        }
    }

    /// How a piece counts.
    pub fn mark(&self, piece: &Piece) -> Mark {
        for edits in &self.edits {
            if edits.rejected.contains(&piece.id) {
                return Mark::RejectedByHand;
            }
            if let Some(&row) = edits.counted.get(&piece.id) {
                return Mark::CountsByHand(row);
            }
        }
        match piece.row.filter(|_| piece.counted) {
            Some(row) => Mark::Counts(row),
            None => Mark::DoesNot,
        }
    }

    /// Whose result a piece belongs to: its colour's owner on a shared playmat, else the one being changed.
    fn owner(&self, piece: &Piece) -> usize {
        let owner = |name: &String| {
            let player = self.setup.players.iter().find(|player| player.name == *name);
            player.is_some_and(|player| player.colours.contains(&piece.colour))
        };
        self.players.iter().position(owner).filter(|_| self.setup.shared_playmat).unwrap_or(self.player)
    }

    /// Rejects a piece that counts, or makes one count that does not; what was done, or why it cannot be.
    pub fn toggle(&mut self, id: usize) -> Result<String, String> {
        let Some(piece) = self.reading().pieces.iter().find(|piece| piece.id == id).cloned() else {
            return Err(format!("there is no piece #{id}"));
        };
        let player = self.owner(&piece);
        let mut edits = self.edits[player].clone();
        edits.rows = None;
        let done = match self.mark(&piece) {
            Mark::Counts(row) => {
                edits.rejected.insert(id);
                format!("#{id} in row {row} does not count any more")
            }
            Mark::RejectedByHand => {
                edits.rejected.remove(&id);
                format!("#{id} counts again")
            }
            Mark::CountsByHand(_) => {
                edits.counted.remove(&id);
                format!("#{id} does not count again")
            }
            Mark::DoesNot => {
                let row = row_at(self.reading(), piece.base, self.rows(player).map_or(0, |rows| rows.len()));
                edits.counted.insert(id, row);
                format!("#{id} counts in row {row}")
            }
        };
        self.selected = Some(id);
        self.change(player, edits).map(|()| done)
    }

    /// Adds a meeple that was not seen to `row`; what was done, or why it cannot be.
    pub fn add(&mut self, row: usize) -> Result<String, String> {
        let mut edits = self.edits[self.player].clone();
        edits.rows = None;
        edits.added.push(row);
        self.change(self.player, edits).map(|()| format!("a meeple was added to row {row}"))
    }

    /// Sets the rows of the player being changed; what was done, or why it cannot be.
    pub fn set_rows(&mut self, rows: Vec<usize>) -> Result<String, String> {
        let done = format!("rows set by hand: {}", pyrameeple::rules::show_score(&rows));
        let edits = Edits { rows: Some(rows), late: self.edits[self.player].late, ..Edits::default() };
        self.change(self.player, edits).map(|()| done)
    }

    /// Acts on a place in the picture: the piece there, or a meeple that was not seen.
    pub fn click(&mut self, place: Px) -> Result<String, String> {
        match piece_at(self.reading(), place).map(|piece| piece.id) {
            Some(id) => self.toggle(id),
            None => {
                let highest = self.rows(self.player).map_or(0, |rows| rows.len());
                // A click goes into the middle of a meeple, half its height above its feet.
                let heights = self.reading().pieces.iter().map(|piece| piece.base.distance(piece.head));
                let half = heights.fold(0.0, f64::max) / 2.0;
                let row = row_at(self.reading(), Px::new(place.x, place.y + half), highest);
                self.add(row)
            }
        }
    }

    fn change(&mut self, player: usize, edits: Edits) -> Result<(), String> {
        if !edits.is_empty() {
            edits.built(self.reading(), &self.setup, &self.players[player], self.late)?;
        }
        self.edits[player] = edits;
        self.player = player;
        Ok(())
    }

    /// Takes back everything that was changed by hand.
    pub fn clear_edits(&mut self) {
        self.edits.iter_mut().for_each(|edits| *edits = Edits::default());
    }

    /// Selects the next piece (from left to right), or the one before.
    pub fn select(&mut self, forward: bool) {
        let mut pieces: Vec<(&Piece, usize)> = self.reading().pieces.iter().map(|piece| (piece, piece.id)).collect();
        pieces.sort_by(|a, b| a.0.base.x.total_cmp(&b.0.base.x));
        let ids: Vec<usize> = pieces.into_iter().map(|(_, id)| id).collect();
        let at = self.selected.and_then(|selected| ids.iter().position(|&id| id == selected));
        let next = match (at, forward) {
            (None, true) => 0,
            (None, false) => ids.len().saturating_sub(1),
            (Some(at), true) => (at + 1) % ids.len(),
            (Some(at), false) => (at + ids.len() - 1) % ids.len(),
        };
        self.selected = ids.get(next).copied();
    }

    /// Turns to the next player's result.
    pub fn next_player(&mut self) {
        self.player = (self.player + 1) % self.players.len().max(1);
    }
}
