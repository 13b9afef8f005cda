//! The table of a match: every turn, who is out, and what is to happen next; derived afresh from the events in force.
//!
//! Deriving rather than updating is what makes corrections safe: a correction of round 1 that saves a player gives that
//! player back the rounds that were missed, and one that fails a player takes the later rounds away again.

use std::collections::{BTreeMap, BTreeSet};

use super::{AllFail, Correction, Event, LateRule, Options, Round, Setup, Variant};
use crate::rules;

/// One player's turn in one round, with its corrections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The round.
    pub round: Round,
    /// Index of the player in the setup.
    pub player: usize,
    /// Meeples per row as read; empty when nothing was built.
    pub read_rows: Vec<usize>,
    /// Whether the picture was taken after time.
    pub taken_late: bool,
    /// Whether nothing was built in time and there is no picture.
    pub missed: bool,
    /// Corrections in the order they were made; the last one counts.
    pub corrections: Vec<Correction>,
    /// Index, among all events of the match, of the one that brought this turn.
    pub event: usize,
}

impl Turn {
    /// Meeples per row after corrections.
    pub fn rows(&self) -> &[usize] {
        self.corrections.last().map_or(&self.read_rows, |c| &c.rows)
    }

    /// Whether the picture counts as late after corrections.
    pub fn late(&self) -> bool {
        self.corrections.iter().rev().find_map(|c| c.late).unwrap_or(self.taken_late)
    }

    /// Meeples per row that score under `options`: none of a late picture, unless the house scores those.
    pub fn scoring_rows(&self, options: &Options) -> &[usize] {
        if self.late() && options.late == LateRule::NotScored { &[] } else { self.rows() }
    }

    /// What the turn scores under `options`.
    pub fn points(&self, options: &Options) -> u32 {
        rules::points(self.scoring_rows(options))
    }

    /// Variant 2: whether the round's pyramid was built in time.
    pub fn passes(&self, options: &Options) -> bool {
        rules::is_rounds_pyramid(self.scoring_rows(options), self.round.number, options.demand)
    }
}

/// Why a player is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutReason {
    /// Did not build the round's pyramid in time.
    Failed,
    /// Destroyed an opponent's pyramid.
    Destroyed,
    /// Gave up.
    Forfeited,
}

/// When and why a player is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Out {
    /// The round in which it happened.
    pub round: Round,
    /// Why.
    pub reason: OutReason,
}

/// What is to happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A round is being played.
    Playing {
        /// Which.
        round: Round,
        /// Indices of the players whose turn in it is still missing, in the order of the list; never empty.
        waiting: Vec<usize>,
    },
    /// The match is over.
    Finished {
        /// Indices of the winners: several when the win is shared, none when the only player gave up.
        winners: Vec<usize>,
    },
}

/// Every turn, who is out, and what is to happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The turns, by round and player.
    pub turns: BTreeMap<(Round, usize), Turn>,
    /// For each player, when and why they are out; `None` for those still in.
    pub out: Vec<Option<Out>>,
    /// What is to happen next.
    pub phase: Phase,
}

impl Table {
    /// The table after `events`, each with its index among all events of the match. They have been checked when they were
    /// accepted; what does not fit all the same (a turn of nobody) is passed over.
    pub(super) fn derive<'a>(setup: &Setup, events: impl Iterator<Item = (usize, &'a Event)>) -> Self {
        let mut collected = Collected::default();
        for (index, event) in events {
            collected.take(setup, index, event);
        }
        collected.play(setup)
    }

    /// The turn of `player` in `round`.
    pub fn turn(&self, round: Round, player: usize) -> Option<&Turn> {
        self.turns.get(&(round, player))
    }

    /// The rounds that have at least one turn, in order.
    pub fn rounds(&self) -> BTreeSet<Round> {
        self.turns.keys().map(|(round, _)| *round).collect()
    }
}

/// What the events say, before the rules are applied.
#[derive(Default)]
struct Collected {
    turns: BTreeMap<(Round, usize), Turn>,
    /// In the order they were made: a player, and the round and reason of a declaration that puts them out at once.
    declared: Vec<(usize, Out)>,
}

impl Collected {
    fn take(&mut self, setup: &Setup, index: usize, event: &Event) {
        match event {
            Event::Built { round, results, late } => {
                for built in results {
                    if let Some(player) = setup.player(&built.player) {
                        let turn = Turn {
                            round: *round,
                            player,
                            read_rows: built.rows.clone(),
                            taken_late: *late,
                            missed: false,
                            corrections: built.correction.iter().cloned().collect(),
                            event: index,
                        };
                        self.turns.insert((*round, player), turn);
                    }
                }
            }
            Event::Missed { round, player, .. } => {
                if let Some(player) = setup.player(player) {
                    let turn = Turn {
                        round: *round,
                        player,
                        read_rows: Vec::new(),
                        taken_late: false,
                        missed: true,
                        corrections: Vec::new(),
                        event: index,
                    };
                    self.turns.insert((*round, player), turn);
                }
            }
            Event::Corrected { round, player, correction } => {
                let turn = setup.player(player).and_then(|p| self.turns.get_mut(&(*round, p)));
                if let Some(turn) = turn {
                    turn.corrections.push(correction.clone());
                }
            }
            Event::Destroyed { round, by, .. } => self.declare(setup, by, *round, OutReason::Destroyed),
            Event::Forfeited { round, player, .. } => self.declare(setup, player, *round, OutReason::Forfeited),
            Event::Undone => {}
        }
    }

    fn declare(&mut self, setup: &Setup, player: &str, round: Round, reason: OutReason) {
        if let Some(player) = setup.player(player)
            && self.declared.iter().all(|(declared, _)| *declared != player)
        {
            self.declared.push((player, Out { round, reason }));
        }
    }

    /// Plays round after round as far as the turns go.
    fn play(self, setup: &Setup) -> Table {
        let mut left: Vec<usize> = (0..setup.players.len()).collect();
        let mut out: Vec<Option<Out>> = vec![None; setup.players.len()];
        let mut round = Round::new(1);
        let phase = loop {
            // "… loses at once": before the round's turns are looked at. A declaration made in a later round than the one now
            // open (a correction can open an earlier one again) holds as soon as the player has no turn to show; none holds for
            // the last player left, who had won before it could be made.
            for (player, declared) in &self.declared {
                let last = left.len() == 1 && setup.players.len() > 1;
                let holds = declared.round <= round || !self.turns.contains_key(&(round, *player));
                if left.contains(player) && holds && !last {
                    out[*player] = Some(*declared);
                    left.retain(|p| p != player);
                }
            }
            // "The last player left wins" cannot be meant for somebody who plays alone from the start.
            if left.is_empty() || (left.len() == 1 && setup.players.len() > 1) {
                break Phase::Finished { winners: left };
            }
            let waiting: Vec<usize> = left.iter().copied().filter(|&p| !self.turns.contains_key(&(round, p))).collect();
            if !waiting.is_empty() {
                break Phase::Playing { round, waiting };
            }
            match setup.variant {
                Variant::Points => {
                    if Some(round.number) >= setup.turns {
                        break Phase::Finished { winners: self.most_points(setup, &left) };
                    }
                    round = round.next();
                }
                Variant::Higher => {
                    let passes = |p: &usize| self.turns.get(&(round, *p)).is_some_and(|turn| turn.passes(&setup.options));
                    let (built, failed): (Vec<usize>, Vec<usize>) = left.iter().partition(|p| passes(p));
                    if !built.is_empty() {
                        for player in failed {
                            out[player] = Some(Out { round, reason: OutReason::Failed });
                        }
                        left = built;
                        round = round.next();
                    } else if setup.players.len() > 1 && setup.options.all_fail == AllFail::PlayAgain {
                        round = round.again();
                    } else {
                        break Phase::Finished { winners: left };
                    }
                }
            }
        };
        // Who was declared out stays so in the display even while an earlier round is open again.
        for (player, declared) in &self.declared {
            if !matches!(&phase, Phase::Finished { winners } if winners.contains(player)) {
                out[*player].get_or_insert(*declared);
            }
        }
        Table { turns: self.turns, out, phase }
    }

    fn most_points(&self, setup: &Setup, left: &[usize]) -> Vec<usize> {
        let points = |player: usize| -> u32 {
            self.turns.values().filter(|t| t.player == player).map(|t| t.points(&setup.options)).fold(0, u32::saturating_add)
        };
        let most = left.iter().map(|&p| points(p)).max();
        left.iter().copied().filter(|&p| Some(points(p)) == most).collect()
    }
}
