use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::{
    geometry::{PlaymatPoint, Px, WorldPoint},
    playmat::{Felt, Playmat},
};

/// A camera that looks at the playmat's centre; degrees, mm.
pub(crate) fn camera(elevation: f64, azimuth: f64, roll: f64, hfov: f64, distance: f64, k1: f64, size: [f64; 2]) -> Camera {
    let (width, height) = (1280.0, 720.0);
    let (s, c) = elevation.to_radians().sin_cos();
    let look = nalgebra::Matrix3::new(1.0, 0.0, 0.0, 0.0, -s, -c, 0.0, c, -s);
    let about_z = |angle: f64| Rotation3::from_axis_angle(&Vector3::z_axis(), angle.to_radians()).into_inner();
    let rotation = Rotation3::from_matrix_unchecked(about_z(roll) * look * about_z(azimuth));
    Camera {
        width,
        height,
        focal_px: width / 2.0 / (hfov.to_radians() / 2.0).tan(),
        k1,
        camera_from_world: Isometry3::from_parts(
            Translation3::new(0.0, 0.0, distance),
            UnitQuaternion::from_rotation_matrix(&rotation),
        ),
        playmat_size_mm: size,
    }
}

/// The playmat as a perfect first stage would find it.
fn seen(camera: &Camera) -> Playmat {
    let corners = camera.playmat_corners();
    let inside = |p: &Px| p.x > 0.0 && p.y > 0.0 && p.x < camera.width && p.y < camera.height;
    let edges = [0, 1, 2, 3].map(|i| {
        let (a, b) = (corners[i], corners[(i + 1) % 4]);
        let at = |k: i32| f64::from(k) / 60.0;
        let points = (0..=60).filter_map(|k| {
            let point = PlaymatPoint::new(a.x + (b.x - a.x) * at(k), a.y + (b.y - a.y) * at(k));
            camera.px_from_world(point.at_height(0.0)).filter(inside)
        });
        points.collect()
    });
    Playmat {
        corners: corners.map(|c| camera.px_clamped(c.at_height(0.0))),
        k1: camera.k1,
        visible: 1.0,
        residual_px: 0.0,
        confidence: 1.0,
        support: 1.0,
        edges,
        cut: Vec::new(),
        felt: Felt::default(),
        mask: image::GrayImage::new(1, 1),
        mask_scale: [1.0, 1.0],
    }
}

/// Largest error where it matters: on the felt and a pyramid's height above it, px.
fn error(found: &Camera, truth: &Camera) -> f64 {
    let mut worst: f64 = 0.0;
    for (x, y, z) in [(0.0, 0.0, 0.0), (60.0, 30.0, 0.0), (-60.0, 30.0, 80.0), (40.0, -30.0, 48.0)] {
        let point = WorldPoint::new(x, y, z);
        let distance = match (found.px_from_world(point), truth.px_from_world(point)) {
            (Some(a), Some(b)) => a.distance(b),
            _ => f64::INFINITY,
        };
        worst = worst.max(distance);
    }
    worst
}

proptest! {
    #[test]
    fn a_point_comes_back_from_the_picture(
        elevation in 6.0..45.0f64, azimuth in -25.0..25.0f64, roll in -4.0..4.0f64, hfov in 38.0..75.0f64,
        distance in 300.0..600.0f64, k1 in -0.11..0.045f64, x in -80.0..80.0f64, y in -80.0..80.0f64, z in 0.0..60.0f64,
    ) {
        let camera = camera(elevation, azimuth, roll, hfov, distance, k1, [297.0, 210.0]);
        let point = WorldPoint::new(x, y, z);
        let px = camera.px_from_world(point).unwrap();
        // A ray along the plane meets it nowhere in particular.
        prop_assume!(camera.ray(px).z.abs() > 0.01);
        let back = camera.world_from_px_at_height(px, z).unwrap();
        prop_assert!((back.x - x).abs() < 0.01 && (back.y - y).abs() < 0.01, "{back:?} for {point:?}");
    }

    #[test]
    fn undoing_the_lens_is_the_inverse_of_the_lens(u in 0.0..1.4f64, k1 in -0.11..0.05f64) {
        let r = u * (1.0 + k1 * u * u);
        prop_assert!((camera::undistorted_radius(r, k1) - u).abs() < 1e-6);
    }
}

#[test]
fn the_camera_is_found_from_four_edges_either_way_round() {
    for size in [[297.0, 210.0], [210.0, 297.0]] {
        for (elevation, azimuth, roll, hfov, k1) in [(12.0, 8.0, 1.0, 62.0, 0.0), (30.0, -15.0, -2.0, 50.0, -0.08)] {
            let truth = camera(elevation, azimuth, roll, hfov, 560.0, k1, size);
            let found = estimate(&seen(&truth), 1280, 720, None, &PoseParams::default()).unwrap();
            assert_eq!(found.playmat_size_mm, size, "elevation {elevation}, azimuth {azimuth}");
            assert!(error(&found, &truth) < 4.0, "{} px for {truth:?}, found {found:?}", error(&found, &truth));
        }
    }
}

#[test]
fn a_focal_length_from_exif_settles_what_three_edges_leave_open() {
    let truth = camera(25.0, 4.0, 0.5, 66.0, 330.0, 0.0, [210.0, 297.0]);
    let mut playmat = seen(&truth);
    playmat.edges[0].clear();
    let focal = Some(truth.focal_px);
    let [best, other] = candidates(&playmat, 1280, 720, focal, &PoseParams::default()).unwrap();
    let found = if best.camera.playmat_size_mm == truth.playmat_size_mm { best } else { other };
    assert!(error(&found.camera, &truth) < 6.0, "{} px", error(&found.camera, &truth));
    assert!((found.camera.focal_px / truth.focal_px - 1.0).abs() < 0.05);
}

#[test]
fn two_edges_are_too_few() {
    let mut playmat = seen(&camera(25.0, 4.0, 0.5, 66.0, 330.0, 0.0, [297.0, 210.0]));
    playmat.edges[0].clear();
    playmat.edges[1].clear();
    let error = estimate(&playmat, 1280, 720, None, &PoseParams::default()).unwrap_err();
    assert!(error.to_string().contains("2 edges, where 3 are needed"), "{error}");
}
