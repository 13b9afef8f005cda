//! What the learned network takes for the playmat: roughly right where segments of even colour mislead, such as felt on
//! a table of its own colour. It proposes a shape of its own and has a say in the choice; the edges decide where exactly.

use image::RgbImage;

use super::small::Small;
use crate::{
    geometry::Px,
    mat,
    network::{self, Maps, STRIDE, sigmoid},
};

/// Longest side of the picture that the network gets, px.
const LONG_SIDE: f64 = 320.0;
/// The network's map of the playmat, the parts that pieces hide included.
const MASK: usize = 0;

/// Why there is no prior.
#[derive(Debug, thiserror::Error)]
pub enum PriorError {
    /// The network did not run.
    #[error(transparent)]
    Network(#[from] network::NetworkError),
    /// OpenCV refused the picture.
    #[error(transparent)]
    OpenCv(#[from] opencv::Error),
}

/// What the network answered for a picture.
pub(crate) struct Prior {
    maps: Maps,
    /// Size of the picture that it got, px.
    size: (u32, u32),
}

/// Asks the network about `picture`.
pub(crate) fn ask(picture: &RgbImage) -> Result<Prior, PriorError> {
    let factor = LONG_SIDE / f64::from(picture.width().max(picture.height()));
    let scaled = mat::to_rgb(&mat::scaled(&mat::of_rgb(picture)?, factor)?)?;
    Ok(Prior { maps: network::playmat()?.maps(&scaled)?, size: scaled.dimensions() })
}

impl Prior {
    /// How likely the playmat is at `p`, px of a picture of the size `full`, 0 to 1.
    pub(crate) fn at_px(&self, p: Px, full: (u32, u32)) -> f64 {
        let cell = |v: f64, full: u32, seen: u32, cells: usize| {
            let place = v * f64::from(seen) / f64::from(full) / STRIDE;
            place.clamp(0.0, cells as f64 - 1.0) as usize
        };
        let column = cell(p.x, full.0, self.size.0, self.maps.columns);
        let row = cell(p.y, full.1, self.size.1, self.maps.rows);
        f64::from(sigmoid(self.maps.at(MASK, column, row)))
    }

    /// How likely each pixel of the small picture is to belong to the playmat, hidden parts included, 0 to 1; row by row.
    pub(crate) fn at(&self, small: &Small) -> Vec<f32> {
        let maps = &self.maps;
        let cells = maps.channel(MASK);
        // Between the centres of the cells the logit is interpolated.
        let place = |v: f64, cells: usize| {
            let v = (v / STRIDE - 0.5).clamp(0.0, cells as f64 - 1.0);
            let first = v as usize;
            (first, (first + 1).min(cells - 1), (v - first as f64) as f32)
        };
        let (across, down) = (f64::from(self.size.0) / small.width as f64, f64::from(self.size.1) / small.height as f64);
        let columns: Vec<_> = (0..small.width).map(|x| place((x as f64 + 0.5) * across, maps.columns)).collect();
        let mut likely = Vec::with_capacity(small.width * small.height);
        for y in 0..small.height {
            let (row, below, fy) = place((y as f64 + 0.5) * down, maps.rows);
            let (row, below) = (&cells[row * maps.columns..][..maps.columns], &cells[below * maps.columns..][..maps.columns]);
            likely.extend(columns.iter().map(|&(column, right, fx)| {
                let above = row[column] * (1.0 - fx) + row[right] * fx;
                let under = below[column] * (1.0 - fx) + below[right] * fx;
                sigmoid(above * (1.0 - fy) + under * fy)
            }));
        }
        likely
    }
}
