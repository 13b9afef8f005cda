//! Verification: checks the sums of a record, reads its saved pictures again, and says for each turn whether it holds.
//!
//! ```text
//! record ──► integrity (which files are not as written)  ┐
//!        ──► read again ──► compare with what counts     ┴──► Verification ──► exit code
//! ```

mod claim;
mod compare;
mod integrity;
mod place;
mod target;
mod what_if;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{
    matchplay::{Round, Turn},
    reading::{Reading, Status},
    record::{FileSum, PROGRAM, Reader, Record, RecordError, Shot, TurnRecord, built_rows, read_file, sha256},
    rules,
};

pub use claim::{Claim, ClaimCheck, check_claim};
pub use compare::{PieceChange, compare};
pub use integrity::{AlteredFile, check as check_integrity, check_file, unknown_files};
pub use target::{Scope, Target, TargetError, find as find_target};
pub use what_if::what_if;

/// How a turn stands after its pictures were read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The pictures give the rows that count.
    Agrees,
    /// The pictures give the rows that were read then, or those of the correction; a person's correction is what counts.
    AgreesAfterCorrection,
    /// The pictures can no longer, or still not, be read.
    CannotRead,
    /// The pictures give other rows than those that count.
    Differs,
    /// The evidence is not what was recorded, or not there.
    Altered,
}

impl Verdict {
    /// The words for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::AgreesAfterCorrection => "agrees after correction",
            Self::CannotRead => "cannot read",
            Self::Differs => "differs",
            Self::Altered => "altered",
        }
    }
}

/// What one player's pyramid in a picture was, is, and counts as.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerVerdict {
    /// Who.
    pub player: String,
    /// Rows as read when the turn was accepted.
    pub read_then: Vec<usize>,
    /// Rows that count, after corrections.
    pub counts: Vec<usize>,
    /// Rows as read now; `None` when the picture cannot be read, or was not.
    pub read_now: Option<Vec<usize>>,
    /// How it stands.
    pub verdict: Verdict,
}

/// How one accepted turn stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnVerdict {
    /// The round.
    pub round: Round,
    /// Where its evidence lies, from the match folder.
    pub folder: String,
    /// The worst of its players' verdicts.
    pub verdict: Verdict,
    /// Each player in the picture.
    pub players: Vec<PlayerVerdict>,
    /// What is to be said about it, in sentences.
    pub details: Vec<String>,
    /// What its views disagreed about when it was accepted, in words.
    pub disagreement: Option<String>,
    /// What changed in the picture that was gone by, piece by piece.
    pub pieces: Vec<PieceChange>,
}

/// How a record, or a part of it, stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verification {
    /// Turns in force that have pictures, in order.
    pub turns: Vec<TurnVerdict>,
    /// Files that are not what was recorded.
    pub altered: Vec<AlteredFile>,
    /// What a person should know besides, in sentences.
    pub notes: Vec<String>,
    /// How many files had their sums checked.
    pub files_checked: usize,
}

impl Verification {
    /// 0 all agree, 1 something differs or cannot be read, 2 evidence is missing or altered.
    pub fn exit_code(&self) -> u8 {
        if !self.altered.is_empty() {
            return 2;
        }
        self.turns
            .iter()
            .map(|turn| match turn.verdict {
                Verdict::Agrees | Verdict::AgreesAfterCorrection => 0,
                Verdict::CannotRead | Verdict::Differs => 1,
                Verdict::Altered => 2,
            })
            .max()
            .unwrap_or(0)
    }

    /// The verdict on the turn whose evidence lies in `folder`.
    pub fn of_folder(&self, folder: &str) -> Option<&TurnVerdict> {
        self.turns.iter().find(|t| t.folder == folder)
    }
}

/// Verifies what of `record` is in `scope`, reading pictures with `reader`.
pub fn verify(record: &Record, scope: &Scope, reader: &dyn Reader) -> Verification {
    let (altered, files_checked) = check_integrity(record, scope);
    let mut result = Verification { altered, files_checked, notes: record.notes(), ..Verification::default() };
    let bad: BTreeSet<&str> = result.altered.iter().map(|a| a.path.as_str()).collect();
    let mut done = BTreeSet::new();
    let mut notes = BTreeSet::new();
    for turn in record.game().table().turns.values() {
        let Some(files) = record.turn_files(turn) else { continue };
        let Some(folder) = files.folder.filter(|folder| scope.holds_folder(folder)) else { continue };
        // A picture of several players is read once.
        if !done.insert(turn.event) {
            continue;
        }
        let players = players_of(record, turn);
        let broken: Vec<String> = files
            .files
            .iter()
            .filter(|f| bad.contains(f.path.as_str()))
            .map(|f| format!("{} is not as recorded", f.path))
            .collect();
        let broken = match files.line.sealed {
            true => broken,
            false => vec![format!("line {} of the log, which tells of this turn, was altered", files.line.seq)],
        };
        let mut verdict = TurnVerdict {
            round: turn.round,
            folder: folder.to_owned(),
            verdict: Verdict::Altered,
            players: players.iter().map(|p| p.as_recorded(Verdict::Altered)).collect(),
            details: broken,
            disagreement: None,
            pieces: Vec::new(),
        };
        match record.turn_record(turn) {
            // What was altered is not looked into: whatever it showed would prove nothing.
            _ if !verdict.details.is_empty() => {}
            Ok(Some(saved)) => {
                notes.extend(differing_circumstances(&saved, reader));
                verdict.disagreement = saved.disagreement.as_ref().map(|text| format!("when it was accepted, {text}"));
                read_again(record, &saved, folder, files.files, &players, reader, &mut verdict);
            }
            Ok(None) => continue,
            Err(error) => verdict.details.push(error.to_string()),
        }
        result.turns.push(verdict);
    }
    result.notes.extend(notes);
    // Of altered evidence nothing is said but that.
    if result.altered.is_empty() {
        result.notes.extend(repeated_scenes(record, scope, reader));
    }
    if scope.photo.is_none() {
        result.notes.extend(taken_back(record, scope));
    }
    result.notes.extend(unknown_files(record, scope));
    result
}

/// A sentence for each photo in `scope` that shows the scene of an earlier one.
fn repeated_scenes(record: &Record, scope: &Scope, reader: &dyn Reader) -> Vec<String> {
    let shots = Shot::all(record);
    let shared = record.game().setup().shared_playmat;
    let repeats = shots.iter().enumerate().filter(|(_, shot)| scope.holds_file(&shot.photo)).filter_map(|(index, shot)| {
        // Several views of one turn, and photos of all players together, may well look alike.
        let mut others = shots[..index].iter().filter(|b| b.event != shot.event && !(shared && b.round == shot.round));
        let before = others.find(|before| before.scene.is_same(&shot.scene, reader))?;
        Some(format!(
            "{} shows the same scene as {}: a copy of it, or another picture of the same pyramid",
            shot.photo, before.photo
        ))
    });
    repeats.collect()
}

/// A sentence for each folder of evidence in a scope given by its folder whose turn is no longer in force.
pub fn taken_back(record: &Record, scope: &Scope) -> Vec<String> {
    if scope.folder.is_none() {
        return Vec::new();
    }
    let folder_of = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let mut folders: BTreeSet<String> =
        record.log().files().filter(|f| scope.holds_file(&f.path)).filter_map(|f| folder_of(&f.path)).collect();
    for turn in record.game().table().turns.values() {
        if let Some(folder) = record.turn_files(turn).and_then(|files| files.folder) {
            folders.remove(folder);
        }
    }
    folders.iter().map(|folder| format!("{folder} belongs to a turn that was taken back: it counts for nothing")).collect()
}

/// A turn of one of the players in a picture, as it stands on record.
struct PlayerTurn<'a> {
    name: &'a str,
    turn: &'a Turn,
}

impl PlayerTurn<'_> {
    fn as_recorded(&self, verdict: Verdict) -> PlayerVerdict {
        PlayerVerdict {
            player: self.name.to_owned(),
            read_then: self.turn.read_rows.clone(),
            counts: self.turn.rows().to_vec(),
            read_now: None,
            verdict,
        }
    }
}

/// The turns that came with the same event as `turn`.
fn players_of<'a>(record: &'a Record, turn: &Turn) -> Vec<PlayerTurn<'a>> {
    let game = record.game();
    let together = game.table().turns.values().filter(|t| t.event == turn.event && t.round == turn.round);
    together.filter_map(|turn| Some(PlayerTurn { name: &game.setup().players.get(turn.player)?.name, turn })).collect()
}

/// In what the program that reads now differs from the one that read then, in sentences.
fn differing_circumstances(saved: &TurnRecord, reader: &dyn Reader) -> Vec<String> {
    let mut notes = Vec::new();
    if saved.program != PROGRAM {
        notes.push(format!("recorded by {}, read again by {PROGRAM}", saved.program));
    }
    if saved.model_sha256 != reader.model_sha256() {
        notes.push("the model that reads now is another than the one of the record".to_owned());
    }
    notes
}

fn read_again(
    record: &Record,
    saved: &TurnRecord,
    folder: &str,
    files: &[FileSum],
    players: &[PlayerTurn],
    reader: &dyn Reader,
    verdict: &mut TurnVerdict,
) {
    let setup = record.game().setup();
    // With the record's tunables where the program still knows them: a difference should come from the picture.
    let as_then = reader.with_params(&saved.params).map_err(|why| {
        verdict.details.push(format!("read with the tunables of today, those of the record are of no use: {why}"));
    });
    let reader = as_then.as_deref().unwrap_or(reader);
    let mut fresh = Vec::new();
    for view in &saved.views {
        let path = record.resolve(&format!("{folder}/{}", view.photo));
        let bytes = path.and_then(|path| read_file(&path).ok());
        // The sums of the log were checked before; this ties the reading to the photo it belongs to.
        let listed = files.iter().any(|f| f.sha256 == view.sha256);
        match bytes.filter(|bytes| listed && sha256(bytes) == view.sha256) {
            Some(bytes) => fresh.push(reader.read(&view.reading.photo, &bytes, &setup.colours())),
            None => {
                verdict.details.push(format!("{folder}/{} is not the photo that reading.json tells of", view.photo));
                return;
            }
        }
    }
    let (Some(then), Some(now)) = (saved.used_view(), fresh.get(saved.used)) else {
        verdict.details.push(format!("{folder}/reading.json names no view that was gone by"));
        return;
    };
    verdict.players = players.iter().map(|p| judge(p, built_rows(now, setup, p.name), now, &mut verdict.details)).collect();
    verdict.verdict = verdict.players.iter().map(|p| p.verdict).max().unwrap_or(Verdict::Altered);
    verdict.pieces = compare(&then.reading, now);
    for (index, (view, now)) in saved.views.iter().zip(&fresh).enumerate() {
        if index != saved.used && view.reading.score != now.score {
            verdict.details.push(format!(
                "view {} of {}, which was not gone by, reads otherwise than then",
                index + 1,
                fresh.len()
            ));
        }
    }
    if now.status == Status::Unsure && then.reading.status != Status::Unsure {
        let why = now.reason.as_deref().unwrap_or("no reason given");
        verdict.details.push(format!("the reading is unsure now: {why}"));
    }
}

/// How the rows read now stand to those of the record.
fn judge(player: &PlayerTurn, now: Option<Vec<usize>>, reading: &Reading, details: &mut Vec<String>) -> PlayerVerdict {
    let (name, turn) = (player.name, player.turn);
    let (then, counts) = (&turn.read_rows, turn.rows());
    let show = rules::show_score;
    let verdict = match (&now, turn.corrections.last()) {
        (None, correction) => {
            let why = reading.reason.as_deref().unwrap_or("no reason given");
            let by_hand = correction.map_or(String::new(), |_| format!("; by hand it counts as {}", show(counts)));
            details.push(format!("{name}: the picture cannot be read: {why}{by_hand}"));
            Verdict::CannotRead
        }
        (Some(now), None) if now == counts => Verdict::Agrees,
        (Some(now), Some(correction)) if now == then || now == counts => {
            let what = if now == counts {
                "corrected to what it now reads as".to_owned()
            } else {
                format!("reads as {} as it did then", show(now))
            };
            details.push(format!("{name}: {what}; counts as {} because \"{}\"", show(counts), correction.reason));
            Verdict::AgreesAfterCorrection
        }
        (Some(now), _) => {
            let gap = i64::from(rules::points(now)) - i64::from(rules::points(counts));
            details.push(format!(
                "{name}: counts as {}, reads as {}: {gap:+} points; {}",
                show(counts),
                show(now),
                rows_apart(counts, now)
            ));
            Verdict::Differs
        }
    };
    PlayerVerdict { read_now: now, ..player.as_recorded(verdict) }
}

/// Which rows differ, in words: "row 2 has 3 meeples instead of 4".
fn rows_apart(counts: &[usize], now: &[usize]) -> String {
    let row = |rows: &[usize], index: usize| rows.get(index).copied().unwrap_or(0);
    (0..counts.len().max(now.len()))
        .filter(|&i| row(counts, i) != row(now, i))
        .map(|i| format!("row {} has {} instead of {}", i + 1, row(now, i), row(counts, i)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Why a whole record could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// What to verify was not found.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The record cannot be opened at all.
    #[error(transparent)]
    Record(#[from] RecordError),
}
