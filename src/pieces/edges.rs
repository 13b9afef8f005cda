//! Edges of the canonical picture, one map for each direction.
//!
//! The idea of matching a known outline against edges by direction, spread a little so that the outline need not fit
//! to the pixel, is that of LINEMOD (Hinterstoisser et al., "Gradient Response Maps for Real-Time Detection of
//! Texture-Less Objects", PAMI 2012). Here an edge's weight is its contrast against the strongest edge nearby, with a
//! soft limit, since the line between two meeples of one colour is ten times weaker than that between meeple and felt.

use image::{GrayImage, RgbImage};
use opencv::{
    core::{Mat, Size},
    imgproc,
};

use super::PiecesParams;
use crate::mat;

/// Number of edge directions told apart over half a turn.
pub(crate) const DIRECTIONS: usize = 8;

/// Side of the blocks over which the strongest edge nearby is looked up, canonical px.
const BLOCK: usize = 6;

/// The edges of a picture.
#[derive(Clone, Debug)]
pub(crate) struct EdgeMaps {
    width: usize,
    height: usize,
    /// For each direction, weight 0 to 255 of an edge running that way within a pixel or so.
    maps: Vec<GrayImage>,
    /// Weight 0 to 255 of an edge of any direction within a pixel.
    any: GrayImage,
}

impl EdgeMaps {
    /// The edges of `image`.
    pub fn new(image: &RgbImage, params: &PiecesParams) -> opencv::Result<Self> {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let mut smooth = Mat::default();
        imgproc::gaussian_blur_def(&mat::of_rgb(image)?, &mut smooth, Size::new(0, 0), params.edge_blur_px)?;
        let gradient = Gradient::new(&mat::to_rgb(&smooth)?);
        let noise = gradient.noise() * params.noise_factor + params.noise_floor;
        let nearby = gradient.strongest_nearby();
        let blocks_across = width.div_ceil(BLOCK);
        let empty = || GrayImage::new(width as u32, height as u32);
        let mut any = empty();
        let mut maps: Vec<GrayImage> = (0..DIRECTIONS).map(|_| empty()).collect();
        for y in 1..height.saturating_sub(1) {
            for x in 1..width.saturating_sub(1) {
                let i = y * width + x;
                let m = gradient.magnitude[i];
                if m <= noise || !gradient.is_ridge(i) {
                    continue;
                }
                let strongest = nearby[(y / BLOCK) * blocks_across + x / BLOCK];
                let full = (params.edge_contrast * strongest).max(params.edge_floor);
                let weight = ((m - noise) / full).min(1.0);
                let direction = gradient.direction(i);
                (*any)[i] = (weight * 255.0) as u8;
                maps[direction].as_mut()[i] = (weight * 255.0) as u8;
                for side in [direction + 1, direction + DIRECTIONS - 1] {
                    maps[side % DIRECTIONS].as_mut()[i] = (weight * 180.0) as u8;
                }
            }
        }
        let near = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(3, 3))?;
        let wide = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(5, 5))?;
        let spread = |map: &GrayImage, kernel: &Mat| -> opencv::Result<GrayImage> {
            let mut out = Mat::default();
            imgproc::dilate_def(&mat::of_gray(map)?, &mut out, kernel)?;
            mat::to_gray(&out)
        };
        for map in &mut maps {
            let (close, far) = (spread(map, &near)?, spread(map, &wide)?);
            for ((v, c), f) in map.iter_mut().zip(close.iter()).zip(far.iter()) {
                *v = (*c).max(f / 2);
            }
        }
        let any = spread(&any, &near)?;
        Ok(Self { width, height, maps, any })
    }

    fn index(&self, x: f32, y: f32) -> Option<usize> {
        let inside = x >= 0.0 && y >= 0.0 && x < self.width as f32 && y < self.height as f32;
        inside.then(|| y as usize * self.width + x as usize)
    }

    /// Weight, 0 to 1, of an edge running in `direction` at (`x`, `y`) canonical px; `None` outside the picture.
    pub fn along(&self, direction: usize, x: f32, y: f32) -> Option<f32> {
        self.index(x, y).map(|i| f32::from(self.maps[direction].as_raw()[i]) / 255.0)
    }

    /// Weight, 0 to 1, of an edge of any direction at (`x`, `y`) canonical px; 0 outside the picture.
    pub fn any(&self, x: f32, y: f32) -> f32 {
        self.index(x, y).map_or(0.0, |i| f32::from(self.any.as_raw()[i]) / 255.0)
    }
}

/// The direction bin of a line that runs along (`x`, `y`).
pub(crate) fn direction_of(x: f64, y: f64) -> usize {
    // Tangents of the angles between neighbouring bins: odd multiples of 180° / 16. Comparing is faster than an arctangent.
    const TANGENTS: [f64; 4] = [0.198_912, 0.668_179, 1.496_606, 5.027_339];
    let (steep, flat) = (y.abs(), x.abs());
    let bin = TANGENTS.iter().filter(|&&t| steep > t * flat).count();
    if bin == 0 || (x > 0.0) == (y > 0.0) { bin } else { DIRECTIONS - bin }
}

/// Sobel gradient of the strongest of the three colour channels.
struct Gradient {
    width: usize,
    x: Vec<f32>,
    y: Vec<f32>,
    magnitude: Vec<f32>,
}

impl Gradient {
    fn new(image: &RgbImage) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let (mut gx, mut gy) = (vec![0.0; width * height], vec![0.0; width * height]);
        let mut magnitude = vec![0.0; width * height];
        let data = image.as_raw();
        let line = 3 * width;
        for y in 1..height.saturating_sub(1) {
            let (above, here, below) =
                (&data[(y - 1) * line..y * line], &data[y * line..(y + 1) * line], &data[(y + 1) * line..(y + 2) * line]);
            for x in 1..width.saturating_sub(1) {
                let (mut best, mut best_x, mut best_y) = (0, 0, 0);
                for c in 3 * x..3 * x + 3 {
                    let at = |row: &[u8], k: usize| i32::from(row[k]);
                    let (nw, n, ne) = (at(above, c - 3), at(above, c), at(above, c + 3));
                    let (w, e) = (at(here, c - 3), at(here, c + 3));
                    let (sw, s, se) = (at(below, c - 3), at(below, c), at(below, c + 3));
                    let dx = ne + 2 * e + se - nw - 2 * w - sw;
                    let dy = sw + 2 * s + se - nw - 2 * n - ne;
                    let square = dx * dx + dy * dy;
                    if square > best {
                        (best, best_x, best_y) = (square, dx, dy);
                    }
                }
                let i = y * width + x;
                (gx[i], gy[i], magnitude[i]) = (best_x as f32, best_y as f32, (best as f32).sqrt());
            }
        }
        Self { width, x: gx, y: gy, magnitude }
    }

    /// Median magnitude: most of a picture is not edge.
    fn noise(&self) -> f32 {
        let mut some: Vec<f32> = self.magnitude.iter().step_by(7).copied().collect();
        if some.is_empty() {
            return 0.0;
        }
        let middle = some.len() / 2;
        *some.select_nth_unstable_by(middle, f32::total_cmp).1
    }

    /// For each block of the picture, the strongest magnitude within two blocks of it.
    fn strongest_nearby(&self) -> Vec<f32> {
        let height = self.magnitude.len() / self.width.max(1);
        let (across, down) = (self.width.div_ceil(BLOCK), height.div_ceil(BLOCK));
        let mut blocks = vec![0f32; across * down];
        for (y, row) in self.magnitude.chunks(self.width.max(1)).enumerate() {
            for (x, chunk) in row.chunks(BLOCK).enumerate() {
                let strongest = chunk.iter().copied().fold(0.0, f32::max);
                let block = &mut blocks[(y / BLOCK) * across + x];
                *block = block.max(strongest);
            }
        }
        let mut out = vec![0f32; across * down];
        for y in 0..down {
            for x in 0..across {
                let mut strongest = 0f32;
                for yy in y.saturating_sub(2)..(y + 3).min(down) {
                    for xx in x.saturating_sub(2)..(x + 3).min(across) {
                        strongest = strongest.max(blocks[yy * across + xx]);
                    }
                }
                out[y * across + x] = strongest;
            }
        }
        out
    }

    /// Whether pixel `i` is at least as strong as its neighbours across the edge.
    fn is_ridge(&self, i: usize) -> bool {
        // tan 67.5°: sectors of 45° about the four neighbour directions.
        const STEEP: f32 = 2.414;
        let (gx, gy) = (self.x[i], self.y[i]);
        let step = if gx.abs() > STEEP * gy.abs() {
            1
        } else if gy.abs() > STEEP * gx.abs() {
            self.width
        } else if gx * gy > 0.0 {
            self.width + 1
        } else {
            self.width - 1
        };
        self.magnitude[i] >= self.magnitude[i - step] && self.magnitude[i] >= self.magnitude[i + step]
    }

    /// Direction bin of the edge through pixel `i`.
    fn direction(&self, i: usize) -> usize {
        direction_of(f64::from(-self.y[i]), f64::from(self.x[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_bins_are_those_of_the_arctangent() {
        for step in 0..720 {
            let angle = (f64::from(step) * 0.5 + 0.13).to_radians();
            let turn = angle.rem_euclid(std::f64::consts::PI) / std::f64::consts::PI;
            let expected = (turn * DIRECTIONS as f64 + 0.5) as usize % DIRECTIONS;
            assert_eq!(direction_of(angle.cos(), angle.sin()), expected, "{step}");
        }
    }

    #[test]
    fn an_edge_is_seen_along_its_own_direction_and_not_across() {
        let image = RgbImage::from_fn(60, 40, |x, _| image::Rgb(if x < 30 { [40, 40, 40] } else { [200, 60, 60] }));
        let edges = EdgeMaps::new(&image, &PiecesParams::default()).unwrap();
        let upright = direction_of(0.0, 1.0);
        assert!(edges.along(upright, 30.0, 20.0).unwrap() > 0.9);
        assert!(edges.along(direction_of(1.0, 0.0), 30.0, 20.0).unwrap() < 0.1);
        assert!(edges.along(upright, 45.0, 20.0).unwrap() < 0.1);
        assert_eq!(edges.along(upright, -1.0, 20.0), None);
    }
}
