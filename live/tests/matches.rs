//! Whole matches of both variants, played through the real window by keys and mouse, with a camera whose pictures the test
//! makes. The window is drawn by the GUI library's own test kit, without a display.

mod common;

use std::{fs, path::Path, time::Duration};

use common::{Scene, Stage, picture, toy, toy::Photo};
use eframe::egui;
use egui_kittest::{Harness, kittest::Queryable};
use pyrameeple::{
    matchplay::{Event, Match},
    record::{Record, TurnRecord},
};
use pyrameeple_live::{kept_clock::KeptClocks, session::Origin, window::App};

/// Long enough for a machine that does other things at the same time.
const LONG: Duration = Duration::from_secs(60);

/// A window at a table.
struct Table {
    window: Harness<'static, App>,
    stage: Stage,
    folder: tempfile::TempDir,
}

impl Table {
    /// A window that asks what to play.
    fn new() -> Self {
        let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
        let app = App::new(stage.engine(), folder.path().to_owned(), false, false);
        let window = Harness::builder().with_size((1280.0, 720.0)).build_ui_state(|ui, app: &mut App| app.show(ui), app);
        Self { window, stage, folder }
    }

    /// A window in which the match made by the command line with `args` is gone on with.
    fn at_match(args: &[&str]) -> Self {
        let mut table = Self::new();
        let dir = table.dir();
        toy::ok(&[&["match", "new", &dir], args].concat());
        table.window.state_mut().engine.resume(dir.into()).unwrap();
        table.step();
        table
    }

    fn dir(&self) -> String {
        self.folder.path().join("match").to_str().unwrap().to_owned()
    }

    fn step(&mut self) {
        std::thread::sleep(Duration::from_millis(8));
        self.window.step();
    }

    /// Draws until `is` says yes.
    #[track_caller]
    fn until(&mut self, what: &str, is: impl Fn(&App) -> bool) {
        let start = std::time::Instant::now();
        while !is(self.window.state()) {
            assert!(start.elapsed() < LONG, "{what}: {:?}", self.message());
            self.step();
        }
    }

    fn message(&self) -> Option<String> {
        self.window.state().engine.session.as_ref()?.message.as_ref().map(|message| message.text.clone())
    }

    fn key(&mut self, key: egui::Key) {
        self.window.key_press(key);
        self.step();
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            if c == ' ' {
                self.window.key_press(egui::Key::Space);
            } else {
                self.window.event(egui::Event::Text(c.to_string()));
            }
            self.step();
        }
    }

    /// Clicks the key or button with this label.
    #[track_caller]
    fn click(&mut self, label: &str) {
        // The bar of keys takes a frame or two to find its height when what is on it changes.
        for _ in 0..3 {
            self.step();
        }
        self.window.get_by_label(label).click();
        self.step();
        self.step();
    }

    /// Shows `photo` and presses SPACE; the result is on show afterwards.
    #[track_caller]
    fn score(&mut self, photo: &Photo) {
        self.stage.show(photo);
        // A key press would be answered from what is seen now; the camera needs a moment to see the new table.
        let wanted = picture(photo);
        self.until("the camera sees the table", |app| {
            let frame = app.engine.sight.frame.as_ref();
            frame.is_some_and(|frame| frame.picture.rgb.get_pixel(30, 270) == wanted.get_pixel(30, 270))
        });
        self.key(egui::Key::Space);
        self.until("a result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    }

    /// Presses ENTER and waits until it is on the disk.
    #[track_caller]
    fn accept(&mut self) {
        self.key(egui::Key::Enter);
        self.until("accepted", |app| {
            let session = app.engine.session.as_ref().unwrap();
            !session.is_saving() && session.shown().is_none()
        });
    }

    #[track_caller]
    fn build(&mut self, rows: &[usize]) {
        self.score(&Photo::of(rows, "red"));
        self.accept();
    }

    fn record(&self) -> Record {
        Record::read(Path::new(&self.dir())).unwrap()
    }

    fn game(&self) -> Match {
        self.record().game().clone()
    }

    fn points(&self) -> Vec<(String, u32)> {
        self.game().standings().players.into_iter().map(|s| (s.player, s.points)).collect()
    }

    /// What `reading.json` of the last turn says.
    fn last_turn(&self) -> TurnRecord {
        let record = self.record();
        let turn = record.game().table().turns.values().max_by_key(|turn| turn.event).cloned().unwrap();
        record.turn_record(&turn).unwrap().unwrap()
    }
}

#[test]
fn a_match_of_points_is_set_up_and_played_to_its_end_by_keys() {
    let mut table = Table::new();
    // The first name has the focus from the start.
    table.step();
    table.window.event(egui::Event::Text("Zoë".into()));
    table.step();
    table.key(egui::Key::Tab);
    table.key(egui::Key::Tab);
    table.window.event(egui::Event::Text("Łukasz".into()));
    table.step();
    let folder = fs::read_dir(table.folder.path()).unwrap().count();
    assert_eq!(folder, 0, "nothing is written before the match begins");
    table.click("Start the match");
    let dir = table.window.state().engine.session.as_ref().expect("the match began").dir().unwrap().to_owned();
    assert!(dir.starts_with(table.folder.path()) && dir.file_name().unwrap().to_str().unwrap().starts_with("match-2"));
    fs::rename(&dir, table.dir()).unwrap();
    table.window.state_mut().engine.session = None;
    let dir = table.dir();
    table.window.state_mut().engine.resume(dir.into()).unwrap();
    let built: [(&[usize], &[usize]); 3] = [(&[5, 4, 2, 1], &[3, 2]), (&[4, 3], &[6, 5, 4, 3, 2, 1]), (&[2, 1], &[1])];
    for (first, second) in built {
        table.build(first);
        table.build(second);
    }
    let game = table.game();
    assert_eq!(game.outcome().as_deref(), Some("Łukasz wins"));
    assert_eq!(table.points(), [("Łukasz".into(), 7 + 56 + 1), ("Zoë".into(), 23 + 10 + 4)]);
    table.key(egui::Key::Space);
    assert!(table.message().unwrap().contains("finished"), "{:?}", table.message());
    assert!(toy::sha256sum(Path::new(&table.dir())).0);
    let verified = toy::run(&["verify", &table.dir()]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn space_pressed_while_a_result_is_put_on_record_scores_the_next() {
    let mut table = Table::at_match(&["--variant", "points", "--players", "Ann,Bo", "--turns", "1"]);
    table.score(&Photo::of(&[3, 2, 1], "red"));
    // Both keys arrive before a frame is drawn, so that the record cannot have answered in between.
    table.window.key_press(egui::Key::Enter);
    table.window.key_press(egui::Key::Space);
    table.step();
    table.until("the first is on record", |app| app.engine.session.as_ref().unwrap().players() == ["Bo"]);
    table.until("the next result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    table.accept();
    assert_eq!(table.points(), [("Ann".into(), 10), ("Bo".into(), 10)]);
}

#[test]
fn a_match_of_higher_is_played_by_mouse_until_one_is_left() {
    let mut table = Table::at_match(&["--variant", "higher", "--players", "Ann,Bo,Cy"]);
    for _ in 0..3 {
        table.build(&[3, 2, 1]);
    }
    // Round 2: Ann builds it, Bo does not, Cy runs out of time and there is nothing to show.
    table.stage.show(&Photo::of(&[4, 3, 2, 1], "red"));
    table.until("the camera sees it", |app| {
        app.engine.running().and_then(|seen| seen.reading.score.clone()).is_some_and(|score| score.points == 20)
    });
    table.click("SPACE score");
    table.until("a result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    table.click("ENTER accept");
    table.until("accepted", |app| app.engine.session.as_ref().unwrap().players() == ["Bo"]);
    table.build(&[4, 3]);
    table.click("N nothing built");
    table.click("ENTER yes");
    table.until("the end", |app| app.engine.session.as_ref().unwrap().game().unwrap().outcome().is_some());
    assert_eq!(table.game().outcome().as_deref(), Some("Ann wins"));
    assert!(table.window.query_by_label("Ann wins").is_some(), "the window says who won");
}

#[test]
fn esc_records_nothing_and_u_takes_the_last_result_back() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "2", "--players", "Ann,Bo"]);
    table.score(&Photo::of(&[3, 2, 1], "red"));
    assert!(table.game().events().is_empty(), "what is only on show is not on record");
    table.key(egui::Key::Escape);
    assert!(table.game().events().is_empty() && table.window.state().engine.session.as_ref().unwrap().shown().is_none());
    table.build(&[3, 2, 1]);
    assert_eq!(table.points()[0], ("Ann".into(), 10));
    table.key(egui::Key::U);
    table.until("undone", |app| !app.engine.session.as_ref().unwrap().is_saving());
    assert_eq!(table.game().events().last(), Some(&Event::Undone));
    assert_eq!(table.points(), [("Ann".into(), 0), ("Bo".into(), 0)]);
    assert!(table.message().unwrap().starts_with("Taken back: "), "{:?}", table.message());
    assert_eq!(table.window.state().engine.session.as_ref().unwrap().players(), ["Ann"], "Ann is to build again");
}

#[test]
fn tab_chooses_who_is_scored_where_the_order_is_free() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--players", "Ann,Bo,Cy"]);
    table.key(egui::Key::Tab);
    table.build(&[2]);
    table.build(&[1]);
    let players: Vec<String> = table
        .game()
        .events()
        .iter()
        .map(|event| match event {
            Event::Built { results, .. } => results[0].player.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(players, ["Bo", "Ann"]);
}

#[test]
fn a_hand_in_the_picture_is_waited_for() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--players", "Ann,Bo"]);
    let photo = Photo::of(&[4, 3, 1], "red");
    table.stage.set(Scene::Hand(picture(&photo)));
    table.until("the hand is seen", |app| app.engine.sight.frame.is_some());
    table.key(egui::Key::Space);
    let start = std::time::Instant::now();
    while start.elapsed() < Duration::from_millis(1500) {
        table.step();
        let session = table.window.state().engine.session.as_ref().unwrap();
        assert!(session.is_scoring(), "no result while a hand moves");
    }
    table.stage.show(&photo);
    table.until("a result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    let shown = table.window.state().engine.session.as_ref().unwrap().shown().unwrap().clone();
    assert_eq!(shown.rows(0), Some(vec![4, 3, 1]));
    assert_eq!(shown.verdict.disagreement, None, "nothing read with the hand in view votes");
}

#[test]
fn a_still_picture_is_scored_in_less_than_seven_tenths_of_a_second_from_a_frame_newer_than_the_key() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--players", "Ann,Bo"]);
    table.stage.show(&Photo::of(&[3, 2, 1], "red"));
    table.until("still", |app| app.engine.recent.len() >= 3 && app.engine.sight.still_for > Duration::from_millis(600));
    // The best of some: what else the machine does is not this program's.
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let before = table.window.state().engine.sight.frame.as_ref().unwrap().number;
        table.key(egui::Key::Space);
        table.until("a result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
        let shown = table.window.state().engine.session.as_ref().unwrap().shown().unwrap().clone();
        assert!(shown.votes.len() >= 2 && shown.votes.last().unwrap().frame.number > before, "a frame taken after the key votes");
        best = best.min(shown.waited);
        table.key(egui::Key::Escape);
    }
    assert!(best < 0.7, "{best} s");
}

#[test]
fn corrections_by_mouse_and_keys_go_on_record_as_such() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "9", "--players", "Ann"]);
    // A lying piece in row 2 above column 1: the reader does not count it.
    table.score(&Photo::of(&[3, 1], "red").lying(2, 2));
    let image = table.window.get_by_label("the picture of the result").rect();
    let scale = image.width() / 400.0;
    let at = |x: f32, y: f32| image.left_top() + egui::vec2(x, y) * scale;
    let click = |table: &mut Table, place: egui::Pos2| {
        for pressed in [true, false] {
            table.window.hover_at(place);
            table.window.event(egui::Event::PointerButton {
                pos: place,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::NONE,
            });
            table.step();
        }
    };
    let rows = |table: &Table| table.window.state().engine.session.as_ref().unwrap().shown().unwrap().rows(0).unwrap();
    // The picture is 400 × 280, cells of 20; row 1 is the lowest. A click on the lying piece counts it in row 2.
    click(&mut table, at(50.0, 250.0));
    assert_eq!(rows(&table), [3, 2], "{:?}", table.message());
    // One on a counted piece of row 1 rejects it, a second one restores it.
    click(&mut table, at(70.0, 270.0));
    assert_eq!(rows(&table), [2, 2], "{:?}", table.message());
    click(&mut table, at(70.0, 270.0));
    assert_eq!(rows(&table), [3, 2]);
    // By keys: a meeple that was not seen, in row 3.
    table.key(egui::Key::A);
    table.type_text("3");
    table.key(egui::Key::Enter);
    assert_eq!(rows(&table), [3, 2, 1]);
    table.accept();
    let Event::Built { results, .. } = table.game().events()[0].clone() else { panic!("built") };
    let correction = results[0].correction.clone().expect("recorded as a correction");
    assert_eq!((results[0].rows.as_slice(), correction.rows.as_slice()), (&[3, 1][..], &[3, 2, 1][..]));
    assert_eq!((correction.added, correction.counted.len(), correction.rejected.len()), (vec![3], 1, 0));
    assert!(correction.reason.contains("in row 2") && correction.reason.contains("added"), "{}", correction.reason);
    // Rows set by hand; floating ones are refused and can be put right.
    table.score(&Photo::of(&[2], "blue"));
    table.key(egui::Key::R);
    table.type_text("3 0 1");
    table.key(egui::Key::Enter);
    assert!(table.message().unwrap().contains("a meeple cannot float"), "{:?}", table.message());
    for _ in 0.."3 0 1".len() {
        table.key(egui::Key::Backspace);
    }
    table.type_text("3 1");
    table.key(egui::Key::Enter);
    assert_eq!(rows(&table), [3, 1]);
    table.key(egui::Key::Z);
    assert_eq!(rows(&table), [2], "as it was read");
    table.key(egui::Key::Escape);
    assert_eq!(table.game().events().len(), 1);
}

#[test]
fn what_cannot_be_read_can_only_be_accepted_when_counted_by_hand() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--players", "Ann,Bo"]);
    table.score(&Photo::of(&[3, 2], "red").without_playmat());
    table.key(egui::Key::Enter);
    assert!(table.message().unwrap().contains("there is no score to accept"), "{:?}", table.message());
    assert!(table.window.query_by_label_contains("No playmat found").is_some(), "the window says why");
    table.key(egui::Key::R);
    table.type_text("3,2");
    table.key(egui::Key::Enter);
    table.accept();
    assert_eq!(table.points()[0], ("Ann".into(), 7));
}

#[test]
fn a_shared_playmat_scores_all_players_at_once_by_their_colours() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--shared", "--players", "Ann=red,Bo=blue+green"]);
    table.score(&Photo::of(&[3, 2, 1], "red").and(&[4, 3], "blue", 8));
    let shown = table.window.state().engine.session.as_ref().unwrap().shown().unwrap().clone();
    assert_eq!(shown.players, ["Ann", "Bo"]);
    table.accept();
    assert_eq!(table.points(), [("Ann".into(), 10), ("Bo".into(), 10)]);
    assert_eq!(table.game().outcome().as_deref(), Some("Ann and Bo share the win"));
}

#[test]
fn the_destroyer_of_a_pyramid_is_declared_and_loses_at_once() {
    let mut table = Table::at_match(&["--variant", "higher", "--players", "Ann,Bo,Cy"]);
    table.key(egui::Key::D);
    table.key(egui::Key::Num2);
    table.key(egui::Key::Num2);
    table.until("declared", |app| !app.engine.session.as_ref().unwrap().is_saving());
    let Some(Event::Destroyed { by, of, .. }) = table.game().events().last().cloned() else { panic!("destroyed") };
    assert_eq!((by.as_str(), of.as_deref()), ("Bo", Some("Cy")));
    table.key(egui::Key::G);
    table.click("   2  Cy");
    table.until("given up", |app| app.engine.session.as_ref().unwrap().game().unwrap().outcome().is_some());
    assert_eq!(table.game().outcome().as_deref(), Some("Ann wins"));
}

#[test]
fn at_the_buzzer_what_stood_at_time_zero_counts_although_it_falls_right_after() {
    let mut table = Table::at_match(&["--variant", "higher", "--seconds", "2", "--players", "Ann,Bo"]);
    table.stage.show(&Photo::of(&[3, 2, 1], "red"));
    table.until("it stands", |app| {
        app.engine.running().and_then(|seen| seen.reading.score.clone()).is_some_and(|score| score.points == 10)
    });
    table.key(egui::Key::C);
    table.until("time is up", |app| app.engine.session.as_ref().unwrap().clock.zero().is_some());
    table.stage.show(&Photo::of(&[1], "red"));
    table.until("the picture at time zero", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    let session = table.window.state().engine.session.as_ref().unwrap();
    let (shown, zero) = (session.shown().unwrap().clone(), session.clock.zero().unwrap());
    assert_eq!((shown.origin, shown.rows(0)), (Origin::Buzzer, Some(vec![3, 2, 1])));
    assert!(shown.taken_at() <= zero && !shown.late);
    // Discarded by mistake, it is still there; what stands now is late and scores nothing.
    table.key(egui::Key::Escape);
    table.score(&Photo::of(&[1], "red"));
    let late = table.window.state().engine.session.as_ref().unwrap().shown().unwrap().clone();
    assert!(late.counts_late() && late.rows(0) == Some(vec![1]));
    table.key(egui::Key::Escape);
    table.key(egui::Key::B);
    table.accept();
    let Event::Built { results, late, .. } = table.game().events()[0].clone() else { panic!("built") };
    assert_eq!((results[0].rows.as_slice(), late), (&[3, 2, 1][..], false));
    let turn = table.last_turn();
    assert!(turn.seconds.is_some_and(|s| (1.0..=2.0).contains(&s)), "{:?}", turn.seconds);
}

#[test]
fn the_picture_at_time_zero_stays_evidence_of_a_result_taken_later() {
    let mut table = Table::at_match(&["--variant", "higher", "--seconds", "1", "--players", "Ann,Bo"]);
    table.stage.show(&Photo::of(&[3, 2, 1], "red"));
    table.until("it stands", |app| {
        app.engine.running().and_then(|seen| seen.reading.score.clone()).is_some_and(|score| score.points == 10)
    });
    table.key(egui::Key::C);
    table.until("the picture at time zero", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    table.key(egui::Key::Escape);
    table.score(&Photo::of(&[3], "red"));
    table.accept();
    let turn = table.last_turn();
    assert!(turn.late && turn.views.len() == 2 && turn.used == 0, "{} views", turn.views.len());
    assert_eq!(turn.views[1].reading.score.as_ref().unwrap().rows, [3, 2, 1]);
    assert!(toy::sha256sum(Path::new(&table.dir())).0);
}

#[test]
fn leaving_and_coming_back_goes_on_where_it_was() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "2", "--players", "Ann,Bo"]);
    table.build(&[3, 2, 1]);
    table.window.state_mut().engine.session = None;
    // The keeper's thread lets go of the match in its own time.
    std::thread::sleep(Duration::from_millis(200));
    let app = App::new(table.stage.engine(), table.folder.path().to_owned(), false, false);
    table.window = Harness::builder().with_size((1280.0, 720.0)).build_ui_state(|ui, app: &mut App| app.show(ui), app);
    table.step();
    table.click("match – points for pyramids, 2 turns, 120 s to build: Ann, Bo; turn 1");
    let session = table.window.state().engine.session.as_ref().expect("gone on with");
    assert_eq!(session.players(), ["Bo"]);
    table.build(&[2, 1]);
    assert_eq!(table.points(), [("Ann".into(), 10), ("Bo".into(), 4)]);
}

#[test]
fn the_clock_of_a_turn_that_was_left_waits_for_whoever_comes_back() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "2", "--players", "Ann,Bo"]);
    let clocks = KeptClocks::at(table.folder.path().join("state"));
    table.window.state_mut().engine.clocks = clocks.clone();
    table.build(&[3, 2, 1]);
    table.key(egui::Key::C);
    table.window.state_mut().engine.leave();
    table.window.state_mut().engine.session = None;
    std::thread::sleep(Duration::from_millis(200));
    let dir = table.dir();
    table.window.state_mut().engine.resume(dir.into()).unwrap();
    table.step();
    let clock = table.window.state().engine.session.as_ref().unwrap().clock.clone();
    let left = clock.left(std::time::Instant::now());
    assert!(clock.is_paused() && left < Duration::from_secs(120) && left > Duration::from_secs(100), "{left:?}");
    assert!(table.message().unwrap().contains("as when the match was left: C lets it go on"), "{:?}", table.message());
    // Once the turn is over the clock is that of the next one, which is not kept before it is started.
    table.build(&[2, 1]);
    table.window.state_mut().engine.leave();
    assert_eq!(clocks.take(Path::new(&table.dir()), 2), None);
}

#[test]
fn a_stream_that_breaks_in_the_middle_of_a_match_loses_nothing() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "2", "--players", "Ann,Bo"]);
    table.build(&[3, 2, 1]);
    table.score(&Photo::of(&[4, 3], "red"));
    table.stage.set(Scene::Gone);
    table.until("told", |app| app.engine.sight.condition.words().is_some());
    // The result on show is not touched by it.
    table.accept();
    assert!(table.window.query_by_label_contains("was unplugged").is_some(), "the window says so");
    table.key(egui::Key::Space);
    for _ in 0..50 {
        table.step();
        assert!(table.window.state().engine.session.as_ref().unwrap().is_scoring(), "nothing is scored from an old picture");
    }
    table.stage.show(&Photo::of(&[2, 1], "red"));
    table.until("a result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    table.accept();
    assert_eq!(table.points(), [("Ann".into(), 14), ("Bo".into(), 10)]);
}

#[test]
fn without_a_match_space_scores_and_nothing_is_written() {
    let mut table = Table::new();
    table.step();
    table.click("Just score");
    table.score(&Photo::of(&[5, 4, 2, 1], "red"));
    assert!(table.window.query_by_label("rows 5·4·2·1").is_some());
    table.key(egui::Key::Enter);
    assert!(table.message().unwrap().contains("23 points") && table.message().unwrap().contains("Not recorded"));
    assert_eq!(fs::read_dir(table.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_piece_that_falls_unnoticed_is_not_outvoted_by_what_stood_before() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--players", "Ann,Bo"]);
    table.stage.show(&Photo::of(&[3, 2, 1], "red"));
    table.until("read", |app| app.engine.recent.len() >= 3 && app.engine.sight.still_for > Duration::from_millis(600));
    // One pixel decides whether the toy eye sees a playmat: far too little to count as moving.
    table.stage.show(&Photo::of(&[3, 2, 1], "red").without_playmat());
    let number = table.window.state().engine.sight.frame.as_ref().unwrap().number;
    table.until("the camera sees it", |app| app.engine.sight.frame.as_ref().unwrap().number > number + 2);
    table.key(egui::Key::Space);
    table.until("a result", |app| app.engine.session.as_ref().unwrap().shown().is_some());
    let shown = table.window.state().engine.session.as_ref().unwrap().shown().unwrap().clone();
    assert_eq!((shown.rows(0), shown.verdict.disagreement), (None, None), "only what was read after the key counts");
}

#[test]
fn a_result_can_be_given_to_another_player_before_it_is_accepted() {
    let mut table = Table::at_match(&["--variant", "points", "--turns", "1", "--players", "Ann,Bo"]);
    table.score(&Photo::of(&[3, 2], "red"));
    table.key(egui::Key::Tab);
    table.accept();
    let Event::Built { results, .. } = table.game().events()[0].clone() else { panic!("built") };
    assert_eq!((results[0].player.as_str(), results[0].correction.as_ref()), ("Bo", None));
    assert_eq!(table.window.state().engine.session.as_ref().unwrap().players(), ["Ann"]);
}
