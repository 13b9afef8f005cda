//! Any lines as the log of a match, sealed so that they are looked into: loaded, shown, reported, verified, written on.
#![no_main]

use std::fs;

use image::RgbImage;
use libfuzzer_sys::fuzz_target;
use pyrameeple::{
    matchplay::Event,
    reading::Reading,
    record::{Annotated, EVENTS, Reader, Record, Writer, sha256},
    report::{self, Report},
    verify::{self, Scope},
};
use serde_json::Value;

/// A reader that sees nothing.
struct Blind;

impl Reader for Blind {
    fn read(&self, name: &str, _: &[u8], _: &[(String, Vec<String>)]) -> Reading {
        Reading::unreadable(name, "nothing is looked at", "look")
    }

    fn annotate(&self, _: &[u8], _: &Reading) -> Option<Annotated> {
        None
    }

    fn params(&self) -> Value {
        Value::Null
    }

    fn with_params(&self, _: &Value) -> Result<Box<dyn Reader>, String> {
        Ok(Box::new(Blind))
    }

    fn model_sha256(&self) -> Option<String> {
        None
    }

    fn upright(&self, _: &[u8]) -> Result<RgbImage, String> {
        Err("nothing is looked at".to_owned())
    }
}

const AT: &str = "2026-01-01T00:00:00Z";

/// `line` with its seal, if it is an object; with the sum of the line before in place of `PREV`.
fn sealed(line: &str, last: &mut String) -> String {
    let line = line.replace("PREV", last);
    let Some(content) = line.strip_suffix('}') else { return line };
    *last = sha256(content.as_bytes());
    format!("{content},\"sum\":\"{last}\"}}")
}

fuzz_target!(|text: &str| {
    let mut last = String::new();
    let log: String = text
        .split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => sealed(line, &mut last) + "\n",
            None => line.to_owned(),
        })
        .collect();
    let folder = tempfile::tempdir_in("/dev/shm").expect("room in memory");
    fs::write(folder.path().join(EVENTS), log).expect("room in memory");
    let _ = Record::read(folder.path()).map_err(|error| error.to_string());
    if let Ok(record) = Record::load(folder.path()) {
        let verification = verify::verify(&record, &Scope::default(), &Blind);
        let report = Report::of(&record, Some(&verification), AT);
        let _ = report::html(&report, &|_| Err("none".to_owned()));
        let _ = (report::markdown(&report), report::scoreboard(&report), report::csv(&report));
        assert!(serde_json::to_string(&report).is_ok());
    }
    if let Ok(mut writer) = Writer::open(folder.path(), AT) {
        let _ = writer.accept(Event::Undone, AT);
        drop(writer);
        Record::read(folder.path()).expect("what it wrote itself can be read");
    }
});
