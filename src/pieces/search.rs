//! Searches for standing meeples from the felt upwards: row 1 anywhere on the playmat, each further row on what stands below.
use crate::{geometry::*, pose::Camera};
use super::matching::*;

#[derive(Clone, Copy, Debug)]
pub struct Hypothesis {
    pub foot: WorldPoint,
    pub yaw: f64,
    pub row: usize,
    pub m: Match,
}

pub const ROW_MM: f64 = 16.0;

pub struct SearchParams { pub min_score: f64, pub grid: f64 }

fn refine(m: &Matcher, mut h: Hypothesis, keep_z: bool) -> Hypothesis {
    let _ = keep_z;
    let mut step = 1.6;
    let mut dyaw = 6f64.to_radians();
    for _ in 0..4 {
        for _ in 0..3 {
            let mut best = h;
            let (s, c) = h.yaw.sin_cos();
            for (du, dn, dy) in [(step, 0.0, 0.0), (-step, 0.0, 0.0), (0.0, step, 0.0), (0.0, -step, 0.0), (0.0, 0.0, dyaw), (0.0, 0.0, -dyaw)] {
                let foot = WorldPoint::new(h.foot.x + du * c - dn * s, h.foot.y + du * s + dn * c, h.foot.z);
                let yaw = h.yaw + dy;
                if yaw.abs() > 0.7 { continue; }
                if let Some(r) = m.score(foot, yaw) && r.score > best.m.score { best = Hypothesis { foot, yaw, row: h.row, m: r }; }
            }
            if best.m.score <= h.m.score { break; }
            h = best;
        }
        step *= 0.6;
        dyaw *= 0.6;
    }
    h
}

/// Local maxima on the felt.
pub fn row_one(m: &Matcher, camera: &Camera, p: &SearchParams) -> Vec<Hypothesis> {
    let [w, d] = camera.playmat_size_mm;
    let margin = 20.0;
    let (nx, ny) = (((w + 2.0 * margin) / p.grid) as usize, ((d + 2.0 * margin) / p.grid) as usize);
    let at = |i: usize, j: usize| WorldPoint::new(-w / 2.0 - margin + i as f64 * p.grid, -d / 2.0 - margin + j as f64 * p.grid, 0.0);
    let mut grid: Vec<Option<(f64, f64)>> = vec![None; nx * ny];
    for j in 0..ny { for i in 0..nx {
        let f = at(i, j);
        for yaw in [-0.42f64, -0.21, 0.0, 0.21, 0.42] {
            if let Some(r) = m.score(f, yaw) && grid[j * nx + i].is_none_or(|(s, _)| r.score > s) { grid[j * nx + i] = Some((r.score, yaw)); }
        }
    }}
    let mut out: Vec<Hypothesis> = Vec::new();
    for j in 0..ny { for i in 0..nx {
        let Some((s, yaw)) = grid[j * nx + i] else { continue };
        if s < p.min_score - 0.15 { continue; }
        let mut is_max = true;
        for jj in j.saturating_sub(1)..(j + 2).min(ny) { for ii in i.saturating_sub(1)..(i + 2).min(nx) {
            if let Some((t, _)) = grid[jj * nx + ii] && t > s { is_max = false; }
        }}
        if !is_max { continue; }
        let Some(r) = m.score(at(i, j), yaw) else { continue };
        let h = refine(m, Hypothesis { foot: at(i, j), yaw, row: 1, m: r }, true);
        if h.m.score >= p.min_score { out.push(h); }
    }}
    dedupe(out)
}

/// Same row, nearly the same place: keep the better.
fn dedupe(mut v: Vec<Hypothesis>) -> Vec<Hypothesis> {
    v.sort_by(|a, b| b.m.score.total_cmp(&a.m.score));
    let mut out: Vec<Hypothesis> = Vec::new();
    for h in v {
        if out.iter().all(|o| o.row != h.row || !collide(o, &h)) { out.push(h); }
    }
    out
}

/// Two meeples of one row that would occupy the same space.
pub fn collide(a: &Hypothesis, b: &Hypothesis) -> bool {
    let (s, c) = a.yaw.sin_cos();
    let (dx, dy) = (b.foot.x - a.foot.x, b.foot.y - a.foot.y);
    let (u, n) = (dx * c + dy * s, -dx * s + dy * c);
    u.abs() < 12.5 && n.abs() < 8.0
}

/// What could stand on `below`.
pub fn row_above(m: &Matcher, below: &[Hypothesis], p: &SearchParams) -> Vec<Hypothesis> {
    let mut out = Vec::new();
    for b in below {
        let (s, c) = b.yaw.sin_cos();
        let z = b.foot.z + ROW_MM;
        let mut line: Vec<(f64, Hypothesis)> = Vec::new();
        for k in -6..=6 {
            let du = k as f64 * 2.0;
            let mut best: Option<Hypothesis> = None;
            for dn in [-3.0, 0.0, 3.0] {
                for dy in [-0.16, 0.0, 0.16] {
                    let foot = WorldPoint::new(b.foot.x + du * c - dn * s, b.foot.y + du * s + dn * c, z);
                    if let Some(r) = m.score(foot, b.yaw + dy) && best.is_none_or(|x| r.score > x.m.score) {
                        best = Some(Hypothesis { foot, yaw: b.yaw + dy, row: b.row + 1, m: r });
                    }
                }
            }
            if let Some(h) = best { line.push((h.m.score, h)); }
        }
        for i in 0..line.len() {
            let s0 = line[i].0;
            if (i > 0 && line[i - 1].0 > s0) || (i + 1 < line.len() && line[i + 1].0 > s0) || s0 < p.min_score - 0.1 { continue; }
            let h = refine(m, line[i].1, true);
            if h.m.score >= p.min_score { out.push(h); }
        }
    }
    dedupe(out)
}

/// Whether `h` can stand on the pieces of `below`: its feet rest on one head or bridge two.
pub fn supported(h: &Hypothesis, below: &[Hypothesis]) -> bool {
    let (s, c) = h.yaw.sin_cos();
    let near: Vec<f64> = below.iter().filter_map(|b| {
        let (dx, dy) = (b.foot.x - h.foot.x, b.foot.y - h.foot.y);
        let (u, n) = (dx * c + dy * s, -dx * s + dy * c);
        (n.abs() < 7.0 && u.abs() < 13.0).then_some(u)
    }).collect();
    near.iter().any(|u| u.abs() < 4.0) || (near.iter().any(|&u| u < 0.0) && near.iter().any(|&u| u > 0.0))
}

pub fn find(m: &Matcher, camera: &Camera, p: &SearchParams) -> Vec<Hypothesis> {
    let mut row = row_one(m, camera, p);
    let mut all = row.clone();
    for _ in 0..13 {
        let above = row_above(m, &row, p);
        let above: Vec<_> = above.into_iter().filter(|h| supported(h, &row)).collect();
        if above.is_empty() { break; }
        all.extend(above.iter().copied());
        row = above;
    }
    all
}
