//! The table in a terminal without a window: the program itself, keys through a pipe, real pictures.

mod common;

use std::{
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use common::toy;
use pyrameeple::record::Record;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pyrameeple-live");

/// Runs `--headless` in `folder` with `args`, types `keys` one after the other with pauses until each has had its effect
/// (a text that must be printed), and returns everything that was printed.
fn play(folder: &Path, args: &[&str], keys: &[(&str, &str)]) -> String {
    let mut command = Command::new(PROGRAM);
    command.args(["--headless", "--mute"]).args(args).current_dir(folder);
    typed(command, keys)
}

/// Runs `command`, types `keys` as [`play`] does, then Q; everything that was printed.
fn typed(mut command: Command, keys: &[(&str, &str)]) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let (shared, stdout) = (lines.clone(), child.stdout.take().unwrap());
    let reading = std::thread::spawn(move || {
        // Piece by piece, since a question does not end its line.
        let (mut stdout, mut piece) = (stdout, [0; 4096]);
        while let Ok(read @ 1..) = stdout.read(&mut piece) {
            shared.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    });
    let mut from = 0;
    for (key, effect) in keys {
        stdin.write_all(key.as_bytes()).unwrap();
        common::until(
            Duration::from_secs(90),
            || lines.lock().unwrap()[from..].contains(effect),
            || format!("{key:?} should bring {effect:?} after\n{}", &lines.lock().unwrap()[from..]),
        );
        from = lines.lock().unwrap().len();
    }
    stdin.write_all(b"q").unwrap();
    child.wait().unwrap();
    reading.join().unwrap();
    lines.lock().unwrap().clone()
}

fn photo(name: &str) -> String {
    common::testdata().join(format!("{name}.jpg")).display().to_string()
}

#[test]
fn a_match_is_scored_corrected_undone_and_verified_over_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("evening");
    toy::ok(&["match", "new", dir.to_str().unwrap(), "--variant", "points", "--turns", "1", "--players", "Ann,Bo"]);
    let source = photo("p010056");
    let said = play(
        folder.path(),
        &["evening", "--source", &source],
        &[
            ("", "turn 1: Ann"),
            (" ", "Result, Ann:"),
            ("\n", "» Accepted. Ann"),
            ("u", "» Taken back"),
            (" ", "Result, Ann:"),
            ("r", "Meeples in each row"),
            ("5 4 2 1\n", "corrected by hand"),
            ("\n", "» Accepted. Ann: 5·4·2·1 (23 points)"),
            ("n", "Bo built nothing in time?"),
            ("\n", "Finished: Ann wins"),
        ],
    );
    assert!(said.contains("1. Ann  23 points  wins"), "{said}");
    let record = Record::read(&dir).unwrap();
    assert_eq!(record.game().events().len(), 4);
    assert!(toy::sha256sum(&dir).0);
    // The evidence is the photo as it came, so the scoring program reads it the same.
    let kept = std::fs::read(dir.join("rounds/01/1-ann/photo-1.jpg")).unwrap();
    assert!(kept == std::fs::read(source).unwrap());
}

#[test]
fn without_a_match_a_picture_is_scored_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let said = play(folder.path(), &["--just-score", "--source", &photo("p010056")], &[(" ", "Result:"), ("\n", "Not recorded")]);
    assert!(said.contains("points"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn in_a_terminal_it_asks_what_to_play_even_where_that_does_not_tell_its_size() {
    if !common::has("script") {
        println!("skipped: script (util-linux) is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("script");
    let program = format!("{PROGRAM} --headless --mute --source {}", photo("p010056"));
    // Fed by a pipe, `script` opens a terminal of 0 × 0.
    command.args(["-qec", &program, "/dev/null"]).current_dir(folder.path()).env("XDG_STATE_HOME", folder.path().join("state"));
    let said = typed(
        command,
        &[
            ("", "Number [1]:"),
            ("1\n", "Players"),
            ("Zoë, Bo\n", "Turns [3]:"),
            ("0\n", "1 to 1000"),
            ("2\n", "Seconds to build [120]:"),
            ("\n", "All on one playmat?"),
            ("yes\n", "Colours of Zoë [red]:"),
            ("\n", "Colours of Bo [blue]:"),
            ("\n", "Kept in the folder"),
            ("evening\n", "turn 1: Zoë, Bo"),
            ("c", "1:59"),
        ],
    );
    assert!(said.contains("does not tell its size: 80 × 24"), "{said}");
    let setup = Record::read(&folder.path().join("evening")).unwrap().game().setup().clone();
    assert_eq!((setup.turns, setup.options.seconds, setup.colours().len()), (Some(2), 120, 2));
    // The clock that was running when Q was pressed is there again, and the match's folder knows nothing of it.
    let mut command = Command::new("script");
    let program = format!("{PROGRAM} evening --headless --mute --source {}", photo("p010056"));
    command.args(["-qec", &program, "/dev/null"]).current_dir(folder.path()).env("XDG_STATE_HOME", folder.path().join("state"));
    typed(command, &[("", "The clock stands at 1:5"), ("", "C clock goes on")]);
    assert!(toy::sha256sum(&folder.path().join("evening")).0);
}

#[test]
fn a_match_that_is_not_there_and_a_source_that_is_none_are_told() {
    assert!(refused(&["no/such/match", "--source", &photo("p010056")]).contains("there is no folder no/such/match"));
    let said = refused(&["--source", "no/such.mp4"]);
    assert!(said.contains("there is no file no/such.mp4") && said.contains("a folder of pictures"), "{said}");
    let said = refused(&["--source", common::testdata().join("README.md").to_str().unwrap()]);
    assert!(said.contains("neither a picture nor a video, it holds text"), "{said}");
}

#[test]
fn without_a_terminal_it_says_what_to_type_and_that_nothing_was_typed() {
    let said = refused(&["--source", &photo("p010056")]);
    assert!(said.contains("pyrameeple match new evening") && said.contains("--just-score"), "{said}");
    let said = refused(&["--just-score", "--source", &photo("p010056")]);
    assert!(said.contains("standard input has ended before any key"), "{said}");
}

/// Runs `--headless` with `args` and nothing on standard input, which it must refuse; what it says.
fn refused(args: &[&str]) -> String {
    let ran = Command::new(PROGRAM).args(["--headless", "--mute"]).args(args).stdin(Stdio::null()).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    String::from_utf8(ran.stderr).unwrap()
}
