//! [`Camera`]: from millimetres above the felt to pixels, and back.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::geometry::{PlaymatPoint, Px, WorldPoint};

/// Steps of Newton's method that undo the lens's distortion: from a start this close each doubles the right digits.
const UNDISTORT_STEPS: usize = 8;

/// A camera with square pixels, its centre in the middle of the picture, and one radial distortion coefficient:
/// a ray that a perfect lens would bring to `u` (from the middle, in half widths) arrives at `u · (1 + k1 · |u|²)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Picture width, px.
    pub width: f64,
    /// Picture height, px.
    pub height: f64,
    /// Focal length, px.
    pub focal_px: f64,
    /// Radial distortion, of radii in half widths; negative for a barrel.
    pub k1: f64,
    /// Camera (x right, y down, z forward, mm) from world.
    pub camera_from_world: Isometry3<f64>,
    /// Size of the playmat: along its near edge, and away from the camera, mm.
    pub playmat_size_mm: [f64; 2],
}

/// The radius, in half widths, at which a perfect lens would show what this one shows at `r`.
///
/// Where a barrel lens never reaches `r` the farthest radius it does reach comes back.
pub(crate) fn undistorted_radius(r: f64, k1: f64) -> f64 {
    let reach = farthest_radius(k1);
    let mut u = r.min(reach);
    for _ in 0..UNDISTORT_STEPS {
        let slope = 1.0 + 3.0 * k1 * u * u;
        if slope < 1e-3 {
            break;
        }
        let step = (u * (1.0 + k1 * u * u) - r) / slope;
        u = (u - step).clamp(0.0, reach);
        // What is left is about the square of the step.
        if step.abs() < 1e-6 {
            break;
        }
    }
    u
}

/// Beyond this radius of a perfect lens, in half widths, a barrel lens would fold the picture back over itself.
pub(crate) fn farthest_radius(k1: f64) -> f64 {
    if k1 < 0.0 { (-1.0 / (3.0 * k1)).sqrt() } else { f64::INFINITY }
}

impl Camera {
    /// Where `world` is seen in the picture (perhaps outside its frame); `None` behind the camera or so far outside
    /// that the lens model does not hold.
    pub fn px_from_world(&self, world: WorldPoint) -> Option<Px> {
        let p = self.camera_from_world * Point3::from(world);
        if p.z <= 1.0 {
            return None;
        }
        let half = self.width / 2.0;
        let (x, y) = (self.focal_px * p.x / (p.z * half), self.focal_px * p.y / (p.z * half));
        let r2 = x * x + y * y;
        if r2.sqrt() > farthest_radius(self.k1) {
            return None;
        }
        let bend = half * (1.0 + self.k1 * r2);
        Some(Px::new(half + x * bend, self.height / 2.0 + y * bend))
    }

    /// As [`Camera::px_from_world`], but places behind the camera or beyond the lens model come back as a place far
    /// outside the picture on the same side.
    pub(crate) fn px_clamped(&self, world: WorldPoint) -> Px {
        let p = self.camera_from_world * Point3::from(world);
        let half = self.width / 2.0;
        let depth = p.z.max(1.0);
        let (x, y) = (self.focal_px * p.x / (depth * half), self.focal_px * p.y / (depth * half));
        let r = x.hypot(y);
        let shrunk = r.min(farthest_radius(self.k1)).min(20.0);
        let bend = half * (1.0 + self.k1 * shrunk * shrunk) * if r > 0.0 { shrunk / r } else { 1.0 };
        Px::new(half + x * bend, self.height / 2.0 + y * bend)
    }

    /// The camera's place in the world.
    pub fn position(&self) -> WorldPoint {
        let p = self.camera_from_world.inverse() * Point3::origin();
        WorldPoint::new(p.x, p.y, p.z)
    }

    /// Direction in the world, of length 1, of what is seen at `px`.
    pub fn ray(&self, px: Px) -> Vector3<f64> {
        let half = self.width / 2.0;
        let (x, y) = ((px.x - half) / half, (px.y - self.height / 2.0) / half);
        let r = (x * x + y * y).sqrt();
        let scale = if r > 0.0 { undistorted_radius(r, self.k1) / r } else { 1.0 } * half / self.focal_px;
        self.camera_from_world.rotation.inverse() * Vector3::new(x * scale, y * scale, 1.0).normalize()
    }

    /// The point seen at `px`, if it lies `z_mm` above the felt; `None` where the ray does not come down (or up) to
    /// that height in front of the camera.
    pub fn world_from_px_at_height(&self, px: Px, z_mm: f64) -> Option<WorldPoint> {
        let (eye, ray) = (self.position(), self.ray(px));
        let along = (z_mm - eye.z) / ray.z;
        (along.is_finite() && along > 0.0).then(|| WorldPoint::new(eye.x + along * ray.x, eye.y + along * ray.y, z_mm))
    }

    /// The place on the felt seen at `px`, felt or not; `None` above the horizon.
    pub fn playmat_from_px(&self, px: Px) -> Option<PlaymatPoint> {
        self.world_from_px_at_height(px, 0.0).map(WorldPoint::on_playmat)
    }

    /// How high the camera stands above the felt as seen from the playmat's centre, degrees: 0 level, 90 overhead.
    pub fn elevation_degrees(&self) -> f64 {
        let p = self.position();
        p.z.atan2(p.x.hypot(p.y)).to_degrees()
    }

    /// Distance from the camera to the playmat's centre, mm.
    pub fn distance_mm(&self) -> f64 {
        self.camera_from_world.translation.vector.norm()
    }

    /// Horizontal field of view of a perfect lens of this focal length, degrees.
    pub fn hfov_degrees(&self) -> f64 {
        2.0 * (self.width / 2.0 / self.focal_px).atan().to_degrees()
    }

    /// Pixels a millimetre across the line of sight takes at `world`; 0 behind the camera. The lens's distortion is
    /// left out: it is a few percent at most.
    pub fn px_per_mm(&self, world: WorldPoint) -> f64 {
        let p = self.camera_from_world * Point3::from(world);
        if p.z <= 1.0 { 0.0 } else { self.focal_px / p.z }
    }

    /// How far `world` is in front of the camera along its axis, mm; negative behind it.
    pub(crate) fn depth_mm(&self, world: WorldPoint) -> f64 {
        (self.camera_from_world * Point3::from(world)).z
    }

    /// Whether `point` is on the playmat or within `margin_mm` of it.
    pub fn on_playmat(&self, point: PlaymatPoint, margin_mm: f64) -> bool {
        let [w, h] = self.playmat_size_mm;
        point.x.abs() <= w / 2.0 + margin_mm && point.y.abs() <= h / 2.0 + margin_mm
    }

    /// The playmat's corners on the felt: near-left, near-right, far-right, far-left.
    pub fn playmat_corners(&self) -> [PlaymatPoint; 4] {
        let [w, h] = self.playmat_size_mm.map(|side| side / 2.0);
        [PlaymatPoint::new(-w, -h), PlaymatPoint::new(w, -h), PlaymatPoint::new(w, h), PlaymatPoint::new(-w, h)]
    }
}
