//! Any bytes as a photo: decoded, and what decodes is read through the whole pipeline, drawn on, and written out.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use pyrameeple::capture::{self, CaptureParams};

static START: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    START.call_once(|| {
        // libheif's program is not what is tested here, and would be started thousands of times.
        // SAFETY: the first thing this program does, before there is a second thread.
        unsafe { std::env::set_var("PATH", "") };
    });
    assert!(!capture::what_it_holds(bytes).is_empty());
    capture::is_own_picture(bytes);
    let params = CaptureParams { max_megapixels: 1.0, max_memory_megabytes: 64, ..CaptureParams::default() };
    let picture = match capture::decode(bytes, &params) {
        Ok(picture) => picture,
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.advice().is_empty());
            return;
        }
    };
    // Reading takes a hundred times as long as decoding, and the target `scene` looks into it: here only pictures that are
    // still much like the seeds, one in eight.
    if picture.rgb.width() * picture.rgb.height() <= 120 * 120 && bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) < 32
    {
        pyrameeple_fuzz::read(&picture);
    }
});
