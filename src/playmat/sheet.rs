//! A quadrilateral as an A4 sheet seen by a camera: fitted first to its segment's outline, then to the picture's edges.

use image::RgbImage;

use super::{
    Felt, PlaymatParams,
    edges::{self, EdgeSeen},
    outline::{self, OutlinePoint, Quad, Region},
    small::Small,
};
use crate::{
    geometry::{PlaymatPoint, Px},
    pose::{
        Camera, both_ways,
        fit::{Claim, Fit, Problem, Ruler, TOLERANCE},
    },
};

/// Outline points on an edge from which on it is taken to be there.
const LEAST_ADOPTED: usize = 8;

/// What each edge seen adds to a sheet's score, and what each unit of the fit's cost takes off.
const EDGE_BONUS: f64 = 0.3;
const COST: f64 = 0.006;

/// The picture and what the stage was told about it.
pub(crate) struct View<'a> {
    pub(crate) picture: &'a RgbImage,
    pub(crate) small: Small,
    /// How likely each pixel of the small picture is the playmat's, 0 to 1.
    pub(crate) prior: Vec<f32>,
    pub(crate) params: &'a PlaymatParams,
}

/// A sheet of felt where it may lie.
pub(crate) struct Sheet<'a> {
    /// The view in which it was found.
    pub(crate) view: &'a View<'a>,
    region: &'a Region,
    fit: Fit,
    pub(crate) camera: Camera,
    pub(crate) seen: [EdgeSeen; 4],
    pub(crate) present: [bool; 4],
    /// Where the felt is cut by the picture's border, px.
    pub(crate) cut: Vec<Px>,
    pub(crate) residual_px: f64,
    /// Share of the outline along which the felt ends, of what no piece hides, 0 to 1.
    pub(crate) support: f64,
    /// The same of the edge that has the least.
    weakest: f64,
    /// How well the sheet covers its segment, how usual its camera is and so on: 1.5 is good.
    plausible: f64,
    /// The larger the better.
    pub(crate) score: f64,
}

impl Sheet<'_> {
    /// How sure it is that this is the playmat and that its outline is right, 0 to 1.
    pub(crate) fn confidence(&self) -> f64 {
        let edges = self.present.iter().filter(|&&p| p).count();
        // With an edge outside the picture the sheet's depth rests on what cameras and people usually do.
        let whole = if edges == 4 { 1.0 } else { 0.6 };
        whole * self.clear()
    }

    /// How clearly it is seen, as far as it is inside the picture, 0 to 1.
    pub(crate) fn clear(&self) -> f64 {
        let covers = (self.plausible / 1.2).clamp(0.0, 1.0);
        (covers * self.support * self.weakest * (-self.fit.cost / 60.0).exp()).clamp(0.0, 1.0)
    }

    /// The felt's colour as its segment has it.
    pub(crate) fn felt(&self) -> &Felt {
        &self.region.felt
    }

    /// Points seen on each edge; none where an edge is outside the picture.
    pub(crate) fn edge_points(&self) -> [Vec<Px>; 4] {
        [0, 1, 2, 3].map(
            |edge| {
                if self.present[edge] { self.seen[edge].points.iter().map(|p| p.at).collect() } else { Vec::new() }
            },
        )
    }

    /// For measuring against its edges.
    pub(crate) fn ruler(&self) -> Ruler {
        self.view.problem(false).ruler(&self.fit)
    }

    /// Whether the two are one sheet seen twice: corners in the same places, the same way round.
    pub(crate) fn same(&self, other: &Sheet) -> bool {
        let corners = |sheet: &Sheet| sheet.camera.playmat_corners().map(|c| sheet.camera.px_clamped(c.at_height(0.0)));
        let (a, b) = (corners(self), corners(other));
        let near = 0.01 * self.camera.width;
        self.fit.size_mm == other.fit.size_mm && (0..4).all(|i| a[i].distance(b[i]) < near)
    }
}

/// What a shape that covers `share` of the picture gains on others: people fill the picture with the playmat.
pub(crate) fn size_bonus(share: f64) -> f64 {
    0.3 * (share / 0.1).ln().clamp(-1.2, 0.8)
}

impl View<'_> {
    /// Pixels of the picture in one of the small picture.
    fn per_small(&self) -> f64 {
        (self.small.scale[0] + self.small.scale[1]) / 2.0
    }

    /// Fewest pixels of the small picture that may be a playmat.
    pub(crate) fn least(&self) -> usize {
        ((self.params.least_share * self.small.lab.len() as f64) as usize).max(1)
    }

    /// A problem without evidence yet; `coarse` for evidence from the small picture.
    fn problem(&self, coarse: bool) -> Problem {
        let (width, height) = (f64::from(self.picture.width()), f64::from(self.picture.height()));
        let mut problem = Problem::new(width, height, None, &self.params.pose);
        if coarse {
            problem.sigma_px = problem.sigma_px.max(0.6 * self.per_small());
        }
        problem
    }

    /// `quad` as an A4 sheet fitted to the outline of its segment, either way round where both are possible.
    pub(crate) fn coarse<'r>(&'r self, quad: &Quad, region: &'r Region) -> Vec<Sheet<'r>> {
        let full = |p: [f64; 2]| self.small.full_from_small(p[0], p[1]);
        let outline: Vec<Px> = region.outline.iter().map(|p| full(p.at)).collect();
        let cut: Vec<Px> = region.cut.iter().map(|&p| full(p)).collect();
        let mut problem = self.problem(true);
        let worth = self.params.pose.points_per_edge;
        for edge in 0..4 {
            if let Some(line) = &quad.edges[edge] {
                let on: Vec<Px> =
                    region.outline.iter().zip(&outline).filter(|(p, _)| outline::on_line(line, p)).map(|(_, p)| *p).collect();
                problem.add(on.into_iter(), Claim::On(edge), worth);
            } else {
                problem.add(cut.iter().copied(), Claim::Inside(edge), worth);
            }
        }
        let Some([best, other]) = both_ways(&problem) else { return Vec::new() };
        let close = other.cost < 3.0 * best.cost + 10.0;
        let fits = if close { vec![best, other] } else { vec![best] };
        let present = quad.edges.map(|e| e.is_some());
        fits.into_iter().filter_map(|fit| self.settle(region, fit, present, &outline, &cut)).collect()
    }

    /// The sheet of `fit` after one more round with the outline near its edges: the bend of the lens is known by now,
    /// and an edge that no line stood for may turn out to be there. `None` when no camera would see it so.
    fn settle<'r>(
        &'r self,
        region: &'r Region,
        fit: Fit,
        mut present: [bool; 4],
        outline: &[Px],
        cut: &[Px],
    ) -> Option<Sheet<'r>> {
        let reach = 2.5 * self.per_small();
        let mut problem = self.problem(true);
        let worth = self.params.pose.points_per_edge;
        let ruler = problem.ruler(&fit);
        for (edge, present) in present.iter_mut().enumerate() {
            let others = |p: Px| (0..4).filter(|&e| e != edge).all(|e| ruler.distance(e, p) > reach);
            let known = *present;
            let near = |p: &Px| ruler.distance(edge, *p).abs() < reach && (known || others(*p));
            let near: Vec<Px> = outline.iter().copied().filter(near).collect();
            *present |= near.len() >= LEAST_ADOPTED;
            if *present {
                problem.add(near.into_iter(), Claim::On(edge), worth);
            } else {
                problem.add(cut.iter().copied(), Claim::Inside(edge), worth);
            }
        }
        let fit = problem.solve(fit.state, fit.size_mm, TOLERANCE, 12);
        let camera = problem.camera(&fit);
        let mut sheet = Sheet {
            view: self,
            region,
            fit,
            camera,
            seen: Default::default(),
            present,
            cut: cut.to_vec(),
            residual_px: f64::INFINITY,
            support: 0.0,
            weakest: 0.0,
            plausible: 0.0,
            score: 0.0,
        };
        sheet.plausible = self.plausible(&problem, &sheet)?;
        sheet.score = sheet.plausible;
        Some(sheet)
    }

    /// How well the sheet covers its segment and explains the segment's outline; `None` for a camera nobody holds.
    fn plausible(&self, problem: &Problem, sheet: &Sheet) -> Option<f64> {
        let (elevation, hfov, distance) =
            (sheet.camera.elevation_degrees(), sheet.camera.hfov_degrees(), sheet.camera.distance_mm());
        let possible = (4.0..70.0).contains(&elevation) && (20.0..110.0).contains(&hfov) && (60.0..3000.0).contains(&distance);
        if !possible {
            return None;
        }
        let per_small = self.per_small();
        let ruler = problem.ruler(&sheet.fit);
        let (w, h) = (self.small.width, self.small.height);
        let mut counts = [0; 4];
        let (mut common, mut either) = (0.0, 0.0);
        for y in (2..h).step_by(4) {
            for x in (2..w).step_by(4) {
                let at = y * w + x;
                let on_sheet = ruler.inside(self.small.full_from_small(x as f64 + 0.5, y as f64 + 0.5)) > 0.0;
                let likely = f64::from(self.prior[at]);
                if on_sheet {
                    (common, either) = (common + likely, either + 1.0);
                } else {
                    either += likely;
                }
                match (on_sheet, sheet.region.filled[at]) {
                    (true, true) => counts[0] += 1,
                    (true, false) => {
                        counts[2] += 1;
                        counts[3] += u32::from(sheet.region.behind[at]);
                    }
                    (false, true) => counts[1] += 1,
                    (false, false) => {}
                }
            }
        }
        let cover = outline::cover(counts);
        let full = |p: &OutlinePoint| self.small.full_from_small(p.at[0], p.at[1]);
        let outline = &sheet.region.outline;
        let explained =
            outline.iter().filter(|p| ruler.inside(full(p)).abs() < 1.7 * per_small).count() as f64 / outline.len().max(1) as f64;
        let share = sheet.region.area as f64 / (w * h) as f64;
        // The far edge is always in the picture: a shape that runs out at the top is a wall.
        let top = sheet.region.cut.iter().filter(|p| p[1] < 3.0).count() as f64 / w as f64;
        let absent: f64 = (0..4).filter(|&e| !sheet.present[e]).map(|e| self.visible(&sheet.camera, e)).sum();
        let score = cover + 0.5 * explained - 0.8 * absent + size_bonus(share) - top - 0.04 * problem.strangeness(&sheet.fit)
            + self.params.prior * (common / f64::max(either, 1.0) - 0.5);
        (score > 0.0).then_some(score)
    }

    /// Share of an edge that lies inside the picture.
    fn visible(&self, camera: &Camera, edge: usize) -> f64 {
        let corners = camera.playmat_corners();
        let (a, b) = (corners[edge], corners[(edge + 1) % 4]);
        let (width, height) = (f64::from(self.picture.width()), f64::from(self.picture.height()));
        let inside = |i: &i32| {
            let t = (f64::from(*i) + 0.5) / 20.0;
            let point = PlaymatPoint::new(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t);
            let seen = camera.px_from_world(point.at_height(0.0));
            seen.is_some_and(|p| p.x > 5.0 && p.y > 5.0 && p.x < width - 5.0 && p.y < height - 5.0)
        };
        (0..20).filter(inside).count() as f64 / 20.0
    }

    /// `sheet` fitted to the edges of the whole picture; `None` when there are none.
    pub(crate) fn fine<'r>(&self, mut sheet: Sheet<'r>) -> Option<Sheet<'r>> {
        let worth = self.params.pose.points_per_edge;
        let per_small = self.per_small();
        let mut problem = self.problem(false);
        // In ever narrower bands, ever stricter with points far off.
        for (radius, tolerance) in [(3.0 * per_small, 2.5), (1.5 * per_small, 1.5), (4.0, 1.0)] {
            sheet.seen = edges::find(self.picture, &sheet.camera, &sheet.region.felt, radius.max(4.0));
            problem.clear();
            let ruler = problem.ruler(&sheet.fit);
            for edge in 0..4 {
                let seen = &sheet.seen[edge];
                let close = seen.points.iter().filter(|p| ruler.distance(edge, p.at).abs() < 3.0).count();
                sheet.present[edge] |= close >= LEAST_ADOPTED && close * 10 >= seen.felt * 6;
                if sheet.present[edge] {
                    problem.add(sheet.seen[edge].points.iter().map(|p| p.at), Claim::On(edge), worth);
                } else {
                    problem.add(sheet.cut.iter().copied(), Claim::Inside(edge), worth);
                }
            }
            sheet.fit = problem.solve(sheet.fit.state, sheet.fit.size_mm, tolerance * TOLERANCE, 12);
            sheet.camera = problem.camera(&sheet.fit);
        }
        // Where a piece stands in front of an edge, the edge is neither seen nor missed.
        let ruler = problem.ruler(&sheet.fit);
        let (mut felt, mut near, mut squares, mut weakest) = (0.0, 0.0, 0.0, 1.0f64);
        for edge in (0..4).filter(|&edge| sheet.present[edge]) {
            let seen = &sheet.seen[edge];
            let off = seen.points.iter().map(|p| ruler.distance(edge, p.at));
            let on: Vec<f64> = off.filter(|d| d.abs() < TOLERANCE * problem.sigma_px).collect();
            // Where a piece stands in front of an edge, the edge is neither seen nor missed.
            felt += seen.felt as f64;
            near += on.len() as f64;
            squares += on.iter().map(|d| d * d).sum::<f64>();
            weakest = weakest.min(on.len() as f64 / seen.felt.max(LEAST_ADOPTED) as f64);
        }
        // An edge with nothing on it is not there.
        for edge in 0..4 {
            sheet.present[edge] &= !sheet.seen[edge].points.is_empty();
        }
        let edges = sheet.present.iter().filter(|&&p| p).count();
        if edges < 3 || near < 1.0 {
            return None;
        }
        sheet.residual_px = f64::sqrt(squares / near);
        sheet.support = near / felt;
        sheet.weakest = weakest;
        sheet.plausible = self.plausible(&problem, &sheet)?;
        sheet.score =
            sheet.plausible * sheet.support.powi(2) * (0.5 + 0.5 * weakest) + EDGE_BONUS * edges as f64 - COST * sheet.fit.cost;
        Some(sheet)
    }
}
