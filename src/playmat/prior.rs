//! What the learned network takes for the playmat: roughly right where segments of even colour mislead, such as felt on
//! a table of its own colour. It proposes a shape of its own and has a say in the choice; the edges decide where exactly.

use image::RgbImage;
use opencv::{core::Size, imgproc, prelude::*};

use super::small::Small;
use crate::{
    mat,
    network::{self, STRIDE, sigmoid},
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

/// How likely each pixel of the small picture is to belong to the playmat, hidden parts included, 0 to 1; row by row.
pub(crate) fn playmat(picture: &RgbImage, small: &Small) -> Result<Vec<f32>, PriorError> {
    let factor = LONG_SIDE / f64::from(picture.width().max(picture.height()));
    let side = |pixels: u32| (f64::from(pixels) * factor).round().max(1.0) as i32;
    let mut resized = Mat::default();
    let filter = if factor < 1.0 { imgproc::INTER_AREA } else { imgproc::INTER_LINEAR };
    let size = Size::new(side(picture.width()), side(picture.height()));
    imgproc::resize(&mat::of_rgb(picture)?, &mut resized, size, 0.0, 0.0, filter)?;
    let maps = network::playmat()?.maps(&mat::to_rgb(&resized)?)?;
    let cells = maps.channel(MASK);
    // Between the centres of the cells the logit is interpolated.
    let at = |x: f64, y: f64| {
        let place = |v: f64, cells: usize| (v / STRIDE - 0.5).clamp(0.0, cells as f64 - 1.0);
        let (x, y) = (place(x, maps.columns), place(y, maps.rows));
        let (column, row) = (x as usize, y as usize);
        let (right, below) = ((column + 1).min(maps.columns - 1), (row + 1).min(maps.rows - 1));
        let (fx, fy) = ((x - column as f64) as f32, (y - row as f64) as f32);
        let cell = |column: usize, row: usize| cells[row * maps.columns + column];
        let above = cell(column, row) * (1.0 - fx) + cell(right, row) * fx;
        let under = cell(column, below) * (1.0 - fx) + cell(right, below) * fx;
        sigmoid(above * (1.0 - fy) + under * fy)
    };
    let (across, down) = (f64::from(size.width) / small.width as f64, f64::from(size.height) / small.height as f64);
    let pixels = (0..small.height).flat_map(|y| (0..small.width).map(move |x| (x, y)));
    Ok(pixels.map(|(x, y)| at((x as f64 + 0.5) * across, (y as f64 + 0.5) * down)).collect())
}
