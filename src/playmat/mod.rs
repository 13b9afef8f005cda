//! Playmat: the felt A4 baseplate in the picture, as four corners.
//!
//! 1. The picture is made small and cut into segments of even colour, at several coarsenesses.
//! 2. Straight pieces of each large segment's outline are combined into quadrilaterals; those that cover their segment
//!    best go on.
//! 3. An A4 sheet seen by a camera is fitted to each; then to the edges of the whole picture, found to a fraction of a
//!    pixel along the sheet's predicted edges.
//! 4. The one whose edges the picture supports best is the playmat.

mod edges;
mod outline;
mod prior;
mod segment;
mod sheet;
mod small;
#[cfg(test)]
mod tests;

use image::{GrayImage, RgbImage};
use serde::{Deserialize, Serialize};

pub(crate) use prior::Prior;
pub(crate) use small::lab_from_rgb;

use crate::{
    geometry::{PlaymatPoint, Px},
    pose::{Camera, PoseParams},
};
use outline::{Quad, Region};
use sheet::{Sheet, View};
use small::Small;

/// What the playmat stage can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlaymatParams {
    /// Pixels of the small picture in which the felt is first looked for.
    pub small_pixels: f64,
    /// Pixels of the less small one that follows where the first look is not sure: slower, and catches smaller playmats.
    pub second_pixels: f64,
    /// How even a segment must be: the lower, the smaller the segments; each is tried. In Lab units times pixels.
    pub coarseness: Vec<f32>,
    /// Worth of lightness against colour when pixels are compared, 0 to 1; less than 1 because shadows change lightness.
    pub lightness: f32,
    /// Least share of the picture that the playmat covers, 0 to 1.
    pub least_share: f64,
    /// Least confidence of a playmat for which the pieces on it can vouch, 0 to 1.
    pub least_confidence: f64,
    /// Least confidence of a playmat that nothing vouches for, 0 to 1.
    pub least_alone: f64,
    /// Probabilities from which on the network's opinion makes a shape, 0 to 1; each is tried.
    pub likely: Vec<f32>,
    /// How much the network's opinion counts in the choice between sheets; their edges count up to about 3.
    pub prior: f64,
    /// Quadrilaterals to which an A4 sheet is fitted.
    pub quads: usize,
    /// Sheets that are held against the whole picture.
    pub sheets: usize,
    /// How clearly a playmat must be seen, as far as it is inside the picture, to be reported alone, and by the first look
    /// for no second one to follow, 0 to 1.
    pub sure: f64,
    /// Playmats reported at most.
    pub most: usize,
    /// Expectations about the camera while edges are fitted.
    pub pose: PoseParams,
}

impl Default for PlaymatParams {
    fn default() -> Self {
        Self {
            small_pixels: 30_000.0,
            second_pixels: 60_000.0,
            coarseness: vec![150.0, 400.0, 1000.0],
            lightness: 0.7,
            least_share: 0.025,
            least_confidence: 0.04,
            least_alone: 0.1,
            likely: vec![0.5],
            prior: 1.0,
            quads: 12,
            sheets: 4,
            sure: 0.6,
            most: 3,
            pose: PoseParams::default(),
        }
    }
}

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
    /// How sure it is that this is the playmat and that its outline is right, 0 to 1.
    pub confidence: f64,
    /// Share of the outline, where no piece hides it, along which the felt ends, 0 to 1.
    pub support: f64,
    /// Points seen on each edge, px: near, right, far, left; empty where an edge is outside the picture.
    pub edges: [Vec<Px>; 4],
    /// Points of the felt at the picture's border, where it is cut, px.
    pub cut: Vec<Px>,
    /// The felt's colour.
    pub felt: Felt,
    /// Where bare felt is seen (255), at a small scale; see [`Playmat::mask_scale`].
    pub mask: GrayImage,
    /// Pixels of the picture that one pixel of `mask` stands for, across and down.
    pub mask_scale: [f64; 2],
}

/// The colour of the felt, CIE Lab (D65): L 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Felt {
    /// Mean colour of the bare felt.
    pub mean: [f32; 3],
    /// Standard deviation of each component over the bare felt, shadows and slow changes of light included.
    pub spread: [f32; 3],
}

impl Felt {
    /// Mean and spread of `colours`.
    fn of(colours: &[[f32; 3]]) -> Self {
        let n = colours.len().max(1) as f32;
        let mean = [0, 1, 2].map(|i| colours.iter().map(|c| c[i]).sum::<f32>() / n);
        let spread = [0, 1, 2].map(|i| (colours.iter().map(|c| (c[i] - mean[i]).powi(2)).sum::<f32>() / n).sqrt());
        Self { mean, spread }
    }

    /// Whether `lab` may be this felt, in the light or in a shadow.
    pub fn resembles(&self, lab: [f32; 3]) -> bool {
        self.within(lab, 25.0)
    }

    /// As [`Felt::resembles`], but the colour may also have faded or grown with the light.
    fn resembles_lit(&self, lab: [f32; 3]) -> bool {
        let light = (lab[0] / self.mean[0].max(1.0)).clamp(0.8, 1.25);
        self.resembles(lab) || Self { mean: self.mean.map(|v| v * light), ..*self }.resembles(lab)
    }

    /// Whether `lab` may be this felt in however deep a shadow: colour fades with the light.
    pub fn in_any_shadow(&self, lab: [f32; 3]) -> bool {
        let light = (lab[0] / self.mean[0].max(1.0)).clamp(0.0, 1.0);
        let off = |i: usize| (lab[i] - light * self.mean[i]).abs();
        lab[0] < self.mean[0] + 10.0 && off(1) < 9.0 + 2.0 * self.spread[1] && off(2) < 9.0 + 2.0 * self.spread[2]
    }

    /// Whether `lab` differs by no more than a little colour and by `lightness` from what the felt varies by itself.
    fn within(&self, lab: [f32; 3], lightness: f32) -> bool {
        let off = |i: usize| (lab[i] - self.mean[i]).abs();
        // A shadow takes chroma away with the light, so more of it may be missing than spreads in the open.
        off(0) < lightness + 3.0 * self.spread[0] && off(1) < 6.0 + 3.0 * self.spread[1] && off(2) < 6.0 + 3.0 * self.spread[2]
    }
}

/// Why no playmat was found.
#[derive(Debug, thiserror::Error)]
pub enum PlaymatError {
    /// Nothing in the picture looks like a sheet of felt.
    #[error(
        "no playmat found: nothing in the picture has the edges of an A4 sheet (the largest shape that was tried covers {largest_share:.0} % of it)"
    )]
    NotFound {
        /// Percent of the picture.
        largest_share: f64,
    },
    /// Something could be a sheet of felt, but the picture hardly supports it.
    #[error(
        "no playmat found: the likeliest quadrilateral has an edge along {support:.0} % of its outline and is {confidence:.0} % sure, \
         {needed:.0} % is needed"
    )]
    Doubtful {
        /// Percent of the outline along which the felt ends.
        support: f64,
        /// Percent.
        confidence: f64,
        /// Percent.
        needed: f64,
    },
    /// OpenCV refused the picture.
    #[error("the picture could not be made small: {0}")]
    OpenCv(#[from] opencv::Error),
    /// The network could not be asked.
    #[error(transparent)]
    Prior(#[from] prior::PriorError),
}

/// What may be the playmat of `picture`, the likeliest first, never none: felt is segmented, whatever its colour, and four
/// edges are fitted to each segment. Where the first is not sure, what stands on it can tell which it is.
pub fn find(picture: &RgbImage, params: &PlaymatParams) -> Result<Vec<Playmat>, PlaymatError> {
    let reduced = small::reduced(picture)?;
    let network = prior::ask(&reduced)?;
    let look = |pixels: f64| -> Result<View, PlaymatError> {
        let small = Small::new(&reduced, picture.dimensions(), pixels)?;
        Ok(View { picture, prior: network.at(&small), small, params })
    };
    let (first, second);
    let (regions, more);
    first = look(params.small_pixels)?;
    regions = network_regions(&first)?;
    let mut largest_share = largest(&first, &regions);
    let mut sheets = sheets_of(&first, &regions);
    if !sheets.first().is_some_and(|best| best.clear() >= params.sure) {
        second = look(params.second_pixels)?;
        more = network_regions(&second)?.into_iter().chain(segment_regions(&second)?).collect::<Vec<_>>();
        largest_share = largest_share.max(largest(&second, &more));
        sheets.extend(sheets_of(&second, &more));
        sheets.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    let Some(best) = sheets.first() else {
        return Err(PlaymatError::NotFound { largest_share: 100.0 * largest_share });
    };
    let (support, confidence) = (best.support, best.confidence());
    let most = if best.clear() >= params.sure { 1 } else { params.most };
    let mut distinct: Vec<Sheet> = Vec::new();
    for sheet in sheets {
        let likely = sheet.confidence() >= params.least_confidence;
        if likely && distinct.len() < most && !distinct.iter().any(|other| other.same(&sheet)) {
            distinct.push(sheet);
        }
    }
    if distinct.is_empty() {
        return Err(PlaymatError::Doubtful {
            support: 100.0 * support,
            confidence: 100.0 * confidence,
            needed: 100.0 * params.least_confidence,
        });
    }
    Ok(distinct.into_iter().map(finish).collect())
}

impl Playmat {
    /// Whether it is convincing even where no piece stands on it; if not, the reason to say that there is no playmat.
    pub fn stands_alone(&self, params: &PlaymatParams) -> Result<(), PlaymatError> {
        if self.confidence >= params.least_alone {
            return Ok(());
        }
        Err(PlaymatError::Doubtful {
            support: 100.0 * self.support,
            confidence: 100.0 * self.confidence,
            needed: 100.0 * params.least_alone,
        })
    }
}

/// What the network takes for the playmat of `picture`, whether or not edges show where it ends.
pub(crate) fn likely(picture: &RgbImage) -> Result<Prior, PlaymatError> {
    let reduced = small::reduced(picture)?;
    Ok(prior::ask(&reduced)?)
}

/// Share of the picture that the largest of `regions` covers, 0 to 1.
fn largest(view: &View, regions: &[Region]) -> f64 {
    regions.iter().map(|region| region.area).max().unwrap_or(0) as f64 / view.small.lab.len() as f64
}

/// What the network takes for the playmat, as shapes.
fn network_regions(view: &View) -> Result<Vec<Region>, PlaymatError> {
    let mut regions = Vec::new();
    for &likely in &view.params.likely {
        regions.extend(outline::of_prior(&view.small, &view.prior, likely)?.filter(|region| region.area >= view.least()));
    }
    Ok(regions)
}

/// The segments of even colour, as shapes.
fn segment_regions(view: &View) -> Result<Vec<Region>, PlaymatError> {
    let (steps, least) = (segment::Steps::new(&view.small, view.params.lightness), view.least());
    let mut regions = Vec::new();
    for &coarseness in &view.params.coarseness {
        let labels = steps.segments(coarseness);
        for label in large_labels(&labels, least) {
            regions.extend(outline::of_segment(&view.small, &labels, label)?.filter(|region| region.area >= least));
        }
    }
    Ok(regions)
}

/// The sheets that `regions` may be, fitted to the picture's edges, best first.
fn sheets_of<'r>(view: &'r View, regions: &'r [Region]) -> Vec<Sheet<'r>> {
    let mut found: Vec<(Quad, &Region)> = Vec::new();
    for region in regions {
        for quad in outline::quads(&view.small, region, 3) {
            if !found.iter().any(|(other, _)| other.score >= quad.score && outline::same(other, &quad)) {
                found.push((quad, region));
            }
        }
    }
    let pixels = (view.small.width * view.small.height) as f64;
    // Large shapes first: most segments of a picture are small, and some are quadrilaterals by chance.
    let rank = |(quad, region): &(Quad, &Region)| quad.score + sheet::size_bonus(region.area as f64 / pixels);
    found.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    found.truncate(view.params.quads);
    let mut sheets: Vec<Sheet> = found.iter().flat_map(|(quad, region)| view.coarse(quad, region)).collect();
    sheets.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut distinct: Vec<Sheet> = Vec::new();
    for sheet in sheets {
        if distinct.len() < view.params.sheets && !distinct.iter().any(|other| other.same(&sheet)) {
            distinct.push(sheet);
        }
    }
    let mut sheets: Vec<Sheet> = distinct.into_iter().filter_map(|sheet| view.fine(sheet)).collect();
    sheets.sort_by(|a, b| b.score.total_cmp(&a.score));
    sheets
}

/// The labels of at least `least` pixels.
fn large_labels(labels: &[u32], least: usize) -> Vec<u32> {
    let mut counts = vec![0usize; labels.len()];
    labels.iter().for_each(|&l| counts[l as usize] += 1);
    (0..labels.len()).filter(|&l| counts[l] >= least.max(1)).map(|l| l as u32).collect()
}

/// The best sheet as the stage's result.
fn finish(best: Sheet) -> Playmat {
    let (small, camera, ruler) = (&best.view.small, &best.camera, best.ruler());
    let mut mask = GrayImage::new(small.width as u32, small.height as u32);
    let mut colours = Vec::new();
    for (x, y, pixel) in mask.enumerate_pixels_mut() {
        let lab = small.lab[y as usize * small.width + x as usize];
        let px = small.full_from_small(f64::from(x) + 0.5, f64::from(y) + 0.5);
        if best.felt().resembles(lab) && ruler.inside(px) > 0.0 {
            pixel.0 = [255];
            colours.push(lab);
        }
    }
    Playmat {
        corners: camera.playmat_corners().map(|c| camera.px_clamped(c.at_height(0.0))),
        k1: camera.k1,
        visible: visible(camera),
        residual_px: best.residual_px,
        confidence: best.confidence(),
        support: best.support,
        edges: best.edge_points(),
        felt: Felt::of(&colours),
        cut: best.cut,
        mask,
        mask_scale: small.scale,
    }
}

/// Share of the playmat that lies inside the picture.
fn visible(camera: &Camera) -> f64 {
    let n = 24;
    let [w, h] = camera.playmat_size_mm;
    let at = |i: i32, side: f64| side * ((f64::from(i) + 0.5) / f64::from(n) - 0.5);
    let inside = |point: PlaymatPoint| {
        let px = camera.px_from_world(point.at_height(0.0));
        px.is_some_and(|p| p.x >= 0.0 && p.y >= 0.0 && p.x <= camera.width && p.y <= camera.height)
    };
    let seen = (0..n * n).filter(|i| inside(PlaymatPoint::new(at(i % n, w), at(i / n, h)))).count();
    seen as f64 / f64::from(n * n)
}
