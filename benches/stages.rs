//! Milliseconds of every stage and of the whole pipeline at three sizes, on one thread; decoding apart.
//!
//! The pipeline times its own stages, so a stage that is added later is measured without a word here. A figure is the
//! mean over many runs of the whole pipeline.

use std::{
    collections::BTreeSet,
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use criterion::{Criterion, criterion_group, criterion_main};
use image::{RgbImage, codecs::jpeg::JpegEncoder, imageops};
use pyrameeple::{
    capture::{self, CaptureParams, Picture},
    params::Params,
    pipeline,
};

/// Width and height measured, and the test picture that is brought to them; all three show pyramids.
const SIZES: [(u32, u32, &str); 3] = [(640, 480, "p010049"), (1280, 720, "p010056"), (4000, 3000, "p010029")];

fn picture((width, height, name): (u32, u32, &str)) -> Picture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(format!("{name}.jpg"));
    let picture = capture::load(&path, &CaptureParams::default()).expect("a test picture");
    let rgb = match picture.rgb.dimensions() == (width, height) {
        true => picture.rgb,
        false => imageops::resize(&picture.rgb, width, height, imageops::FilterType::CatmullRom),
    };
    Picture { rgb, exif_focal_px: None }
}

fn jpeg(rgb: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(rgb).expect("a picture that was decoded");
    bytes
}

fn stages(criterion: &mut Criterion) {
    opencv::core::set_num_threads(1).expect("an OpenCV with threads");
    let params = Params::default();
    for size in SIZES {
        let picture = picture(size);
        let mut group = criterion.benchmark_group(format!("{}x{}", size.0, size.1));
        let bytes = jpeg(&picture.rgb);
        group.bench_function("decode", |bencher| {
            bencher.iter(|| capture::decode(black_box(&bytes), &params.capture));
        });
        group.bench_function("whole", |bencher| {
            bencher.iter(|| pipeline::read(black_box(&picture), &params));
        });
        let stages: BTreeSet<String> = pipeline::read(&picture, &params).timings_ms.into_keys().collect();
        for stage in stages {
            group.bench_function(stage.as_str(), |bencher| {
                bencher.iter_custom(|runs| {
                    let start = Instant::now();
                    let ms: f64 = (0..runs)
                        .filter_map(|_| pipeline::read(black_box(&picture), &params).timings_ms.get(&stage).copied())
                        .sum();
                    // A stage that was skipped took no time, and criterion cannot do with none.
                    Duration::from_secs_f64(ms / 1e3).clamp(Duration::from_nanos(runs), start.elapsed())
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(4)).warm_up_time(Duration::from_secs(1));
    targets = stages
}
criterion_main!(benches);
