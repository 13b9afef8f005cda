//! A record survives being killed: nothing the program said to be accepted is ever lost, and the log always opens again.
//!
//! `cargo test` kills the program a few dozen times. The full number:
//! `PYRAMEEPLE_KILLS=600 cargo test --release --test record_kill -- --nocapture`

mod toy;

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use pyrameeple::{
    matchplay::{Built, Correction, Event, Setup, Variant},
    record::{EVENTS, NewTurn, Reader, Record, Writer},
    verify::{Scope, check_integrity},
};
use toy::{Photo, ToyReader, sha256sum};

const AT: &str = "2026-01-01T00:00:00Z";
const DIR: &str = "PYRAMEEPLE_KILL_DIR";
/// Kills before a new match is begun: a long log takes longer to open, and the moments that matter become rare.
const KILLS_PER_MATCH: usize = 60;

/// Plays on in the match that the environment names until it is killed, and says of each event that it was accepted.
/// Not a test by itself.
#[test]
#[ignore = "the program that `killed_at_any_moment…` starts and kills"]
fn child_plays_until_it_is_killed() {
    let Ok(dir) = env::var(DIR) else { return };
    let mut said = std::io::stdout();
    loop {
        let mut writer = Writer::open(Path::new(&dir), AT).expect("a match that was killed opens again");
        let number = writer.game().events().len();
        let round = writer.game().round().expect("the match is long");
        match number % 7 {
            3 => {
                let turn = writer.game().table().turns.values().last().unwrap().round;
                let correction = Correction { rows: vec![2, 1], reason: "seen".into(), ..Correction::default() };
                let event = Event::Corrected { round: turn, player: "Anna".into(), correction };
                writer.accept(event, AT).unwrap();
            }
            5 => writer.accept(Event::Undone, AT).unwrap(),
            _ => {
                let bytes = Photo::of(&[3, 2, 1], "red").tag(number as u32).png();
                let reading = ToyReader::default().read("photo.png", &bytes, &[]);
                let annotated = ToyReader::default().annotate(&bytes, &reading);
                let results = vec![Built { player: "Anna".into(), rows: vec![3, 2, 1], correction: None }];
                let turn = NewTurn {
                    views: vec![("photo.png".into(), bytes, reading, annotated)],
                    used: 0,
                    disagreement: None,
                    model_sha256: None,
                    params: ToyReader::default().params(),
                    seconds: None,
                };
                writer.accept_turn(Event::Built { round, results, late: false }, turn, AT).unwrap();
            }
        }
        let record = writer.record();
        writeln!(said, "\naccepted {} {}", record.game().events().len(), record.log().last_sum).unwrap();
        said.flush().unwrap();
    }
}

/// Even spread of moments, the same in every run.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[test]
fn killed_at_any_moment_the_record_loses_nothing_accepted_and_opens_again() {
    let kills: usize = env::var("PYRAMEEPLE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let mut moments = Moments(0x9E37_79B9_7F4A_7C15);
    let (mut accepted, mut ahead, mut cut_off, mut behind, mut aside) = (0, 0, 0, 0, 0);
    let mut folder = tempfile::tempdir().unwrap();
    for kill in 0..kills {
        let dir = if kill % KILLS_PER_MATCH == 0 {
            folder = tempfile::tempdir().unwrap();
            let dir = folder.path().join("match");
            Writer::create(&dir, Setup::new(Variant::Points, ["Anna"], Some(1000)), AT).unwrap();
            dir
        } else {
            folder.path().join("match")
        };
        let before = Record::read(&dir).unwrap().game().events().len();
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "child_plays_until_it_is_killed", "--ignored", "--nocapture", "--test-threads=1"])
            .env(DIR, &dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        // Wait for a sign of life most of the time, so that kills do not all fall into the program's start.
        let mut said: Vec<(usize, String)> = Vec::new();
        let take = |line: &str, said: &mut Vec<(usize, String)>| {
            let mut words = line.strip_prefix("accepted ")?.split(' ');
            said.push((words.next()?.parse().ok()?, words.next()?.to_owned()));
            Some(())
        };
        if moments.next(10) > 0 {
            while said.is_empty() {
                let Some(line) = lines.next() else { break };
                take(&line, &mut said);
            }
        }
        std::thread::sleep(Duration::from_micros(moments.next(25_000)));
        child.kill().unwrap();
        for line in lines {
            // A line cut off by the kill is not a whole promise.
            let _ = take(&line, &mut said).filter(|()| said.last().is_some_and(|(_, sum)| sum.len() == 64));
        }
        let ended = child.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!complaint.contains("panicked"), "kill {kill}: {complaint}");

        // As it lies there: it opens, and holds whatever was promised.
        let record = Record::read(&dir).unwrap_or_else(|error| panic!("kill {kill}: the log does not open: {error}"));
        let lines: Vec<String> = fs::read_to_string(dir.join(EVENTS)).unwrap().lines().map(str::to_owned).collect();
        let events = record.game().events().len();
        for (number, sum) in said.iter().filter(|(_, sum)| sum.len() == 64) {
            assert!(events >= *number, "kill {kill}: event {number} was accepted, the log has {events}");
            assert!(lines.iter().any(|line| line.contains(sum.as_str())), "kill {kill}: event {number} is not the one accepted");
        }
        assert!(events >= before, "kill {kill}: {before} events became {events}");
        let (altered, _) = check_integrity(&record, &Scope::default());
        assert!(altered.is_empty(), "kill {kill}: evidence of accepted turns is gone: {altered:?}");
        accepted += events - before;
        ahead += usize::from(said.last().is_some_and(|(number, _)| events > *number));
        cut_off += usize::from(!record.log().cut_off.is_empty());
        behind += usize::from(record.sums() == pyrameeple::record::SumsState::Behind);

        // Opened to be written to, it is put in order, and anybody can check it.
        let writer = Writer::open(&dir, AT).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        assert_eq!(writer.game().events().len(), events, "kill {kill}");
        aside += usize::from(writer.notes().iter().any(|n| n.contains("set aside")));
        if kill % 10 == 9 {
            let (good, said) = sha256sum(&dir);
            assert!(good, "kill {kill}: {said}");
        }
    }
    println!(
        "{kills} kills: {accepted} events accepted, 0 lost, 0 logs that do not open; \
         {ahead} times one more than was said, {behind} times sums one line behind, {aside} times evidence set aside, {cut_off} lines cut off"
    );
}

#[test]
fn cut_off_at_any_byte_of_the_last_line_the_log_opens_with_all_lines_before() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("match");
    let mut writer = Writer::create(&dir, Setup::new(Variant::Points, ["Anna", "Ben"], Some(2)), AT).unwrap();
    let missed = |writer: &Writer, player: &str| Event::Missed {
        round: writer.game().round().unwrap(),
        player: player.into(),
        reason: None,
    };
    for player in ["Anna", "Ben"] {
        writer.accept(missed(&writer, player), AT).unwrap();
    }
    let sums = fs::read(dir.join("SHA256SUMS")).unwrap();
    let start = fs::read(dir.join(EVENTS)).unwrap().len();
    writer.accept(missed(&writer, "Anna"), AT).unwrap();
    drop(writer);
    let whole = fs::read(dir.join(EVENTS)).unwrap();
    for end in start..whole.len() {
        fs::remove_dir_all(dir.join("set-aside")).ok();
        // A power cut in the middle of the line: the sums had not taken their name yet.
        fs::write(dir.join("SHA256SUMS"), &sums).unwrap();
        fs::write(dir.join(EVENTS), &whole[..end]).unwrap();
        let writer = Writer::open(&dir, AT).unwrap_or_else(|error| panic!("cut at {end}: {error}"));
        assert_eq!(writer.game().events().len(), 2, "cut at {end}");
        assert_eq!(writer.notes().len(), usize::from(end > start), "cut at {end}: {:?}", writer.notes());
    }
}
