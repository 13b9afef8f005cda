//! The cue of the last seconds: the program itself with players of the test's own, that work, fail or are not there.
#![cfg(target_os = "linux")]

mod common;

use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use common::{toy, until};

/// A program called `name` in `folder` that runs `script`.
fn player(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a clock of two seconds out, with the programs in `players` alone to play sounds and `keys` typed first; how long the
/// sounds were that were played, bytes.
fn clock_runs_out(folder: &Path, args: &[&str], keys: &str) -> Vec<u64> {
    let (dir, log) = (folder.join("evening"), folder.join("played"));
    toy::ok(&["match", "new", dir.to_str().unwrap(), "--variant", "higher", "--seconds", "2", "--players", "Ann,Bo"]);
    let photo = common::testdata().join("p010056.jpg");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pyrameeple-live"));
    command.arg(&dir).args(["--headless", "--source"]).arg(photo).args(args);
    command.env("PATH", folder.join("players")).env("LOG", &log).env("TMPDIR", folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(keys.as_bytes()).unwrap();
    stdin.write_all(b"c").unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    let played = || fs::read_to_string(&log).unwrap_or_default().lines().map(|line| line.parse().unwrap()).collect::<Vec<u64>>();
    if log.exists() {
        until(Duration::from_secs(20), || played().len() >= 3, || format!("{:?}", played()));
    }
    stdin.write_all(b"q").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".wav")), "{left:?}");
    played()
}

/// A folder with an empty folder of players in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("players")).unwrap();
    folder
}

const PLAY: &str = "for file; do :; done; exec /usr/bin/stat -L -c %s \"$file\" >> \"$LOG\"";

#[test]
fn each_of_the_last_seconds_ticks_and_the_end_sounds_longer() {
    let folder = folder();
    player(&folder.path().join("players"), "aplay", PLAY);
    // The first that is asked has no sound server to play to.
    player(&folder.path().join("players"), "pw-play", "echo 'no server' >&2; exit 1");
    let played = clock_runs_out(folder.path(), &[], "");
    assert!(played.len() == 3 && played[0] == played[1] && played[2] > 5 * played[1], "{played:?}");
}

#[test]
fn m_and_mute_keep_silent_and_a_system_without_sound_is_no_trouble() {
    for (args, keys) in [(&["--mute"][..], ""), (&[][..], "m")] {
        let folder = folder();
        player(&folder.path().join("players"), "aplay", PLAY);
        assert_eq!(clock_runs_out(folder.path(), args, keys), [0; 0]);
    }
    assert_eq!(clock_runs_out(folder().path(), &[], ""), [0; 0], "there is no player");
    let folder = folder();
    player(&folder.path().join("players"), "aplay", "exit 1");
    assert_eq!(clock_runs_out(folder.path(), &[], ""), [0; 0], "there is no sound card");
}
