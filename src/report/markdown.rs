//! The Markdown export, and the scoreboard as plain text for a terminal.

use unicode_width::UnicodeWidthStr;

use super::{
    Report,
    words::{capital, correction_words, count, rows_and_points, standing_words, time_words, variant_words},
};
use crate::{
    matchplay::{Standings, Variant},
    rules::show_rows,
};

/// The report of a match as Markdown.
pub fn markdown(report: &Report) -> String {
    let word = report.setup.round_word();
    let mut out = format!("# Match of {}\n\n", escape(&names(report)));
    out.push_str(&format!("{}.\n\n", escape(&capital(&variant_words(&report.setup)))));
    if let Some(outcome) = &report.standings.outcome {
        out.push_str(&format!("**{}.**\n\n", escape(outcome)));
    } else if let Some(round) = report.standings.round {
        out.push_str(&format!(
            "{} {round} is being played, waiting for {}.\n\n",
            capital(word),
            escape(&report.standings.waiting.join(", "))
        ));
    }
    let amount = if report.setup.variant == Variant::Higher { "rounds built" } else { "points" };
    out.push_str(&format!("| place | player | {amount} | |\n|---:|---|---:|---|\n"));
    for line in &report.standings.players {
        let amount = line.rounds_built.map_or(line.points as usize, |n| n);
        out.push_str(&format!("| {} | {} | {amount} | {} |\n", line.place, escape(&line.player), standing_words(line, word)));
    }
    for (round, turns) in report.rounds() {
        out.push_str(&format!("\n## {} {round}\n\n", capital(word)));
        for turn in turns {
            let mut line = format!("- **{}**: {}", escape(&turn.player), rows_and_points(&turn.rows));
            if turn.missed {
                line.push_str(", built nothing in time");
            }
            if turn.late {
                line.push_str(&format!(", taken after time: scores {}", count(turn.points as usize, "point")));
            }
            if let Some(passed) = turn.passed {
                line.push_str(if passed { ", built in time" } else { ", failed" });
            }
            if let Some(verdict) = &turn.verdict {
                line.push_str(&format!(" — verified: {}", verdict.verdict.name()));
            }
            out.push_str(&line);
            out.push('\n');
            for correction in &turn.corrections {
                out.push_str(&format!("  - read as {}; {}\n", show_rows(&turn.rows_read), escape(&correction_words(correction))));
            }
            for text in turn.disagreement.iter().chain(&turn.reason) {
                out.push_str(&format!("  - {}\n", escape(text)));
            }
            if let Some(folder) = &turn.folder {
                out.push_str(&format!("  - evidence: `{folder}`\n"));
            }
        }
    }
    out.push_str("\n## Everything that happened\n\n");
    for line in &report.history {
        let what = escape(&line.what);
        let what = if line.undone { format!("~~{what}~~ (taken back)") } else { what };
        out.push_str(&format!("{}. {} — {what}\n", line.seq, time_words(&line.at)));
    }
    out.push_str(&format!("\nSeal of the log: `{}`\n", report.last_sum));
    out
}

pub(super) fn names(report: &Report) -> String {
    let names: Vec<&str> = report.setup.names().collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// `text` so that Markdown and HTML within it show it as it is.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The scoreboard as plain text, round by round, for a terminal.
pub fn scoreboard(report: &Report) -> String {
    let word = report.setup.round_word();
    let Standings { players, round, waiting, outcome, .. } = &report.standings;
    let mut out = format!("{}\n", capital(&variant_words(&report.setup)));
    let rounds = report.rounds();
    let mut header = vec!["".to_owned(), "player".to_owned()];
    header.push(if report.setup.variant == Variant::Higher { "built" } else { "points" }.to_owned());
    header.extend(rounds.iter().map(|(round, _)| {
        let again = if round.replay == 0 { String::new() } else { format!("'{}", round.replay) };
        format!("{word} {}{again}", round.number)
    }));
    header.push(String::new());
    let mut table = vec![header];
    for line in players {
        let mut row = vec![format!("{}.", line.place), line.player.clone()];
        row.push(line.rounds_built.map_or(line.points.to_string(), |n| n.to_string()));
        row.extend(rounds.iter().map(|(round, _)| {
            report.turn(*round, &line.player).map_or("–".to_owned(), |turn| {
                let mut cell =
                    if turn.missed { "nothing".to_owned() } else { format!("{} ={}", show_rows(&turn.rows), turn.points) };
                cell.push_str(if turn.late { " late" } else { "" });
                cell.push_str(if turn.corrections.is_empty() { "" } else { " *" });
                cell.push_str(match turn.passed {
                    Some(false) => " ✗",
                    _ => "",
                });
                cell.push_str(if turn.status == Some(crate::reading::Status::Unsure) || turn.disagreement.is_some() {
                    " ?"
                } else {
                    ""
                });
                cell
            })
        }));
        row.push(standing_words(line, word));
        table.push(row);
    }
    out.push_str(&aligned(&table));
    let marks = [
        (report.turns.iter().any(|t| !t.corrections.is_empty()), "* corrected by hand"),
        (
            report.turns.iter().any(|t| t.status == Some(crate::reading::Status::Unsure) || t.disagreement.is_some()),
            "? the reading is unsure",
        ),
        (report.turns.iter().any(|t| t.passed == Some(false)), "✗ not the round's pyramid in time"),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(used, _)| *used).map(|(_, text)| *text).collect();
    if !marks.is_empty() {
        out.push_str(&format!("{}\n", marks.join(", ")));
    }
    match (outcome, round) {
        (Some(outcome), _) => out.push_str(&format!("Finished: {outcome}.\n")),
        (None, Some(round)) => out.push_str(&format!("{} {round}: waiting for {}.\n", capital(word), waiting.join(", "))),
        (None, None) => {}
    }
    out
}

/// Columns padded to the same width, as terminals show it.
fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let widest: Vec<usize> =
        (0..columns).map(|i| table.iter().filter_map(|row| row.get(i)).map(|cell| cell.width()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in table {
        let mut line = String::new();
        for (cell, widest) in row.iter().zip(&widest) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', widest - cell.width() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
