//! Peaks: where the learned network sees meeples, whatever row they may be in.

use super::canonical::Canonical;
use crate::{
    geometry::Px,
    network::{self, Maps, NetworkError, STRIDE, sigmoid},
};

/// Maps of the network, see `models/README.md`.
const UPRIGHT: usize = 0;
const OTHER: usize = 1;
const BASE: usize = 3;
const HEAD: usize = 5;
const MASK: usize = 7;
const VISIBLE: usize = 8;

/// Of two peaks closer than this share of their height the weaker is a second mark on the same piece.
const APART: f64 = 0.3;

/// A place where the network sees a meeple. Pixels are those of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Middle of the feet's underside, px.
    pub base: Px,
    /// Middle of the head's top, px.
    pub head: Px,
    /// How sure the network is of a meeple in the state looked for, 0 to 1.
    pub score: f64,
    /// How sure it is of a meeple in any other state there, 0 to 1.
    pub against: f64,
    /// Share of the outline that is not hidden, 0 to 1.
    pub visible: f64,
}

impl Peak {
    /// Middle between base and head, px.
    pub fn centre(&self) -> Px {
        Px::new((self.base.x + self.head.x) / 2.0, (self.base.y + self.head.y) / 2.0)
    }

    /// The score, less `against` times what speaks for another state, 0 to 1.
    pub fn worth(&self, against: f64) -> f64 {
        self.score * (1.0 - against * self.against)
    }

    /// Length from base to head, px.
    pub fn height_px(&self) -> f64 {
        self.base.distance(self.head)
    }
}

/// What the network sees in a picture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peaks {
    /// Meeples that stand upright, best first.
    pub upright: Vec<Peak>,
    /// Meeples in any other state, best first.
    pub other: Vec<Peak>,
    /// Share of each cell of [`STRIDE`] canonical px that meeples of any state cover, 0 to 1, row by row.
    pub cover: Vec<f32>,
    /// Cells across.
    pub columns: usize,
}

impl Peaks {
    /// All peaks of `canonical` that score at least `least`.
    pub fn new(canonical: &Canonical, least: f64) -> Result<Self, NetworkError> {
        let maps = network::pieces()?.maps(&canonical.image)?;
        Ok(Self {
            upright: peaks(&maps, UPRIGHT, OTHER, canonical, least),
            other: peaks(&maps, OTHER, UPRIGHT, canonical, least),
            cover: maps.channel(MASK).iter().map(|&logit| sigmoid(logit)).collect(),
            columns: maps.columns,
        })
    }
}

impl Peaks {
    /// How much of the cell at `p` (canonical px) meeples cover, 0 to 1; 0 outside.
    pub fn cover_at(&self, p: Px) -> f64 {
        let (column, row) = ((p.x / STRIDE).floor(), (p.y / STRIDE).floor());
        if column < 0.0 || row < 0.0 || column >= self.columns as f64 {
            return 0.0;
        }
        self.cover.get(row as usize * self.columns + column as usize).map_or(0.0, |&share| f64::from(share))
    }
}

/// The peaks of map `wanted`, best first; `against` is the map that speaks for another state.
fn peaks(maps: &Maps, wanted: usize, against: usize, canonical: &Canonical, least: f64) -> Vec<Peak> {
    let logits = maps.channel(wanted);
    let mut found: Vec<Peak> = Vec::new();
    for row in 0..maps.rows {
        for column in 0..maps.columns {
            let logit = logits[row * maps.columns + column];
            let score = f64::from(sigmoid(logit));
            if score < least || neighbours(maps, column, row).any(|(c, r)| logits[r * maps.columns + c] > logit) {
                continue;
            }
            let point = |map: usize| {
                let along = |map: usize, cell: usize| (cell as f64 + 0.5) * STRIDE + f64::from(maps.at(map, column, row));
                canonical.px_from_canonical(Px::new(along(map, column), along(map + 1, row)))
            };
            let strongest = neighbours(maps, column, row).chain([(column, row)]).map(|(c, r)| maps.at(against, c, r));
            found.push(Peak {
                base: point(BASE),
                head: point(HEAD),
                score,
                against: f64::from(sigmoid(strongest.fold(f32::NEG_INFINITY, f32::max))),
                visible: f64::from(sigmoid(maps.at(VISIBLE, column, row))),
            });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Peak> = Vec::new();
    for peak in found {
        if kept.iter().all(|k| k.centre().distance(peak.centre()) > APART * peak.height_px()) {
            kept.push(peak);
        }
    }
    kept
}

/// The up to eight cells around (`column`, `row`).
fn neighbours(maps: &Maps, column: usize, row: usize) -> impl Iterator<Item = (usize, usize)> {
    let (columns, rows) =
        (column.saturating_sub(1)..(column + 2).min(maps.columns), row.saturating_sub(1)..(row + 2).min(maps.rows));
    rows.flat_map(move |r| columns.clone().map(move |c| (c, r))).filter(move |&cell| cell != (column, row))
}
