//! Figures as tables for people, and comparisons as rows of CSV.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
};

use super::{
    compare::{Comparison, Verdict},
    figures::{CONFIDENCE_BUCKETS, Figures, by_kind, calibration},
};
use crate::export::rows_text;

/// All tables about `comparisons`: by category inside the envelope, outside it, and together; which stage went wrong first;
/// wrong readings by name; milliseconds.
pub fn report(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    let inside: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.inside_envelope).collect();
    let outside: Vec<&Comparison> = comparisons.iter().filter(|comparison| !comparison.inside_envelope).collect();
    for (title, set) in [("inside the envelope", inside), ("outside the envelope", outside)] {
        if !set.is_empty() {
            by_category(&mut text, title, &set);
        }
    }
    by_category(&mut text, "all pictures", &comparisons.iter().collect::<Vec<_>>());
    pieces(&mut text, comparisons);
    confidences(&mut text, comparisons);
    stages(&mut text, comparisons);
    wrong_readings(&mut text, comparisons);
    milliseconds(&mut text, &Figures::of(comparisons));
    text
}

/// Lines of cells, the first cell of each to the left, the others to the right.
fn align(text: &mut String, lines: &[Vec<String>]) {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    for line in lines {
        let mut row = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => row.push_str(&format!("  {cell:<width$}")),
                _ => row.push_str(&format!("  {cell:>width$}")),
            }
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text.push('\n');
}

fn by_category(text: &mut String, title: &str, comparisons: &[&Comparison]) {
    let head =
        [title, "pictures", "exact", "wrong", "unsure (right)", "unreadable", "wrong pieces", "rows", "colours", "corners px"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let kinds = by_kind(comparisons.iter().copied());
    let several = kinds.len() > 1;
    lines.extend(kinds.iter().map(|(kind, figures)| figures_line(kind, figures)));
    if several {
        lines.push(figures_line("together", &Figures::of(comparisons.iter().copied())));
    }
    align(text, &lines);
}

fn figures_line(name: &str, figures: &Figures) -> Vec<String> {
    let share = |n: usize| format!("{n} ({:.0} %)", 100.0 * n as f64 / figures.pictures.max(1) as f64);
    let corners = figures.corner_px.map_or("–".into(), |px| format!("{:.1}, p95 {:.1}", px.median, px.p95));
    let unsure = figures.unsure_right + figures.unsure_wrong;
    vec![
        name.into(),
        figures.pictures.to_string(),
        share(figures.exact),
        share(figures.wrong),
        format!("{unsure} ({})", figures.unsure_right),
        figures.unreadable.to_string(),
        format!("{} of {}", figures.wrong_pieces, figures.true_pieces),
        figures.wrong_rows.to_string(),
        figures.wrong_colours.to_string(),
        corners,
    ]
}

/// Precision and recall of what was counted, what was counted wrongly, and what is on the playmat.
fn pieces(text: &mut String, comparisons: &[Comparison]) {
    let share = |part: usize, of: usize| match of {
        0 => "–".to_owned(),
        _ => format!("{:.2} % of {of}", 100.0 * part as f64 / of as f64),
    };
    let mut lines = vec![vec![
        "pieces".to_owned(),
        "recall".into(),
        "precision".into(),
        "others not counted".into(),
        "on or off right".into(),
    ]];
    let inside: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.inside_envelope).collect();
    for (name, set) in [("inside the envelope", inside), ("all pictures", comparisons.iter().collect())] {
        let figures = Figures::of(set);
        let found = figures.true_pieces - figures.missed;
        let [others, counted] = figures.others;
        lines.push(vec![
            name.into(),
            share(found, figures.true_pieces),
            share(found, found + figures.extra),
            share(others - counted.min(others), others),
            share(figures.placed[1], figures.placed[0]),
        ]);
    }
    align(text, &lines);
}

/// How often scores of each confidence are right.
fn confidences(text: &mut String, comparisons: &[Comparison]) {
    let mut lines = vec![vec!["confidence".to_owned(), "scores".into(), "right".into()]];
    let limits = CONFIDENCE_BUCKETS.iter().copied().chain([1.0]).collect::<Vec<f64>>();
    for (limits, (scores, right)) in limits.windows(2).zip(calibration(comparisons)).filter(|(_, (scores, _))| *scores > 0) {
        let share = format!("{right} ({:.0} %)", 100.0 * right as f64 / scores as f64);
        lines.push(vec![format!("{:.2} to {:.2}", limits[0], limits[1]), scores.to_string(), share]);
    }
    align(text, &lines);
}

fn stages(text: &mut String, comparisons: &[Comparison]) {
    let mut counts = BTreeMap::new();
    for stage in comparisons.iter().filter_map(|comparison| comparison.first_wrong) {
        *counts.entry(stage).or_insert(0usize) += 1;
    }
    if counts.is_empty() {
        return;
    }
    let mut lines = vec![vec!["went wrong first".to_owned(), "pictures".into()]];
    lines.extend(counts.iter().map(|(stage, n)| vec![word(stage), n.to_string()]));
    align(text, &lines);
}

fn wrong_readings(text: &mut String, comparisons: &[Comparison]) {
    let wrong: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.verdict == Verdict::Wrong).collect();
    if wrong.is_empty() {
        return;
    }
    let _ = writeln!(text, "  read, but wrong:");
    for comparison in wrong {
        let stage = comparison.first_wrong.map(|stage| word(&stage)).unwrap_or_default();
        let _ = writeln!(
            text,
            "    {}: {} instead of {} ({}, {stage}{})",
            comparison.photo,
            rows_text(&comparison.rows),
            rows_text(&comparison.true_rows),
            comparison.kind,
            if comparison.inside_envelope { "" } else { ", outside the envelope" },
        );
    }
    text.push('\n');
}

fn milliseconds(text: &mut String, figures: &Figures) {
    if figures.ms.is_empty() {
        return;
    }
    let mut lines = vec![vec!["ms".to_owned(), "median".into(), "p95".into()]];
    lines.extend(figures.ms.iter().map(|(stage, ms)| vec![stage.clone(), format!("{:.1}", ms.median), format!("{:.1}", ms.p95)]));
    align(text, &lines);
}

/// The word that JSON has for `value`.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Writes a row for each of `comparisons` under a header.
pub fn write_csv(out: impl Write, comparisons: &[Comparison]) -> io::Result<()> {
    let stages: std::collections::BTreeSet<&String> = comparisons.iter().flat_map(|c| c.timings_ms.keys()).collect();
    let mut csv = csv::Writer::from_writer(out);
    let columns = [
        "photo",
        "kind",
        "inside_envelope",
        "verdict",
        "first_wrong",
        "true_rows",
        "rows",
        "true_pieces",
        "missed",
        "extra",
        "wrong_rows",
        "wrong_colours",
        "others_counted",
        "confidence",
        "playmat_found",
        "corner_px_max",
        "reason",
    ];
    csv.write_record(columns.iter().map(|name| (*name).to_owned()).chain(stages.iter().map(|stage| format!("{stage}_ms"))))?;
    for c in comparisons {
        let corner = c.corner_errors_px.iter().copied().reduce(f64::max);
        let cells = [
            c.photo.clone(),
            c.kind.clone(),
            c.inside_envelope.to_string(),
            word(&c.verdict),
            c.first_wrong.map(|stage| word(&stage)).unwrap_or_default(),
            rows_text(&c.true_rows),
            rows_text(&c.rows),
            c.true_pieces.to_string(),
            c.missed.to_string(),
            c.extra.to_string(),
            c.wrong_rows.to_string(),
            c.wrong_colours.to_string(),
            c.others_counted.to_string(),
            format!("{:.3}", c.confidence),
            c.playmat_found.to_string(),
            corner.map(|px| format!("{px:.1}")).unwrap_or_default(),
            c.reason.clone().unwrap_or_default(),
        ];
        let times = stages.iter().map(|stage| c.timings_ms.get(*stage).map(|ms| format!("{ms:.1}")).unwrap_or_default());
        csv.write_record(cells.into_iter().chain(times))?;
    }
    csv.flush()
}
