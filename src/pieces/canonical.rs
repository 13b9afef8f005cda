//! The canonical picture: the part of the photo that can hold pieces, at a scale where a meeple has a known size.

use image::RgbImage;
use opencv::core::{Mat, Rect};

use crate::{
    game::{MEEPLE_WIDTH_MM, MEEPLES_IN_THE_BOX},
    geometry::{Px, WorldPoint},
    mat,
    pose::Camera,
};

/// A canonical picture has at most this many pixels, however large the photo and wherever the playmat was taken to be: some
/// four times what a whole playmat needs.
const MOST_PIXELS: f64 = 4e6;

/// The part of the photo that can hold pieces, resampled so that a meeple in the middle of the playmat has a known
/// width.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The pixels.
    pub image: RgbImage,
    /// Canonical px per picture px.
    pub scale: f64,
    /// Place of the canonical picture's top-left corner in the picture, px.
    pub origin: Px,
}

impl Canonical {
    /// `picture` around the playmat, so that a meeple in its middle is `meeple_px` wide, but enlarged no more than
    /// `most_scale` times.
    pub fn new(picture: &RgbImage, camera: &Camera, meeple_px: f64, most_scale: f64, margin_mm: f64) -> opencv::Result<Self> {
        let px_per_mm = camera.px_per_mm(WorldPoint::new(0.0, 0.0, MEEPLE_WIDTH_MM / 2.0)).max(1e-3);
        let scale = (meeple_px / (MEEPLE_WIDTH_MM * px_per_mm)).min(most_scale);
        Self::resampled(picture, pixels_of_interest(picture, camera, margin_mm), scale)
    }

    /// All of `picture`, made `scale` times as large.
    pub fn whole(picture: &RgbImage, scale: f64) -> opencv::Result<Self> {
        Self::resampled(picture, Rect::new(0, 0, picture.width() as i32, picture.height() as i32), scale)
    }

    fn resampled(picture: &RgbImage, bounds: Rect, scale: f64) -> opencv::Result<Self> {
        let pixels = f64::from(bounds.width) * f64::from(bounds.height);
        let scale = scale.min((MOST_PIXELS / pixels).sqrt());
        let crop = Mat::roi(&mat::of_rgb(picture)?, bounds)?.clone_pointee();
        let origin = Px::new(f64::from(bounds.x), f64::from(bounds.y));
        Ok(Self { image: mat::to_rgb(&mat::scaled(&crop, scale)?)?, scale, origin })
    }

    /// Where `p` of the canonical picture is in the picture, px.
    pub fn px_from_canonical(&self, p: Px) -> Px {
        Px::new(p.x / self.scale + self.origin.x, p.y / self.scale + self.origin.y)
    }

    /// Where `p` of the picture is in the canonical picture, canonical px.
    pub fn canonical_from_px(&self, p: Px) -> Px {
        Px::new((p.x - self.origin.x) * self.scale, (p.y - self.origin.y) * self.scale)
    }
}

/// The rectangle of `picture` in which pieces on the playmat, or up to `margin_mm` beside it, can be seen.
fn pixels_of_interest(picture: &RgbImage, camera: &Camera, margin_mm: f64) -> Rect {
    let [w, h] = camera.playmat_size_mm.map(|side| side / 2.0 + margin_mm);
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let (mut x0, mut y0, mut x1, mut y1) = (width, height, 0.0_f64, 0.0_f64);
    for z in [0.0, tallest_pyramid_mm()] {
        for (x, y) in [(-w, -h), (w, -h), (w, h), (-w, h), (0.0, -h), (0.0, h)] {
            let p = camera.px_clamped(WorldPoint::new(x, y, z));
            (x0, y0, x1, y1) = (x0.min(p.x), y0.min(p.y), x1.max(p.x), y1.max(p.y));
        }
    }
    let (x0, y0) = (x0.clamp(0.0, width - 1.0).floor(), y0.clamp(0.0, height - 1.0).floor());
    let (x1, y1) = (x1.clamp(x0 + 1.0, width).ceil(), y1.clamp(y0 + 1.0, height).ceil());
    Rect::new(x0 as i32, y0 as i32, (x1 - x0) as i32, (y1 - y0) as i32)
}

/// Height of the tallest full pyramid that the meeples in the box allow, mm.
fn tallest_pyramid_mm() -> f64 {
    let rows = (1..).take_while(|rows| rows * (rows + 1) / 2 <= MEEPLES_IN_THE_BOX).count();
    rows as f64 * crate::game::MEEPLE_HEIGHT_MM
}
