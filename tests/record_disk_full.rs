//! A full disk refuses the turn, says so, and loses nothing: on a small tmpfs where one may be mounted, and with a limit on
//! the size of files, which fails in the middle of a write.
#![cfg(unix)]

mod toy;

use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
};

use pyrameeple::record::{Record, Writer};
use toy::{Photo, Table, ok, run, sha256sum};

const TMPFS: &str = "PYRAMEEPLE_DISK_FULL_DIR";
const LIMITED: &str = "PYRAMEEPLE_FILE_LIMIT_DIR";

/// Plays on after `accepted` turns until one is refused, then checks what was accepted; returns how many turns there are.
fn play_until_refused(dir: &str, photos: &Table, mut accepted: usize) -> usize {
    let refusal = loop {
        let photo = photos.photo(Photo::of(&[4, 3, 2, 1], "red"));
        let ran = run(&["match", "add", dir, "--player", "Anna", &photo]);
        if ran.code != 0 {
            break ran;
        }
        accepted += 1;
        assert!(accepted < 900, "the disk never filled");
    };
    assert_eq!(refusal.code, 2);
    assert!(refusal.err.contains("make room on that disk and try again"), "{refusal:?}");
    assert!(!refusal.out.contains("accepted"), "{refusal:?}");
    let record = Record::read(Path::new(dir)).unwrap();
    assert_eq!(record.game().table().turns.len(), accepted, "everything accepted is there, and nothing else");
    let verified = run(&["verify", dir]);
    assert_eq!(verified.code, 0, "{verified:?}");
    assert!(sha256sum(Path::new(dir)).0);
    accepted
}

/// Runs the ignored test `name` of this file in a shell that has done `before`.
fn child(before: &str, name: &str, variable: &str, dir: &Path) -> Output {
    Command::new("sh")
        .args(["-c", &format!("{before} && exec \"$0\" \"$@\""), env::current_exe().unwrap().to_str().unwrap()])
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(variable, dir)
        .output()
        .unwrap()
}

fn both(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
#[ignore = "runs inside the mount that `a_full_disk_refuses…` makes"]
fn child_on_a_small_disk() {
    let Ok(small) = env::var(TMPFS) else { return };
    let (dir, filler) = (format!("{small}/match"), format!("{small}/filler"));
    let photos = Table::default();
    ok(&["match", "new", &dir, "--variant", "points", "--turns", "900", "--players", "Anna"]);
    // Ever less room: the write that fails is another one each time.
    let mut total = 0;
    for spare in [150_000, 20_000, 14_000, 11_000, 9_000, 7_000, 5_000, 4_096, 1] {
        fs::remove_file(&filler).ok();
        let free = free_bytes(&small);
        fs::write(&filler, vec![0; free.saturating_sub(spare)]).ok();
        total = play_until_refused(&dir, &photos, total);
    }
    fs::remove_file(&filler).unwrap();
    let photo = photos.photo(Photo::of(&[1], "red"));
    ok(&["match", "add", &dir, "--player", "Anna", &photo]);
    assert!(sha256sum(Path::new(&dir)).0);
    println!("{total} turns accepted on the small disk");
}

fn free_bytes(at: &str) -> usize {
    let said = Command::new("df").args(["-B1", "--output=avail", at]).output().unwrap();
    String::from_utf8_lossy(&said.stdout).lines().nth(1).unwrap().trim().parse().unwrap()
}

#[test]
fn a_full_disk_refuses_the_turn_and_loses_nothing() {
    let mount = tempfile::tempdir().unwrap();
    // In a namespace of its own, so that the mount goes with the program.
    let before = format!("unshare -m true && mount -t tmpfs -o size=600k tmpfs '{}'", mount.path().display());
    let can = Command::new("unshare").args(["-m", "sh", "-c", &before]).status();
    if !can.is_ok_and(|s| s.success()) {
        println!("skipped: mounting a small tmpfs needs root (and unshare)");
        return;
    }
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &format!("{before} && exec \"$0\" \"$@\""), env::current_exe().unwrap().to_str().unwrap()])
        .args(["--exact", "child_on_a_small_disk", "--ignored", "--nocapture", "--test-threads=1"])
        .env(TMPFS, mount.path())
        .output()
        .unwrap();
    let said = both(&output);
    assert!(output.status.success() && said.contains("turns accepted on the small disk"), "{said}");
}

#[test]
#[ignore = "runs with the limit that `a_file_that_may_not_grow…` sets"]
fn child_with_limited_files() {
    let Ok(limited) = env::var(LIMITED) else { return };
    let dir = format!("{limited}/match");
    let photos = Table::default();
    ok(&["match", "new", &dir, "--variant", "points", "--turns", "900", "--players", "Anna"]);
    let accepted = play_until_refused(&dir, &photos, 0);
    assert!(accepted > 3, "only {accepted}: the evidence itself did not fit");
    println!("{accepted} turns accepted below the limit");
}

#[test]
fn a_file_that_may_not_grow_any_more_refuses_the_turn_and_loses_nothing() {
    // The log reaches the limit in the middle of a line: half of it is written before the system refuses.
    for blocks in [20, 23, 26] {
        let folder = tempfile::tempdir().unwrap();
        let output = child(&format!("trap '' XFSZ && ulimit -f {blocks}"), "child_with_limited_files", LIMITED, folder.path());
        let said = both(&output);
        assert!(output.status.success() && said.contains("turns accepted below the limit"), "{said}");
        let dir = folder.path().join("match");
        let mut writer = Writer::open(&dir, "2026-01-01T00:00:00Z").unwrap();
        let round = writer.game().round().unwrap();
        let event = pyrameeple::matchplay::Event::Missed { round, player: "Anna".into(), reason: None };
        writer.accept(event, "2026-01-01T00:00:00Z").unwrap();
        assert!(sha256sum(&dir).0, "without the limit the match goes on");
    }
}
