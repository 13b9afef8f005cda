//! What several test programs need: a table whose pictures the tests change at will, and an eye that reads them exactly.
#![allow(dead_code)] // Each test file uses its own part.

#[path = "../../../tests/toy/mod.rs"]
pub mod toy;

pub mod server;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use image::{Rgb, RgbImage};
use pyrameeple::{
    reading::Reading,
    record::{Annotated, Reader},
};
use pyrameeple_live::{
    engine::Engine,
    feed::Opener,
    frame::{Frame, Raw},
    read::Eye,
    sound::Sound,
    source::{Source, SourceError, SourceParams, Spec},
    still::StillParams,
};
use serde_json::Value;
use toy::{Photo, ToyReader};

/// The folder of test pictures.
pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata")
}

/// Reads toy pictures, after `takes`.
#[derive(Default)]
pub struct ToyEye {
    /// How long a reading takes.
    pub takes: Duration,
}

impl Eye for ToyEye {
    fn read(&self, frame: &Frame, owners: &[(String, Vec<String>)]) -> Reading {
        thread::sleep(self.takes);
        ToyReader::default().read(&frame.name(), &frame.file().unwrap(), owners)
    }

    fn annotate(&self, bytes: &[u8], reading: &Reading) -> Option<Annotated> {
        ToyReader::default().annotate(bytes, reading)
    }

    fn params(&self) -> Value {
        ToyReader::default().params()
    }

    fn model_sha256(&self) -> Option<String> {
        None
    }
}

/// What the camera shows.
#[derive(Clone, Debug)]
pub enum Scene {
    /// A table where nothing moves; the camera's noise makes each picture another one.
    Still(RgbImage),
    /// The same with a hand that moves over it.
    Hand(RgbImage),
    /// Exactly the same picture again and again.
    Frozen(RgbImage),
    /// No pictures.
    Nothing,
    /// The camera is gone.
    Gone,
}

/// A camera at a table, whose scene can be changed while it is being filmed.
#[derive(Clone)]
pub struct Stage(Arc<Mutex<Scene>>);

impl Stage {
    /// A stage with nothing on the felt.
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(Scene::Still(picture(&Photo::default())))))
    }

    /// Changes what the camera shows.
    pub fn set(&self, scene: Scene) {
        *self.0.lock().unwrap() = scene;
    }

    /// Shows `photo`, with nothing moving.
    pub fn show(&self, photo: &Photo) {
        self.set(Scene::Still(picture(photo)));
    }

    /// Opens cameras on this stage.
    pub fn opener(&self) -> Opener {
        let stage = self.clone();
        Box::new(move |_: &Spec, _: &SourceParams| match *stage.0.lock().unwrap() {
            Scene::Gone => Err(gone()),
            _ => Ok(Box::new(Film { stage: stage.clone(), number: 0 }) as Box<dyn Source>),
        })
    }

    /// An engine that films this stage with a toy eye.
    pub fn engine(&self) -> Engine {
        self.engine_with(ToyEye { takes: Duration::from_millis(20) })
    }

    /// An engine that films this stage with this eye.
    pub fn engine_with(&self, eye: impl Eye + 'static) -> Engine {
        let stage = self.clone();
        Engine::start(
            Spec::AnyCamera,
            SourceParams::default(),
            StillParams::default(),
            Arc::new(eye),
            Box::new(move || stage.opener()),
            Sound::new(false),
            Arc::new(|| {}),
        )
    }
}

fn gone() -> SourceError {
    SourceError::Unplugged { camera: "camera 0 (Stage)".into() }
}

/// The pixels of a toy photo.
pub fn picture(photo: &Photo) -> RgbImage {
    image::load_from_memory(&photo.png()).unwrap().to_rgb8()
}

/// `picture` with noise at its edge, where the toy eye does not look, other for each `number`.
pub fn noisy(picture: &RgbImage, number: u32) -> RgbImage {
    let mut picture = picture.clone();
    let (width, height) = picture.dimensions();
    for x in 0..width {
        let noise = (x.wrapping_mul(2_654_435_761) ^ number.wrapping_mul(40_503)).wrapping_mul(2_246_822_519) >> 30;
        picture.put_pixel(x, height - 1, Rgb([70 + noise as u8, 75, 70]));
    }
    picture
}

/// `picture` with a hand over a part of it that depends on `number`.
fn with_hand(picture: &RgbImage, number: u32) -> RgbImage {
    let mut picture = noisy(picture, number);
    let left = (number * 17) % (picture.width() - 90);
    for (x, y) in (left..left + 80).flat_map(|x| (0..160).map(move |y| (x, y))) {
        picture.put_pixel(x, y, Rgb([214, 170, 140]));
    }
    picture
}

struct Film {
    stage: Stage,
    number: u32,
}

impl Source for Film {
    fn words(&self) -> String {
        "Stage".to_owned()
    }

    fn next(&mut self) -> Result<Raw, SourceError> {
        thread::sleep(Duration::from_millis(25));
        self.number += 1;
        let scene = self.stage.0.lock().unwrap().clone();
        match scene {
            Scene::Still(picture) => Ok(Raw::Pixels(noisy(&picture, self.number))),
            Scene::Hand(picture) => Ok(Raw::Pixels(with_hand(&picture, self.number))),
            Scene::Frozen(picture) => Ok(Raw::Pixels(picture)),
            Scene::Nothing => {
                thread::sleep(Duration::from_millis(200));
                Err(SourceError::Late)
            }
            Scene::Gone => Err(gone()),
        }
    }
}

/// Calls `step` until it says yes; fails after `patience` with what `state` says.
#[track_caller]
pub fn until(patience: Duration, mut step: impl FnMut() -> bool, state: impl FnOnce() -> String) -> Duration {
    let start = Instant::now();
    while !step() {
        assert!(start.elapsed() < patience, "not within {patience:?}: {}", state());
        thread::sleep(Duration::from_millis(10));
    }
    start.elapsed()
}

/// Whether a program is there to be run.
pub fn has(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}
