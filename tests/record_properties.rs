//! What holds for every record, name and claim, tried on thousands of made-up ones.

mod toy;

use proptest::prelude::*;
use pyrameeple::{
    matchplay::{Round, Setup, Variant},
    record::{Entry, FORMAT, FileSum, Line, Log, Reader, file_name, sha256, sums_text, turn_folder},
    rules,
    verify::{Claim, check_claim, compare},
};
use toy::{Photo, ToyReader};

fn line(seq: u64, prev: &str, what: &str) -> Line {
    let setup = Setup::new(Variant::Higher, [what], None);
    let entry =
        if seq == 1 { Entry::Created { setup, files: vec![] } } else { Entry::SetAside { what: what.into(), files: vec![] } };
    Line { format: FORMAT, seq, at: "2026-01-01T00:00:00Z".into(), program: what.into(), prev: prev.into(), entry, sealed: true }
}

fn log(texts: &[String]) -> String {
    let mut out = String::new();
    let mut prev = String::new();
    for (index, text) in texts.iter().enumerate() {
        let (encoded, sum) = line(index as u64 + 1, &prev, text).encode().unwrap();
        out.push_str(&encoded);
        prev = sum;
    }
    out
}

fn any_photo() -> impl Strategy<Value = Photo> {
    (prop::collection::vec(1usize..7, 0..6), prop::collection::vec(1usize..4, 0..4), 1u32..19, 1u32..8)
        .prop_map(|(a, b, column, row)| Photo::of(&a, "red").and(&b, "blue", 10).lying(column, row))
}

proptest! {
    #[test]
    fn no_bytes_make_the_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let log = Log::parse(&bytes);
        prop_assert!(!log.faults.is_empty() || !log.lines.is_empty());
    }

    #[test]
    fn a_log_reads_as_it_was_written_and_any_other_byte_is_a_fault(
        texts in prop::collection::vec(".{0,12}", 1..4), at in any::<prop::sample::Index>(), change in 1u8..=255,
    ) {
        let text = log(&texts);
        let read = Log::parse(text.as_bytes());
        prop_assert!(read.faults.is_empty() && read.cut_off.is_empty(), "{:?}", read.faults);
        prop_assert_eq!(read.lines.len(), texts.len());
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        let read = Log::parse(&bytes);
        // A changed last line end leaves a cut-off line, which the sums then miss.
        prop_assert!(!read.faults.is_empty() || !read.cut_off.is_empty(), "byte {at}");
    }

    #[test]
    fn a_log_cut_off_anywhere_keeps_its_whole_lines(texts in prop::collection::vec(".{0,12}", 1..4), at in any::<prop::sample::Index>()) {
        let text = log(&texts);
        let end = at.index(text.len() + 1);
        let read = Log::parse(&text.as_bytes()[..end]);
        let whole = text.as_bytes()[..end].iter().filter(|b| **b == b'\n').count();
        prop_assert_eq!(read.lines.len(), whole);
        prop_assert!(whole == 0 || read.faults.is_empty());
    }

    #[test]
    fn file_names_are_plain_whatever_a_player_is_called(name in ".*", index in 0usize..100) {
        let part = file_name(&name);
        prop_assert!((1..=32).contains(&part.len()), "{part}");
        prop_assert!(part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{part}");
        prop_assert!(!part.starts_with('-') && !part.ends_with('-'), "{part}");
        let first = format!("rounds/03/{}-{part}", index + 1);
        prop_assert_eq!(&turn_folder(Round::new(3), &[(index, &name)], |_| false), &first);
        let second = turn_folder(Round::new(3), &[(index, &name)], |folder| folder == first);
        prop_assert_eq!(second, format!("{first}-try-2"));
    }

    #[test]
    fn sums_are_sorted_and_as_sha256sum_writes_them(names in prop::collection::vec("[a-z/]{1,9}", 0..6)) {
        let files: Vec<FileSum> = names.iter().map(|n| FileSum::of(n.clone(), n.as_bytes())).collect();
        let text = sums_text(&files, b"log");
        let paths: Vec<&str> = text.lines().map(|l| l.split_once("  ").unwrap().1).collect();
        prop_assert!(paths.is_sorted());
        let expected = format!("{}  events.jsonl\n", sha256(b"log"));
        prop_assert!(text.contains(&expected));
    }

    #[test]
    fn what_was_read_holds_as_a_claim_and_differs_in_nothing(photo in any_photo(), claimed in prop::collection::vec(0usize..9, 0..9), points in 0u32..300) {
        let reading = ToyReader::default().read("x", &photo.png(), &[]);
        let rows = reading.score.clone().unwrap().rows;
        prop_assert_eq!(check_claim(&Claim::Rows(rows.clone()), &reading, Some(&rows)).holds, Some(true));
        prop_assert_eq!(check_claim(&Claim::Points(rules::points(&rows)), &reading, Some(&rows)).holds, Some(true));
        // Rows of nothing on top change nothing.
        let padded: Vec<usize> = rows.iter().copied().chain([0]).collect();
        prop_assert_eq!(check_claim(&Claim::Rows(padded), &reading, Some(&rows)).holds, Some(true));
        prop_assert!(compare(&reading, &reading).is_empty());
        // Any other claim is answered with what it would need.
        for claim in [Claim::Rows(claimed), Claim::Points(points)] {
            let check = check_claim(&claim, &reading, Some(&rows));
            prop_assert!(check.holds == Some(true) || !check.needs.is_empty());
        }
    }

    #[test]
    fn what_changed_between_two_readings_adds_up_to_the_points_between_them(a in any_photo(), b in any_photo()) {
        let read = |photo: &Photo| ToyReader::default().read("x", &photo.png(), &[]);
        let (then, now) = (read(&a), read(&b));
        let all = |r: &pyrameeple::reading::Reading| -> i64 { r.pyramids.iter().map(|p| i64::from(p.points)).sum() };
        let changed: i64 = compare(&then, &now).iter().map(|c| c.points).sum();
        prop_assert_eq!(changed, all(&now) - all(&then));
    }
}
