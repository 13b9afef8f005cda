//! `pyrameeple verify`: checks the sums of saved pictures, reads them again, and tests claims.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueHint};
use serde_json::json;

use super::{
    args::parse_whole,
    matches::{Rows, exit_code, now, parse_rows, picture_of, write_file},
    target::is_stdout,
};
use crate::{
    capture::{self, CaptureParams},
    matchplay::Setup,
    reading::{Reading, Status},
    record::{EVENTS, Reader, Record, RecordError, built_rows, read_file, sha256},
    report::{self, Report},
    rules::{points, show_points, show_rows, show_score},
    verify::{self, Claim, ClaimCheck, Scope, Target, TurnVerdict, Verdict, Verification, check_claim},
};

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
PATH is a match, the folder of a round or a turn in it, or one of its photos. A claim can also be tested, and a page \
written, on any other photo. As FILE, `-` is standard output: the page takes the place of the text.

Exit code: 0 all agree, or the claim holds; 1 something differs, cannot be read or does not hold; 2 evidence is missing or \
altered, or wrong usage.

Examples:
  pyrameeple verify friday                                       the whole match
  pyrameeple verify friday/rounds/02                             one round
  pyrameeple verify friday --report friday.html                  a page with every picture and piece
  pyrameeple verify friday/rounds/02/1-anna --against 5,4,2,1    a claim about one turn
  pyrameeple verify table.jpg --points 23")]
pub struct VerifyArgs {
    /// A match, a round, a turn, or a saved photo
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Test the claim that these rows stand in the picture, the lowest first
    #[arg(long, value_name = "ROWS", value_parser = parse_rows, conflicts_with = "points")]
    pub against: Option<Rows>,
    /// Test the claim that the picture is worth this many points
    #[arg(long, value_name = "N", value_parser = parse_whole, allow_negative_numbers = true)]
    pub points: Option<u32>,
    /// Whose claim it is, where a picture shows several players' pyramids
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// Print JSON Lines: one per turn, per altered file and per claim, then a summary
    #[arg(long)]
    pub json: bool,
    /// Also write one self-contained page with everything to FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Read with the tunables in a TOML file instead of those on record
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub params: Option<PathBuf>,
}

/// Runs `verify` with the program's own reader, on its standard output.
pub fn main(args: &VerifyArgs) -> ExitCode {
    let (out, err) = (&mut io::stdout().lock(), &mut io::stderr().lock());
    ExitCode::from(match super::reader::PipelineReader::with_file(args.params.as_deref()) {
        Ok(reader) => run(args, &reader, out, err),
        Err(error) => exit_code(Err(error), err),
    })
}

/// Runs `verify`; returns the exit code.
pub fn run(args: &VerifyArgs, reader: &dyn Reader, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let result = execute(args, reader, out, err);
    exit_code(result, err)
}

fn execute(args: &VerifyArgs, reader: &dyn Reader, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let rows = args.against.as_ref().map(|r| Claim::Rows(r.0.clone()));
    let claim = rows.or_else(|| args.points.map(Claim::Points));
    // A page on standard output takes the place of the text.
    let page_out = args.report.as_deref().is_some_and(is_stdout);
    if page_out && args.json {
        bail!("standard output takes the page or JSON Lines: give --report a file, or leave out --json");
    }
    match (verify::find_target(&args.path)?, claim) {
        (Target::Picture(path), None) if args.report.is_none() => bail!(
            "{} belongs to no match, so there is nothing to compare it with: give the photo inside a match folder, a claim \
             with --against or --points, or a page to write with --report (`pyrameeple score` reads a photo)",
            path.display()
        ),
        (Target::Picture(path), claim) => photo_alone(args, &path, claim.as_ref(), reader, out, err),
        (Target::Record { dir, scope }, claim) => {
            let record = match Record::load(&dir) {
                Ok(record) => record,
                // A log that tells nothing any more is evidence gone, and said like every other altered file.
                Err(error @ RecordError::Altered { .. }) => return say_hopeless(&error, args.json, out),
                Err(error) => return Err(error.into()),
            };
            let mut verification = verify::verify(&record, &scope, reader);
            if let Some(path) = &args.params {
                verification.notes.push(format!("read with the tunables in {}, not with those on record", path.display()));
            }
            if let Some(photo) = &scope.photo {
                check_named_file(&record, &scope, photo, &mut verification)?;
            }
            if let Some(path) = &args.report {
                let report = Report::of(&record, Some(&verification), &now());
                write_page(path, report::html(&report, &|turn| picture_of(&record, turn, reader)).as_bytes(), out, err)?;
            }
            let out = if page_out { &mut io::sink() } else { out };
            let claimed = claim.map(|claim| test_claim(args, &record, &scope, &claim, reader, out)).transpose()?;
            match claimed {
                // What was claimed is the question then; altered evidence still comes first.
                Some(code) => {
                    say_altered(&verification, args.json, out)?;
                    Ok(if verification.altered.is_empty() { code } else { 2 })
                }
                None => say(&verification, args.json, out),
            }
        }
    }
}

/// A photo that belongs to no match: its claim, its page, or both.
fn photo_alone(
    args: &VerifyArgs,
    path: &Path,
    claim: Option<&Claim>,
    reader: &dyn Reader,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<u8> {
    let bytes = capture::load_bytes(path, &CaptureParams::default())
        .map_err(|error| anyhow!("the photo {}: {error}; {}", path.display(), error.advice()))?;
    let reading = reader.read(&path.display().to_string(), &bytes, &[]);
    let rows = reading.score.as_ref().map(|s| s.rows.clone());
    let check = claim.map(|claim| check_claim(claim, &reading, rows.as_deref()));
    let said = claim.zip(check.as_ref()).map(|(claim, check)| (claim_words(check, claim), check));
    if let Some(file) = &args.report {
        let picture = reader.upright(&bytes);
        let page = report::photo_html(&report::PhotoReport {
            reading: &reading,
            picture: picture.as_ref().map_err(String::as_str),
            sha256: &sha256(&bytes),
            claim: said.as_ref().map(|(sentence, check)| (sentence.as_str(), check.holds, check.needs.as_slice())),
            made_at: &now(),
        });
        write_page(file, page.as_bytes(), out, err)?;
    }
    let out = if args.report.as_deref().is_some_and(is_stdout) { &mut io::sink() } else { out };
    match claim.zip(check) {
        Some((claim, check)) => say_claim(&check, claim, args.json, out),
        None => {
            match (args.json, rows) {
                (true, _) => writeln!(out, "{}", json!({ "type": "photo", "reading": reading }))?,
                (false, Some(rows)) => writeln!(out, "{}: {}, {}", path.display(), reading.status.name(), show_score(&rows))?,
                (false, None) => writeln!(out, "{}: {}", path.display(), reading.status.name())?,
            }
            Ok(u8::from(reading.status != Status::Read))
        }
    }
}

/// Writes the page that was asked for into the file at `path`, or on standard output.
fn write_page(path: &Path, page: &[u8], out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    if is_stdout(path) {
        return Ok(out.write_all(page)?);
    }
    write_file(path, page)?;
    let _ = writeln!(err, "Written: {}", path.display());
    Ok(())
}

/// A file given by name must be one of the record's.
fn check_named_file(record: &Record, scope: &Scope, file: &str, verification: &mut Verification) -> anyhow::Result<()> {
    let path = format!("{}/{file}", scope.folder.as_deref().unwrap_or_default());
    if !record.log().files().any(|f| f.path == path) {
        bail!("{path} lies in the match folder but is not part of the record: the log knows nothing of it");
    }
    if verification.turns.is_empty() && verification.altered.is_empty() {
        verification.notes.push(format!("{path} is as recorded, but belongs to a turn that was taken back"));
    }
    Ok(())
}

/// Tests a claim against the one turn in scope, or the one of the player named.
fn test_claim(
    args: &VerifyArgs,
    record: &Record,
    scope: &Scope,
    claim: &Claim,
    reader: &dyn Reader,
    out: &mut dyn Write,
) -> anyhow::Result<u8> {
    let game = record.game();
    let setup: &Setup = game.setup();
    let wanted = match &args.player {
        Some(name) => Some(setup.player(name).with_context(|| format!("nobody called {name} plays in this match"))?),
        None => None,
    };
    let in_scope = |folder: &str| scope.holds_folder(folder);
    let turns: Vec<_> = game
        .table()
        .turns
        .values()
        .filter(|t| wanted.is_none_or(|p| t.player == p))
        .filter(|t| record.turn_files(t).and_then(|f| f.folder).is_some_and(in_scope))
        .collect();
    let [turn] = turns[..] else {
        if let Some(note) = verify::taken_back(record, scope).first().filter(|_| turns.is_empty()) {
            bail!("{note}, so no claim about it can be tested; `pyrameeple score` reads its photo");
        }
        bail!(
            "a claim is about one result, and {} are in {}: give the folder of one turn, and --player where several share a picture",
            turns.len(),
            args.path.display()
        );
    };
    let saved = record.turn_record(turn)?.context("the turn has no picture")?;
    let named = scope.photo.as_ref().and_then(|photo| saved.views.iter().find(|v| v.photo == *photo));
    let view = named.or(saved.used_view()).context("reading.json names no view")?;
    let folder = record.turn_files(turn).and_then(|f| f.folder).unwrap_or_default();
    let path = record.resolve(&format!("{folder}/{}", view.photo)).context("the photo's path leads out of the match folder")?;
    let bytes = read_file(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let as_then = reader.with_params(&saved.params).ok();
    let reading: Reading = as_then.as_deref().unwrap_or(reader).read(&view.reading.photo, &bytes, &setup.colours());
    let rows = built_rows(&reading, setup, &setup.players[turn.player].name);
    let check = check_claim(claim, &reading, rows.as_deref());
    if let (Some(correction), false) = (turn.corrections.last(), args.json) {
        writeln!(out, "On record it counts as {} by a correction: {}", show_rows(turn.rows()), correction.reason)?;
    }
    say_claim(&check, claim, args.json, out)
}

fn say_claim(check: &ClaimCheck, claim: &Claim, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    if json {
        writeln!(out, "{}", json!({ "type": "claim", "claim": check }))?;
    } else {
        writeln!(out, "{}", claim_words(check, claim))?;
        for need in &check.needs {
            writeln!(out, "  {need}")?;
        }
    }
    Ok(if check.holds == Some(true) { 0 } else { 1 })
}

/// What became of `claim`, in a sentence.
fn claim_words(check: &ClaimCheck, claim: &Claim) -> String {
    let claimed = match claim {
        Claim::Rows(rows) => show_score(rows),
        Claim::Points(points) => show_points(*points),
    };
    match check.holds {
        Some(true) => format!("The claim of {claimed} holds."),
        Some(false) => format!("The claim of {claimed} does not hold: the picture reads as {}.", show_score(&check.read)),
        None => format!("The claim of {claimed} cannot be tested."),
    }
}

fn say_altered(verification: &Verification, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for file in &verification.altered {
        match file.missing {
            _ if json => writeln!(out, "{}", json!({ "type": "file", "file": file }))?,
            true => writeln!(out, "missing: {}", file.path)?,
            false => writeln!(out, "altered: {}: {}", file.path, file.what)?,
        }
    }
    Ok(())
}

fn say(verification: &Verification, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let code = verification.exit_code();
    for turn in &verification.turns {
        if json {
            writeln!(out, "{}", json!({ "type": "turn", "turn": turn }))?;
        } else {
            write!(out, "{}", turn_text(turn))?;
        }
    }
    say_altered(verification, json, out)?;
    if json {
        let summary = json!({ "type": "summary", "exit_code": code, "turns": verification.turns.len(), "files_checked": verification.files_checked,
            "altered": verification.altered.len(), "notes": verification.notes });
        writeln!(out, "{summary}")?;
        return Ok(code);
    }
    for note in &verification.notes {
        writeln!(out, "note: {note}")?;
    }
    let of = |verdict: Verdict| verification.turns.iter().filter(|t| t.verdict == verdict).count();
    let all = [Verdict::Agrees, Verdict::AgreesAfterCorrection, Verdict::Differs, Verdict::Altered, Verdict::CannotRead];
    let counts: Vec<String> = all.iter().filter(|v| of(**v) > 0).map(|v| format!("{}: {}", v.name(), of(*v))).collect();
    let pictures = if counts.is_empty() { "no pictures".to_owned() } else { counts.join(", ") };
    let files = match verification.altered.len() {
        0 => "all as recorded".to_owned(),
        n => format!("{n} altered or missing"),
    };
    writeln!(out, "{pictures}; {} files checked, {files}.", verification.files_checked)?;
    Ok(code)
}

/// One turn, a line for each player and one for each thing to say.
fn turn_text(turn: &TurnVerdict) -> String {
    let mut text = String::new();
    for player in &turn.players {
        text.push_str(&format!(
            "{}: {}: {}, {}\n",
            turn.folder,
            player.player,
            player.verdict.name(),
            show_points(points(&player.counts))
        ));
    }
    for detail in turn.details.iter().chain(&turn.disagreement) {
        text.push_str(&format!("  {detail}\n"));
    }
    for change in &turn.pieces {
        let gap = if change.points == 0 { String::new() } else { format!(" ({:+} points)", change.points) };
        text.push_str(&format!("  {}{gap}\n", change.what));
    }
    text
}

fn say_hopeless(error: &RecordError, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let what = match error {
        RecordError::Altered { line, what, .. } => format!("line {line}: {what}. It tells of no match any more"),
        error => error.to_string(),
    };
    if json {
        let file = json!({ "path": EVENTS, "what": what, "missing": false });
        writeln!(out, "{}", json!({ "type": "file", "file": file }))?;
        writeln!(
            out,
            "{}",
            json!({ "type": "summary", "exit_code": 2, "turns": 0, "files_checked": 1, "altered": 1, "notes": [] })
        )?;
    } else {
        writeln!(out, "altered: {EVENTS}: {what}")?;
    }
    Ok(2)
}
