//! The table in a terminal without a window: the program itself, keys through a pipe, real pictures.

mod common;

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use common::toy;
use pyrameeple::record::Record;

/// Runs `--headless` in `folder` with `args`, types `keys` one after the other with pauses until each has had its effect
/// (a text that must be printed), and returns everything that was printed.
fn play(folder: &Path, args: &[&str], keys: &[(&str, &str)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pyrameeple-live"));
    command.args(["--headless", "--mute"]).args(args).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let (shared, stdout) = (lines.clone(), child.stdout.take().unwrap());
    let reading = std::thread::spawn(move || {
        use std::io::BufRead;
        for line in std::io::BufReader::new(stdout).lines().map_while(Result::ok) {
            let mut text = shared.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
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
    let said = play(folder.path(), &["--source", &photo("p010056")], &[(" ", "Result:"), ("\n", "Not recorded")]);
    assert!(said.contains("points"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_match_that_is_not_there_and_a_source_that_is_none_are_told() {
    let run = |args: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_pyrameeple-live")).arg("--headless").args(args).output().unwrap();
        assert_eq!(ran.status.code(), Some(2));
        String::from_utf8(ran.stderr).unwrap()
    };
    assert!(run(&["no/such/match", "--source", &photo("p010056")]).contains("there is no folder no/such/match"));
    assert!(run(&["--source", "no/such.mp4"]).contains("there is no file no/such.mp4"));
}
