//! Writing a record: one program at a time, and nothing is accepted before it is on the disk.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::{
    EVENTS, Entry, FORMAT, FileSum, LOCK, Line, NewTurn, PROGRAM, README, ROUNDS, Record, RecordError, SET_ASIDE, SUMS,
    SumsState, disk, evidence::NewFile, sums_text, turn_folder,
};
use crate::matchplay::{Event, Match, Setup};

/// What the sums are called until the line they belong to is in the log.
const NEXT_SUMS: &str = "SHA256SUMS.next";
/// What the log is called until its first line is complete.
const NEXT_EVENTS: &str = "events.jsonl.next";

/// How often the lock is tried, and how long is waited in between: a quarter of a second in all, which nobody notices.
const LOCK_TRIES: u32 = 25;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The explanation put into every match folder.
const README_TEXT: &str = include_str!("README.txt");

/// A match open for writing. Holds the lock of its folder for as long as it lives.
#[derive(Debug)]
pub struct Writer {
    record: Record,
    log: File,
    log_bytes: Vec<u8>,
    notes: Vec<String>,
    /// Unlocked when dropped.
    _lock: File,
}

impl Writer {
    /// Makes a new match in `dir`, which must not exist or be empty. `at` is the time, RFC 3339 in UTC.
    pub fn create(dir: &Path, setup: Setup, at: &str) -> Result<Self, RecordError> {
        Match::new(setup.clone())?;
        check_free(dir)?;
        fs::create_dir_all(dir).map_err(RecordError::io("make the folder", dir))?;
        let lock = lock(dir)?;
        let write = |name: &str, bytes: &[u8]| {
            let path = dir.join(name);
            disk::write_over(&path, bytes).map_err(RecordError::io("write", &path))
        };
        write(README, README_TEXT.as_bytes())?;
        let files = vec![FileSum::of(README.to_owned(), README_TEXT.as_bytes())];
        let line = Line {
            format: FORMAT,
            seq: 1,
            at: at.to_owned(),
            program: PROGRAM.to_owned(),
            prev: String::new(),
            entry: Entry::Created { setup, files: files.clone() },
            sealed: true,
        };
        let (text, _) = encode(&line, dir)?;
        write(SUMS, sums_text(&files, text.as_bytes()).as_bytes())?;
        write(NEXT_EVENTS, text.as_bytes())?;
        // The match exists from here on.
        let (next, path) = (dir.join(NEXT_EVENTS), dir.join(EVENTS));
        disk::take_name(&next, &path).map_err(RecordError::io("write", &path))?;
        if let Some(parent) = dir.parent().filter(|p| !p.as_os_str().is_empty()) {
            disk::sync_folder(parent).map_err(RecordError::io("write", parent))?;
        }
        Self::with_lock(dir, lock)
    }

    /// Opens the match in `dir` to add to it; mends what an interrupted program left half done, which [`Writer::notes`]
    /// then tells. `at` is the time, RFC 3339 in UTC.
    pub fn open(dir: &Path, at: &str) -> Result<Self, RecordError> {
        // Before the lock, which would make a file in a folder that is none of ours.
        Record::read(dir)?;
        let mut writer = Self::with_lock(dir, lock(dir)?)?;
        writer.mend(at)?;
        Ok(writer)
    }

    fn with_lock(dir: &Path, lock: File) -> Result<Self, RecordError> {
        let record = Record::read(dir)?;
        let path = dir.join(EVENTS);
        let log_bytes = disk::read(&path).map_err(RecordError::io("read", &path))?;
        let log = OpenOptions::new().append(true).open(&path).map_err(RecordError::io("write", &path))?;
        Ok(Self { record, log, log_bytes, notes: Vec::new(), _lock: lock })
    }

    /// The record as it now is.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The match as it now is.
    pub fn game(&self) -> &Match {
        self.record.game()
    }

    /// What a person should know of how the folder was found or left, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Accepts an event that brings no pictures. When this returns, it is on the disk.
    pub fn accept(&mut self, event: Event, at: &str) -> Result<(), RecordError> {
        self.game().check(&event)?;
        self.commit(Entry::Event { event, files: Vec::new() }, at)
    }

    /// Accepts a turn with its pictures; `event` is an [`Event::Built`]. When this returns, everything is on the disk.
    pub fn accept_turn(&mut self, event: Event, turn: NewTurn, at: &str) -> Result<(), RecordError> {
        self.game().check(&event)?;
        let Event::Built { round, results, late } = &event else { return self.accept(event, at) };
        let setup = self.game().setup();
        let players: Vec<(usize, &str)> =
            results.iter().filter_map(|b| setup.player(&b.player).map(|i| (i, setup.players[i].name.as_str()))).collect();
        let dir = self.record.dir().to_owned();
        let folder = turn_folder(*round, &players, |folder| dir.join(folder).exists());
        let names = players.iter().map(|(_, name)| (*name).to_owned()).collect();
        let files = turn.files(&folder, *round, names, *late, at).map_err(|error| RecordError::Io {
            doing: "write",
            path: dir.join(&folder),
            what: error.into(),
        })?;
        let folder = dir.join(folder);
        let written = write_evidence(&dir, &folder, &files);
        let sums = files.into_iter().map(|(sum, _)| sum).collect();
        let accepted = written.and_then(|()| self.commit(Entry::Event { event, files: sums }, at));
        if accepted.is_err() {
            // Only room on the disk depends on it: what stays is set aside when the match is next opened.
            let _ = fs::remove_dir_all(&folder);
        }
        accepted
    }

    /// Appends a line to the log: the moment from which it counts.
    fn commit(&mut self, entry: Entry, at: &str) -> Result<(), RecordError> {
        let dir = self.record.dir().to_owned();
        let line = Line {
            format: FORMAT,
            seq: self.record.log().lines.len() as u64 + 1,
            at: at.to_owned(),
            program: PROGRAM.to_owned(),
            prev: self.record.log().last_sum.clone(),
            entry,
            sealed: true,
        };
        let (text, sum) = encode(&line, &dir)?;
        let length = self.log_bytes.len();
        self.log_bytes.extend_from_slice(text.as_bytes());
        // The new sums are written before the line, so that a full disk refuses the turn instead of leaving it without.
        let files = self.record.log().files().chain(line.entry.files());
        let (next, sums, log) = (dir.join(NEXT_SUMS), dir.join(SUMS), dir.join(EVENTS));
        let written = disk::write_over(&next, sums_text(files, &self.log_bytes).as_bytes())
            .map_err(RecordError::io("write", &next))
            .and_then(|()| disk::append(&mut self.log, length as u64, text.as_bytes()).map_err(RecordError::io("write", &log)));
        if let Err(error) = written {
            self.log_bytes.truncate(length);
            let _ = fs::remove_file(&next);
            return Err(error);
        }
        self.record.accept(line, sum, text.len())?;
        // The line is on the disk. If the sums cannot take their name the line still counts, and they are mended next time.
        match disk::take_name(&next, &sums) {
            Ok(()) => self.record.set_sums(SumsState::Current),
            Err(error) => {
                self.record.set_sums(SumsState::Behind);
                self.notes.push(format!("accepted, but {SUMS} could not be brought up to date: {error}"));
            }
        }
        Ok(())
    }

    /// Puts right what an interrupted program left: a cut-off line, sums one line behind, evidence of no accepted turn.
    fn mend(&mut self, at: &str) -> Result<(), RecordError> {
        let dir = self.record.dir().to_owned();
        if self.record.sums() == SumsState::Behind {
            let (next, sums) = (dir.join(NEXT_SUMS), dir.join(SUMS));
            let text = sums_text(self.record.log().files(), &self.log_bytes[..self.record.log().complete_bytes]);
            disk::write_over(&next, text.as_bytes()).map_err(RecordError::io("write", &next))?;
            disk::take_name(&next, &sums).map_err(RecordError::io("write", &sums))?;
            self.record.set_sums(SumsState::Current);
            self.notes.push(format!("{SUMS} lacked the last line of {EVENTS}: brought up to date"));
        }
        if matches!(self.record.sums(), SumsState::Other | SumsState::Missing) {
            let what = self.record.doubt().unwrap_or_default();
            return Err(RecordError::Altered { path: dir.join(EVENTS), line: self.record.log().lines.len(), what });
        }
        let mut what = Vec::new();
        if !self.record.log().cut_off.is_empty() {
            what.push(self.set_aside_cut_off(&dir)?);
        }
        let listed: Vec<String> = self.record.log().files().map(|f| f.path.clone()).collect();
        let unlisted = |folder: &str| -> Result<Vec<String>, RecordError> {
            Ok(files_below(&dir, folder)?.into_iter().filter(|path| !listed.contains(path)).collect())
        };
        for path in unlisted(ROUNDS)? {
            let aside = self.aside(&dir, &path.replace('/', "_"))?;
            let from = dir.join(&path);
            fs::rename(&from, &aside).map_err(RecordError::io("move", &from))?;
            // Its folder goes when that was the last in it, so that the turn finds its place free when it is tried again.
            let _ = from.parent().map(fs::remove_dir);
            what.push(format!("{path} belongs to no accepted turn"));
        }
        let files = unlisted(SET_ASIDE)?
            .into_iter()
            .map(|path| {
                let content = fs::read(dir.join(&path)).map_err(RecordError::io("read", dir.join(&path)))?;
                Ok(FileSum::of(path, &content))
            })
            .collect::<Result<Vec<_>, RecordError>>()?;
        if files.is_empty() {
            return Ok(());
        }
        disk::sync_folder(&dir.join(SET_ASIDE)).map_err(RecordError::io("write", dir.join(SET_ASIDE)))?;
        let what = format!("left by a program that was stopped: {}", what.join("; "));
        self.notes.push(format!("{what}; set aside in {SET_ASIDE}, nothing accepted is missing"));
        self.commit(Entry::SetAside { what, files }, at)
    }

    fn set_aside_cut_off(&mut self, dir: &Path) -> Result<String, RecordError> {
        let aside = self.aside(dir, "cut-off-line.txt")?;
        let complete = self.record.log().complete_bytes;
        disk::write_new(&aside, &self.record.log().cut_off).map_err(RecordError::io("write", &aside))?;
        let log = dir.join(EVENTS);
        self.log.set_len(complete as u64).and_then(|()| self.log.sync_data()).map_err(RecordError::io("write", &log))?;
        self.log_bytes.truncate(complete);
        Ok(format!("the last line of {EVENTS} was cut off after {} bytes", self.record.log().cut_off.len()))
    }

    /// A new file name in the folder for what is set aside.
    fn aside(&self, dir: &Path, name: &str) -> Result<PathBuf, RecordError> {
        let folder = dir.join(SET_ASIDE);
        disk::make_folders(dir, &folder).map_err(RecordError::io("make the folder", &folder))?;
        let line = self.record.log().lines.len() + 1;
        let mut path = folder.join(format!("{line:04}-{name}"));
        let mut number = 2;
        while path.exists() {
            path = folder.join(format!("{line:04}-{number}-{name}"));
            number += 1;
        }
        Ok(path)
    }
}

fn encode(line: &Line, dir: &Path) -> Result<(String, String), RecordError> {
    line.encode().map_err(|error| RecordError::Io { doing: "write", path: dir.join(EVENTS), what: error.into() })
}

fn write_evidence(dir: &Path, folder: &Path, files: &[NewFile]) -> Result<(), RecordError> {
    fs::create_dir_all(folder).map_err(RecordError::io("make the folder", folder))?;
    for (sum, content) in files {
        let path = dir.join(&sum.path);
        disk::write_new(&path, content).map_err(RecordError::io("write", &path))?;
    }
    disk::make_folders(dir, folder).map_err(RecordError::io("write", folder))
}

/// Refuses a folder that holds anything but what an interrupted `create` leaves behind.
fn check_free(dir: &Path) -> Result<(), RecordError> {
    let taken = |what| RecordError::Taken { path: dir.to_owned(), what };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(taken("is a file")),
        Err(what) => return Err(RecordError::Io { doing: "read", path: dir.to_owned(), what }),
    };
    for entry in entries {
        let name = entry.map_err(RecordError::io("read", dir))?.file_name();
        if name == EVENTS {
            return Err(taken("holds a match already"));
        }
        if ![LOCK, README, SUMS, NEXT_EVENTS].iter().any(|left| name == *left) {
            return Err(taken("is not empty"));
        }
    }
    Ok(())
}

/// Takes the lock of the match in `dir`; it is released when the file is closed, however the program ends.
fn lock(dir: &Path) -> Result<File, RecordError> {
    let path = dir.join(LOCK);
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(RecordError::io("write", &path))?;
    // A program that is just ending lets go in a moment: one command right after another should not be refused.
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(what)) => return Err(RecordError::Io { doing: "lock", path, what }),
        }
    }
    Err(RecordError::Locked { path: dir.to_owned() })
}

/// The files in `folder` and below, as paths from `dir` with `/` between the parts, sorted.
fn files_below(dir: &Path, folder: &str) -> Result<Vec<String>, RecordError> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let path = dir.join(&folder);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.map_err(RecordError::io("read", &path))?,
        };
        for entry in entries {
            let entry = entry.map_err(RecordError::io("read", &path))?;
            let below = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(RecordError::io("read", entry.path()))?.is_dir() {
                open.push(below);
            } else {
                found.push(below);
            }
        }
    }
    found.sort();
    Ok(found)
}
