//! JSON Lines: one object per photo and line.

use std::io::{self, Write};

use serde::Serialize;

use super::Export;
use crate::reading::Reading;

/// Writes each reading as one line of JSON, at once.
pub struct JsonLines<W>(pub W);

impl<W: Write> Export for JsonLines<W> {
    fn write(&mut self, reading: &Reading) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, reading)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// As [`JsonLines`], with the options noted on each line that a reading depends on, where they are not the defaults.
pub struct NotedJsonLines<W> {
    /// Where to.
    pub out: W,
    /// The options in words; empty for the defaults.
    pub options: String,
}

impl<W: Write> Export for NotedJsonLines<W> {
    fn write(&mut self, reading: &Reading) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            #[serde(flatten)]
            reading: &'a Reading,
            #[serde(skip_serializing_if = "str::is_empty")]
            options: &'a str,
        }
        serde_json::to_writer(&mut self.out, &Line { reading, options: &self.options })?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
