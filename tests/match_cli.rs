//! `pyrameeple match` and its record, as people type it.

mod toy;

use std::{fs, path::Path};

use pyrameeple::record::{EVENTS, Log, Writer};
use toy::{Photo, Table, files, ok, run, sha256sum};

fn points_table(names: &str, turns: &str) -> Table {
    let table = Table::default();
    ok(&["match", "new", &table.dir(), "--variant", "points", "--turns", turns, "--players", names]);
    table
}

/// Runs a command that must be refused with `message`, and change nothing.
#[track_caller]
fn refused(table: &Table, args: &[&str], message: &str) {
    let dir = table.dir();
    let before = Path::new(&dir).exists().then(|| files(Path::new(&dir)));
    let ran = run(args);
    assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
    assert!(ran.err.contains(message), "{args:?}: expected {message:?} in {}", ran.err);
    assert!(ran.out.is_empty(), "{ran:?}");
    let after = Path::new(&dir).exists().then(|| files(Path::new(&dir)));
    assert!(before == after, "{args:?} changed the match");
}

#[test]
fn a_match_of_points_is_played_from_new_to_finished() {
    let table = points_table("Anna,Ben", "2");
    let said = table.add("Anna", &[5, 4, 2, 1]);
    assert!(said.contains("turn 1, Anna: 5·4·2·1 = 23 points – accepted") && said.contains("waiting for Ben"), "{said}");
    table.add("Ben", &[3, 2, 1]);
    table.add("Ben", &[4, 3, 2, 1]);
    let said = table.add("Anna", &[1]);
    assert!(said.contains("Finished: Ben wins."), "{said}");
    let shown = ok(&["match", "show", &table.dir()]);
    for expected in ["1.  Ben     30", "2.  Anna    24", "5·4·2·1 =23", "wins", "Finished: Ben wins."] {
        assert!(shown.contains(expected), "{expected:?} in\n{shown}");
    }
    let (good, said) = sha256sum(Path::new(&table.dir()));
    assert!(good, "{said}");
}

#[test]
fn a_match_of_higher_is_played_until_one_is_left() {
    let table = Table::default();
    ok(&["match", "new", &table.dir(), "--variant", "higher", "--players", "Anna,Ben,Cem"]);
    for player in ["Anna", "Ben", "Cem"] {
        table.add(player, &[3, 2, 1]);
    }
    refused(
        &table,
        &["match", "add", &table.dir(), "--player", "Ben", &table.photo(Photo::of(&[4, 3, 2, 1], "red"))],
        "Anna's turn",
    );
    table.add("Anna", &[4, 3, 2, 1]);
    let said = ok(&["match", "add", &table.dir(), "--player", "Ben", "--nothing"]);
    assert!(said.contains("Next: round 2, rows 4·3·2·1 to build, waiting for Cem."), "{said}");
    let photo = table.photo(Photo::of(&[4, 3, 2, 1], "red"));
    let said = ok(&["match", "add", &table.dir(), "--player", "Cem", "--seconds", "45.4", &photo]);
    assert!(said.contains("taken after time") && said.contains("Finished: Anna wins."), "{said}");
    assert!(said.contains("it is not what the round asks for: rows 4·3·2·1 to build"), "{said}");
    let shown = ok(&["match", "show", &table.dir()]);
    assert!(shown.contains("out in round 2: failed"), "{shown}");
}

#[test]
fn the_record_explains_itself() {
    let table = points_table("Anna,Ben", "1");
    let photo = table.photo(Photo::of(&[3, 2, 1], "red"));
    ok(&["match", "add", &table.dir(), "--player", "Anna", "--seconds", "100", &photo]);
    let record = files(Path::new(&table.dir()));
    let names: Vec<String> = record.keys().map(|p| p.to_str().unwrap().to_owned()).collect();
    let turn = ["annotated-1.png", "photo-1.png", "reading.json"].map(|n| format!("rounds/01/1-anna/{n}"));
    assert_eq!(names, [&["README.txt", "SHA256SUMS", "events.jsonl", "lock"].map(String::from)[..], &turn].concat());
    assert_eq!(record[Path::new("rounds/01/1-anna/photo-1.png")], fs::read(&photo).unwrap(), "the original bytes");
    let reading: serde_json::Value = serde_json::from_slice(&record[Path::new("rounds/01/1-anna/reading.json")]).unwrap();
    assert_eq!(reading["program"], pyrameeple::record::PROGRAM);
    assert_eq!(reading["params"]["cell"], 20);
    assert_eq!(reading["late"], false);
    assert_eq!(reading["seconds"], 100.0);
    assert_eq!(reading["views"][0]["original_name"], "IMG 1.png");
    assert_eq!(reading["views"][0]["reading"]["score"]["points"], 10);
    assert!(reading["at"].as_str().unwrap().ends_with('Z'), "{}", reading["at"]);
    let log = Log::parse(&record[Path::new(EVENTS)]);
    assert_eq!((log.lines.len(), log.faults.len(), log.lines[1].format), (2, 0, 1));
    // Anybody can check a line: its sum is that of what comes before it.
    let text = String::from_utf8(record[Path::new(EVENTS)].clone()).unwrap();
    let (content, seal) = text.lines().next().unwrap().rsplit_once(",\"sum\":\"").unwrap();
    assert_eq!(pyrameeple::record::sha256(content.as_bytes()), seal.trim_end_matches("\"}"));
}

#[test]
fn whatever_does_not_fit_is_refused_and_changes_nothing() {
    let table = points_table("Anna,Ben", "1");
    let dir = table.dir();
    let photo = table.photo(Photo::of(&[3, 2, 1], "red"));
    let add = |player: &'static str| ["match", "add", &dir, "--player", player, &photo].map(str::to_owned);
    let refused = |args: &[String], message: &str| {
        refused(&table, &args.iter().map(String::as_str).collect::<Vec<_>>(), message);
    };
    let also = |args: &[String], more: &[&str]| [args, &more.iter().map(|s| s.to_string()).collect::<Vec<_>>()].concat();
    refused(&add("Nobody"), "nobody called \"Nobody\" plays in this match; the players are Anna, Ben");
    refused(&also(&add("Anna"), &["--round", "2"]), "turn 2 was given, but turn 1 is being played");
    refused(&["match", "add", &dir, &photo].map(str::to_owned), "give --player (Anna, Ben)");
    refused(&also(&add("Anna"), &[&photo]), "was given twice");
    refused(
        &["match", "add", &dir, "--player", "Anna", "no/such.jpg"].map(str::to_owned),
        "the photo no/such.jpg: there is no such file",
    );
    let text = table.path("text.jpg");
    fs::write(&text, "not a picture").unwrap();
    refused(&["match", "add", &dir, "--player", "Anna", &text].map(str::to_owned), "cannot be read, so nothing was recorded");
    let dark = table.photo(Photo::of(&[3], "red").without_playmat());
    refused(&["match", "add", &dir, "--player", "Anna", &dark].map(str::to_owned), "no playmat found. show the whole felt");
    refused(&["match", "undo", &dir].map(str::to_owned), "nothing to undo");
    refused(
        &["match", "correct", &dir, "--player", "Anna", "--rows", "3", "--reason", "x"].map(str::to_owned),
        "no accepted result",
    );
    refused(&["match", "destroyed", &dir, "--by", "Anna"].map(str::to_owned), "a playmat of their own");
    refused(&["match", "new", &dir, "--variant", "higher", "--players", "A,B"].map(str::to_owned), "holds a match already");
    let missing = table.path("missing");
    for command in ["show", "undo", "export"] {
        refused(&["match", command, &missing].map(str::to_owned), "there is no folder");
    }
    refused(&["match", "show", table.folder.path().to_str().unwrap()].map(str::to_owned), "is not a match");
    refused(
        &["match", "new", table.folder.path().to_str().unwrap(), "--variant", "higher", "--players", "A"].map(str::to_owned),
        "is not empty",
    );

    table.add("Anna", &[3, 2, 1]);
    refused(&add("Anna"), "Anna has a result in turn 1 already; waiting for Ben");
    let annas = table.path("IMG 3.png");
    assert!(Path::new(&annas).exists());
    refused(&["match", "add", &dir, "--player", "Ben", &annas].map(str::to_owned), "is on record already, for Anna in turn 1");
    table.add("Ben", &[1]);
    refused(&add("Ben"), "the match is finished: Anna wins");
    refused(&["match", "forfeit", &dir, "--player", "Ben"].map(str::to_owned), "the match is finished");
    refused(
        &["match", "correct", &dir, "--player", "Ben", "--rows", "3,0,1", "--reason", "x"].map(str::to_owned),
        "cannot float",
    );
    refused(
        &["match", "correct", &dir, "--player", "Ben", "--rows", "2,3,9", "--reason", "x"].map(str::to_owned),
        "row 2 has 3 on a row of 2",
    );
    refused(
        &["match", "correct", &dir, "--player", "Anna", "--reject", "0,1", "--reason", "x"].map(str::to_owned),
        "reject what stood above as well",
    );
    refused(&["match", "correct", &dir, "--player", "Ben", "--rows", "3", "--reason", " "].map(str::to_owned), "needs a reason");
    refused(&["match", "correct", &dir, "--player", "Ben", "--rows", "3"].map(str::to_owned), "--reason");
}

#[test]
fn setups_that_cannot_be_played_are_refused_and_leave_no_folder() {
    let table = Table::default();
    let dir = table.dir();
    let new = |more: &[&'static str]| [&["match", "new", &dir][..], more].concat();
    for (args, message) in [
        (new(&["--variant", "points", "--players", "Anna,anna", "--turns", "1"]), "are alike"),
        (new(&["--variant", "points", "--players", "Anna"]), "needs the agreed number of turns"),
        (new(&["--variant", "points", "--turns", "2"]), "none was given"),
        (new(&["--variant", "higher", "--players", "Anna", "--turns", "2"]), "has no agreed number of turns"),
        (new(&["--variant", "higher", "--players", "Anna,Ben", "--shared"]), "give each player one or more"),
        (new(&["--variant", "higher", "--players", "Anna=red,Ben=red", "--shared"]), "to play red"),
        (new(&["--variant", "lower", "--players", "Anna"]), "invalid value"),
        (new(&["--variant", "points", "--turns", "-1", "--players", "Anna"]), "a whole number is needed"),
        (new(&["--variant", "higher", "--seconds", "-5", "--players", "Anna"]), "a whole number is needed"),
        (new(&["--variant", "higher", "--players", "Anna=,Ben"]), "a colour of player Anna is missing"),
    ] {
        refused(&table, &args, message);
        assert!(!Path::new(&dir).exists(), "{args:?}");
    }
}

#[test]
fn of_several_views_the_best_reading_is_used_and_disagreement_is_flagged() {
    let table = points_table("Anna,Ben", "1");
    let (hidden, whole) = (Photo::of(&[3, 2], "red").unsure(), Photo::of(&[3, 2, 1], "red"));
    let (hidden, whole) = (table.photo(hidden), table.photo(whole));
    let ran = run(&["match", "add", &table.dir(), "--player", "Anna", &hidden, &whole]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("Anna: 3·2·1 = 10 points"), "{ran:?}");
    assert!(
        ran.err.contains("the views disagree: view 1 shows 3·2 (7 points), view 2 shows 3·2·1 (10 points); view 2 is used"),
        "{ran:?}"
    );
    let views = [table.photo(Photo::of(&[4, 1], "red").tag(50)), table.photo(Photo::of(&[4, 1], "red").tag(20))];
    let ran = run(&["match", "add", &table.dir(), "--player", "Ben", &views[0], &views[1]]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "views that agree: {ran:?}");
    let reading = fs::read_to_string(format!("{}/rounds/01/2-ben/reading.json", table.dir())).unwrap();
    let reading: serde_json::Value = serde_json::from_str(&reading).unwrap();
    assert_eq!((reading["views"].as_array().unwrap().len(), &reading["used"]), (2, &1.into()), "the surer one is used");
}

#[test]
fn an_unsure_reading_is_recorded_and_said_so() {
    let table = points_table("Anna", "1");
    let photo = table.photo(Photo::of(&[3, 2, 1], "red").unsure());
    let ran = run(&["match", "add", &table.dir(), "--player", "Anna", &photo]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("doubt: pieces may be hidden (take another picture from the side)"), "{ran:?}");
    assert!(ok(&["match", "show", &table.dir()]).contains("? the reading is unsure"));
}

#[test]
fn what_cannot_be_read_can_be_counted_by_hand_with_a_reason() {
    let table = points_table("Anna", "1");
    let photo = table.photo(Photo::of(&[3, 2, 1], "red").without_playmat());
    let by_hand = ["match", "add", &table.dir(), "--player", "Anna", "--rows", "3,2,1", &photo];
    refused(&table, &by_hand, "--reason");
    let said = ok(&[&by_hand[..], &["--reason", "the felt is hidden by a cloth"]].concat());
    assert!(said.contains("by hand 3·2·1 = 10 points"), "{said}");
    assert!(ok(&["match", "show", &table.dir()]).contains("3·2·1 =10 *"));
}

#[test]
fn corrections_set_rows_or_reject_count_and_add_pieces() {
    let table = points_table("Anna", "1");
    let dir = table.dir();
    // Pieces are numbered row by row from the left: 0 1 2, then 3 4, and the lying one is 5.
    let photo = table.photo(Photo::of(&[3, 2], "red").lying(1, 3));
    ok(&["match", "add", &dir, "--player", "Anna", &photo]);
    let correct = |more: &[&str]| {
        run(&[&["match", "correct", &dir, "--player", "anna", "--reason", "seen at the table"][..], more].concat())
    };
    let twice = correct(&["--reject", "4,4"]);
    assert!(twice.err.contains("piece 4 is named twice"), "{}", twice.err);
    let said = correct(&["--reject", "4"]);
    assert!(said.out.contains("corrected by hand to 3·1, 5 points; rejected: 4"), "{said:?}");
    assert!(correct(&["--reject", "4"]).err.contains("an earlier correction rejected it"));
    assert!(correct(&["--reject", "5"]).err.contains("lies on its side"));
    assert!(correct(&["--reject", "9"]).err.contains("has no piece 9: its pieces are numbered 0 to 5"));
    assert!(correct(&["--count", "0=1"]).err.contains("piece 0 counts already, in row 1"));
    assert!(correct(&["--count", "5=4"]).err.contains("there is no row 4"));
    let said = correct(&["--count", "5=3", "--add", "2,1"]);
    assert!(said.out.contains("corrected by hand to 4·2·1, 11 points"), "{said:?}");
    assert!(correct(&["--rows", "4", "--add", "1"]).err.contains("cannot be used with"));
    assert!(correct(&[]).err.contains("changes nothing"));
    let said = correct(&["--rows", "2,1"]);
    assert!(said.out.contains("corrected by hand to 2·1, 4 points"), "{said:?}");
    assert!(correct(&["--late"]).out.contains("counts as late"));
    assert!(ok(&["match", "show", &dir]).contains("2·1 =0 late *"));
    for points in ["4", "11"] {
        ok(&["match", "undo", &dir]);
        let json: serde_json::Value = serde_json::from_str(&ok(&["match", "show", &dir, "--json"])).unwrap();
        assert_eq!(json["players"][0]["points"].to_string(), points);
    }
    let log = fs::read_to_string(format!("{dir}/{EVENTS}")).unwrap();
    assert!(log.contains("seen at the table"), "when and why stay on record");
}

#[test]
fn undo_keeps_the_pictures_and_the_turn_can_be_played_again() {
    let table = points_table("Anna", "1");
    table.add("Anna", &[3, 2, 1]);
    let said = ok(&["match", "undo", &table.dir()]);
    assert!(said.contains("Taken back: Turn 1: Anna built 3·2·1, 10 points"), "{said}");
    table.add("Anna", &[2, 1]);
    let record = files(Path::new(&table.dir()));
    assert!(record.contains_key(Path::new("rounds/01/1-anna/photo-1.png")));
    assert!(record.contains_key(Path::new("rounds/01/1-anna-try-2/photo-1.png")));
    assert!(sha256sum(Path::new(&table.dir())).0);
}

#[test]
fn one_photo_of_a_shared_playmat_brings_the_results_of_all() {
    let table = Table::default();
    let dir = table.dir();
    ok(&["match", "new", &dir, "--variant", "points", "--turns", "2", "--shared", "--players", "Anna=red,Ben=blue+green"]);
    let photo = table.photo(Photo::of(&[3, 2, 1], "red").and(&[2, 1], "blue", 6).and(&[4], "green", 11));
    let said = ok(&["match", "add", &dir, &photo]);
    assert!(said.contains("Anna: 3·2·1 = 10 points") && said.contains("Ben: 2·1 = 4 points"), "{said}");
    assert!(Path::new(&dir).join("rounds/01/0-together/photo-1.png").exists());
    ok(&["match", "destroyed", &dir, "--by", "Anna", "--of", "Ben"]);
    let shown = ok(&["match", "show", &dir]);
    assert!(shown.contains("out in turn 2: destroyed a pyramid") && shown.contains("Ben wins"), "{shown}");
}

#[test]
fn forfeit_puts_a_player_out() {
    let table = points_table("Anna,Ben", "3");
    let said = ok(&["match", "forfeit", &table.dir(), "--player", "anna", "--reason", "last tram"]);
    assert!(said.contains("Turn 1: Anna gave up (last tram)") && said.contains("Finished: Ben wins."), "{said}");
}

#[test]
fn file_names_from_player_names_are_safe_everywhere_and_unique() {
    let names = [
        "CON",
        "con.",
        "nul",
        "ÄÖÜ",
        "A\u{308}OU",
        "李雷",
        "🎲🎲",
        "../../etc",
        "a/b\\c:d*e?f\"g<h>i|j",
        " . ",
        "x".repeat(80).as_str(),
        "AUX.txt",
    ]
    .map(str::to_owned);
    let table = Table::default();
    let dir = table.dir();
    let mut args = vec!["match", "new", &dir, "--variant", "points", "--turns", "1"];
    for name in &names {
        args.extend(["--player", name]);
    }
    ok(&args);
    for name in &names {
        table.add(name, &[2, 1]);
    }
    let mut seen = std::collections::BTreeSet::new();
    for path in files(Path::new(&dir)).keys().filter(|p| p.starts_with("rounds")) {
        let folder = path.components().nth(2).unwrap().as_os_str().to_str().unwrap().to_owned();
        assert!(folder.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{folder}");
        assert!(folder.len() <= 40 && folder.as_bytes()[0].is_ascii_digit() && !folder.ends_with('-'), "{folder}");
        seen.insert(folder);
    }
    assert_eq!(seen.len(), names.len());
    assert!(sha256sum(Path::new(&dir)).0);
}

#[test]
fn names_may_be_any_unicode_and_are_exported_harmlessly() {
    let evil = "<script>alert(1)</script>,=\"x\"";
    let table = Table::default();
    let dir = table.dir();
    ok(&[
        "match",
        "new",
        &dir,
        "--variant",
        "points",
        "--turns",
        "1",
        "--player",
        evil,
        "--player",
        "=HYPERLINK(1)",
        "--player",
        "Zoë 李雷 | *x*",
    ]);
    table.add(evil, &[1]);
    ok(&["match", "add", &dir, "--player", "=HYPERLINK(1)", "--nothing", "--reason", "</td><img src=x onerror=alert(2)>"]);
    table.add("Zoë 李雷 | *x*", &[3, 2, 1]);
    let export = |name: &str| {
        let path = table.path(name);
        ok(&["match", "export", &dir, "--out", &path]);
        fs::read_to_string(path).unwrap()
    };
    let html = export("report.html");
    assert!(!html.contains("<script") && !html.contains("<img src=x"), "escaped");
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("Zoë 李雷"));
    let csv = export("report.csv");
    assert!(csv.contains(",'=HYPERLINK(1),"), "{csv}");
    let markdown = export("report.md");
    assert!(markdown.contains("&lt;script&gt;") && markdown.contains("Zoë 李雷 \\| \\*x\\*"), "{markdown}");
    let json: serde_json::Value = serde_json::from_str(&export("report.json")).unwrap();
    assert_eq!(json["setup"]["players"][0]["name"], evil);
    assert_eq!(json["standings"]["players"][0]["player"], "Zoë 李雷 | *x*");
    // Standard output takes the same.
    assert!(ok(&["match", "export", &dir, "--format", "csv"]).starts_with("round,replay,player,"));
}

#[test]
fn a_second_program_on_the_same_match_is_refused() {
    let table = points_table("Anna", "1");
    let dir = table.dir();
    let photo = table.photo(Photo::of(&[1], "red"));
    let first = Writer::open(Path::new(&dir), "2026-01-01T00:00:00Z").unwrap();
    refused(&table, &["match", "add", &dir, "--player", "Anna", &photo], "another program is writing to the match");
    assert!(ok(&["match", "show", &dir]).contains("waiting for Anna"), "looking is allowed");
    drop(first);
    ok(&["match", "add", &dir, "--player", "Anna", &photo]);
}

#[test]
fn a_cut_off_last_line_is_set_aside_and_reported() {
    let table = points_table("Anna", "2");
    table.add("Anna", &[3, 2, 1]);
    let events = format!("{}/{EVENTS}", table.dir());
    let sound = fs::read(&events).unwrap();
    fs::write(&events, [&sound[..], b"{\"format\":1,\"seq\":3,\"at\":\"20"].concat()).unwrap();
    let ran = run(&["match", "show", &table.dir()]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("the last line of events.jsonl is cut off (28 bytes)"), "{ran:?}");
    let photo = table.photo(Photo::of(&[1], "red"));
    let ran = run(&["match", "add", &table.dir(), "--player", "Anna", &photo]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("was cut off after 28 bytes") && ran.err.contains("nothing accepted is missing"), "{ran:?}");
    let aside = fs::read_to_string(format!("{}/set-aside/0003-cut-off-line.txt", table.dir())).unwrap();
    assert_eq!(aside, "{\"format\":1,\"seq\":3,\"at\":\"20");
    assert!(ok(&["match", "show", &table.dir()]).contains("Finished"));
    assert!(sha256sum(Path::new(&table.dir())).0);
}

#[test]
fn an_end_that_had_been_accepted_and_is_gone_is_said_by_all_who_look() {
    let table = points_table("Anna", "2");
    table.add("Anna", &[3, 2, 1]);
    ok(&["match", "correct", &table.dir(), "--player", "Anna", "--rows", "3,2", "--reason", "the third fell"]);
    let events = format!("{}/{EVENTS}", table.dir());
    let whole = fs::read(&events).unwrap();
    let last_line = 1 + whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
    for (length, told) in [
        (whole.len() - 1, "What is left of it tells: Turn 1 of Anna: corrected by hand to 3·2, 7 points. Reason: the third fell"),
        (last_line + 30, "What it told cannot be made out any more"),
        (last_line, "lines were taken off the end of the log"),
    ] {
        fs::write(&events, &whole[..length]).unwrap();
        for command in [&["match", "show"][..], &["match", "export"], &["verify"]] {
            let ran = run(&[command, &[&table.dir()]].concat());
            assert_eq!(ran.code, if command == ["verify"] { 2 } else { 1 }, "{ran:?}");
            let said = ran.out + &ran.err;
            assert!(said.contains(told) && !said.contains("never accepted"), "{length}: {said}");
        }
        refused(&table, &["match", "undo", &table.dir()], "do not fit one another");
    }
    fs::write(&events, &whole).unwrap();
    ok(&["match", "undo", &table.dir()]);
}

#[test]
fn evidence_that_is_gone_is_said_by_whoever_looks_at_the_scores() {
    let table = points_table("Anna,Ben", "1");
    table.add("Anna", &[3, 2, 1]);
    let shown = run(&["match", "show", &table.dir()]);
    assert!(!shown.err.contains("not in the match folder"), "{shown:?}");
    fs::remove_dir_all(format!("{}/rounds", table.dir())).unwrap();
    let left = run(&["match", "show", &table.dir()]);
    assert_eq!((left.code, &left.out), (0, &shown.out), "{left:?}");
    assert!(left.err.contains("not in the match folder any more (the first: rounds/01/1-anna/"), "{left:?}");
}

#[test]
fn a_photo_saved_anew_is_doubted_as_another_players_turn() {
    let table = points_table("Anna,Ben", "2");
    let dir = table.dir();
    let annas = table.photo(Photo::of(&[3, 2, 1], "red"));
    ok(&["match", "add", &dir, "--player", "Anna", &annas]);
    let mut copy = image::open(&annas).unwrap().into_rgb8();
    copy.put_pixel(5, 0, image::Rgb([1, 2, 3]));
    copy.save(table.path("copy.png")).unwrap();
    let ran = run(&["match", "add", &dir, "--player", "Ben", &table.path("copy.png")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("the photo copy.png shows the same scene as the one of Anna in turn 1"), "{ran:?}");
    table.add("Anna", &[3, 2, 1]);
    let said = ok(&["verify", &dir]);
    assert!(said.contains("rounds/01/2-ben/photo-1.png shows the same scene as rounds/01/1-anna/photo-1.png"), "{said}");
    assert_eq!(said.matches("the same scene").count(), 1, "{said}");
}

#[test]
fn exports_go_to_standard_output_for_a_dash_and_through_links() {
    let table = points_table("Anna", "1");
    table.add("Anna", &[3, 2, 1]);
    let csv = ok(&["match", "export", &table.dir(), "--format", "csv"]);
    assert_eq!(ok(&["match", "export", &table.dir(), "--format", "csv", "--out", "-"]), csv);
    assert!(!Path::new("-").exists());
    #[cfg(unix)]
    {
        let (real, link) = (table.path("real.csv"), table.path("link.csv"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        ok(&["match", "export", &table.dir(), "--out", &link]);
        assert_eq!(fs::read_to_string(&real).unwrap(), csv);
    }
}

#[test]
fn a_record_of_a_newer_program_is_named_as_such() {
    let table = points_table("Anna", "1");
    let events = format!("{}/{EVENTS}", table.dir());
    // As a newer program would write it: format and seal fit together.
    let text = fs::read_to_string(&events).unwrap().replace("\"format\":1", "\"format\":9");
    let (content, _) = text.rsplit_once(",\"sum\":\"").unwrap();
    let sealed = format!("{content},\"sum\":\"{}\"}}\n", pyrameeple::record::sha256(content.as_bytes()));
    fs::write(&events, sealed).unwrap();
    refused(
        &table,
        &["match", "show", &table.dir()],
        "is of format 9; this program knows formats up to 1: use a newer pyrameeple",
    );
}

#[test]
fn an_interrupted_new_can_be_repeated() {
    let table = Table::default();
    fs::create_dir(table.dir()).unwrap();
    fs::write(format!("{}/README.txt", table.dir()), "half").unwrap();
    fs::write(format!("{}/events.jsonl.next", table.dir()), "{").unwrap();
    ok(&["match", "new", &table.dir(), "--variant", "higher", "--players", "Anna,Ben"]);
    assert!(sha256sum(Path::new(&table.dir())).0);
}

#[test]
fn a_meeple_beyond_the_playmat_is_rejected_or_by_house_option_voids_its_pyramid() {
    // What is void is no pyramid: the highest of the others counts.
    let photo = || Photo::of(&[3, 2, 1], "red").and(&[1], "red", 0).and(&[2], "blue", 8);
    for (option, expected) in [(None, "Anna: 3·2·1 = 10 points"), (Some("--void-overhang"), "Anna: 2 = 2 points")] {
        let table = Table::default();
        let dir = table.dir();
        let new = ["match", "new", &dir, "--variant", "points", "--turns", "1", "--players", "Anna,Ben"];
        ok(&[&new[..], option.as_slice()].concat());
        let said = ok(&["match", "add", &dir, "--player", "Anna", &table.photo(photo())]);
        assert!(said.contains(expected), "{said}");
        // A spare meeple beside the playmat touches nothing.
        let apart = table.photo(Photo::of(&[1], "red").and(&[1], "red", 0).and(&[3, 2], "blue", 4));
        assert!(ok(&["match", "add", &dir, "--player", "Ben", &apart]).contains("Ben: 3·2 = 7 points"));
        assert_eq!(run(&["verify", &dir]).code, 0);
    }
}
