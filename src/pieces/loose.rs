//! What lies on the felt and is not a standing meeple: whatever is neither felt nor hidden by what stands.

use image::{GrayImage, Luma, RgbImage};
use opencv::{
    core::{Mat, Point, Vector},
    imgproc,
};

use super::{CERTAIN, Candidate, Evidence, PiecesError, PiecesParams, peaks::Peak, solid::FrontFace};
use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM, MEEPLE_WIDTH_MM},
    geometry::{Px, WorldPoint, span},
    mat,
    playmat::Playmat,
    pose::Camera,
    quality::{self, Quality},
    reading::PieceState,
};

/// Strip along the playmat's edge that is not looked at, mm: the outline is not that exact.
const EDGE_MM: f64 = 6.0;
/// Share of its bounding box that a meeple's outline fills.
const OUTLINE_FILL: f64 = 0.55;
/// Things smaller than this share of a meeple are specks, hems of shadows and the like.
const SMALLEST_MEEPLES: f64 = 0.35;

/// A meeple that does not stand upright.
#[derive(Clone, Debug, PartialEq)]
pub struct Lying {
    /// Where the network sees it.
    pub peak: Peak,
    /// How it lies or leans.
    pub state: PieceState,
    /// Outline in the picture, px: exact where it lies on the felt by itself, else a box.
    pub outline: Vec<Px>,
}

/// Something on the felt that no meeple explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// Outline in the picture, px.
    pub outline: Vec<Px>,
    /// Lowest and highest point in the picture, px.
    pub ends: [Px; 2],
    /// Visible area in meeples: 1 for as much as a standing one shows.
    pub meeples: f64,
    /// Share of it that the network takes for a meeple's, 0 to 1.
    pub cover: f64,
}

/// What is on the playmat besides standing meeples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// Meeples that lie, lean or stand on their heads.
    pub lying: Vec<Lying>,
    /// Other things on the felt, largest first.
    pub things: Vec<Thing>,
    /// Score of the best peak on the playmat or near a standing meeple that is no meeple found, 0 to 1.
    pub overlooked: f64,
    /// Gaps between neighbours that could show felt, and how many of them show none: more pieces may stand behind.
    pub gaps: [usize; 2],
    /// Meeples that stand upright, but not on the playmat.
    pub elsewhere: usize,
    /// How good the picture is where meeples are seen.
    pub quality: Quality,
}

/// What there is in `picture` besides the `standing` meeples, on the playmat above all.
pub fn rest(
    picture: &RgbImage,
    playmat: &Playmat,
    evidence: &Evidence,
    camera: &Camera,
    standing: &[Candidate],
    size: f64,
    params: &PiecesParams,
) -> Result<Rest, PiecesError> {
    let mut things = unexplained_felt(playmat, evidence, camera, standing, size)?;
    let peaks = lying(evidence, camera, standing, size);
    let holds = |thing: &Thing, peak: &Peak| {
        let centre = peak.centre();
        let (left, right) = span(thing.outline.iter().map(|p| p.x));
        (left..=right).contains(&centre.x) && (thing.ends[1].y..=thing.ends[0].y).contains(&centre.y)
    };
    let mut found = Vec::new();
    for peak in &peaks {
        let alone = things.iter().find(|t| holds(t, peak)).filter(|t| peaks.iter().filter(|p| holds(t, p)).count() == 1);
        let outline = alone.map_or_else(|| boxed(peak), |thing| thing.outline.clone());
        found.push(Lying { peak: *peak, state: state_of(peak, evidence, camera, size, params), outline });
    }
    things.retain(|thing| !peaks.iter().any(|peak| holds(thing, peak)));
    let faces = faces(camera, standing, size);
    let apart = |a: &Peak, p: Px, heights: f64| a.centre().distance(p) > heights * a.height_px();
    let unused = evidence.peaks.upright.iter().enumerate().filter(|(i, _)| standing.iter().all(|c| c.peak != *i));
    let overlooked = unused.map(|(_, peak)| peak).filter(|peak| {
        peaks.iter().all(|lying| apart(peak, lying.centre(), SAME) || lying.score < CLEARLY * peak.score)
            && (faces.iter().any(|face| !apart(peak, face.middle(), NEARBY))
                || camera.playmat_from_px(peak.base).is_some_and(|p| camera.on_playmat(p, 0.0)))
    });
    let overlooked = overlooked.map(|peak| peak.worth(params.against)).fold(0.0, f64::max);
    let gaps = super::gaps::closed(playmat, evidence, camera, standing, size);
    // Where hardly anything stands, the pyramid may be on a playmat that was not found.
    let searched;
    let all = if standing.len() < FEW {
        searched = super::anywhere(picture, params)?;
        &searched
    } else {
        &evidence.peaks.upright
    };
    let is_elsewhere = |peak: &&Peak| {
        peak.worth(params.against) >= CERTAIN
            && faces.iter().all(|face| apart(peak, face.middle(), SAME))
            && camera.playmat_from_px(peak.base).is_none_or(|p| !camera.on_playmat(p, 0.0))
    };
    let elsewhere = all.iter().filter(is_elsewhere).count();
    let seen: Vec<Peak> = evidence.peaks.upright.iter().filter(|peak| peak.score >= LEAST_OTHER).copied().collect();
    let quality = quality::around(picture, &seen)?;
    Ok(Rest { lying: found, things, overlooked, gaps, elsewhere, quality })
}

/// With fewer standing meeples than this the whole picture is searched for others.
const FEW: usize = 3;

/// A square around `peak`, as large as a meeple.
fn boxed(peak: &Peak) -> Vec<Px> {
    let (centre, half) = (peak.centre(), peak.height_px() / 2.0);
    [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)].map(|(x, y)| Px::new(centre.x + x * half, centre.y + y * half)).to_vec()
}

/// Everything on the felt that the `standing` meeples do not explain, largest first.
fn unexplained_felt(
    playmat: &Playmat,
    evidence: &Evidence,
    camera: &Camera,
    standing: &[Candidate],
    size: f64,
) -> opencv::Result<Vec<Thing>> {
    let [sx, sy] = playmat.mask_scale;
    let px_from_small = |x: f64, y: f64| Px::new(x * sx, y * sy);
    let (width, height) = playmat.mask.dimensions();
    let explained = silhouettes(playmat, camera, standing, size)?;
    let mut found = GrayImage::new(width, height);
    for (x, y, pixel) in found.enumerate_pixels_mut() {
        let bare = playmat.mask.get_pixel(x, y).0[0] > 0;
        if bare || explained.get_pixel(x, y).0[0] > 0 {
            continue;
        }
        let place = camera.playmat_from_px(px_from_small(f64::from(x) + 0.5, f64::from(y) + 0.5));
        if place.is_some_and(|p| camera.on_playmat(p, -EDGE_MM)) {
            *pixel = Luma([255]);
        }
    }
    let mut contours: Vector<Vector<Point>> = Vector::new();
    imgproc::find_contours_def(&mat::of_gray(&found)?, &mut contours, imgproc::RETR_EXTERNAL, imgproc::CHAIN_APPROX_SIMPLE)?;
    let mut things = Vec::new();
    for contour in contours {
        let outline: Vec<Px> = contour.iter().map(|p| px_from_small(f64::from(p.x) + 0.5, f64::from(p.y) + 0.5)).collect();
        let by_height = |a: &&Px, b: &&Px| a.y.total_cmp(&b.y);
        let (Some(&top), Some(&bottom)) = (outline.iter().min_by(by_height), outline.iter().max_by(by_height)) else {
            continue;
        };
        let Some(place) = camera.playmat_from_px(bottom) else { continue };
        let px_per_mm = camera.px_per_mm(place.at_height(0.0));
        let meeple = OUTLINE_FILL * MEEPLE_WIDTH_MM * MEEPLE_HEIGHT_MM * (size * px_per_mm).powi(2) / (sx * sy);
        let meeples = imgproc::contour_area_def(&contour)? / meeple.max(1e-9);
        if meeples < SMALLEST_MEEPLES {
            continue;
        }
        let bounds = imgproc::bounding_rect(&contour)?;
        let (mut cover, mut pixels) = (0.0, 0.0);
        for (x, y) in (bounds.y..bounds.y + bounds.height).flat_map(|y| (bounds.x..bounds.x + bounds.width).map(move |x| (x, y)))
        {
            if found.get_pixel(x as u32, y as u32).0[0] > 0 {
                let px = px_from_small(f64::from(x) + 0.5, f64::from(y) + 0.5);
                cover += evidence.peaks.cover_at(evidence.canonical.canonical_from_px(px));
                pixels += 1.0;
            }
        }
        things.push(Thing { outline, ends: [bottom, top], meeples, cover: cover / f64::max(pixels, 1.0) });
    }
    things.sort_by(|a, b| b.meeples.total_cmp(&a.meeples));
    Ok(things)
}

/// Score of a peak from which on it is a meeple that lies or leans.
const LEAST_OTHER: f64 = 0.3;
/// A peak this near to the middle of a standing meeple, in heights, is that meeple's.
const SAME: f64 = 0.4;
/// A meeple that may stand is taken to lie only if the network is this many times as sure of that.
const CLEARLY: f64 = 1.3;
/// A peak this near to the middle of a standing meeple, in heights, may belong to its pyramid.
const NEARBY: f64 = 2.0;

/// The meeples on the playmat that the network sees in another state than upright and that are none of `standing`.
fn lying(evidence: &Evidence, camera: &Camera, standing: &[Candidate], size: f64) -> Vec<Peak> {
    let faces = faces(camera, standing, size);
    let lying = evidence.peaks.other.iter().filter(|peak| peak.score >= LEAST_OTHER).filter(|peak| {
        let on_playmat = camera.playmat_from_px(peak.centre()).is_some_and(|p| camera.on_playmat(p, 0.0));
        on_playmat && faces.iter().all(|face| face.middle().distance(peak.centre()) > SAME * face.height_px())
    });
    lying.copied().collect()
}

/// The front faces of `standing`.
fn faces(camera: &Camera, standing: &[Candidate], size: f64) -> Vec<FrontFace> {
    standing.iter().filter_map(|c| FrontFace::of(camera, c, size)).collect()
}

/// From this score on, a turned outline is taken for what is there.
const TURNED_SCORE: f64 = 0.5;
/// Leans that are told from lying, degrees.
const LEANS_DEGREES: [f64; 6] = [-36.0, -26.0, -16.0, 16.0, 26.0, 36.0];

/// How the meeple of `peak` lies or stands: the outline upside down and leaning is held against the picture like the
/// upright one.
fn state_of(peak: &Peak, evidence: &Evidence, camera: &Camera, size: f64, params: &PiecesParams) -> PieceState {
    let matcher = evidence.matcher(camera, size, params);
    let mut best = (TURNED_SCORE, PieceState::Lying);
    let centre = peak.centre();
    let foot = Px::new(centre.x, centre.y + peak.height_px() / 2.0);
    let Some(middle) = camera.playmat_from_px(foot) else { return PieceState::Lying };
    for (dx, dy) in (-4..=4).flat_map(|i| (-2..=4).map(move |j| (2.0 * f64::from(i), 2.0 * f64::from(j)))) {
        for yaw in [-0.4, 0.0, 0.4] {
            let Some(face) = matcher.face(WorldPoint::new(middle.x + dx, middle.y + dy, 0.0), yaw) else { continue };
            let turned = |degrees: f64| {
                let (sin, cos) = degrees.to_radians().sin_cos();
                let ((ax, ay), (ux, uy)) = (face.across, face.up);
                FrontFace {
                    across: (ax * cos + ux * sin, ay * cos + uy * sin),
                    up: (ux * cos - ax * sin, uy * cos - ay * sin),
                    ..face
                }
            };
            let on_its_head = FrontFace {
                foot: face.at(0.0, MEEPLE_HEIGHT_MM),
                across: (-face.across.0, -face.across.1),
                up: (-face.up.0, -face.up.1),
            };
            let poses = LEANS_DEGREES.iter().map(|&lean| (turned(lean), PieceState::Leaning));
            for (face, state) in poses.chain([(on_its_head, PieceState::UpsideDown)]) {
                if let Some(score) = matcher.score_at(&matcher.template(&face), face.foot)
                    && score > best.0
                {
                    best = (score, state);
                }
            }
        }
    }
    best.1
}

/// Where the standing meeples are seen, at the playmat mask's scale.
fn silhouettes(playmat: &Playmat, camera: &Camera, standing: &[Candidate], size: f64) -> opencv::Result<GrayImage> {
    let [sx, sy] = playmat.mask_scale;
    let (width, height) = playmat.mask.dimensions();
    let mut filled = Mat::new_rows_cols_with_default(height as i32, width as i32, opencv::core::CV_8UC1, 0.into())?;
    for c in standing {
        let corners: Vector<Point> = solid_corners(c, size)
            .filter_map(|w| camera.px_from_world(w))
            .map(|p| Point::new((p.x / sx) as i32, (p.y / sy) as i32))
            .collect();
        let mut hull: Vector<Point> = Vector::new();
        imgproc::convex_hull_def(&corners, &mut hull)?;
        imgproc::fill_convex_poly_def(&mut filled, &hull, 255.into())?;
    }
    let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, (3, 3).into())?;
    let mut wider = Mat::default();
    imgproc::dilate_def(&filled, &mut wider, &kernel)?;
    mat::to_gray(&wider)
}

/// Corners of the box around the meeple `c`.
fn solid_corners(c: &Candidate, size: f64) -> impl Iterator<Item = WorldPoint> {
    let (sin, cos) = c.yaw.sin_cos();
    let (half_width, half_depth) = (MEEPLE_WIDTH_MM * size / 2.0, MEEPLE_THICKNESS_MM * size / 2.0);
    let foot = c.foot;
    (0..8).map(move |k| {
        let u = if k & 1 == 0 { -half_width } else { half_width };
        let n = if k & 2 == 0 { -half_depth } else { half_depth };
        let z = if k & 4 == 0 { 0.0 } else { MEEPLE_HEIGHT_MM * size };
        WorldPoint::new(foot.x + u * cos - n * sin, foot.y + u * sin + n * cos, foot.z + z)
    })
}
