//! Damaged and made-up input: the same that `scripts/fuzz.sh` throws at the program for hours, a little of it in every run
//! of the tests.

use std::{fs, path::Path, sync::LazyLock};

use clap::Parser;
use proptest::{prelude::*, sample::Index};
use pyrameeple::{
    capture::{self, CaptureParams},
    cli::{Cli, params_file},
    params::Params,
    pipeline,
    players::Players,
    rules,
};

/// One small photo in every format that is decoded without another program.
static PHOTOS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| !["heic", "avif"].iter().any(|ending| path.extension().is_some_and(|e| e == *ending)));
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
});

/// A change of bytes: at a place, to a value, for a length, or with a piece of another file.
type Damage = (Index, u8, u8, Index);

fn damaged(photo: Index, other: Index, keep: f64, damage: &[Damage]) -> Vec<u8> {
    let mut bytes = photo.get(&PHOTOS).clone();
    let other = other.get(&PHOTOS);
    bytes.truncate(((bytes.len() as f64) * keep).ceil() as usize);
    for (at, value, length, from) in damage {
        // The first bytes say what a file is; most of the damage goes where the structure is.
        let at = at.index(bytes.len().min(if value % 2 == 0 { 700 } else { usize::MAX }));
        let length = usize::from(length % 8).min(bytes.len() - at);
        match value % 3 {
            0 => bytes[at] = *value,
            1 => bytes[at..at + length].fill(*value),
            _ => {
                let from = from.index(other.len() - 8);
                bytes[at..at + length].copy_from_slice(&other[from..from + length]);
            }
        }
    }
    bytes
}

/// Tries of each property; `HOSTILE_CASES=100000 cargo test --test hostile` looks for longer.
fn cases(usual: u32) -> ProptestConfig {
    let more = std::env::var("HOSTILE_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(more.unwrap_or(usual))
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_damaged_photo_is_a_picture_or_an_error_with_advice(
        photo in any::<Index>(),
        other in any::<Index>(),
        keep in 0.3..=1.0f64,
        damage in prop::collection::vec(any::<Damage>(), 0..12),
    ) {
        let params = CaptureParams { max_megapixels: 4.0, max_memory_megabytes: 100, ..CaptureParams::default() };
        match capture::decode(&damaged(photo, other, keep, &damage), &params) {
            Ok(picture) => prop_assert!(picture.rgb.width() >= params.min_side_px && picture.rgb.height() >= params.min_side_px),
            Err(error) => prop_assert!(!error.to_string().is_empty() && !error.advice().is_empty()),
        }
    }

    #[test]
    fn any_bytes_are_something(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(!capture::what_it_holds(&bytes).is_empty());
        if !capture::is_picture(&bytes) {
            prop_assert!(capture::decode(&bytes, &CaptureParams::default()).is_err());
        }
        capture::is_own_picture(&bytes);
    }

    #[test]
    fn any_text_is_a_claim_or_is_refused(text in "[0-9,;·+/ -]{0,12}|\\PC{0,20}") {
        if let Ok(rows) = rules::parse_rows(&text) {
            prop_assert!(rules::check_rows(&rows).is_ok());
            if !rows.is_empty() {
                prop_assert_eq!(rules::parse_rows(&rules::show_rows(&rows)), Ok(rows));
            }
        }
        if let Err(error) = text.parse::<Players>() {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_words_are_a_command_or_are_refused(words in prop::collection::vec(
        "(score|match|verify|new|add|correct|evaluate|params|--json|-r|--players|--against|--points|--rows|--count|--timeout|-v|\\PC{0,8})",
        0..8,
    )) {
        if let Err(error) = Cli::try_parse_from(std::iter::once("pyrameeple".to_owned()).chain(words)) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_text_is_a_file_of_tunables_or_is_refused_with_where_to_look(
        lines in prop::collection::vec(
            "(\\[(capture|pose|pieces|doubt|nothing)\\]|(max_megapixels|min_side_px|x|\"a b\") ?= ?(-?[0-9]{1,4}(\\.[0-9])?|true|nan|\"t\"|\\[1\\]|\\{ y = 2 \\})|# \\PC{0,9}|\\PC{0,9})",
            0..6,
        ),
    ) {
        if let Err(error) = params_file::parse(&lines.join("\n")) {
            let text = format!("{error:#}");
            prop_assert!(text.contains("`pyrameeple params`"), "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn what_is_left_of_a_damaged_photo_is_read_to_the_end(
        photo in any::<Index>(),
        damage in prop::collection::vec(any::<Damage>(), 1..6),
    ) {
        if let Ok(picture) = capture::decode(&damaged(photo, photo, 1.0, &damage), &CaptureParams { max_megapixels: 0.02, ..CaptureParams::default() }) {
            let reading = pipeline::read(&picture, &Params::default());
            prop_assert_eq!((reading.width, reading.height), picture.rgb.dimensions());
        }
    }
}
