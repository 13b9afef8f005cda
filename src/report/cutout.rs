//! Pictures inside a report: the photo, and enlarged cut-outs of its pieces, as `data:` addresses.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use image::{
    ExtendedColorType, ImageEncoder, RgbImage,
    codecs::jpeg::JpegEncoder,
    imageops::{self, FilterType},
};

use crate::geometry::PxBox;

/// Longest side of a photo in a report, px: sharp on a phone and on paper at 150 dpi, and 50 of them still open quickly.
const PHOTO_SIDE: u32 = 1200;
/// JPEG quality of a photo in a report.
const PHOTO_QUALITY: u8 = 80;
/// Height of a cut-out, px: shown at half that size, so that it is sharp on a phone and on paper.
const CUTOUT_HEIGHT: u32 = 144;
/// Most a cut-out is enlarged: beyond this there is nothing more to see.
const MOST_ENLARGED: f64 = 6.0;
/// JPEG quality of a cut-out.
const CUTOUT_QUALITY: u8 = 85;
/// What is shown around a piece, as a share of its height: enough to see on what it stands.
const CUTOUT_MARGIN: f64 = 0.3;

/// Longest side of a whole photo beside the part with the pieces, px.
const SMALL_SIDE: u32 = 700;
/// What is shown around the pieces, as a share of the longer side of their common box.
const PART_MARGIN: f64 = 0.12;
/// A part that is more than this share of the picture is not worth cutting out.
const WHOLE_SHARE: f64 = 0.6;

/// The part of `picture` that holds all `pieces`, as `[x, y, width, height]` in px, and as a `data:` address; the whole
/// picture where the pieces are all over it, or there are none.
pub fn part_with(picture: &RgbImage, pieces: impl Iterator<Item = PxBox>) -> Result<([u32; 4], String), image::ImageError> {
    let (width, height) = picture.dimensions();
    let around = pieces.reduce(|a, b| PxBox { x0: a.x0.min(b.x0), y0: a.y0.min(b.y0), x1: a.x1.max(b.x1), y1: a.y1.max(b.y1) });
    if let Some(b) = around {
        let longest = b.x1.saturating_sub(b.x0).max(b.y1.saturating_sub(b.y0));
        // At least a third of the picture's width, so that a single meeple is still seen standing on something.
        let margin = (f64::from(longest) * PART_MARGIN).max((f64::from(width) / 3.0 - f64::from(longest)) / 2.0) as i32;
        let clamp = |at: i32, most: u32| u32::try_from(at.max(0)).unwrap_or(0).min(most);
        let (x0, x1) = (clamp(b.x0.saturating_sub(margin), width), clamp(b.x1.saturating_add(margin), width));
        let (y0, y1) = (clamp(b.y0.saturating_sub(margin), height), clamp(b.y1.saturating_add(margin), height));
        let share = f64::from(x1.saturating_sub(x0)) * f64::from(y1.saturating_sub(y0)) / (f64::from(width) * f64::from(height));
        if share > 0.0 && share < WHOLE_SHARE {
            let part = imageops::crop_imm(picture, x0, y0, x1 - x0, y1 - y0).to_image();
            return Ok(([x0, y0, x1 - x0, y1 - y0], data_address(&no_longer_than(&part, PHOTO_SIDE), PHOTO_QUALITY)?));
        }
    }
    Ok(([0, 0, width, height], data_address(&no_longer_than(picture, PHOTO_SIDE), PHOTO_QUALITY)?))
}

/// `picture`, small, as a `data:` address.
pub fn small(picture: &RgbImage) -> Result<String, image::ImageError> {
    data_address(&no_longer_than(picture, SMALL_SIDE), PHOTO_QUALITY)
}

/// What lies in and around `piece`, enlarged, as a `data:` address with its width and height in px; `None` when the piece
/// lies outside the picture.
pub fn cutout(picture: &RgbImage, piece: PxBox) -> Result<Option<(String, u32, u32)>, image::ImageError> {
    let margin = (f64::from(piece.y1.saturating_sub(piece.y0)) * CUTOUT_MARGIN).round() as i32;
    let clamp = |at: i32, most: u32| u32::try_from(at.max(0)).unwrap_or(0).min(most);
    let (x0, x1) =
        (clamp(piece.x0.saturating_sub(margin), picture.width()), clamp(piece.x1.saturating_add(margin), picture.width()));
    let (y0, y1) =
        (clamp(piece.y0.saturating_sub(margin), picture.height()), clamp(piece.y1.saturating_add(margin), picture.height()));
    if x1 <= x0 || y1 <= y0 {
        return Ok(None);
    }
    let (width, height) = (x1 - x0, y1 - y0);
    let scale = (f64::from(CUTOUT_HEIGHT) / f64::from(height)).min(MOST_ENLARGED);
    let side = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
    let part = imageops::crop_imm(picture, x0, y0, width, height).to_image();
    let part = imageops::resize(&part, side(width), side(height), FilterType::CatmullRom);
    Ok(Some((data_address(&part, CUTOUT_QUALITY)?, part.width(), part.height())))
}

/// `picture` with no side longer than `side` px.
fn no_longer_than(picture: &RgbImage, side: u32) -> Cow<'_, RgbImage> {
    let (width, height) = picture.dimensions();
    let longest = width.max(height);
    if longest <= side {
        return Cow::Borrowed(picture);
    }
    let scaled = |px: u32| (u64::from(px) * u64::from(side) / u64::from(longest)).max(1) as u32;
    Cow::Owned(imageops::resize(picture, scaled(width), scaled(height), FilterType::Triangle))
}

fn data_address(picture: &RgbImage, quality: u8) -> Result<String, image::ImageError> {
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, quality).write_image(
        picture.as_raw(),
        picture.width(),
        picture.height(),
        ExtendedColorType::Rgb8,
    )?;
    Ok(format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg)))
}
