//! Pictures as phones, cameras and programs make them: one small photo in every format, all showing the same.

use std::{fs, path::PathBuf};

use image::RgbImage;
use pyrameeple::capture::{self, CaptureError, CaptureParams};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/formats")
}

fn reference() -> RgbImage {
    image::open(folder().join("ref.png")).unwrap().into_rgb8()
}

/// Mean difference of two pictures of one size, of the three channels or of their brightness alone.
fn difference(a: &RgbImage, b: &RgbImage, brightness: bool) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let off = |a: &[u8; 3], b: &[u8; 3]| match brightness {
        true => {
            let light = |p: &[u8; 3]| 0.299 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2]);
            (light(a) - light(b)).abs()
        }
        false => (0..3).map(|c| f64::from(a[c].abs_diff(b[c]))).sum::<f64>() / 3.0,
    };
    a.pixels().zip(b.pixels()).map(|(a, b)| off(&a.0, &b.0)).sum::<f64>() / f64::from(a.width() * a.height())
}

/// How far a decoded file may be from the reference: lossless ones not at all, others by what their format loses.
fn allowed(name: &str) -> (f64, bool) {
    let grey = ["grey", "la.png", "bw", "bilevel"].iter().any(|part| name.contains(part));
    let loss = match name {
        // Black and white dots: right on the whole, which is looked at, far off dot by dot.
        _ if is_dotted(name) => 25.0,
        "palette1.png" => 45.0,
        "palette2.png" => 25.0,
        "palette4.png" => 15.0,
        // A fixed palette of 216 colours, with dots for those in between.
        _ if name.starts_with("pal.") => 30.0,
        _ if name.starts_with("palette") || name.ends_with(".gif") => 10.0,
        // One colour of the palette is see-through.
        "transparent_palette.png" => 12.0,
        // Without a colour profile there is no one right way from four inks to three lights.
        _ if name.starts_with("cmyk") => 6.0,
        _ if name.ends_with(".jpg") || name.ends_with(".heic") || name.ends_with(".avif") => 6.0,
        "x.webp" | "exif6.webp" => 8.0,
        "jpeg.tiff" => 8.0,
        "ycc.tiff" => 3.0,
        _ => 1.0,
    };
    (loss, grey)
}

fn is_dotted(name: &str) -> bool {
    name.starts_with("bw") || name == "bilevel.png"
}

fn files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn is_heif(name: &str) -> bool {
    name.ends_with(".heic") || name.ends_with(".avif")
}

#[test]
fn every_format_shows_the_same_upright_picture() {
    let reference = reference();
    let mut wrong = Vec::new();
    let mut read = 0;
    for (name, bytes) in files().iter().filter(|(name, _)| !is_heif(name)) {
        match capture::decode(bytes, &CaptureParams::default()) {
            Ok(picture) if picture.rgb.dimensions() != reference.dimensions() => {
                wrong.push(format!("{name}: {:?} px", picture.rgb.dimensions()));
            }
            Ok(picture) => {
                let (most, brightness) = allowed(name);
                let seen = |picture: &RgbImage| match is_dotted(name) {
                    true => image::imageops::thumbnail(picture, 9, 12),
                    false => picture.clone(),
                };
                let off = difference(&seen(&picture.rgb), &seen(&reference), brightness);
                read += 1;
                if off > most {
                    wrong.push(format!("{name}: {off:.1} off, {most} allowed"));
                }
            }
            // Rare kinds of TIFF: refused with the reason.
            Err(error @ CaptureError::Unsupported(_)) if ["pal.tiff", "ycc.tiff"].contains(&name.as_str()) => {
                assert!(error.to_string().contains("cannot decode") && error.advice().contains("JPEG"));
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(read >= 45, "{read} files");
}

#[test]
fn heic_and_avif_are_read_where_libheif_has_its_program() {
    let reference = reference();
    let mut read = 0;
    for (name, bytes) in files().iter().filter(|(name, _)| is_heif(name)) {
        match capture::decode(bytes, &CaptureParams::default()) {
            Ok(picture) => {
                read += 1;
                let off = difference(&picture.rgb, &reference, false);
                assert!(off < 6.0, "{name}: {off:.1} off");
            }
            Err(error @ CaptureError::NoHeifProgram { .. }) => {
                assert!(error.advice().contains("libheif-examples"), "{}", error.advice());
            }
            // A libheif without a decoder for one of the two.
            Err(error @ CaptureError::HeifFailed { .. }) => assert!(!error.to_string().is_empty()),
            Err(error) => panic!("{name}: {error}"),
        }
        let small = CaptureParams { max_megapixels: 0.001, ..CaptureParams::default() };
        let error = capture::decode(bytes, &small).unwrap_err();
        assert!(matches!(error, CaptureError::TooLarge { width: 72, height: 96, .. }), "{name}: {error}");
    }
    println!("{read} read");
}

#[test]
fn a_picture_that_would_take_too_much_memory_is_refused_before_it_is_decoded() {
    let params = CaptureParams { max_memory_megabytes: 0, ..CaptureParams::default() };
    for (name, bytes) in files().iter().filter(|(name, _)| ["rgb.jpg", "grey16.png", "x.webp", "x.gif"].contains(&name.as_str()))
    {
        let error = capture::decode(bytes, &params).unwrap_err();
        assert!(!error.to_string().is_empty(), "{name}");
        if name == "rgb.jpg" {
            assert!(matches!(error, CaptureError::TooMuchMemory { megabytes: 1, max_megabytes: 0, .. }), "{error}");
        }
    }
}
