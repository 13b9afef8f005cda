//! The colour of a piece, by the name people give it.

use image::RgbImage;

use crate::{geometry::Px, playmat::lab_from_rgb};

use super::solid::{FrontFace, INSIDE_MM};

/// Chroma (CIE Lab) below which a colour is called black, grey or white.
const GREY_CHROMA: f64 = 11.0;

/// The name of the colour of the front face `face` in `picture`, one of [`crate::game::COLOUR_NAMES`].
pub(crate) fn of_face(picture: &RgbImage, face: &FrontFace) -> &'static str {
    of_samples(picture, INSIDE_MM.iter().map(|&(u, v)| face.at(u, v)))
}

/// The name of the colour around the middle of `outline`.
pub(crate) fn of_outline(picture: &RgbImage, outline: &[Px]) -> &'static str {
    let n = outline.len().max(1) as f64;
    let middle = Px::new(outline.iter().map(|p| p.x).sum::<f64>() / n, outline.iter().map(|p| p.y).sum::<f64>() / n);
    // Half way from the middle to the outline.
    of_samples(picture, outline.iter().map(|p| Px::new((p.x + middle.x) / 2.0, (p.y + middle.y) / 2.0)))
}

/// The name of the median colour at `places`.
fn of_samples(picture: &RgbImage, places: impl Iterator<Item = Px>) -> &'static str {
    let samples: Vec<[f64; 3]> = places
        .filter(|p| p.x >= 0.0 && p.y >= 0.0)
        .filter_map(|p| picture.get_pixel_checked(p.x as u32, p.y as u32))
        .map(|pixel| lab(pixel.0))
        .collect();
    let median = |k: usize| {
        let mut values: Vec<f64> = samples.iter().map(|s| s[k]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    name([median(0), median(1), median(2)])
}

/// The name for a colour in CIE Lab. Light changes lightness and chroma together, so wood and paint of one hue are told
/// apart by the ratio of the two.
fn name([l, a, b]: [f64; 3]) -> &'static str {
    let chroma = a.hypot(b);
    let hue = b.atan2(a).to_degrees().rem_euclid(360.0);
    let vivid = chroma > 0.85 * l;
    let wooden = (22.0..105.0).contains(&hue);
    if chroma < GREY_CHROMA || (wooden && l > 62.0 && chroma < 25.0) {
        return match l {
            ..30.0 => "black",
            ..62.0 => "grey",
            _ => "white",
        };
    }
    match hue {
        ..22.0 | 350.0.. => "pink",
        ..42.0 if vivid => "red",
        ..42.0 if l > 55.0 => "pink",
        ..74.0 if vivid && chroma > 28.0 => "orange",
        ..105.0 if vivid && chroma > 28.0 => "yellow",
        ..105.0 if l < 38.0 => "brown",
        ..105.0 => "natural",
        ..225.0 => "green",
        ..300.0 => "blue",
        _ if l > 42.0 => "pink",
        _ => "purple",
    }
}

/// CIE Lab (D65) of an sRGB pixel.
fn lab(rgb: [u8; 3]) -> [f64; 3] {
    lab_from_rgb(rgb.map(f64::from)).map(f64::from)
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
