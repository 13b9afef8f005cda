//! [`Reading`]: what the program says about one picture. Command line, reports, evaluation, records and the window
//! all read this one type; its JSON field names are fixed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::geometry::{Px, PxBox};

/// How far a reading can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The program stands by the score.
    Read,
    /// The score is the program's best guess; `reason` says why it doubts and `advice` what to do.
    Unsure,
    /// There is no score: no playmat, not a picture, …
    Unreadable,
}

/// How a piece lies or stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PieceState {
    /// A meeple standing on its feet, within [`crate::game::MAX_LEAN_DEGREES`] of the vertical.
    Upright,
    /// A meeple lying flat or on its side.
    Lying,
    /// A meeple standing on its head.
    UpsideDown,
    /// A meeple leaning too far to count.
    Leaning,
    /// Not a meeple: a cube, a die, a card, …
    Foreign,
}

/// One piece seen in the picture, counted or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Number of the piece in this reading, from 0; overlays print it.
    pub id: usize,
    /// How it stands.
    pub state: PieceState,
    /// Colour name, one of [`crate::game::COLOUR_NAMES`].
    pub colour: String,
    /// Row, 1 for the lowest; `None` when the piece does not count.
    pub row: Option<usize>,
    /// Whether it keeps within the playmat; `None` when no playmat was found.
    pub on_playmat: Option<bool>,
    /// Index into [`Reading::pyramids`]; `None` when it belongs to none.
    pub pyramid: Option<usize>,
    /// Whether it scores: upright, on the playmat, supported, and part of a pyramid.
    pub counted: bool,
    /// Why it does not count; `None` when it does.
    pub reason: Option<String>,
    /// Middle of the feet's underside (of the lower edge for pieces not upright), px.
    pub base: Px,
    /// Middle of the top of the head (of the upper edge for pieces not upright), px.
    pub head: Px,
    /// Bounding box of the piece, px.
    #[serde(rename = "box")]
    pub bounds: PxBox,
    /// Outline as drawn in the picture, px, without repeating the first point; empty when unknown.
    #[serde(default)]
    pub outline: Vec<Px>,
    /// How sure the program is that the piece is there and in this state, 0 to 1.
    pub confidence: f64,
}

/// A connected group of counted pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pyramid {
    /// Meeples per row, row 1 (on the felt) first.
    pub rows: Vec<usize>,
    /// Each meeple scores the number of its row.
    pub points: u32,
    /// Number of meeples.
    pub meeples: usize,
    /// Colour names in it, most frequent first.
    pub colours: Vec<String>,
    /// Ids of its pieces.
    pub pieces: Vec<usize>,
}

/// What a pyramid is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Sum over the meeples of their row numbers.
    pub points: u32,
    /// Meeples per row, row 1 first; empty for an empty playmat.
    pub rows: Vec<usize>,
    /// Number of meeples.
    pub meeples: usize,
}

/// The felt baseplate as seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaymatSeen {
    /// Corners in px: near-left, near-right, far-right, far-left as the camera sees them; they may lie outside the picture.
    pub corners: [Px; 4],
    /// Share of the playmat's area that lies inside the picture, 0 to 1.
    pub visible: f64,
}

/// The camera as estimated from the playmat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraSeen {
    /// Angle of the view above the horizon at the playmat's centre, degrees.
    pub elevation_degrees: f64,
    /// Distance to the playmat's centre, mm.
    pub distance_mm: f64,
    /// Horizontal field of view, degrees.
    pub horizontal_fov_degrees: f64,
    /// Radial distortion coefficient (of radii in half widths of the picture).
    pub k1: f64,
    /// Size of the playmat along its near edge and away from the camera, mm.
    pub playmat_size_mm: [f64; 2],
}

/// What the program says about one picture; one line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The photo's path as given.
    pub photo: String,
    /// How far to trust it.
    pub status: Status,
    /// Why it is not `read`; sentences for people, joined by "; ".
    pub reason: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
    /// The score of the highest pyramid; `None` when unreadable.
    pub score: Option<Score>,
    /// Score of each player on a shared playmat, by name; empty unless players were given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub players: BTreeMap<String, Score>,
    /// All pyramids, best first.
    pub pyramids: Vec<Pyramid>,
    /// All pieces seen.
    pub pieces: Vec<Piece>,
    /// The playmat, if found.
    pub playmat: Option<PlaymatSeen>,
    /// The camera, if the playmat was found.
    pub camera: Option<CameraSeen>,
    /// How sure the program is of the whole score, 0 to 1.
    pub confidence: f64,
    /// Width of the upright picture, px; 0 when it could not be decoded.
    pub width: u32,
    /// Height of the upright picture, px; 0 when it could not be decoded.
    pub height: u32,
    /// Milliseconds spent in each stage.
    pub timings_ms: BTreeMap<String, f64>,
}

impl Reading {
    /// The reading of a photo of which nothing could be seen.
    pub fn unreadable(photo: impl Into<String>, reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            photo: photo.into(),
            status: Status::Unreadable,
            reason: Some(reason.into()),
            advice: Some(advice.into()),
            score: None,
            players: BTreeMap::new(),
            pyramids: Vec::new(),
            pieces: Vec::new(),
            playmat: None,
            camera: None,
            confidence: 0.0,
            width: 0,
            height: 0,
            timings_ms: BTreeMap::new(),
        }
    }

    /// Lowers a reading that was stood by to `unsure`, and adds `reason` and `advice` to what it says already.
    pub fn doubt(&mut self, reason: &str, advice: &str) {
        if self.status == Status::Read {
            self.status = Status::Unsure;
        }
        for (text, more) in [(&mut self.reason, reason), (&mut self.advice, advice)] {
            match text {
                Some(text) if text.contains(more) => {}
                Some(text) => {
                    text.push_str("; ");
                    text.push_str(more);
                }
                None => *text = Some(more.to_owned()),
            }
        }
    }
}

impl Status {
    /// The word used in JSON and everywhere else.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Unsure => "unsure",
            Self::Unreadable => "unreadable",
        }
    }
}

impl PieceState {
    /// The words for people: "upside down".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upright => "upright",
            Self::Lying => "lying",
            Self::UpsideDown => "upside down",
            Self::Leaning => "leaning",
            Self::Foreign => "no meeple",
        }
    }
}
