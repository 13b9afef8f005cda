//! Sums over many comparisons.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compare::{Comparison, Verdict};

/// A median and the value that 95 of 100 do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Half of the values are at most this.
    pub median: f64,
    /// 95 of 100 values are at most this.
    pub p95: f64,
}

impl Spread {
    /// The spread of `values` (nearest rank); `None` when there are none.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let rank = |share: f64| values.get(((share * values.len() as f64).ceil() as usize).saturating_sub(1)).copied();
        Some(Self { median: rank(0.5)?, p95: rank(0.95)? })
    }
}

/// Name under which the sum of all stages but decoding stands among the stages.
pub const ALL_STAGES: &str = "all but decode";

/// What a set of pictures came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Pictures.
    pub pictures: usize,
    /// Read, and right.
    pub exact: usize,
    /// Read, and wrong.
    pub wrong: usize,
    /// Doubted, though right.
    pub unsure_right: usize,
    /// Doubted, and wrong.
    pub unsure_wrong: usize,
    /// Without a score.
    pub unreadable: usize,
    /// Pieces that count in truth.
    pub true_pieces: usize,
    /// Pieces missed or extra.
    pub wrong_pieces: usize,
    /// Pieces that count in truth and were not counted.
    pub missed: usize,
    /// Pieces counted where nothing that counts is.
    pub extra: usize,
    /// Pieces on the playmat that don't stand upright, and how many of them were counted all the same.
    pub others: [usize; 2],
    /// Upright pieces seen, and how many of them were rightly said to be on the playmat or not.
    pub placed: [usize; 2],
    /// Pieces in a wrong row.
    pub wrong_rows: usize,
    /// Pieces of a wrong colour.
    pub wrong_colours: usize,
    /// Distance of visible playmat corners to the true ones, px.
    pub corner_px: Option<Spread>,
    /// Milliseconds in each stage.
    pub ms: BTreeMap<String, Spread>,
}

impl Figures {
    /// The sums over `comparisons`.
    pub fn of<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Self {
        let mut figures = Self::default();
        let mut corners = Vec::new();
        let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for comparison in comparisons {
            figures.pictures += 1;
            *match comparison.verdict {
                Verdict::Exact => &mut figures.exact,
                Verdict::Wrong => &mut figures.wrong,
                Verdict::UnsureRight => &mut figures.unsure_right,
                Verdict::UnsureWrong => &mut figures.unsure_wrong,
                Verdict::Unreadable => &mut figures.unreadable,
            } += 1;
            figures.true_pieces += comparison.true_pieces;
            figures.wrong_pieces += comparison.wrong_pieces();
            figures.missed += comparison.missed;
            figures.extra += comparison.extra;
            figures.others[0] += comparison.others;
            figures.others[1] += comparison.others_counted;
            figures.placed[0] += comparison.placed;
            figures.placed[1] += comparison.placed_right;
            figures.wrong_rows += comparison.wrong_rows;
            figures.wrong_colours += comparison.wrong_colours;
            corners.extend(&comparison.corner_errors_px);
            for (stage, ms) in &comparison.timings_ms {
                times.entry(stage.clone()).or_default().push(*ms);
            }
            if !comparison.timings_ms.is_empty() {
                times.entry(ALL_STAGES.into()).or_default().push(comparison.pipeline_ms());
            }
        }
        figures.corner_px = Spread::of(corners);
        figures.ms = times.into_iter().filter_map(|(stage, ms)| Some((stage, Spread::of(ms)?))).collect();
        figures
    }

    /// Unsure or unreadable.
    pub fn unread(&self) -> usize {
        self.unsure_right + self.unsure_wrong + self.unreadable
    }
}

/// Lower limits of the buckets into which confidences are sorted.
pub const CONFIDENCE_BUCKETS: [f64; 5] = [0.0, 0.5, 0.8, 0.95, 0.99];

/// For each bucket of confidence (lower limits as in [`CONFIDENCE_BUCKETS`]): scores, and how many of them are right. A
/// reading without a score is in none.
pub fn calibration<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> [(usize, usize); CONFIDENCE_BUCKETS.len()] {
    let mut buckets = [(0, 0); CONFIDENCE_BUCKETS.len()];
    for comparison in comparisons.into_iter().filter(|comparison| comparison.verdict != Verdict::Unreadable) {
        let bucket = CONFIDENCE_BUCKETS.iter().rposition(|&least| comparison.confidence >= least).unwrap_or(0);
        buckets[bucket].0 += 1;
        buckets[bucket].1 += usize::from(matches!(comparison.verdict, Verdict::Exact | Verdict::UnsureRight));
    }
    buckets
}

/// The figures of each category in `comparisons`, by name.
pub fn by_kind<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> BTreeMap<String, Figures> {
    let mut kinds: BTreeMap<&str, Vec<&Comparison>> = BTreeMap::new();
    for comparison in comparisons {
        kinds.entry(&comparison.kind).or_default().push(comparison);
    }
    kinds.into_iter().map(|(kind, comparisons)| (kind.to_owned(), Figures::of(comparisons))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_by_nearest_rank() {
        assert_eq!(Spread::of((1..=20).map(f64::from).collect()), Some(Spread { median: 10.0, p95: 19.0 }));
        assert_eq!(Spread::of(vec![3.0]), Some(Spread { median: 3.0, p95: 3.0 }));
        assert_eq!(Spread::of(vec![]), None);
    }
}
