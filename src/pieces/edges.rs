//! The picture at a scale where a meeple is about [`CANONICAL_MEEPLE_PX`] tall, and its edges by direction.

use image::RgbImage;
use opencv::{core::*, imgproc};

use crate::{geometry::Px, pose::Camera, geometry::WorldPoint, game::MEEPLE_HEIGHT_MM};

/// Height of a meeple in the middle of the playmat in the canonical picture, px.
pub(crate) const CANONICAL_MEEPLE_PX: f64 = 32.0;

/// Number of edge directions told apart over half a turn.
pub(crate) const DIRECTIONS: usize = 8;

/// The part of the picture that can hold pieces, at canonical scale.
pub(crate) struct Canonical {
    pub image: RgbImage,
    /// Canonical px per picture px.
    pub scale: f64,
    /// Place of the canonical picture's top-left corner in the picture, px.
    pub origin: Px,
}

impl Canonical {
    pub fn new(picture: &RgbImage, camera: &Camera) -> opencv::Result<Self> {
        let [w, d] = camera.playmat_size_mm;
        let centre = camera.px_from_world(WorldPoint::new(0.0, 0.0, 0.0)).unwrap_or(Px::new(0.0, 0.0));
        let top = camera.px_from_world(WorldPoint::new(0.0, 0.0, MEEPLE_HEIGHT_MM)).unwrap_or(centre);
        let seen = centre.distance(top).max(4.0);
        // near px per mm: cos(elev) shrinks the upright extent; use the horizontal extent for the scale
        let r = camera.px_from_world(WorldPoint::new(8.0, 0.0, 8.0)).unwrap_or(centre);
        let l = camera.px_from_world(WorldPoint::new(-8.0, 0.0, 8.0)).unwrap_or(centre);
        let _ = seen;
        let scale = (CANONICAL_MEEPLE_PX / l.distance(r).max(4.0)).min(2.0);
        let (mut x0, mut y0, mut x1, mut y1) = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        let m = 40.0;
        for sx in [-1.0, 1.0] {
            for sy in [-1.0, 1.0] {
                for z in [0.0, 150.0] {
                    if let Some(p) = camera.px_from_world(WorldPoint::new(sx * (w / 2.0 + m), sy * (d / 2.0 + m), z)) {
                        x0 = x0.min(p.x);
                        x1 = x1.max(p.x);
                        y0 = y0.min(p.y);
                        y1 = y1.max(p.y);
                    }
                }
            }
        }
        let (pw, ph) = (picture.width() as f64, picture.height() as f64);
        let (x0, y0) = (x0.max(0.0).floor(), y0.max(0.0).floor());
        let (x1, y1) = (x1.min(pw).ceil(), y1.min(ph).ceil());
        let roi = Rect::new(x0 as i32, y0 as i32, ((x1 - x0) as i32).max(1), ((y1 - y0) as i32).max(1));
        let mat = Mat::from_slice(picture.as_raw())?.clone_pointee();
        let mat = mat.reshape(3, picture.height() as i32)?.clone_pointee();
        let crop = Mat::roi(&mat, roi)?;
        let mut out = Mat::default();
        let size = Size::new(((x1 - x0) * scale).round().max(1.0) as i32, ((y1 - y0) * scale).round().max(1.0) as i32);
        imgproc::resize(&crop, &mut out, size, 0.0, 0.0, if scale < 1.0 { imgproc::INTER_AREA } else { imgproc::INTER_LINEAR })?;
        let data = out.data_bytes()?.to_vec();
        let image = RgbImage::from_raw(size.width as u32, size.height as u32, data).unwrap_or_default();
        Ok(Self { image, scale, origin: Px::new(x0, y0) })
    }

    pub fn canonical_from_px(&self, p: Px) -> Px {
        Px::new((p.x - self.origin.x) * self.scale, (p.y - self.origin.y) * self.scale)
    }
}

/// Edge strength by direction: `at(o, x, y)` is 0 to 255 for an edge running at `o` · 180° / [`DIRECTIONS`].
pub(crate) struct EdgeMaps {
    pub width: usize,
    pub height: usize,
    maps: Vec<Vec<u8>>,
    /// Undirected strength before spreading, for the inside of a piece.
    pub strength: Vec<u8>,
}

impl EdgeMaps {
    pub fn new(image: &RgbImage) -> opencv::Result<Self> {
        let (w, h) = (image.width() as usize, image.height() as usize);
        let mat = Mat::from_slice(image.as_raw())?.clone_pointee();
        let mat = mat.reshape(3, h as i32)?.clone_pointee();
        let mut smooth = Mat::default();
        imgproc::gaussian_blur_def(&mat, &mut smooth, Size::new(0, 0), 0.9)?;
        let data = smooth.data_bytes()?;
        let mut magnitude = vec![0f32; w * h];
        let mut direction = vec![0u8; w * h];
        let mut gradient = vec![(0f32, 0f32); w * h];
        for y in 1..h.saturating_sub(1) {
            for x in 1..w - 1 {
                let (mut best, mut bx, mut by) = (0f32, 0f32, 0f32);
                for c in 0..3 {
                    let v = |xx: usize, yy: usize| data[(yy * w + xx) * 3 + c] as f32;
                    let gx = v(x + 1, y - 1) - v(x - 1, y - 1) + 2.0 * (v(x + 1, y) - v(x - 1, y)) + v(x + 1, y + 1) - v(x - 1, y + 1);
                    let gy = v(x - 1, y + 1) - v(x - 1, y - 1) + 2.0 * (v(x, y + 1) - v(x, y - 1)) + v(x + 1, y + 1) - v(x + 1, y - 1);
                    let m = gx * gx + gy * gy;
                    if m > best {
                        (best, bx, by) = (m, gx, gy);
                    }
                }
                magnitude[y * w + x] = best.sqrt();
                gradient[y * w + x] = (bx, by);
                // direction of the edge line: gradient turned by 90°, modulo 180°
                let a = (bx).atan2(-by).rem_euclid(std::f32::consts::PI);
                direction[y * w + x] = ((a / std::f32::consts::PI * DIRECTIONS as f32 + 0.5) as usize % DIRECTIONS) as u8;
            }
        }
        // Local contrast: an edge counts by its strength against the strongest nearby.
        let mag = Mat::from_slice(&magnitude)?.clone_pointee();
        let mag = mag.reshape(1, h as i32)?.clone_pointee();
        let mut local = Mat::default();
        let k = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, Size::new(25, 25))?;
        imgproc::dilate_def(&mag, &mut local, &k)?;
        let mut local2 = Mat::default();
        imgproc::blur_def(&local, &mut local2, Size::new(25, 25))?;
        let local = local2.data_typed::<f32>()?;
        let mut sorted: Vec<f32> = magnitude.iter().step_by(7).copied().collect();
        sorted.sort_by(f32::total_cmp);
        let noise = sorted[sorted.len() / 2] * 1.2 + 2.0;
        let mut strength = vec![0u8; w * h];
        let mut maps = vec![vec![0u8; w * h]; DIRECTIONS];
        for i in 0..w * h {
            let s = ((magnitude[i] - noise) / (0.08 * local[i]).max(8.0)).clamp(0.0, 1.0);
            if s <= 0.0 {
                continue;
            }
            let (x, y) = (i % w, i / w);
            if x < 1 || y < 1 || x + 1 >= w || y + 1 >= h {
                continue;
            }
            let (gx, gy) = gradient[i];
            let n = if gx.abs() > 2.414 * gy.abs() {
                1
            } else if gy.abs() > 2.414 * gx.abs() {
                w
            } else if gx * gy > 0.0 {
                w + 1
            } else {
                w - 1
            };
            if magnitude[i] < magnitude[i - n] || magnitude[i] < magnitude[i + n] {
                continue;
            }
            let s8 = (s * 255.0) as u8;
            strength[i] = s8;
            let d = direction[i] as usize;
            maps[d][i] = s8;
            let side = (s * 180.0) as u8;
            maps[(d + 1) % DIRECTIONS][i] = side;
            maps[(d + DIRECTIONS - 1) % DIRECTIONS][i] = side;
        }
        let k = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(3, 3))?;
        let k5 = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(5, 5))?;
        for map in &mut maps {
            let m = Mat::from_slice(map)?.clone_pointee();
            let m = m.reshape(1, h as i32)?.clone_pointee();
            let mut out = Mat::default();
            imgproc::dilate_def(&m, &mut out, &k)?;
            let mut wide = Mat::default();
            imgproc::dilate_def(&m, &mut wide, &k5)?;
            for ((v, &a), &b) in map.iter_mut().zip(out.data_bytes()?).zip(wide.data_bytes()?) {
                *v = a.max(b / 2);
            }
        }
        let m = Mat::from_slice(&strength)?.clone_pointee();
        let m = m.reshape(1, h as i32)?.clone_pointee();
        let mut out = Mat::default();
        imgproc::dilate_def(&m, &mut out, &k)?;
        strength.copy_from_slice(out.data_bytes()?);
        Ok(Self { width: w, height: h, maps, strength })
    }

    #[inline]
    pub fn at(&self, direction: usize, x: f64, y: f64) -> Option<u8> {
        let (x, y) = (x.floor(), y.floor());
        if x < 0.0 || y < 0.0 || x >= self.width as f64 || y >= self.height as f64 {
            return None;
        }
        Some(self.maps[direction][y as usize * self.width + x as usize])
    }

    #[inline]
    pub fn strength_at(&self, x: f64, y: f64) -> Option<u8> {
        let (x, y) = (x.floor(), y.floor());
        if x < 0.0 || y < 0.0 || x >= self.width as f64 || y >= self.height as f64 {
            return None;
        }
        Some(self.strength[y as usize * self.width + x as usize])
    }
}
