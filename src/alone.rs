//! Pieces alone: what stands where in a picture that does not show where the playmat ends, such as a close-up.
//!
//! Meeples are plumb and equally tall, which leaves open hardly more than how steeply the camera looks down. Each of a range
//! of angles gives every meeple a place; the one at which the picture supports the most pieces is taken. Such a reading is
//! never sure: nothing says that a piece stands on the playmat but the felt seen around it.

use crate::{
    capture::Picture,
    doubt,
    geometry::Px,
    layout::{self, Layout},
    params::Params,
    pieces::{self, Evidence, Peak, Pieces},
    playmat,
    pose::{self, Camera, Upright},
};

/// Camera heights above the horizon that are tried first, degrees.
const ELEVATIONS_DEGREES: [f64; 6] = [7.0, 13.0, 19.0, 26.0, 33.0, 42.0];
/// Then those so much lower and higher than the best, degrees.
const NEXT_DEGREES: f64 = 3.5;
/// A meeple counts where the network takes what it stands on for the playmat with at least this probability.
const ON_FELT: f64 = 0.5;
/// A reading of pieces alone is at most so sure, 0 to 1.
const MOST_CONFIDENCE: f64 = 0.5;

/// What stands where, as far as the pieces alone tell.
pub(crate) struct Alone {
    pub camera: Camera,
    pub pieces: Pieces,
    pub layout: Layout,
    /// How sure the score is, 0 to 1.
    pub confidence: f64,
    /// Camera height above the horizon for which it was found, degrees.
    elevation: f64,
    /// How convincing it is.
    rank: f64,
}

impl Alone {
    /// The more convincing of the two, of equals this one.
    fn or_better(self, other: Self) -> Self {
        if other.rank > self.rank { other } else { self }
    }
}

/// What the meeples that the network sees at `peaks` of `picture` build, if they stand on what looks like felt.
pub(crate) fn arrange(picture: &Picture, peaks: &[Peak], params: &Params) -> Option<Alone> {
    let rgb = &picture.rgb;
    let upright = |peak: &Peak| Upright { base: peak.base, head: peak.head };
    let all: Vec<Upright> = peaks.iter().map(upright).collect();
    let lowest: Vec<Upright> = pieces::lowest(peaks, &params.pieces).into_iter().map(upright).collect();
    let likely = playmat::likely(rgb).ok()?;
    let on_felt = |p: Px| likely.at_px(p, rgb.dimensions()) >= ON_FELT;
    let lowest: Vec<Upright> = lowest.into_iter().filter(|u| on_felt(u.base)).collect();
    let mut evidence: Option<Evidence> = None;
    let mut at = |elevation: f64, focal_px: Option<f64>| -> Option<Alone> {
        let size = [rgb.width(), rgb.height()];
        let pose = pose::from_upright(&all, &lowest, elevation, size, focal_px, &params.pose)?;
        if evidence.is_none() {
            evidence = pieces::see(rgb, &pose.camera, &params.pieces).ok();
        }
        let mut pieces = pieces::place(evidence.as_ref()?, &pose.camera, Some(1.0), &params.pieces);
        pieces.candidates.retain(|c| c.row > 1 || on_felt(pose.camera.px_clamped(c.foot)));
        let layout = layout::arrange(&pieces, &pose.camera, &params.layout);
        let hidden = doubt::hidden_feet(&pose.camera, pieces.size, &layout) as f64;
        let rank = layout.worth - params.pose.cost_worth * pose.cost - params.layout.hidden_feet * hidden;
        let confidence = doubt::all_counted(&layout).min(MOST_CONFIDENCE);
        Some(Alone { camera: pose.camera, pieces, layout, confidence, elevation, rank })
    };
    let exif = picture.exif_focal_px;
    let mut best = ELEVATIONS_DEGREES.into_iter().filter_map(|elevation| at(elevation, exif)).reduce(Alone::or_better)?;
    for elevation in [best.elevation - NEXT_DEGREES, best.elevation + NEXT_DEGREES] {
        best = at(elevation, exif).into_iter().fold(best, Alone::or_better);
    }
    let (elevation, focal_px) = (best.elevation, best.camera.focal_px);
    for factor in params.pose.focal_trials.into_iter().filter(|_| exif.is_none()) {
        best = at(elevation, Some(factor * focal_px)).into_iter().fold(best, Alone::or_better);
    }
    let standing: Vec<f64> = best.layout.standing.iter().filter(|s| s.pyramid.is_some()).map(|s| s.candidate.score).collect();
    let mean = standing.iter().sum::<f64>() / standing.len().max(1) as f64;
    (!standing.is_empty() && mean >= params.doubt.fit).then_some(best)
}
