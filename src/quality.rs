//! Quality: whether there is light enough, and the lens in focus and at rest, where the pieces are.

use image::RgbImage;
use opencv::{
    core::{self, Mat, Rect, Size},
    imgproc,
    prelude::*,
};

use crate::{
    geometry::{PxBox, span},
    mat,
    pieces::Peak,
};

/// Height to which meeples are brought before anything is measured, px.
const MEEPLE_PX: f64 = 32.0;
/// Most that a picture is enlarged for that.
const MOST_SCALE: f64 = 2.0;
/// Share of pixels that are on the clearest edges, and share that is brighter than the brightness told.
const CLEAREST: f64 = 0.03;
const BRIGHTEST: f64 = 0.1;
/// Side of the squares within which an edge rises from dark to bright, px: a third of a meeple.
const WITHIN: i32 = 11;
/// An edge that rises by fewer grey levels per px is none.
const LEAST_RISE: f32 = 2.0;
/// A meeple's height as a share of the picture's long side, where none was seen to measure it by.
const USUAL_HEIGHT: f64 = 0.045;

/// How good a picture is in one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Brightness that a tenth of the pixels exceed, 0 black to 1 white.
    pub brightness: f64,
    /// Width over which the clearest edges rise from dark to bright, as a share of a meeple's height; 0 where there is no edge.
    pub edge_width: f64,
}

/// The quality of `picture` around `peaks`, or of all of it where there are none.
pub fn around(picture: &RgbImage, peaks: &[Peak]) -> opencv::Result<Quality> {
    let (width, height) = picture.dimensions();
    let mut heights: Vec<f64> = peaks.iter().map(Peak::height_px).collect();
    if heights.is_empty() {
        return within(
            picture,
            &PxBox { x0: 0, y0: 0, x1: width as i32, y1: height as i32 },
            USUAL_HEIGHT * f64::from(width.max(height)),
        );
    }
    let middle = heights.len() / 2;
    let meeple_px = *heights.select_nth_unstable_by(middle, f64::total_cmp).1;
    let ends = || peaks.iter().flat_map(|peak| [peak.base, peak.head]);
    let side = |(least, most): (f64, f64), size: u32| {
        let within = |v: f64| v.clamp(0.0, f64::from(size)) as i32;
        (within(least - meeple_px / 2.0), within(most + meeple_px / 2.0))
    };
    let ((x0, x1), (y0, y1)) = (side(span(ends().map(|p| p.x)), width), side(span(ends().map(|p| p.y)), height));
    within(picture, &PxBox { x0, y0, x1, y1 }, meeple_px)
}

/// The quality of `picture` within `bounds`, where meeples are `meeple_px` tall.
fn within(picture: &RgbImage, bounds: &PxBox, meeple_px: f64) -> opencv::Result<Quality> {
    let (across, down) = (bounds.x1 - bounds.x0, bounds.y1 - bounds.y0);
    if across < 1 || down < 1 {
        return Ok(Quality::default());
    }
    let meeple_px = meeple_px.max(1.0);
    let scale = (MEEPLE_PX / meeple_px).min(MOST_SCALE);
    let source = mat::of_rgb(picture)?;
    let crop = Mat::roi(&source, Rect::new(bounds.x0, bounds.y0, across, down))?;
    let mut gray = Mat::default();
    imgproc::cvt_color_def(&mat::scaled(&crop, scale)?, &mut gray, imgproc::COLOR_RGB2GRAY)?;
    let levels = mat::to_gray(&gray)?.into_raw();
    let brightness = f64::from(above(levels, BRIGHTEST)) / 255.0;

    // Sobel's weights sum to 8 for each level of rise per px.
    let (mut dx, mut dy, mut rise) = (Mat::default(), Mat::default(), Mat::default());
    imgproc::sobel(&gray, &mut dx, core::CV_32F, 1, 0, 3, 1.0 / 8.0, 0.0, core::BORDER_DEFAULT)?;
    imgproc::sobel(&gray, &mut dy, core::CV_32F, 0, 1, 3, 1.0 / 8.0, 0.0, core::BORDER_DEFAULT)?;
    core::magnitude(&dx, &dy, &mut rise)?;
    let (mut brightest, mut darkest) = (Mat::default(), Mat::default());
    let square = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, Size::new(WITHIN, WITHIN))?;
    imgproc::dilate_def(&gray, &mut brightest, &square)?;
    imgproc::erode_def(&gray, &mut darkest, &square)?;
    let rise: Vec<f32> = rise.data_typed::<f32>()?.to_vec();
    let (brightest, darkest) = (mat::to_gray(&brightest)?, mat::to_gray(&darkest)?);
    let clear = above(rise.clone(), CLEAREST).max(LEAST_RISE);
    let widths = rise.iter().zip(brightest.iter().zip(darkest.iter()));
    let widths: Vec<f32> = widths.filter(|(r, _)| **r >= clear).map(|(r, (b, d))| f32::from(b - d) / r).collect();
    let edge_width = if widths.is_empty() { 0.0 } else { f64::from(above(widths, 0.5)) / (scale * meeple_px) };
    Ok(Quality { brightness, edge_width })
}

/// The value that a `share` of `values`, which must not be empty, exceed.
fn above<T: PartialOrd + Copy>(mut values: Vec<T>, share: f64) -> T {
    let index = ((values.len() as f64 * (1.0 - share)) as usize).min(values.len() - 1);
    *values.select_nth_unstable_by(index, |a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).1
}

#[cfg(test)]
mod tests {
    use image::{Rgb, imageops};

    use super::*;

    /// Stripes a third of a meeple wide, in a picture in which a meeple is some 29 px tall.
    fn stripes(bright: u8) -> RgbImage {
        RgbImage::from_fn(640, 480, |x, _| Rgb([if x / 16 % 2 == 0 { bright } else { bright / 4 }; 3]))
    }

    #[test]
    fn brightness_is_that_of_the_bright_parts() {
        for bright in [255, 128, 20] {
            let quality = around(&stripes(bright), &[]).unwrap();
            assert!((quality.brightness - f64::from(bright) / 255.0).abs() < 0.01, "{bright}: {quality:?}");
        }
    }

    #[test]
    fn edges_widen_with_blur_and_not_with_darkness() {
        let sharp = around(&stripes(200), &[]).unwrap().edge_width;
        let blurred = around(&imageops::blur(&stripes(200), 4.0), &[]).unwrap().edge_width;
        let dark = around(&stripes(60), &[]).unwrap().edge_width;
        assert!(sharp < 0.1 && blurred > 0.2, "sharp {sharp}, blurred {blurred}");
        assert!((dark - sharp).abs() < 0.02, "sharp {sharp}, dark {dark}");
    }

    #[test]
    fn a_picture_of_one_grey_has_no_edges() {
        let quality = around(&RgbImage::from_pixel(64, 48, Rgb([90; 3])), &[]).unwrap();
        assert_eq!(quality.edge_width, 0.0);
    }
}
