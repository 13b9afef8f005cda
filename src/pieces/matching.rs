//! How well a meeple at a given place explains the edges of the picture.

use super::{
    canonical::Canonical,
    edges::{EdgeMaps, direction_of},
    solid::{FrontFace, INSIDE_MM, PARTS, Segment, outline_segments},
};
use crate::{
    geometry::{Px, WorldPoint},
    pose::Camera,
};

/// Share of the outline that must lie inside the picture.
const LEAST_IN_FRAME: f32 = 0.8;

/// The front outline of a meeple at one place and yaw, as canonical pixels about its foot point.
pub(crate) struct Template {
    points: Vec<(f32, f32, u8, u8)>,
    inside: Vec<(f32, f32)>,
}

/// Holds the known solid against the edges.
pub(crate) struct Matcher<'a> {
    pub camera: &'a Camera,
    pub canonical: &'a Canonical,
    edges: &'a EdgeMaps,
    outline: Vec<Segment>,
    /// How much edges inside the outline take off the score.
    inside_penalty: f32,
    /// Size of the meeples: 1 for the regular 16 mm.
    pub size: f64,
}

impl<'a> Matcher<'a> {
    pub fn new(camera: &'a Camera, canonical: &'a Canonical, edges: &'a EdgeMaps, step_mm: f64, inside_penalty: f32) -> Self {
        Self { camera, canonical, edges, outline: outline_segments(step_mm), inside_penalty, size: 1.0 }
    }

    /// The front face of a meeple at `foot`, in picture px.
    pub fn face(&self, foot: WorldPoint, yaw: f64) -> Option<FrontFace> {
        FrontFace::new(self.camera, foot, yaw, self.size)
    }

    /// The template of `face`.
    pub fn template(&self, face: &FrontFace) -> Template {
        let s = self.canonical.scale;
        let (ax, ay) = (face.across.0 * s, face.across.1 * s);
        let (ux, uy) = (face.up.0 * s, face.up.1 * s);
        let place = |u: f64, v: f64| ((u * ax + v * ux) as f32, (u * ay + v * uy) as f32);
        let mut points = Vec::with_capacity(100);
        for segment in &self.outline {
            let (du, dv) = segment.direction;
            let direction = direction_of(du * ax + dv * ux, du * ay + dv * uy) as u8;
            points.extend(segment.points.iter().map(|&(u, v, part)| {
                let (x, y) = place(u, v);
                (x, y, direction, part as u8)
            }));
        }
        Template { points, inside: INSIDE_MM.iter().map(|&(u, v)| place(u, v)).collect() }
    }

    /// How well `template` fits with its foot at `foot` (picture px): up to 1 when every part of the outline lies on
    /// edges of the right direction and none lie inside; `None` where too much is outside the picture.
    pub fn score_at(&self, template: &Template, foot: Px) -> Option<f64> {
        let p = self.canonical.canonical_from_px(foot);
        let (x0, y0) = (p.x as f32, p.y as f32);
        let mut sums = [0f32; PARTS];
        let mut counts = [0f32; PARTS];
        for &(dx, dy, direction, part) in &template.points {
            if let Some(weight) = self.edges.along(direction as usize, x0 + dx, y0 + dy) {
                sums[part as usize] += weight;
                counts[part as usize] += 1.0;
            }
        }
        let counted: f32 = counts.iter().sum();
        if counted < LEAST_IN_FRAME * template.points.len() as f32 {
            return None;
        }
        let inside: f32 = template.inside.iter().map(|&(dx, dy)| self.edges.any(x0 + dx, y0 + dy)).sum();
        let mean = sums.iter().sum::<f32>() / counted;
        Some(f64::from(mean - self.inside_penalty * inside / template.inside.len() as f32))
    }

    /// The score of a meeple whose feet's middle is at `foot`, turned by `yaw`.
    pub fn score(&self, foot: WorldPoint, yaw: f64) -> Option<f64> {
        let face = self.face(foot, yaw)?;
        self.score_at(&self.template(&face), face.foot)
    }
}
