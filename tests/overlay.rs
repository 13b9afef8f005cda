//! Annotated pictures, compared with golden ones. `REGENERATE=1 cargo test --test overlay` writes them anew: look at them.

mod common;

use std::path::PathBuf;

use image::RgbImage;
use pyrameeple::{
    capture::{self, CaptureParams},
    overlay,
    reading::{Reading, Status},
};

/// Mean difference of a channel that another processor or JPEG encoder may make, of 255.
const MOST_MEAN_DIFFERENCE: f64 = 1.5;

fn golden(name: &str) -> PathBuf {
    common::testdata().join("golden").join(format!("{name}.jpg"))
}

fn photo(name: &str) -> RgbImage {
    capture::load(&common::testdata().join(format!("{name}.jpg")), &CaptureParams::default()).unwrap().rgb
}

/// Compares `drawn` with the golden picture `name`, or writes that.
fn assert_golden(name: &str, drawn: &RgbImage) {
    let path = golden(name);
    if std::env::var_os("REGENERATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        overlay::save(drawn, &path).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let again = folder.path().join("drawn.jpg");
    overlay::save(drawn, &again).unwrap();
    let load = |path| capture::load(path, &CaptureParams::default()).unwrap().rgb;
    let (expected, drawn) = (load(&path), load(&again));
    assert_eq!(expected.dimensions(), drawn.dimensions(), "size of {name}");
    let difference: u64 = expected.as_raw().iter().zip(drawn.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = difference as f64 / expected.as_raw().len() as f64;
    if mean > MOST_MEAN_DIFFERENCE {
        let seen = std::env::temp_dir().join(format!("pyrameeple-{name}.jpg"));
        overlay::save(&drawn, &seen).unwrap();
        panic!("{name} differs by {mean:.2} of 255 from its golden picture; compare {} and {}", seen.display(), path.display());
    }
}

fn drawn(name: &str) -> RgbImage {
    overlay::draw(&photo(name), &common::faultless(name, &common::truth(name))).unwrap()
}

#[test]
fn a_small_photo_is_enlarged_until_its_numbers_can_be_read() {
    let drawn = drawn("p010049");
    assert!(drawn.width() >= 1280);
    assert_golden("p010049", &drawn);
}

#[test]
fn what_does_not_count_is_crossed_out_with_its_reason() {
    assert_golden("p010010", &drawn("p010010"));
}

#[test]
fn two_pyramids_and_a_doubt() {
    let truth = common::truth("p010000");
    let mut reading = common::faultless("p010000", &truth);
    reading.status = Status::Unsure;
    reading.reason = Some("2 pieces may be hidden behind others".into());
    reading.advice = Some("take another picture from the other side".into());
    "Ann=blue,Bo=natural".parse::<pyrameeple::players::Players>().unwrap().apply(&mut reading);
    assert_golden("p010000", &overlay::draw(&photo("p010000"), &reading).unwrap());
}

#[test]
fn without_a_playmat_the_reason_stands_above() {
    let reading = Reading {
        width: 680,
        height: 456,
        ..Reading::unreadable(
            "p010023.jpg",
            "no playmat found: the largest even-coloured quadrilateral covers 2 % of the picture, 3 % is needed",
            "show the whole felt",
        )
    };
    assert_golden("p010023-unreadable", &overlay::draw(&photo("p010023"), &reading).unwrap());
}

/// Not golden (a megabyte each): for looking at, with `LOOK=folder cargo test --test overlay`.
#[test]
fn every_test_picture_and_a_large_one_can_be_drawn() {
    let folder = std::env::var_os("LOOK").map(PathBuf::from);
    for name in ["p010016", "p010023", "p010063", "p010035", "p010040"] {
        let picture = drawn(name);
        if let Some(folder) = &folder {
            overlay::save(&picture, &folder.join(format!("{name}.jpg"))).unwrap();
        }
    }
    let photo = photo("p010005");
    let truth = common::truth("p010005");
    let scale = 4000.0 / f64::from(photo.width());
    let large =
        image::imageops::resize(&photo, 4000, (f64::from(photo.height()) * scale) as u32, image::imageops::FilterType::Triangle);
    let picture = overlay::draw(&large, &common::scaled(common::faultless("large", &truth), scale)).unwrap();
    assert_eq!(picture.width(), 4000);
    if let Some(folder) = &folder {
        overlay::save(&picture, &folder.join("large.jpg")).unwrap();
    }
}
