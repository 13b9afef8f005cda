use image::Rgb;

use super::*;
use crate::pose::{self, PoseParams};

/// A noise that is the same every time, -1 to 1.
fn noise(x: u32, y: u32) -> f64 {
    let mut v = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    v ^= v >> 15;
    v = v.wrapping_mul(0x2C1B_3C6D);
    v ^= v >> 13;
    f64::from(v) / f64::from(u32::MAX) * 2.0 - 1.0
}

fn grainy(colour: [f64; 3], x: u32, y: u32) -> Rgb<u8> {
    Rgb(colour.map(|c| (c + 5.0 * noise(x, y)).clamp(0.0, 255.0) as u8))
}

/// A sheet of felt on a table in front of a wall, as `camera` sees it.
fn scene(camera: &Camera, felt: [f64; 3], table: [f64; 3]) -> RgbImage {
    RgbImage::from_fn(camera.width as u32, camera.height as u32, |x, y| {
        match camera.playmat_from_px(Px::new(f64::from(x) + 0.5, f64::from(y) + 0.5)) {
            Some(p) if camera.on_playmat(p, 0.0) => grainy(felt, x, y),
            Some(p) if p.y < 600.0 => grainy(table, x, y),
            _ => grainy([200.0, 205.0, 210.0], x, y),
        }
    })
}

#[test]
fn a_sheet_is_found_to_a_pixel_whatever_its_colour() {
    for (felt, table) in [([170.0, 40.0, 45.0], [150.0, 110.0, 70.0]), ([60.0, 60.0, 65.0], [110.0, 112.0, 118.0])] {
        for size in [[297.0, 210.0], [210.0, 297.0]] {
            let camera = pose::tests::camera(24.0, 9.0, 1.0, 58.0, 520.0, -0.04, size);
            let found = find(&scene(&camera, felt, table), &PlaymatParams::default()).unwrap().swap_remove(0);
            for (corner, expected) in found.corners.iter().zip(camera.playmat_corners()) {
                let expected = camera.px_from_world(expected.at_height(0.0)).unwrap();
                assert!(corner.distance(expected) < 1.5, "{corner:?}, expected {expected:?}");
            }
            assert!(found.confidence > 0.6, "confidence {}", found.confidence);
            assert!((found.visible - 1.0).abs() < 1e-9);
            let fitted = pose::estimate(&found, 1280, 720, None, &PoseParams::default()).unwrap();
            assert_eq!(fitted.playmat_size_mm, size);
        }
    }
}

#[test]
fn a_sheet_cut_by_the_pictures_border_is_found_with_less_confidence() {
    let camera = pose::tests::camera(25.0, -5.0, 0.0, 50.0, 250.0, 0.0, [210.0, 297.0]);
    let found =
        find(&scene(&camera, [40.0, 90.0, 160.0], [190.0, 170.0, 140.0]), &PlaymatParams::default()).unwrap().swap_remove(0);
    assert!(found.edges[0].is_empty());
    assert!(found.visible < 0.9);
    assert!(found.confidence <= 0.6, "confidence {}", found.confidence);
    for i in [2, 3] {
        let expected = camera.px_from_world(camera.playmat_corners()[i].at_height(0.0)).unwrap();
        assert!(found.corners[i].distance(expected) < 2.0, "{:?}, expected {expected:?}", found.corners[i]);
    }
}

#[test]
fn a_picture_without_a_playmat_is_refused_with_the_reason() {
    let pictures = [
        ("one colour", RgbImage::from_pixel(640, 480, Rgb([90, 120, 60]))),
        ("noise", RgbImage::from_fn(640, 480, |x, y| Rgb([0, 7, 13].map(|c| (noise(x + c, y * 3 + c) * 127.0 + 128.0) as u8)))),
        ("a horizon", RgbImage::from_fn(640, 480, |x, y| grainy(if y < 200 { [200.0; 3] } else { [120.0, 80.0, 40.0] }, x, y))),
        (
            "stripes",
            RgbImage::from_fn(640, 480, |x, y| grainy(if x / 40 % 2 == 0 { [200.0; 3] } else { [20.0, 80.0, 140.0] }, x, y)),
        ),
        ("one pixel", RgbImage::from_pixel(1, 1, Rgb([1, 2, 3]))),
    ];
    for (name, picture) in pictures {
        let found = find(&picture, &PlaymatParams::default());
        let error = found.and_then(|all| all[0].stands_alone(&PlaymatParams::default())).expect_err(name);
        assert!(error.to_string().starts_with("no playmat found"), "{name}: {error}");
    }
}
