//! Gives the network's peaks places in space, from the felt upwards: row 1 wherever a base point lies on the felt, each
//! further row on what may stand below. A peak may get several places; the layout chooses.

use super::{Candidate, PiecesParams, matching::Matcher, peaks::Peak, solid::OUTLINE_SCALE};
use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLES_IN_THE_BOX},
    geometry::{Px, WorldPoint, median},
};

/// Pieces used to find the meeples' size.
const SIZE_SAMPLES: usize = 8;
/// Steps between the sizes tried, wide ones first.
const SIZE_STEPS: [f64; 2] = [0.075, 0.025];
/// What a size twice the regular one must gain in mean score to be believed.
const SIZE_PRIOR: f64 = 0.3;
/// Least score of a peak that has a say in the size by its height.
const LEAST_TO_MEASURE: f64 = 0.5;
/// Least share of a piece's outline that must lie on edges for it to have a say in the size.
const SIZE_LEAST_FIT: f64 = 0.5;

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

/// Two meeples of one row whose middles are nearer to each other across would fill the same space, however slim they are, mm.
const SLIM_MM: f64 = 10.0;

/// The same for one in front of the other, however thin they are, mm.
const THIN_MM: f64 = 8.0;

/// Whether two meeples of one row would fill the same space.
pub(crate) fn collide(a: &Candidate, b: &Candidate, size: f64) -> bool {
    let (across, away) = offset(a, b);
    a.row == b.row && (across / SLIM_MM).hypot(away / THIN_MM) < size
}

/// All candidates of meeples of the size of `matcher`, row by row.
pub(crate) fn bottom_up(matcher: &Matcher, peaks: &[Peak], params: &PiecesParams) -> Vec<Candidate> {
    let mut row = row_one(matcher, peaks, params);
    let mut all = row.clone();
    // No row can be higher than there are meeples; in practice the loop ends when nothing stands on the row below.
    for _ in 1..MEEPLES_IN_THE_BOX {
        row = row_above(matcher, peaks, &row, params);
        if row.is_empty() {
            break;
        }
        all.extend_from_slice(&row);
    }
    // The network says whether there is a piece, whatever its edges look like; the edges say which of its places it has.
    for peak in 0..peaks.len() {
        let fits = || all.iter().filter(|c| c.peak == peak).map(|c| c.fit);
        let best = fits().fold(f64::NEG_INFINITY, f64::max);
        for c in all.iter_mut().filter(|c| c.peak == peak) {
            c.score -= params.misplaced * (best - c.fit);
        }
    }
    all
}

/// Candidates on the felt, best first: a peak's base point seen through the felt's plane.
fn row_one(matcher: &Matcher, peaks: &[Peak], params: &PiecesParams) -> Vec<Candidate> {
    let camera = matcher.camera;
    let found = peaks.iter().enumerate().filter_map(|(index, peak)| {
        let foot = camera.playmat_from_px(peak.base).filter(|&p| camera.on_playmat(p, params.margin_mm))?.at_height(0.0);
        let c = Candidate { foot, yaw: 0.0, row: 1, score: 0.0, fit: 0.0, peak: index };
        weighed(matcher, peak, c, None, params)
    });
    distinct(found.collect(), matcher.size)
}

/// `c`, moved and turned to where the edges fit best, with its score; `None` where it is not worth having.
fn weighed(matcher: &Matcher, peak: &Peak, c: Candidate, below: Option<&Candidate>, params: &PiecesParams) -> Option<Candidate> {
    let fit = matcher.score(c.foot, c.yaw)?;
    let c = refined(matcher, peak, Candidate { fit, ..c }, below, params);
    let face = matcher.face(c.foot, c.yaw)?;
    let size = (peak.height_px() / face.height_px()).ln().abs();
    let score = peak.worth(params.against) + params.edges * (c.fit - 0.5) - params.size_penalty * size;
    (score >= params.least_score).then_some(Candidate { score, ..c })
}

/// The size at which the most convincing pieces on the felt fit best. Their feet say how far away they are, so that
/// size and distance do not trade places.
pub(crate) fn size_of(matcher: &mut Matcher, peaks: &[Peak], params: &PiecesParams) -> f64 {
    let [least, most] = params.sizes;
    let mut starts = vec![1.0];
    // Outlines of another size than the meeples' fit nothing, so that the edges alone would not lead there.
    starts.extend(
        seen_size(matcher, peaks, params).map(|size| size.clamp(least, most)).filter(|size| (size - 1.0).abs() > SIZE_STEPS[0]),
    );
    let found = starts.into_iter().filter_map(|start| size_near(matcher, peaks, start, params));
    found.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, size)| size)
}

/// The size at which the most convincing pieces on the felt fit best, found from `start`, and how well they do; `None` where
/// fewer than two fit at `start`.
fn size_near(matcher: &mut Matcher, peaks: &[Peak], start: f64, params: &PiecesParams) -> Option<(f64, f64)> {
    matcher.size = start;
    let first = row_one(matcher, peaks, params);
    let sample: Vec<Candidate> = first.iter().filter(|c| c.fit >= SIZE_LEAST_FIT).take(SIZE_SAMPLES).copied().collect();
    if sample.len() < 2 {
        return None;
    }
    let mut worth = |size: f64| {
        matcher.size = size;
        let fits = sample.iter().filter_map(|c| matcher.score(c.foot, c.yaw).map(|fit| Candidate { fit, ..*c }));
        let total: f64 = fits.map(|c| refined(matcher, &peaks[c.peak], c, None, params).fit).sum();
        // Regular meeples are by far the most common: another size must win clearly.
        total / sample.len() as f64 - SIZE_PRIOR * (size - 1.0).abs()
    };
    let mut best = (worth(start), start);
    for step in SIZE_STEPS {
        // Up or down, as long as it gets better.
        for step in [step, -step] {
            loop {
                let size = best.1 + step;
                if !(params.sizes[0]..=params.sizes[1]).contains(&size) {
                    break;
                }
                let found = worth(size);
                if found <= best.0 {
                    break;
                }
                best = (found, size);
            }
        }
    }
    Some(best)
}

/// The clear ones of `peaks` under which no other is seen: they stand on the felt, or on nothing that is seen.
pub(crate) fn lowest<'a>(peaks: &'a [Peak], params: &PiecesParams) -> Vec<&'a Peak> {
    let is_lowest = |peak: &Peak| {
        let (centre, height) = (peak.centre(), peak.height_px());
        let below = |other: &Peak| {
            let (dx, dy) = (other.centre().x - centre.x, other.centre().y - centre.y);
            dx.abs() < height && (0.5 * height..1.6 * height).contains(&dy)
        };
        !peaks.iter().any(|other| other.score >= LEAST_TO_MEASURE && below(other))
    };
    peaks.iter().filter(|peak| peak.worth(params.against) >= LEAST_TO_MEASURE && is_lowest(peak)).collect()
}

/// How tall the network sees the lowest pieces, times what their places on the felt ask for: the median; `None` for fewer
/// than two.
fn seen_size(matcher: &mut Matcher, peaks: &[Peak], params: &PiecesParams) -> Option<f64> {
    matcher.size = 1.0;
    let (camera, matcher) = (matcher.camera, &*matcher);
    let sure = lowest(peaks, params).into_iter();
    let ratios: Vec<f64> = sure
        .filter_map(|peak| {
            let foot = camera.playmat_from_px(peak.base).filter(|&p| camera.on_playmat(p, 0.0))?;
            let face = matcher.face(foot.at_height(0.0), 0.0)?;
            Some(OUTLINE_SCALE * peak.height_px() / face.height_px())
        })
        .collect();
    if ratios.len() < 2 { None } else { median(ratios) }
}

/// `c` moved and turned to where its edges fit best nearby; with `below`, no farther from that piece's plane than it gains.
fn refined(matcher: &Matcher, peak: &Peak, mut c: Candidate, below: Option<&Candidate>, params: &PiecesParams) -> Candidate {
    let most_yaw = params.most_yaw_degrees.to_radians();
    let depth = |foot: WorldPoint| below.map_or(0.0, |b| params.depth_penalty * offset(b, &Candidate { foot, ..*b }).1.abs());
    let (centre, height_px) = (peak.centre(), peak.height_px());
    let astray = |foot: WorldPoint| {
        let middle = WorldPoint::new(foot.x, foot.y, foot.z + MEEPLE_HEIGHT_MM * matcher.size / 2.0);
        params.stray * (matcher.camera.px_clamped(middle).distance(centre) / height_px).powi(2)
    };
    c.fit -= depth(c.foot) + astray(c.foot);
    let (mut step, mut turn) = (params.step_mm, 0.1);
    for _ in 0..4 {
        for _ in 0..3 {
            let mut best = c;
            for (across, away, dyaw) in
                [(step, 0.0, 0.0), (-step, 0.0, 0.0), (0.0, step, 0.0), (0.0, -step, 0.0), (0.0, 0.0, turn), (0.0, 0.0, -turn)]
            {
                let (foot, yaw) = (moved(c.foot, c.yaw, across, away), c.yaw + dyaw);
                if yaw.abs() > most_yaw {
                    continue;
                }
                if let Some(fit) = matcher.score(foot, yaw).map(|s| s - depth(foot) - astray(foot))
                    && fit > best.fit
                {
                    best = Candidate { foot, yaw, fit, ..c };
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
fn row_above(matcher: &Matcher, peaks: &[Peak], below: &[Candidate], params: &PiecesParams) -> Vec<Candidate> {
    let mut found = Vec::new();
    for b in below {
        let level = WorldPoint::new(b.foot.x, b.foot.y, b.foot.z + MEEPLE_HEIGHT_MM * matcher.size);
        for (index, peak) in peaks.iter().enumerate() {
            if let Some(foot) = place_on(matcher, level, b.yaw, peak) {
                let c = Candidate { foot, yaw: b.yaw, row: b.row + 1, score: 0.0, fit: 0.0, peak: index };
                found.extend(weighed(matcher, peak, c, Some(b), params));
            }
        }
    }
    let found = distinct(found, matcher.size);
    found.into_iter().filter(|c| is_supported(c, below.iter(), matcher.size)).collect()
}

/// Where, on the row whose feet are on a head at `level` turned by `yaw`, `peak` would stand; `None` out of reach.
fn place_on(matcher: &Matcher, level: WorldPoint, yaw: f64, peak: &Peak) -> Option<WorldPoint> {
    let camera = matcher.camera;
    let middle = |across: f64, away: f64| {
        let foot = moved(level, yaw, across, away);
        camera.px_from_world(WorldPoint::new(foot.x, foot.y, foot.z + MEEPLE_HEIGHT_MM * matcher.size / 2.0))
    };
    // Perspective bends so little over one meeple that one linear step finds the place.
    let (origin, right, back) = (middle(0.0, 0.0)?, middle(REACH_MM, 0.0)?, middle(0.0, REACH_MM)?);
    let per_mm = |p: Px| ((p.x - origin.x) / REACH_MM, (p.y - origin.y) / REACH_MM);
    let ((ax, ay), (bx, by)) = (per_mm(right), per_mm(back));
    let (dx, dy) = (peak.centre().x - origin.x, peak.centre().y - origin.y);
    // Across is seen well, away badly: what is not explained across may be up to a few millimetres away, no more.
    let across = (dx * ax + dy * ay) / (ax * ax + ay * ay);
    let (rx, ry) = (dx - across * ax, dy - across * ay);
    let away = ((rx * bx + ry * by) / (bx * bx + by * by)).clamp(-MOST_AWAY_MM, MOST_AWAY_MM);
    let left = (rx - away * bx).hypot(ry - away * by) / peak.height_px();
    (across.abs() < REACH_MM * matcher.size && left < MOST_OFF).then(|| moved(level, yaw, across, away))
}

/// A piece whose middle is farther than this across from the middle of the head below does not stand on it, mm.
const REACH_MM: f64 = 13.0;
/// Most a piece is set back from the one below before the edges are asked, mm.
const MOST_AWAY_MM: f64 = 5.0;
/// Most the middle of a peak may lie off the place that the row gives it, in heights of the peak.
const MOST_OFF: f64 = 0.3;

/// `found`, best first, without those that would fill the space of a better one.
fn distinct(mut found: Vec<Candidate>, size: f64) -> Vec<Candidate> {
    let rank = |c: &Candidate| c.score + c.fit;
    found.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
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
    a.row == b.row + 1 && away.abs() < 12.0 * size && across.abs() < 13.0 * size
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

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;
    use crate::{
        pieces::{canonical::Canonical, edges::EdgeMaps},
        pose::tests::camera,
    };

    fn at(x: f64, y: f64, row: usize) -> Candidate {
        let foot = WorldPoint::new(x, y, (row - 1) as f64 * MEEPLE_HEIGHT_MM);
        Candidate { foot, yaw: 0.0, row, score: 1.0, fit: 1.0, peak: 0 }
    }

    #[test]
    fn slim_or_turned_neighbours_do_not_fill_the_same_space() {
        let piece = at(0.0, 0.0, 1);
        for neighbour in [at(10.5, 0.0, 1), at(0.0, 8.5, 1), at(8.0, 6.0, 1)] {
            assert!(!collide(&piece, &neighbour, 1.0), "{neighbour:?}");
        }
        for same in [at(7.0, 0.0, 1), at(0.0, 6.0, 1), at(6.0, 4.0, 1)] {
            assert!(collide(&piece, &same, 1.0), "{same:?}");
        }
        assert!(!collide(&piece, &at(0.0, 0.0, 2), 1.0));
    }

    #[test]
    fn a_piece_set_back_by_nearly_its_thickness_is_still_supported_but_not_beyond() {
        let below = [at(-8.0, 0.0, 1), at(8.0, 0.0, 1)];
        assert!(is_supported(&at(0.0, 11.0, 2), below.iter(), 1.0));
        assert!(!is_supported(&at(0.0, 13.0, 2), below.iter(), 1.0));
        assert!(!is_supported(&at(0.0, 0.0, 2), below[..1].iter(), 1.0));
    }

    #[test]
    fn where_the_edges_say_nothing_a_piece_goes_where_the_network_saw_it() {
        let camera = camera(15.0, 0.0, 0.0, 55.0, 400.0, 0.0, [297.0, 210.0]);
        let params = PiecesParams::default();
        let blank = RgbImage::from_pixel(1280, 720, image::Rgb([90, 90, 90]));
        let canonical = Canonical::new(&blank, &camera, 44.0, 2.0, 40.0).unwrap();
        let edges = EdgeMaps::new(&canonical.image, &params).unwrap();
        let matcher = Matcher::new(&camera, &canonical, &edges, 1.0, 0.0);
        let px = |z: f64| camera.px_from_world(WorldPoint::new(5.0, 0.0, z)).unwrap();
        let peak = Peak { base: px(0.0), head: px(MEEPLE_HEIGHT_MM), score: 1.0, against: 0.0, visible: 1.0 };
        let start = Candidate { fit: 0.0, ..at(0.0, 0.0, 1) };
        let found = refined(&matcher, &peak, start, None, &params);
        assert!((found.foot.x - 5.0).abs() < 1.0, "{:?}", found.foot);
    }
}
