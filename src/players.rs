//! Whose pyramid is whose on a shared playmat.
//!
//! Players are told apart by the colours of their meeples, and each player's highest pyramid counts (rules, decision "Whose
//! pyramid on a shared mat?"). A pyramid belongs to the player who owns more than half of its meeples; one that holds a
//! meeple of anybody else is doubted, since a misread colour and a stray meeple look the same.

use std::{collections::BTreeMap, str::FromStr};

use crate::{
    game::COLOUR_NAMES,
    matchplay::names_alike,
    reading::{Pyramid, Reading, Score, Status},
    rules,
};

/// A player and the colours of that player's meeples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// As it is printed.
    pub name: String,
    /// Names out of [`COLOUR_NAMES`].
    pub colours: Vec<String>,
}

/// The players of one playmat: no two of one name, no colour with two owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Players(Vec<Player>);

/// Most confidence in scores where it is not clear whose a pyramid is: it may as well be another's.
const MOST_SURE_OF_OWNER: f64 = 0.5;

/// Why a list of players cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayersError {
    /// Not NAME=COLOUR.
    #[error("`{0}` is not NAME=COLOUR or NAME=COLOUR+COLOUR; players stand between commas, as in Ann=red,Bo=blue+orange")]
    NotAPlayer(String),
    /// An equals sign without a colour, or a plus sign with one only.
    #[error("a colour of player {0} is missing: write NAME=COLOUR or NAME=COLOUR+COLOUR, as in Ann=red,Bo=blue+orange")]
    NoColour(String),
    /// Not a colour of meeples.
    #[error("`{colour}` is not a colour of meeples (nearest: {nearest}); known are {}", COLOUR_NAMES.join(", "))]
    UnknownColour {
        /// As given.
        colour: String,
        /// The known name that looks most like it.
        nearest: &'static str,
    },
    /// One name twice.
    #[error(
        "two players are called {0}, or nearly so: give each a name of their own, and all colours of a player behind one name"
    )]
    NameTwice(String),
    /// One colour for two players.
    #[error("{colour} belongs to both {first} and {second}")]
    ColourTwice {
        /// The colour.
        colour: String,
        /// Its first owner.
        first: String,
        /// Its second owner.
        second: String,
    },
}

impl FromStr for Players {
    type Err = PlayersError;

    /// From `P1=red,P2=blue+orange`.
    fn from_str(text: &str) -> Result<Self, PlayersError> {
        let parts = text.split(',').map(str::trim).map(|part| {
            let (name, colours) = part
                .split_once('=')
                .map(|(name, colours)| (name.trim(), colours))
                .filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| PlayersError::NotAPlayer(part.into()))?;
            Ok(Player { name: name.into(), colours: colours.split('+').map(str::to_owned).collect() })
        });
        Self::new(parts.collect::<Result<_, PlayersError>>()?)
    }
}

/// The known colour called `text`, in any case.
fn colour_name(text: &str) -> Result<String, PlayersError> {
    let wanted = match text.trim().to_lowercase() {
        american if american == "gray" => "grey".into(),
        name => name,
    };
    if COLOUR_NAMES.contains(&wanted.as_str()) {
        return Ok(wanted);
    }
    let nearest = COLOUR_NAMES.iter().copied().max_by(|a, b| {
        let likeness = |name: &str| strsim::jaro_winkler(name, &wanted);
        likeness(a).total_cmp(&likeness(b))
    });
    Err(PlayersError::UnknownColour { colour: text.trim().into(), nearest: nearest.unwrap_or_default() })
}

/// The sentence about a pyramid whose meeples belong to several players or to none: how many are whose, and which colours
/// are nobody's.
fn mixed(pyramid: &Pyramid, owned_by: &BTreeMap<&str, usize>, stray: &BTreeMap<&str, usize>) -> String {
    let meeples = |n: usize| if n == 1 { "meeple" } else { "meeples" };
    let owned = owned_by.iter().map(|(owner, n)| format!("{n} {} of {owner}", meeples(*n)));
    let stray = stray.iter().map(|(colour, n)| format!("{n} {colour} {}, a colour that is nobody's", meeples(*n)));
    let held: Vec<String> = owned.chain(stray).collect();
    format!("the pyramid of {} holds {}", rules::show_points(pyramid.points), held.join(" and "))
}

/// What each player scores, and what is doubtful about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// Each player's highest pyramid; 0 points for a player without one.
    pub scores: BTreeMap<String, Score>,
    /// Sentences for people, one for each pyramid whose owner is not clear.
    pub doubts: Vec<String>,
}

impl Players {
    /// `players`, whose colours may be written in any case.
    pub fn new(mut players: Vec<Player>) -> Result<Self, PlayersError> {
        for index in 0..players.len() {
            let (before, rest) = players.split_at_mut(index);
            let Some(player) = rest.first_mut() else { break };
            if before.iter().any(|other| names_alike(&other.name, &player.name)) {
                return Err(PlayersError::NameTwice(player.name.clone()));
            }
            if player.colours.iter().any(|colour| colour.trim().is_empty()) {
                return Err(PlayersError::NoColour(player.name.clone()));
            }
            for colour in &mut player.colours {
                *colour = colour_name(colour)?;
                if let Some(owner) = before.iter().find(|other| other.colours.contains(colour)) {
                    let (first, second) = (owner.name.clone(), player.name.clone());
                    return Err(PlayersError::ColourTwice { colour: colour.clone(), first, second });
                }
            }
        }
        Ok(Self(players))
    }

    /// The players, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &Player> {
        self.0.iter()
    }

    /// What each player scores in `reading`, whose pyramids stand best first.
    ///
    /// ```
    /// # use pyrameeple::{players::Players, reading::Reading};
    /// let players: Players = "Ann=red,Bo=blue+orange".parse()?;
    /// let shares = players.shares(&Reading::unreadable("a.jpg", "no playmat found", ""));
    /// assert_eq!(shares.scores["Ann"].points, 0);
    /// # Ok::<(), pyrameeple::players::PlayersError>(())
    /// ```
    pub fn shares(&self, reading: &Reading) -> Shares {
        let mut owned: BTreeMap<&str, Vec<Pyramid>> = self.iter().map(|player| (player.name.as_str(), Vec::new())).collect();
        let mut doubts = Vec::new();
        for pyramid in &reading.pyramids {
            let mut owned_by: BTreeMap<&str, usize> = BTreeMap::new();
            let mut stray: BTreeMap<&str, usize> = BTreeMap::new();
            for piece in reading.pieces.iter().filter(|piece| pyramid.pieces.contains(&piece.id)) {
                *match self.owner(&piece.colour) {
                    Some(owner) => owned_by.entry(owner).or_default(),
                    None => stray.entry(&piece.colour).or_default(),
                } += 1;
            }
            let total: usize = owned_by.values().chain(stray.values()).sum();
            let owner = owned_by.iter().find(|(_, n)| **n * 2 > total).map(|(owner, _)| *owner);
            if owned_by.len() + stray.len() > 1 || owner.is_none() {
                doubts.push(mixed(pyramid, &owned_by, &stray));
            }
            if let Some(pyramids) = owner.and_then(|owner| owned.get_mut(owner)) {
                pyramids.push(pyramid.clone());
            }
        }
        let scores = owned.into_iter().map(|(name, pyramids)| (name.to_owned(), rules::score(&pyramids))).collect();
        Shares { scores, doubts }
    }

    /// Writes each player's score into `reading`, which becomes unsure where an owner is not clear.
    pub fn apply(&self, reading: &mut Reading) {
        if reading.status == Status::Unreadable {
            return;
        }
        let Shares { scores, doubts } = self.shares(reading);
        reading.players = scores;
        if !doubts.is_empty() {
            reading.confidence = reading.confidence.min(MOST_SURE_OF_OWNER);
        }
        for doubt in doubts {
            reading.doubt(&doubt, "check the colours given with --players and who owns the stray meeples");
        }
    }

    fn owner(&self, colour: &str) -> Option<&str> {
        self.iter().find(|player| player.colours.iter().any(|own| own == colour)).map(|player| player.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        geometry::{Px, PxBox},
        reading::{Piece, PieceState},
    };

    /// A reading with one pyramid for each list of colours, all in one row.
    fn reading(pyramids: &[&[&str]]) -> Reading {
        let mut reading =
            Reading { status: Status::Read, reason: None, advice: None, confidence: 1.0, ..Reading::unreadable("a.jpg", "", "") };
        for (index, colours) in pyramids.iter().enumerate() {
            let first = reading.pieces.len();
            for colour in *colours {
                reading.pieces.push(Piece {
                    id: reading.pieces.len(),
                    state: PieceState::Upright,
                    colour: (*colour).into(),
                    row: Some(1),
                    on_playmat: Some(true),
                    pyramid: Some(index),
                    counted: true,
                    reason: None,
                    base: Px::new(0.0, 0.0),
                    head: Px::new(0.0, 0.0),
                    bounds: PxBox { x0: 0, y0: 0, x1: 0, y1: 0 },
                    outline: Vec::new(),
                    confidence: 1.0,
                });
            }
            reading.pyramids.push(Pyramid {
                rows: vec![colours.len()],
                points: colours.len() as u32,
                meeples: colours.len(),
                colours: Vec::new(),
                pieces: (first..reading.pieces.len()).collect(),
            });
        }
        reading
    }

    fn points(reading: &Reading) -> Vec<(&str, u32)> {
        reading.players.iter().map(|(name, score)| (name.as_str(), score.points)).collect()
    }

    #[test]
    fn each_players_highest_pyramid_counts() {
        let mut reading = reading(&[&["blue", "blue", "blue"], &["red", "red"], &["blue"]]);
        "P1=red,P2=blue,P3=green".parse::<Players>().unwrap().apply(&mut reading);
        assert_eq!(points(&reading), [("P1", 2), ("P2", 3), ("P3", 0)]);
        assert_eq!(reading.status, Status::Read);
    }

    #[test]
    fn a_player_may_own_two_colours() {
        let mut reading = reading(&[&["red", "orange", "red"]]);
        "P1=red+orange,P2=blue".parse::<Players>().unwrap().apply(&mut reading);
        assert_eq!((points(&reading)[0], reading.status), (("P1", 3), Status::Read));
    }

    #[test]
    fn a_stray_meeple_makes_the_reading_unsure_but_the_majority_keeps_the_pyramid() {
        let mut reading = reading(&[&["red", "red", "blue"]]);
        "P1=red,P2=blue".parse::<Players>().unwrap().apply(&mut reading);
        assert_eq!(points(&reading), [("P1", 3), ("P2", 0)]);
        assert_eq!(reading.status, Status::Unsure);
        assert!(reading.confidence <= MOST_SURE_OF_OWNER);
        assert_eq!(reading.reason.as_deref(), Some("the pyramid of 3 points holds 2 meeples of P1 and 1 meeple of P2"));
    }

    #[test]
    fn half_and_half_belongs_to_nobody() {
        let mut reading = reading(&[&["red", "blue"]]);
        "P1=red,P2=blue".parse::<Players>().unwrap().apply(&mut reading);
        assert_eq!(points(&reading), [("P1", 0), ("P2", 0)]);
        assert_eq!(reading.status, Status::Unsure);
    }

    #[test]
    fn a_colour_of_nobody_makes_the_reading_unsure() {
        let mut reading = reading(&[&["white", "white"]]);
        "P1=red,P2=blue".parse::<Players>().unwrap().apply(&mut reading);
        assert_eq!(reading.status, Status::Unsure);
        let reason = reading.reason.as_deref();
        assert_eq!(reason, Some("the pyramid of 2 points holds 2 white meeples, a colour that is nobody's"));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let error = |text: &str| text.parse::<Players>().unwrap_err();
        assert_eq!(error("P1"), PlayersError::NotAPlayer("P1".into()));
        assert_eq!(error("P1=rad"), PlayersError::UnknownColour { colour: "rad".into(), nearest: "red" });
        assert_eq!(error("P1=red,P1=blue"), PlayersError::NameTwice("P1".into()));
        assert_eq!(error("Zoë=red,zoë =blue"), PlayersError::NameTwice("zoë".into()));
        assert_eq!(error("P1="), PlayersError::NoColour("P1".into()));
        assert_eq!(error("P1=red+"), PlayersError::NoColour("P1".into()));
        assert!(matches!(error("P1=red,P2=red"), PlayersError::ColourTwice { .. }));
        assert_eq!("P1=Gray".parse::<Players>().unwrap().iter().next().unwrap().colours, ["grey"]);
    }
}
