//! `match add`: reads the photos of what was built and puts the result on record.

use std::{io::Write, path::Path};

use anyhow::{Context, anyhow, bail};

use super::{AddArgs, accept, listed_name, now, open, open_round, rows_words, say_next, say_notes};
use crate::{
    capture::{self, CaptureParams},
    matchplay::{Built, Correction, Event, Match, Refusal, Round},
    reading::{Reading, Status},
    record::{NewTurn, Reader, Scene, Shot, Writer, built_rows, choose_view, sha256},
    report, rules,
};

/// Runs `match add`.
pub fn run(args: &AddArgs, reader: &dyn Reader, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<u8> {
    let mut writer = open(&args.dir, err)?;
    let players = players(args, &writer)?;
    let round = args.round.map_or_else(|| open_round(&writer), Ok)?;
    // Whatever would be refused should be so before photos are read, which takes time.
    refuse_early(writer.game(), round, &players)?;
    if args.nothing {
        let player = players.into_iter().next().unwrap_or_default();
        let event = Event::Missed { round, player, reason: args.reason.clone() };
        accept(&mut writer, event, out, err)?;
        return Ok(0);
    }
    let photos = args.photos.iter().map(|path| load(path)).collect::<anyhow::Result<Vec<_>>>()?;
    refuse_repeated(&writer, &photos)?;
    let setup = writer.game().setup().clone();
    let read: Vec<Reading> = photos.iter().map(|(name, bytes)| reader.read(name, bytes, &setup.colours())).collect();
    let readings: Vec<&Reading> = read.iter().collect();
    let names: Vec<&str> = players.iter().map(String::as_str).collect();
    let chosen = choose_view(&readings, &setup, &names).context("give at least one photo")?;
    let used = readings[chosen.index];
    let late = args.late || args.seconds.is_some_and(|s| s > f64::from(setup.options.seconds));
    let results = players
        .iter()
        .map(|player| result(args, used, built_rows(used, &setup, player), player))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut doubts = doubts(used, chosen.disagreement.as_deref());
    doubts.extend(seen_before(&writer, round, &photos, &read, reader));
    let says: Vec<String> = results.iter().map(|built| says(built, late)).collect();
    let event = Event::Built { round, results, late };
    let annotated: Vec<_> = photos.iter().zip(&read).map(|((_, bytes), reading)| reader.annotate(bytes, reading)).collect();
    let views = photos.into_iter().zip(read).zip(annotated);
    let views = views.map(|(((name, bytes), reading), annotated)| (name, bytes, reading, annotated)).collect();
    let turn = NewTurn {
        used: chosen.index,
        disagreement: chosen.disagreement,
        views,
        model_sha256: reader.model_sha256(),
        params: reader.params(),
        seconds: args.seconds,
    };
    let told = writer.notes().len();
    writer.accept_turn(event, turn, &now())?;
    say_notes(&writer, told, err);
    for (line, player) in says.iter().zip(&players) {
        let missed = missed_demand(writer.game(), round, player).unwrap_or_default();
        writeln!(out, "{} {round}, {line}{missed}", setup.round_word())?;
    }
    say_next(&writer, out)?;
    for doubt in &doubts {
        let _ = writeln!(err, "{doubt}");
    }
    if !doubts.is_empty() {
        let _ = writeln!(err, "It is on record. If it is wrong: `match correct`, or `match undo` and another photo.");
    }
    // What was counted by hand does not hang on a doubtful reading.
    Ok(if doubts.is_empty() || args.rows.is_some() { 0 } else { 1 })
}

/// Whose pyramids the photos show: the named player's, or on a shared playmat those of all whose result is missing.
fn players(args: &AddArgs, writer: &Writer) -> anyhow::Result<Vec<String>> {
    let game = writer.game();
    match &args.player {
        Some(name) => Ok(vec![listed_name(writer, name)]),
        None if game.setup().shared_playmat => Ok(game.waiting().into_iter().map(str::to_owned).collect()),
        None => bail!(
            "whose pyramid is it? Each player has a playmat in this match: give --player ({})",
            game.setup().names().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Refuses what the match would refuse whatever the photos show: a finished match, the wrong player or round.
fn refuse_early(game: &Match, round: Round, players: &[String]) -> Result<(), Refusal> {
    let results = players.iter().map(|p| Built { player: p.clone(), rows: Vec::new(), correction: None }).collect();
    game.check(&Event::Built { round, results, late: false })
}

fn load(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let bytes = capture::load_bytes(path, &CaptureParams::default())
        .map_err(|error| anyhow!("the photo {}: {error}; {}; nothing was changed", path.display(), error.advice()))?;
    Ok((path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(), bytes))
}

/// Refuses a photo that is given twice or is evidence of another result already: that is a slip of the hand, or worse.
fn refuse_repeated(writer: &Writer, photos: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    let game = writer.game();
    let sums: Vec<String> = photos.iter().map(|(_, bytes)| sha256(bytes)).collect();
    for (index, (sum, (name, _))) in sums.iter().zip(photos).enumerate() {
        if sums[..index].contains(sum) {
            bail!("the photo {name} was given twice: several views are several photos");
        }
        // On a shared playmat one photo may be added for each player by itself.
        if game.setup().shared_playmat {
            continue;
        }
        for turn in game.table().turns.values() {
            let files = writer.record().turn_files(turn).map_or(&[][..], |f| f.files);
            if files.iter().any(|f| f.sha256 == *sum) {
                let player = game.setup().players.get(turn.player).map_or("", |p| &p.name);
                bail!(
                    "the photo {name} is on record already, for {player} in {} {}: give the photo of this result; nothing was changed",
                    game.setup().round_word(),
                    turn.round
                );
            }
        }
    }
    Ok(())
}

/// What is doubtful about photos that show the scene of a photo on record: one that was saved anew has another sum.
fn seen_before(
    writer: &Writer,
    round: Round,
    photos: &[(String, Vec<u8>)],
    read: &[Reading],
    reader: &dyn Reader,
) -> Vec<String> {
    let setup = writer.game().setup();
    let mut shots = Shot::all(writer.record());
    shots.retain(|shot| !(setup.shared_playmat && shot.round == round));
    let doubts = photos.iter().zip(read).filter_map(|((name, bytes), reading)| {
        let scene = Scene::new(reading.clone(), bytes.clone());
        let before = shots.iter().find(|shot| shot.scene.is_same(&scene, reader))?;
        let player = setup.players.get(before.player).map_or("", |player| &player.name);
        Some(format!(
            "doubt: the photo {name} shows the same scene as the one of {player} in {} {}: a copy of it, or another picture of \
             the same pyramid",
            setup.round_word(),
            before.round
        ))
    });
    doubts.collect()
}

/// What `player` built: as read, with the count by hand where one was given.
fn result(args: &AddArgs, used: &Reading, read: Option<Vec<usize>>, player: &str) -> anyhow::Result<Built> {
    let by_hand = args.rows.as_ref().map(|rows| Correction {
        rows: rows.0.clone(),
        reason: args.reason.clone().unwrap_or_default(),
        ..Correction::default()
    });
    if let Some(correction) = &by_hand {
        rules::check_standing(&correction.rows)?;
    }
    match (read, by_hand) {
        (None, None) => bail!(
            "the picture cannot be read, so nothing was recorded: {}. {}; or say what stands with --rows 5,4,2,1 --reason …",
            used.reason.as_deref().unwrap_or("no reason given"),
            used.advice.as_deref().unwrap_or("Take another photo")
        ),
        (read, correction) => Ok(Built { player: player.to_owned(), rows: read.unwrap_or_default(), correction }),
    }
}

/// What is doubtful about the result, for people.
fn doubts(used: &Reading, disagreement: Option<&str>) -> Vec<String> {
    let mut doubts: Vec<String> = disagreement.map(|text| format!("doubt: {text}")).into_iter().collect();
    if used.status == Status::Unsure {
        let advice = used.advice.as_deref().map_or(String::new(), |a| format!(" ({a})"));
        doubts.push(format!("doubt: {}{advice}", used.reason.as_deref().unwrap_or("the reading is unsure")));
    }
    doubts
}

/// That what `player` built is not what the round asks for, if it is not.
fn missed_demand(game: &Match, round: Round, player: &str) -> Option<String> {
    let setup = game.setup();
    let turn = game.table().turn(round, setup.player(player)?)?;
    let demand = report::demand_words(round, setup).filter(|_| !turn.passes(&setup.options))?;
    Some(format!("; it is not what the {} asks for: {demand}", setup.round_word()))
}

fn says(built: &Built, late: bool) -> String {
    let by_hand = built.correction.as_ref().map_or(String::new(), |c| format!("; by hand {}", rows_words(&c.rows)));
    let late = if late { "; taken after time" } else { "" };
    format!("{}: {}{by_hand}{late} – accepted", built.player, rows_words(&built.rows))
}
