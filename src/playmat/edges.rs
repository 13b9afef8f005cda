//! The felt's edges to a fraction of a pixel: along the normal of each predicted edge, the first place, coming from the
//! felt, where the colour changes.

use image::RgbImage;

use super::{Felt, small::lab_from_rgb};
use crate::{
    geometry::{PlaymatPoint, Px},
    pose::Camera,
};

/// Profiles taken along each edge.
const PROFILES: usize = 48;
/// Places along each edge from which those of the profiles are chosen.
const FINE: i32 = 192;
/// Distance between the samples of a profile, px.
const STEP_PX: f64 = 0.5;
/// A profile's first change of colour counts if it is this share of its greatest: the felt's side face may be close in
/// colour to its top, and the far greater step from the side to the table is not the edge.
const FIRST_CHANGE: f64 = 0.35;
/// Least change of colour that makes an edge, 8-bit levels per pixel (length of the RGB difference).
const LEAST_CHANGE: f64 = 2.0;

/// An edge changes this many times more than the felt inside it does on average.
const LEAST_OVER_GRAIN: f64 = 1.5;
/// Most that felt changes from pixel to pixel on average, 8-bit levels.
const MOST_GRAIN: f64 = 12.0;

/// A place where the felt ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgePoint {
    pub(crate) at: Px,
}

/// What was seen along one edge.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeSeen {
    /// Profiles that lay inside the picture.
    pub(crate) tried: usize,
    /// Those that began on felt; the others began on a piece in front of the edge, or the edge is not the felt's.
    pub(crate) felt: usize,
    /// Where they found an edge.
    pub(crate) points: Vec<EdgePoint>,
}

/// The edge points within `radius_px` of the playmat's edges as `camera` predicts them: near, right, far, left.
pub(crate) fn find(picture: &RgbImage, camera: &Camera, felt: &Felt, radius_px: f64) -> [EdgeSeen; 4] {
    let corners = camera.playmat_corners();
    [0, 1, 2, 3].map(|i| along(picture, camera, felt, corners[i], corners[(i + 1) % 4], radius_px))
}

fn along(picture: &RgbImage, camera: &Camera, felt: &Felt, from: PlaymatPoint, to: PlaymatPoint, radius: f64) -> EdgeSeen {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let at = |t: f64| {
        let point = PlaymatPoint::new(from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t);
        camera.px_from_world(point.at_height(0.0))
    };
    let margin = 3.0;
    let inside = |p: Px| p.x > margin && p.y > margin && p.x < width - margin && p.y < height - margin;
    // The visible part, cut finely enough that profiles can then be spread evenly in the picture.
    let line: Vec<Option<Px>> = (0..=FINE).map(|i| at(f64::from(i) / f64::from(FINE))).collect();
    let fine: Vec<(Px, [f64; 2])> = line
        .windows(3)
        .filter_map(|places| {
            let [Some(before), Some(p), Some(after)] = *places else { return None };
            let (dx, dy) = (after.x - before.x, after.y - before.y);
            let length = dx.hypot(dy);
            // Going round near, right, far, left with y down, the outside is to the right of the way.
            (inside(p) && length > 1e-6).then(|| (p, [-dy / length, dx / length]))
        })
        .collect();
    let mut seen = EdgeSeen::default();
    let length: f64 = fine.windows(2).map(|w| w[0].0.distance(w[1].0)).sum();
    let spacing = (length / PROFILES as f64).max(2.0);
    let (mut gone, mut due) = (0.0, spacing / 2.0);
    for pair in fine.windows(2) {
        gone += pair[0].0.distance(pair[1].0);
        if gone >= due {
            due += spacing;
            seen.tried += 1;
            let (p, outwards) = pair[1];
            if let Some(profile) = Profile::new(picture, p, outwards, radius)
                && profile.begins_on(felt)
            {
                seen.felt += 1;
                seen.points.extend(profile.first_change(felt));
            }
        }
    }
    seen
}

/// The colours along a short line across an edge, from the inside outwards.
struct Profile {
    middle: Px,
    outwards: [f64; 2],
    radius: f64,
    colours: Vec<[f64; 3]>,
}

impl Profile {
    fn new(picture: &RgbImage, middle: Px, outwards: [f64; 2], radius: f64) -> Option<Self> {
        let n = (2.0 * radius / STEP_PX) as usize + 1;
        let mut colours: Vec<[f64; 3]> = Vec::with_capacity(n);
        for i in 0..n {
            let s = i as f64 * STEP_PX - radius;
            // Averaged along the edge, so that the felt's grain counts less.
            let mut sum = [0.0; 3];
            for side in [-1.5, 0.0, 1.5] {
                let x = middle.x + outwards[0] * s - outwards[1] * side;
                let y = middle.y + outwards[1] * s + outwards[0] * side;
                let colour = sample(picture, Px::new(x, y))?;
                (0..3).for_each(|c| sum[c] += colour[c] / 3.0);
            }
            colours.push(sum);
        }
        Some(Self { middle, outwards, radius, colours })
    }

    /// Mean colour of the first `n` samples.
    fn mean(&self, n: usize) -> [f64; 3] {
        let mut mean = [0.0; 3];
        for colour in &self.colours[..n] {
            (0..3).for_each(|c| mean[c] += colour[c] / n as f64);
        }
        mean
    }

    fn begins_on(&self, felt: &Felt) -> bool {
        felt.resembles_lit(lab_from_rgb(self.mean((self.colours.len() / 5).max(1))))
    }

    /// The first change of colour on the way outwards, if what lies inside it is felt.
    fn first_change(&self, felt: &Felt) -> Option<EdgePoint> {
        let (colours, n) = (&self.colours, self.colours.len());
        // Colour change over two pixels.
        let reach = (1.0 / STEP_PX) as usize;
        let change: Vec<f64> = (0..n)
            .map(|i| if i < reach || i + reach >= n { 0.0 } else { difference(colours[i + reach], colours[i - reach]) / 2.0 })
            .collect();
        let greatest = change.iter().copied().fold(0.0, f64::max);
        let least = (greatest * FIRST_CHANGE).max(LEAST_CHANGE);
        let peak = (reach..n - reach).find(|&i| change[i] >= least && change[i] >= change[i - 1] && change[i] > change[i + 1])?;
        // Felt is even but for its grain, which is no edge.
        let inside = &change[reach..peak.saturating_sub(2 * reach).max(reach)];
        let grain = inside.iter().sum::<f64>() / inside.len().max(1) as f64;
        if inside.is_empty() || grain > MOST_GRAIN || change[peak] < LEAST_OVER_GRAIN * grain {
            return None;
        }
        // Other things have edges too.
        if !felt.resembles_lit(lab_from_rgb(self.mean(peak.saturating_sub(reach).max(1)))) {
            return None;
        }
        // The vertex of the parabola through the peak and its neighbours.
        let (before, top, after) = (change[peak - 1], change[peak], change[peak + 1]);
        let bend = before - 2.0 * top + after;
        let shift = if bend < -1e-9 { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        let s = (peak as f64 + shift) * STEP_PX - self.radius;
        Some(EdgePoint { at: Px::new(self.middle.x + self.outwards[0] * s, self.middle.y + self.outwards[1] * s) })
    }
}

fn difference(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
}

/// The colour at `p`, between pixels; `None` outside the picture.
fn sample(picture: &RgbImage, p: Px) -> Option<[f64; 3]> {
    let (x, y) = (p.x - 0.5, p.y - 0.5);
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    if x < 0.0 || y < 0.0 || x >= (width - 1) as f64 || y >= (height - 1) as f64 {
        return None;
    }
    let (x0, y0) = (x as usize, y as usize);
    let (fx, fy) = (x - x0 as f64, y - y0 as f64);
    let raw = picture.as_raw();
    let top = (y0 * width + x0) * 3;
    let below = top + width * 3;
    Some([0, 1, 2].map(|c| {
        let upper = f64::from(raw[top + c]) * (1.0 - fx) + f64::from(raw[top + 3 + c]) * fx;
        let lower = f64::from(raw[below + c]) * (1.0 - fx) + f64::from(raw[below + 3 + c]) * fx;
        upper * (1.0 - fy) + lower * fy
    }))
}
