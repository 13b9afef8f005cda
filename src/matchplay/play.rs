//! The state machine: which events a match accepts, and why it refuses the others.

use super::{Event, Options, Phase, Round, Setup, SetupError, Standings, Table, TurnOrder, Variant};
use crate::rules::{self, RowsError};

/// A match being played: its setup, every event accepted so far, and what follows from those in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    setup: Setup,
    events: Vec<Event>,
    /// Indices of the events in force: all but the undone ones and the undoings themselves.
    in_force: Vec<usize>,
    table: Table,
}

/// Why an event is not accepted; the match stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Somebody who does not play.
    #[error("nobody called \"{name}\" plays in this match; the players are {players}")]
    NoSuchPlayer {
        /// The name as given.
        name: String,
        /// The names of the match.
        players: String,
    },
    /// The match is over.
    #[error("the match is finished: {outcome}. Only `correct` and `undo` can change it; start a new match to play on")]
    Finished {
        /// Who won.
        outcome: String,
    },
    /// The player is out.
    #[error("{player} is out since {word} {round} and has no more turns; if that is wrong, correct or undo that {word}")]
    IsOut {
        /// Who.
        player: String,
        /// Since when.
        round: Round,
        /// "turn" or "round".
        word: &'static str,
    },
    /// Not the round that is being played.
    #[error("{word} {given} was given, but {word} {current} is being played, waiting for {waiting}")]
    WrongRound {
        /// As given.
        given: Round,
        /// The one being played.
        current: Round,
        /// Who has no result in it yet.
        waiting: String,
        /// "turn" or "round".
        word: &'static str,
    },
    /// The player has a result in this round already.
    #[error(
        "{player} has a result in {word} {round} already; waiting for {waiting}. `correct` changes it, `undo` takes the last one back"
    )]
    HasResult {
        /// Who.
        player: String,
        /// The round being played.
        round: Round,
        /// Who has no result in it yet.
        waiting: String,
        /// "turn" or "round".
        word: &'static str,
    },
    /// Another player is next.
    #[error("{player} is not next: it is {next}'s turn (a match made with --any-order takes any order)")]
    NotNext {
        /// Who was given.
        player: String,
        /// Who is next.
        next: String,
    },
    /// The same player twice in one picture, or a picture of nobody.
    #[error("a result names each player once and at least one: {given} were given")]
    ResultPlayers {
        /// The names given.
        given: String,
    },
    /// Rows no pyramid can have.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// A correction that says nothing of its why.
    #[error("a correction needs a reason: say what was seen that the picture's reading got wrong")]
    NoReason,
    /// A correction of a turn that is not there.
    #[error("{player} has no accepted result in {word} {round}, so there is nothing to correct; `show` lists the results")]
    NoSuchTurn {
        /// Whose.
        player: String,
        /// In which round.
        round: Round,
        /// "turn" or "round".
        word: &'static str,
    },
    /// Destroying needs a common playmat.
    #[error(
        "each player builds on a playmat of their own in this match, so nobody can have destroyed an opponent's pyramid by the rules; use `forfeit`"
    )]
    NotShared,
    /// Destroying needs an opponent.
    #[error("{by} cannot destroy the pyramid of {of}: name an opponent")]
    NoOpponent {
        /// Who is declared.
        by: String,
        /// Whose pyramid it should have been.
        of: String,
    },
    /// Nothing to take back.
    #[error("there is nothing to undo: no event is in force")]
    NothingToUndo,
}

/// Why a list of events is not a match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The setup is not valid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An event that the match refuses.
    #[error("event {number} does not fit those before it: {refusal}")]
    Event {
        /// Its number, from 1.
        number: usize,
        /// Why.
        refusal: Refusal,
    },
}

impl Match {
    /// A match about to begin.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        setup.check()?;
        let table = Table::derive(&setup, std::iter::empty());
        Ok(Self { setup, events: Vec::new(), in_force: Vec::new(), table })
    }

    /// The match after `events`.
    pub fn replay(setup: Setup, events: impl IntoIterator<Item = Event>) -> Result<Self, ReplayError> {
        let mut game = Self::new(setup)?;
        for (index, event) in events.into_iter().enumerate() {
            game.apply(event).map_err(|refusal| ReplayError::Event { number: index + 1, refusal })?;
        }
        Ok(game)
    }

    /// Accepts `event`, or refuses it and stays as it was.
    pub fn apply(&mut self, event: Event) -> Result<(), Refusal> {
        self.check(&event)?;
        let index = self.events.len();
        match event {
            Event::Undone => {
                self.in_force.pop();
            }
            _ => self.in_force.push(index),
        }
        self.events.push(event);
        self.table = Table::derive(&self.setup, self.in_force.iter().map(|&i| (i, &self.events[i])));
        Ok(())
    }

    /// Whether `event` would be accepted.
    pub fn check(&self, event: &Event) -> Result<(), Refusal> {
        match event {
            Event::Built { round, results, .. } => {
                let players = results.iter().map(|b| self.player(&b.player)).collect::<Result<Vec<_>, _>>()?;
                self.check_turns(*round, &players)?;
                for built in results {
                    rules::check_rows(&built.rows)?;
                    built.correction.as_ref().map_or(Ok(()), check_correction)?;
                }
                Ok(())
            }
            Event::Missed { round, player, .. } => self.check_turns(*round, &[self.player(player)?]),
            Event::Corrected { round, player, correction } => {
                let index = self.player(player)?;
                if self.table.turn(*round, index).is_none() {
                    return Err(Refusal::NoSuchTurn { player: self.name(index), round: *round, word: self.setup.round_word() });
                }
                check_correction(correction)
            }
            Event::Destroyed { round, by, of } => {
                let by = self.player(by)?;
                let of = of.as_ref().map(|name| self.player(name)).transpose()?;
                if !self.setup.shared_playmat && self.setup.variant == Variant::Points {
                    return Err(Refusal::NotShared);
                }
                if of == Some(by) || self.setup.players.len() < 2 {
                    return Err(Refusal::NoOpponent { by: self.name(by), of: of.map_or("nobody".to_owned(), |p| self.name(p)) });
                }
                self.check_playing(*round, by)
            }
            Event::Forfeited { round, player, .. } => self.check_playing(*round, self.player(player)?),
            Event::Undone => self.in_force.last().map(|_| ()).ok_or(Refusal::NothingToUndo),
        }
    }

    /// Refuses unless `round` is being played and `player` is still in.
    fn check_playing(&self, round: Round, player: usize) -> Result<(), Refusal> {
        let (current, waiting) = self.playing()?;
        let word = self.setup.round_word();
        if let Some(out) = self.table.out[player] {
            return Err(Refusal::IsOut { player: self.name(player), round: out.round, word });
        }
        if round != current {
            return Err(Refusal::WrongRound { given: round, current, waiting: self.names(waiting), word });
        }
        Ok(())
    }

    /// Refuses unless every one of `players` has a turn to take in `round`, now.
    fn check_turns(&self, round: Round, players: &[usize]) -> Result<(), Refusal> {
        let (current, waiting) = self.playing()?;
        for (place, &player) in players.iter().enumerate() {
            if players[..place].contains(&player) {
                return Err(Refusal::ResultPlayers { given: self.names(players) });
            }
            self.check_playing(round, player)?;
            if !waiting.contains(&player) {
                return Err(Refusal::HasResult {
                    player: self.name(player),
                    round: current,
                    waiting: self.names(waiting),
                    word: self.setup.round_word(),
                });
            }
        }
        let Some(&first) = players.first() else {
            return Err(Refusal::ResultPlayers { given: "none".to_owned() });
        };
        // A picture of several players is one of a shared playmat; they need only be the next ones, in whatever order named.
        let next = &waiting[..players.len().min(waiting.len())];
        if self.setup.options.order == TurnOrder::Listed && !players.iter().all(|p| next.contains(p)) {
            let early = players.iter().copied().find(|p| !next.contains(p)).unwrap_or(first);
            return Err(Refusal::NotNext { player: self.name(early), next: self.name(waiting[0]) });
        }
        Ok(())
    }

    fn playing(&self) -> Result<(Round, &[usize]), Refusal> {
        match &self.table.phase {
            Phase::Playing { round, waiting } => Ok((*round, waiting)),
            Phase::Finished { .. } => Err(Refusal::Finished { outcome: self.outcome().unwrap_or_default() }),
        }
    }

    fn player(&self, name: &str) -> Result<usize, Refusal> {
        let no_such =
            || Refusal::NoSuchPlayer { name: name.to_owned(), players: self.setup.names().collect::<Vec<_>>().join(", ") };
        self.setup.player(name).ok_or_else(no_such)
    }

    fn name(&self, player: usize) -> String {
        self.setup.players.get(player).map_or_else(String::new, |p| p.name.clone())
    }

    fn names(&self, players: &[usize]) -> String {
        let names: Vec<String> = players.iter().map(|&p| self.name(p)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => "nobody".to_owned(),
        }
    }

    /// What was agreed before the match.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The house options.
    pub fn options(&self) -> &Options {
        &self.setup.options
    }

    /// Every event accepted so far, undone ones too.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Indices into [`Match::events`] of those in force.
    pub fn in_force(&self) -> &[usize] {
        &self.in_force
    }

    /// The event that an undo would take back.
    pub fn last_in_force(&self) -> Option<&Event> {
        self.in_force.last().map(|&i| &self.events[i])
    }

    /// Turns, players out, and what is to happen next.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The round being played; `None` when the match is finished.
    pub fn round(&self) -> Option<Round> {
        self.playing().ok().map(|(round, _)| round)
    }

    /// Names of the players whose result in the round being played is still missing, in the order of the list.
    pub fn waiting(&self) -> Vec<&str> {
        let waiting = self.playing().map(|(_, waiting)| waiting).unwrap_or_default();
        waiting.iter().map(|&p| self.setup.players[p].name.as_str()).collect()
    }

    /// The standings.
    pub fn standings(&self) -> Standings {
        Standings::of(self)
    }

    /// Who won, in words; `None` while the match is being played.
    pub fn outcome(&self) -> Option<String> {
        let Phase::Finished { winners } = &self.table.phase else { return None };
        let names = self.names(winners);
        Some(match (winners.len(), self.setup.players.len()) {
            (0, _) => "nobody is left".to_owned(),
            (_, 1) => format!("{names} played alone, for a record"),
            (1, _) => format!("{names} wins"),
            _ => format!("{names} share the win"),
        })
    }
}

fn check_correction(correction: &super::Correction) -> Result<(), Refusal> {
    if correction.reason.trim().is_empty() {
        return Err(Refusal::NoReason);
    }
    Ok(rules::check_rows(&correction.rows)?)
}
