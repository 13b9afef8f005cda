//! What lies on the felt and is not a standing meeple: whatever is neither felt nor hidden by what stands.

use image::{GrayImage, Luma};
use opencv::{
    core::{Mat, Point, Vector},
    imgproc,
};

use super::{Candidate, Evidence, PiecesParams, solid::FrontFace};
use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM, MEEPLE_WIDTH_MM},
    geometry::{Px, WorldPoint},
    mat,
    playmat::Playmat,
    pose::Camera,
    reading::PieceState,
};

/// Strip along the playmat's edge that is not looked at, mm: the outline is not that exact.
const EDGE_MM: f64 = 6.0;
/// Share of its bounding box that a meeple's outline fills.
const OUTLINE_FILL: f64 = 0.55;
/// Things smaller than this share of a meeple are specks, hems of shadows and the like.
const SMALLEST_MEEPLES: f64 = 0.35;

/// Something on the felt that no standing meeple explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Loose {
    /// Outline in the picture, px.
    pub outline: Vec<Px>,
    /// Lowest and highest point in the picture, px.
    pub ends: [Px; 2],
    /// Visible area in meeples: 1 for as much as a standing one shows.
    pub meeples: f64,
    /// Whether it touches, in the picture, something that stands.
    pub beside_standing: bool,
}

/// Everything on the felt that the `standing` meeples do not explain, largest first.
pub fn unexplained(playmat: &Playmat, camera: &Camera, standing: &[Candidate], size: f64) -> opencv::Result<Vec<Loose>> {
    let [sx, sy] = playmat.mask_scale;
    let px_from_small = |x: f64, y: f64| Px::new(x * sx, y * sy);
    let (width, height) = playmat.mask.dimensions();
    let (explained, rim) = silhouettes(playmat, camera, standing, size)?;
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
    let mut loose = Vec::new();
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
        let beside_standing = contour.iter().any(|p| {
            let inside = p.x >= 0 && p.y >= 0 && (p.x as u32) < width && (p.y as u32) < height;
            inside && rim.get_pixel(p.x as u32, p.y as u32).0[0] > 0
        });
        loose.push(Loose { outline, ends: [bottom, top], meeples, beside_standing });
    }
    loose.sort_by(|a, b| b.meeples.total_cmp(&a.meeples));
    Ok(loose)
}

/// A loose thing that shows more than this many meeples is not taken for one.
const MOST_MEEPLES: f64 = 2.2;
/// From this score on, a turned outline is taken for what is there.
const TURNED_SCORE: f64 = 0.5;
/// Leans that are told from lying, degrees.
const LEANS_DEGREES: [f64; 6] = [-36.0, -26.0, -16.0, 16.0, 26.0, 36.0];

/// How `thing` lies or stands: the outline upside down and leaning is held against the picture like the upright one.
pub fn state_of(thing: &Loose, evidence: &Evidence, camera: &Camera, size: f64, params: &PiecesParams) -> PieceState {
    if thing.meeples > MOST_MEEPLES {
        return PieceState::Foreign;
    }
    let matcher = evidence.matcher(camera, size, params);
    let mut best = (TURNED_SCORE, PieceState::Lying);
    let Some(middle) = camera.playmat_from_px(thing.ends[0]) else { return PieceState::Lying };
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

/// Where the standing meeples are seen, at the playmat mask's scale; and the same two pixels wider.
fn silhouettes(playmat: &Playmat, camera: &Camera, standing: &[Candidate], size: f64) -> opencv::Result<(GrayImage, GrayImage)> {
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
    let wider = |mask: &Mat, radius: i32| -> opencv::Result<GrayImage> {
        let side = 2 * radius + 1;
        let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, (side, side).into())?;
        let mut out = Mat::default();
        imgproc::dilate_def(mask, &mut out, &kernel)?;
        mat::to_gray(&out)
    };
    Ok((wider(&filled, 1)?, wider(&filled, 3)?))
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
