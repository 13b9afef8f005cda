//! A small photo that is cropped, painted over, brightened and blurred as the bytes say, read through the whole pipeline:
//! what is past the decoder, which damaged files seldom reach.
#![no_main]

use std::{path::Path, sync::LazyLock};

use image::{Rgb, RgbImage, imageops};
use libfuzzer_sys::fuzz_target;
use pyrameeple::capture::{self, CaptureParams, Picture};

/// Longest side of the photos that are changed, px. Small, so that a reading takes hundredths of a second.
const SIDE: u32 = 112;

/// Photos of single, many, fallen and no pieces.
static PHOTOS: LazyLock<Vec<RgbImage>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    ["p010000", "p010010", "p010031", "p010054", "p010078"]
        .map(|name| {
            let photo =
                capture::load(&folder.join(name).with_extension("jpg"), &CaptureParams::default()).expect("a test photo").rgb;
            let (width, height) = photo.dimensions();
            let scale = f64::from(SIDE) / f64::from(width.max(height));
            let side = |length: u32| ((f64::from(length) * scale) as u32).max(64);
            imageops::thumbnail(&photo, side(width), side(height))
        })
        .into()
});

/// `of` as the byte says, 0 to 255 for nothing to all of it.
fn share(byte: u8, of: u32) -> u32 {
    of * u32::from(byte) / 255
}

fn change(picture: &mut RgbImage, change: [u8; 8]) {
    let (width, height) = picture.dimensions();
    let [kind, x, y, w, h, r, g, b] = change;
    let (left, top) = (share(x, width - 1), share(y, height - 1));
    let (right, bottom) = (left + 1 + share(w, width - left - 1), top + 1 + share(h, height - top - 1));
    match kind % 10 {
        // A rectangle of one colour, of noise, brighter or darker.
        0..=2 => {
            let mut noise = u32::from_le_bytes([r, g, b, 1]);
            for (px, py) in (top..bottom).flat_map(|py| (left..right).map(move |px| (px, py))) {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let old = picture.get_pixel(px, py).0;
                let new = match kind % 10 {
                    0 => [r, g, b],
                    1 => old.map(|value| value ^ ((noise >> 24) as u8 & r)),
                    _ => [(old[0], r), (old[1], g), (old[2], b)]
                        .map(|(value, gain)| (u16::from(value) * u16::from(gain) / 128).min(255) as u8),
                };
                picture.put_pixel(px, py, Rgb(new));
            }
        }
        // A part of it once more somewhere else.
        3 => {
            let part = imageops::crop_imm(picture, left, top, right - left, bottom - top).to_image();
            imageops::overlay(picture, &part, i64::from(share(r, width)), i64::from(share(g, height)));
        }
        4 => *picture = imageops::crop_imm(picture, left, top, right - left, bottom - top).to_image(),
        5 => *picture = imageops::blur(picture, 0.3 + f32::from(r) / 64.0),
        6 => *picture = imageops::resize(picture, 64 + share(w, SIDE), 64 + share(h, SIDE), imageops::FilterType::Triangle),
        7 => imageops::flip_vertical_in_place(picture),
        8 => *picture = imageops::rotate90(picture),
        _ => imageops::invert(picture),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&[first, lens], changes)) = bytes.split_first_chunk::<2>() else { return };
    let mut rgb = PHOTOS[usize::from(first) % PHOTOS.len()].clone();
    for &eight in changes.as_chunks::<8>().0.iter().take(6) {
        change(&mut rgb, eight);
        if rgb.width() < 2 || rgb.height() < 2 {
            return;
        }
    }
    let exif_focal_px = (lens > 127).then(|| f64::from(lens - 127) * f64::from(rgb.width()) / 40.0);
    pyrameeple_fuzz::read(&Picture { rgb, exif_focal_px });
});
