//! What can happen in a match. Events are what the record keeps, so they speak of players by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A turn of variant 1 or a round of variant 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Round {
    /// Number, from 1.
    pub number: u32,
    /// How often the round had been played before, because everyone left failed; 0 the first time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replay: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Round {
    /// Round `number`, played for the first time.
    pub const fn new(number: u32) -> Self {
        Self { number, replay: 0 }
    }

    /// The round after this one.
    pub const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), replay: 0 }
    }

    /// This round, played once more.
    pub const fn again(self) -> Self {
        Self { number: self.number, replay: self.replay.saturating_add(1) }
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)?;
        match self.replay {
            0 => Ok(()),
            1 => write!(f, " (played again)"),
            n => write!(f, " (played again, {n})"),
        }
    }
}

/// A correction of what was read, by a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// Meeples per row that count from now on, row 1 first; empty for none.
    pub rows: Vec<usize>,
    /// Whether the picture counts as late from now on; `None` leaves that as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<bool>,
    /// Ids of pieces of the reading that were rejected by hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<usize>,
    /// Pieces of the reading, by id, that count by hand, each with its row from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<(usize, usize)>,
    /// Rows, from 1, to which a meeple was added that the reading had missed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<usize>,
    /// Why; never empty.
    pub reason: String,
}

/// What one player built in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// Who.
    pub player: String,
    /// Meeples per row of the player's highest pyramid as read, row 1 first; empty for none.
    pub rows: Vec<usize>,
    /// A correction made before the result was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
}

/// Something that happened and was accepted at the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A picture was taken and its result accepted: of one player, or of several on a shared playmat.
    Built {
        /// In which round.
        round: Round,
        /// What each player in the picture built.
        results: Vec<Built>,
        /// Whether the picture was taken after time.
        #[serde(default)]
        late: bool,
    },
    /// A player built nothing in time, and there is no picture.
    Missed {
        /// In which round.
        round: Round,
        /// Who.
        player: String,
        /// Why, if anybody said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// What counts of an accepted turn was corrected.
    Corrected {
        /// The round of the turn.
        round: Round,
        /// Whose turn.
        player: String,
        /// The correction.
        correction: Correction,
    },
    /// A player was declared to have destroyed an opponent's pyramid, and loses at once.
    Destroyed {
        /// In which round.
        round: Round,
        /// Who destroyed.
        by: String,
        /// Whose pyramid, if anybody said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
    },
    /// A player gave up.
    Forfeited {
        /// In which round.
        round: Round,
        /// Who.
        player: String,
        /// Why, if anybody said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The last event still in force is taken back. It stays on record.
    Undone,
}
