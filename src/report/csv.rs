//! The CSV export: one line per turn.

use super::Report;

/// The turns of `report` as CSV, with a header.
pub fn csv(report: &Report) -> Result<Vec<u8>, ::csv::Error> {
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record([
        "round",
        "replay",
        "player",
        "rows",
        "points",
        "rows_read",
        "points_read",
        "late",
        "missed",
        "passed",
        "corrections",
        "reason_of_last_correction",
        "status",
        "verdict",
        "accepted_at",
        "folder",
    ])?;
    for turn in &report.turns {
        let last_reason = turn.corrections.last().map_or("", |c| c.reason.as_str());
        out.write_record([
            turn.round.number.to_string(),
            turn.round.replay.to_string(),
            harmless(&turn.player),
            rows_text(&turn.rows),
            turn.points.to_string(),
            rows_text(&turn.rows_read),
            turn.points_read.to_string(),
            turn.late.to_string(),
            turn.missed.to_string(),
            turn.passed.map_or(String::new(), |p| p.to_string()),
            turn.corrections.len().to_string(),
            harmless(last_reason),
            turn.status.map_or("", |s| s.name()).to_owned(),
            turn.verdict.as_ref().map_or("", |v| v.verdict.name()).to_owned(),
            turn.at.clone(),
            turn.folder.clone().unwrap_or_default(),
        ])?;
    }
    out.into_inner().map_err(|error| error.into_error().into())
}

/// `text` so that no spreadsheet takes it for a formula: names come from players.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

/// Rows as "5 4 2 1": dashes or slashes between them would make a date in a spreadsheet.
fn rows_text(rows: &[usize]) -> String {
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}
