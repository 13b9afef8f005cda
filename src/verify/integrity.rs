//! Whether every file of a record is what was written.

use std::{collections::BTreeSet, fs, io, path::Path};

use serde::Serialize;

use super::Scope;
use crate::record::{EVENTS, FileSum, LOCK, README, Record, SET_ASIDE, SUMS, SumsState, read_file, sha256};

/// A file that is not what was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlteredFile {
    /// Its path from the match folder.
    pub path: String,
    /// What is wrong with it, in words.
    pub what: String,
    /// Whether it is not there at all.
    pub missing: bool,
}

impl AlteredFile {
    fn new(path: &str, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), what: what.into(), missing: false }
    }
}

/// The files of `record` in `scope` that are not as recorded, and how many were checked. The log is always checked.
pub fn check(record: &Record, scope: &Scope) -> (Vec<AlteredFile>, usize) {
    let mut altered = Vec::new();
    let log = record.log();
    if let Some(first) = log.faults.first() {
        let more = log.faults.len() - 1;
        let more = if more == 0 { String::new() } else { format!(" (and {more} more faults)") };
        altered.push(AlteredFile::new(EVENTS, format!("line {}: {}{more}", first.line, first.what)));
    }
    altered.extend(check_sums(record));
    let sealed = log.lines.iter().filter(|line| line.sealed).flat_map(|line| line.entry.files().iter().cloned());
    let mut listed: Vec<FileSum> = sealed.collect();
    if !log.faults.is_empty() {
        // What a faulty log does not vouch for any more, the sums still may.
        listed.extend(sums_besides(record, &listed));
    }
    listed.retain(|f| scope.holds_file(&f.path));
    altered.extend(listed.iter().filter_map(|file| check_file(record, file)));
    // The log and the sums themselves are checked too.
    (altered, listed.len() + 2)
}

/// What is wrong with one file of `record`; `None` when it is as recorded.
pub fn check_file(record: &Record, file: &FileSum) -> Option<AlteredFile> {
    let Some(path) = record.resolve(&file.path) else {
        return Some(AlteredFile::new(&file.path, "its path leads out of the match folder: it was not looked at"));
    };
    match read_file(&path) {
        Ok(bytes) if sha256(&bytes) == file.sha256 => None,
        Ok(bytes) if file.bytes != UNKNOWN && bytes.len() as u64 != file.bytes => {
            Some(AlteredFile::new(&file.path, format!("it has {} bytes, {} were recorded", bytes.len(), file.bytes)))
        }
        Ok(_) => Some(AlteredFile::new(&file.path, "its SHA-256 is not the recorded one")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(AlteredFile { missing: true, ..AlteredFile::new(&file.path, "it is missing") })
        }
        Err(error) => Some(AlteredFile::new(&file.path, format!("it cannot be read: {error}"))),
    }
}

/// What is wrong with `SHA256SUMS`, or with the log by what `SHA256SUMS` says of it.
fn check_sums(record: &Record) -> Option<AlteredFile> {
    let log = record.log();
    match record.sums() {
        SumsState::Current | SumsState::Behind => None,
        SumsState::Missing => Some(AlteredFile { missing: true, ..AlteredFile::new(SUMS, "it is missing") }),
        // An altered log has another sum by itself: that is no second fault.
        SumsState::Other if !log.faults.is_empty() => None,
        SumsState::Other if !log.cut_off.is_empty() || knows_more(record) => {
            Some(AlteredFile::new(EVENTS, format!("its end was altered or taken away: {SUMS} knows of more")))
        }
        SumsState::Other => Some(AlteredFile::new(
            SUMS,
            format!("it does not fit {EVENTS}: lines were taken off the end of the log, or one of the two was altered"),
        )),
    }
}

/// The length of a file of which only the sum is known.
const UNKNOWN: u64 = u64::MAX;

/// What `SHA256SUMS` says.
fn read_sums(record: &Record) -> String {
    read_file(&record.dir().join(SUMS)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The files that `SHA256SUMS` lists besides `known` and the log.
fn sums_besides(record: &Record, known: &[FileSum]) -> Vec<FileSum> {
    let sums = read_sums(record);
    let lines = sums.lines().filter_map(|line| line.split_once("  "));
    lines
        .filter(|(_, path)| *path != EVENTS && known.iter().all(|f| f.path != *path))
        .map(|(sum, path)| FileSum { path: path.to_owned(), bytes: UNKNOWN, sha256: sum.to_owned() })
        .collect()
}

/// Whether `SHA256SUMS` lists files that are there but that the log knows nothing of: then lines of the log are missing.
fn knows_more(record: &Record) -> bool {
    let known: BTreeSet<&str> = record.log().files().map(|f| f.path.as_str()).collect();
    let sums = read_sums(record);
    let mut listed = sums.lines().filter_map(|line| line.split_once("  ")).map(|(_, path)| path);
    listed.any(|path| path != EVENTS && !known.contains(path) && record.resolve(path).is_some_and(|p| p.is_file()))
}

/// So many files of which no record knows are named one by one.
const MOST_NAMED: usize = 5;

/// A sentence for each file in the match folder, within `scope`, that neither the log nor the sums list. They change no
/// score, but who looks into the folder may take them for evidence.
pub fn unknown_files(record: &Record, scope: &Scope) -> Vec<String> {
    let mut known: BTreeSet<String> = record.log().files().map(|f| f.path.clone()).collect();
    known.extend(sums_besides(record, &[]).into_iter().map(|f| f.path));
    known.extend([EVENTS, SUMS, README, LOCK].map(str::to_owned));
    let mut files = Vec::new();
    list(record.dir(), "", &mut files);
    files.retain(|path| !known.contains(path) && scope.holds_file(path));
    files.sort();
    let more = files.len().saturating_sub(MOST_NAMED);
    let named = files.iter().take(MOST_NAMED).map(|path| format!("{path} lies in the match folder, but no record knows it"));
    let more = (more > 0).then(|| format!("{more} more files lie in the match folder of which no record knows"));
    named.chain(more).collect()
}

/// Collects the files under `dir`, as paths from the match folder with `prefix` in front. Links are not followed.
fn list(dir: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            // What the program itself found half-written is explained by the log and the folder's README.
            Ok(kind) if kind.is_dir() && path == SET_ASIDE => {}
            Ok(kind) if kind.is_dir() => list(&entry.path(), &format!("{path}/"), files),
            _ => files.push(path),
        }
    }
}
