//! Reading in the background: a thread of its own always reads the newest frame, and rests when nothing has moved.

use std::{
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use image::RgbImage;
use pyrameeple::{
    capture::Picture,
    cli::reader::PipelineReader,
    reading::Reading,
    record::{Annotated, Reader},
};
use serde_json::Value;

use crate::{
    feed::{Feed, Wake},
    frame::{Frame, Kept},
};

/// Readings of one pause in which nothing moves that are made at full speed; then the reader rests.
const BEFORE_REST: usize = 3;
/// Pause between readings while nothing moves: a laptop on the table should not heat the room.
const REST: Duration = Duration::from_millis(1000);
/// How many readings are remembered.
const REMEMBERED: usize = 8;

/// Name and colours of each player on a shared playmat; empty otherwise.
pub type Owners = Vec<(String, Vec<String>)>;

/// Whoever reads frames: the pipeline, or something simpler in tests.
pub trait Eye: Send + Sync {
    /// What stands in `frame`; with `owners` the reading holds the score of each.
    fn read(&self, frame: &Frame, owners: &[(String, Vec<String>)]) -> Reading;

    /// The picture file `bytes` with `reading` drawn on it.
    fn annotate(&self, bytes: &[u8], reading: &Reading) -> Option<Annotated>;

    /// The tunables it reads with, as kept in records.
    fn params(&self) -> Value;

    /// SHA-256 of the model it reads with; `None` when it uses none.
    fn model_sha256(&self) -> Option<String>;

    /// Gets ready what the first reading would have to wait for.
    fn warm_up(&self) {}
}

/// Reads with the program's own pipeline.
#[derive(Debug, Default)]
pub struct PipelineEye(PipelineReader);

impl PipelineEye {
    /// An eye that reads as `reader` does.
    pub fn new(reader: PipelineReader) -> Self {
        Self(reader)
    }
}

impl Eye for PipelineEye {
    fn read(&self, frame: &Frame, owners: &[(String, Vec<String>)]) -> Reading {
        self.0.read_picture(&frame.name(), &frame.picture, owners)
    }

    fn annotate(&self, bytes: &[u8], reading: &Reading) -> Option<Annotated> {
        self.0.annotate(bytes, reading)
    }

    fn params(&self) -> Value {
        self.0.params()
    }

    fn model_sha256(&self) -> Option<String> {
        self.0.model_sha256()
    }

    fn warm_up(&self) {
        // Loads the networks, checks them and brings their weights into order.
        let _ = self.0.model_sha256();
        // Starts the inference engine of this thread and lets OpenCV choose its code for this processor.
        let grey = RgbImage::from_pixel(64, 64, image::Rgb([90; 3]));
        let _ = self.0.read_picture("", &Picture { rgb: grey, exif_focal_px: None }, &[]);
    }
}

/// A frame and what was read in it.
#[derive(Debug)]
pub struct Seen {
    /// The frame.
    pub frame: Arc<Frame>,
    /// What was read in it.
    pub reading: Reading,
    /// How long that took.
    pub took: Duration,
}

/// The reading thread. Dropping it waits for the end of the reading it is at: a program that ends meanwhile takes OpenCV's
/// statics from under it.
pub struct BackgroundReader {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    stop: AtomicBool,
    hurry: AtomicBool,
    eye: Arc<dyn Eye>,
    wake: Wake,
}

#[derive(Default)]
struct State {
    owners: Owners,
    /// Readings made with other owners are of no use any more.
    generation: u64,
    recent: VecDeque<Arc<Seen>>,
    asked: Vec<Kept>,
    answered: Option<Vec<Arc<Seen>>>,
}

impl BackgroundReader {
    /// Starts reading what `feed` brings.
    pub fn start(feed: Arc<Feed>, eye: Arc<dyn Eye>, wake: Wake) -> Self {
        let shared =
            Arc::new(Shared { state: Mutex::default(), stop: AtomicBool::new(false), hurry: AtomicBool::new(false), eye, wake });
        let thread = shared.clone();
        let thread = Some(thread::spawn(move || thread.run(&feed)));
        Self { shared, thread }
    }

    /// Whose meeples are which from now on; what was read before is forgotten if that changes.
    pub fn set_owners(&self, owners: Owners) {
        let mut state = self.shared.lock();
        if state.owners != owners {
            state.owners = owners;
            state.generation += 1;
            state.recent.clear();
        }
    }

    /// Whether to read at full speed although nothing moves: somebody waits for a score.
    pub fn set_hurry(&self, hurry: bool) {
        self.shared.hurry.store(hurry, Ordering::Release);
    }

    /// The last readings, the newest last.
    pub fn recent(&self) -> Vec<Arc<Seen>> {
        self.shared.lock().recent.iter().cloned().collect()
    }

    /// Asks for readings of these frames, ahead of all others.
    pub fn ask(&self, frames: Vec<Kept>) {
        self.shared.lock().asked = frames;
    }

    /// The readings that were asked for, once all are there.
    pub fn answered(&self) -> Option<Vec<Arc<Seen>>> {
        self.shared.lock().answered.take()
    }
}

impl Drop for BackgroundReader {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, feed: &Feed) {
        // The source is being opened at the same time, which takes longer.
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.eye.warm_up()));
        let mut last = Last::default();
        while !self.stop.load(Ordering::Acquire) {
            let (asked, owners, generation) = {
                let mut state = self.lock();
                (std::mem::take(&mut state.asked), state.owners.clone(), state.generation)
            };
            if !asked.is_empty() {
                let answers = asked.iter().filter_map(|kept| kept.frame().ok()).map(|frame| self.read(frame, &owners)).collect();
                self.lock().answered = Some(answers);
                (self.wake)();
                continue;
            }
            let sight = feed.sight();
            let newest = sight.frame.filter(|frame| sight.condition.is_good() && frame.number > last.number);
            let hurry = self.hurry.load(Ordering::Acquire);
            let Some(frame) = newest.filter(|_| hurry || !last.rests(sight.still_since)) else {
                feed.wait_for_frame(last.number, Duration::from_millis(50));
                thread::sleep(Duration::from_millis(if hurry { 1 } else { 10 }));
                continue;
            };
            last.note(&frame, sight.still_since);
            let seen = self.read(frame, &owners);
            let mut state = self.lock();
            if state.generation == generation {
                state.recent.push_back(seen);
                while state.recent.len() > REMEMBERED {
                    state.recent.pop_front();
                }
            }
            drop(state);
            (self.wake)();
        }
    }

    fn read(&self, frame: Arc<Frame>, owners: &[(String, Vec<String>)]) -> Arc<Seen> {
        let started = Instant::now();
        // A mistake in the reading of one picture must not end all reading.
        let reading = panic::catch_unwind(AssertUnwindSafe(|| self.eye.read(&frame, owners))).unwrap_or_else(|_| {
            Reading::unreadable(frame.name(), "the program made a mistake in reading this picture", "move the camera a little")
        });
        Arc::new(Seen { frame, reading, took: started.elapsed() })
    }
}

/// What was read last.
#[derive(Default)]
struct Last {
    number: u64,
    read: Option<Instant>,
    /// The pause in which nothing moves that the readings counted belong to.
    pause: Option<Instant>,
    readings: usize,
}

impl Last {
    fn note(&mut self, frame: &Frame, pause: Option<Instant>) {
        self.readings = if pause.is_some() && pause == self.pause { self.readings + 1 } else { 1 };
        (self.number, self.read, self.pause) = (frame.number, Some(Instant::now()), pause);
    }

    /// Whether enough is known of what stands there.
    fn rests(&self, pause: Option<Instant>) -> bool {
        pause.is_some()
            && pause == self.pause
            && self.readings >= BEFORE_REST
            && self.read.is_some_and(|read| read.elapsed() < REST)
    }
}
