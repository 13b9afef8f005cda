//! What is really in a picture.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::geometry::{Px, PxBox};

/// The truth about a picture, as `testdata/README.md` describes its file. Fields that no comparison uses are left out.
#[derive(Clone, Debug, Deserialize)]
pub struct Truth {
    /// What sort of picture it is: `pyramid`, `distractors`, `shared`, `collapsed`, `single`, `deep`, `empty`, …
    pub kind: String,
    /// Picture width, px.
    pub width: u32,
    /// Picture height, px.
    pub height: u32,
    /// The playmat.
    pub mat: TruthPlaymat,
    /// The camera; unknown for real photographs.
    pub camera: Option<TruthCamera>,
    /// Every piece, counted or not.
    pub pieces: Vec<TruthPiece>,
    /// Connected pyramids, best first.
    pub pyramids: Vec<TruthPyramid>,
}

/// The playmat in a picture.
#[derive(Clone, Debug, Deserialize)]
pub struct TruthPlaymat {
    /// Corners, px: near-left, near-right, far-right, far-left; they may lie outside the picture.
    pub corners: [Px; 4],
}

/// The camera of a picture.
#[derive(Clone, Debug, Deserialize)]
pub struct TruthCamera {
    /// Angle of the view above the horizon, degrees.
    pub elev: f64,
    /// Radial distortion, of radii in half widths.
    #[serde(default)]
    pub k1: f64,
}

/// A piece in a picture.
#[derive(Clone, Debug, Deserialize)]
pub struct TruthPiece {
    /// Number in its picture.
    pub id: usize,
    /// Colour name.
    pub colour: String,
    /// `upright`, `upside_down`, `lying_flat`, `lying_side`, `tilted`.
    pub state: String,
    /// Row, 1 for the lowest; 0 for none.
    pub row: usize,
    /// Whether it keeps within the playmat.
    pub on_mat: bool,
    /// Index of its pyramid; -1 for none.
    pub group: i64,
    /// Middle of the feet's underside, px.
    pub base: Px,
    /// Middle of the top of the head, px.
    pub head: Px,
    /// Height in the picture, px.
    pub px_height: f64,
    /// Bounds of the visible part, px; `None` when hidden.
    #[serde(rename = "box")]
    pub bounds: Option<PxBox>,
    /// Share of its outline that is not hidden.
    pub visible: f64,
    /// Share of its outline inside the picture.
    pub in_frame: f64,
}

/// A connected pyramid in a picture.
#[derive(Clone, Debug, Deserialize)]
pub struct TruthPyramid {
    /// Index that its pieces carry.
    pub group: i64,
    /// Meeples per row, row 1 first.
    pub rows: Vec<usize>,
    /// What it is worth.
    pub points: u32,
    /// Colour names in it.
    #[serde(default)]
    pub colours: Vec<String>,
}

/// Why a truth file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TruthError {
    /// No bytes.
    #[error("the truth {} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not the format.
    #[error("the truth {} does not have the format that the photos' README describes: {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// The envelope: smallest counted piece, px.
const ENVELOPE_MIN_PX_HEIGHT: f64 = 24.0;
/// The envelope: least visible share of a counted piece.
const ENVELOPE_MIN_VISIBLE: f64 = 0.30;
/// The envelope: least share of a counted piece inside the picture.
const ENVELOPE_MIN_IN_FRAME: f64 = 0.98;
/// The envelope: camera above the horizon, degrees.
const ENVELOPE_ELEVATION: std::ops::RangeInclusive<f64> = 6.0..=45.0;

impl Truth {
    /// The truth in the file at `path`.
    pub fn load(path: &Path) -> Result<Self, TruthError> {
        let bytes = fs::read(path).map_err(|source| TruthError::Io { path: path.into(), source })?;
        serde_json::from_slice(&bytes).map_err(|source| TruthError::Format { path: path.into(), source })
    }

    /// Rows of the highest pyramid, row 1 first; none on an empty playmat.
    pub fn rows(&self) -> &[usize] {
        self.pyramids.first().map_or(&[], |best| &best.rows)
    }

    /// Whether a program can be asked to read this picture: the counted pieces of its best pyramid are large enough,
    /// visible enough and inside the picture, the camera stands neither too low nor too high, and nothing is two-deep.
    pub fn inside_envelope(&self) -> bool {
        let best = self.pyramids.first().map(|best| best.group);
        self.kind != "deep"
            && self.camera.as_ref().is_none_or(|camera| ENVELOPE_ELEVATION.contains(&camera.elev))
            && self.pieces.iter().filter(|piece| piece.counts() && Some(piece.group) == best).all(|piece| {
                piece.px_height >= ENVELOPE_MIN_PX_HEIGHT
                    && piece.visible >= ENVELOPE_MIN_VISIBLE
                    && piece.in_frame >= ENVELOPE_MIN_IN_FRAME
            })
    }
}

impl TruthPiece {
    /// Whether it stands on its feet.
    pub fn is_upright(&self) -> bool {
        self.state == "upright"
    }

    /// Whether it scores: upright, on the playmat, and part of a pyramid.
    pub fn counts(&self) -> bool {
        self.is_upright() && self.on_mat && self.group >= 0
    }
}
