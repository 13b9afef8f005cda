//! Looks for standing meeples from the felt upwards: row 1 all over the playmat, each further row on what may stand
//! below.

use super::{Candidate, PiecesParams, matching::Matcher};
use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLES_IN_THE_BOX},
    geometry::WorldPoint,
};

/// Yaws tried on the felt, as shares of the largest one.
const YAWS: [f64; 5] = [-0.6, -0.3, 0.0, 0.3, 0.6];
/// How much a coarse score may lack of the least one: the refinement finds about this much.
const COARSE_SLACK: f64 = 0.1;
/// A candidate that still lacks this much after the widest steps of its refinement is given up.
const HOPELESS: f64 = 0.04;
/// Neighbouring places on the felt share one template over this many grid steps: perspective changes slowly.
const TEMPLATE_RUN: usize = 6;
/// Pieces used to find the meeples' size.
const SIZE_SAMPLES: usize = 12;
/// Step between the sizes tried.
const SIZE_STEP: f64 = 0.025;
/// What a size twice the regular one must gain in mean score to be believed.
const SIZE_PRIOR: f64 = 0.3;
/// Least score of a piece that has a say in the size.
const SIZE_LEAST_SCORE: f64 = 0.5;

/// Offset of `b` from `a` in `a`'s own axes: (across, away), mm.
pub(crate) fn offset(a: &Candidate, b: &Candidate) -> (f64, f64) {
    let (sin, cos) = a.yaw.sin_cos();
    let (dx, dy) = (b.foot.x - a.foot.x, b.foot.y - a.foot.y);
    (dx * cos + dy * sin, dy * cos - dx * sin)
}

/// `foot` moved `across` and `away` in the axes of a meeple turned by `yaw`, mm.
fn moved(foot: WorldPoint, yaw: f64, across: f64, away: f64) -> WorldPoint {
    let (sin, cos) = yaw.sin_cos();
    WorldPoint::new(foot.x + across * cos - away * sin, foot.y + across * sin + away * cos, foot.z)
}

/// Whether two meeples of one row would fill the same space.
pub(crate) fn collide(a: &Candidate, b: &Candidate, size: f64) -> bool {
    let (across, away) = offset(a, b);
    a.row == b.row && across.abs() < 12.5 * size && away.abs() < 8.0 * size
}

/// All candidates, row by row; finds the size of the meeples on the way and leaves it in `matcher`.
pub(crate) fn bottom_up(matcher: &mut Matcher, params: &PiecesParams) -> Vec<Candidate> {
    let first = row_one(matcher, params);
    matcher.size = size_of(matcher, &first, params);
    let mut row = if matcher.size == 1.0 {
        first
    } else {
        let again = first.into_iter().filter_map(|c| rescore(matcher, c)).map(|c| refined(matcher, c, None, params));
        distinct(again.filter(|c| c.score >= params.least_score).collect(), matcher.size)
    };
    let mut all = row.clone();
    // No row can be higher than there are meeples; in practice the loop ends when nothing stands on the row below.
    for _ in 1..MEEPLES_IN_THE_BOX {
        row = row_above(matcher, &row, params);
        if row.is_empty() {
            break;
        }
        all.extend_from_slice(&row);
    }
    all
}

fn rescore(matcher: &Matcher, c: Candidate) -> Option<Candidate> {
    matcher.score(c.foot, c.yaw).map(|score| Candidate { score, ..c })
}

/// Candidates on the felt, best first.
fn row_one(matcher: &Matcher, params: &PiecesParams) -> Vec<Candidate> {
    let [w, h] = matcher.camera.playmat_size_mm.map(|side| side + 2.0 * params.margin_mm);
    let (across, away) = ((w / params.grid_mm) as usize + 1, (h / params.grid_mm) as usize + 1);
    let place =
        |i: usize, j: usize| WorldPoint::new(i as f64 * params.grid_mm - w / 2.0, j as f64 * params.grid_mm - h / 2.0, 0.0);
    let most_yaw = params.most_yaw_degrees.to_radians();
    let mut grid = vec![(f64::NEG_INFINITY, 0.0); across * away];
    for j in 0..away {
        for start in (0..across).step_by(TEMPLATE_RUN) {
            let end = (start + TEMPLATE_RUN).min(across);
            for yaw in YAWS.map(|share| share * most_yaw) {
                let Some(face) = matcher.face(place((start + end) / 2, j), yaw) else { continue };
                let template = matcher.coarse_template(&face);
                for i in start..end {
                    let score = matcher.front_px(place(i, j), yaw).and_then(|px| matcher.score_at(&template, px));
                    if let Some(score) = score
                        && score > grid[j * across + i].0
                    {
                        grid[j * across + i] = (score, yaw);
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    for j in 0..away {
        for i in 0..across {
            let (score, yaw) = grid[j * across + i];
            let neighbours = (j.saturating_sub(1)..(j + 2).min(away))
                .flat_map(|jj| (i.saturating_sub(1)..(i + 2).min(across)).map(move |ii| jj * across + ii));
            if score < params.least_score - COARSE_SLACK || neighbours.map(|k| grid[k].0).any(|s| s > score) {
                continue;
            }
            let start = Candidate { foot: place(i, j), yaw, row: 1, score };
            let c = refined(matcher, start, None, params);
            if c.score >= params.least_score {
                found.push(c);
            }
        }
    }
    distinct(found, matcher.size)
}

/// The size at which the most convincing pieces on the felt fit best. Their feet say how far away they are, so that
/// size and distance do not trade places.
fn size_of(matcher: &mut Matcher, first: &[Candidate], params: &PiecesParams) -> f64 {
    let sample: Vec<Candidate> = first.iter().filter(|c| c.score >= SIZE_LEAST_SCORE).take(SIZE_SAMPLES).copied().collect();
    if sample.len() < 2 {
        return 1.0;
    }
    let steps = ((params.sizes[1] - params.sizes[0]) / SIZE_STEP).round() as usize;
    let mut best = (f64::NEG_INFINITY, 1.0);
    for k in 0..=steps {
        let size = params.sizes[0] + k as f64 * SIZE_STEP;
        matcher.size = size;
        let total: f64 =
            sample.iter().filter_map(|c| rescore(matcher, *c)).map(|c| refined(matcher, c, None, params).score).sum();
        // Regular meeples are by far the most common: another size must win clearly.
        let total = total / sample.len() as f64 - SIZE_PRIOR * (size - 1.0).abs();
        if total > best.0 {
            best = (total, size);
        }
    }
    matcher.size = 1.0;
    best.1
}

/// `c` moved and turned to where it fits best nearby; with `below`, no farther from that piece's plane than its score
/// is worth.
fn refined(matcher: &Matcher, mut c: Candidate, below: Option<&Candidate>, params: &PiecesParams) -> Candidate {
    let most_yaw = params.most_yaw_degrees.to_radians();
    let depth = |foot: WorldPoint| below.map_or(0.0, |b| params.depth_penalty * offset(b, &Candidate { foot, ..*b }).1.abs());
    let (mut step, mut turn) = (params.grid_mm / 2.0, 0.1);
    for round in 0..4 {
        // What the first, widest steps leave far behind the least score never catches up.
        if round == 1 && c.score < params.least_score - HOPELESS {
            break;
        }
        for _ in 0..3 {
            let mut best = c;
            for (across, away, dyaw) in
                [(step, 0.0, 0.0), (-step, 0.0, 0.0), (0.0, step, 0.0), (0.0, -step, 0.0), (0.0, 0.0, turn), (0.0, 0.0, -turn)]
            {
                let (foot, yaw) = (moved(c.foot, c.yaw, across, away), c.yaw + dyaw);
                if yaw.abs() > most_yaw {
                    continue;
                }
                if let Some(score) = matcher.score(foot, yaw).map(|s| s - depth(foot))
                    && score > best.score
                {
                    best = Candidate { foot, yaw, score, ..c };
                }
            }
            if best == c {
                break;
            }
            c = best;
        }
        step *= 0.6;
        turn *= 0.6;
    }
    c
}

/// Candidates that may stand on those of `below`, best first.
fn row_above(matcher: &Matcher, below: &[Candidate], params: &PiecesParams) -> Vec<Candidate> {
    const ACROSS: f64 = 2.0;
    let mut found = Vec::new();
    for b in below {
        let foot = WorldPoint::new(b.foot.x, b.foot.y, b.foot.z + MEEPLE_HEIGHT_MM * matcher.size);
        let mut line: Vec<Option<Candidate>> = vec![None; 13];
        for yaw in [b.yaw - 0.15, b.yaw, b.yaw + 0.15] {
            for away in [-3.0, 0.0, 3.0] {
                let Some(face) = matcher.face(moved(foot, b.yaw, 0.0, away), yaw) else { continue };
                let template = matcher.template(&face);
                for (k, best) in line.iter_mut().enumerate() {
                    let place = moved(foot, b.yaw, (k as f64 - 6.0) * ACROSS * matcher.size, away);
                    let score = matcher.front_px(place, yaw).and_then(|px| matcher.score_at(&template, px));
                    let Some(score) = score.map(|s| s - params.depth_penalty * away.abs()) else { continue };
                    if best.is_none_or(|c| score > c.score) {
                        *best = Some(Candidate { foot: place, yaw, row: b.row + 1, score });
                    }
                }
            }
        }
        let score = |k: usize| line.get(k).copied().flatten().map_or(f64::NEG_INFINITY, |c| c.score);
        for (k, c) in line.iter().enumerate() {
            let Some(c) = *c else { continue };
            let beaten = (k > 0 && score(k - 1) > c.score) || score(k + 1) > c.score;
            if beaten || c.score < params.least_score - COARSE_SLACK {
                continue;
            }
            let c = refined(matcher, c, Some(b), params);
            if c.score >= params.least_score {
                found.push(c);
            }
        }
    }
    let found = distinct(found, matcher.size);
    found.into_iter().filter(|c| is_supported(c, below.iter(), matcher.size)).collect()
}

/// `found`, best first, without those that would fill the space of a better one.
fn distinct(mut found: Vec<Candidate>, size: f64) -> Vec<Candidate> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Candidate> = Vec::new();
    for c in found {
        if !kept.iter().any(|k| collide(k, &c, size)) {
            kept.push(c);
        }
    }
    kept
}

/// Whether `a`'s feet are over `b`'s head or shoulders, one row below.
pub(crate) fn stands_on(a: &Candidate, b: &Candidate, size: f64) -> bool {
    let (across, away) = offset(a, b);
    a.row == b.row + 1 && away.abs() < 9.0 * size && across.abs() < 13.0 * size
}

/// Whether `c` stands on the felt, has its weight over one head of `below`, or bridges two.
pub(crate) fn is_supported<'a>(c: &Candidate, below: impl Iterator<Item = &'a Candidate>, size: f64) -> bool {
    if c.row == 1 {
        return true;
    }
    let (mut left, mut right) = (false, false);
    for b in below.filter(|b| stands_on(c, b, size)) {
        let (across, _) = offset(c, b);
        if across.abs() < 4.5 * size {
            return true;
        }
        left |= across < 0.0;
        right |= across > 0.0;
    }
    left && right
}
