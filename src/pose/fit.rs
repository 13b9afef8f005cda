//! The camera that best explains points seen on the edges of a sheet of known size: damped least squares with a
//! Cauchy weight on each point (so that a piece in front of an edge does no harm) and weak priors for what the
//! edges leave open.

use nalgebra::{Isometry3, Matrix3, Rotation3, SMatrix, SVector, Translation3, UnitQuaternion, Vector3};

use super::{
    PoseParams,
    camera::{Camera, undistorted_radius},
    start,
};
use crate::geometry::Px;

/// The unknowns: elevation, azimuth, roll (radians), the playmat's centre in the picture of a perfect lens (x, y from
/// the middle, in half widths), ln of its depth in mm, ln of the focal length in half widths, k1.
///
/// Chosen so that each is nearly independent of the rest: changing the focal length leaves the centre where it is.
pub(crate) type State = SVector<f64, UNKNOWNS>;
const UNKNOWNS: usize = 8;
pub(super) const ELEVATION: usize = 0;
const AZIMUTH: usize = 1;
pub(super) const ROLL: usize = 2;
/// And the next: x, y.
pub(super) const CENTRE: usize = 3;
pub(super) const DEPTH: usize = 5;
pub(super) const FOCAL: usize = 6;
const K1: usize = 7;

/// Steps for the numerical derivatives: small against what the edges can tell, large against rounding.
const DERIVATIVE_STEP: f64 = 1e-5;

/// Standard deviations beyond which a point loses its say, once the fit is near.
pub(crate) const TOLERANCE: f64 = 2.0;

/// Horizontal fields of view from which the fit starts, degrees.
const START_HFOV_DEGREES: [f64; 8] = [32.0, 39.0, 46.0, 53.0, 60.0, 67.0, 75.0, 85.0];

/// Least scatter of edge points, px: what pixels allow.
const LEAST_SIGMA_PX: f64 = 0.6;

/// The fit ends when a step takes less than this share off the cost.
const LEAST_GAIN: f64 = 1e-4;

/// Points of one kind that are used: more only cost time.
const MOST_POINTS: usize = 48;

/// What a point in the picture says about the playmat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Claim {
    /// It lies on this edge: 0 near, 1 right, 2 far, 3 left.
    On(usize),
    /// It lies on the inner side of this edge.
    Inside(usize),
}

/// A point of the picture and what it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evidence {
    /// Place, from the middle of the picture in half widths.
    at: [f64; 2],
    claim: Claim,
    /// How many independent points this one stands for.
    weight: f64,
}

/// A value a quantity is expected to have, and how strongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    unknown: usize,
    mean: f64,
    sd: f64,
}

/// Everything the fit is told.
pub(crate) struct Problem {
    width: f64,
    height: f64,
    evidence: Vec<Evidence>,
    priors: Vec<Prior>,
    /// Scatter of an edge point about its edge, px.
    pub(crate) sigma_px: f64,
}

/// A fitted camera.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) state: State,
    pub(crate) size_mm: [f64; 2],
    /// Half the sum of squares of weighted residuals, robust, priors included.
    pub(crate) cost: f64,
}

impl Problem {
    /// The problem of a picture of this size; `exif_focal_px` replaces the prior on the focal length.
    pub(crate) fn new(width: f64, height: f64, exif_focal_px: Option<f64>, params: &PoseParams) -> Self {
        let half = width / 2.0;
        let (focal_mean, focal_sd) = match exif_focal_px {
            Some(focal) if focal > 0.0 => ((focal / half).ln(), params.exif_focal_spread),
            _ => {
                let [near, far] = params.hfov_degrees.map(|fov| -(fov.to_radians() / 2.0).tan().ln());
                // The spread of an even distribution over the range.
                ((near + far) / 2.0, (near - far).abs() / 12f64.sqrt())
            }
        };
        let radians = |[mean, sd]: [f64; 2]| [mean.to_radians(), sd.to_radians()];
        let prior = |unknown, [mean, sd]: [f64; 2]| Prior { unknown, mean, sd };
        let priors = vec![
            prior(ELEVATION, radians(params.elevation_degrees)),
            prior(AZIMUTH, radians(params.azimuth_degrees)),
            prior(ROLL, radians(params.roll_degrees)),
            prior(DEPTH, [params.distance_mm.ln(), 0.6]),
            prior(K1, params.k1),
            prior(FOCAL, [focal_mean, focal_sd]),
        ];
        Self { width, height, evidence: Vec::new(), priors, sigma_px: (params.edge_sigma * width).max(LEAST_SIGMA_PX) }
    }

    /// Adds points that all say the same; `worth` is how many independent points they amount to at most (points close
    /// together on one edge err together).
    pub(crate) fn add(&mut self, points: impl ExactSizeIterator<Item = Px>, claim: Claim, worth: f64) {
        let step = points.len().div_ceil(MOST_POINTS).max(1);
        let weight = (worth / points.len().div_ceil(step).max(1) as f64).min(1.0);
        let half = self.width / 2.0;
        let middle = self.height / 2.0;
        let evidence = |p: Px| Evidence { at: [(p.x - half) / half, (p.y - middle) / half], claim, weight };
        self.evidence.extend(points.step_by(step).map(evidence));
    }

    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        self.evidence.clear();
    }

    /// Starts for the fit, one for each of a range of focal lengths, from the straight lines through the points of three
    /// edges; `None` when no three edges with points fix a sheet.
    ///
    /// Each line in the picture is a plane through the camera. Two opposite edges are parallel, so they run along the
    /// line in which their planes meet; the third edge is square to them and lies in its own plane; the size gives the
    /// distance.
    pub(crate) fn starts(&self, size_mm: [f64; 2]) -> Vec<State> {
        let lines = [0, 1, 2, 3].map(|edge| self.line(edge));
        let [near, right, far, left] = lines;
        START_HFOV_DEGREES
            .iter()
            .filter_map(|hfov: &f64| {
                let focal = 1.0 / (hfov.to_radians() / 2.0).tan();
                let plane = |line: Option<[f64; 3]>| line.map(|[x, y, o]| Vector3::new(x * focal, y * focal, -o).normalize());
                let (near, right, far, left) = (plane(near), plane(right), plane(far)?, plane(left));
                match (left, right, near) {
                    (Some(left), Some(right), _) => start::from_sides(left, right, far, size_mm, focal),
                    (None, Some(side), Some(near)) => start::from_side(near, far, side, 1.0, size_mm, focal),
                    (Some(side), None, Some(near)) => start::from_side(near, far, side, -1.0, size_mm, focal),
                    _ => None,
                }
            })
            .collect()
    }

    /// The straight line (normal x, normal y, offset; half widths from the middle) through the points on an edge.
    fn line(&self, edge: usize) -> Option<[f64; 3]> {
        let points: Vec<[f64; 2]> = self.evidence.iter().filter(|e| e.claim == Claim::On(edge)).map(|e| e.at).collect();
        let mut line: Option<[f64; 3]> = None;
        // Points of pieces in front of the edge lose their say in the second and third round.
        for _ in 0..3 {
            let (mut n, mut x, mut y, mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            for p in &points {
                let off = line.map_or(0.0, |[nx, ny, o]| (nx * p[0] + ny * p[1] - o) * self.width / 2.0);
                let w = 1.0 / (1.0 + off * off / 9.0);
                n += w;
                x += w * p[0];
                y += w * p[1];
                xx += w * p[0] * p[0];
                xy += w * p[0] * p[1];
                yy += w * p[1] * p[1];
            }
            if points.len() < 2 {
                return None;
            }
            let (mx, my) = (x / n, y / n);
            let angle = 0.5 * (2.0 * (xy / n - mx * my)).atan2(xx / n - mx * mx - (yy / n - my * my));
            let (nx, ny) = (-angle.sin(), angle.cos());
            line = Some([nx, ny, nx * mx + ny * my]);
        }
        line
    }

    /// The cost of `state`, points judged by `tolerance`.
    pub(crate) fn cost(&self, state: &State, size_mm: [f64; 2], tolerance: f64) -> f64 {
        self.robust(&self.residuals(state, size_mm, &self.unbend(state[K1])), tolerance)
    }

    /// The best state near `start`, after at most `steps` steps; points more than `tolerance` standard deviations off
    /// lose their say. A rough start needs a large tolerance, a good one [`TOLERANCE`].
    pub(crate) fn solve(&self, start: State, size_mm: [f64; 2], tolerance: f64, steps: usize) -> Fit {
        let mut state = start;
        let mut unbent = self.unbend(state[K1]);
        let mut residuals = self.residuals(&state, size_mm, &unbent);
        let mut cost = self.robust(&residuals, tolerance);
        let mut damping = 1e-2;
        for _ in 0..steps {
            let (mut normal, gradient) = self.normal_equations(&state, size_mm, &unbent, &residuals, tolerance);
            normal.fill_upper_triangle_with_lower_triangle();
            let mut better = false;
            for _ in 0..6 {
                let mut damped = normal;
                for i in 0..UNKNOWNS {
                    damped[(i, i)] += damping * normal[(i, i)] + 1e-9;
                }
                if let Some(factor) = damped.cholesky() {
                    let candidate = state - factor.solve(&gradient);
                    let candidate_unbent = self.unbend(candidate[K1]);
                    let moved = self.residuals(&candidate, size_mm, &candidate_unbent);
                    let candidate_cost = self.robust(&moved, tolerance);
                    if candidate_cost < cost {
                        let gain = cost - candidate_cost;
                        (state, cost) = (candidate, candidate_cost);
                        (residuals, unbent) = (moved, candidate_unbent);
                        damping = (damping * 0.2).max(1e-9);
                        better = gain > LEAST_GAIN * cost;
                        break;
                    }
                }
                damping *= 8.0;
            }
            if !better {
                break;
            }
        }
        Fit { state, size_mm, cost }
    }

    /// The lower half of JᵀWJ and Jᵀ W r about `state`: J the residuals' derivatives, W the points' weights.
    ///
    /// A point's residual is linear in its edge's plane, so the unknowns' derivatives are taken once an edge and not once a point.
    fn normal_equations(
        &self,
        state: &State,
        size_mm: [f64; 2],
        unbent: &[Unbent],
        residuals: &[f64],
        tolerance: f64,
    ) -> (SMatrix<f64, UNKNOWNS, UNKNOWNS>, State) {
        let edges = Edges::new(state, size_mm);
        let mut changes = [[Vector3::zeros(); UNKNOWNS]; 4];
        for unknown in (0..UNKNOWNS).filter(|&unknown| unknown != K1) {
            let mut nudged = *state;
            nudged[unknown] += DERIVATIVE_STEP;
            let moved = Edges::new(&nudged, size_mm);
            for (edge, change) in changes.iter_mut().enumerate() {
                change[unknown] = (moved.lines[edge] - edges.lines[edge]) / DERIVATIVE_STEP;
            }
        }
        let mut normal = SMatrix::<f64, UNKNOWNS, UNKNOWNS>::zeros();
        let mut gradient = State::zeros();
        let scale = self.width / 2.0 / self.sigma_px;
        for ((evidence, point), residual) in self.evidence.iter().zip(unbent).zip(residuals) {
            let edge = match evidence.claim {
                Claim::Inside(_) if *residual >= 0.0 => continue,
                Claim::On(edge) | Claim::Inside(edge) => edge,
            };
            let seen = Vector3::new(point.x, point.y, 1.0) * (point.bend * scale);
            let mut row: [f64; UNKNOWNS] = changes[edge].map(|change| change.dot(&seen));
            row[K1] = point.change_with_k1(&edges.lines[edge], state[K1]) * scale;
            let weight = evidence.weight / (1.0 + (residual / tolerance).powi(2));
            for i in 0..UNKNOWNS {
                let scaled = row[i] * weight;
                gradient[i] += scaled * residual;
                for j in 0..=i {
                    normal[(i, j)] += scaled * row[j];
                }
            }
        }
        for (prior, residual) in self.priors.iter().zip(&residuals[self.evidence.len()..]) {
            normal[(prior.unknown, prior.unknown)] += 1.0 / (prior.sd * prior.sd);
            gradient[prior.unknown] += residual / prior.sd;
        }
        (normal, gradient)
    }

    /// As [`Problem::solve`], but also from the start turned the other way: a sheet turned a little to the left looks
    /// much like one turned to the right by a rolled camera, and the fit does not find from one to the other.
    pub(crate) fn solve_unturned(&self, start: State, size_mm: [f64; 2], tolerance: f64, steps: usize) -> Fit {
        let straight = self.solve(start, size_mm, tolerance, steps);
        let mut turned = straight.state;
        turned[AZIMUTH] = -turned[AZIMUTH];
        turned[ROLL] = -turned[ROLL];
        let turned = self.solve(turned, size_mm, tolerance, steps);
        if turned.cost < straight.cost { turned } else { straight }
    }

    /// What each point would be for a perfect lens, and how much the lens magnifies there.
    fn unbend(&self, k1: f64) -> Vec<Unbent> {
        self.evidence.iter().map(|e| Unbent::new(e.at, k1)).collect()
    }

    /// The residual of every point and prior, in standard deviations.
    fn residuals(&self, state: &State, size_mm: [f64; 2], unbent: &[Unbent]) -> Vec<f64> {
        let edges = Edges::new(state, size_mm);
        let scale = self.width / 2.0 / self.sigma_px;
        let point = |(evidence, unbent): (&Evidence, &Unbent)| match evidence.claim {
            Claim::On(edge) => edges.distance(edge, unbent) * scale,
            Claim::Inside(edge) => edges.distance(edge, unbent).min(0.0) * scale,
        };
        let prior = |p: &Prior| (state[p.unknown] - p.mean) / p.sd;
        self.evidence.iter().zip(unbent).map(point).chain(self.priors.iter().map(prior)).collect()
    }

    /// Half the weighted sum of squares; Cauchy for the points: the further beyond its tolerance, the less say one has.
    fn robust(&self, residuals: &[f64], tolerance: f64) -> f64 {
        let squared = tolerance * tolerance;
        let (points, priors) = residuals.split_at(self.evidence.len());
        let point = |(r, e): (&f64, &Evidence)| e.weight * squared * (1.0 + r * r / squared).ln();
        let points: f64 = points.iter().zip(&self.evidence).map(point).sum();
        let cost = 0.5 * (points + priors.iter().map(|r| r * r).sum::<f64>());
        if cost.is_finite() { cost } else { f64::INFINITY }
    }

    /// For measuring against the edges as fitted.
    pub(crate) fn ruler(&self, fit: &Fit) -> Ruler {
        Ruler { edges: Edges::new(&fit.state, fit.size_mm), k1: fit.state[K1], half: self.width / 2.0, middle: self.height / 2.0 }
    }

    /// The value that `unknown` is expected to have, if any.
    pub(super) fn expected(&self, unknown: usize) -> Option<f64> {
        self.priors.iter().find(|prior| prior.unknown == unknown).map(|prior| prior.mean)
    }

    /// The part of the cost that comes from the priors.
    pub(crate) fn strangeness(&self, fit: &Fit) -> f64 {
        self.priors.iter().map(|p| 0.5 * ((fit.state[p.unknown] - p.mean) / p.sd).powi(2)).sum()
    }

    /// The camera a fit stands for.
    pub(crate) fn camera(&self, fit: &Fit) -> Camera {
        let (rotation, centre) = placement(&fit.state);
        Camera {
            width: self.width,
            height: self.height,
            focal_px: fit.state[FOCAL].exp() * self.width / 2.0,
            k1: fit.state[K1],
            camera_from_world: Isometry3::from_parts(
                Translation3::from(centre),
                UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation)),
            ),
            playmat_size_mm: fit.size_mm,
        }
    }
}

/// The four edges as planes through the camera: a point's distance to an edge needs no corner, so corners may lie
/// far outside the picture or behind the camera.
struct Edges {
    /// Each edge as a line in the picture of a perfect lens: (x, y, 1), in half widths from the middle, times this is the distance.
    lines: [Vector3<f64>; 4],
}

impl Edges {
    fn new(state: &State, [w, h]: [f64; 2]) -> Self {
        let (rotation, centre) = placement(state);
        let corners = [[-w, -h], [w, -h], [w, h], [-w, h]]
            .map(|[x, y]| rotation.column(0) * (x / 2.0) + rotation.column(1) * (y / 2.0) + centre);
        let focal = state[FOCAL].exp();
        let lines = [0, 1, 2, 3].map(|i| {
            // The picture's y points down, so going round the corners this way the inside is on the negative side.
            let normal = -corners[i].cross(&corners[(i + 1) % 4]);
            Vector3::new(normal.x, normal.y, normal.z * focal) / normal.xy().norm().max(1e-12)
        });
        Self { lines }
    }

    /// Distance in the (bent) picture, in half widths, positive inside.
    fn distance(&self, edge: usize, p: &Unbent) -> f64 {
        let line = &self.lines[edge];
        (line.x * p.x + line.y * p.y + line.z) * p.bend
    }
}

/// A place as a perfect lens would show it, from the middle in half widths, and how much farther out this lens shows it.
struct Unbent {
    x: f64,
    y: f64,
    bend: f64,
}

impl Unbent {
    fn new([x, y]: [f64; 2], k1: f64) -> Self {
        let r = (x * x + y * y).sqrt();
        let u = undistorted_radius(r, k1);
        let straight = if r > 1e-9 { u / r } else { 1.0 };
        Self { x: x * straight, y: y * straight, bend: 1.0 + k1 * u * u }
    }

    /// How fast the distance to `line` changes with k1: from u (1 + k1 u²) = r, with r fixed, u' = -u³ / (1 + 3 k1 u²).
    fn change_with_k1(&self, line: &Vector3<f64>, k1: f64) -> f64 {
        let squared = self.x * self.x + self.y * self.y;
        // Share of itself by which the radius changes; at the lens's farthest reach it stays.
        let grows = 1.0 + 3.0 * k1 * squared;
        let share = if grows > 1e-3 { -squared / grows } else { 0.0 };
        let bend_change = squared + 2.0 * k1 * squared * share;
        let off = line.x * self.x + line.y * self.y;
        off * share * self.bend + (off + line.z) * bend_change
    }
}

/// Measures distances to the edges of a fitted sheet.
pub(crate) struct Ruler {
    edges: Edges,
    k1: f64,
    half: f64,
    middle: f64,
}

impl Ruler {
    fn unbent(&self, px: Px) -> Unbent {
        Unbent::new([(px.x - self.half) / self.half, (px.y - self.middle) / self.half], self.k1)
    }

    /// Distance of `px` to an edge, px, positive inwards.
    pub(crate) fn distance(&self, edge: usize, px: Px) -> f64 {
        self.edges.distance(edge, &self.unbent(px)) * self.half
    }

    /// Distance of `px` inwards from the nearest edge, px; negative outside the sheet.
    pub(crate) fn inside(&self, px: Px) -> f64 {
        let unbent = self.unbent(px);
        (0..4).map(|edge| self.edges.distance(edge, &unbent)).fold(f64::INFINITY, f64::min) * self.half
    }
}

/// Rotation camera-from-world, and the playmat's centre in the camera's frame, mm.
fn placement(state: &State) -> (Matrix3<f64>, Vector3<f64>) {
    let focal = state[FOCAL].exp();
    let centre = Vector3::new(state[CENTRE] / focal, state[CENTRE + 1] / focal, 1.0) * state[DEPTH].exp();
    (rotation(state[ELEVATION], state[AZIMUTH], state[ROLL]), centre)
}

/// Camera from world for a camera that looks down by `elevation`, turned by `azimuth` about the vertical and by `roll`
/// about its axis; radians.
pub(super) fn rotation(elevation: f64, azimuth: f64, roll: f64) -> Matrix3<f64> {
    let (s, c) = elevation.sin_cos();
    let look = Matrix3::new(1.0, 0.0, 0.0, 0.0, -s, -c, 0.0, c, -s);
    let about_z = |angle: f64| Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner();
    about_z(roll) * look * about_z(azimuth)
}

/// The two ways round the sheet can lie, for `short` and `long` sides.
pub(crate) fn ways_round(short: f64, long: f64) -> [[f64; 2]; 2] {
    [[long, short], [short, long]]
}
