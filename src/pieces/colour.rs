//! The colour of a piece, by the name people give it.

use image::RgbImage;
use nalgebra::Vector3;

use super::solid::{FrontFace, INSIDE_MM};

/// Chroma (CIE Lab) below which a colour is called black, grey or white.
const GREY_CHROMA: f64 = 11.0;

/// The name of the colour of the front face `face` in `picture`, one of [`crate::game::COLOUR_NAMES`].
pub(crate) fn of_face(picture: &RgbImage, face: &FrontFace) -> &'static str {
    let samples = INSIDE_MM.iter().filter_map(|&(u, v)| {
        let p = face.at(u, v);
        let inside = p.x >= 0.0 && p.y >= 0.0;
        let pixel = inside.then(|| picture.get_pixel_checked(p.x as u32, p.y as u32)).flatten()?;
        Some(lab(pixel.0))
    });
    let samples: Vec<[f64; 3]> = samples.collect();
    let median = |k: usize| {
        let mut values: Vec<f64> = samples.iter().map(|s| s[k]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    name([median(0), median(1), median(2)])
}

/// The name for a colour in CIE Lab.
fn name([l, a, b]: [f64; 3]) -> &'static str {
    let chroma = a.hypot(b);
    let hue = b.atan2(a).to_degrees().rem_euclid(360.0);
    // A dark surface cannot show much chroma, so what counts as grey shrinks with the lightness.
    if chroma < GREY_CHROMA * (0.35 + 0.65 * (l / 60.0).min(1.0)) {
        return match l {
            ..30.0 => "black",
            ..72.0 => "grey",
            _ => "white",
        };
    }
    match hue {
        ..20.0 | 335.0.. => {
            if l > 50.0 {
                "pink"
            } else {
                "red"
            }
        }
        ..45.0 if l > 60.0 && chroma < 50.0 => "pink",
        ..45.0 if chroma < 22.0 => "brown",
        ..45.0 => "red",
        ..78.0 if chroma < 24.0 && l < 42.0 || l < 32.0 => "brown",
        ..78.0 if chroma < 45.0 => "natural",
        ..72.0 => "orange",
        ..105.0 if chroma < 38.0 => "natural",
        ..105.0 => "yellow",
        ..225.0 => "green",
        ..300.0 => "blue",
        _ => "purple",
    }
}

/// CIE Lab (D65) of an sRGB pixel (IEC 61966-2-1, CIE 15).
fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let linear = rgb.map(|v| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let matrix = nalgebra::matrix![
        0.4124, 0.3576, 0.1805;
        0.2126, 0.7152, 0.0722;
        0.0193, 0.1192, 0.9505];
    let xyz = (matrix * Vector3::from(linear)).component_div(&Vector3::new(0.9505, 1.0, 1.089));
    let f = xyz.map(|t| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * f.y - 16.0, 500.0 * (f.x - f.y), 200.0 * (f.y - f.z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saturated_colours_have_their_everyday_names() {
        for (rgb, expected) in [
            ([200, 30, 30], "red"),
            ([30, 60, 190], "blue"),
            ([30, 120, 50], "green"),
            ([240, 210, 40], "yellow"),
            ([20, 20, 22], "black"),
            ([120, 120, 122], "grey"),
            ([240, 240, 238], "white"),
            ([240, 110, 30], "orange"),
            ([110, 50, 150], "purple"),
            ([240, 140, 170], "pink"),
            ([222, 184, 135], "natural"),
            ([90, 60, 40], "brown"),
        ] {
            assert_eq!(name(lab(rgb)), expected, "{rgb:?}");
        }
    }
}
