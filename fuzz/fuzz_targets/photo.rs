//! Any bytes as a photo: decoded, and what decodes is read through the whole pipeline, drawn on, and written out.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use pyrameeple::{
    capture::{self, CaptureParams},
    export::{CsvExport, Export, JsonLines, Table},
    overlay,
    params::Params,
    pipeline,
};

static START: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    START.call_once(|| {
        // libheif's program is not what is tested here, and would be started thousands of times.
        // SAFETY: the first thing this program does, before there is a second thread.
        unsafe { std::env::set_var("PATH", "") };
    });
    let params = CaptureParams { max_megapixels: 1.0, max_memory_megabytes: 64, ..CaptureParams::default() };
    let picture = match capture::decode(bytes, &params) {
        Ok(picture) => picture,
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.advice().is_empty());
            return;
        }
    };
    // Reading takes a while; small pictures go the same ways through the program as large ones.
    if picture.rgb.width() * picture.rgb.height() > 120 * 120 {
        return;
    }
    let reading = pipeline::read(&picture, &Params::default());
    assert_eq!((reading.width, reading.height), picture.rgb.dimensions());
    let drawn = overlay::draw(&picture.rgb, &reading).expect("a picture that was decoded");
    overlay::encode(&drawn).expect("a picture that was drawn");
    let mut out = Vec::new();
    JsonLines(&mut out).write(&reading).expect("memory");
    let again: pyrameeple::reading::Reading = serde_json::from_slice(&out).expect("its own JSON");
    assert_eq!(again.pieces.len(), reading.pieces.len());
    CsvExport::new(Vec::new()).and_then(|mut csv| csv.write(&reading)).expect("memory");
    Table::new(Vec::new(), ["photo"], true).write(&reading).expect("memory");
});
