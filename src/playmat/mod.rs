//! Playmat: the felt A4 baseplate in the picture, as four corners.
//!
//! 1. The picture is made small and cut into segments of even colour, at several coarsenesses.
//! 2. Straight pieces of each large segment's outline are combined into quadrilaterals; those that cover their segment
//!    best go on.
//! 3. An A4 sheet seen by a camera is fitted to each; then to the edges of the whole picture, found to a fraction of a
//!    pixel along the sheet's predicted edges.
//! 4. The one whose edges the picture supports best is the playmat.

mod edges;
mod outline;
mod segment;
mod small;

use image::{GrayImage, RgbImage};
use serde::{Deserialize, Serialize};

use crate::{
    geometry::Px,
    pose::{
        Camera, PoseParams, both_ways,
        fit::{Claim, Fit, Problem},
    },
};
use edges::EdgeSeen;
use outline::{OutlinePoint, Quad, Region};
use small::Small;

/// What the playmat stage can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlaymatParams {
    /// Pixels of the small picture in which the felt is looked for: more is slower and catches smaller playmats.
    pub small_pixels: f64,
    /// How even a segment must be: the lower, the smaller the segments; each is tried. In Lab units times pixels.
    pub coarseness: Vec<f32>,
    /// Worth of lightness against colour when pixels are compared, 0 to 1; less than 1 because shadows change lightness.
    pub lightness: f32,
    /// Least share of the picture that the playmat covers, 0 to 1.
    pub least_share: f64,
    /// Quadrilaterals that are held against the whole picture.
    pub hypotheses: usize,
    /// Expectations about the camera while edges are fitted.
    pub pose: PoseParams,
}

impl Default for PlaymatParams {
    fn default() -> Self {
        Self {
            small_pixels: 60_000.0,
            coarseness: vec![60.0, 200.0, 600.0],
            lightness: 0.7,
            least_share: 0.025,
            hypotheses: 4,
            pose: PoseParams::default(),
        }
    }
}

/// The playmat as found in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Playmat {
    /// Corners, px: near-left, near-right, far-right, far-left as the camera sees them; they may lie outside the
    /// picture. Where the lens bends straight lines these are the true (bent) places of the corners.
    pub corners: [Px; 4],
    /// Radial distortion estimated from the bend of the edges, of radii in half widths; 0 when the edges look straight.
    pub k1: f64,
    /// Share of the playmat's area inside the picture, 0 to 1.
    pub visible: f64,
    /// Root mean square distance of the edge points used to the fitted edges, px.
    pub residual_px: f64,
    /// How sure it is that this is the playmat and that its outline is right, 0 to 1.
    pub confidence: f64,
    /// Points seen on each edge, px: near, right, far, left; empty where an edge is outside the picture.
    pub edges: [Vec<Px>; 4],
    /// Points of the felt at the picture's border, where it is cut, px.
    pub cut: Vec<Px>,
    /// The felt's colour.
    pub felt: Felt,
    /// Where bare felt is seen (255), at a small scale; see [`Playmat::mask_scale`].
    pub mask: GrayImage,
    /// Pixels of the picture that one pixel of `mask` stands for, across and down.
    pub mask_scale: [f64; 2],
}

/// The colour of the felt, CIE Lab (D65): L 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Felt {
    /// Mean colour of the bare felt.
    pub mean: [f32; 3],
    /// Standard deviation of each component over the bare felt, shadows and slow changes of light included.
    pub spread: [f32; 3],
}

/// Why no playmat was found.
#[derive(Debug, thiserror::Error)]
pub enum PlaymatError {
    /// Nothing in the picture looks like a sheet of felt.
    #[error(
        "no playmat found: the largest even-coloured quadrilateral covers {largest_share:.0} % of the picture, {needed_share:.0} % is needed"
    )]
    NotFound {
        /// Percent of the picture.
        largest_share: f64,
        /// Percent of the picture.
        needed_share: f64,
    },
    /// OpenCV refused the picture.
    #[error("the picture could not be made small: {0}")]
    OpenCv(#[from] opencv::Error),
}

/// A quadrilateral with the camera that explains it.
struct Hypothesis {
    fit: Fit,
    camera: Camera,
    seen: [EdgeSeen; 4],
    present: [bool; 4],
    cut: Vec<Px>,
    residual_px: f64,
    score: f64,
}

/// The playmat of `picture`: its felt is segmented, whatever its colour, and four edges are fitted to the segment.
pub fn find(picture: &RgbImage, params: &PlaymatParams) -> Result<Playmat, PlaymatError> {
    let small = Small::new(picture, params.small_pixels)?;
    let steps = segment::Steps::new(&small, params.lightness);
    let least = (params.least_share * (small.width * small.height) as f64) as usize;
    let mut largest = 0;
    let mut found: Vec<(Quad, usize)> = Vec::new();
    let mut regions: Vec<Region> = Vec::new();
    for &coarseness in &params.coarseness {
        let labels = steps.segments(coarseness);
        for label in large_labels(&labels, least) {
            let Some(region) = outline::region(&small, &labels, label)? else { continue };
            if region.area < least {
                continue;
            }
            for quad in outline::quads(&small, &region, 3) {
                largest = largest.max(region.area);
                if !found.iter().any(|(other, _)| other.score >= quad.score && outline::same(other, &quad)) {
                    found.push((quad, regions.len()));
                }
            }
            regions.push(region);
        }
    }
    found.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
    found.truncate(params.hypotheses);

    let mut best: Option<Hypothesis> = None;
    for (quad, region) in &found {
        if let Some(hypothesis) = explain(picture, &small, quad, &regions[*region], params)
            && best.as_ref().is_none_or(|b| hypothesis.score > b.score)
        {
            best = Some(hypothesis);
        }
    }
    let Some(best) = best else {
        let percent = |area: usize| 100.0 * area as f64 / (small.width * small.height) as f64;
        return Err(PlaymatError::NotFound { largest_share: percent(largest), needed_share: percent(least) });
    };
    Ok(finish(picture, &small, best))
}

/// The labels of at least `least` pixels.
fn large_labels(labels: &[u32], least: usize) -> Vec<u32> {
    let mut counts = vec![0usize; labels.len()];
    labels.iter().for_each(|&l| counts[l as usize] += 1);
    (0..labels.len()).filter(|&l| counts[l] >= least.max(1)).map(|l| l as u32).collect()
}

/// `quad` as an A4 sheet, fitted to the picture; `None` when it cannot be one.
fn explain(picture: &RgbImage, small: &Small, quad: &Quad, region: &Region, params: &PlaymatParams) -> Option<Hypothesis> {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let per_small = (small.scale[0] + small.scale[1]) / 2.0;
    let worth = params.pose.points_per_edge;
    let full = |p: [f64; 2]| small.full_from_small(p[0], p[1]);
    let cut: Vec<Px> = region.cut.iter().map(|&p| full(p)).collect();

    // First to the segment's outline, in small pixels' precision.
    let mut problem = Problem::new(width, height, None, &params.pose);
    problem.sigma_px = 0.6 * per_small;
    let far = quad.edges[2].as_ref()?;
    let ends = [quad.edges[3].as_ref(), quad.edges[1].as_ref()].map(|side| side.and_then(|side| far.meet(side)));
    let on = |edge: usize| -> Vec<&OutlinePoint> {
        quad.edges[edge].iter().flat_map(|line| region.outline.iter().filter(|p| outline::on_line(line, p))).collect()
    };
    for edge in 0..4 {
        let points = on(edge);
        if quad.edges[edge].is_some() {
            problem.add(points.iter().map(|p| full(p.at)), Claim::On(edge), worth);
        } else {
            problem.add(cut.iter().copied(), Claim::Inside(edge), worth);
        }
    }
    // A corner outside the picture: the far edge's outermost point stands in for it.
    let extreme = |right: bool| {
        let key = |p: &&OutlinePoint| if right { p.at[0] } else { -p.at[0] };
        on(2).into_iter().max_by(|a, b| key(a).total_cmp(&key(b))).map(|p| p.at)
    };
    let left = ends[0].or_else(|| extreme(false)).map(full)?;
    let right = ends[1].or_else(|| extreme(true)).map(full)?;
    let [mut fit, _] = both_ways(&problem, left, right);

    // Then to the outline near the predicted edges: the bend of the lens is known by now.
    problem.clear();
    let mut present = quad.edges.map(|e| e.is_some());
    for edge in 0..4 {
        let near: Vec<Px> = region
            .outline
            .iter()
            .map(|p| full(p.at))
            .filter(|&p| problem.distance(&fit, edge, p).abs() < 2.5 * per_small)
            .collect();
        if present[edge] {
            problem.add(near.into_iter(), Claim::On(edge), worth);
        } else {
            problem.add(cut.iter().copied(), Claim::Inside(edge), worth);
        }
    }
    fit = problem.solve(fit.state, fit.size_mm, 12);

    // Then to the edges of the whole picture, in ever narrower bands.
    let mut seen = Default::default();
    for radius in [3.0 * per_small, 1.5 * per_small, 4.0] {
        seen = edges::find(picture, &problem.camera(&fit), radius.max(4.0));
        problem.clear();
        problem.sigma_px = params.pose.edge_sigma_px;
        for edge in 0..4 {
            if present[edge] {
                problem.add(seen[edge].points.iter().map(|p| p.at), Claim::On(edge), worth);
            } else {
                problem.add(cut.iter().copied(), Claim::Inside(edge), worth);
            }
        }
        fit = problem.solve(fit.state, fit.size_mm, 12);
    }
    let camera = problem.camera(&fit);
    let (mut support, mut tried, mut squares, mut near) = (0.0, 0.0, 0.0, 0.0);
    for edge in 0..4 {
        if !present[edge] {
            continue;
        }
        tried += seen[edge].tried as f64;
        for point in &seen[edge].points {
            let distance = problem.distance(&fit, edge, point.at);
            if distance.abs() < 1.5 {
                support += 1.0;
                squares += distance * distance;
                near += 1.0;
            }
        }
        // An edge with nothing on it is not there.
        if seen[edge].points.is_empty() {
            present[edge] = false;
        }
    }
    let share = if tried > 0.0 { support / tried } else { 0.0 };
    let residual_px = if near > 0.0 { f64::sqrt(squares / near) } else { f64::INFINITY };
    let score = quad.score * share - 0.01 * fit.cost;
    Some(Hypothesis { fit, camera, seen, present, cut, residual_px, score })
}

/// The hypothesis as the stage's result.
fn finish(picture: &RgbImage, small: &Small, best: Hypothesis) -> Playmat {
    let _ = picture;
    let corners = best.camera.playmat_corners().map(|c| best.camera.px_clamped(c.at_height(0.0)));
    let edges =
        [0, 1, 2, 3].map(|i| if best.present[i] { best.seen[i].points.iter().map(|p| p.at).collect() } else { Vec::new() });
    let _ = best.fit;
    Playmat {
        corners,
        k1: best.camera.k1,
        visible: 1.0,
        residual_px: best.residual_px,
        confidence: best.score.clamp(0.0, 1.0),
        edges,
        cut: best.cut,
        felt: Felt::default(),
        mask: GrayImage::new(small.width as u32, small.height as u32),
        mask_scale: small.scale,
    }
}
