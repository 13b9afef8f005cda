//! Many photos: results on disk as they come, resumed after an interruption, watched as they arrive, bounded in time.
#![cfg(unix)]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use assert_cmd::{assert::OutputAssertExt, cargo::cargo_bin};
use predicates::{prelude::PredicateBooleanExt, str::contains};
use pyrameeple::reading::Reading;
use tempfile::{TempDir, tempdir};

/// The program at a folder of its own, in which it finds photos under short names.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(cargo_bin!("pyrameeple"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Copies of the smallest test photo in two nested folders, and a file that is no photo in each.
fn many(photos: usize) -> TempDir {
    let folder = tempdir().unwrap();
    let photo = fs::read(common::testdata().join("formats/rgb.jpg")).unwrap();
    for number in 0..photos {
        let inside = folder.path().join("photos").join(["a", "b/c"][number % 2]);
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join(format!("{number:03}.jpg")), &photo).unwrap();
        fs::write(inside.join("notes.txt"), "no photo").unwrap();
    }
    folder
}

fn readings(path: &Path) -> Vec<Reading> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| {
            let mut reading: Reading = serde_json::from_str(line).unwrap();
            reading.timings_ms.clear();
            reading
        })
        .collect()
}

/// Sends `signal` to the program. The shell's own `kill` is everywhere, the program of that name is not.
fn signal(child: &Child, signal: &str) {
    let kill = format!("kill -s {signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

#[test]
fn a_run_that_is_killed_again_and_again_reads_every_photo_once() {
    let folder = many(40);
    let (whole, results, csv) =
        (folder.path().join("whole.jsonl"), folder.path().join("results.jsonl"), folder.path().join("table.csv"));
    program(folder.path()).args(["score", "-r", "photos", "--results", "whole.jsonl"]).assert().stderr(contains("40 photos: "));
    let (mut kills, mut jobs) = (0, 1);
    for pause in (5..).step_by(70) {
        let mut child = program(folder.path())
            .args(["score", "-r", "photos", "--results", "results.jsonl", "--csv", "table.csv", "--resume"])
            .args(["--jobs", &jobs.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(pause));
        signal(&child, "KILL");
        let ended = child.wait().unwrap();
        if ended.code().is_some() {
            break;
        }
        // A line that breaks off wherever the kill hit, or would have.
        let bytes = fs::read(&results).unwrap_or_default();
        if kills % 3 == 1 && !bytes.is_empty() {
            fs::write(&results, &bytes[..bytes.len() - 7]).unwrap();
        }
        (kills, jobs) = (kills + 1, jobs % 3 + 1);
        assert!(kills < 300, "it never ends");
    }
    program(folder.path())
        .args(["score", "-r", "photos", "--results", "results.jsonl", "--csv", "table.csv", "--resume"])
        .assert()
        .stderr(contains("40 photos: ").and(contains("(40 of them by an earlier run)")));
    assert!(kills >= 2, "killed {kills} times only");
    assert_eq!(readings(&results), readings(&whole), "after {kills} kills");
    let mut table = csv::Reader::from_path(&csv).unwrap();
    let names: Vec<String> = table.records().map(|row| row.unwrap()[0].to_owned()).collect();
    assert_eq!(names, readings(&whole).iter().map(|reading| reading.photo.clone()).collect::<Vec<_>>());
}

#[test]
fn a_table_alone_can_be_resumed_too() {
    let folder = many(6);
    let csv = folder.path().join("table.csv");
    program(folder.path()).args(["score", "-r", "photos", "--csv", "table.csv"]).assert().stderr(contains("6 photos: "));
    let whole = fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&csv, format!("{}\n{}", lines[..4].join("\n"), &lines[4][..9])).unwrap();
    let ran =
        program(folder.path()).args(["score", "-r", "photos", "--csv", "table.csv", "--resume", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8(ran.stdout).unwrap().lines().count(), 3, "three of six were there");
    assert!(String::from_utf8(ran.stderr).unwrap().contains("the last line of table.csv breaks off"));
    let names = |text: &str| text.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&fs::read_to_string(&csv).unwrap()), names(&whole));
}

#[test]
fn results_are_not_lost_by_forgetting_to_resume() {
    let folder = many(2);
    let score = |more: &[&str]| {
        let mut command = program(folder.path());
        command.args(["score", "-r", "photos"]).args(more).assert()
    };
    score(&["--results", "r.jsonl"]);
    let before = fs::read(folder.path().join("r.jsonl")).unwrap();
    score(&["--results", "r.jsonl"]).code(2).stdout("").stderr(contains("holds results already; add --resume"));
    score(&["--results", "photos/a/notes.txt", "--resume"]).code(2).stderr(contains("no result of pyrameeple"));
    score(&["--resume"]).code(2).stderr(contains("give --results FILE"));
    assert_eq!(fs::read(folder.path().join("r.jsonl")).unwrap(), before);
    score(&["--results", "r.jsonl", "--resume"])
        .stderr(contains("2 photos: ").and(contains("skipped 2 files without a picture")));
}

#[test]
fn an_interrupted_run_finishes_what_is_in_work_and_says_how_to_go_on() {
    let folder = many(100);
    let child = program(folder.path())
        .args(["score", "-r", "photos", "--results", "r.jsonl", "--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let results = folder.path().join("r.jsonl");
    let start = Instant::now();
    while fs::read(&results).unwrap_or_default().is_empty() && start.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let read = readings(&results).len();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(read < 100 && told.contains(&format!("{read} photo")) && told.contains("--resume goes on from here"), "{told}");
}

#[test]
fn photos_are_scored_as_they_arrive() {
    let folder = many(1);
    let photos = folder.path().join("photos");
    let mut child = program(folder.path())
        .args(["score", "-r", "photos", "--json", "--watch", "--annotate", "photos"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Reading>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next().photo, "photos/a/000.jpg");
    let photo = fs::read(common::testdata().join("formats/progressive.jpg")).unwrap();
    fs::write(photos.join("later.txt"), "no photo").unwrap();
    // Half of it first, as a slow card reader has it.
    fs::write(photos.join("later.jpg"), &photo[..photo.len() / 2]).unwrap();
    thread::sleep(Duration::from_millis(700));
    fs::write(photos.join("later.jpg"), &photo).unwrap();
    let later = next();
    assert_eq!((later.photo.as_str(), later.width), ("photos/later.jpg", 72));
    // The same name with another picture in it is a new photo.
    fs::copy(common::testdata().join("formats/exif6.jpg"), photos.join("later.jpg")).unwrap();
    assert_eq!(next().photo, "photos/later.jpg");
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("waiting for more photos in photos") && told.contains("3 photos: "), "{told}");
    assert_ne!(output.status.code(), Some(130));
    let mut names: Vec<String> = fs::read_dir(&photos).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["000.scored.jpg", "a", "later.jpg", "later.scored.jpg", "later.txt"], "what it wrote was no new photo");
}

#[test]
fn watching_needs_a_folder() {
    let folder = many(1);
    program(folder.path()).args(["score", "photos/a/000.jpg", "--watch"]).assert().code(2).stderr(contains("give one"));
}

#[test]
fn a_photo_that_takes_too_long_is_given_up() {
    let folder = many(2);
    let large =
        image::RgbImage::from_fn(3000, 2000, |x, y| image::Rgb([(x % 251) as u8, (y % 241) as u8, ((x * y) % 239) as u8]));
    large.save(folder.path().join("large.png")).unwrap();
    program(folder.path())
        .args(["score", "large.png", "photos/a/000.jpg", "--timeout", "0.02", "--jobs", "2"])
        .assert()
        .code(2)
        .stdout(contains("reading it took longer than 0.02 s").and(contains("--timeout")));
    program(folder.path()).args(["score", "large.png", "--timeout", "0"]).assert().code(2).stderr(contains("above 0"));
}
