//! The meeple as a solid: an outline extruded to its thickness, and where it is seen in the picture.

use super::Candidate;
use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM, MEEPLE_WIDTH_MM},
    geometry::{Px, WorldPoint},
    pose::Camera,
};

/// A part of the outline. Matching asks for each part, since a pattern on the table rarely offers all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Head,
    LeftArm,
    RightArm,
    LeftLeg,
    RightLeg,
    Crotch,
    Feet,
}

/// Number of [`Part`]s.
pub(crate) const PARTS: usize = 7;

/// Right half of the front outline, (across, up) in mm from the middle of the feet, from the crotch round to the
/// crown; drawn after regular meeples of several makers, 16 × 16 mm.
const HALF_OUTLINE_MM: [(f64, f64, Part); 17] = [
    (0.0, 3.9, Part::Crotch),
    (1.2, 2.2, Part::Crotch),
    (2.5, 0.1, Part::Crotch),
    (2.7, 0.0, Part::Feet),
    (6.4, 0.0, Part::Feet),
    (6.8, 0.5, Part::RightLeg),
    (5.6, 3.0, Part::RightLeg),
    (4.3, 5.6, Part::RightLeg),
    (5.6, 6.2, Part::RightArm),
    (7.3, 6.9, Part::RightArm),
    (8.0, 8.0, Part::RightArm),
    (7.3, 9.3, Part::RightArm),
    (5.0, 10.2, Part::RightArm),
    (2.6, 10.8, Part::Head),
    (3.0, 12.9, Part::Head),
    (2.1, 15.1, Part::Head),
    (0.0, 16.0, Part::Head),
];

/// Places well inside every maker's outline, (across, up) in mm: body, head, arms, legs.
pub(crate) const INSIDE_MM: [(f64, f64); 22] = [
    (-2.0, 5.5),
    (0.0, 5.5),
    (2.0, 5.5),
    (-2.0, 7.0),
    (0.0, 7.0),
    (2.0, 7.0),
    (-2.0, 8.5),
    (0.0, 8.5),
    (2.0, 8.5),
    (-6.0, 8.2),
    (-4.5, 8.2),
    (4.5, 8.2),
    (6.0, 8.2),
    (0.0, 11.0),
    (-1.0, 12.5),
    (1.0, 12.5),
    (0.0, 13.0),
    (0.0, 14.0),
    (-4.5, 1.8),
    (4.5, 1.8),
    (-3.6, 3.6),
    (3.6, 3.6),
];

/// A straight piece of the front outline, with sample points along it.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Direction (unit vector), across and up.
    pub direction: (f64, f64),
    /// Sample points, (across, up) in mm, each with the part it belongs to.
    pub points: Vec<(f64, f64, Part)>,
}

/// The closed front outline, (across, up) in mm, counter-clockwise from the crotch.
pub(crate) fn outline_mm() -> Vec<(f64, f64, Part)> {
    let mirrored = |part| match part {
        Part::RightArm => Part::LeftArm,
        Part::RightLeg => Part::LeftLeg,
        other => other,
    };
    let inner = &HALF_OUTLINE_MM[1..HALF_OUTLINE_MM.len() - 1];
    let left = inner.iter().rev().map(|&(u, v, part)| (-u, v, mirrored(part)));
    HALF_OUTLINE_MM.iter().copied().chain(left).collect()
}

/// The front outline as segments with a sample point about every `step_mm`.
pub(crate) fn outline_segments(step_mm: f64) -> Vec<Segment> {
    let corners = outline_mm();
    let next = corners.iter().cycle().skip(1);
    corners
        .iter()
        .zip(next)
        .map(|(&(u0, v0, part0), &(u1, v1, part1))| {
            let (du, dv) = (u1 - u0, v1 - v0);
            let length = du.hypot(dv);
            let n = (length / step_mm).round().max(1.0) as usize;
            let points = (0..n)
                .map(|k| {
                    let t = (k as f64 + 0.5) / n as f64;
                    (u0 + t * du, v0 + t * dv, if t < 0.5 { part0 } else { part1 })
                })
                .collect();
            Segment { direction: (du / length, dv / length), points }
        })
        .collect()
}

/// Whether (`u`, `v`) mm lies inside the front outline (even-odd rule).
pub(crate) fn inside_outline(u: f64, v: f64, outline: &[(f64, f64, Part)]) -> bool {
    let mut inside = false;
    let previous = outline.iter().cycle().skip(outline.len().saturating_sub(1));
    for (&(xi, yi, _), &(xj, yj, _)) in outline.iter().zip(previous) {
        if (yi > v) != (yj > v) && u < (xj - xi) * (v - yi) / (yj - yi) + xi {
            inside = !inside;
        }
    }
    inside
}

/// Middle of the front edge of the feet of a meeple at `foot`.
pub(crate) fn front_edge(foot: WorldPoint, yaw: f64, size: f64) -> WorldPoint {
    let (sin, cos) = yaw.sin_cos();
    let out = MEEPLE_THICKNESS_MM * size / 2.0;
    WorldPoint::new(foot.x + out * sin, foot.y - out * cos, foot.z)
}

/// The outline as the camera sees it is this much larger than drawn: blur and rounded edges push it outwards.
pub(crate) const OUTLINE_SCALE: f64 = 1.035;

/// The front face of a meeple as an affine patch of the picture: foot point, and the steps of 1 mm of the outline
/// across and up. Perspective bends one meeple by less than the sampling step, so affine is enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrontFace {
    /// Middle of the front edge of the feet.
    pub foot: Px,
    /// Px for 1 mm of the outline to the meeple's left as it is seen (x), (y).
    pub across: (f64, f64),
    /// Px for 1 mm of the outline upwards.
    pub up: (f64, f64),
}

impl FrontFace {
    /// The front face of a meeple `size` times as large as the regular one whose feet's middle is at `foot` and
    /// which is turned by `yaw` radians (0: faces the playmat's near edge); `None` behind the camera.
    pub fn new(camera: &Camera, foot: WorldPoint, yaw: f64, size: f64) -> Option<Self> {
        let (sin, cos) = yaw.sin_cos();
        let half = MEEPLE_WIDTH_MM * size / 2.0;
        let height = MEEPLE_HEIGHT_MM * size;
        let front = front_edge(foot, yaw, size);
        let p = camera.px_from_world(front)?;
        let r = camera.px_from_world(WorldPoint::new(front.x + half * cos, front.y + half * sin, front.z))?;
        let l = camera.px_from_world(WorldPoint::new(front.x - half * cos, front.y - half * sin, front.z))?;
        let h = camera.px_from_world(WorldPoint::new(front.x, front.y, front.z + height))?;
        Some(Self {
            foot: p,
            across: (OUTLINE_SCALE * (r.x - l.x) / MEEPLE_WIDTH_MM, OUTLINE_SCALE * (r.y - l.y) / MEEPLE_WIDTH_MM),
            up: (OUTLINE_SCALE * (h.x - p.x) / MEEPLE_HEIGHT_MM, OUTLINE_SCALE * (h.y - p.y) / MEEPLE_HEIGHT_MM),
        })
    }

    /// The front face of `c`, one of meeples `size` times as large as the regular one; `None` behind the camera.
    pub fn of(camera: &Camera, c: &Candidate, size: f64) -> Option<Self> {
        Self::new(camera, c.foot, c.yaw, size)
    }

    /// Where the point (`u` across, `v` up), mm of the outline, is seen.
    pub fn at(&self, u: f64, v: f64) -> Px {
        Px::new(self.foot.x + u * self.across.0 + v * self.up.0, self.foot.y + u * self.across.1 + v * self.up.1)
    }

    /// The middle of the outline in the picture.
    pub fn middle(&self) -> Px {
        self.at(0.0, MEEPLE_HEIGHT_MM / 2.0)
    }

    /// The point of the outline's plane, (across, up) mm, that is seen at `px`; `None` for a face seen edge-on.
    pub fn outline_from_px(&self, px: Px) -> Option<(f64, f64)> {
        let det = self.across.0 * self.up.1 - self.across.1 * self.up.0;
        let (dx, dy) = (px.x - self.foot.x, px.y - self.foot.y);
        (det.abs() > 1e-9).then(|| ((dx * self.up.1 - dy * self.up.0) / det, (self.across.0 * dy - self.across.1 * dx) / det))
    }

    /// Height of the meeple in the picture, px.
    pub fn height_px(&self) -> f64 {
        self.up.0.hypot(self.up.1) * MEEPLE_HEIGHT_MM
    }
}
