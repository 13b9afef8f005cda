//! Counts for the summary and the exit code.

use std::path::Path;

use crate::{
    cli::Outcome,
    reading::{Reading, Status},
};

/// How many photos were read, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    read: usize,
    unsure: usize,
    unreadable: usize,
    /// Photos of which not a pixel could be had.
    unopened: usize,
    /// Annotated pictures that could not be written.
    pub failed_pictures: usize,
    /// Photos among them that an earlier run had read.
    pub read_before: usize,
}

impl Tally {
    /// Counts a reading.
    pub fn add(&mut self, reading: &Reading) {
        self.count(reading.status, reading.width > 0);
    }

    /// Counts a reading of this status, of a picture that could be `opened` or not.
    pub fn count(&mut self, status: Status, opened: bool) {
        match status {
            Status::Read => self.read += 1,
            Status::Unsure => self.unsure += 1,
            Status::Unreadable => self.unreadable += 1,
        }
        self.unopened += usize::from(!opened);
    }

    /// All photos.
    pub fn total(&self) -> usize {
        self.read + self.unsure + self.unreadable
    }

    /// How the run ended.
    pub fn outcome(&self) -> Outcome {
        match self.total() {
            // Nothing arrived while it was waited.
            0 => Outcome::Good,
            total if self.unopened == total => Outcome::Nothing,
            total if self.read < total || self.failed_pictures > 0 => Outcome::Doubtful,
            _ => Outcome::Good,
        }
    }

    /// The counts in a sentence.
    pub fn summary(&self, annotated: Option<&Path>) -> String {
        let noun = if self.total() == 1 { "photo" } else { "photos" };
        let mut text =
            format!("{} {noun}: {} read, {} unsure, {} unreadable", self.total(), self.read, self.unsure, self.unreadable);
        if self.read_before > 0 {
            text.push_str(&format!(" ({} of them by an earlier run)", self.read_before));
        }
        if let Some(dir) = annotated {
            text.push_str(&format!("; annotated pictures in {}", dir.display()));
        }
        if self.failed_pictures > 0 {
            text.push_str(&format!(" ({} could not be written)", self.failed_pictures));
        }
        text
    }
}
