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
        let half = self.width / 2.0;
        let s = 1.0 + self.k1 * (x * x + y * y) / (half * half);
        Some(Px::new(half + x * s, self.height / 2.0 + y * s))
    }

    pub fn world_from_px_at_height(&self, px: Px, z: f64) -> Option<WorldPoint> {
        let half = self.width / 2.0;
        let (dx, dy) = (px.x - half, px.y - self.height / 2.0);
        let (mut ux, mut uy) = (dx, dy);
        for _ in 0..10 {
            let s = 1.0 + self.k1 * (ux * ux + uy * uy) / (half * half);
            ux = dx / s;
            uy = dy / s;
        }
        let inv = self.camera_from_world.inverse();
        let dir = inv * nalgebra::Vector3::new(ux / self.focal_px, uy / self.focal_px, 1.0);
        let o = inv * Point3::origin();
        let t = (z - o.z) / dir.z;
        (t > 0.0).then(|| WorldPoint::new(o.x + t * dir.x, o.y + t * dir.y, z))
    }

    /// Camera from the corners by homography (known focal, k1).
    pub fn from_corners(corners: &[Px; 4], width: f64, height: f64, focal: f64, k1: f64, size: [f64; 2]) -> Option<Camera> {
        use nalgebra::{DMatrix, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
        let half = width / 2.0;
        let mut a = DMatrix::<f64>::zeros(9, 9);
        let w = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        for i in 0..4 {
            let (dx, dy) = (corners[i].x - half, corners[i].y - height / 2.0);
            let (mut ux, mut uy) = (dx, dy);
            for _ in 0..30 {
                let s = 1.0 + k1 * (ux * ux + uy * uy) / (half * half);
                ux = dx / s;
                uy = dy / s;
            }
            let (u, v) = (ux / focal, uy / focal);
            let (x, y) = (w[i].0 * size[0] / 100.0, w[i].1 * size[1] / 100.0);
            let r = [x, y, 1.0, 0.0, 0.0, 0.0, -u * x, -u * y, -u];
            let q = [0.0, 0.0, 0.0, x, y, 1.0, -v * x, -v * y, -v];
            for j in 0..9 {
                a[(2 * i, j)] = r[j];
                a[(2 * i + 1, j)] = q[j];
            }
        }
        let svd = a.svd(false, true);
        let vt = svd.v_t?;
        let k = svd.singular_values.imin();
        let h: Vec<f64> = vt.row(k).iter().copied().collect();
        let hm = Matrix3::from_row_slice(&h);
        let mut s = 2.0 / (hm.column(0).norm() + hm.column(1).norm());
        if hm[(2, 2)] * s < 0.0 {
            s = -s;
        }
        let (r1, r2, t) = (hm.column(0) * s, hm.column(1) * s, hm.column(2) * s * 100.0);
        let m = Matrix3::from_columns(&[r1, r2, r1.cross(&r2)]);
        let svd = m.svd(true, true);
        let r = svd.u? * svd.v_t?;
        let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(r));
        Some(Camera {
            width, height, focal_px: focal, k1,
            camera_from_world: Isometry3::from_parts(Translation3::from(Vector3::new(t[0], t[1], t[2])), q),
            playmat_size_mm: size,
        })
    }
}
