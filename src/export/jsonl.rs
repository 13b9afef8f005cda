//! JSON Lines: one object per photo and line.

use std::io::{self, Write};

use serde::Serialize;

use super::Export;
use crate::reading::Reading;

/// Writes each reading as one line of JSON, at once.
pub struct JsonLines<W> {
    out: W,
    options: String,
}

impl<W: Write> JsonLines<W> {
    /// Writes into `out`.
    pub fn new(out: W) -> Self {
        Self { out, options: String::new() }
    }

    /// With the options noted on each line that a reading depends on; empty for the defaults, which are not noted.
    pub fn with_options(self, options: String) -> Self {
        Self { options, ..self }
    }
}

impl<W: Write> Export for JsonLines<W> {
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
