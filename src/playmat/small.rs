//! The picture made small, in Lab colour: where the felt is looked for.

use std::borrow::Cow;

use image::RgbImage;
use opencv::{core, imgproc, prelude::*};

use crate::{geometry::Px, mat};

/// A picture of about 60,000 pixels in CIE Lab.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Pixels of the whole picture that one pixel stands for, across and down.
    pub(crate) scale: [f64; 2],
    /// L 0 to 100, a and b about -100 to 100; row by row.
    pub(crate) lab: Vec<[f32; 3]>,
}

/// A picture has no more pixels than this when it is made small more than once.
const MOST_PIXELS: f64 = 1.5e6;

/// `picture`, made smaller where it has so many pixels that going through them again and again would take long.
pub(crate) fn reduced(picture: &RgbImage) -> opencv::Result<Cow<'_, RgbImage>> {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let factor = (MOST_PIXELS / (width * height)).sqrt();
    if factor >= 1.0 {
        return Ok(Cow::Borrowed(picture));
    }
    Ok(Cow::Owned(mat::to_rgb(&mat::scaled(&mat::of_rgb(picture)?, factor)?)?))
}

impl Small {
    /// `picture`, which may be [`reduced`] from one of the size `full`, made so small that it has `pixels` pixels, or as it
    /// is if it has fewer.
    pub(crate) fn new(picture: &RgbImage, full: (u32, u32), pixels: f64) -> opencv::Result<Self> {
        let (full_width, full_height) = (f64::from(full.0), f64::from(full.1));
        let pixels = pixels.min(f64::from(picture.width()) * f64::from(picture.height()));
        let factor = (pixels / (full_width * full_height)).sqrt().min(1.0);
        let width = (full_width * factor).round().max(1.0);
        let height = (full_height * factor).round().max(1.0);
        let source = mat::of_rgb(picture)?;
        let (mut small, mut float, mut lab, mut smooth) = (Mat::default(), Mat::default(), Mat::default(), Mat::default());
        let size = core::Size::new(width as i32, height as i32);
        imgproc::resize(&source, &mut small, size, 0.0, 0.0, imgproc::INTER_AREA)?;
        small.convert_to(&mut float, core::CV_32FC3, 1.0 / 255.0, 0.0)?;
        imgproc::cvt_color_def(&float, &mut lab, imgproc::COLOR_RGB2Lab)?;
        // Takes the felt's grain away, which would otherwise look like edges.
        imgproc::gaussian_blur_def(&lab, &mut smooth, core::Size::new(3, 3), 0.8)?;
        let mut pixels = Vec::with_capacity((width * height) as usize);
        for y in 0..height as i32 {
            pixels.extend(smooth.at_row::<core::Vec3f>(y)?.iter().map(|p| p.0));
        }
        let scale = [full_width / width, full_height / height];
        Ok(Self { width: width as usize, height: height as usize, scale, lab: pixels })
    }

    /// The place in the whole picture of a place in this one (centre of the top-left pixel: 0.5, 0.5).
    pub(crate) fn full_from_small(&self, x: f64, y: f64) -> Px {
        Px::new(x * self.scale[0], y * self.scale[1])
    }
}

/// Squared difference of two Lab colours, lightness counted at `lightness` of its worth.
pub(crate) fn distance2(a: [f32; 3], b: [f32; 3], lightness: f32) -> f32 {
    let [l, u, v] = [(a[0] - b[0]) * lightness, a[1] - b[1], a[2] - b[2]];
    l * l + u * u + v * v
}

/// An 8-bit sRGB colour in CIE Lab (D65).
pub(crate) fn lab_from_rgb(rgb: [f64; 3]) -> [f32; 3] {
    let linear = rgb.map(|v| {
        let v = v / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let [r, g, b] = linear;
    let x = f((0.412453 * r + 0.357580 * g + 0.180423 * b) / 0.950456);
    let y = f(0.212671 * r + 0.715160 * g + 0.072169 * b);
    let z = f((0.019334 * r + 0.119193 * g + 0.950227 * b) / 1.088754);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)].map(|v| v as f32)
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn one_colour_comes_out_as_opencv_makes_it() {
        for rgb in [[0, 0, 0], [255, 255, 255], [200, 40, 30], [20, 90, 160], [3, 4, 5]] {
            let picture = RgbImage::from_pixel(8, 8, Rgb(rgb));
            let expected = Small::new(&picture, (8, 8), 64.0).unwrap().lab[0];
            let found = lab_from_rgb(rgb.map(f64::from));
            (0..3).for_each(|i| assert!((found[i] - expected[i]).abs() < 0.3, "{rgb:?}: {found:?}, OpenCV {expected:?}"));
        }
    }
}
