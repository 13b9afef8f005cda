//! Between the picture types of the `image` crate and OpenCV's `Mat`: the one place where they meet.
//!
//! `Mat` stays inside function bodies of the vision stages; their borders speak `image` and `nalgebra`.

use image::{GrayImage, RgbImage};
use opencv::{
    boxed_ref::BoxedRef,
    core::{Mat, Size, ToInputArray, Vec3b},
    imgproc,
    prelude::*,
};

/// A view of `picture`'s pixels as an 8-bit, three-channel `Mat` in the order red, green, blue; nothing is copied.
pub fn of_rgb(picture: &RgbImage) -> opencv::Result<BoxedRef<'_, Mat>> {
    Mat::new_rows_cols_with_bytes::<Vec3b>(picture.height() as i32, picture.width() as i32, picture.as_raw())
}

/// A view of `picture`'s pixels as an 8-bit, one-channel `Mat`; nothing is copied.
pub fn of_gray(picture: &GrayImage) -> opencv::Result<BoxedRef<'_, Mat>> {
    Mat::new_rows_cols_with_bytes::<u8>(picture.height() as i32, picture.width() as i32, picture.as_raw())
}

/// `source`, made `factor` times as large, at least a pixel each way: areas averaged where it shrinks, else interpolated.
pub fn scaled(source: &(impl MatTraitConst + ToInputArray), factor: f64) -> opencv::Result<Mat> {
    let size = source.size()?;
    let side = |pixels: i32| (f64::from(pixels) * factor).round().max(1.0) as i32;
    let filter = if factor < 1.0 { imgproc::INTER_AREA } else { imgproc::INTER_LINEAR };
    let mut scaled = Mat::default();
    imgproc::resize(source, &mut scaled, Size::new(side(size.width), side(size.height)), 0.0, 0.0, filter)?;
    Ok(scaled)
}

/// A copy of `mat`, which must be 8-bit with one channel.
pub fn to_gray(mat: &impl MatTraitConst) -> opencv::Result<GrayImage> {
    let size = mat.size()?;
    let mut pixels = Vec::with_capacity((size.width * size.height) as usize);
    for y in 0..size.height {
        pixels.extend_from_slice(mat.at_row::<u8>(y)?);
    }
    Ok(GrayImage::from_raw(size.width as u32, size.height as u32, pixels).unwrap_or_default())
}

/// A copy of `mat`, which must be 8-bit with three channels in the order red, green, blue.
pub fn to_rgb(mat: &impl MatTraitConst) -> opencv::Result<RgbImage> {
    let size = mat.size()?;
    let mut pixels = Vec::with_capacity((size.width * size.height * 3) as usize);
    for y in 0..size.height {
        pixels.extend(mat.at_row::<Vec3b>(y)?.iter().flat_map(|p| p.0));
    }
    Ok(RgbImage::from_raw(size.width as u32, size.height as u32, pixels).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use image::{Luma, Rgb};

    use super::*;

    #[test]
    fn an_rgb_picture_survives_the_way_there_and_back() {
        let picture = RgbImage::from_fn(7, 5, |x, y| Rgb([x as u8, y as u8, (x * y) as u8]));
        assert_eq!(to_rgb(&of_rgb(&picture).unwrap()).unwrap(), picture);
    }

    #[test]
    fn a_gray_picture_survives_the_way_there_and_back() {
        let picture = GrayImage::from_fn(7, 5, |x, y| Luma([(x + 10 * y) as u8]));
        assert_eq!(to_gray(&of_gray(&picture).unwrap()).unwrap(), picture);
    }
}
