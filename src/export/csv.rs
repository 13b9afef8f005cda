//! CSV: one row per photo.

use std::io::{self, Write};

use super::{Export, rows_text};
use crate::reading::Reading;

/// The columns, in order; the README says what they hold.
const COLUMNS: [&str; 17] = [
    "photo",
    "status",
    "points",
    "rows",
    "meeples",
    "colours",
    "players",
    "pyramids",
    "pieces_counted",
    "pieces_not_counted",
    "confidence",
    "reason",
    "advice",
    "width",
    "height",
    "ms",
    "options",
];

/// Writes a row per reading under a header.
pub struct CsvExport<W: Write> {
    writer: csv::Writer<W>,
    options: String,
}

impl<W: Write> CsvExport<W> {
    /// Starts a table with its header.
    pub fn new(out: W) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS)?;
        writer.flush()?;
        Ok(Self { writer, options: String::new() })
    }

    /// The line with the names of the columns.
    pub fn header() -> String {
        COLUMNS.join(",") + "\n"
    }

    /// Goes on with a table that has its header.
    pub fn resumed(out: W) -> Self {
        Self { writer: csv::WriterBuilder::new().has_headers(false).from_writer(out), options: String::new() }
    }

    /// With the options noted in each row that a reading depends on; empty for the defaults.
    pub fn with_options(self, options: String) -> Self {
        Self { options, ..self }
    }
}

impl<W: Write> Export for CsvExport<W> {
    fn write(&mut self, reading: &Reading) -> io::Result<()> {
        let score = reading.score.as_ref();
        let optional = |value: Option<String>| value.unwrap_or_default();
        let players: Vec<String> = reading.players.iter().map(|(name, score)| format!("{name}={}", score.points)).collect();
        let counted = reading.pieces.iter().filter(|piece| piece.counted).count();
        self.writer.write_record([
            reading.photo.clone(),
            reading.status.name().into(),
            optional(score.map(|score| score.points.to_string())),
            optional(score.filter(|score| !score.rows.is_empty()).map(|score| rows_text(&score.rows))),
            optional(score.map(|score| score.meeples.to_string())),
            reading.pyramids.first().map(|best| best.colours.join(" ")).unwrap_or_default(),
            players.join(" "),
            reading.pyramids.len().to_string(),
            counted.to_string(),
            (reading.pieces.len() - counted).to_string(),
            format!("{:.2}", reading.confidence),
            optional(reading.reason.clone()),
            optional(reading.advice.clone()),
            reading.width.to_string(),
            reading.height.to_string(),
            // `sum` of nothing is minus zero.
            format!("{:.1}", reading.timings_ms.values().fold(0.0, |sum, ms| sum + ms)),
            self.options.clone(),
        ])?;
        self.writer.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
