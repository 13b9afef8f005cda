//! JSON Lines: one object per photo and line.

use std::io::{self, Write};

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
