//! The panel beside the picture: clock, whose turn, the score, the scoreboard.

use std::time::Instant;

use eframe::egui::{self, Align, Layout, RichText, ScrollArea, Stroke, Ui, vec2};
use pyrameeple::{
    matchplay::{Match, OutReason, Setup, Standing, Variant},
    reading::{Reading, Status},
    rules::{base_of_round, points},
};

use super::{
    theme::{Palette, letters},
    widgets::{Shape, label, row_bars, sign},
};
use crate::{
    engine::Engine,
    session::{Origin, Session, Shown},
};

/// Sizes and colours of one frame.
#[derive(Clone, Copy)]
pub struct Look {
    /// Points that a letter of size 1 takes.
    pub unit: f32,
    /// The colours.
    pub palette: Palette,
}

/// Draws the panel.
pub fn show(ui: &mut Ui, engine: &Engine, session: &Session, now: Instant, look: Look) {
    let unit = look.unit;
    ui.spacing_mut().item_spacing = vec2(6.0 * unit, 4.0 * unit);
    if session.game().is_some() {
        clock(ui, engine, session, now, look);
        turn(ui, session, look);
        ui.add_space(2.0 * unit);
    }
    match session.shown() {
        Some(shown) => result(ui, session, shown, look),
        None => running(ui, engine, session, look),
    }
    if let Some(game) = session.game() {
        ui.add_space(4.0 * unit);
        ui.separator();
        scoreboard(ui, game, session, look);
    }
}

fn clock(ui: &mut Ui, engine: &Engine, session: &Session, now: Instant, look: Look) {
    let clock = &session.clock;
    let last = engine.is_last_seconds(now);
    let over = clock.zero().is_some();
    let (colour, word) = match (over, last, clock.is_running(), clock.is_paused()) {
        (true, ..) => (look.palette.bad, "time is up"),
        (_, true, ..) => (look.palette.doubt, "hurry"),
        (_, _, true, _) => (look.palette.ink, "running"),
        (_, _, _, true) => (look.palette.faint, "paused"),
        _ => (look.palette.faint, "ready"),
    };
    // Larger in the last seconds: size says it, not the colour alone.
    let size = if last || over { 88.0 } else { 76.0 } * look.unit;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 10.0 * look.unit;
        ui.label(RichText::new(clock.words(now)).font(letters(size)).color(colour));
        ui.with_layout(Layout::bottom_up(Align::Min), |ui| {
            ui.add_space(size * 0.26);
            ui.label(RichText::new(word).font(letters(20.0 * look.unit)).color(look.palette.faint));
        });
    });
}

fn turn(ui: &mut Ui, session: &Session, look: Look) {
    let Some(game) = session.game() else { return };
    let (unit, palette) = (look.unit, look.palette);
    if let Some(outcome) = game.outcome() {
        label(ui, "Finished", 20.0 * unit, palette.faint);
        let mut letters = outcome.chars();
        let first = letters.next().map(char::to_uppercase).into_iter().flatten();
        label(ui, first.chain(letters).collect::<String>(), 34.0 * unit, palette.good);
        return;
    }
    let Some(round) = game.round() else { return };
    label(ui, round_words(game.setup(), &round.to_string(), round.number), 20.0 * unit, palette.faint);
    let players = match &session.shown() {
        Some(shown) => shown.players.clone(),
        None => session.players(),
    };
    let whose = match players.as_slice() {
        [one] => one.clone(),
        several => several.join(", "),
    };
    let size = if whose.chars().count() > 16 { 26.0 } else { 38.0 };
    label(ui, whose, size * unit, palette.ink);
}

/// "Turn 2 of 3", "Round 2: 4 in the lowest row".
fn round_words(setup: &Setup, round: &str, number: u32) -> String {
    match (setup.variant, setup.turns) {
        (Variant::Points, Some(turns)) => format!("Turn {round} of {turns}"),
        (Variant::Points, None) => format!("Turn {round}"),
        (Variant::Higher, _) => format!("Round {round}: {} in the lowest row", base_of_round(number)),
    }
}

/// What the camera shows right now.
fn running(ui: &mut Ui, engine: &Engine, session: &Session, look: Look) {
    let (unit, palette) = (look.unit, look.palette);
    let heading = if session.is_scoring() { "Scoring: hands out of the picture" } else { "Now on the felt" };
    label(ui, heading, 20.0 * unit, if session.is_scoring() { palette.doubt } else { palette.faint });
    let Some(seen) = engine.running().filter(|_| engine.sight.condition.is_good()) else {
        label(ui, "…", 60.0 * unit, palette.faint);
        return;
    };
    let reading = &seen.reading;
    let rows = reading.score.as_ref().map(|score| score.rows.clone());
    score(ui, rows.as_deref(), reading.status, 64.0, look);
    each_player(ui, reading, session, look);
}

/// On a shared playmat: what each player has there right now.
fn each_player(ui: &mut Ui, reading: &Reading, session: &Session, look: Look) {
    for player in session.players().iter().filter(|_| reading.players.len() > 1) {
        let Some(score) = reading.players.get(player) else { continue };
        line(ui, player, &score.points.to_string(), 24.0 * look.unit, look);
    }
}

/// Points in large figures with their status, and the rows below.
fn score(ui: &mut Ui, rows: Option<&[usize]>, status: Status, size: f32, look: Look) {
    let (unit, palette) = (look.unit, look.palette);
    let (shape, fill, word) = match status {
        Status::Read => (Shape::Tick, palette.good, "sure"),
        Status::Unsure => (Shape::Question, palette.doubt, "unsure"),
        Status::Unreadable => (Shape::Warning, palette.bad, "cannot be read"),
    };
    ui.horizontal(|ui| {
        let figure = rows.map_or("–".to_owned(), |rows| points(rows).to_string());
        ui.label(RichText::new(figure).font(letters(size * unit)).color(palette.ink));
        ui.vertical(|ui| {
            ui.add_space(size * unit * 0.3);
            let word_points = if rows.is_some_and(|rows| points(rows) == 1) { "point" } else { "points" };
            ui.label(RichText::new(word_points).font(letters(20.0 * unit)).color(palette.faint));
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(24.0, 24.0) * unit, egui::Sense::hover());
                sign(ui.painter(), rect.center(), rect.width(), shape, fill, palette.on_strong);
                ui.label(RichText::new(word).font(letters(20.0 * unit)).color(fill));
            });
        });
    });
    if let Some(rows) = rows.filter(|rows| !rows.is_empty()) {
        let height = (rows.len() as f32 * 22.0).clamp(44.0, 110.0) * unit;
        row_bars(ui, rows, height, &palette);
    }
}

/// The result on show.
fn result(ui: &mut Ui, session: &Session, shown: &Shown, look: Look) {
    let (unit, palette) = (look.unit, look.palette);
    let heading = match shown.origin {
        Origin::Key => "Result",
        Origin::Buzzer => "At time zero",
    };
    label(ui, heading, 20.0 * unit, palette.faint);
    let rows = shown.rows(shown.player);
    let status = if shown.is_corrected() && rows.is_some() { Status::Read } else { shown.status() };
    score(ui, rows.as_deref(), status, 104.0, look);
    if shown.is_corrected() {
        label(ui, "corrected by hand", 20.0 * unit, palette.doubt);
    }
    if shown.counts_late() {
        let scored = session.setup().options.late == pyrameeple::matchplay::LateRule::Scored;
        label(ui, if scored { "late" } else { "late: scores nothing" }, 22.0 * unit, palette.bad);
    }
    if shown.players.len() > 1 {
        for (index, player) in shown.players.iter().enumerate() {
            let figure = shown.rows(index).map_or("–".to_owned(), |rows| points(&rows).to_string());
            let marked = if index == shown.player { format!("› {player}") } else { player.clone() };
            line(ui, &marked, &figure, 26.0 * unit, look);
        }
    }
}

/// A name at the left, a figure at the right.
fn line(ui: &mut Ui, name: &str, figure: &str, size: f32, look: Look) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(figure).font(letters(size)).color(look.palette.ink));
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = RichText::new(name).font(letters(size)).color(look.palette.ink);
                ui.add(egui::Label::new(text).truncate().selectable(false));
            });
        });
    });
}

fn scoreboard(ui: &mut Ui, game: &Match, session: &Session, look: Look) {
    let (unit, palette) = (look.unit, look.palette);
    let standings = game.standings();
    let now = session.players();
    // Smaller letters for more players, so that nobody has to scroll in the middle of a game.
    let size = if standings.players.len() > 3 { 18.0 } else { 25.0 } * unit;
    ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
        for standing in &standings.players {
            let turn = standings.outcome.is_none() && now.contains(&standing.player);
            let frame = egui::Frame::new().inner_margin(egui::Margin::symmetric((8.0 * unit) as i8, (1.0 * unit) as i8));
            // A frame around whoever builds: the shape says it.
            let frame = if turn { frame.stroke(Stroke::new(2.0 * unit, palette.good)).corner_radius(6.0 * unit) } else { frame };
            frame.show(ui, |ui| {
                let name = format!("{}. {}{}", standing.place, standing.player, remark(standing, game));
                line(ui, &name, &figure(standing), size, look);
            });
        }
    });
}

/// Points, or in variant 2 how many rounds were built.
fn figure(standing: &Standing) -> String {
    match standing.rounds_built {
        Some(rounds) => format!("{rounds} built"),
        None => standing.points.to_string(),
    }
}

fn remark(standing: &Standing, game: &Match) -> String {
    if standing.winner {
        return "  wins".to_owned();
    }
    match standing.out {
        None => String::new(),
        Some(out) => {
            let why = match out.reason {
                OutReason::Failed => "out",
                OutReason::Destroyed => "out: destroyed",
                OutReason::Forfeited => "gave up",
            };
            format!("  {why} ({} {})", game.setup().round_word(), out.round)
        }
    }
}
