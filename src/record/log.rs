//! The event log: JSON Lines, each line sealed with its own sum and tied to the line before.
//!
//! A line is `{…,"sum":"…"}` where the sum is the SHA-256 of the line's bytes before `,"sum"`, so that anybody can check a
//! line with `sha256sum` alone. `prev` repeats the sum of the line before: no line can be taken out, added or moved without
//! writing every later line anew.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::matchplay::{Event, Setup};

/// The version of the record's layout that this program writes.
pub const FORMAT: u32 = 1;
/// Program and version, as written into records.
pub const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// A file of the record with its sum.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileSum {
    /// Path from the match folder, with `/` between the parts.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 of its content, 64 hexadecimal digits.
    pub sha256: String,
}

impl FileSum {
    /// The sum of `content`, to lie at `path`.
    pub fn of(path: String, content: &[u8]) -> Self {
        Self { path, bytes: content.len() as u64, sha256: sha256(content) }
    }
}

/// SHA-256 of `bytes`, as 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a line of the log tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// The match was made; always the first line and no other.
    Created {
        /// What was agreed.
        setup: Setup,
        /// Files written with it.
        files: Vec<FileSum>,
    },
    /// Something happened in the match and was accepted.
    Event {
        /// What.
        event: Event,
        /// Its evidence.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileSum>,
    },
    /// The program found what an interrupted one had left half done.
    SetAside {
        /// What was found, in words.
        what: String,
        /// Where it was put.
        files: Vec<FileSum>,
    },
}

impl Entry {
    /// The files that came with it.
    pub fn files(&self) -> &[FileSum] {
        match self {
            Self::Created { files, .. } | Self::Event { files, .. } | Self::SetAside { files, .. } => files,
        }
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Version of the layout, [`FORMAT`] when it was written.
    pub format: u32,
    /// Number of the line, from 1.
    pub seq: u64,
    /// When it was written, RFC 3339 in UTC.
    pub at: String,
    /// Program and version that wrote it.
    pub program: String,
    /// Sum of the line before; of nothing for the first line.
    pub prev: String,
    /// What it tells.
    #[serde(flatten)]
    pub entry: Entry,
    /// Whether the line matched its own sum when it was read; what it tells is worth nothing if not.
    #[serde(skip)]
    pub sealed: bool,
}

/// What stands between a line's content and its sum, and after it.
const SEAL: &str = ",\"sum\":\"";
const SEAL_END: &str = "\"}";
const SUM_DIGITS: usize = 64;

impl Line {
    /// The line as written, with its seal and line end, and the sum that the next line repeats.
    pub fn encode(&self) -> Result<(String, String), serde_json::Error> {
        let mut text = serde_json::to_string(self)?;
        // The closing brace moves behind the sum.
        text.pop();
        let sum = sha256(text.as_bytes());
        text.push_str(SEAL);
        text.push_str(&sum);
        text.push_str(SEAL_END);
        text.push('\n');
        Ok((text, sum))
    }
}

/// Something wrong with a line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub what: String,
    /// The line's format, where that is newer than this program knows.
    pub newer_format: Option<u32>,
}

/// A log as read.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The lines that could be understood.
    pub lines: Vec<Line>,
    /// What is wrong with it; empty for a sound log.
    pub faults: Vec<Fault>,
    /// Length of the sound, complete lines in bytes.
    pub complete_bytes: usize,
    /// What follows the last line end: a line that was cut off.
    pub cut_off: Vec<u8>,
    /// The sum of the last line, which the next line repeats.
    pub last_sum: String,
}

impl Log {
    /// The log in `bytes`. Never fails: what is wrong is listed in its faults.
    pub fn parse(bytes: &[u8]) -> Self {
        let complete_bytes = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
        let mut log = Self { complete_bytes, cut_off: bytes[complete_bytes..].to_vec(), ..Self::default() };
        let complete = bytes[..complete_bytes].strip_suffix(b"\n");
        for (index, raw) in complete.into_iter().flat_map(|b| b.split(|&b| b == b'\n')).enumerate() {
            log.take(index + 1, raw);
        }
        if log.lines.is_empty() && log.faults.is_empty() {
            log.fault(1, "the log is empty".to_owned());
        }
        log
    }

    fn take(&mut self, number: usize, raw: &[u8]) {
        let Some((content, sum)) = open_seal(raw) else {
            // Foreign formats may seal otherwise, so look for the version before calling it altered.
            let newer_format = version_of(raw).filter(|&f| f > FORMAT);
            let what = match raw.last() {
                Some(b'\r') => {
                    "its line end was changed, as text editors and transfers in text mode do: put back the file as it was"
                }
                _ => "the line is not sealed with a sum",
            };
            self.faults.push(Fault { line: number, what: what.to_owned(), newer_format });
            return;
        };
        let sealed = sha256(content) == sum;
        if !sealed {
            self.fault(number, "the line does not match its own sum: it was altered after it was written".to_owned());
        }
        if let Some(format) = version_of(raw).filter(|&f| f > FORMAT) {
            let what = format!("it is of format {format}, this program knows formats up to {FORMAT}");
            self.faults.push(Fault { line: number, what, newer_format: Some(format) });
            return;
        }
        let line: Line = match serde_json::from_slice(raw) {
            Ok(line) => Line { sealed, ..line },
            Err(error) => return self.fault(number, format!("the line cannot be understood: {error}")),
        };
        let (place, first) = (number as u64, number == 1);
        if line.seq != place {
            self.fault(number, format!("it is numbered {} but stands in place {place}: lines were taken out or added", line.seq));
        }
        if line.prev != self.last_sum {
            self.fault(number, "it does not follow the line before it: that line was altered, taken out or added".to_owned());
        }
        if first != matches!(line.entry, Entry::Created { .. }) {
            self.fault(number, "a match is made in the first line, and only there".to_owned());
        }
        self.last_sum = sum.to_owned();
        self.lines.push(line);
    }

    fn fault(&mut self, line: usize, what: String) {
        self.faults.push(Fault { line, what, newer_format: None });
    }

    /// Every file that the log tells of, in the order they were written.
    pub fn files(&self) -> impl Iterator<Item = &FileSum> {
        self.lines.iter().flat_map(|line| line.entry.files())
    }
}

/// Splits a sealed line into its content and its sum.
fn open_seal(raw: &[u8]) -> Option<(&[u8], &str)> {
    let rest = raw.strip_suffix(SEAL_END.as_bytes())?;
    let (content, sum) = rest.split_at_checked(rest.len().checked_sub(SUM_DIGITS)?)?;
    let content = content.strip_suffix(SEAL.as_bytes())?;
    Some((content, std::str::from_utf8(sum).ok()?))
}

fn version_of(raw: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    serde_json::from_slice::<Version>(raw).ok().map(|v| v.format)
}
