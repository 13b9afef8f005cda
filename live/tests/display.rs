//! The program itself on a display that shows itself to nobody: whole matches of both variants by real key presses and
//! clicks, with real pictures. Skipped, with a line that says so, where Xvfb or xdotool is missing.

mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use common::{has, toy, until};
use pyrameeple::record::Record;
use serde_json::Value;

const LONG: Duration = Duration::from_secs(120);

/// A display and the program on it.
struct Display {
    server: Child,
    name: String,
    program: Option<Child>,
    folder: tempfile::TempDir,
    figures: Arc<Mutex<Vec<Value>>>,
}

/// Held while a server starts: two that start at once can both make the sockets' folder, and one of them gives up.
static STARTING: Mutex<()> = Mutex::new(());

impl Display {
    /// A display; `None` where there can be none.
    fn new() -> Option<Self> {
        if !has("Xvfb") || !has("xdotool") {
            println!("skipped: Xvfb and xdotool are not installed");
            return None;
        }
        let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let (server, name) = (0..3).find_map(|_| Self::serve()).expect("Xvfb does not start: see what it says above");
        let (folder, figures) = (tempfile::tempdir().unwrap(), Arc::default());
        Some(Self { server, name, program: None, folder, figures })
    }

    /// A server with the number that it took; `None` when it ends, or has said no number for half a minute.
    fn serve() -> Option<(Child, String)> {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1280x720x24", "-nolisten", "tcp"]);
        let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut number = BufReader::new(server.stdout.take().unwrap());
        let (said, hears) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            let _ = number.read_line(&mut line);
            let _ = said.send(line);
        });
        match hears.recv_timeout(Duration::from_secs(30)) {
            Ok(line) if !line.trim().is_empty() => Some((server, format!(":{}", line.trim()))),
            _ => {
                let _ = server.kill();
                let _ = server.wait();
                None
            }
        }
    }

    /// Starts the program and waits for its window; false where no window can be opened at all.
    fn start(&mut self, args: &[&str]) -> bool {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyrameeple-live"));
        command.args(args).args(["--mute", "--stats"]).env("DISPLAY", &self.name);
        // A Wayland display that is gone is passed over for the one that is there.
        command.env_remove("WAYLAND_SOCKET").env("WAYLAND_DISPLAY", "gone").current_dir(self.folder.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (figures, stderr) = (self.figures.clone(), child.stderr.take().unwrap());
        let said = Arc::new(Mutex::new(String::new()));
        let saying = said.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                match serde_json::from_str(&line) {
                    Ok(value) => figures.lock().unwrap().push(value),
                    Err(_) => saying.lock().unwrap().push_str(&line),
                }
            }
        });
        self.figures.lock().unwrap().clear();
        let ended = |child: &mut Child| child.try_wait().unwrap().is_some();
        until(LONG, || ended(&mut child) || !self.figures.lock().unwrap().is_empty(), || "no window".into());
        if ended(&mut child) {
            // The libraries that draw are not there: the window needs them, the tests cannot bring them.
            println!("skipped: {}", said.lock().unwrap());
            return false;
        }
        self.program = Some(child);
        let window = self.xdotool(&["search", "--name", "^pyrameeple$"]);
        self.xdotool(&["windowfocus", "--sync", window.lines().next().unwrap_or_default()]);
        true
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let ran = Command::new("xdotool").args(args).env("DISPLAY", &self.name).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    }

    fn key(&self, key: &str) {
        self.xdotool(&["key", key]);
        thread::sleep(Duration::from_millis(150));
    }

    fn type_text(&self, text: &str) {
        self.xdotool(&["type", "--delay", "60", text]);
        thread::sleep(Duration::from_millis(150));
    }

    /// Waits until the figures written from now on satisfy `is`.
    #[track_caller]
    fn figures(&self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let from = self.figures.lock().unwrap().len();
        let found = || self.figures.lock().unwrap().iter().skip(from).find(|value| is(value)).cloned();
        until(LONG, || found().is_some(), || format!("{what}: {:?}", self.figures.lock().unwrap().last()));
        found().unwrap()
    }

    /// Waits for a result on show.
    #[track_caller]
    fn result(&self) -> Value {
        self.figures("a result", |value| !value["waited_ms"].is_null())
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("evening")
    }

    /// Waits until the match has `events`.
    #[track_caller]
    fn events(&self, events: usize) -> Record {
        let read = || Record::read(&self.dir()).ok();
        until(LONG, || read().is_some_and(|record| record.game().events().len() == events), || format!("{:?}", read()));
        read().unwrap()
    }

    /// Leaves by Q; the program must end by itself.
    fn leave(&mut self) {
        self.key("q");
        if let Some(mut program) = self.program.take() {
            until(LONG, || program.try_wait().unwrap().is_some(), || "Q should end it".into());
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        for child in self.program.iter_mut().chain([&mut self.server]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn new_match(display: &Display, args: &[&str]) {
    toy::ok(&[&["match", "new", display.dir().to_str().unwrap()], args].concat());
}

fn photo(name: &str) -> String {
    common::testdata().join(format!("{name}.jpg")).display().to_string()
}

/// Waits until the sums fit: they are written right after the log that they cover.
#[track_caller]
fn sums_hold(dir: &Path) {
    until(LONG, || toy::sha256sum(dir).0, || toy::sha256sum(dir).1);
}

#[test]
fn a_match_of_points_is_played_on_a_display_by_keys() {
    let Some(mut display) = Display::new() else { return };
    new_match(&display, &["--variant", "points", "--turns", "1", "--players", "Zoë,张伟"]);
    if !display.start(&["evening", "--theme", "dark", "--source", &photo("p010056")]) {
        return;
    }
    display.figures("readings", |value| !value["reading_ms"].is_null());
    display.key("space");
    display.result();
    display.key("Return");
    let record = display.events(1);
    let read = record.game().table().turns.values().next().unwrap().rows().to_vec();
    // The same picture read by the scoring program gives the same rows.
    display.key("Tab");
    display.key("space");
    display.result();
    display.key("r");
    display.type_text("3 2 1");
    display.key("Return");
    display.key("Return");
    let record = display.events(2);
    let game = record.game();
    assert!(game.outcome().is_some());
    let points: Vec<u32> = game.table().turns.values().map(|turn| turn.points(game.options())).collect();
    assert_eq!(points, [pyrameeple::rules::points(&read), 10]);
    sums_hold(&display.dir());
    display.leave();
}

#[test]
fn a_match_of_higher_is_played_on_a_display_by_mouse_and_keys_with_the_buzzer() {
    let Some(mut display) = Display::new() else { return };
    new_match(&display, &["--variant", "higher", "--seconds", "3", "--players", "Ann,Bo"]);
    if !display.start(&["evening", "--theme", "dark", "--source", &photo("p010056")]) {
        return;
    }
    display.figures("readings", |value| !value["reading_ms"].is_null());
    // The first key at the bottom left is SPACE; a click is as good as a press.
    display.xdotool(&["mousemove", "60", "700", "click", "1"]);
    display.key("c");
    // Nobody presses anything more: at time zero the picture is taken by itself.
    display.result();
    display.key("r");
    display.type_text("3,2,1");
    display.key("Return");
    display.key("Return");
    let record = display.events(1);
    let turn = record.game().table().turns.values().next().unwrap().clone();
    assert_eq!((turn.rows(), turn.taken_late), (&[3, 2, 1][..], false));
    display.key("n");
    display.key("Return");
    let record = display.events(2);
    assert_eq!(record.game().outcome().as_deref(), Some("Ann wins"));
    sums_hold(&display.dir());
    // U takes it back; the match goes on after the window was closed and opened again.
    display.key("u");
    display.events(3);
    display.leave();
    assert!(display.start(&["evening", "--source", &photo("p010056"), "--theme", "light"]));
    display.key("n");
    display.key("Return");
    assert!(display.events(4).game().outcome().is_some());
    display.leave();
    assert!(fs::read_dir(display.dir()).unwrap().count() >= 4);
}

#[test]
fn without_a_display_the_window_says_what_to_do() {
    let said = |displays: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyrameeple-live"));
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        let ran = command.args(["--source", &photo("p010056")]).envs(displays.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(2) && said.contains("--headless") && !said.contains(".rs"), "{said}");
        said
    };
    assert!(said(&[]).contains("there is no display"), "{}", said(&[]));
    let gone = said(&[("DISPLAY", ":64999")]);
    assert!(gone.contains("DISPLAY=:64999 cannot be opened"), "{gone}");
}
