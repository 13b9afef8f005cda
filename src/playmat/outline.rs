//! From a segment to quadrilaterals that may be the playmat: straight pieces of the segment's outline, in every
//! sensible combination, held against the segment.

use opencv::{
    core::{self, Mat, Point, Vector},
    imgproc,
    prelude::*,
};

use super::{Felt, small::Small};

/// Contour points closer than this to the picture's border are the border's, not the felt's, small px.
const BORDER: f64 = 2.5;
/// Contour points this close to a line lie on it, small px: the outline's steps and a little of the lens's bend.
const ON_LINE: f64 = 1.2;
/// Cosine of how much the outline's direction at a point may differ from the line's.
const SAME_DIRECTION: f64 = 0.82;
/// Fewest contour points that make a line.
const LEAST_ON_LINE: usize = 10;
/// Lines taken from one outline: four edges, two chords each when the lens bends them, and a few of the pieces'.
const MOST_LINES: usize = 10;
/// Pairs of points tried for each line.
const TRIALS: usize = 90;
/// Contour points used at most; more only cost time.
const MOST_POINTS: usize = 600;

/// A leak is cut off where lightness differs by this much from the segment's main colour, besides what that varies by.
const LEAK_LIGHTNESS: f32 = 15.0;

/// What a pixel counts against a sheet: felt outside it, something else than felt inside it, and the same where a piece
/// standing further forward may hide the felt.
const MISSED: f64 = 1.5;
const EXTRA: f64 = 0.9;
const HIDDEN: f64 = 0.3;

/// A point of a segment's outline, small px, and the direction outwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlinePoint {
    pub(crate) at: [f64; 2],
    pub(crate) outwards: [f64; 2],
}

/// A segment as a filled shape.
pub(crate) struct Region {
    /// Pixels, holes filled.
    pub(crate) area: usize,
    /// Outline away from the picture's border.
    pub(crate) outline: Vec<OutlinePoint>,
    /// Outline along the picture's border: where the shape is cut.
    pub(crate) cut: Vec<[f64; 2]>,
    /// Whether each pixel of the small picture belongs to it.
    pub(crate) filled: Vec<bool>,
    /// Whether a pixel of the shape lies below, in the same column: something standing on the felt may hide it there.
    pub(crate) behind: Vec<bool>,
    /// Colour of its pixels, holes left out.
    pub(crate) felt: Felt,
    bits: Bits,
    behind_bits: Bits,
}

/// Points `p` with `normal · p = offset`; the normal points outwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) normal: [f64; 2],
    pub(crate) offset: f64,
}

impl Line {
    /// How far outside the line `p` is.
    pub(crate) fn beyond(&self, p: [f64; 2]) -> f64 {
        self.normal[0] * p[0] + self.normal[1] * p[1] - self.offset
    }
}

/// Four edges (near, right, far, left; `None` outside the picture) that may be the playmat's.
#[derive(Clone, Debug)]
pub(crate) struct Quad {
    pub(crate) edges: [Option<Line>; 4],
    /// How well the quadrilateral covers the segment and the segment's outline: 1 and more is good, 0 is useless.
    pub(crate) score: f64,
    bits: Bits,
}

/// Every second pixel of every second row, one bit each.
#[derive(Clone, Debug, PartialEq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(width: usize, height: usize, mut inside: impl FnMut(usize, usize) -> bool) -> Self {
        let mut words = vec![0u64; (width.div_ceil(2) * height.div_ceil(2)).div_ceil(64)];
        let mut bit = 0;
        for y in (0..height).step_by(2) {
            for x in (0..width).step_by(2) {
                words[bit / 64] |= u64::from(inside(x, y)) << (bit % 64);
                bit += 1;
            }
        }
        Self(words)
    }

    /// The inner side of `line`.
    fn within(width: usize, height: usize, line: &Line) -> Self {
        let (columns, rows) = (width.div_ceil(2), height.div_ceil(2));
        let mut words = vec![0u64; (columns * rows).div_ceil(64)];
        let [nx, ny] = line.normal;
        for row in 0..rows {
            // Where the line crosses the row, as a column; one side of it is within.
            let along = line.offset - ny * (2.0 * row as f64 + 0.5);
            let inside = match nx == 0.0 {
                true => 0..if along > 0.0 { columns } else { 0 },
                false => {
                    let crossing = (along / nx - 0.5) / 2.0;
                    let column = |at: f64| at.clamp(0.0, columns as f64) as usize;
                    if nx > 0.0 { 0..column(crossing.ceil()) } else { column(crossing.floor() + 1.0)..columns }
                }
            };
            for bit in inside {
                let bit = row * columns + bit;
                words[bit / 64] |= 1 << (bit % 64);
            }
        }
        Self(words)
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn common(&self, other: &Bits) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones()).sum()
    }
}

/// The shape of segment `label`; `None` when nothing is left.
pub(crate) fn of_segment(small: &Small, labels: &[u32], label: u32) -> opencv::Result<Option<Region>> {
    let felt = main_colour(small, |i| labels[i] == label);
    // A segment that has leaked into its neighbours is cut back to its main colour.
    let belongs = |(l, &lab): (&u32, &[f32; 3])| *l == label && felt.within(lab, LEAK_LIGHTNESS);
    let pixels: Vec<u8> = labels.iter().zip(&small.lab).map(|p| if belongs(p) { 255 } else { 0 }).collect();
    region(small, &pixels, felt)
}

/// The shape of the pixels that are part of the playmat with a probability of at least `least`; `None` when there are none.
pub(crate) fn of_prior(small: &Small, prior: &[f32], least: f32) -> opencv::Result<Option<Region>> {
    let felt = main_colour(small, |i| prior[i] >= least);
    let pixels: Vec<u8> = prior.iter().map(|&p| if p >= least { 255 } else { 0 }).collect();
    region(small, &pixels, felt)
}

/// The shape of `pixels` (255 inside), thin bridges to neighbouring surfaces cut; `None` when nothing is left.
fn region(small: &Small, pixels: &[u8], felt: Felt) -> opencv::Result<Option<Region>> {
    let (w, h) = (small.width, small.height);
    let mask = Mat::new_rows_cols_with_data(h as i32, w as i32, pixels)?;
    // Grains and pieces leave holes, which would fall apart if they were still open when the bridges are cut.
    let Some((whole, _)) = largest_shape(&mask)? else { return Ok(None) };
    let mut opened = Mat::default();
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, core::Size::new(3, 3))?;
    imgproc::morphology_ex_def(&whole, &mut opened, imgproc::MORPH_OPEN, &kernel)?;
    let Some((filled, contour)) = largest_shape(&opened)? else { return Ok(None) };
    if contour.len() < 4 * LEAST_ON_LINE {
        return Ok(None);
    }
    let filled: Vec<bool> = filled.data_bytes()?.iter().map(|&v| v > 0).collect();
    let area = filled.iter().filter(|&&v| v).count();
    let mut behind = filled.clone();
    for y in (0..h - 1).rev() {
        for x in 0..w {
            behind[y * w + x] |= behind[(y + 1) * w + x];
        }
    }
    let bits = Bits::new(w, h, |x, y| filled[y * w + x]);
    let behind_bits = Bits::new(w, h, |x, y| behind[y * w + x]);

    let points: Vec<[f64; 2]> = contour.iter().map(|p| [f64::from(p.x) + 0.5, f64::from(p.y) + 0.5]).collect();
    let n = points.len();
    let turn: f64 = (0..n).map(|i| cross(points[i], points[(i + 1) % n])).sum::<f64>().signum();
    let step = n.div_ceil(MOST_POINTS).max(1);
    let (mut outline, mut cut) = (Vec::new(), Vec::new());
    for i in (0..n).step_by(step) {
        let at = points[i];
        if at[0] < BORDER || at[1] < BORDER || at[0] > w as f64 - BORDER || at[1] > h as f64 - BORDER {
            cut.push(at);
            continue;
        }
        let (before, after) = (points[(i + n - 4) % n], points[(i + 4) % n]);
        let (dx, dy) = (after[0] - before[0], after[1] - before[1]);
        let length = dx.hypot(dy);
        if length < 1.0 {
            continue;
        }
        let outwards = [turn * dy / length, -turn * dx / length];
        // The outline runs through the centres of the outermost pixels; the edge is half a pixel further out.
        outline.push(OutlinePoint { at: [at[0] + outwards[0] * 0.5, at[1] + outwards[1] * 0.5], outwards });
    }
    Ok(Some(Region { area, outline, cut, filled, behind, felt, bits, behind_bits }))
}

/// The colour most of a segment has, and how much that part of it varies: medians, which a leak does not move.
fn main_colour(small: &Small, belongs: impl Fn(usize) -> bool) -> Felt {
    let pixels: Vec<[f32; 3]> = (0..small.lab.len()).filter(|&i| belongs(i)).map(|i| small.lab[i]).collect();
    // A few hundred pixels are enough for a median.
    let step = (pixels.len() / 600).max(1);
    let median = |mut values: Vec<f32>| {
        let middle = values.len() / 2;
        if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f32::total_cmp).1 }
    };
    let mean = [0, 1, 2].map(|i| median(pixels.iter().step_by(step).map(|p| p[i]).collect()));
    // 1.48 median deviations are a standard deviation where values are spread normally.
    let spread = [0, 1, 2].map(|i| 1.48 * median(pixels.iter().step_by(step).map(|p| (p[i] - mean[i]).abs()).collect()));
    Felt { mean, spread }
}

/// The shape in `mask` with the longest outline, its holes filled, and that outline.
fn largest_shape(mask: &impl core::ToInputArray) -> opencv::Result<Option<(Mat, Vector<Point>)>> {
    let mut contours: Vector<Vector<Point>> = Vector::new();
    imgproc::find_contours_def(mask, &mut contours, imgproc::RETR_EXTERNAL, imgproc::CHAIN_APPROX_NONE)?;
    let Some((index, contour)) = contours.iter().enumerate().max_by_key(|(_, c)| c.len()) else { return Ok(None) };
    let size = mask.input_array()?.size_def()?;
    let mut filled = Mat::new_size_with_default(size, core::CV_8UC1, core::Scalar::all(0.0))?;
    let white = core::Scalar::all(255.0);
    imgproc::draw_contours(
        &mut filled,
        &contours,
        index as i32,
        white,
        imgproc::FILLED,
        imgproc::LINE_8,
        &core::no_array(),
        0,
        Point::default(),
    )?;
    Ok(Some((filled, contour)))
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The straight pieces of an outline, longest first, each with how many points lie on it.
fn lines(outline: &[OutlinePoint]) -> Vec<(Line, usize)> {
    let mut left: Vec<OutlinePoint> = outline.to_vec();
    let mut found = Vec::new();
    // A fixed sequence: the same picture must give the same reading every time.
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 33) as usize % below.max(1)
    };
    while found.len() < MOST_LINES && left.len() >= LEAST_ON_LINE {
        let mut best: Option<(Line, usize)> = None;
        for _ in 0..TRIALS {
            let i = next(left.len());
            let apart = LEAST_ON_LINE / 2 + next(left.len() / 3);
            let (a, b) = (left[i], left[(i + apart) % left.len()]);
            let (dx, dy) = (b.at[0] - a.at[0], b.at[1] - a.at[1]);
            let length = dx.hypot(dy);
            if length < 5.0 {
                continue;
            }
            let mut normal = [dy / length, -dx / length];
            if normal[0] * a.outwards[0] + normal[1] * a.outwards[1] < 0.0 {
                normal = [-normal[0], -normal[1]];
            }
            let line = Line { normal, offset: normal[0] * a.at[0] + normal[1] * a.at[1] };
            let count = left.iter().filter(|p| on_line(&line, p)).count();
            if best.is_none_or(|(_, most)| count > most) {
                best = Some((line, count));
            }
        }
        let Some((line, count)) = best else { break };
        if count < LEAST_ON_LINE {
            break;
        }
        let on: Vec<[f64; 2]> = left.iter().filter(|p| on_line(&line, p)).map(|p| p.at).collect();
        left.retain(|p| !on_line(&line, p));
        found.push((least_squares(&on, line), count));
    }
    found
}

pub(crate) fn on_line(line: &Line, p: &OutlinePoint) -> bool {
    line.beyond(p.at).abs() < ON_LINE && line.normal[0] * p.outwards[0] + line.normal[1] * p.outwards[1] > SAME_DIRECTION
}

/// The line of least squared distances to `points`, facing as `line` does.
fn least_squares(points: &[[f64; 2]], line: Line) -> Line {
    let n = points.len() as f64;
    let mean = [0, 1].map(|i| points.iter().map(|p| p[i]).sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in points {
        let (x, y) = (p[0] - mean[0], p[1] - mean[1]);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let mut normal = [-angle.sin(), angle.cos()];
    if normal[0] * line.normal[0] + normal[1] * line.normal[1] < 0.0 {
        normal = [-normal[0], -normal[1]];
    }
    Line { normal, offset: normal[0] * mean[0] + normal[1] * mean[1] }
}

/// How well a sheet covers a shape, 1 at best. Counts: pixels common to both, of the shape alone, of the sheet alone,
/// and those of the sheet alone that a piece standing on the felt may hide.
pub(crate) fn cover([common, missed, extra, hidden]: [u32; 4]) -> f64 {
    let [common, missed, extra, hidden] = [common, missed, extra, hidden].map(f64::from);
    (common - MISSED * missed - EXTRA * (extra - hidden) - HIDDEN * hidden) / (common + missed).max(1.0)
}

/// The quadrilaterals that explain `region`, best first, at most `most`.
pub(crate) fn quads(small: &Small, region: &Region, most: usize) -> Vec<Quad> {
    let lines = lines(&region.outline);
    if lines.len() < 3 {
        return Vec::new();
    }
    let (w, h) = (small.width, small.height);
    let halves: Vec<Bits> = lines.iter().map(|(line, _)| Bits::within(w, h, line)).collect();
    let role = |fits: fn([f64; 2]) -> bool| -> Vec<Option<usize>> {
        let fitting = (0..lines.len()).filter(|&i| fits(lines[i].0.normal)).map(Some);
        std::iter::once(None).chain(fitting).collect()
    };
    let (rights, nears, lefts) = (role(|n| n[0] > 0.15), role(|n| n[1] > 0.3), role(|n| n[0] < -0.15));
    let outline = region.outline.len().max(1) as f64;
    let shape = region.bits.count().max(1);
    // An edge can be missing only where the shape is cut by the picture's border: below, at the right, at the left.
    let cut = [
        region.cut.iter().any(|p| p[1] > h as f64 - BORDER),
        region.cut.iter().any(|p| p[0] > w as f64 - BORDER),
        region.cut.iter().any(|p| p[0] < BORDER),
    ];
    let mut quads: Vec<Quad> = Vec::new();
    for far in (0..lines.len()).filter(|&i| lines[i].0.normal[1] < -0.6) {
        for &right in &rights {
            for &near in &nears {
                for &left in &lefts {
                    let chosen = [near, right, Some(far), left];
                    let used: Vec<usize> = chosen.iter().flatten().copied().collect();
                    let distinct = (1..used.len()).all(|i| !used[..i].contains(&used[i]));
                    let cut_away = (right.is_some() || cut[1] || cut[0])
                        && (left.is_some() || cut[2] || cut[0])
                        && (near.is_some() || cut[0]);
                    // The far edge is the one that faces away most.
                    let highest = used.iter().all(|&i| lines[i].0.normal[1] >= lines[far].0.normal[1]);
                    if used.len() < 3 || !distinct || !highest || !cut_away {
                        continue;
                    }
                    let mut bits = halves[far].clone();
                    for &i in used.iter().filter(|&&i| i != far) {
                        bits.0.iter_mut().zip(&halves[i].0).for_each(|(a, b)| *a &= b);
                    }
                    let (common, covered) = (bits.common(&region.bits), bits.count());
                    let cover = cover([common, shape - common, covered - common, bits.common(&region.behind_bits) - common]);
                    let explained = used.iter().map(|&i| lines[i].1).sum::<usize>() as f64 / outline;
                    let score = cover + 0.4 * explained;
                    if score > 0.3 {
                        quads.push(Quad { edges: chosen.map(|i| i.map(|i| lines[i].0)), score, bits });
                    }
                }
            }
        }
    }
    quads.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Quad> = Vec::new();
    for quad in quads {
        if kept.len() == most {
            break;
        }
        if !kept.iter().any(|other| same(other, &quad)) {
            kept.push(quad);
        }
    }
    kept
}

/// Whether two quadrilaterals are the same but for a pixel or two.
pub(crate) fn same(a: &Quad, b: &Quad) -> bool {
    let common = f64::from(a.bits.common(&b.bits));
    let either = f64::from(a.bits.count() + b.bits.count()) - common;
    let roles = (0..4).all(|i| a.edges[i].is_some() == b.edges[i].is_some());
    roles && common > 0.95 * either
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_side_of_a_line_holds_exactly_the_pixels_that_are_not_beyond_it() {
        let (w, h) = (37, 26);
        for k in 0..24 {
            let angle = f64::from(k) * std::f64::consts::TAU / 24.0;
            for offset in [-9.3, 0.0, 4.2, 17.9, 60.0] {
                let line = Line { normal: [angle.cos(), angle.sin()], offset };
                let expected = Bits::new(w, h, |x, y| line.beyond([x as f64 + 0.5, y as f64 + 0.5]) < 0.0);
                assert_eq!(Bits::within(w, h, &line), expected, "{line:?}");
            }
        }
    }
}
