//! `SHA256SUMS`: the sums of all files of a record, as `sha256sum -c` takes them. It follows from the log alone.

use super::{EVENTS, FileSum, sha256};

/// What `SHA256SUMS` must say: of `files` and of a log that holds `log_bytes`.
pub fn sums_text<'a>(files: impl IntoIterator<Item = &'a FileSum>, log_bytes: &[u8]) -> String {
    let mut lines: Vec<(String, String)> = files.into_iter().map(|f| (f.path.clone(), f.sha256.clone())).collect();
    lines.push((EVENTS.to_owned(), sha256(log_bytes)));
    lines.sort();
    lines.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect()
}

/// How `SHA256SUMS` stands to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumsState {
    /// It says what the log says.
    Current,
    /// It lacks the log's last line: the program was stopped between writing the one and the other. Nothing is amiss, and
    /// the next program that writes to the match mends it.
    Behind,
    /// It says something else: it was altered, or the log was.
    Other,
    /// It is not there.
    Missing,
}
