//! The meeple as a solid: an outline extruded to its thickness, and where it is seen in the picture.

use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM},
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
/// crown; drawn after photographs of several makers' regular meeples, scaled to 16 × 16 mm.
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

/// A point of the outline with its normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlinePoint {
    /// Across, mm from the middle.
    pub u: f64,
    /// Up, mm from the feet.
    pub v: f64,
    /// Direction of the outline (unit vector), across.
    pub tu: f64,
    /// Direction of the outline (unit vector), up.
    pub tv: f64,
    /// Which part it belongs to.
    pub part: Part,
}

/// The closed front outline, mm, counter-clockwise from the crotch.
pub(crate) fn outline_mm() -> Vec<(f64, f64, Part)> {
    let mirrored = |p| match p {
        Part::RightArm => Part::LeftArm,
        Part::RightLeg => Part::LeftLeg,
        other => other,
    };
    let left = HALF_OUTLINE_MM.iter().rev().skip(1).take(HALF_OUTLINE_MM.len() - 2).map(|&(u, v, p)| (-u, v, mirrored(p)));
    HALF_OUTLINE_MM.iter().copied().chain(left).collect()
}

/// Points every `step_mm` along the front outline.
pub(crate) fn outline_points(step_mm: f64) -> Vec<OutlinePoint> {
    let corners = outline_mm();
    let mut points = Vec::new();
    for (i, &(u0, v0, p0)) in corners.iter().enumerate() {
        let (u1, v1, p1) = corners[(i + 1) % corners.len()];
        let length = (u1 - u0).hypot(v1 - v0);
        let (tu, tv) = ((u1 - u0) / length, (v1 - v0) / length);
        let n = (length / step_mm).round().max(1.0) as usize;
        for k in 0..n {
            let t = (k as f64 + 0.5) / n as f64;
            let part = if t < 0.5 { p0 } else { p1 };
            points.push(OutlinePoint { u: u0 + t * (u1 - u0), v: v0 + t * (v1 - v0), tu, tv, part });
        }
    }
    points
}

/// The front face of a meeple as a small affine picture patch: foot point, and the steps of 1 mm across and up.
/// Perspective inside one meeple is below the sampling step, so the patch is taken as affine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrontFace {
    pub foot: Px,
    pub across: (f64, f64),
    pub up: (f64, f64),
}

impl FrontFace {
    /// The front face of a meeple whose feet's middle is at `foot` and which is turned by `yaw` radians
    /// (0: faces the near edge); `None` behind the camera.
    pub fn new(camera: &Camera, foot: WorldPoint, yaw: f64) -> Option<Self> {
        let half = MEEPLE_THICKNESS_MM / 2.0;
        let (sin, cos) = yaw.sin_cos();
        // Facing direction is -y turned by yaw.
        let front = WorldPoint::new(foot.x + half * sin, foot.y - half * cos, foot.z);
        let p = camera.px_from_world(front)?;
        let r = camera.px_from_world(WorldPoint::new(front.x + 8.0 * cos, front.y + 8.0 * sin, front.z))?;
        let l = camera.px_from_world(WorldPoint::new(front.x - 8.0 * cos, front.y - 8.0 * sin, front.z))?;
        let h = camera.px_from_world(WorldPoint::new(front.x, front.y, front.z + MEEPLE_HEIGHT_MM))?;
        Some(Self {
            foot: p,
            across: ((r.x - l.x) / 16.0, (r.y - l.y) / 16.0),
            up: ((h.x - p.x) / MEEPLE_HEIGHT_MM, (h.y - p.y) / MEEPLE_HEIGHT_MM),
        })
    }

    /// Where the point (`u` across, `v` up), mm, of the face is seen.
    pub fn at(&self, u: f64, v: f64) -> Px {
        Px::new(
            self.foot.x + u * self.across.0 + v * self.up.0,
            self.foot.y + u * self.across.1 + v * self.up.1,
        )
    }
}
