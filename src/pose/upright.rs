//! The camera from upright meeples alone, where no playmat's edges fix it: they are plumb, and all equally tall.

use super::{
    Candidate, PoseParams,
    fit::{CENTRE, DEPTH, ELEVATION, FOCAL, Fit, Problem, ROLL, State},
};
use crate::{
    game::MEEPLE_HEIGHT_MM,
    geometry::{Px, median},
    pose::Camera,
};

/// The plane on which the meeples stand reaches this far to each side, mm: farther than a picture that shows them well.
const REACH_MM: f64 = 600.0;

/// Meeples' directions are believed over the expectation that the camera is level once there are this many.
const LEVEL_WORTH: f64 = 2.0;

/// An upright meeple in the picture: the middle of its feet's underside and of its head's top, px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Upright {
    pub base: Px,
    pub head: Px,
}

impl Upright {
    fn height_px(&self) -> f64 {
        self.base.distance(self.head)
    }

    fn angle(&self) -> f64 {
        (self.head.y - self.base.y).atan2(self.head.x - self.base.x)
    }
}

/// The camera that looks down by `elevation` degrees and sees `all` upright and `lowest`, those that stand on the felt, as
/// tall as meeples are. The world's origin is under the one of `lowest` nearest to the middle of `all`; `None` without any.
///
/// The focal length is `exif_focal_px` where the file has one, else that of a usual camera.
pub(crate) fn from_upright(
    all: &[Upright],
    lowest: &[Upright],
    elevation: f64,
    [width, height]: [u32; 2],
    exif_focal_px: Option<f64>,
    params: &PoseParams,
) -> Option<Candidate> {
    let problem = Problem::new(f64::from(width), f64::from(height), exif_focal_px, params);
    let count = all.len().max(1) as f64;
    let middle = Px::new(all.iter().map(|u| u.base.x).sum::<f64>() / count, all.iter().map(|u| u.base.y).sum::<f64>() / count);
    let origin = lowest.iter().min_by(|a, b| a.base.distance(middle).total_cmp(&b.base.distance(middle)))?.base;
    let half = f64::from(width) / 2.0;
    let mut state = State::zeros();
    state[ELEVATION] = elevation.to_radians();
    state[CENTRE] = (origin.x - half) / half;
    state[CENTRE + 1] = (origin.y - f64::from(height) / 2.0) / half;
    state[DEPTH] = params.distance_mm.ln();
    state[FOCAL] = problem.expected(FOCAL)?;
    let fit = |state: State| Fit { state, size_mm: [REACH_MM, REACH_MM], cost: 0.0 };
    let square = problem.camera(&fit(state));
    let off_plumb = median(all.iter().filter_map(|u| {
        let turn = u.angle() - expected(&square, u.base)?.angle();
        Some(turn.sin().atan2(turn.cos()))
    }))?;
    state[ROLL] = off_plumb * count / (count + LEVEL_WORTH);
    // All distances grow together, so that one step is exact.
    let level = problem.camera(&fit(state));
    let seen = median(lowest.iter().filter_map(|u| Some(u.height_px() / expected(&level, u.base)?.height_px())))?;
    state[DEPTH] -= seen.max(1e-6).ln();
    let fit = fit(state);
    Some(Candidate { camera: problem.camera(&fit), cost: problem.strangeness(&fit), residual_px: 0.0 })
}

/// A meeple that `camera` sees standing on the felt at `base`.
fn expected(camera: &Camera, base: Px) -> Option<Upright> {
    let foot = camera.playmat_from_px(base)?;
    Some(Upright { base, head: camera.px_from_world(foot.at_height(MEEPLE_HEIGHT_MM))? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{geometry::WorldPoint, pose::tests};

    #[test]
    fn a_camera_is_found_again_from_what_it_sees_of_upright_meeples() {
        let true_camera = tests::camera(24.0, 0.0, 3.0, 55.0, 300.0, 0.0, [297.0, 210.0]);
        let upright = |x: f64, y: f64, z: f64| Upright {
            base: true_camera.px_from_world(WorldPoint::new(x, y, z)).unwrap(),
            head: true_camera.px_from_world(WorldPoint::new(x, y, z + MEEPLE_HEIGHT_MM)).unwrap(),
        };
        let lowest = [upright(-16.0, 0.0, 0.0), upright(0.0, 0.0, 0.0), upright(16.0, 0.0, 0.0), upright(40.0, 50.0, 0.0)];
        let all: Vec<Upright> = lowest.into_iter().chain([upright(-8.0, 0.0, 16.0), upright(8.0, 0.0, 16.0)]).collect();
        let params = PoseParams::default();
        let size = [true_camera.width as u32, true_camera.height as u32];
        let found = from_upright(&all, &lowest, 24.0, size, Some(true_camera.focal_px), &params).unwrap().camera;
        assert!((found.elevation_degrees() - true_camera.elevation_degrees()).abs() < 1.5);
        let higher = found.px_from_world(WorldPoint::new(8.0, 0.0, 16.0)).unwrap();
        let seen = all[5].base;
        assert!(higher.distance(seen) < 0.25 * all[5].height_px(), "{higher:?} {seen:?}");
    }
}
