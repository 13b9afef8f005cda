//! Any text as what people type: rows, players, and whole command lines.
#![no_main]

use clap::Parser;
use libfuzzer_sys::fuzz_target;
use pyrameeple::{cli::Cli, players::Players, rules};

fuzz_target!(|text: &str| {
    if let Ok(rows) = rules::parse_rows(text) {
        assert!(rules::check_rows(&rows).is_ok());
        if !rows.is_empty() {
            assert_eq!(rules::parse_rows(&rules::show_rows(&rows)).as_ref(), Ok(&rows));
        }
        let _ = (rules::points(&rows), rules::show_score(&rows));
    }
    let _ = text.parse::<Players>().map_err(|error| error.to_string());
    let _ = Cli::try_parse_from(std::iter::once("pyrameeple").chain(text.split('\n'))).map_err(|error| error.to_string());
});
