//! Doubt: whether a reading may stand, and if not, why and what to do about it.
//!
//! A wrong score is worse than none. Each check looks at what would have to be different for another score to be right.

use serde::{Deserialize, Serialize};

use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM, MEEPLE_WIDTH_MM},
    geometry::{Px, WorldPoint, span},
    layout::{Layout, Standing},
    pieces::{Candidate, Lying, Pieces, Rest, offset, outline_px, solid::FrontFace},
    playmat::Playmat,
    pose::Camera,
    quality::Quality,
};

/// What the assessment can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DoubtParams {
    /// Least score of a counted piece that is not doubted, 0 to 1: where no pyramid has more than three meeples, so that each
    /// changes much of the score and few others speak for it, and elsewhere.
    pub faint: [f64; 2],
    /// How sure it must be that all counted pieces are pieces, 0 to 1.
    pub sure: f64,
    /// Least mean score of the counted pieces, 0 to 1.
    pub fit: f64,
    /// Score from which a candidate that was left out may be a piece after all, 0 to 1.
    pub tempting: f64,
    /// Least confidence in the playmat, 0 to 1.
    pub playmat: f64,
    /// Least brightness that a tenth of the picture exceeds where the pieces are, 0 black to 1 white.
    pub dark: f64,
    /// Greatest width of the edges of the pieces, as a share of their height.
    pub blurred: f64,
    /// Least height of a counted piece in the picture, px.
    pub least_height_px: f64,
    /// Share of a thing on the felt that must look like meeples for it to be suspected, 0 to 1.
    pub cover: f64,
    /// Counted pieces this near to the left, right or upper border of the picture may have neighbours outside it, meeple widths.
    pub border: f64,
    /// Largest such thing that may stay unexplained, meeples.
    pub unexplained: f64,
    /// Least share of a playmat inside the picture, and least confidence in it, where nothing counts on it: a sheet at the
    /// picture's border may be anything.
    pub empty_playmat: [f64; 2],
    /// Neighbours of two pyramids that stand no farther apart than this may touch after all: across in widths, away in
    /// thicknesses, middle to middle.
    pub nearly_touching: [f64; 2],
    /// Score from which a peak beside what stands may be a piece after all, 0 to 1: where nothing counts, where no pyramid has
    /// more than three meeples, and elsewhere.
    pub overlooked: [f64; 3],
    /// A meeple that was taken not to stand may stand after all where standing is at least so likely, 0 to 1, and a counted
    /// piece is within so many of its own heights.
    pub may_stand: [f64; 2],
    /// Share of the gaps between neighbours that may show no felt before pieces are suspected behind them, 0 to 1.
    pub closed_gaps: f64,
    /// Camera height above the horizon from which a piece right behind another shows its head, so that gaps need not be looked
    /// through, degrees.
    pub heads_degrees: f64,
    /// Share of the reading's own worth at which another reading, from another camera, makes it doubtful, 0 to 1.
    pub rival: f64,
    /// Camera heights above the horizon between which pieces can be told apart, degrees: least, most.
    pub elevation_degrees: [f64; 2],
}

impl Default for DoubtParams {
    fn default() -> Self {
        Self {
            faint: [0.5, 0.25],
            tempting: 0.3,
            sure: 0.7,
            fit: 0.4,
            playmat: 0.05,
            dark: 0.13,
            blurred: 0.22,
            least_height_px: 16.0,
            cover: 0.5,
            border: 0.15,
            unexplained: 1.6,
            empty_playmat: [0.6, 0.3],
            nearly_touching: [1.45, 1.2],
            overlooked: [0.15, 0.35, 0.5],
            may_stand: [0.33, 1.3],
            closed_gaps: 0.5,
            heads_degrees: 32.0,
            rival: 0.97,
            elevation_degrees: [5.0, 52.0],
        }
    }
}

/// Meeples of a small pyramid.
const LITTLE: usize = 3;

/// Fewer gaps than this tell nothing.
const LEAST_GAPS: usize = 2;

/// A reason not to stand by a reading, and the way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// What is wrong, for people.
    pub reason: String,
    /// What to do about it.
    pub advice: &'static str,
    /// How sure the score still is in spite of it, 0 to 1.
    pub confidence: f64,
}

/// How sure it is that every one of the counted pieces is one, 0 to 1. A score's share of right pieces rises along a
/// logistic curve, fitted on the readings of photos with truth.
pub fn all_counted(layout: &Layout) -> f64 {
    const EVEN: f64 = 0.25;
    const WIDTH: f64 = 0.05;
    let counted = layout.standing.iter().filter(|s| s.pyramid.is_some());
    counted.map(|s| 1.0 / (1.0 + (-(s.candidate.score - EVEN) / WIDTH).exp())).product()
}

/// `share` in whole percent: what falls short of a limit must not read as if it reached it.
fn percent_down(share: f64) -> f64 {
    (100.0 * share).floor()
}

/// What is wrong with a picture of this `quality`.
pub fn of_quality(quality: &Quality, params: &DoubtParams) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if quality.brightness < params.dark {
        doubts.push(Doubt {
            reason: format!(
                "the picture is too dark: its bright parts reach {:.0} % of white, {:.0} % are needed",
                percent_down(quality.brightness),
                100.0 * params.dark
            ),
            advice: "take another picture with more light",
            confidence: 0.5,
        });
    }
    if quality.edge_width > params.blurred {
        doubts.push(Doubt {
            reason: format!(
                "the picture is blurred: edges are {:.0} % of a meeple's height wide, {:.0} % at most can be read",
                (100.0 * quality.edge_width).ceil(),
                100.0 * params.blurred
            ),
            advice: "hold the camera still, focus on the pyramid and take another picture",
            confidence: 0.5,
        });
    }
    doubts
}

/// All reasons to doubt the reading of these stage results; `rival` is how convincing the best different reading is,
/// as a share of this one.
pub fn assess(
    playmat: &Playmat,
    camera: &Camera,
    pieces: &Pieces,
    layout: &Layout,
    rival: Option<f64>,
    rest: &Rest,
    params: &DoubtParams,
) -> Vec<Doubt> {
    let mut doubts = of_quality(&rest.quality, params);
    let mut doubt = |reason: String, advice, confidence: f64| {
        doubts.push(Doubt { reason, advice, confidence: confidence.clamp(0.0, 1.0) });
    };
    if playmat.confidence < params.playmat {
        doubt(
            "the outline of the playmat is not clear".into(),
            "show the whole felt on a table of another colour",
            playmat.confidence,
        );
    }
    let [least_visible, least_sure] = params.empty_playmat;
    if layout.pyramids.is_empty() && (playmat.visible < least_visible || playmat.confidence < least_sure) {
        doubt(
            "nothing stands on what may not be the playmat".into(),
            "show the whole felt on a table of another colour",
            playmat.confidence.min(0.5),
        );
    }
    let elevation = camera.elevation_degrees();
    let [least, most] = params.elevation_degrees;
    if !(least..=most).contains(&elevation) {
        doubt(
            format!("the camera looks down at {elevation:.0}°, where rows are hard to tell apart"),
            "hold the camera 10° to 40° above the table",
            0.3,
        );
    }
    let counted = || layout.standing.iter().filter(|s| s.pyramid.is_some()).map(|s| s.candidate);
    let most_meeples = layout.pyramids.iter().map(Vec::len).max();
    let faint_score = if most_meeples.is_some_and(|meeples| meeples <= LITTLE) { params.faint[0] } else { params.faint[1] };
    let faint = counted().filter(|c| c.score < faint_score).count();
    if faint > 0 {
        let weakest = counted().map(|c| c.score).fold(1.0, f64::min);
        doubt(
            format!("{faint} of the counted pieces can barely be made out"),
            "take another picture from nearer, with more light and in focus",
            weakest,
        );
    }
    let sure = all_counted(layout);
    if faint == 0 && sure < params.sure {
        doubt(
            format!(
                "some of the counted pieces are not clear: the score is {:.0} % sure, {:.0} % is needed",
                percent_down(sure),
                100.0 * params.sure
            ),
            "take another picture from nearer, with more light and in focus",
            sure,
        );
    }
    let scores: Vec<f64> = counted().map(|c| c.score).collect();
    let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
    if !scores.is_empty() && mean < params.fit {
        doubt(
            format!(
                "the pieces fit the size of the playmat badly ({:.0} % of their outline, {:.0} % is needed)",
                percent_down(mean),
                100.0 * params.fit
            ),
            "take a picture that shows all four edges of the felt, in focus",
            mean,
        );
    }
    let height_px =
        |c: &Candidate| camera.px_per_mm(WorldPoint::new(c.foot.x, c.foot.y, c.foot.z)) * MEEPLE_HEIGHT_MM * pieces.size;
    let smallest = counted().map(|c| height_px(&c)).fold(f64::INFINITY, f64::min);
    if smallest < params.least_height_px {
        doubt(
            format!("the pieces are small: {smallest:.0} px tall, {:.0} px are needed", params.least_height_px),
            "go nearer or use a picture with more pixels",
            0.4,
        );
    }
    if counted().any(|c| reaches_border(camera, &c, pieces.size, params.border)) {
        doubt(
            "the pyramid reaches the edge of the picture, and may go on outside it".into(),
            "show the whole pyramid, with felt on all sides of it",
            0.4,
        );
    }
    let near_pyramid =
        |c: &&Candidate| counted().any(|p| (p.foot.x - c.foot.x).hypot(p.foot.y - c.foot.y) < 3.0 * MEEPLE_WIDTH_MM);
    // On the felt the space between two pieces often looks a little like a third; higher up there is no such excuse.
    let tempting = |c: &&Candidate| c.row > 1 && c.score >= params.tempting;
    if let Some(best) = layout.left_out.iter().filter(near_pyramid).find(tempting) {
        doubt(
            format!("another piece may stand in row {}", best.row),
            "take another picture from a slightly different place",
            1.0 - best.score,
        );
    }
    if let Some(rival) = rival.filter(|&rival| rival > params.rival) {
        doubt(
            "the playmat can be seen in two ways, and two readings are nearly as good as each other".into(),
            "take a picture that shows all four edges of the felt",
            1.0 - rival,
        );
    }
    // Where nothing counts, a single piece that was overlooked is the whole score; where little does, much of it.
    let suspicion = if layout.pyramids.is_empty() { 0.5 } else { 1.0 };
    let like_meeples = rest.things.iter().filter(|thing| thing.cover > params.cover).map(|thing| thing.meeples);
    let unexplained = like_meeples.fold(0.0, f64::max);
    if unexplained > suspicion * params.unexplained {
        doubt(
            format!("something on the felt that looks like {unexplained:.1} meeples could not be made out"),
            "take another picture from another side or with more light, and clear away what does not belong there",
            0.4,
        );
    }
    let [nothing, little, much] = params.overlooked;
    let overlooked = match most_meeples {
        None => nothing,
        Some(..=LITTLE) => little,
        Some(_) => much,
    };
    if rest.overlooked > overlooked {
        doubt(
            "another piece may be standing there".into(),
            "take another picture from a slightly different place",
            1.0 - rest.overlooked,
        );
    }
    if may_stand(camera, pieces.size, layout, rest, params.may_stand) {
        doubt(
            "a piece beside the pyramid seems not to stand upright, but that is not sure".into(),
            "take another picture from a slightly different place, or clear away what lies beside the pyramid",
            0.5,
        );
    }
    let thickness = MEEPLE_THICKNESS_MM * pieces.size;
    let deep = layout.pyramids.iter().flatten().any(|&a| {
        layout.pyramids.iter().flatten().any(|&b| {
            let (a, b) = (&layout.standing[a].candidate, &layout.standing[b].candidate);
            let (across, away) = offset(a, b);
            a.row == b.row && across.abs() < 10.0 && (0.7..1.6).contains(&(away.abs() / thickness))
        })
    });
    let counting = counted().count();
    if rest.elsewhere > counting {
        doubt(
            format!("{} meeples stand beside what was taken for the playmat, and {counting} count", rest.elsewhere),
            "take a picture that shows the whole felt and little else of its shape or colour",
            0.3,
        );
    }
    if nearly_touch(layout, pieces.size, params.nearly_touching) {
        doubt(
            "two pyramids may touch, and would then be one".into(),
            "take another picture from higher up, or move what does not belong to the pyramid",
            0.5,
        );
    }
    if let Some(row) = layout.rows().iter().find_map(|rows| overlong(rows)) {
        doubt(
            format!("row {row} has as many meeples as the row below it, which may go on where it is hidden"),
            "add a picture from another side or from higher up",
            0.4,
        );
    }
    let beside = beside_a_row(camera, pieces.size, layout);
    if beside > 0 {
        doubt(
            format!("{beside} of the pieces that do not count may stand in a pyramid, on something hidden"),
            "add a picture from another side or from higher up, or clear away what lies in front of the pyramid",
            0.4,
        );
    }
    let hidden = hidden_feet(camera, pieces.size, layout);
    if hidden > 0 {
        doubt(
            format!("the feet of {hidden} of the pieces are behind a pyramid, so that their row is a guess"),
            "add a picture from another side or from higher up",
            0.4,
        );
    }
    let [gaps, closed] = rest.gaps;
    let screened = gaps >= LEAST_GAPS && closed as f64 > params.closed_gaps * gaps as f64 && elevation < params.heads_degrees;
    if deep || screened {
        doubt(
            "pieces may stand one behind the other, and some may be hidden".into(),
            "add a picture from another side or from higher up",
            0.4,
        );
    }
    doubts
}

/// Whether the front of `c` is seen within `margin` of its own width of the picture's left, right or upper border.
fn reaches_border(camera: &Camera, c: &Candidate, size: f64, margin: f64) -> bool {
    let outline = outline_px(camera, c, size);
    let ((left, right), (top, _)) = (span(outline.iter().map(|p| p.x)), span(outline.iter().map(|p| p.y)));
    let margin = margin * (right - left);
    left < margin || right > camera.width - margin || top < margin
}

/// Whether a meeple within `reach` heights of a counted piece was taken not to stand although that is `least` likely.
fn may_stand(camera: &Camera, size: f64, layout: &Layout, rest: &Rest, [least, reach]: [f64; 2]) -> bool {
    let counted = layout.standing.iter().filter(|s| s.pyramid.is_some());
    let faces: Vec<FrontFace> = counted.filter_map(|s| FrontFace::of(camera, &s.candidate, size)).collect();
    let beside = |centre: Px| faces.iter().any(|face| face.middle().distance(centre) < reach * face.height_px());
    rest.lying.iter().any(|Lying { peak, .. }| peak.against >= least && beside(peak.centre()))
}

/// Whether two pieces of different pyramids stand side by side or front to back with hardly more than nothing between them.
fn nearly_touch(layout: &Layout, size: f64, [most_across, most_away]: [f64; 2]) -> bool {
    let counted: Vec<_> = layout.standing.iter().filter(|s| s.pyramid.is_some()).collect();
    counted.iter().enumerate().any(|(i, a)| {
        counted[..i].iter().any(|b| {
            let (across, away) = offset(&a.candidate, &b.candidate);
            a.pyramid != b.pyramid
                && a.candidate.row == b.candidate.row
                && across.abs() < most_across * MEEPLE_WIDTH_MM * size
                && away.abs() < most_away * MEEPLE_THICKNESS_MM * size
        })
    })
}

/// The row, from 1, that is no shorter than a row of several meeples below it: side by side each meeple stands on two, so that
/// a row loses one on the row below.
fn overlong(rows: &[usize]) -> Option<usize> {
    rows.windows(2).position(|pair| pair[0] >= LITTLE && pair[1] >= pair[0]).map(|below| below + 2)
}

/// How many pieces that do not count are seen where a row above the first would go on.
fn beside_a_row(camera: &Camera, size: f64, layout: &Layout) -> usize {
    // Neighbours in a row stand about a width apart, with their feet level.
    const BESIDE_MM: f64 = 1.4 * MEEPLE_WIDTH_MM;
    const LEVEL_MM: f64 = 0.35 * MEEPLE_HEIGHT_MM;
    let face = |s: &Standing| FrontFace::of(camera, &s.candidate, size);
    let raised: Vec<FrontFace> =
        layout.standing.iter().filter(|s| s.pyramid.is_some() && s.candidate.row > 1).filter_map(face).collect();
    let goes_on = |own: &FrontFace| {
        let mut feet = raised.iter().filter_map(|face| face.outline_from_px(own.foot));
        feet.any(|(u, v)| u.abs() < BESIDE_MM && v.abs() < LEVEL_MM)
    };
    layout.standing.iter().filter(|s| s.pyramid.is_none()).filter_map(face).filter(goes_on).count()
}

/// How many pieces seem to stand on the felt behind a pyramid with their feet hidden by it or seen right over its heads: they
/// may as well stand in it, higher, on pieces that are hidden altogether.
pub(crate) fn hidden_feet(camera: &Camera, size: f64, layout: &Layout) -> usize {
    // Feet so far beside and above the feet of the piece in front, mm of its face, may be on something behind it.
    const BESIDE_MM: f64 = 0.75 * MEEPLE_WIDTH_MM;
    const ABOVE_MM: f64 = 1.35 * MEEPLE_HEIGHT_MM;
    let face = |c: &Candidate| FrontFace::of(camera, c, size);
    let hides = |front: &Candidate, behind: &Candidate| {
        let (Some(front_face), Some(feet)) = (face(front), face(behind)) else { return false };
        let over = front_face.outline_from_px(feet.foot);
        over.is_some_and(|(u, v)| u.abs() < BESIDE_MM && (0.0..ABOVE_MM).contains(&v))
            && camera.depth_mm(front.foot) < camera.depth_mm(behind.foot)
    };
    let on_the_felt = layout.standing.iter().filter(|s| s.candidate.row == 1);
    let in_front = |s: &Standing| {
        layout.standing.iter().any(|f| f.pyramid.is_some() && f.pyramid != s.pyramid && hides(&f.candidate, &s.candidate))
    };
    on_the_felt.filter(|s| in_front(s)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pieces::Peak, pose::tests::camera, reading::PieceState};

    fn standing(x: f64, y: f64, row: usize, pyramid: usize) -> Standing {
        let foot = WorldPoint::new(x, y, MEEPLE_HEIGHT_MM * (row - 1) as f64);
        Standing {
            candidate: Candidate { foot, yaw: 0.0, row, score: 1.0, fit: 1.0, peak: 0 },
            pyramid: Some(pyramid),
            on_playmat: true,
        }
    }

    fn hidden(standing: Vec<Standing>) -> usize {
        let camera = camera(20.0, 0.0, 0.0, 55.0, 400.0, 0.0, [297.0, 210.0]);
        hidden_feet(&camera, 1.0, &Layout { standing, ..Layout::default() })
    }

    #[test]
    fn a_row_as_long_as_the_one_below_it_is_suspicious_unless_it_is_a_tower() {
        assert_eq!(overlong(&[5, 5, 1]), Some(2));
        assert_eq!(overlong(&[6, 4, 4]), Some(3));
        assert_eq!(overlong(&[7, 2, 2, 2, 1]), None);
        assert_eq!(overlong(&[5, 4, 3, 2, 1]), None);
    }

    #[test]
    fn feet_behind_another_pyramid_are_hidden() {
        // From 20° the head of a piece 25 mm nearer is seen over the feet of the farther one.
        assert_eq!(hidden(vec![standing(0.0, 0.0, 1, 0), standing(0.0, 25.0, 1, 1)]), 1);
    }

    #[test]
    fn feet_beside_another_pyramid_far_behind_it_or_in_the_same_one_are_not() {
        assert_eq!(hidden(vec![standing(0.0, 0.0, 1, 0), standing(30.0, 25.0, 1, 1)]), 0);
        assert_eq!(hidden(vec![standing(0.0, 0.0, 1, 0), standing(0.0, 80.0, 1, 1)]), 0);
        assert_eq!(hidden(vec![standing(0.0, 0.0, 1, 0), standing(0.0, 25.0, 1, 0)]), 0);
    }

    #[test]
    fn a_lying_meeple_that_may_stand_is_suspicious_beside_a_pyramid_alone() {
        let camera = camera(20.0, 0.0, 0.0, 55.0, 400.0, 0.0, [297.0, 210.0]);
        let layout = Layout { standing: vec![standing(0.0, 0.0, 1, 0)], ..Layout::default() };
        let suspicious = |x: f64, against: f64| {
            let FrontFace { foot: base, up, .. } = FrontFace::of(&camera, &standing(x, 0.0, 1, 0).candidate, 1.0).unwrap();
            let head = Px::new(base.x + up.0 * MEEPLE_HEIGHT_MM, base.y + up.1 * MEEPLE_HEIGHT_MM);
            let peak = Peak { base, head, score: 0.4, against, visible: 1.0 };
            let rest = Rest { lying: vec![Lying { peak, state: PieceState::Lying, outline: Vec::new() }], ..Rest::default() };
            may_stand(&camera, 1.0, &layout, &rest, DoubtParams::default().may_stand)
        };
        assert!(suspicious(16.0, 0.4));
        assert!(!suspicious(16.0, 0.2) && !suspicious(40.0, 0.4));
    }
}
