//! Pose: where the camera stands, from the edges of a sheet of known size.
//!
//! Afterwards millimetres, the vertical and heights above the felt are known everywhere in the picture.

mod camera;
pub(crate) mod fit;
mod start;
#[cfg(test)]
pub(crate) mod tests;
mod upright;

use serde::{Deserialize, Serialize};

pub use camera::Camera;
pub(crate) use upright::{Upright, from_upright};

use crate::{
    game::{PLAYMAT_LONG_MM, PLAYMAT_SHORT_MM},
    playmat::Playmat,
};
use fit::{Claim, Fit, Problem, State, TOLERANCE};

/// What the pose stage can be told. Pairs `[mean, spread]` are weak expectations: they decide only what the visible
/// edges leave open (the focal length, when the near edge is outside the picture).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PoseParams {
    /// Horizontal fields of view of the cameras expected, least and most, degrees: phones and webcams.
    pub hfov_degrees: [f64; 2],
    /// How far a focal length from EXIF can be off, as a share: files round it, and phones crop.
    pub exif_focal_spread: f64,
    /// Distance from the camera to the middle of the playmat, mm; within a factor of two or so.
    pub distance_mm: f64,
    /// Elevation of the camera above the felt: mean and spread, degrees.
    pub elevation_degrees: [f64; 2],
    /// How far the playmat is turned from square to the camera: mean and spread, degrees.
    pub azimuth_degrees: [f64; 2],
    /// How far the camera is rolled about its axis: mean and spread, degrees; people hold cameras level.
    pub roll_degrees: [f64; 2],
    /// Radial distortion, of radii in half widths: mean and spread.
    pub k1: [f64; 2],
    /// How far a felt's edge strays from the straight line, and edge points from the edge, as a share of the picture's
    /// width: felt is cut by hand and does not lie quite flat.
    pub edge_sigma: f64,
    /// How many independent points an edge is worth: neighbouring points err together.
    pub points_per_edge: f64,
    /// Focal lengths tried besides the estimated one where an edge is outside the picture, times that one.
    pub focal_trials: [f64; 2],
    /// What each unit of cost by which another camera explains the edges worse takes off what its pieces are worth.
    pub cost_worth: f64,
}

impl Default for PoseParams {
    fn default() -> Self {
        Self {
            hfov_degrees: [38.0, 75.0],
            exif_focal_spread: 0.03,
            distance_mm: 350.0,
            elevation_degrees: [22.0, 15.0],
            azimuth_degrees: [0.0, 15.0],
            roll_degrees: [0.0, 2.0],
            k1: [-0.02, 0.05],
            edge_sigma: 0.0011,
            points_per_edge: 12.0,
            focal_trials: [0.87, 1.15],
            cost_worth: 0.2,
        }
    }
}

/// Why there is no pose.
#[derive(Debug, thiserror::Error)]
pub enum PoseError {
    /// There are too few edge points.
    #[error("too little of the playmat's outline is visible: {edges} edges, where 3 are needed and the far one among them")]
    TooFewEdges {
        /// Edges with points on them.
        edges: usize,
    },
}

/// Steps of the fit while points far off still have a say, and after that.
const STEPS: [usize; 2] = [8, 15];

/// The camera for one way round of the sheet.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The camera.
    pub camera: Camera,
    /// Half the sum of squares of what the edges and the expectations disagree by, in standard deviations.
    pub cost: f64,
    /// Root mean square distance of the edge points to the edges (points far off count less), px.
    pub residual_px: f64,
}

/// The camera from which the playmat looks as it was found; `width` and `height` are the picture's, px.
///
/// The focal length comes from `exif_focal_px` where the file has one, else from the perspective of the edges.
pub fn estimate(
    playmat: &Playmat,
    width: u32,
    height: u32,
    exif_focal_px: Option<f64>,
    params: &PoseParams,
) -> Result<Camera, PoseError> {
    candidates(playmat, width, height, exif_focal_px, params).map(|[best, _]| best.camera)
}

/// The cameras worth trying, the likelier first: one where all four edges are seen, else both ways round of the sheet.
pub fn hypotheses(
    playmat: &Playmat,
    width: u32,
    height: u32,
    exif_focal_px: Option<f64>,
    params: &PoseParams,
) -> Result<Vec<Candidate>, PoseError> {
    let both = candidates(playmat, width, height, exif_focal_px, params)?;
    let worth_trying = if playmat.edges.iter().any(Vec::is_empty) { 2 } else { 1 };
    Ok(both.into_iter().take(worth_trying).collect())
}

/// Cameras like `camera`, with the sheet the same way round, but with a longer and a shorter lens.
pub fn with_other_lenses(playmat: &Playmat, camera: &Camera, params: &PoseParams) -> Result<Vec<Candidate>, PoseError> {
    let mut cameras = Vec::new();
    for factor in params.focal_trials {
        let focal_px = Some(camera.focal_px * factor);
        let both = candidates(playmat, camera.width as u32, camera.height as u32, focal_px, params)?;
        cameras.extend(both.into_iter().find(|c| c.camera.playmat_size_mm == camera.playmat_size_mm));
    }
    Ok(cameras)
}

/// Both ways round of the sheet, the likelier first. Where the near edge is outside the picture the two can be nearly
/// as good as each other; the pieces, whose size is known, can then tell.
pub fn candidates(
    playmat: &Playmat,
    width: u32,
    height: u32,
    exif_focal_px: Option<f64>,
    params: &PoseParams,
) -> Result<[Candidate; 2], PoseError> {
    let visible = playmat.edges.iter().filter(|edge| !edge.is_empty()).count();
    if visible < 3 || playmat.edges[2].is_empty() {
        return Err(PoseError::TooFewEdges { edges: visible });
    }
    let mut problem = Problem::new(f64::from(width), f64::from(height), exif_focal_px, params);
    for (i, edge) in playmat.edges.iter().enumerate() {
        problem.add(edge.iter().copied(), Claim::On(i), params.points_per_edge);
        if edge.is_empty() {
            problem.add(playmat.cut.iter().copied(), Claim::Inside(i), params.points_per_edge);
        }
    }
    let fits = both_ways(&problem).ok_or(PoseError::TooFewEdges { edges: visible })?;
    let candidates = fits.map(|fit| {
        let ruler = problem.ruler(&fit);
        // Weighted as in the fit.
        let (mut sum, mut weights) = (0.0, 0.0);
        for (edge, points) in playmat.edges.iter().enumerate() {
            for &point in points {
                let d = ruler.distance(edge, point);
                let weight = 1.0 / (1.0 + (d / (TOLERANCE * problem.sigma_px)).powi(2));
                sum += weight * d * d;
                weights += weight;
            }
        }
        Candidate { camera: problem.camera(&fit), cost: fit.cost, residual_px: (sum / f64::max(weights, 1e-9)).sqrt() }
    });
    Ok(candidates)
}

/// The best fit for each way round of the sheet, the better first; `None` where three edges don't make a sheet.
pub(crate) fn both_ways(problem: &Problem) -> Option<[Fit; 2]> {
    let [a, b] = fit::ways_round(PLAYMAT_SHORT_MM, PLAYMAT_LONG_MM).map(|size| {
        let cost = |start: &State| problem.cost(start, size, 4.0 * TOLERANCE);
        let start = problem.starts(size).into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        let rough = problem.solve(start, size, 4.0 * TOLERANCE, STEPS[0]);
        Some(problem.solve_unturned(rough.state, size, TOLERANCE, STEPS[1]))
    });
    let (a, b) = (a?, b?);
    Some(if a.cost <= b.cost { [a, b] } else { [b, a] })
}
