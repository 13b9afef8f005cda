//! Layout: one consistent explanation of everything that stands: rows by height, what stands on what, what touches what.
//!
//! The pieces stage offers candidates, many of them second explanations of the same pixels: seen from a little above,
//! a meeple in row 2 looks much like one in row 1 farther back. The layout picks the set of candidates in which
//! nothing floats, nothing fills the space of another, nothing that is counted is hidden behind another, and whose
//! scores are worth the most together.

use serde::{Deserialize, Serialize};

use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM, MEEPLE_WIDTH_MM, OVERHANG_TOLERANCE_MM},
    pieces::{
        Candidate, Pieces, collide, is_supported, offset,
        solid::{FrontFace, inside_outline, outline_mm},
        stands_on,
    },
    pose::Camera,
};

/// What the layout stage can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LayoutParams {
    /// Score from which a piece is worth having, 0 to 1. A weaker one stays only where what stands on it makes up for it.
    pub worth: f64,
    /// Share of a front face that a nearer one may cover before the farther piece is taken for a second explanation of
    /// the nearer one's pixels.
    pub most_covered: f64,
    /// Farthest two neighbours of one row stand apart, middle to middle, and still touch, meeple widths.
    pub touch_across: f64,
    /// Farthest two pieces stand one behind the other, middle to middle, and still touch, meeple thicknesses.
    pub touch_away: f64,
    /// What a meeple whose feet would be hidden behind a pyramid takes off the worth of a camera that has it there: from too
    /// high a row is taken for a pyramid of its own, behind the one it belongs to.
    pub hidden_feet: f64,
}

impl Default for LayoutParams {
    fn default() -> Self {
        Self { worth: 0.3, most_covered: 0.4, touch_across: 1.3, touch_away: 1.2, hidden_feet: 0.15 }
    }
}

/// A meeple that stands upright, and what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The meeple.
    pub candidate: Candidate,
    /// Index into [`Layout::pyramids`]; `None` when it does not count.
    pub pyramid: Option<usize>,
    /// Whether it keeps within the playmat.
    pub on_playmat: bool,
}

/// Everything that stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// All upright meeples, counted or not.
    pub standing: Vec<Standing>,
    /// Connected groups of counted meeples, as indices into `standing`.
    pub pyramids: Vec<Vec<usize>>,
    /// What the counted meeples are worth together: how far their scores exceed [`LayoutParams::worth`], summed.
    pub worth: f64,
    /// Candidates that were left out although they would stand and hide behind nothing, best first.
    pub left_out: Vec<Candidate>,
}

/// The most convincing consistent explanation of `pieces`.
pub fn arrange(pieces: &Pieces, camera: &Camera, params: &LayoutParams) -> Layout {
    let scene = Scene::new(pieces, camera, params);
    let chosen = scene.choose();
    let mut standing: Vec<Standing> = chosen
        .iter()
        .map(|&i| {
            let candidate = scene.candidates[i];
            Standing { candidate, pyramid: None, on_playmat: keeps_within(&candidate, camera, pieces.size) }
        })
        .collect();
    let pyramids = group(&mut standing, pieces.size, params);
    let worth = standing.iter().filter(|s| s.pyramid.is_some()).map(|s| s.candidate.score - params.worth).sum();
    Layout { left_out: scene.left_out(&chosen), standing, pyramids, worth }
}

impl Layout {
    /// Meeples per row of each pyramid, in no order of rank.
    pub fn rows(&self) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = self
            .pyramids
            .iter()
            .map(|members| {
                let row = |&i: &usize| self.standing[i].candidate.row;
                let mut rows = vec![0; members.iter().map(row).max().unwrap_or(0)];
                members.iter().for_each(|i| rows[row(i) - 1] += 1);
                rows
            })
            .collect();
        all.sort();
        all
    }
}

/// Whether the outline of `c`, seen from above, stays on the playmat, within the rules' tolerance.
fn keeps_within(c: &Candidate, camera: &Camera, size: f64) -> bool {
    let (sin, cos) = c.yaw.sin_cos();
    let (w, d) = (MEEPLE_WIDTH_MM * size / 2.0, MEEPLE_THICKNESS_MM * size / 2.0);
    [(-w, -d), (w, -d), (w, d), (-w, d)].iter().all(|(u, n)| {
        let corner = crate::geometry::PlaymatPoint::new(c.foot.x + u * cos - n * sin, c.foot.y + u * sin + n * cos);
        camera.on_playmat(corner, OVERHANG_TOLERANCE_MM)
    })
}

/// Connects the pieces that count, writes each one's pyramid into `standing`, and returns the pyramids.
fn group(standing: &mut [Standing], size: f64, params: &LayoutParams) -> Vec<Vec<usize>> {
    let mut counted: Vec<bool> = standing.iter().map(|s| s.on_playmat).collect();
    // A piece that stands only on rejected ones does not count either; rows from the bottom settle that in one go.
    let mut upwards: Vec<usize> = (0..standing.len()).collect();
    upwards.sort_by_key(|&i| standing[i].candidate.row);
    for &i in &upwards {
        let c = standing[i].candidate;
        let on_counted = (0..standing.len()).any(|k| counted[k] && stands_on(&c, &standing[k].candidate, size)) || c.row == 1;
        counted[i] &= on_counted;
    }
    let mut pyramids: Vec<Vec<usize>> = Vec::new();
    for start in upwards {
        if !counted[start] || standing[start].pyramid.is_some() {
            continue;
        }
        let index = pyramids.len();
        standing[start].pyramid = Some(index);
        let mut members = vec![start];
        let mut next = 0;
        while let Some(&a) = members.get(next) {
            next += 1;
            for b in 0..standing.len() {
                let connected = counted[b] && connect(&standing[a].candidate, &standing[b].candidate, size, params);
                if connected && standing[b].pyramid.is_none() {
                    standing[b].pyramid = Some(index);
                    members.push(b);
                }
            }
        }
        pyramids.push(members);
    }
    pyramids
}

/// Whether one of two pieces stands on the other or they touch side by side or front to back (rules, decision
/// "What connects two meeples?").
fn connect(a: &Candidate, b: &Candidate, size: f64, params: &LayoutParams) -> bool {
    if stands_on(a, b, size) || stands_on(b, a, size) {
        return true;
    }
    let (across, away) = offset(a, b);
    let (across, away) = (across.abs() / (MEEPLE_WIDTH_MM * size), away.abs() / (MEEPLE_THICKNESS_MM * size));
    let side_by_side = across < params.touch_across && away < 0.7;
    let front_to_back = across < 0.6 && away < params.touch_away;
    a.row == b.row && (side_by_side || front_to_back)
}

/// The candidates with what is needed to weigh them against each other.
struct Scene<'a> {
    candidates: Vec<Candidate>,
    /// For each candidate, the others that would cover too much of it, or it of them, or that fill its space.
    rivals: Vec<Vec<usize>>,
    /// For each candidate, what it may stand on.
    below: Vec<Vec<usize>>,
    /// For each candidate, what may stand on it.
    above: Vec<Vec<usize>>,
    size: f64,
    params: &'a LayoutParams,
}

impl<'a> Scene<'a> {
    fn new(pieces: &Pieces, camera: &Camera, params: &'a LayoutParams) -> Self {
        let size = pieces.size;
        let seen = pieces.candidates.iter().filter_map(|c| Some((*c, FrontFace::of(camera, c, size)?)));
        let (candidates, faces): (Vec<Candidate>, Vec<FrontFace>) = seen.unzip();
        let cover = Cover::new();
        let n = candidates.len();
        let (mut rivals, mut below, mut above) = (vec![Vec::new(); n], vec![Vec::new(); n], vec![Vec::new(); n]);
        for a in 0..n {
            for b in 0..n {
                if stands_on(&candidates[a], &candidates[b], size) {
                    below[a].push(b);
                    above[b].push(a);
                }
                if a < b
                    && (candidates[a].peak == candidates[b].peak
                        || collide(&candidates[a], &candidates[b], size)
                        || candidates[a].row != candidates[b].row && cover.share(&faces[a], &faces[b]) > params.most_covered)
                {
                    rivals[a].push(b);
                    rivals[b].push(a);
                }
            }
        }
        Self { candidates, rivals, below, above, size, params }
    }

    fn worth(&self, i: usize) -> f64 {
        self.candidates[i].score - self.params.worth
    }

    fn is_supported(&self, i: usize, alive: &[bool]) -> bool {
        let below = self.below[i].iter().filter(|&&b| alive[b]).map(|&b| &self.candidates[b]);
        is_supported(&self.candidates[i], below, self.size)
    }

    /// Takes `i` out of `alive`, and all that would float without it; returns what was taken.
    fn topple(&self, i: usize, alive: &mut [bool]) -> Vec<usize> {
        let mut fallen = Vec::new();
        let mut stack = vec![i];
        while let Some(i) = stack.pop() {
            if !alive[i] {
                continue;
            }
            alive[i] = false;
            fallen.push(i);
            stack.extend(self.above[i].iter().copied().filter(|&a| alive[a] && !self.is_supported(a, alive)));
        }
        fallen
    }

    /// The chosen candidates: time and again the connected group that is worth the most, without what rivals it.
    fn choose(&self) -> Vec<usize> {
        let n = self.candidates.len();
        let mut alive = vec![true; n];
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            self.drop_unsupported(&mut alive);
            self.drop_unworthy(&mut alive);
            let groups = self.groups(&alive);
            let worth = |group: &Vec<usize>| group.iter().map(|&i| self.worth(i)).sum::<f64>();
            let Some(best) = groups.iter().max_by(|a, b| worth(a).total_cmp(&worth(b))) else { break };
            if worth(best) <= 0.0 {
                break;
            }
            // Of two explanations of the same pixels within one group the higher row is nearer to the camera, and hides
            // the other; of one row the better stays.
            let rank = |i: usize| (self.candidates[i].row, self.candidates[i].score);
            let hidden: Vec<usize> = best
                .iter()
                .copied()
                .filter(|&i| self.rivals[i].iter().any(|&r| rank(r) > rank(i) && best.contains(&r)))
                .collect();
            if !hidden.is_empty() {
                for i in hidden {
                    self.topple(i, &mut alive);
                }
                continue;
            }
            for &i in best {
                alive[i] = false;
            }
            for &i in best {
                for &rival in &self.rivals[i] {
                    alive[rival] = false;
                }
            }
            chosen.extend_from_slice(best);
        }
        chosen
    }

    fn drop_unsupported(&self, alive: &mut [bool]) {
        for i in 0..alive.len() {
            if alive[i] && !self.is_supported(i, alive) {
                self.topple(i, alive);
            }
        }
    }

    /// Takes out weak pieces, weakest first, unless what stands on them is worth more than they cost.
    fn drop_unworthy(&self, alive: &mut Vec<bool>) {
        let mut weak: Vec<usize> = (0..alive.len()).filter(|&i| alive[i] && self.worth(i) < 0.0).collect();
        weak.sort_by(|&a, &b| self.candidates[a].score.total_cmp(&self.candidates[b].score));
        for i in weak {
            let mut without = alive.clone();
            let fallen = self.topple(i, &mut without);
            if fallen.iter().map(|&k| self.worth(k)).sum::<f64>() <= 0.0 {
                *alive = without;
            }
        }
    }

    /// The connected groups of what is alive.
    fn groups(&self, alive: &[bool]) -> Vec<Vec<usize>> {
        let n = alive.len();
        let mut seen = vec![false; n];
        let mut groups = Vec::new();
        for start in 0..n {
            if !alive[start] || seen[start] {
                continue;
            }
            seen[start] = true;
            let mut members = vec![start];
            let mut next = 0;
            while let Some(&a) = members.get(next) {
                next += 1;
                for b in 0..n {
                    if alive[b] && !seen[b] && connect(&self.candidates[a], &self.candidates[b], self.size, self.params) {
                        seen[b] = true;
                        members.push(b);
                    }
                }
            }
            groups.push(members);
        }
        groups
    }

    /// What was not chosen although it would stand on the chosen ones and rivals none of them.
    fn left_out(&self, chosen: &[usize]) -> Vec<Candidate> {
        let mut alive = vec![false; self.candidates.len()];
        for &i in chosen {
            alive[i] = true;
        }
        let mut left: Vec<Candidate> = (0..alive.len())
            .filter(|&i| !alive[i] && self.is_supported(i, &alive) && !self.rivals[i].iter().any(|&r| alive[r]))
            .map(|i| self.candidates[i])
            .collect();
        left.sort_by(|a, b| b.score.total_cmp(&a.score));
        left
    }
}

/// How much of one front face another covers in the picture.
struct Cover {
    outline: Vec<(f64, f64, crate::pieces::solid::Part)>,
    samples: Vec<(f64, f64)>,
}

impl Cover {
    fn new() -> Self {
        const STEP_MM: f64 = 1.6;
        let outline = outline_mm();
        let half = (MEEPLE_WIDTH_MM / 2.0 / STEP_MM) as i32;
        let samples = (-half..=half)
            .flat_map(|i| (0..(MEEPLE_HEIGHT_MM / STEP_MM) as i32).map(move |j| (i, j)))
            .map(|(i, j)| (f64::from(i) * STEP_MM, (f64::from(j) + 0.5) * STEP_MM))
            .filter(|&(u, v)| inside_outline(u, v, &outline))
            .collect();
        Self { outline, samples }
    }

    /// Share of `b` that `a` covers, 0 to 1.
    fn share(&self, a: &FrontFace, b: &FrontFace) -> f64 {
        let apart = a.at(0.0, MEEPLE_HEIGHT_MM / 2.0).distance(b.at(0.0, MEEPLE_HEIGHT_MM / 2.0));
        if apart > 0.5 * (a.height_px() + b.height_px()) {
            return 0.0;
        }
        let covered = self
            .samples
            .iter()
            .filter(|&&(u, v)| a.outline_from_px(b.at(u, v)).is_some_and(|(u, v)| inside_outline(u, v, &self.outline)));
        covered.count() as f64 / self.samples.len() as f64
    }
}
