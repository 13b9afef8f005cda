//! Capture: from the bytes of a photo to an upright picture.

use image::RgbImage;

/// An upright picture (EXIF orientation applied) and what its file says about the lens.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The pixels, 8-bit sRGB.
    pub rgb: RgbImage,
    /// Focal length in px from EXIF, where present and plausible.
    pub exif_focal_px: Option<f64>,
}
