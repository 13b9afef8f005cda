//! The stream: a thread that grabs and one that decodes, each always at work on the newest picture, and what the others
//! may know of it at any moment without waiting.
//!
//! ```text
//! source ──next()──► grabbing ──slot──► decoding ──► newest frame, stillness, last seconds
//! ```

use std::{
    fmt,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    condition::Condition,
    frame::{Frame, Kept, Raw},
    ring::{Ring, RingParams},
    slot::Slot,
    source::{Source, SourceError, SourceParams, Spec},
    still::{StillParams, Stillness},
};

/// How long black first pictures of a camera are taken for its waking up.
const WAKING: Duration = Duration::from_millis(2500);
/// A stream without a new picture for this long is said to have stalled.
const STALLED: Duration = Duration::from_millis(1200);
/// Pictures that do not differ in a single pixel for this long come from a frozen camera.
const FROZEN: Duration = Duration::from_millis(1500);
/// Pictures that are black for this long are worth a word.
const BLACK: Duration = Duration::from_millis(700);
/// Pause before a source that failed is opened again.
const REOPEN: Duration = Duration::from_millis(700);
/// A live source from which no picture has come for this long is opened anew: a network that was away leaves connections
/// behind on which nothing comes any more, and nobody says so.
const SILENT: Duration = Duration::from_secs(10);
/// The same before the first picture; some cameras take this long.
const SILENT_AT_FIRST: Duration = Duration::from_secs(20);
/// How long a change of the picture's size is told.
const TELL_RESIZED: Duration = Duration::from_secs(5);

/// Called whenever there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Opens a source; [`crate::source::open`] but in tests.
pub type Opener = Box<dyn Fn(&Spec, &SourceParams) -> Result<Box<dyn Source>, SourceError> + Send>;

/// What can be seen of a stream at one moment.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The newest frame, even if the stream has stopped since.
    pub frame: Option<Arc<Frame>>,
    /// How the stream is.
    pub condition: Condition,
    /// Since when nothing has moved; `None` when that cannot be said.
    pub still_since: Option<Instant>,
    /// How long nothing had moved when the newest frame was taken.
    pub still_for: Duration,
    /// Frames a second of late.
    pub fps: f64,
    /// What the source is, for people.
    pub source: String,
    /// The sizes before and after a change of the picture's size not long ago, px.
    pub resized: Option<[(u32, u32); 2]>,
}

/// A running stream. Dropping it ends its threads, within the second that a source may block.
pub struct Feed {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    raw: Slot<(Raw, Instant)>,
    stop: AtomicBool,
    wake: Wake,
    still: StillParams,
}

struct State {
    /// Whether the source is being opened, rather than read.
    opening: bool,
    /// Since when it is being opened, or read.
    since: Instant,
    /// How and since when it fails, until a picture comes again: that a source was opened does not mean that it works.
    failed: Option<(SourceError, Instant)>,
    source: String,
    is_live: bool,
    frame: Option<Arc<Frame>>,
    frames: u64,
    fps: f64,
    /// When the first picture after opening came; black ones are dropped for a while from then on.
    first_picture: Option<Instant>,
    woken: bool,
    black_since: Option<Instant>,
    same_since: Option<Instant>,
    damage: Option<String>,
    resized: Option<([(u32, u32); 2], Instant)>,
    stillness: Stillness,
    ring: Ring,
}

impl Feed {
    /// Starts a stream from `spec` in the background.
    pub fn start(spec: Spec, params: SourceParams, still: StillParams, opener: Opener, wake: Wake) -> Self {
        let state = State {
            opening: true,
            since: Instant::now(),
            failed: None,
            source: spec.to_string(),
            is_live: spec.is_live(),
            frame: None,
            frames: 0,
            fps: 0.0,
            first_picture: None,
            woken: false,
            black_since: None,
            same_since: None,
            damage: None,
            resized: None,
            stillness: Stillness::default(),
            ring: Ring::new(RingParams::default()),
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            raw: Slot::default(),
            stop: AtomicBool::new(false),
            wake,
            still,
        });
        let (grabbing, decoding) = (shared.clone(), shared.clone());
        thread::spawn(move || grabbing.grab(spec, &params, &opener));
        thread::spawn(move || decoding.decode());
        Self { shared }
    }

    /// What can be seen now.
    pub fn sight(&self) -> Sight {
        let state = self.shared.lock();
        let (now, condition) = (Instant::now(), state.condition(Instant::now()));
        let still = condition.is_good();
        let resized = state.resized.filter(|(_, at)| now.duration_since(*at) < TELL_RESIZED).map(|(sizes, _)| sizes);
        Sight {
            frame: state.frame.clone(),
            still_since: state.stillness.since().filter(|_| still),
            still_for: if still { state.stillness.lasted() } else { Duration::ZERO },
            fps: if still { state.fps } else { 0.0 },
            source: state.source.clone(),
            resized,
            condition,
        }
    }

    /// Up to `most` frames of the last seconds, taken at or before `time` and no more than `within` earlier, newest first.
    pub fn before(&self, time: Instant, within: Duration, most: usize) -> Vec<Kept> {
        self.shared.lock().ring.before(time, within, most)
    }

    /// Waits up to `patience` for a frame after number `after`; whether there is one.
    pub fn wait_for_frame(&self, after: u64, patience: Duration) -> bool {
        let state = self.shared.lock();
        let waiting = |state: &mut State| state.frame.as_ref().is_none_or(|frame| frame.number <= after);
        let waited = self.shared.changed.wait_timeout_while(state, patience, waiting);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.raw.wake();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// The grabbing thread: opens the source, hands on what comes, and opens it again when it fails.
    fn grab(&self, mut spec: Spec, params: &SourceParams, opener: &Opener) {
        while !self.stopped() {
            self.opening();
            let error = match opener(&spec, params) {
                Ok(mut source) => {
                    if let Some(identity) = source.identity() {
                        spec = identity;
                    }
                    self.opened(source.as_ref());
                    // A driver's library may give up altogether; the table must not.
                    panic::catch_unwind(AssertUnwindSafe(|| self.run(source.as_mut()))).unwrap_or_else(|_| {
                        let why = "its driver broke down, it is opened anew".to_owned();
                        Some(SourceError::System { what: source.words(), why })
                    })
                }
                Err(error) => Some(error),
            };
            let Some(error) = error else { return };
            self.failed(error);
            let until = Instant::now() + REOPEN;
            while !self.stopped() && Instant::now() < until {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }

    /// Hands on what comes until the source fails; `None` when the stream is to stop.
    fn run(&self, source: &mut dyn Source) -> Option<SourceError> {
        let (mut last, mut patience) = (Instant::now(), SILENT_AT_FIRST);
        while !self.stopped() {
            match source.next() {
                Ok(raw) => {
                    (last, patience) = (Instant::now(), SILENT);
                    self.raw.put((raw, last));
                }
                Err(SourceError::Late) if source.is_live() && last.elapsed() > patience => {
                    return Some(SourceError::Silent { what: source.words(), seconds: patience.as_secs() });
                }
                // Told by the time since the newest frame; the next one may come.
                Err(SourceError::Late) => (self.wake)(),
                Err(error) => return Some(error),
            }
        }
        None
    }

    fn opening(&self) {
        let mut state = self.lock();
        (state.opening, state.since) = (true, Instant::now());
        drop(state);
        (self.wake)();
    }

    fn failed(&self, error: SourceError) {
        let mut state = self.lock();
        let since = state.failed.as_ref().map_or_else(Instant::now, |(_, since)| *since);
        state.failed = Some((error, since));
        // It is about to be opened anew: what is still being decoded says nothing of that.
        (state.opening, state.since) = (true, Instant::now());
        drop(state);
        (self.wake)();
    }

    fn opened(&self, source: &dyn Source) {
        let mut state = self.lock();
        (state.opening, state.since) = (false, Instant::now());
        state.source = source.words();
        state.is_live = source.is_live();
        (state.first_picture, state.woken, state.damage) = (None, !source.is_live(), None);
        (state.black_since, state.same_since) = (None, None);
        state.stillness.reset();
        drop(state);
        (self.wake)();
    }

    /// The decoding thread.
    fn decode(&self) {
        while !self.stopped() {
            let Some((raw, at)) = self.raw.take(Duration::from_millis(200), || self.stopped()) else { continue };
            let number = self.lock().frames + 1;
            let decoded = Frame::decode(raw, number, at);
            self.lock().take(decoded, &self.still);
            self.changed.notify_all();
            (self.wake)();
        }
    }
}

impl State {
    fn take(&mut self, decoded: Result<Frame, String>, still: &StillParams) {
        let frame = match decoded {
            Ok(frame) => Arc::new(frame),
            Err(why) => {
                self.damage = Some(why);
                return;
            }
        };
        self.damage = None;
        // One that was grabbed before the failure and decoded after it shows nothing new.
        if !self.opening && frame.at >= self.since {
            self.failed = None;
        }
        let first = *self.first_picture.get_or_insert(frame.at);
        let black = frame.thumb.is_black();
        self.woken |= !black || frame.at.saturating_duration_since(first) > WAKING;
        if !self.woken {
            return;
        }
        self.frames += 1;
        self.black_since = if black { self.black_since.or(Some(frame.at)) } else { None };
        if let Some(last) = self.frame.replace(frame.clone()) {
            let same = frame.thumb.is_same(&last.thumb);
            self.same_since = if same { self.same_since.or(Some(last.at)) } else { None };
            let (before, after) = (last.picture.rgb.dimensions(), frame.picture.rgb.dimensions());
            if before != after {
                self.resized = Some(([before, after], frame.at));
                self.stillness.reset();
            }
            let gap = frame.at.saturating_duration_since(last.at).as_secs_f64().max(1e-3);
            // A running mean over some ten frames; a gap is no slow frame.
            self.fps =
                if self.fps == 0.0 || gap > STALLED.as_secs_f64() { 1.0 / gap } else { 1.0 / (0.9 / self.fps + 0.1 * gap) };
        }
        self.stillness.push(&frame.thumb, frame.at, still);
        self.ring.push(&frame);
    }

    fn condition(&self, now: Instant) -> Condition {
        let age = |at: Instant| now.saturating_duration_since(at);
        if let Some((error, since)) = &self.failed {
            return Condition::Lost { error: error.clone(), seconds: age(*since).as_secs_f64() };
        }
        let seconds = age(self.since).as_secs_f64();
        if self.opening || self.is_live && self.first_picture.is_none() && self.damage.is_none() && age(self.since) > STALLED {
            return Condition::Opening { what: self.source.clone(), seconds };
        }
        let newest = self.frame.as_ref().map(|frame| frame.at).filter(|&at| at >= self.since);
        let last_sign = newest.or(self.first_picture).unwrap_or(self.since);
        if age(last_sign) > STALLED && (self.woken || self.first_picture.is_none()) {
            let file = (!self.is_live).then(|| self.source.clone());
            return Condition::Stalled { seconds: age(last_sign).as_secs_f64(), damage: self.damage.clone(), file };
        }
        if newest.is_none() {
            return if self.is_live { Condition::Waking } else { Condition::Starting { what: self.source.clone() } };
        }
        let lasting = |since: Option<Instant>, most: Duration| since.is_some_and(|since| age(since) > most);
        if lasting(self.black_since, BLACK) {
            return Condition::Black;
        }
        if self.is_live && lasting(self.same_since, FROZEN) {
            return Condition::Frozen { seconds: self.same_since.map_or(0.0, |since| age(since).as_secs_f64()) };
        }
        Condition::Good
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("source", &self.shared.lock().source).finish()
    }
}
