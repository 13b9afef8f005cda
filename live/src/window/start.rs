//! The start screen: a new match with everything that is agreed before it, going on with one, or just scoring.

use std::path::{Path, PathBuf};

use eframe::egui::{self, RichText, ScrollArea, TextEdit, Ui, vec2};
use pyrameeple::{
    game::COLOUR_NAMES,
    matchplay::{AllFail, LateRule, Options, Overhang, Player, Setup, TurnOrder, Variant},
    rules::Demand,
};

use super::{side::Look, theme::letters, widgets::label};
use crate::{
    matches::{TURNS, free_folder, matches_in},
    source::{CameraInfo, Spec, list_cameras},
};

/// Most players a scoreboard shows without scrolling at three metres; more may be typed on the command line.
const MOST_PLAYERS: usize = 8;

/// What was chosen on the start screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A new match.
    New(PathBuf, Setup),
    /// Going on with the match in this folder.
    Resume(PathBuf),
    /// Scoring without a match.
    JustScore,
    /// Another source.
    Source(Spec),
}

/// One player on the form.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    name: String,
    colours: Vec<&'static str>,
}

/// What has been filled in so far.
pub struct StartForm {
    variant: Variant,
    players: Vec<Row>,
    turns: u32,
    seconds: u32,
    shared: bool,
    options: Options,
    folder: String,
    matches: Vec<(PathBuf, String)>,
    cameras: Vec<CameraInfo>,
    /// Why the last choice could not be followed.
    pub error: Option<String>,
    focused: bool,
}

impl StartForm {
    /// An empty form for matches in the folder `home`.
    pub fn new(home: &Path) -> Self {
        let options = Options::of(Variant::Points);
        Self {
            variant: Variant::Points,
            players: vec![Row::default(), Row::default()],
            turns: TURNS,
            seconds: options.seconds,
            shared: false,
            options,
            folder: free_folder(home).display().to_string(),
            matches: matches_in(home),
            cameras: list_cameras(),
            error: None,
            focused: false,
        }
    }

    /// What was agreed, as filled in.
    fn setup(&self) -> Setup {
        let named = self.players.iter().filter(|row| !row.name.trim().is_empty());
        let players = named.map(|row| Player {
            name: row.name.trim().to_owned(),
            colours: if self.shared { row.colours.iter().map(|c| (*c).to_owned()).collect() } else { Vec::new() },
        });
        let higher = self.variant == Variant::Higher;
        let mut options = self.options.clone();
        options.seconds = self.seconds;
        if !higher {
            (options.demand, options.all_fail, options.order) = (Demand::default(), AllFail::default(), TurnOrder::Any);
        }
        Setup {
            variant: self.variant,
            players: players.collect(),
            turns: (!higher).then_some(self.turns),
            shared_playmat: self.shared,
            options,
        }
    }

    /// Draws the screen; what was chosen on it.
    pub fn show(&mut self, ui: &mut Ui, look: Look) -> Option<Choice> {
        let unit = look.unit;
        ui.style_mut().override_font_id = Some(letters(20.0 * unit));
        ui.spacing_mut().item_spacing = vec2(10.0, 8.0) * unit;
        ui.spacing_mut().interact_size.y = 30.0 * unit;
        ui.spacing_mut().icon_width = 22.0 * unit;
        let mut choice = None;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            label(ui, "A new match", 30.0 * unit, look.palette.ink);
            self.game(ui, look);
            self.names(ui, look);
            self.house_rules(ui);
            ui.horizontal(|ui| {
                let name = ui.label("Kept in").id;
                ui.add(TextEdit::singleline(&mut self.folder).desired_width(380.0 * unit)).labelled_by(name);
            });
            if let Some(error) = &self.error {
                label(ui, error.clone(), 20.0 * unit, look.palette.bad);
            }
            ui.horizontal(|ui| {
                let begin = RichText::new("Start the match").font(letters(26.0 * unit)).color(look.palette.on_strong);
                if ui.add(egui::Button::new(begin).fill(look.palette.good)).clicked() {
                    choice = Some(Choice::New(PathBuf::from(self.folder.trim()), self.setup()));
                }
                if ui.button(RichText::new("Just score").font(letters(26.0 * unit))).clicked() {
                    choice = Some(Choice::JustScore);
                }
            });
            if !self.matches.is_empty() {
                ui.add_space(8.0 * unit);
                label(ui, "Go on with", 24.0 * unit, look.palette.ink);
                for (dir, words) in &self.matches {
                    let name = dir.file_name().unwrap_or_default().to_string_lossy();
                    if ui.button(format!("{name} – {words}")).clicked() {
                        choice = Some(Choice::Resume(dir.clone()));
                    }
                }
            }
            ui.add_space(8.0 * unit);
            ui.horizontal(|ui| {
                label(ui, "Camera", 24.0 * unit, look.palette.ink);
                if ui.button("look again").clicked() {
                    self.cameras = list_cameras();
                }
            });
            if self.cameras.is_empty() {
                label(ui, "none is plugged in", 20.0 * unit, look.palette.faint);
            }
            for camera in &self.cameras {
                if ui.button(format!("{} {}", camera.number, camera.name)).clicked() {
                    choice = Some(Choice::Source(Spec::Camera { number: camera.number, name: camera.name.clone() }));
                }
            }
        });
        choice
    }

    fn game(&mut self, ui: &mut Ui, look: Look) {
        ui.horizontal(|ui| {
            for (variant, words) in [(Variant::Points, "Points for pyramids"), (Variant::Higher, "Higher and higher")] {
                if ui.radio(self.variant == variant, words).clicked() && self.variant != variant {
                    self.variant = variant;
                    self.options = Options { late: self.options.late, overhang: self.options.overhang, ..Options::of(variant) };
                    self.seconds = self.options.seconds;
                }
            }
        });
        let about = match self.variant {
            Variant::Points => "All build at the same time; a meeple scores its row; the most points after the agreed turns win.",
            Variant::Higher => "One after the other on one playmat; the base grows each round; the last one left wins.",
        };
        label(ui, about, 17.0 * look.unit, look.palette.faint);
        ui.horizontal(|ui| {
            if self.variant == Variant::Points {
                let name = ui.label("Turns").id;
                ui.add(egui::DragValue::new(&mut self.turns).range(1..=1000)).labelled_by(name);
            }
            let name = ui.label("Seconds to build").id;
            ui.add(egui::DragValue::new(&mut self.seconds).range(1..=3600)).labelled_by(name);
            if self.variant == Variant::Points {
                ui.checkbox(&mut self.shared, "all on one playmat");
            }
        });
        if self.variant == Variant::Higher {
            self.shared = false;
        }
    }

    fn names(&mut self, ui: &mut Ui, look: Look) {
        let mut gone = None;
        let many = self.players.len() > 1;
        for (index, row) in self.players.iter_mut().enumerate() {
            ui.horizontal_wrapped(|ui| {
                let field = TextEdit::singleline(&mut row.name).hint_text(format!("Player {}", index + 1));
                let field = ui.add(field.desired_width(240.0 * look.unit).char_limit(80).id_salt(("player", index)));
                if !self.focused {
                    field.request_focus();
                    self.focused = true;
                }
                if many && ui.button("−").on_hover_text("remove this player").clicked() {
                    gone = Some(index);
                }
                if self.shared {
                    for colour in COLOUR_NAMES {
                        let mut has = row.colours.contains(&colour);
                        if ui.toggle_value(&mut has, RichText::new(colour).font(letters(16.0 * look.unit))).clicked() {
                            row.colours.retain(|c| *c != colour);
                            row.colours.extend(has.then_some(colour));
                        }
                    }
                }
            });
        }
        if let Some(index) = gone {
            self.players.remove(index);
        }
        if self.players.len() < MOST_PLAYERS && ui.button("+ player").clicked() {
            self.players.push(Row::default());
        }
    }

    fn house_rules(&mut self, ui: &mut Ui) {
        let options = &mut self.options;
        egui::CollapsingHeader::new("House rules").show(ui, |ui| {
            let mut late = options.late == LateRule::Scored;
            ui.checkbox(&mut late, "pictures taken after time score all the same");
            options.late = if late { LateRule::Scored } else { LateRule::NotScored };
            let mut void = options.overhang == Overhang::VoidPyramid;
            ui.checkbox(&mut void, "a meeple beyond the playmat voids the whole pyramid");
            options.overhang = if void { Overhang::VoidPyramid } else { Overhang::RejectMeeple };
            if self.variant == Variant::Higher {
                let mut least = options.demand == Demand::AtLeast;
                ui.checkbox(&mut least, "at least as high, on at least that base, will do");
                options.demand = if least { Demand::AtLeast } else { Demand::FullTriangle };
                let mut again = options.all_fail == AllFail::PlayAgain;
                ui.checkbox(&mut again, "a round that everyone left fails is played again");
                options.all_fail = if again { AllFail::PlayAgain } else { AllFail::ShareTheWin };
                let mut any = options.order == TurnOrder::Any;
                ui.checkbox(&mut any, "in any order within a round");
                options.order = if any { TurnOrder::Any } else { TurnOrder::Listed };
            }
        });
    }
}
