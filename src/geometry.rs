//! Points in the three spaces the program works in, one type each, so that they cannot be mixed up.
//!
//! | space | type | unit | origin and axes |
//! |---|---|---|---|
//! | picture | [`Px`] | pixel | top-left corner of the picture; the centre of the top-left pixel is (0.5, 0.5); x right, y down; always of the upright picture (after EXIF orientation) |
//! | playmat | [`PlaymatPoint`] | mm | centre of the playmat; x along its near edge to the right, y away from the camera |
//! | world | [`WorldPoint`] | mm | as playmat, z up from the felt |
//!
//! Transforms are named `out_from_in`.

use nalgebra::{Point2, Point3};
use serde::{Deserialize, Serialize};

/// A place in the picture, in pixels; the centre of the top-left pixel is (0.5, 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct Px {
    /// Pixels from the left edge.
    pub x: f64,
    /// Pixels from the top edge.
    pub y: f64,
}

impl Px {
    /// The point (`x`, `y`).
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Distance to `other`, in pixels.
    pub fn distance(self, other: Px) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

impl From<[f64; 2]> for Px {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Px> for [f64; 2] {
    /// Rounded to a tenth of a pixel: finer digits in the output would be noise.
    fn from(p: Px) -> Self {
        [(p.x * 10.0).round() / 10.0, (p.y * 10.0).round() / 10.0]
    }
}

impl From<Px> for Point2<f64> {
    fn from(p: Px) -> Self {
        Point2::new(p.x, p.y)
    }
}

/// A place on the felt, mm from the playmat's centre: x along the near edge to the right, y away from the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaymatPoint {
    /// Millimetres to the right.
    pub x: f64,
    /// Millimetres away from the camera.
    pub y: f64,
}

impl PlaymatPoint {
    /// The point (`x`, `y`).
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The same place lifted `z` mm above the felt.
    pub const fn at_height(self, z: f64) -> WorldPoint {
        WorldPoint::new(self.x, self.y, z)
    }
}

/// A place in the room, mm: the playmat's axes with z up from the felt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldPoint {
    /// Millimetres to the right.
    pub x: f64,
    /// Millimetres away from the camera.
    pub y: f64,
    /// Millimetres above the felt.
    pub z: f64,
}

impl WorldPoint {
    /// The point (`x`, `y`, `z`).
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// The place on the felt straight below.
    pub const fn on_playmat(self) -> PlaymatPoint {
        PlaymatPoint::new(self.x, self.y)
    }
}

impl From<WorldPoint> for Point3<f64> {
    fn from(p: WorldPoint) -> Self {
        Point3::new(p.x, p.y, p.z)
    }
}

/// An upright rectangle in the picture, in whole pixels, `x1` and `y1` just past the last pixel; `[x0, y0, x1, y1]` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[i32; 4]", into = "[i32; 4]")]
pub struct PxBox {
    /// Left edge.
    pub x0: i32,
    /// Top edge.
    pub y0: i32,
    /// Just right of the last column.
    pub x1: i32,
    /// Just below the last row.
    pub y1: i32,
}

impl From<[i32; 4]> for PxBox {
    fn from([x0, y0, x1, y1]: [i32; 4]) -> Self {
        Self { x0, y0, x1, y1 }
    }
}

impl From<PxBox> for [i32; 4] {
    fn from(b: PxBox) -> Self {
        [b.x0, b.y0, b.x1, b.y1]
    }
}

/// The middle one of `values`, of an even number the upper one of the two in the middle; `None` of none.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Least and largest of `values`; the other way round where there are none.
pub(crate) fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| (least.min(v), most.max(v)))
}
