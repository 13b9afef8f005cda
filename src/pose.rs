//! Pose: where the camera stands, from the four corners of a sheet of known size.
//!
//! Afterwards millimetres, the vertical and heights above the felt are known everywhere in the picture.

use nalgebra::{Isometry3, Point3};

use crate::geometry::{Px, WorldPoint};

/// A camera with square pixels, its centre in the middle of the picture, and one radial distortion coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Picture width, px.
    pub width: f64,
    /// Picture height, px.
    pub height: f64,
    /// Focal length, px.
    pub focal_px: f64,
    /// Radial distortion, of radii in half widths.
    pub k1: f64,
    /// Camera (x right, y down, z forward, mm) from world.
    pub camera_from_world: Isometry3<f64>,
    /// Size of the playmat: along its near edge, and away from the camera, mm.
    pub playmat_size_mm: [f64; 2],
}

impl Camera {
    /// Where `world` is seen in the picture; `None` behind the camera.
    pub fn px_from_world(&self, world: WorldPoint) -> Option<Px> {
        let p = self.camera_from_world * Point3::from(world);
        if p.z <= 1.0 {
            return None;
        }
        let (x, y) = (self.focal_px * p.x / p.z, self.focal_px * p.y / p.z);
        Some(Px::new(self.width / 2.0 + x, self.height / 2.0 + y))
    }
}
