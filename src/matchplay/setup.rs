//! What is agreed before a match begins: variant, players, turns and house options.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::rules::Demand;

/// Which of the two games of the rules is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Variant 1, "points for pyramids": the most points after the agreed turns win.
    Points,
    /// Variant 2, "higher and higher": the base grows each round; the last player left wins.
    Higher,
}

/// One who plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// Any Unicode; no two players' names are alike ([`names_alike`]).
    pub name: String,
    /// Colour names of the player's meeples; needed on a shared playmat only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colours: Vec<String>,
}

/// What a picture taken after time is worth (rules, decisions on "time").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateRule {
    /// It is recorded as late and scores nothing.
    #[default]
    NotScored,
    /// House option: it is recorded as late and scores all the same.
    Scored,
}

/// What happens in variant 2 when everyone left fails in the same round (rules, decisions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllFail {
    /// They share the win.
    #[default]
    ShareTheWin,
    /// House option: the round is played again by them.
    PlayAgain,
}

/// What a meeple beyond the playmat's edge costs (rules, decisions on the baseplate).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overhang {
    /// The meeple does not count.
    #[default]
    RejectMeeple,
    /// House option: the whole pyramid it belongs to is void.
    VoidPyramid,
}

/// In which order the players of a round have their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOrder {
    /// As the players are listed ("the players take turns").
    Listed,
    /// Any ("all build at the same time").
    Any,
}

/// House options; the defaults are the project's decisions in the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// An option this program does not know would silently change who wins.
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Time to build, seconds; 120 in variant 1, 45 in variant 2.
    pub seconds: u32,
    /// What a late picture is worth.
    #[serde(default)]
    pub late: LateRule,
    /// What a meeple beyond the playmat costs.
    #[serde(default)]
    pub overhang: Overhang,
    /// Variant 2: what a round asks for.
    #[serde(default)]
    pub demand: Demand,
    /// Variant 2: what happens when everyone left fails.
    #[serde(default)]
    pub all_fail: AllFail,
    /// Order of turns within a round.
    pub order: TurnOrder,
}

impl Options {
    /// The options of `variant` as the rules tell it.
    pub fn of(variant: Variant) -> Self {
        let (seconds, order) = match variant {
            // "for 2 minutes, one pyramid each", "all build at the same time"
            Variant::Points => (120, TurnOrder::Any),
            // "Each turn lasts at most 45 seconds", "the players take turns"
            Variant::Higher => (45, TurnOrder::Listed),
        };
        Self {
            seconds,
            late: LateRule::default(),
            overhang: Overhang::default(),
            demand: Demand::default(),
            all_fail: AllFail::default(),
            order,
        }
    }
}

/// Everything agreed before a match begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The game.
    pub variant: Variant,
    /// Who plays, in the order of their turns.
    pub players: Vec<Player>,
    /// Variant 1: the agreed number of turns; `None` in variant 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Whether all build on one playmat and are told apart by their meeples' colours.
    #[serde(default)]
    pub shared_playmat: bool,
    /// House options.
    pub options: Options,
}

/// Most turns a match may be agreed for: a mistyped number should not make an endless match.
const MOST_TURNS: u32 = 1000;
/// Longest player name, in characters: longer ones fit no scoreboard.
const LONGEST_NAME: usize = 80;

/// Why no match can be played with a setup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Nobody plays.
    #[error("a match needs a name for each player and none was given: name at least one")]
    NoPlayers,
    /// A name that cannot be read.
    #[error("player {number} has no name that can be read (\"{name}\"): use at least one visible character and no line breaks")]
    UnreadableName {
        /// Number of the player, from 1.
        number: usize,
        /// The name as given, control characters escaped.
        name: String,
    },
    /// A name that fits no scoreboard.
    #[error("the name \"{start}…\" has {length} characters, at most {LONGEST_NAME} fit a scoreboard: shorten it")]
    LongName {
        /// Its beginning.
        start: String,
        /// Its length in characters.
        length: usize,
    },
    /// Two names that cannot be told apart.
    #[error("the names \"{first}\" and \"{second}\" are alike: no two players may be called the same; add something to one")]
    AlikeNames {
        /// The earlier one.
        first: String,
        /// The later one.
        second: String,
    },
    /// Variant 1 without a number of turns.
    #[error("variant 1 (points) needs the agreed number of turns, 1 to {MOST_TURNS}; {} was given", .given.map_or("none".to_owned(), |n| n.to_string()))]
    Turns {
        /// What was given.
        given: Option<u32>,
    },
    /// Variant 2 with a number of turns.
    #[error("variant 2 (higher) has no agreed number of turns, it lasts until one player is left; leave the {given} turns out")]
    TurnsInHigher {
        /// What was given.
        given: u32,
    },
    /// No time to build.
    #[error("0 seconds to build were given: at least 1 is needed (the rules say 120 in variant 1, 45 in variant 2)")]
    NoTime,
    /// A shared playmat needs colours to tell the players apart.
    #[error(
        "on a shared playmat the meeples' colours tell the players apart, and \"{player}\" has none: give each player one or more"
    )]
    NoColours {
        /// Who has none.
        player: String,
    },
    /// A colour of two players.
    #[error("both \"{first}\" and \"{second}\" are to play {colour}: give each colour to one player only")]
    SharedColour {
        /// The earlier player.
        first: String,
        /// The later player.
        second: String,
        /// The colour.
        colour: String,
    },
}

impl Setup {
    /// A match of `variant` between players of these names, with the options of the rules and, in variant 1, `turns`.
    pub fn new<S: Into<String>>(variant: Variant, names: impl IntoIterator<Item = S>, turns: Option<u32>) -> Self {
        let players = names.into_iter().map(|name| Player { name: name.into(), colours: Vec::new() }).collect();
        Self { variant, players, turns, shared_playmat: false, options: Options::of(variant) }
    }

    /// Refuses a setup no match can be played with.
    pub fn check(&self) -> Result<(), SetupError> {
        if self.players.is_empty() {
            return Err(SetupError::NoPlayers);
        }
        for (index, player) in self.players.iter().enumerate() {
            check_name(index + 1, &player.name)?;
            if let Some(first) = self.players[..index].iter().find(|p| names_alike(&p.name, &player.name)) {
                return Err(SetupError::AlikeNames { first: first.name.clone(), second: player.name.clone() });
            }
        }
        match (self.variant, self.turns) {
            (Variant::Points, Some(1..=MOST_TURNS)) | (Variant::Higher, None) => {}
            (Variant::Points, given) => return Err(SetupError::Turns { given }),
            (Variant::Higher, Some(given)) => return Err(SetupError::TurnsInHigher { given }),
        }
        if self.options.seconds == 0 {
            return Err(SetupError::NoTime);
        }
        self.check_colours()
    }

    fn check_colours(&self) -> Result<(), SetupError> {
        for (index, player) in self.players.iter().enumerate() {
            if self.shared_playmat && player.colours.is_empty() {
                return Err(SetupError::NoColours { player: player.name.clone() });
            }
            for colour in &player.colours {
                if let Some(first) = self.players[..index].iter().find(|p| p.colours.contains(colour)) {
                    return Err(SetupError::SharedColour {
                        first: first.name.clone(),
                        second: player.name.clone(),
                        colour: colour.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The place in the list of the player called `name`: exactly so, or else alike.
    pub fn player(&self, name: &str) -> Option<usize> {
        let exact = self.players.iter().position(|p| p.name == name);
        exact.or_else(|| self.players.iter().position(|p| names_alike(&p.name, name)))
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.players.iter().map(|p| p.name.as_str())
    }

    /// Each player's name with the colours of their meeples: empty unless the playmat is shared.
    pub fn colours(&self) -> Vec<(String, Vec<String>)> {
        if !self.shared_playmat {
            return Vec::new();
        }
        self.players.iter().map(|p| (p.name.clone(), p.colours.clone())).collect()
    }

    /// What the rules of this variant call a round: "turn" in variant 1, "round" in variant 2.
    pub fn round_word(&self) -> &'static str {
        match self.variant {
            Variant::Points => "turn",
            Variant::Higher => "round",
        }
    }
}

fn check_name(number: usize, name: &str) -> Result<(), SetupError> {
    let visible = name.chars().any(|c| !c.is_whitespace() && !is_invisible(c));
    if !visible || name.chars().any(|c| c.is_control() || is_line_or_direction(c)) {
        return Err(SetupError::UnreadableName { number, name: name.escape_debug().to_string() });
    }
    let length = name.chars().count();
    if length > LONGEST_NAME {
        return Err(SetupError::LongName { start: name.chars().take(20).collect(), length });
    }
    Ok(())
}

/// Characters that draw nothing: zero-width spaces and joiners, soft hyphen, byte-order mark, variation selectors.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Line separators and marks that turn the direction of what follows: they would garble a scoreboard.
fn is_line_or_direction(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What two names must differ in: compatibility-composed, lower-cased, without outer and doubled spaces or invisible characters.
pub fn alike_key(name: &str) -> String {
    let folded: String = name.nfkc().flat_map(char::to_lowercase).filter(|&c| !is_invisible(c)).nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether people would take `a` and `b` for the same name: "Zoë" and "zoë " are alike, however their ë is coded.
pub fn names_alike(a: &str, b: &str) -> bool {
    alike_key(a) == alike_key(b)
}
