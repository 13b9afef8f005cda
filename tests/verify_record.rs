//! `pyrameeple verify`: what agrees, what differs, what was altered, and what a claim would need.

mod toy;

use std::{fs, path::Path};

use toy::{Photo, Table, ToyReader, files, ok, run, run_with};

fn table_of(turns: usize) -> Table {
    let table = Table::default();
    let turns = turns.to_string();
    ok(&["match", "new", &table.dir(), "--variant", "points", "--turns", &turns, "--players", "Anna,Ben"]);
    table
}

#[test]
fn an_untouched_match_of_50_rounds_agrees_and_one_changed_byte_in_any_file_is_named() {
    let table = Table::default();
    let dir = table.dir();
    ok(&["match", "new", &dir, "--variant", "points", "--turns", "50", "--players", "Anna"]);
    for turn in 0..50 {
        let rows: Vec<usize> = (1..=1 + turn % 5).rev().collect();
        table.add("Anna", &rows);
    }
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("agrees: 50; 153 files checked, all as recorded."), "{}", ran.out);
    let record = files(Path::new(&dir));
    let mut changed = 0;
    for (index, (path, content)) in record.iter().filter(|(_, content)| !content.is_empty()).enumerate() {
        let mut bytes = content.clone();
        let at = (index * 7919 + 31) % bytes.len();
        bytes[at] ^= 1 << (index % 8);
        let name = path.to_str().unwrap();
        fs::write(Path::new(&dir).join(path), &bytes).unwrap();
        let ran = run(&["verify", &dir]);
        assert_eq!(ran.code, 2, "{name}, byte {at}: {ran:?}");
        assert!(ran.out.contains(&format!("altered: {name}: ")), "{name}, byte {at}: {}", ran.out);
        let altered = ran.out.lines().filter(|line| line.starts_with("altered: ")).count();
        assert_eq!(altered, 1, "only that one: {}", ran.out);
        fs::write(Path::new(&dir).join(path), content).unwrap();
        changed += 1;
    }
    assert_eq!(changed, 153, "README, sums, log, and three files of each turn");
    assert_eq!(run(&["verify", &dir]).code, 0, "as it was");
}

#[test]
fn one_changed_byte_anywhere_in_the_log_or_the_sums_is_named() {
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    table.add("Ben", &[2, 1]);
    ok(&["match", "correct", &dir, "--player", "Ben", "--rows", "3", "--reason", "x"]);
    for name in ["events.jsonl", "SHA256SUMS"] {
        let path = Path::new(&dir).join(name);
        let content = fs::read(&path).unwrap();
        for at in 0..content.len() {
            let mut bytes = content.clone();
            bytes[at] ^= 1 << (at % 7);
            fs::write(&path, &bytes).unwrap();
            let ran = run(&["verify", &dir]);
            assert_eq!(ran.code, 2, "{name}, byte {at}: {ran:?}");
            assert!(ran.out.contains(&format!("altered: {name}: ")), "{name}, byte {at}: {}", ran.out);
        }
        fs::write(&path, content).unwrap();
    }
    assert_eq!(run(&["verify", &dir]).code, 0);
}

#[test]
fn missing_evidence_and_a_shortened_log_are_named() {
    let table = table_of(2);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    table.add("Ben", &[2, 1]);
    let photo = Path::new(&dir).join("rounds/01/1-anna/photo-1.png");
    let content = fs::read(&photo).unwrap();
    fs::remove_file(&photo).unwrap();
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("missing: rounds/01/1-anna/photo-1.png"), "{}", ran.out);
    assert!(ran.out.contains("agrees: 1, altered: 1"), "{}", ran.out);
    fs::write(&photo, content).unwrap();
    // Whole lines taken off the end leave a sound log; the sums know better.
    let events = Path::new(&dir).join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    let first: String = text.lines().take(2).map(|l| format!("{l}\n")).collect();
    fs::write(&events, first).unwrap();
    // One line fewer is what a program leaves that is stopped between log and sums the other way round: never.
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.out.contains("altered: events.jsonl: its end was altered or taken away"), "{}", ran.out);
    fs::write(&events, &text).unwrap();
    fs::write(&events, text.lines().enumerate().filter(|(i, _)| *i != 1).map(|(_, l)| format!("{l}\n")).collect::<String>())
        .unwrap();
    assert_eq!(run(&["verify", &dir]).code, 2, "a line taken out of the middle");
    fs::write(&events, "").unwrap();
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.out.contains("altered: events.jsonl"), "{ran:?}");
}

#[test]
fn a_log_made_anew_with_fitting_sums_differs_from_its_pictures() {
    // Somebody who rewrites log and sums is found out by the pictures.
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    table.add("Ben", &[2, 1]);
    let events = Path::new(&dir).join("events.jsonl");
    let mut log = pyrameeple::record::Log::parse(&fs::read(&events).unwrap());
    let mut text = String::new();
    let mut prev = String::new();
    for line in &mut log.lines {
        if let pyrameeple::record::Entry::Event { event: pyrameeple::matchplay::Event::Built { results, .. }, .. } =
            &mut line.entry
            && results[0].player == "Ben"
        {
            results[0].rows = vec![9, 8, 7];
        }
        line.prev = prev;
        let (encoded, sum) = line.encode().unwrap();
        text.push_str(&encoded);
        prev = sum;
    }
    fs::write(&events, &text).unwrap();
    let all: Vec<_> = log.files().cloned().collect();
    fs::write(Path::new(&dir).join("SHA256SUMS"), pyrameeple::record::sums_text(&all, text.as_bytes())).unwrap();
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("Ben: counts as 9·8·7 (46 points), reads as 2·1 (4 points): -42 points"), "{}", ran.out);
}

#[test]
fn corrected_results_agree_after_correction() {
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    table.add("Ben", &[2, 1]);
    ok(&["match", "correct", &dir, "--player", "Anna", "--reject", "5", "--reason", "held by a finger"]);
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("Anna: agrees after correction, 7 points"), "{}", ran.out);
    assert!(ran.out.contains("because \"held by a finger\""), "{}", ran.out);
}

#[test]
fn what_reads_otherwise_differs_piece_by_piece() {
    let table = table_of(1);
    let dir = table.dir();
    let photo = table.photo(Photo::of(&[3, 2, 1], "red").and(&[1], "blue", 4));
    ok(&["match", "add", &dir, "--player", "Anna", &photo]);
    let blind = ToyReader { blind_to: Some("blue") };
    let ran = run_with(&blind, &["verify", &dir]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for expected in [
        "rounds/01/1-anna: Anna: differs, 11 points",
        "counts as 4·2·1 (11 points), reads as 3·2·1 (10 points): -1 points; row 1 has 3 instead of 4",
        "piece 3 (blue, counted in row 1) is not seen any more (-1 points)",
    ] {
        assert!(ran.out.contains(expected), "{expected:?} in\n{}", ran.out);
    }
    // By another reader's eyes the correction may be right.
    ok(&["match", "correct", &dir, "--player", "Anna", "--rows", "3,2,1", "--reason", "the blue one is a die"]);
    let ran = run_with(&blind, &["verify", &dir]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("corrected to what it now reads as"), "{}", ran.out);
}

#[test]
fn what_cannot_be_read_is_said_so() {
    let table = table_of(1);
    let dir = table.dir();
    let photo = table.photo(Photo::of(&[3], "red").without_playmat());
    ok(&["match", "add", &dir, "--player", "Anna", "--rows", "3", "--reason", "cloth", &photo]);
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.out.contains("Anna: cannot read, 3 points")
            && ran.out.contains("no playmat found; by hand it counts as 3 (3 points)"),
        "{}",
        ran.out
    );
}

#[test]
fn a_round_a_turn_and_a_single_picture_can_be_verified() {
    let table = table_of(2);
    let dir = table.dir();
    for _ in 0..2 {
        table.add("Anna", &[3, 2, 1]);
        table.add("Ben", &[2, 1]);
    }
    for (path, turns, checked) in
        [("", 4, 15), ("/rounds/02", 2, 8), ("/rounds/02/1-anna", 1, 5), ("/rounds/02/1-anna/photo-1.png", 1, 5)]
    {
        let ran = run(&["verify", &format!("{dir}{path}"), "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let lines: Vec<serde_json::Value> = ran.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.iter().filter(|l| l["type"] == "turn" && l["turn"]["verdict"] == "agrees").count(), turns, "{path}");
        let summary = lines.last().unwrap();
        assert_eq!(
            (&summary["type"], &summary["files_checked"], &summary["exit_code"]),
            (&"summary".into(), &checked.into(), &0.into())
        );
    }
    // A part is not blamed for what is wrong elsewhere.
    fs::write(format!("{dir}/rounds/01/2-ben/photo-1.png"), "x").unwrap();
    assert_eq!(run(&["verify", &format!("{dir}/rounds/02")]).code, 0);
    assert_eq!(run(&["verify", &dir]).code, 2);
}

#[test]
fn whatever_cannot_be_verified_is_refused_with_the_reason() {
    let table = table_of(1);
    let dir = table.dir();
    let loose = table.photo(Photo::of(&[1], "red"));
    fs::create_dir_all(format!("{dir}/rounds/01")).unwrap();
    fs::write(format!("{dir}/rounds/01/note.txt"), "hello").unwrap();
    for (path, message) in [
        (table.path("nothing"), "there is nothing at"),
        (table.folder.path().to_str().unwrap().to_owned(), "is no match and no part of one"),
        (loose, "belongs to no match"),
        (format!("{dir}/rounds/01/note.txt"), "is not part of the record"),
    ] {
        let ran = run(&["verify", &path]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(message), "{message:?} in {ran:?}");
    }
    let ran = run(&["verify", &dir, "--against", "3,2,1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("a claim is about one result, and 0 are in"), "{ran:?}");
}

#[test]
fn a_claim_that_holds_and_one_that_does_not_name_the_pieces_it_would_need() {
    let table = table_of(1);
    let dir = table.dir();
    // Pieces 0 1 2, 3 4, then 5 lying on piece 3 in row 3, and far right 6… no: ids go row by row.
    let photo = table.photo(Photo::of(&[3, 2], "red").lying(1, 3).and(&[1], "blue", 15));
    ok(&["match", "add", &dir, "--player", "Anna", &photo]);
    let turn = format!("{dir}/rounds/01/1-anna");
    let claim = |more: &[&str]| run(&[&["verify", &turn][..], more].concat());
    for holds in [["--against", "3,2"], ["--points", "7"]] {
        let ran = claim(&holds);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains("holds."), "{ran:?}");
    }
    let ran = claim(&["--against", "3,2,1"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("row 3: 1 are claimed, 0 are counted: piece 6 (purple, lying: lies on its side) would have to count"),
        "{}",
        ran.out
    );
    let ran = claim(&["--points", "10"]);
    assert!(
        ran.out.contains(
            "10 points are claimed, 7 are counted: piece 6 (purple, lying: lies on its side) in row 3 would have to count"
        ),
        "{}",
        ran.out
    );
    let ran = claim(&["--points", "12"]);
    assert!(ran.out.contains("5 more are needed and the pieces that do not count (piece 6"), "{}", ran.out);
    let ran = claim(&["--against", "4,2"]);
    assert!(ran.out.contains("row 1: 4 are claimed, 3 are counted: no piece in the picture stands for it"), "{}", ran.out);
    assert!(ran.out.contains("it is what all pyramids in the picture come to, but they are not connected"), "{}", ran.out);
    let ran = claim(&["--against", "1"]);
    assert!(ran.out.contains("it is not the highest, and only the highest counts"), "{}", ran.out);
    let ran = claim(&["--against", "3,1"]);
    assert!(ran.out.contains("row 2: 1 are claimed, 2 are counted: least sure of them is piece"), "{}", ran.out);
    // A picture of no match can be claimed about as well.
    let ran = run(&["verify", &photo, "--against", "3,2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = run(&["verify", &photo, "--points", "9", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["claim"]["holds"], false);
    let dark = table.photo(Photo::of(&[3], "red").without_playmat());
    let ran = run(&["verify", &dark, "--points", "9"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("cannot be tested"), "{ran:?}");
}

#[test]
fn a_claim_about_a_shared_picture_is_that_of_one_player() {
    let table = Table::default();
    let dir = table.dir();
    ok(&["match", "new", &dir, "--variant", "points", "--turns", "1", "--shared", "--players", "Anna=red,Ben=blue"]);
    let photo = table.photo(Photo::of(&[3, 2, 1], "red").and(&[2, 1], "blue", 8));
    ok(&["match", "add", &dir, &photo]);
    assert_eq!(run(&["verify", &dir]).code, 0);
    let ran = run(&["verify", &dir, "--points", "4"]);
    assert!(ran.err.contains("--player where several share a picture"), "{ran:?}");
    assert_eq!(run(&["verify", &dir, "--points", "4", "--player", "Ben"]).code, 0);
    assert_eq!(run(&["verify", &dir, "--points", "4", "--player", "Anna"]).code, 1);
}

#[test]
fn an_undone_turn_is_not_read_again_but_its_files_are_checked() {
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    ok(&["match", "undo", &dir]);
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("no pictures; 6 files checked, all as recorded."), "{}", ran.out);
    fs::write(format!("{dir}/rounds/01/1-anna/photo-1.png"), "x").unwrap();
    assert_eq!(run(&["verify", &dir]).code, 2);
}

#[test]
fn an_undone_turn_given_by_its_folder_and_unknown_files_are_told() {
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    table.add("Ben", &[2, 1]);
    ok(&["match", "undo", &dir]);
    let ran = run(&["verify", &format!("{dir}/rounds/01/2-ben")]);
    assert!(ran.code == 0 && ran.out.contains("note: rounds/01/2-ben belongs to a turn that was taken back"), "{ran:?}");
    let ran = run(&["verify", &format!("{dir}/rounds/01/2-ben"), "--against", "2,1"]);
    assert!(ran.code == 2 && ran.err.contains("taken back") && ran.err.contains("no claim about it"), "{ran:?}");
    let ran = run(&["verify", &dir]);
    assert!(ran.code == 0 && !ran.out.contains("note:"), "the match is as it should be: {ran:?}");
    fs::write(format!("{dir}/rounds/01/1-anna/photo-2.png"), "smuggled in").unwrap();
    fs::write(format!("{dir}/notes.txt"), "ours").unwrap();
    let ran = run(&["verify", &dir]);
    for path in ["notes.txt", "rounds/01/1-anna/photo-2.png"] {
        assert!(ran.out.contains(&format!("note: {path} lies in the match folder, but no record knows it")), "{ran:?}");
    }
    assert_eq!(ran.code, 0, "they change no score");
    let ran = run(&["verify", &format!("{dir}/rounds/01/1-anna")]);
    assert!(ran.out.contains("photo-2.png") && !ran.out.contains("notes.txt"), "only what lies there: {ran:?}");
}

#[test]
fn views_that_disagreed_are_told() {
    let table = table_of(1);
    let dir = table.dir();
    let views = [Photo::of(&[3, 2, 1], "red"), Photo::of(&[3, 2], "red").tag(9)].map(|photo| table.photo(photo));
    assert_eq!(run(&["match", "add", &dir, "--player", "Anna", &views[0], &views[1]]).code, 1);
    let ran = run(&["verify", &dir]);
    assert!(ran.code == 0 && ran.out.contains("when it was accepted, the views disagree: view 1 shows 3·2·1"), "{ran:?}");
}

#[test]
fn verification_does_not_follow_paths_that_lead_out_of_the_match() {
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[1]);
    let events = Path::new(&dir).join("events.jsonl");
    let mut log = pyrameeple::record::Log::parse(&fs::read(&events).unwrap());
    let mut text = String::new();
    let mut prev = String::new();
    for line in &mut log.lines {
        if let pyrameeple::record::Entry::Event { files, .. } = &mut line.entry {
            files[0].path = "../../../etc/passwd".into();
        }
        line.prev = prev;
        let (encoded, sum) = line.encode().unwrap();
        text.push_str(&encoded);
        prev = sum;
    }
    fs::write(&events, &text).unwrap();
    let ran = run(&["verify", &dir]);
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("its path leads out of the match folder: it was not looked at"), "{}", ran.out);
}

#[test]
fn the_report_says_how_everything_was_found() {
    let table = table_of(1);
    let dir = table.dir();
    table.add("Anna", &[3, 2, 1]);
    table.add("Ben", &[2, 1]);
    let page = table.path("report.html");
    assert_eq!(run(&["verify", &dir, "--report", &page]).code, 0);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("✓ Verified") && html.contains("All 9 files are as recorded."), "verified");
    fs::write(format!("{dir}/rounds/01/2-ben/annotated-1.png"), "x").unwrap();
    assert_eq!(run(&["verify", &dir, "--report", &page]).code, 2);
    let html = fs::read_to_string(&page).unwrap();
    assert!(
        html.contains("✗ Not everything holds") && html.contains("rounds/01/2-ben/annotated-1.png</code> – it has 1 bytes"),
        "altered"
    );
}
