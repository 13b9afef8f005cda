//! Reading a record. Writes nothing, takes no lock: a match can be looked at while it is being played.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use super::{Entry, Fault, FileSum, Line, Log, RecordError, SumsState, TurnRecord, disk, evidence::READING, sums_text};
use crate::matchplay::{Event, Match, ReplayError, Setup, Turn, words::event_words};

/// File name of the log.
pub const EVENTS: &str = "events.jsonl";
/// File name of the sums.
pub const SUMS: &str = "SHA256SUMS";
/// File name of the explanation.
pub const README: &str = "README.txt";
/// File name of the lock.
pub const LOCK: &str = "lock";
/// Folder of the turns' evidence.
pub const ROUNDS: &str = "rounds";
/// Folder of what was found half-written.
pub const SET_ASIDE: &str = "set-aside";

/// A match as it lies on the disk.
#[derive(Clone, Debug)]
pub struct Record {
    dir: PathBuf,
    log: Log,
    game: Match,
    /// For each of the match's events, the index of its line in the log.
    event_lines: Vec<usize>,
    sums: SumsState,
}

/// The evidence of one turn.
#[derive(Clone, Debug)]
pub struct TurnFiles<'a> {
    /// The line of the log that brought the turn.
    pub line: &'a Line,
    /// Its files; empty for a turn without pictures.
    pub files: &'a [FileSum],
    /// Its folder, from the match folder; `None` for a turn without pictures.
    pub folder: Option<&'a str>,
}

impl Record {
    /// The match in the folder `dir`, of which every line of the log must be sound.
    pub fn read(dir: &Path) -> Result<Self, RecordError> {
        let record = Self::load(dir)?;
        match record.log.faults.first() {
            None => Ok(record),
            Some(fault) => Err(refuse(&record.dir.join(EVENTS), fault)),
        }
    }

    /// The match in the folder `dir`, as far as its log can be understood; [`Log::faults`] lists what is wrong with it.
    pub fn load(dir: &Path) -> Result<Self, RecordError> {
        let path = dir.join(EVENTS);
        let bytes = match disk::read(&path) {
            Ok(bytes) => bytes,
            // A file in the folder's place is no match either.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(if dir.exists() {
                    RecordError::NotAMatch { path: dir.to_owned() }
                } else {
                    RecordError::NoFolder { path: dir.to_owned() }
                });
            }
            Err(what) => return Err(RecordError::Io { doing: "read", path, what }),
        };
        let mut log = Log::parse(&bytes);
        let Some(setup) = log.lines.iter().find_map(setup_of).cloned() else {
            let fault = Fault { line: 1, what: "it does not say what was agreed for the match".to_owned(), newer_format: None };
            return Err(refuse(&path, log.faults.first().unwrap_or(&fault)));
        };
        let replay = |what| RecordError::Replay { path: path.clone(), what };
        let mut game = Match::new(setup).map_err(|error| replay(ReplayError::Setup(error)))?;
        let mut event_lines = Vec::new();
        let mut refused = Vec::new();
        for (index, line) in log.lines.iter().enumerate() {
            let Entry::Event { event, .. } = &line.entry else { continue };
            match game.apply(event.clone()) {
                Ok(()) => event_lines.push(index),
                Err(refusal) => {
                    let what = format!("what it tells does not fit what came before: {refusal}");
                    refused.push(Fault { line: line.seq as usize, what, newer_format: None });
                }
            }
        }
        log.faults.extend(refused);
        let sums = sums_state(&disk::read(&dir.join(SUMS)).ok(), &log, &bytes[..log.complete_bytes]);
        Ok(Self { dir: dir.to_owned(), log, game, event_lines, sums })
    }

    /// The match folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The match that the log tells.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// How `SHA256SUMS` stands to the log.
    pub fn sums(&self) -> SumsState {
        self.sums
    }

    /// The line that made the match.
    pub fn created(&self) -> Option<&Line> {
        self.log.lines.iter().find(|line| setup_of(line).is_some())
    }

    /// The line of the log that brought the match's event number `event` (an index into [`Match::events`]).
    pub fn line_of(&self, event: usize) -> Option<&Line> {
        self.log.lines.get(*self.event_lines.get(event)?)
    }

    /// Which of the match's events (an index into [`Match::events`]) the log's line number `line` (an index) tells.
    pub fn event_of_line(&self, line: usize) -> Option<usize> {
        self.event_lines.iter().position(|&l| l == line)
    }

    /// The evidence of `turn`.
    pub fn turn_files(&self, turn: &Turn) -> Option<TurnFiles<'_>> {
        let line = self.line_of(turn.event)?;
        let files = line.entry.files();
        let folder = files.first().and_then(|f| f.path.rsplit_once('/')).map(|(folder, _)| folder);
        Some(TurnFiles { line, files, folder })
    }

    /// What `reading.json` of `turn` says; `None` for a turn without pictures.
    pub fn turn_record(&self, turn: &Turn) -> Result<Option<TurnRecord>, RecordError> {
        let Some(folder) = self.turn_files(turn).and_then(|f| f.folder) else { return Ok(None) };
        let path = self.dir.join(folder).join(READING);
        let bytes = disk::read(&path).map_err(RecordError::io("read", &path))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| RecordError::Altered {
            path,
            line: error.line(),
            what: format!("it cannot be understood: {error}"),
        })
    }

    /// Where the file of the record called `path` lies; `None` when that leads out of the match folder, as a log made by
    /// somebody else might have it.
    pub fn resolve(&self, path: &str) -> Option<PathBuf> {
        let relative = Path::new(path);
        let inside = !path.is_empty() && relative.components().all(|part| matches!(part, Component::Normal(_)));
        inside.then(|| self.dir.join(relative))
    }

    /// What a person should know about the state of the folder, in sentences; empty when all is well.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.log.cut_off.is_empty() {
            let left = self.log.cut_off.len();
            notes.push(match self.sums {
                SumsState::Current | SumsState::Behind => format!(
                    "the last line of {EVENTS} is cut off ({left} bytes): the program was stopped while writing it, so it was never \
                     accepted; the next program that writes to the match sets it aside"
                ),
                // The sums of a line take their name when it is on the disk: these are of more than there is.
                SumsState::Other => format!(
                    "the end of {EVENTS} is cut off in the middle of a line ({left} bytes of it are left). {SUMS} was written for a \
                     longer log, so what is cut off had been accepted, and no score has it. {}",
                    self.cut_off_words()
                ),
                SumsState::Missing => format!(
                    "the end of {EVENTS} is cut off in the middle of a line ({left} bytes of it are left); without {SUMS} it cannot be \
                     told whether that had been accepted. {}",
                    self.cut_off_words()
                ),
            });
        }
        if self.sums == SumsState::Behind {
            notes.push(format!(
                "{SUMS} lacks the last line of {EVENTS}: the program was stopped in between; the next program that writes to the match mends it"
            ));
        }
        notes
    }

    /// How much of the evidence of the turns that count is gone from the folder, in a sentence; `None` when all of it is there.
    /// Whether the files are as they were written only verification tells.
    pub fn gone(&self) -> Option<String> {
        let there = |file: &FileSum| self.resolve(&file.path).is_some_and(|path| path.is_file());
        let recorded: Vec<&FileSum> =
            self.game.table().turns.values().filter_map(|turn| self.turn_files(turn)).flat_map(|of| of.files).collect();
        let gone: Vec<&FileSum> = recorded.iter().copied().filter(|file| !there(file)).collect();
        let first = gone.first()?;
        Some(format!(
            "{} of the {} recorded pictures and readings are not in the match folder any more (the first: {}). The scores stand, but \
             nothing is left to settle a dispute with; put them back from a copy",
            gone.len(),
            recorded.len(),
            first.path
        ))
    }

    /// Why the match may lack something that was accepted, or hold what was not, in a sentence; `None` when the log and its
    /// sums fit one another.
    pub fn doubt(&self) -> Option<String> {
        match self.sums {
            SumsState::Current | SumsState::Behind => None,
            SumsState::Missing => Some(format!("{SUMS} is missing: nothing vouches for the log; put it back from a copy")),
            SumsState::Other => Some(format!(
                "{EVENTS} and {SUMS} do not fit one another: lines were taken off the end of the log, or one of the two was altered. \
                 What was accepted last may be missing; put back both from a copy"
            )),
        }
    }

    /// What the line that is cut off told, as far as it can be made out.
    fn cut_off_words(&self) -> String {
        const EVENT: &[u8] = b"\"event\":{";
        let text = &self.log.cut_off;
        let start = text.windows(EVENT.len()).position(|part| part == EVENT).map(|at| at + EVENT.len() - 1);
        let event = start.and_then(|start| serde_json::Deserializer::from_slice(&text[start..]).into_iter::<Event>().next());
        match event {
            Some(Ok(event)) => format!("What is left of it tells: {}", event_words(&event, self.game.setup())),
            _ => "What it told cannot be made out any more".to_owned(),
        }
    }

    pub(super) fn accept(&mut self, line: Line, sum: String, length: usize) -> Result<(), RecordError> {
        if let Entry::Event { event, .. } = &line.entry {
            self.game.apply(event.clone())?;
            self.event_lines.push(self.log.lines.len());
        }
        self.log.lines.push(line);
        self.log.last_sum = sum;
        self.log.complete_bytes += length;
        self.log.cut_off.clear();
        Ok(())
    }

    pub(super) fn set_sums(&mut self, sums: SumsState) {
        self.sums = sums;
    }
}

fn setup_of(line: &Line) -> Option<&Setup> {
    match &line.entry {
        Entry::Created { setup, .. } => Some(setup),
        _ => None,
    }
}

fn refuse(path: &Path, fault: &Fault) -> RecordError {
    match fault.newer_format {
        Some(format) => RecordError::NewerFormat { path: path.to_owned(), format },
        None => RecordError::Altered { path: path.to_owned(), line: fault.line, what: fault.what.clone() },
    }
}

fn sums_state(sums: &Option<Vec<u8>>, log: &Log, log_bytes: &[u8]) -> SumsState {
    let Some(sums) = sums else { return SumsState::Missing };
    if sums_text(log.files(), log_bytes).as_bytes() == sums {
        return SumsState::Current;
    }
    let Some((last, earlier)) = log.lines.split_last() else { return SumsState::Other };
    let before_last = log_bytes[..log_bytes.len().saturating_sub(1)].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    let files = earlier.iter().flat_map(|line| line.entry.files());
    // Behind only by a line of its own making: a created match has its sums with it.
    if last.seq > 1 && sums_text(files, &log_bytes[..before_last]).as_bytes() == sums {
        SumsState::Behind
    } else {
        SumsState::Other
    }
}
