//! How well a meeple standing at a given place explains the edges of the picture.
use crate::{geometry::WorldPoint, pose::Camera};
use super::{edges::{Canonical, DIRECTIONS, EdgeMaps}, solid::{FrontFace, OutlinePoint, PARTS, outline_points}};

pub struct Matcher<'a> {
    pub camera: &'a Camera,
    pub(crate) canonical: &'a Canonical,
    pub(crate) edges: &'a EdgeMaps,
    points: Vec<OutlinePoint>,
    inside: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Match {
    pub score: f64,
    pub parts: [f64; PARTS],
    pub inside: f64,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(camera: &'a Camera, canonical: &'a Canonical, edges: &'a EdgeMaps) -> Self {
        let mut inside = vec![];
        for v in [5.5, 7.0, 8.5] { for u in [-2.0, 0.0, 2.0] { inside.push((u, v)); } }
        for u in [-6.0, -4.5, 4.5, 6.0] { inside.push((u, 8.2)); }
        for (u, v) in [(0.0, 13.0), (-1.0, 12.5), (1.0, 12.5), (0.0, 14.0), (0.0, 11.0), (-4.5, 1.8), (4.5, 1.8), (-3.6, 3.6), (3.6, 3.6)] { inside.push((u, v)); }
        Self { camera, canonical, edges, points: outline_points(0.8), inside }
    }

    pub fn score(&self, foot: WorldPoint, yaw: f64) -> Option<Match> {
        let face = FrontFace::new(self.camera, foot, yaw)?;
        let s = self.canonical.scale;
        let o = self.canonical.canonical_from_px(face.foot);
        let (ax, ay) = (face.across.0 * s, face.across.1 * s);
        let (ux, uy) = (face.up.0 * s, face.up.1 * s);
        let mut sum = [0f64; PARTS];
        let mut n = [0f64; PARTS];
        for p in &self.points {
            let x = o.x + p.u * ax + p.v * ux;
            let y = o.y + p.u * ay + p.v * uy;
            let (tx, ty) = (p.tu * ax + p.tv * ux, p.tu * ay + p.tv * uy);
            let a = ty.atan2(tx).rem_euclid(std::f64::consts::PI);
            let d = (a / std::f64::consts::PI * DIRECTIONS as f64 + 0.5) as usize % DIRECTIONS;
            if let Some(v) = self.edges.at(d, x, y) {
                sum[p.part as usize] += v as f64 / 255.0;
                n[p.part as usize] += 1.0;
            }
        }
        let total: f64 = n.iter().sum();
        if total < 0.8 * self.points.len() as f64 { return None; }
        let mut parts = [0f64; PARTS];
        for i in 0..PARTS { parts[i] = sum[i] / n[i].max(1.0); }
        let mut inside = 0.0;
        for &(u, v) in &self.inside {
            inside += self.edges.strength_at(o.x + u * ax + v * ux, o.y + u * ay + v * uy).unwrap_or(0) as f64 / 255.0;
        }
        inside /= self.inside.len() as f64;
        let mean = sum.iter().sum::<f64>() / total;
        Some(Match { score: mean - 0.35 * inside, parts, inside })
    }
}
