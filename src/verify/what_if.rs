//! What would change the score of a turn: the pieces and decisions a quarrel could be about.

use super::place::{is_near_counted, row_of};
use crate::{
    matchplay::{LateRule, Setup, Turn, Variant},
    reading::{Piece, PieceState, Reading},
    rules,
};

/// A counted piece the program is less sure of than this is worth a look.
const WORTH_A_LOOK: f64 = 0.7;
/// So many of them are listed one by one.
const MOST_SHAKY: usize = 5;

/// What would change the score of `turn`, in sentences, likeliest first; empty when nothing comes near.
pub fn what_if(turn: &Turn, reading: Option<&Reading>, setup: &Setup) -> Vec<String> {
    let mut out = Vec::new();
    let rows = turn.rows();
    let points = rules::points(rows);
    if turn.late() && setup.options.late == LateRule::NotScored {
        out.push(format!(
            "The picture was taken after time and does not score. In time it would be {}.",
            rules::show_points(points)
        ));
    }
    if turn.rows() != turn.read_rows && !turn.missed {
        let read = rules::points(&turn.read_rows);
        out.push(format!(
            "Without the correction it would be {} as read, {}.",
            rules::show_rows(&turn.read_rows),
            rules::show_points(read)
        ));
    }
    if setup.variant == Variant::Higher && !turn.passes(&setup.options) {
        out.push(missing_for_round(turn, setup));
    }
    let Some(reading) = reading else { return out };
    // On a shared playmat the other players' pieces are no matter of this score.
    let colours = setup.players.get(turn.player).map_or(&[][..], |p| &p.colours);
    let own = |p: &Piece| !setup.shared_playmat || colours.contains(&p.colour);
    let rejected = reading.pieces.iter().filter(|p| !p.counted && p.state != PieceState::Foreign && own(p));
    let (near, apart): (Vec<&Piece>, Vec<&Piece>) = rejected.partition(|p| is_near_counted(p, reading));
    for piece in near {
        let Some(row) = row_of(piece, reading) else { continue };
        let why = piece.reason.clone().unwrap_or_else(|| piece.state.name().to_owned());
        let now = points.saturating_add(u32::try_from(row).unwrap_or(0));
        out.push(format!(
            "Piece {} ({}) does not count: {why}. In row {row} it would add {row}: {}.",
            piece.id,
            piece.colour,
            rules::show_points(now)
        ));
    }
    if !apart.is_empty() {
        let ids: Vec<String> = apart.iter().map(|p| p.id.to_string()).collect();
        let pieces = if ids.len() == 1 { "Piece" } else { "Pieces" };
        out.push(format!("{pieces} {} would not count even upright: no counted piece touches there.", ids.join(", ")));
    }
    let scores = |p: &Piece| p.counted && own(p) && (setup.shared_playmat || p.pyramid == Some(0));
    let mut shaky: Vec<_> = reading.pieces.iter().filter(|p| scores(p) && p.confidence < WORTH_A_LOOK).collect();
    shaky.sort_by(|a, b| a.confidence.total_cmp(&b.confidence));
    for piece in shaky.iter().take(MOST_SHAKY) {
        let row = piece.row.unwrap_or(0);
        let sure = piece.confidence * 100.0;
        let left = points.saturating_sub(u32::try_from(row).unwrap_or(0));
        out.push(format!(
            "Piece {} ({}, row {row}) counts, but the program is only {sure:.0} % sure. Without it: {}.",
            piece.id,
            piece.colour,
            rules::show_points(left)
        ));
    }
    if shaky.len() > MOST_SHAKY {
        let more = shaky.len() - MOST_SHAKY;
        out.push(format!("{more} more pieces count of which the program is less than {:.0} % sure.", WORTH_A_LOOK * 100.0));
    }
    if !setup.shared_playmat {
        for pyramid in reading.pyramids.iter().skip(1) {
            out.push(format!(
                "A pyramid of {} stands apart. Only the highest counts; connected, the two would be one.",
                rules::show_score(&pyramid.rows)
            ));
        }
    }
    out
}

/// What the round's pyramid lacks, or has too much of.
fn missing_for_round(turn: &Turn, setup: &Setup) -> String {
    let asked = rules::full_triangle(rules::base_of_round(turn.round.number));
    let rows = turn.rows();
    let apart: Vec<String> = (0..asked.len().max(rows.len()))
        .filter_map(|i| {
            let (want, have) = (asked.get(i).copied().unwrap_or(0), rows.get(i).copied().unwrap_or(0));
            match have.cmp(&want) {
                std::cmp::Ordering::Less => Some(format!("{} too few in row {}", want - have, i + 1)),
                std::cmp::Ordering::Greater => Some(format!("{} too many in row {}", have - want, i + 1)),
                std::cmp::Ordering::Equal => None,
            }
        })
        .collect();
    let asked_text = rules::show_rows(&asked);
    match (setup.options.demand, apart.is_empty()) {
        (_, true) => format!("The round asks for {asked_text}, which was built, but not in time."),
        (rules::Demand::FullTriangle, false) => format!("The round asks for {asked_text}: {}.", apart.join(", ")),
        (rules::Demand::AtLeast, false) => format!(
            "The round asks for at least {} rows on at least {} meeples; {} rows on {} were built.",
            asked.len(),
            asked.len(),
            rows.len(),
            rows.first().unwrap_or(&0)
        ),
    }
}
