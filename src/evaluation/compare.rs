//! One reading held against the truth about its picture.

use std::collections::BTreeMap;

use serde::Serialize;

use super::truth::{Truth, TruthPiece};
use crate::{
    geometry::Px,
    reading::{Piece, PieceState, Reading, Status},
};

/// A piece found has its base within this share of its height in the picture of the true base.
const SAME_PLACE: f64 = 0.4;
/// A playmat with a visible corner further off than this share of the picture's diagonal is wrong.
const PLAYMAT_WRONG: f64 = 0.02;

/// How a reading turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// `read`, and the rows are right.
    Exact,
    /// `read`, and the rows are wrong: what must not happen.
    Wrong,
    /// `unsure`, though the rows are right.
    UnsureRight,
    /// `unsure`, and the rows are wrong.
    UnsureWrong,
    /// `unreadable`.
    Unreadable,
}

/// The stage that went wrong first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The file could not be decoded.
    Capture,
    /// No playmat, or a visible corner far off.
    Playmat,
    /// Upright pieces missed, or seen where there are none.
    Pieces,
    /// The pieces are right; their rows or groups, or whether they count, are not.
    Layout,
    /// The rows are right, but the reading was doubted.
    Doubt,
}

/// How one reading compares with the truth.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The photo as given.
    pub photo: String,
    /// Sort of picture.
    pub kind: String,
    /// Whether the picture is inside the envelope.
    pub inside_envelope: bool,
    /// How it turned out.
    pub verdict: Verdict,
    /// The stage that went wrong first; `None` when the reading is exact.
    pub first_wrong: Option<Stage>,
    /// True rows of the highest pyramid.
    pub true_rows: Vec<usize>,
    /// Rows as read.
    pub rows: Vec<usize>,
    /// Why the reading was doubted.
    pub reason: Option<String>,
    /// Pieces that count in truth.
    pub true_pieces: usize,
    /// Of those, not counted in the reading.
    pub missed: usize,
    /// Counted in the reading, though nothing that counts is there.
    pub extra: usize,
    /// Pieces on the playmat that don't stand upright.
    pub others: usize,
    /// Of those, counted all the same.
    pub others_counted: usize,
    /// Upright pieces seen, on the playmat or beside it.
    pub placed: usize,
    /// Of those, rightly said to be on the playmat or not.
    pub placed_right: usize,
    /// How sure the reading was of its score, 0 to 1.
    pub confidence: f64,
    /// Counted in both, in different rows.
    pub wrong_rows: usize,
    /// Counted in both, in different colours.
    pub wrong_colours: usize,
    /// Whether a playmat was found.
    pub playmat_found: bool,
    /// Distance of each corner that is inside the picture to the true one, px.
    pub corner_errors_px: Vec<f64>,
    /// Milliseconds spent in each stage.
    pub timings_ms: BTreeMap<String, f64>,
}

impl Comparison {
    /// How `reading` compares with `truth`.
    pub fn new(truth: &Truth, reading: &Reading) -> Self {
        let rows = reading.score.as_ref().map(|score| score.rows.clone()).unwrap_or_default();
        let right = rows_are_right(truth, reading, &rows);
        let verdict = match (reading.status, right) {
            (Status::Read, true) => Verdict::Exact,
            (Status::Read, false) => Verdict::Wrong,
            (Status::Unsure, true) => Verdict::UnsureRight,
            (Status::Unsure, false) => Verdict::UnsureWrong,
            (Status::Unreadable, _) => Verdict::Unreadable,
        };
        let true_counted: Vec<&TruthPiece> = truth.pieces.iter().filter(|piece| piece.counts()).collect();
        let counted: Vec<&Piece> = reading.pieces.iter().filter(|piece| piece.counted).collect();
        let pairs = pair_up(&true_counted, &counted);
        let others: Vec<&TruthPiece> = truth.pieces.iter().filter(|piece| piece.on_mat && !piece.is_upright()).collect();
        let unpaired: Vec<&Piece> = counted.iter().filter(|p| !pairs.iter().any(|(_, q)| q.id == p.id)).copied().collect();
        let true_upright: Vec<&TruthPiece> = truth.pieces.iter().filter(|piece| piece.is_upright()).collect();
        let upright: Vec<&Piece> = reading.pieces.iter().filter(|p| p.state == PieceState::Upright).collect();
        let placed = match reading.playmat {
            Some(_) => pair_up(&true_upright, &upright),
            None => Vec::new(),
        };
        let corner_errors_px = corner_errors(truth, reading);
        Self {
            photo: reading.photo.clone(),
            kind: truth.kind.clone(),
            inside_envelope: truth.inside_envelope(),
            verdict,
            first_wrong: first_wrong(truth, reading, right, &corner_errors_px),
            true_rows: truth.rows().to_vec(),
            rows,
            reason: reading.reason.clone(),
            true_pieces: true_counted.len(),
            missed: true_counted.len() - pairs.len(),
            extra: counted.len() - pairs.len(),
            others: others.len(),
            others_counted: unpaired.iter().filter(|p| others.iter().any(|t| shows(t, p))).count(),
            placed: placed.len(),
            placed_right: placed.iter().filter(|(t, p)| p.on_playmat == Some(t.on_mat)).count(),
            confidence: reading.confidence,
            wrong_rows: pairs.iter().filter(|(t, p)| p.row != Some(t.row)).count(),
            wrong_colours: pairs.iter().filter(|(t, p)| p.colour != t.colour).count(),
            playmat_found: reading.playmat.is_some(),
            corner_errors_px,
            timings_ms: reading.timings_ms.clone(),
        }
    }

    /// Milliseconds in all stages but decoding.
    pub fn pipeline_ms(&self) -> f64 {
        self.timings_ms.iter().filter(|(stage, _)| *stage != "decode").map(|(_, ms)| ms).fold(0.0, |sum, ms| sum + ms)
    }

    /// Missed and extra pieces.
    pub fn wrong_pieces(&self) -> usize {
        self.missed + self.extra
    }
}

/// Whether the highest pyramid has the true rows; on a shared playmat, whether all pyramids have.
fn rows_are_right(truth: &Truth, reading: &Reading, rows: &[usize]) -> bool {
    if truth.kind != "shared" {
        return reading.score.is_some() && rows == truth.rows();
    }
    let mut all: Vec<&[usize]> = reading.pyramids.iter().map(|pyramid| pyramid.rows.as_slice()).collect();
    let mut all_true: Vec<&[usize]> = truth.pyramids.iter().map(|pyramid| pyramid.rows.as_slice()).collect();
    all.sort_unstable();
    all_true.sort_unstable();
    reading.score.is_some() && all == all_true
}

/// Whether `piece` was read where `truth` lies: its middle is within what is visible of it.
fn shows(truth: &TruthPiece, piece: &Piece) -> bool {
    let (x, y) = ((piece.base.x + piece.head.x) / 2.0, (piece.base.y + piece.head.y) / 2.0);
    truth
        .bounds
        .is_some_and(|b| (f64::from(b.x0)..=f64::from(b.x1)).contains(&x) && (f64::from(b.y0)..=f64::from(b.y1)).contains(&y))
}

/// True and read pieces that stand in the same place, nearest pairs first, each piece once.
fn pair_up<'t, 'r>(truth: &[&'t TruthPiece], read: &[&'r Piece]) -> Vec<(&'t TruthPiece, &'r Piece)> {
    let mut near: Vec<(f64, usize, usize)> = Vec::new();
    for (t, true_piece) in truth.iter().enumerate() {
        for (r, piece) in read.iter().enumerate() {
            let share = true_piece.base.distance(piece.base) / true_piece.px_height.max(1.0);
            if share < SAME_PLACE {
                near.push((share, t, r));
            }
        }
    }
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut true_taken, mut taken) = (vec![false; truth.len()], vec![false; read.len()]);
    let mut pairs = Vec::new();
    for (_, t, r) in near {
        if !true_taken[t] && !taken[r] {
            true_taken[t] = true;
            taken[r] = true;
            pairs.push((truth[t], read[r]));
        }
    }
    pairs
}

/// Distances of the corners inside the picture to the true ones. Which corner is called near-left is left open by a
/// quarter turn: seen cornerwise, two answers are as good.
fn corner_errors(truth: &Truth, reading: &Reading) -> Vec<f64> {
    let Some(playmat) = &reading.playmat else { return Vec::new() };
    let inside = |p: Px| (0.0..=f64::from(truth.width)).contains(&p.x) && (0.0..=f64::from(truth.height)).contains(&p.y);
    let turned = |turn: usize| -> Vec<(bool, f64)> {
        let pairs = truth.mat.corners.iter().enumerate();
        pairs.map(|(i, &corner)| (inside(corner), corner.distance(playmat.corners[(i + turn) % 4]))).collect()
    };
    let sum = |errors: &Vec<(bool, f64)>| errors.iter().map(|(_, error)| error).sum::<f64>();
    let best = (0..4).map(turned).min_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or_default();
    best.into_iter().filter(|(inside, _)| *inside).map(|(_, error)| error).collect()
}

/// The stage that went wrong first; `None` when the reading is exact.
fn first_wrong(truth: &Truth, reading: &Reading, right: bool, corner_errors_px: &[f64]) -> Option<Stage> {
    if right {
        return (reading.status != Status::Read).then_some(Stage::Doubt);
    }
    if reading.width == 0 {
        return Some(Stage::Capture);
    }
    let allowed_px = PLAYMAT_WRONG * f64::from(truth.width).hypot(f64::from(truth.height));
    if reading.playmat.is_none() || corner_errors_px.iter().any(|&error| error > allowed_px) {
        return Some(Stage::Playmat);
    }
    let upright: Vec<&Piece> = reading
        .pieces
        .iter()
        .filter(|piece| piece.state == PieceState::Upright && (piece.counted || piece.on_playmat != Some(false)))
        .collect();
    let true_upright: Vec<&TruthPiece> = truth.pieces.iter().filter(|piece| piece.is_upright()).collect();
    let pairs = pair_up(&true_upright, &upright);
    let missed = true_upright.iter().any(|t| t.counts() && !pairs.iter().any(|(paired, _)| paired.id == t.id));
    let extra = pairs.len() < upright.len();
    Some(if missed || extra { Stage::Pieces } else { Stage::Layout })
}
