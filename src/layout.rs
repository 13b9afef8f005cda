//! Layout: one consistent explanation of all standing pieces: rows by height, what stands on what, what touches what.
use crate::{pose::Camera, pieces::{Candidate as Hypothesis, collide, solid::{FrontFace, outline_mm}}};

pub struct LayoutParams { pub min_score: f64, pub weak: f64, pub worth: f64 }

#[derive(Clone, Debug)]
pub struct Standing { pub h: Hypothesis, pub component: usize }

/// Offset of `b` from `a` in `a`'s own axes: across, away, mm.
fn offset(a: &Hypothesis, b: &Hypothesis) -> (f64, f64) {
    let (s, c) = a.yaw.sin_cos();
    let (dx, dy) = (b.foot.x - a.foot.x, b.foot.y - a.foot.y);
    (dx * c + dy * s, -dx * s + dy * c)
}

fn stands_on(a: &Hypothesis, b: &Hypothesis) -> bool {
    let (u, n) = offset(a, b);
    a.row == b.row + 1 && n.abs() < 7.0 && u.abs() < 13.0
}

fn touches(a: &Hypothesis, b: &Hypothesis) -> bool {
    let (u, n) = offset(a, b);
    a.row == b.row && ((u.abs() < 19.0 && n.abs() < 7.0) || (u.abs() < 9.0 && n.abs() < 12.0))
}

fn supported(h: &Hypothesis, others: &[Hypothesis], alive: &[bool]) -> bool {
    if h.row == 1 { return true; }
    let (mut left, mut right) = (false, false);
    for (o, &on) in others.iter().zip(alive) {
        if on && stands_on(h, o) {
            let (u, _) = offset(h, o);
            if u.abs() < 4.5 { return true; }
            if u < 0.0 { left = true } else { right = true }
        }
    }
    left && right
}

fn inside(u: f64, v: f64, poly: &[(f64, f64)]) -> bool {
    let mut c = false;
    let mut j = poly.len() - 1;
    for i in 0..poly.len() {
        let ((xi, yi), (xj, yj)) = (poly[i], poly[j]);
        if (yi > v) != (yj > v) && u < (xj - xi) * (v - yi) / (yj - yi) + xi { c = !c; }
        j = i;
    }
    c
}

/// Share of `b`'s front face that `a`'s front face covers in the picture.
fn overlap(a: &FrontFace, b: &FrontFace, poly: &[(f64, f64)], samples: &[(f64, f64)]) -> f64 {
    let det = a.across.0 * a.up.1 - a.across.1 * a.up.0;
    if det.abs() < 1e-9 { return 0.0; }
    if a.foot.distance(b.foot) > 40.0 * (a.up.1.abs() + a.across.0.abs()) { return 0.0; }
    let mut n = 0;
    for &(u, v) in samples {
        let p = b.at(u, v);
        let (dx, dy) = (p.x - a.foot.x, p.y - a.foot.y);
        let uu = (dx * a.up.1 - dy * a.up.0) / det;
        let vv = (a.across.0 * dy - a.across.1 * dx) / det;
        if inside(uu, vv, poly) { n += 1; }
    }
    n as f64 / samples.len() as f64
}

pub fn explain(cands: &[Hypothesis], camera: &Camera, size: f64, p: &LayoutParams) -> Vec<Standing> {
    let poly: Vec<(f64, f64)> = outline_mm().iter().map(|&(u, v, _)| (u, v)).collect();
    let mut samples = vec![];
    for i in -7..=7 { for j in 0..16 { let (u, v) = (i as f64 * 1.07, j as f64 + 0.5); if inside(u, v, &poly) { samples.push((u, v)); } } }
    let faces: Vec<Option<FrontFace>> = cands.iter().map(|h| FrontFace::new(camera, h.foot, h.yaw, size)).collect();
    let mut alive: Vec<bool> = cands.iter().zip(&faces).map(|(h, f)| f.is_some() && h.score >= p.weak).collect();
    let mut taken: Vec<usize> = vec![];
    let mut out = vec![];
    let mut component = 0;
    loop {
        // Support, to a fixed point.
        loop {
            let mut changed = false;
            for i in 0..cands.len() {
                if alive[i] && !supported(&cands[i], cands, &alive) { alive[i] = false; changed = true; }
            }
            if !changed { break; }
        }
        // Weak pieces stay only where what stands on them is worth it.
        let mut order: Vec<usize> = (0..cands.len()).filter(|&i| alive[i] && cands[i].score < p.min_score).collect();
        order.sort_by(|&a, &b| cands[a].score.total_cmp(&cands[b].score));
        for &w in &order {
            if !alive[w] { continue; }
            let mut without = alive.clone();
            without[w] = false;
            loop {
                let mut changed = false;
                for i in 0..cands.len() {
                    if without[i] && cands[i].row > cands[w].row && !supported(&cands[i], cands, &without) { without[i] = false; changed = true; }
                }
                if !changed { break; }
            }
            let gain: f64 = (0..cands.len()).filter(|&i| alive[i] && !without[i]).map(|i| cands[i].score - p.min_score).sum();
            if gain <= 0.0 { alive = without; }
        }
        // Components.
        let mut comp = vec![usize::MAX; cands.len()];
        let mut n = 0;
        for i in 0..cands.len() {
            if !alive[i] || comp[i] != usize::MAX { continue; }
            let mut stack = vec![i];
            comp[i] = n;
            while let Some(a) = stack.pop() {
                for b in 0..cands.len() {
                    if alive[b] && comp[b] == usize::MAX && (touches(&cands[a], &cands[b]) || stands_on(&cands[a], &cands[b]) || stands_on(&cands[b], &cands[a])) {
                        comp[b] = n;
                        stack.push(b);
                    }
                }
            }
            n += 1;
        }
        if n == 0 { break; }
        let mut worth = vec![0.0; n];
        for i in 0..cands.len() { if alive[i] { worth[comp[i]] += cands[i].score - p.worth; } }
        let best = (0..n).max_by(|&a, &b| worth[a].total_cmp(&worth[b])).unwrap_or(0);
        if worth[best] < 0.0 { break; }
        let mut members: Vec<usize> = (0..cands.len()).filter(|&i| alive[i] && comp[i] == best).collect();
        let hidden: Vec<usize> = members.iter().copied().filter(|&i| members.iter().any(|&t| t != i && cands[t].row > cands[i].row && matches!((&faces[t], &faces[i]), (Some(a), Some(b)) if overlap(a, b, &poly, &samples) > 0.4))).collect();
        if !hidden.is_empty() {
            for i in hidden { alive[i] = false; }
            continue;
        }
        members.sort_unstable();
        for &i in &members {
            alive[i] = false;
            taken.push(i);
            out.push(Standing { h: cands[i], component });
        }
        component += 1;
        for i in 0..cands.len() {
            if !alive[i] { continue; }
            for &t in &members {
                if let (Some(a), Some(b)) = (&faces[t], &faces[i]) {
                    if overlap(a, b, &poly, &samples) > 0.4 || (cands[t].row == cands[i].row && collide(&cands[t], &cands[i], size)) { alive[i] = false; break; }
                }
            }
        }
    }
    let _ = p.weak;
    out
}
