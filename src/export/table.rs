//! A table for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::{Export, not_counted, points_text, rows_text};
use crate::reading::{Reading, Status};

/// Names longer than this many columns push the rest of their line to the right instead of widening every line.
const WIDEST_NAME: usize = 48;

/// Writes a line per reading under a header, and indented below it what there is to say.
pub struct Table<W> {
    out: W,
    name_columns: usize,
    coloured: bool,
    started: bool,
}

impl<W: Write> Table<W> {
    /// A table of the photos called `names`, which set the width of its first column.
    pub fn new<'a>(out: W, names: impl IntoIterator<Item = &'a str>, coloured: bool) -> Self {
        let widest = names.into_iter().map(UnicodeWidthStr::width).max().unwrap_or(0);
        Self { out, name_columns: widest.clamp("photo".len(), WIDEST_NAME), coloured, started: false }
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if self.coloured { format!("{style}{text}{style:#}") } else { text.into() }
    }

    fn line(&mut self, name: &str, status: &str, style: Style, [points, rows, meeples]: [&str; 3]) -> io::Result<()> {
        let name_fill = self.name_columns.saturating_sub(name.width());
        let status = self.paint(&format!("{status:<10}"), style);
        let line = format!("{name}{:name_fill$}  {status}  {points:>6}  {rows:<16}  {meeples:>7}", "");
        writeln!(self.out, "{}", line.trim_end())
    }

    fn note(&mut self, label: &str, text: &str) -> io::Result<()> {
        let label = self.paint(&format!("{label}:"), Style::new().dimmed());
        writeln!(self.out, "    {label} {text}")
    }
}

impl<W: Write> Export for Table<W> {
    fn write(&mut self, reading: &Reading) -> io::Result<()> {
        if !self.started {
            self.started = true;
            let head = Style::new().bold();
            self.line("photo", "status", head, ["points", "rows", "meeples"])?;
        }
        let style = match reading.status {
            Status::Read => AnsiColor::Green.on_default(),
            Status::Unsure => AnsiColor::Yellow.on_default(),
            Status::Unreadable => AnsiColor::Red.on_default(),
        };
        let name = one_line(&reading.photo);
        match &reading.score {
            Some(score) => {
                let cells = [&score.points.to_string(), &rows_text(&score.rows), &score.meeples.to_string()];
                self.line(&name, reading.status.name(), style, cells.map(String::as_str))?;
            }
            None => self.line(&name, reading.status.name(), style, ["–", "–", "–"])?,
        }
        if let Some(reason) = &reading.reason {
            self.note("why", &one_line(reason))?;
        }
        if let Some(advice) = &reading.advice {
            self.note("do", &one_line(advice))?;
        }
        if !reading.players.is_empty() {
            let players = reading.players.iter().map(|(name, score)| match score.rows.as_slice() {
                [] => format!("{name} {}", points_text(score.points)),
                rows => format!("{name} {} ({})", points_text(score.points), rows_text(rows)),
            });
            let players = players.collect::<Vec<_>>().join(", ");
            self.note("players", &players)?;
        }
        for other in reading.pyramids.iter().skip(1) {
            let text = format!("{} ({}) of {}", points_text(other.points), rows_text(&other.rows), other.colours.join(", "));
            self.note("lower pyramid", &text)?;
        }
        let rejected: Vec<String> =
            not_counted(reading).iter().map(|(reason, ids)| rejected_text(&one_line(reason), ids)).collect();
        if !rejected.is_empty() {
            self.note("not counted", &rejected.join("; "))?;
        }
        self.out.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// `2 pieces: not standing upright (#9, #10)`: how many, why, and which numbers they bear in JSON and on the annotated
/// picture.
fn rejected_text(reason: &str, ids: &[usize]) -> String {
    let noun = if ids.len() == 1 { "piece" } else { "pieces" };
    let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
    format!("{} {noun}: {reason} ({})", ids.len(), ids.join(", "))
}

/// File names may hold line breaks and escape sequences, which must not reach a terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
