//! What can go wrong with a record.

use std::{io, path::PathBuf};

use super::FORMAT;
use crate::{
    matchplay::{Refusal, ReplayError, SetupError},
    trouble,
};

/// Why a record was not made, opened or added to. Unless it says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Nothing there.
    #[error("there is no folder {}: check the path, or begin a match with `pyrameeple match new`", .path.display())]
    NoFolder {
        /// Where.
        path: PathBuf,
    },
    /// A folder without a log.
    #[error("{} is not a match: it has no events.jsonl; give the folder that `pyrameeple match new` made", .path.display())]
    NotAMatch {
        /// Where.
        path: PathBuf,
    },
    /// A new match needs a place of its own.
    #[error("{} {}; give a new or empty folder for a new match", .path.display(), .what)]
    Taken {
        /// Where.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// Somebody else writes.
    #[error("another program is writing to the match in {}: close its window or wait for it, then try again", .path.display())]
    Locked {
        /// Where.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} {}: {what}{}", .path.display(), advice(.what))]
    Io {
        /// What was being done, as "write" or "read".
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said; not the error's source, or it would be told twice.
        what: io::Error,
    },
    /// The log holds a line that the program did not write so.
    #[error("{}, line {line}: {what}. The match can still be looked at with `pyrameeple verify`, but not played on", .path.display())]
    Altered {
        /// The log.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Written by a later program.
    #[error("{} is of format {format}; this program knows formats up to {FORMAT}: use a newer pyrameeple", .path.display())]
    NewerFormat {
        /// The log.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// The log's events do not make a match.
    #[error("the log in {} does not tell a match: {what}", .path.display())]
    Replay {
        /// The log.
        path: PathBuf,
        /// Why not; not the error's source, or it would be told twice.
        what: ReplayError,
    },
    /// The match refuses the event.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No match can be played so.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl RecordError {
    /// For `map_err`: what was being done, to what.
    pub(super) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |what| Self::Io { doing, path, what }
    }
}

/// What to do about the commonest of the system's refusals.
fn advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; make room on that disk and try again: nothing accepted was lost, and this was not accepted".to_owned()
        }
        io::ErrorKind::NotFound => "; `pyrameeple verify` says what is missing".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "; copy the match to a disk that can be written to".to_owned(),
        kind => trouble::advice(kind).map_or_else(String::new, |advice| format!("; {advice}")),
    }
}
