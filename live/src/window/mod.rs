//! The window. It draws what the engine knows and hands on keys and clicks; nothing in it waits.

mod keyboard;
mod picture;
mod side;
mod start;
mod theme;
mod widgets;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use eframe::egui::{
    self, Align2, CentralPanel, Frame as Panel, Margin, Panel as Side, Rect, Role, Sense, Theme, Ui, WidgetInfo, pos2, vec2,
};

use crate::{
    engine::Engine,
    frame::Frame,
    keys::{Hint, Key, hint},
    read::Seen,
    session::{Kind, Mark, Origin, Session, Tone},
    stats::Stats,
};
use picture::{Place, Screen, cased_text, draw_reading};
use side::Look;
use start::{Choice, StartForm};
use theme::{letters, palette, unit};
use widgets::{Shape, banner, key_button, label};

/// The clock is drawn at least this often.
const REDRAW: Duration = Duration::from_millis(100);

/// The window's state.
pub struct App {
    /// Everything that runs.
    pub engine: Engine,
    start: StartForm,
    screen: Screen,
    stats: Stats,
    is_full_screen: bool,
    installed: bool,
    closing: bool,
}

impl App {
    /// A window on `engine`; new matches are made in the folder `home`.
    pub fn new(engine: Engine, home: PathBuf, stats: bool, is_full_screen: bool) -> Self {
        let start = StartForm::new(&home);
        let stats = Stats::new(stats);
        Self { engine, start, screen: Screen::default(), stats, is_full_screen, installed: false, closing: false }
    }

    /// Draws everything and takes keys and clicks.
    pub fn show(&mut self, ui: &mut Ui) {
        let (ctx, now) = (ui.ctx().clone(), Instant::now());
        if !self.installed {
            theme::install(&ctx);
            self.installed = true;
        }
        self.engine.tick(now);
        self.keys(&ctx, now);
        self.stats.drawn(&self.engine, now);
        let look = Look { unit: unit(ctx.content_rect()), palette: palette(ctx.theme()) };
        if self.engine.session.is_some() {
            self.table(ui, now, look);
        } else {
            self.start_screen(ui, now, look);
        }
        ctx.request_repaint_after(REDRAW);
    }

    fn start_screen(&mut self, ui: &mut Ui, now: Instant, look: Look) {
        let width = ui.available_width() * 0.56;
        let panel = Panel::new().fill(look.palette.ground).inner_margin(Margin::same((16.0 * look.unit) as i8));
        let form = &mut self.start;
        let choice = Side::left("start").exact_size(width).resizable(false).frame(panel).show(ui, |ui| form.show(ui, look)).inner;
        CentralPanel::default().frame(Panel::new().fill(look.palette.panel)).show(ui, |ui| self.live_picture(ui, now, look));
        let result = match choice {
            None => return,
            Some(Choice::JustScore) => {
                self.engine.just_score();
                Ok(())
            }
            Some(Choice::Source(spec)) => {
                self.engine.switch(spec);
                Ok(())
            }
            Some(Choice::New(dir, setup)) => self.engine.new_match(dir, setup),
            Some(Choice::Resume(dir)) => self.engine.resume(dir),
        };
        self.start.error = result.err().map(|error| error.to_string());
    }

    fn table(&mut self, ui: &mut Ui, now: Instant, look: Look) {
        let unit = look.unit;
        let pad = Margin::symmetric((12.0 * unit) as i8, (8.0 * unit) as i8);
        let bar = Panel::new().fill(look.palette.panel).inner_margin(pad);
        Side::bottom("keys").resizable(false).frame(bar).show(ui, |ui| self.key_bar(ui, now, look));
        let beside = Panel::new().fill(look.palette.panel).inner_margin(Margin::same((14.0 * unit) as i8));
        let width = (ui.available_width() * 0.3).clamp(220.0, 900.0);
        Side::right("side").exact_size(width).resizable(false).frame(beside).show(ui, |ui| {
            if let Some(session) = &self.engine.session {
                side::show(ui, &self.engine, session, now, look);
            }
        });
        CentralPanel::default().frame(Panel::new().fill(look.palette.ground)).show(ui, |ui| {
            let frozen = self.engine.session.as_ref().and_then(|s| s.shown().map(|shown| (shown.used().clone(), shown.origin)));
            match frozen {
                Some((seen, origin)) => self.frozen_picture(ui, &seen, origin, now, look),
                None => self.live_picture(ui, now, look),
            }
            self.messages(ui, now, look);
        });
        self.question(ui, now, look);
    }

    /// The newest frame with the running reading.
    fn live_picture(&mut self, ui: &mut Ui, now: Instant, look: Look) {
        let area = ui.max_rect();
        let frame = self.engine.sight.frame.clone();
        let condition = self.engine.sight.condition.words();
        if let Some(frame) = &frame {
            let place = self.paint_frame(ui, frame, area);
            if condition.is_some() {
                // What is no longer true is not shown as if it were.
                ui.painter().rect_filled(place.rect, 0.0, egui::Color32::from_black_alpha(150));
            } else if let Some(seen) = self.engine.running() {
                let still = self.engine.sight.still_for.as_secs_f64() >= self.engine.still.seconds;
                draw_reading(ui.painter(), place, &seen.reading, mark_as_read, None, if still { 1.0 } else { 0.35 });
            }
        }
        let mut below = area;
        let (doubt, bad, ink) = (look.palette.doubt, look.palette.bad, look.palette.on_strong);
        if let Some(condition) = condition {
            below.min.y = banner(ui, below, &condition, Shape::Warning, bad, ink, look.unit).bottom();
        } else if let Some(reading) = self.engine.running().map(|seen| &seen.reading)
            && let Some(words) = Session::doubt_of(reading)
        {
            below.min.y = banner(ui, below, &sentence(&words), Shape::Question, doubt, ink, look.unit).bottom();
        }
        if let Some([before, after]) = self.engine.sight.resized {
            let words = format!("The picture's size has changed from {} × {} to {} × {}.", before.0, before.1, after.0, after.1);
            banner(ui, below, &words, Shape::Question, doubt, ink, look.unit);
        }
        let scoring = self.engine.session.as_ref().is_some_and(Session::is_scoring);
        if scoring {
            let dots = ".".repeat(1 + (now.elapsed().subsec_millis() / 300) as usize % 3);
            let words = if self.engine.sight.still_for.as_secs_f64() < self.engine.still.seconds {
                "Waiting until nothing moves"
            } else {
                "Reading"
            };
            let at = pos2(area.center().x, area.bottom() - 60.0 * look.unit);
            cased_text(ui.painter(), at, &format!("{words}{dots}"), letters(44.0 * look.unit), egui::Color32::WHITE);
        }
    }

    /// The picture of a result, frozen.
    fn frozen_picture(&mut self, ui: &mut Ui, seen: &Seen, origin: Origin, now: Instant, look: Look) {
        let area = ui.max_rect();
        let place = self.paint_frame(ui, &seen.frame, area);
        let Some(session) = &mut self.engine.session else { return };
        let doubts = match session.shown() {
            Some(shown) => {
                draw_reading(ui.painter(), place, shown.reading(), |piece| shown.mark(piece), shown.selected, 1.0);
                shown.doubts()
            }
            None => Vec::new(),
        };
        let response = ui.interact(place.rect, ui.scope_id().with("frozen"), Sense::CLICK);
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "the picture of the result"));
        let mut below = area;
        let (doubt, ink) = (look.palette.doubt, look.palette.on_strong);
        for words in &doubts {
            below.min.y = banner(ui, below, &sentence(words), Shape::Question, doubt, ink, look.unit).bottom() + 2.0;
        }
        let words = match origin {
            Origin::Key => "the picture is frozen",
            Origin::Buzzer => "the picture at time zero",
        };
        let at = place.rect.left_bottom() + vec2(12.0, -12.0) * look.unit;
        let font = letters(20.0 * look.unit);
        let galley = ui.painter().layout_no_wrap(words.to_owned(), font, egui::Color32::WHITE);
        let tag = Rect::from_min_size(pos2(at.x, at.y - galley.size().y), galley.size());
        ui.painter().rect_filled(tag.expand(6.0 * look.unit), 4.0, egui::Color32::from_black_alpha(170));
        ui.painter().galley(tag.min, galley, egui::Color32::WHITE);
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
            session.click(place.picture_from_window(at), now);
        }
    }

    fn paint_frame(&mut self, ui: &Ui, frame: &std::sync::Arc<Frame>, area: Rect) -> Place {
        let texture = self.screen.texture(ui.ctx(), frame);
        let (width, height) = frame.picture.rgb.dimensions();
        let place = Place::fit(width, height, area);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(texture, place.rect, whole, egui::Color32::WHITE);
        place
    }

    /// What was just done, at the bottom of the picture.
    fn messages(&self, ui: &mut Ui, now: Instant, look: Look) {
        let Some(message) = self.engine.session.as_ref().and_then(|session| session.current_message(now)) else { return };
        let (shape, fill) = match message.tone {
            Tone::Good => (Shape::Tick, look.palette.good),
            Tone::Bad => (Shape::Warning, look.palette.bad),
            Tone::Plain => (Shape::Question, look.palette.faint),
        };
        let area = ui.max_rect();
        // Measured by drawing it where it is not seen would be twice the work: four lines at most are made room for.
        let lines = 1 + message.text.chars().count() as u32 * 13 / area.width().max(1.0) as u32;
        let height = (22.0 + 32.0 * lines.min(4) as f32) * look.unit;
        let bottom = Rect::from_min_max(pos2(area.left(), area.bottom() - height), area.max);
        banner(ui, bottom, &message.text, shape, fill, look.palette.on_strong, look.unit);
    }

    fn key_bar(&mut self, ui: &mut Ui, now: Instant, look: Look) {
        let mut hints = self.engine.session.as_ref().map(Session::hints).unwrap_or_default();
        if self.engine.session.as_ref().is_some_and(|session| session.prompt.is_none()) {
            hints.extend(self.own_hints());
        }
        let mut pressed = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(9.0, 5.0) * look.unit;
            for hint in &hints {
                if key_button(ui, hint, look.unit, &look.palette).clicked() {
                    pressed = Some(hint.key);
                }
            }
        });
        if let Some(key) = pressed {
            self.press(ui.ctx(), key, now);
        }
    }

    /// Keys of the window itself.
    fn own_hints(&self) -> Vec<Hint> {
        vec![
            hint(Key::Char('M'), if self.engine.sound.on { "sound off" } else { "sound on" }),
            hint(Key::Char('T'), "light or dark"),
            hint(Key::Char('F'), if self.is_full_screen { "window" } else { "full screen" }),
            hint(Key::Char('Q'), "leave"),
        ]
    }

    /// The question being asked, over everything.
    fn question(&mut self, ui: &mut Ui, now: Instant, look: Look) {
        let Some(session) = &mut self.engine.session else { return };
        let Some(prompt) = session.prompt.clone() else { return };
        let unit = look.unit;
        let frame = Panel::new()
            .fill(look.palette.panel)
            .stroke(egui::Stroke::new(3.0 * unit, look.palette.good))
            .corner_radius(10.0 * unit)
            .inner_margin(Margin::same((22.0 * unit) as i8));
        let mut picked = None;
        egui::Area::new(egui::Id::unique("question")).anchor(Align2::CENTER_CENTER, vec2(-100.0 * unit, 0.0)).show(
            ui.ctx(),
            |ui| {
                frame.show(ui, |ui| {
                    ui.set_max_width(620.0 * unit);
                    label(ui, prompt.question.clone(), 28.0 * unit, look.palette.ink);
                    match &prompt.kind {
                        Kind::Text(text) => {
                            label(ui, format!("{text}_"), 44.0 * unit, look.palette.good);
                        }
                        Kind::Pick { options, at } => {
                            for (index, option) in options.iter().enumerate() {
                                let mark = if index == *at { "›" } else { "  " };
                                let hint_key = char::from_digit(index as u32 + 1, 10).unwrap_or(' ');
                                let text = format!("{mark} {hint_key}  {option}");
                                let text = egui::RichText::new(text).font(letters(28.0 * unit)).color(look.palette.ink);
                                let button = ui.add(egui::Button::new(text).sense(Sense::CLICK));
                                if button.clicked() {
                                    picked = Some(index);
                                }
                            }
                        }
                        Kind::Confirm => {}
                    }
                });
            },
        );
        if let Some(index) = picked {
            session.pick(index, now);
        }
    }

    fn keys(&mut self, ctx: &egui::Context, now: Instant) {
        let Some(session) = &self.engine.session else { return };
        let typing = session.prompt.as_ref().is_some_and(|prompt| matches!(prompt.kind, Kind::Text(_)));
        for key in keyboard::pressed(ctx, typing) {
            self.press(ctx, key, now);
        }
    }

    fn press(&mut self, ctx: &egui::Context, key: Key, now: Instant) {
        let Some(session) = &mut self.engine.session else { return };
        if session.key(key, now) {
            return;
        }
        match key {
            Key::Char('M') => self.engine.sound.on = !self.engine.sound.on,
            Key::Char('T') => ctx.set_theme(if ctx.theme() == Theme::Dark { Theme::Light } else { Theme::Dark }),
            Key::Char('F') => {
                self.is_full_screen = !self.is_full_screen;
                ctx.send_viewport_cmd(egui::ViewportCommand::Fullscreen(self.is_full_screen));
            }
            Key::Escape if self.is_full_screen => {
                self.is_full_screen = false;
                ctx.send_viewport_cmd(egui::ViewportCommand::Fullscreen(false));
            }
            Key::Char('Q') if !self.closing => {
                self.closing = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            _ => {}
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.show(ui);
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.engine.leave();
    }
}

/// How a piece counts by the reading alone.
fn mark_as_read(piece: &pyrameeple::reading::Piece) -> Mark {
    match piece.row.filter(|_| piece.counted) {
        Some(row) => Mark::Counts(row),
        None => Mark::DoesNot,
    }
}

/// `text` with a capital at its start.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}
