//! `pyrameeple match`: makes, plays, corrects and exports matches.

mod add;
mod args;

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, anyhow};

pub use args::{
    AddArgs, CorrectArgs, DestroyedArgs, DirArgs, ExportArgs, ForfeitArgs, Format, MatchArgs, MatchCommand, NewArgs, Rows,
    ShowArgs, parse_rows,
};

use super::target::is_stdout;
use crate::{
    matchplay::{AllFail, Event, LateRule, Overhang, Player, Refusal, Round, Setup, TurnOrder},
    players::{self, Players, PlayersError},
    record::{Amendment, Reader, Record, Writer, amend, read_file},
    report::{self, Report, TurnReport},
    rules::{Demand, points, show_points, show_rows},
    trouble::{Doing, cannot},
};

/// Runs `match` with the program's own reader, on its standard output.
pub fn main(args: &MatchArgs) -> ExitCode {
    let params = match &args.command {
        MatchCommand::Add(args) => args.params.as_deref(),
        _ => None,
    };
    let (out, err) = (&mut io::stdout().lock(), &mut io::stderr().lock());
    ExitCode::from(match super::reader::PipelineReader::with_file(params) {
        Ok(reader) => run(args, &reader, out, err),
        Err(error) => exit_code(Err(error), err),
    })
}

/// Runs `match`; returns the exit code: 0 done, 1 done but the reading is in doubt, 2 refused and nothing changed.
pub fn run(args: &MatchArgs, reader: &dyn Reader, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let result = match &args.command {
        MatchCommand::New(args) => new(args, out),
        MatchCommand::Add(args) => add::run(args, reader, out, err),
        MatchCommand::Show(args) => show(args, out, err),
        MatchCommand::Correct(args) => correct(args, out, err),
        MatchCommand::Undo(args) => undo(args, out, err),
        MatchCommand::Forfeit(args) => forfeit(args, out, err),
        MatchCommand::Destroyed(args) => destroyed(args, out, err),
        MatchCommand::Export(args) => export(args, reader, out, err),
    };
    exit_code(result, err)
}

/// The exit code of a command that came out as `result`; an error is told, and is 2.
pub(super) fn exit_code(result: anyhow::Result<u8>, err: &mut dyn Write) -> u8 {
    result.unwrap_or_else(|error| {
        // `pyrameeple … | head` closes the pipe when it has seen enough; that is nobody's mistake.
        if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) {
            return 0;
        }
        let _ = writeln!(err, "pyrameeple: {}", super::told(&error));
        2
    })
}

/// Now, RFC 3339 in UTC, to the millisecond.
pub(super) fn now() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Millisecond).unwrap_or(now).to_string()
}

/// Opens the match in `dir` for writing and says what had to be put in order.
fn open(dir: &Path, err: &mut dyn Write) -> anyhow::Result<Writer> {
    let writer = Writer::open(dir, &now())?;
    say_notes(&writer, 0, err);
    Ok(writer)
}

/// Prints the notes of `writer` from number `from` on.
fn say_notes(writer: &Writer, from: usize, err: &mut dyn Write) {
    for note in writer.notes().iter().skip(from) {
        // A message that nobody can see is no reason to fail.
        let _ = writeln!(err, "note: {note}");
    }
}

/// Accepts an event without pictures, and says how the match stands.
fn accept(writer: &mut Writer, event: Event, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let words = report::event_words(&event, writer.game().setup());
    let told = writer.notes().len();
    writer.accept(event, &now())?;
    say_notes(writer, told, err);
    writeln!(out, "{words}")?;
    say_next(writer, out)
}

/// Says what is to happen next.
fn say_next(writer: &Writer, out: &mut dyn Write) -> anyhow::Result<()> {
    let game = writer.game();
    match (game.outcome(), game.round()) {
        (Some(outcome), _) => writeln!(out, "Finished: {outcome}.")?,
        (None, Some(round)) => {
            let demand = report::demand_words(round, game.setup()).map_or(String::new(), |words| format!(", {words}"));
            writeln!(out, "Next: {} {round}{demand}, waiting for {}.", game.setup().round_word(), game.waiting().join(", "))?
        }
        (None, None) => {}
    }
    Ok(())
}

fn new(args: &NewArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut setup = Setup::new(args.variant.into(), Vec::<String>::new(), args.turns);
    setup.players = args.players.iter().map(|text| player(text)).collect();
    setup.players.extend(args.more_players.iter().map(|name| Player { name: name.clone(), colours: Vec::new() }));
    setup.shared_playmat = args.shared;
    if let Some(seconds) = args.seconds {
        setup.options.seconds = seconds;
    }
    let options = &mut setup.options;
    options.late = if args.late_scores { LateRule::Scored } else { LateRule::NotScored };
    options.overhang = if args.void_overhang { Overhang::VoidPyramid } else { Overhang::RejectMeeple };
    options.demand = if args.at_least { Demand::AtLeast } else { Demand::FullTriangle };
    options.all_fail = if args.play_again { AllFail::PlayAgain } else { AllFail::ShareTheWin };
    if args.any_order {
        options.order = TurnOrder::Any;
    }
    check_colours(&mut setup.players)?;
    let writer = Writer::create(&args.dir, setup, &now())?;
    writeln!(out, "Match begun in {}: {}.", args.dir.display(), report::variant_words(writer.game().setup()))?;
    say_next(&writer, out)?;
    Ok(0)
}

/// Writes colour names as the readings have them; an unknown colour is an error: its meeples would silently score for
/// nobody.
fn check_colours(players: &mut [Player]) -> Result<(), PlayersError> {
    for player in players.iter_mut().filter(|player| !player.colours.is_empty()) {
        let known = players::Player { name: player.name.clone(), colours: player.colours.clone() };
        for known in Players::new(vec![known])?.iter() {
            player.colours.clone_from(&known.colours);
        }
    }
    Ok(())
}

/// A player as typed: a name, perhaps with colours behind an equals sign.
fn player(text: &str) -> Player {
    let (name, colours) = text.split_once('=').map_or((text, None), |(name, colours)| (name, Some(colours)));
    let colours = colours.into_iter().flat_map(|colours| colours.split('+')).map(|c| c.trim().to_lowercase()).collect();
    Player { name: name.trim().to_owned(), colours }
}

fn show(args: &ShowArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let record = read(&args.dir, err)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&record.game().standings())?)?;
    } else {
        write!(out, "{}", report::scoreboard(&Report::of(&record, None, &now())))?;
    }
    Ok(u8::from(record.doubt().is_some()))
}

/// The match in `dir`, to be looked at; says what a person should know of the state it is in.
fn read(dir: &Path, err: &mut dyn Write) -> anyhow::Result<Record> {
    let record = Record::read(dir)?;
    for note in record.notes().into_iter().chain(record.doubt()).chain(record.gone()) {
        // A message that nobody can see is no reason to fail.
        let _ = writeln!(err, "note: {note}");
    }
    Ok(record)
}

fn correct(args: &CorrectArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let mut writer = open(&args.dir, err)?;
    let game = writer.game();
    let setup = game.setup().clone();
    let no_player = || Refusal::NoSuchPlayer { name: args.player.clone(), players: setup.names().collect::<Vec<_>>().join(", ") };
    let player = setup.player(&args.player).ok_or_else(no_player)?;
    let last = game.table().turns.values().rev().find(|t| t.player == player).map(|t| t.round);
    let round = args.round.or(last).unwrap_or(Round::new(1));
    let no_turn = || Refusal::NoSuchTurn { player: setup.players[player].name.clone(), round, word: setup.round_word() };
    let turn = game.table().turn(round, player).ok_or_else(no_turn)?;
    let amendment = Amendment {
        rows: args.rows.as_ref().map(|r| r.0.clone()),
        reject: args.reject.clone(),
        count: args.count.clone(),
        add: args.add.clone(),
        late: (args.late || args.in_time).then_some(args.late),
        reason: args.reason.clone(),
    };
    let saved = writer.record().turn_record(turn)?;
    let correction = amend(turn, saved.as_ref(), &setup, amendment)?;
    let event = Event::Corrected { round, player: setup.players[player].name.clone(), correction };
    accept(&mut writer, event, out, err)?;
    Ok(0)
}

fn undo(args: &DirArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let mut writer = open(&args.dir, err)?;
    let undone = writer.game().last_in_force().map(|event| report::event_words(event, writer.game().setup()));
    let told = writer.notes().len();
    writer.accept(Event::Undone, &now())?;
    say_notes(&writer, told, err);
    writeln!(out, "Taken back: {}", undone.unwrap_or_default())?;
    say_next(&writer, out)?;
    Ok(0)
}

/// The round being played, or the refusal of a finished match.
fn open_round(writer: &Writer) -> Result<Round, Refusal> {
    let finished = || Refusal::Finished { outcome: writer.game().outcome().unwrap_or_default() };
    writer.game().round().ok_or_else(finished)
}

fn forfeit(args: &ForfeitArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let mut writer = open(&args.dir, err)?;
    let player = listed_name(&writer, &args.player);
    let event = Event::Forfeited { round: open_round(&writer)?, player, reason: args.reason.clone() };
    accept(&mut writer, event, out, err)?;
    Ok(0)
}

fn destroyed(args: &DestroyedArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let mut writer = open(&args.dir, err)?;
    let of = args.of.as_ref().map(|of| listed_name(&writer, of));
    let event = Event::Destroyed { round: open_round(&writer)?, by: listed_name(&writer, &args.by), of };
    accept(&mut writer, event, out, err)?;
    Ok(0)
}

/// The name as it stands in the list for one typed alike; as typed when nobody is called so.
fn listed_name(writer: &Writer, name: &str) -> String {
    let setup = writer.game().setup();
    setup.player(name).map_or_else(|| name.to_owned(), |i| setup.players[i].name.clone())
}

fn export(args: &ExportArgs, reader: &dyn Reader, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let record = read(&args.dir, err)?;
    let report = Report::of(&record, None, &now());
    let ending = args.out.as_ref().and_then(|p| p.extension()).and_then(|e| e.to_str()).map(str::to_lowercase);
    let by_ending = match ending.as_deref() {
        Some("html" | "htm") => Format::Html,
        Some("md" | "markdown") => Format::Markdown,
        Some("csv") => Format::Csv,
        _ => Format::Json,
    };
    let bytes = match args.format.unwrap_or(by_ending) {
        Format::Json => {
            let mut json = serde_json::to_vec_pretty(&report)?;
            json.push(b'\n');
            json
        }
        Format::Csv => report::csv(&report)?,
        Format::Markdown => report::markdown(&report).into_bytes(),
        Format::Html => report::html(&report, &|turn| picture_of(&record, turn, reader)).into_bytes(),
    };
    match &args.out {
        Some(path) if !is_stdout(path) => {
            write_file(path, &bytes)?;
            writeln!(out, "Written: {}", path.display())?;
        }
        _ => out.write_all(&bytes)?,
    }
    Ok(u8::from(record.doubt().is_some()))
}

/// Writes a file that people asked for, whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    super::target::check(path)?;
    // A device, a pipe or a link stays what it is.
    if path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        return fs::write(path, bytes).map_err(|error| anyhow!(cannot(Doing::Writing, path, &error)));
    }
    let real = path.canonicalize();
    let path = real.as_deref().unwrap_or(path);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().with_context(|| format!("cannot write {}: give the name of a file", path.display()))?;
    let half = folder.join(format!(".{}.half", name.to_string_lossy()));
    let written = fs::write(&half, bytes).and_then(|()| fs::rename(&half, path));
    if written.is_err() {
        let _ = fs::remove_file(&half);
    }
    written.map_err(|error| anyhow!(cannot(Doing::Writing, path, &error)))
}

/// The upright photo of a turn, or why there is none.
pub(super) fn picture_of(record: &Record, turn: &TurnReport, reader: &dyn Reader) -> Result<image::RgbImage, String> {
    let (Some(folder), Some(photo)) = (&turn.folder, &turn.photo) else { return Err("there is none".to_owned()) };
    let path = record.resolve(&format!("{folder}/{photo}")).ok_or("its path leads out of the match folder")?;
    let bytes = read_file(&path).map_err(|error| error.to_string())?;
    reader.upright(&bytes)
}

/// Rows with their points, for messages.
fn rows_words(rows: &[usize]) -> String {
    format!("{} = {}", show_rows(rows), show_points(points(rows)))
}
