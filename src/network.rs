//! The learned networks: compiled into the program, checked when first used, run on one thread.
//!
//! `models/README.md` says what their maps mean, what they learned from and how to make them again. Inference is
//! rten's: pure Rust, nothing to find at run time.

use std::sync::{Arc, LazyLock};

use image::RgbImage;
use rten::{Model, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, prelude::*};

use crate::record;

/// Input pixels per cell of the maps, both ways.
pub(crate) const STRIDE: f64 = 4.0;
/// The networks take pictures whose sides are multiples of this.
const SIDE_MULTIPLE: u32 = 32;
/// Level, 0 to 1, of the grey that is added to get there.
const PADDING: f32 = 128.0 / 255.0;
/// Checksums as `sha256sum` writes them, one line per file.
const CHECKSUMS: &str = include_str!("../models/SHA256SUMS");

/// What can go wrong with a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The compiled-in bytes are not the ones that were measured.
    #[error("the network {name} inside this program is damaged (SHA-256 {found}); install the program anew")]
    Damaged {
        /// File name in `models/`.
        name: &'static str,
        /// Checksum of the bytes, hexadecimal.
        found: String,
    },
    /// The inference engine refused the network or its input.
    #[error("the network {name} could not be run: {message}")]
    Engine {
        /// File name in `models/`.
        name: &'static str,
        /// The engine's own words.
        message: String,
    },
}

/// A loaded network.
pub(crate) struct Network {
    name: &'static str,
    sha256: String,
    model: Model,
}

/// The network that sees pieces.
pub(crate) fn pieces() -> Result<&'static Network, NetworkError> {
    static NETWORK: LazyLock<Result<Network, NetworkError>> =
        LazyLock::new(|| Network::load("pieces.onnx", include_bytes!("../models/pieces.onnx")));
    NETWORK.as_ref().map_err(Clone::clone)
}

/// The network that sees the playmat.
pub(crate) fn playmat() -> Result<&'static Network, NetworkError> {
    static NETWORK: LazyLock<Result<Network, NetworkError>> =
        LazyLock::new(|| Network::load("playmat.onnx", include_bytes!("../models/playmat.onnx")));
    NETWORK.as_ref().map_err(Clone::clone)
}

/// SHA-256 of both networks together, hexadecimal: it changes whenever either does.
pub fn sha256() -> Result<String, NetworkError> {
    let both = format!("{}{}", pieces()?.sha256, playmat()?.sha256);
    Ok(record::sha256(both.as_bytes()))
}

impl Network {
    fn load(name: &'static str, bytes: &'static [u8]) -> Result<Self, NetworkError> {
        let sha256 = record::sha256(bytes);
        if !CHECKSUMS.lines().any(|line| line.split_whitespace().eq([sha256.as_str(), name])) {
            return Err(NetworkError::Damaged { name, found: sha256 });
        }
        let model = off_the_pool(|| {
            let operators = rten::op_registry!(Conv, Relu, Add, Mul, Sub, Resize);
            rten::ModelOptions::with_ops(operators).prepack_weights(true).load_static_slice(bytes)
        });
        let model = model.map_err(|error| NetworkError::Engine { name, message: error.to_string() })?;
        Ok(Self { name, sha256, model })
    }

    /// The maps of `picture`, which is padded with grey to the right and below.
    pub fn maps(&self, picture: &RgbImage) -> Result<Maps, NetworkError> {
        let failed = |message: String| NetworkError::Engine { name: self.name, message };
        let (width, height) = (picture.width().max(1), picture.height().max(1));
        let padded = |side: u32| (side.div_ceil(SIDE_MULTIPLE) * SIDE_MULTIPLE) as usize;
        let mut input = NdTensor::full([1, 3, padded(height), padded(width)], PADDING);
        let (plane, line) = (padded(width) * padded(height), padded(width));
        let levels = input.data_mut().ok_or_else(|| failed("the input is not contiguous".to_owned()))?;
        for (y, row) in picture.as_raw().chunks_exact(3 * width as usize).enumerate() {
            for (x, pixel) in row.chunks_exact(3).enumerate() {
                for (channel, &level) in pixel.iter().enumerate() {
                    levels[channel * plane + y * line + x] = f32::from(level) / 255.0;
                }
            }
        }
        let output = single_threaded(|options| self.model.run_one(input.view().into(), Some(options)))
            .map_err(|error| failed(error.to_string()))?;
        let output: NdTensor<f32, 4> = output.try_into().map_err(|error| failed(format!("{error:?}")))?;
        let [_, channels, rows, columns] = output.shape();
        Ok(Maps { channels, columns, rows, values: output.into_data() })
    }
}

/// What `run` returns, with the engine held to one thread: the program reads several pictures at once instead.
fn single_threaded<T: Send>(run: impl FnOnce(RunOptions) -> T + Send) -> T {
    thread_local! {
        static POOL: Arc<ThreadPool> = Arc::new(ThreadPool::with_num_threads(1));
    }
    let options = RunOptions::default().with_thread_pool(Some(POOL.with(Arc::clone)));
    off_the_pool(|| run(options))
}

/// What `run` returns, run on a plain thread. The engine works in a thread pool of its own: entered from a worker of the
/// program's pool, rayon would let that worker begin the next picture while it waits, and wait for itself.
fn off_the_pool<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| match scope.spawn(run).join() {
        Ok(out) => out,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Output of a network: maps of cells of [`STRIDE`] input pixels.
#[derive(Clone, Debug)]
pub(crate) struct Maps {
    channels: usize,
    /// Cells across.
    pub columns: usize,
    /// Cells down.
    pub rows: usize,
    values: Vec<f32>,
}

impl Maps {
    /// The cells of map `channel`, row by row.
    pub fn channel(&self, channel: usize) -> &[f32] {
        debug_assert!(channel < self.channels);
        let cells = self.columns * self.rows;
        &self.values[channel * cells..(channel + 1) * cells]
    }

    /// The value of map `channel` at (`column`, `row`).
    pub fn at(&self, channel: usize, column: usize, row: usize) -> f32 {
        self.channel(channel)[row * self.columns + column]
    }
}

/// Probability of a logit.
pub(crate) fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn both_networks_are_the_ones_that_were_measured() {
        assert!(pieces().is_ok(), "{:?}", pieces().err());
        assert!(playmat().is_ok(), "{:?}", playmat().err());
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let damaged = Network::load("pieces.onnx", b"not the network").err();
        assert!(matches!(damaged, Some(NetworkError::Damaged { name: "pieces.onnx", .. })), "{damaged:?}");
    }

    #[test]
    fn a_picture_of_any_size_gets_maps_of_its_padded_size() {
        let picture = RgbImage::from_pixel(70, 33, Rgb([90, 20, 20]));
        let maps = pieces().unwrap().maps(&picture).unwrap();
        assert_eq!((maps.columns, maps.rows, maps.channels), (24, 16, 9));
    }
}
