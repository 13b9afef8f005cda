//! Pieces: what may be standing where.
//!
//! A learned network sees where meeples are, upright or not ([`see`]). The pose says how large one must look at every
//! place, so each upright one gets the places it could have, on the felt first, then on top of whatever may be standing
//! there, and the known solid is held against the picture's edges at each ([`place`]). Every [`Candidate`] goes on,
//! including several explanations of the same pixels; the layout stage picks a consistent set of them. [`rest`] then says
//! what is left over.

mod canonical;
mod colour;
mod edges;
mod gaps;
mod loose;
mod matching;
mod peaks;
mod search;
pub(crate) mod solid;

use image::RgbImage;
use serde::{Deserialize, Serialize};

pub use canonical::Canonical;
pub use loose::{Lying, Rest, Thing, rest};
pub(crate) use search::{collide, is_supported, lowest, offset, stands_on};

use crate::{
    geometry::{Px, WorldPoint},
    network::NetworkError,
    pose::Camera,
};
use edges::EdgeMaps;
use matching::Matcher;
pub use peaks::Peak;
use peaks::Peaks;
use solid::FrontFace;

/// What the pieces stage can be told. Pixels are those of the canonical picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PiecesParams {
    /// Width of a meeple in the middle of the playmat in the canonical picture, px, 20 to 64. More sees finer lines
    /// and takes longer.
    pub meeple_px: f64,
    /// Most a picture is enlarged to get there, times.
    pub most_scale: f64,
    /// How far beside the playmat pieces are looked for (to be named and rejected), mm.
    pub margin_mm: f64,
    /// Blur before the gradient, standard deviation in px.
    pub edge_blur_px: f64,
    /// An edge counts in full from this share of the strongest edge nearby, 0 to 1. Lower sees the lines between
    /// meeples of one colour, and more of the table's pattern.
    pub edge_contrast: f32,
    /// Least gradient for an edge to count in full, Sobel units (8 × grey levels per px).
    pub edge_floor: f32,
    /// Gradients up to this many times the picture's median are noise …
    pub noise_factor: f32,
    /// … plus this, Sobel units.
    pub noise_floor: f32,
    /// Distance of the sample points along the outline, mm.
    pub outline_step_mm: f64,
    /// How much edges inside the outline take off the score, 0 to 1.
    pub inside_penalty: f32,
    /// Least score of a peak of the network, 0 to 1. What a pyramid needs is believed on little evidence.
    pub least_peak: f64,
    /// What edges along the whole outline, rather than half of it, add to a score, twice.
    pub edges: f64,
    /// What a place loses for each share of the outline that another place of the same peak has on edges and it has not.
    pub misplaced: f64,
    /// How much of a peak's score goes when the network is sure of a piece in another state there, 0 to 1.
    pub against: f64,
    /// What a piece that looks e times as tall as its place asks for loses.
    pub size_penalty: f64,
    /// Widest step with which a place is adjusted to the edges, mm.
    pub step_mm: f64,
    /// Largest angle between a meeple's front and the playmat's near edge, degrees.
    pub most_yaw_degrees: f64,
    /// Least score of a candidate, 0 to 1.
    pub least_score: f64,
    /// What a millimetre in front of or behind the piece below costs.
    pub depth_penalty: f64,
    /// What a place costs whose middle is seen a meeple's height away from the middle that the network saw; half as far
    /// costs a quarter.
    pub stray: f64,
    /// Sizes of meeples looked for, times the regular one: least, most.
    pub sizes: [f64; 2],
}

impl Default for PiecesParams {
    fn default() -> Self {
        Self {
            meeple_px: 32.0,
            most_scale: 2.0,
            margin_mm: 40.0,
            edge_blur_px: 0.9,
            edge_contrast: 0.08,
            edge_floor: 8.0,
            noise_factor: 1.2,
            noise_floor: 2.0,
            outline_step_mm: 0.8,
            inside_penalty: 0.35,
            least_peak: 0.1,
            edges: 0.2,
            misplaced: 0.4,
            against: 0.5,
            size_penalty: 0.35,
            step_mm: 1.5,
            most_yaw_degrees: 40.0,
            least_score: 0.15,
            depth_penalty: 0.02,
            stray: 3.0,
            sizes: [0.9, 1.25],
        }
    }
}

/// A meeple that may be standing upright somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Middle of the feet's underside.
    pub foot: WorldPoint,
    /// Turn about the vertical, radians; 0 faces the playmat's near edge.
    pub yaw: f64,
    /// Row it would be in, 1 on the felt.
    pub row: usize,
    /// How well the picture supports it, at most 1.
    pub score: f64,
    /// Share of its outline that lies on edges of the picture, less what disturbs; at most 1.
    pub fit: f64,
    /// Which of the network's peaks it explains.
    pub peak: usize,
}

/// What the pieces stage returns.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// Everything that may be standing, best first within a row; explanations of the same pixels exclude each other.
    pub candidates: Vec<Candidate>,
    /// Size of the meeples, times the regular 16 mm.
    pub size: f64,
}

/// What a picture shows of pieces, before it is known where the playmat lies: the same for every camera tried.
#[derive(Clone, Debug)]
pub struct Evidence {
    canonical: Canonical,
    edges: EdgeMaps,
    peaks: Peaks,
}

impl Evidence {
    fn matcher<'a>(&'a self, camera: &'a Camera, size: f64, params: &PiecesParams) -> Matcher<'a> {
        let mut matcher = Matcher::new(camera, &self.canonical, &self.edges, params.outline_step_mm, params.inside_penalty);
        matcher.size = size;
        matcher
    }
}

/// What can go wrong in the pieces stage.
#[derive(Debug, thiserror::Error)]
pub enum PiecesError {
    /// The network did not run.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// OpenCV refused.
    #[error(transparent)]
    OpenCv(#[from] opencv::Error),
}

/// The evidence in `picture` around the playmat, at the scale that `camera` gives it.
pub fn see(picture: &RgbImage, camera: &Camera, params: &PiecesParams) -> Result<Evidence, PiecesError> {
    let canonical = Canonical::new(picture, camera, params.meeple_px, params.most_scale, params.margin_mm)?;
    let edges = EdgeMaps::new(&canonical.image, params)?;
    let peaks = Peaks::new(&canonical, params.least_peak)?;
    Ok(Evidence { canonical, edges, peaks })
}

/// All meeples that may be standing, with the places that `camera` gives what `evidence` shows; `size` is theirs, times the
/// regular one, or found from those on the felt.
pub fn place(evidence: &Evidence, camera: &Camera, size: Option<f64>, params: &PiecesParams) -> Pieces {
    let mut matcher = evidence.matcher(camera, 1.0, params);
    let peaks = &evidence.peaks.upright;
    let size = size.unwrap_or_else(|| search::size_of(&mut matcher, peaks, params));
    matcher.size = size;
    Pieces { candidates: search::bottom_up(&matcher, peaks, params), size }
}

/// The upright meeples of a picture in which no playmat was found, at the scale that shows the most.
pub fn anywhere(picture: &RgbImage, params: &PiecesParams) -> Result<Vec<Peak>, PiecesError> {
    let mut best: Vec<Peak> = Vec::new();
    for share in HEIGHTS_TRIED {
        let meeple_px = share * f64::from(picture.width().max(picture.height()));
        let canonical = Canonical::whole(picture, (params.meeple_px / meeple_px).min(params.most_scale))?;
        let peaks = Peaks::new(&canonical, CERTAIN)?.upright;
        if shown(&peaks) > shown(&best) {
            best = peaks;
        }
    }
    Ok(best)
}

/// How many meeples `peaks` show, each counted as far as it is sure.
pub fn shown(peaks: &[Peak]) -> f64 {
    peaks.iter().map(|peak| peak.score).sum()
}

/// Heights of meeples for which a picture without a playmat is searched, as shares of its long side: the network sees half
/// to twice of each.
const HEIGHTS_TRIED: [f64; 2] = [0.04, 0.1];
/// A score that chance does not reach: without a playmat nothing else vouches for a peak.
const CERTAIN: f64 = 0.55;

/// The front outline of `c` in the picture, px; empty behind the camera.
pub fn outline_px(camera: &Camera, c: &Candidate, size: f64) -> Vec<Px> {
    let Some(face) = FrontFace::of(camera, c, size) else { return Vec::new() };
    solid::outline_mm().iter().map(|&(u, v, _)| face.at(u, v)).collect()
}

/// The colour name of `c`, one of [`crate::game::COLOUR_NAMES`].
pub fn colour_of(picture: &RgbImage, camera: &Camera, c: &Candidate, size: f64) -> &'static str {
    FrontFace::of(camera, c, size).map_or("grey", |face| colour::of_face(picture, &face))
}

/// The colour name of what `outline` encloses, one of [`crate::game::COLOUR_NAMES`].
pub fn colour_within(picture: &RgbImage, outline: &[Px]) -> &'static str {
    colour::of_outline(picture, outline)
}
