//! Reports of a match: one serialisable [`Report`], which the JSON, CSV, Markdown and HTML exports read.

mod csv;
mod cutout;
mod evidence;
mod html;
mod markdown;
mod photo;
mod style;

use serde::Serialize;

use crate::{
    matchplay::{Correction, Event, Phase, Round, Setup, Standings, Turn, words},
    reading::{Reading, Status},
    record::{Entry, FileSum, PROGRAM, Record},
    rules,
    verify::{AlteredFile, TurnVerdict, Verification, what_if},
};

pub use self::csv::csv;
pub use html::html;
pub use markdown::{markdown, scoreboard};
pub use photo::{PhotoReport, photo_html};
pub use words::{demand_words, event_words, variant_words};

/// One player's turn, for people to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnReport {
    /// The round.
    pub round: Round,
    /// Who.
    pub player: String,
    /// Rows as read, row 1 first.
    pub rows_read: Vec<usize>,
    /// Points of those.
    pub points_read: u32,
    /// Rows after corrections.
    pub rows: Vec<usize>,
    /// Points that score: 0 when a late picture does not.
    pub points: u32,
    /// Whether the picture was taken after time, by the last word on it.
    pub late: bool,
    /// Whether nothing was built and there is no picture.
    pub missed: bool,
    /// Variant 2: whether the round's pyramid was built in time.
    pub passed: Option<bool>,
    /// Corrections, in order.
    pub corrections: Vec<Correction>,
    /// When it was accepted, RFC 3339 in UTC.
    pub at: String,
    /// Where the evidence lies, from the match folder.
    pub folder: Option<String>,
    /// The evidence.
    pub files: Vec<FileSum>,
    /// How far the reading is to be trusted; `None` without a reading.
    pub status: Option<Status>,
    /// Why it is not simply read.
    pub reason: Option<String>,
    /// What the views disagree about.
    pub disagreement: Option<String>,
    /// The reading that was gone by.
    pub reading: Option<Reading>,
    /// File name of the photo that was gone by, in the folder.
    pub photo: Option<String>,
    /// What would change the score, in sentences.
    pub what_if: Vec<String>,
    /// How it stands after verification; `None` when that was not done.
    pub verdict: Option<TurnVerdict>,
    /// Why `reading.json` could not be used, if it could not.
    pub evidence_problem: Option<String>,
}

/// A line of the match's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryLine {
    /// Number of the line in the log.
    pub seq: u64,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// What happened, in words.
    pub what: String,
    /// Whether it was taken back later.
    pub undone: bool,
}

/// How the evidence was found, when the match was verified.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// Files that are not as recorded.
    pub altered: Vec<AlteredFile>,
    /// What a person should know besides.
    pub notes: Vec<String>,
    /// How many files were checked.
    pub files_checked: usize,
    /// 0 all agree, 1 something differs, 2 evidence missing or altered.
    pub exit_code: u8,
}

/// Everything there is to say of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the record's layout.
    pub format: u32,
    /// Program that made the report.
    pub program: String,
    /// When it was made, RFC 3339 in UTC.
    pub made_at: String,
    /// What was agreed.
    pub setup: Setup,
    /// The scoreboard.
    pub standings: Standings,
    /// Every turn in force, by round and then player.
    pub turns: Vec<TurnReport>,
    /// Everything that happened, oldest first.
    pub history: Vec<HistoryLine>,
    /// What a person should know of the state of the record.
    pub notes: Vec<String>,
    /// The seal of the log's last line: who has it written down can tell a log that was made anew.
    pub last_sum: String,
    /// How the evidence was found; `None` when the match was not verified.
    pub verified: Option<Verified>,
}

impl Report {
    /// The report of `record`, with what `verification` found. `made_at` is the time, RFC 3339 in UTC.
    pub fn of(record: &Record, verification: Option<&Verification>, made_at: &str) -> Self {
        let game = record.game();
        let turns = game.table().turns.values().map(|turn| turn_report(record, turn, verification)).collect();
        Self {
            format: crate::record::FORMAT,
            program: PROGRAM.to_owned(),
            made_at: made_at.to_owned(),
            setup: game.setup().clone(),
            standings: game.standings(),
            turns,
            history: history(record),
            notes: record.notes().into_iter().chain(record.doubt()).collect(),
            last_sum: record.log().last_sum.clone(),
            verified: verification.map(|v| Verified {
                altered: v.altered.clone(),
                notes: v.notes.clone(),
                files_checked: v.files_checked,
                exit_code: v.exit_code(),
            }),
        }
    }

    /// The rounds that have turns, in order, each with its turns.
    pub fn rounds(&self) -> Vec<(Round, Vec<&TurnReport>)> {
        let mut rounds: Vec<(Round, Vec<&TurnReport>)> = Vec::new();
        for turn in &self.turns {
            match rounds.last_mut() {
                Some((round, turns)) if *round == turn.round => turns.push(turn),
                _ => rounds.push((turn.round, vec![turn])),
            }
        }
        rounds
    }

    /// The turn of `player` in `round`.
    pub fn turn(&self, round: Round, player: &str) -> Option<&TurnReport> {
        self.turns.iter().find(|t| t.round == round && t.player == player)
    }
}

fn turn_report(record: &Record, turn: &Turn, verification: Option<&Verification>) -> TurnReport {
    let setup = record.game().setup();
    let files = record.turn_files(turn);
    let folder = files.as_ref().and_then(|f| f.folder).map(str::to_owned);
    let (saved, evidence_problem) = match record.turn_record(turn) {
        Ok(saved) => (saved, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let view = saved.as_ref().and_then(|s| s.used_view());
    let reading = view.map(|v| v.reading.clone());
    TurnReport {
        round: turn.round,
        player: setup.players.get(turn.player).map_or_else(String::new, |p| p.name.clone()),
        rows_read: turn.read_rows.clone(),
        points_read: rules::points(&turn.read_rows),
        rows: turn.rows().to_vec(),
        points: turn.points(&setup.options),
        late: turn.late(),
        missed: turn.missed,
        passed: (setup.variant == crate::matchplay::Variant::Higher).then(|| turn.passes(&setup.options)),
        corrections: turn.corrections.clone(),
        at: files.as_ref().map_or_else(String::new, |f| f.line.at.clone()),
        files: files.as_ref().map_or_else(Vec::new, |f| f.files.to_vec()),
        status: reading.as_ref().map(|r| r.status),
        reason: reading.as_ref().and_then(|r| r.reason.clone()),
        disagreement: saved.as_ref().and_then(|s| s.disagreement.clone()),
        photo: view.map(|v| v.photo.clone()),
        what_if: what_if(turn, reading.as_ref(), setup),
        verdict: folder.as_deref().and_then(|f| verification?.of_folder(f)).cloned(),
        folder,
        reading,
        evidence_problem,
    }
}

fn history(record: &Record) -> Vec<HistoryLine> {
    let game = record.game();
    record
        .log()
        .lines
        .iter()
        .enumerate()
        .map(|(index, line)| {
            let (what, undone) = match &line.entry {
                Entry::Created { setup, .. } => (format!("Match begun: {}", variant_words(setup)), false),
                Entry::Event { event: told, .. } => {
                    let event = record.event_of_line(index);
                    let undone = *told != Event::Undone && !event.is_some_and(|e| game.in_force().contains(&e));
                    (event_words(told, game.setup()), undone)
                }
                Entry::SetAside { what, .. } => (format!("Put in order: {what}"), false),
            };
            HistoryLine { seq: line.seq, at: line.at.clone(), what, undone }
        })
        .collect()
}

/// Whether the match is over.
pub fn is_finished(record: &Record) -> bool {
    matches!(record.game().table().phase, Phase::Finished { .. })
}
