//! Where the fit starts: the camera that three straight edges and a focal length fix.
//!
//! Each line in the picture is a plane through the camera, given here by its normal.

use nalgebra::{Matrix3, Vector3};

use super::fit::{State, rotation};

/// A start from the planes of both sides and of the far edge.
pub(super) fn from_sides(
    left: Vector3<f64>,
    right: Vector3<f64>,
    far: Vector3<f64>,
    size_mm: [f64; 2],
    focal: f64,
) -> Option<State> {
    let away = facing(left.cross(&right), |v| v.z)?;
    let across = facing(far.cross(&away), |v| v.x)?;
    let [from, to] = corners_apart(far.cross(&left), far.cross(&right), far, across, size_mm[0])?;
    state_from(across, away, (from + to) / 2.0 - away * (size_mm[1] / 2.0), focal)
}

/// A start from the planes of the near and the far edge and of one side: the right one if `sign` is 1, the left if -1.
pub(super) fn from_side(
    near: Vector3<f64>,
    far: Vector3<f64>,
    side: Vector3<f64>,
    sign: f64,
    size_mm: [f64; 2],
    focal: f64,
) -> Option<State> {
    let across = facing(near.cross(&far), |v| v.x)?;
    let away = facing(side.cross(&across), |v| v.z)?;
    let [from, to] = corners_apart(side.cross(&near), side.cross(&far), side, away, size_mm[1])?;
    state_from(across, away, (from + to) / 2.0 - across * (sign * size_mm[0] / 2.0), focal)
}

/// `v` of length 1, turned so that `part` of it is positive.
fn facing(v: Vector3<f64>, part: fn(&Vector3<f64>) -> f64) -> Option<Vector3<f64>> {
    let unit = v.try_normalize(1e-12)?;
    Some(if part(&unit) < 0.0 { -unit } else { unit })
}

/// The points on the rays `from` and `to`, both in the plane with this `normal`, whose difference is `length` along `axis`.
fn corners_apart(
    from: Vector3<f64>,
    to: Vector3<f64>,
    normal: Vector3<f64>,
    axis: Vector3<f64>,
    length: f64,
) -> Option<[Vector3<f64>; 2]> {
    let (from, to) = (facing(from, |v| v.z)?, facing(to, |v| v.z)?);
    let square = normal.cross(&axis);
    // b·to − a·from = length·axis, along the axis and square to it.
    let (f, t) = (from.dot(&square), to.dot(&square));
    let det = to.dot(&axis) * f - from.dot(&axis) * t;
    let (a, b) = (length * t / det, length * f / det);
    (a.is_finite() && b.is_finite() && a > 0.0 && b > 0.0).then(|| [from * a, to * b])
}

/// The state of a playmat with these axes (camera frame) and centre.
fn state_from(across: Vector3<f64>, away: Vector3<f64>, centre: Vector3<f64>, focal: f64) -> Option<State> {
    let turned = Matrix3::from_columns(&[across, away, across.cross(&away)]);
    let elevation = (-turned[(2, 2)]).clamp(-1.0, 1.0).asin();
    let azimuth = turned[(2, 0)].atan2(turned[(2, 1)]);
    let rolled = turned * rotation(elevation, azimuth, 0.0).transpose();
    let roll = rolled[(1, 0)].atan2(rolled[(0, 0)]);
    // The middle of a sheet that reaches under the camera may lie behind it; then it is not a start.
    (centre.z > 5.0).then(|| {
        let (x, y) = (focal * centre.x / centre.z, focal * centre.y / centre.z);
        State::from([elevation, azimuth, roll, x, y, centre.z.ln(), focal.ln(), 0.0])
    })
}
