//! Ties the stream, the reading, the session and the sound together; window and terminal each drive one.

use std::{
    mem,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use pyrameeple::record::RecordError;

use crate::{
    clock::CUED_SECONDS,
    feed::{Feed, Opener, Sight, Wake},
    keeper::Keeper,
    kept_clock::KeptClocks,
    read::{BackgroundReader, Eye, Seen},
    session::{Seeing, Session},
    sound::Sound,
    source::{SourceParams, Spec},
    still::StillParams,
};

/// Frames that vote on the picture at time zero.
const BUZZER_VOTES: usize = 3;
/// How far before time zero they may have been taken: what stood then is asked for, not what stood earlier.
const BUZZER_WITHIN: Duration = Duration::from_millis(900);

/// Makes the function that opens sources; once for each stream.
pub type Openers = Box<dyn Fn() -> Opener + Send>;

/// Everything that runs.
pub struct Engine {
    feed: Arc<Feed>,
    reader: BackgroundReader,
    eye: Arc<dyn Eye>,
    wake: Wake,
    openers: Openers,
    source_params: SourceParams,
    /// The tunables of stillness.
    pub still: StillParams,
    /// The cue of the last ten seconds.
    pub sound: Sound,
    /// The table; `None` until it is chosen what to play.
    pub session: Option<Session>,
    /// The stream as of the last tick.
    pub sight: Sight,
    /// The last readings as of the last tick, the newest last.
    pub recent: Vec<Arc<Seen>>,
    /// Where the clock of a match that is left waits for its return; nowhere unless it is set.
    pub clocks: KeptClocks,
}

/// How long leaving waits for a result on its way to the disk.
const CLOSING: Duration = Duration::from_secs(5);

impl Engine {
    /// Starts the stream from `spec` and its reading.
    pub fn start(
        spec: Spec,
        source_params: SourceParams,
        still: StillParams,
        eye: Arc<dyn Eye>,
        openers: Openers,
        sound: Sound,
        wake: Wake,
    ) -> Self {
        let feed = Arc::new(Feed::start(spec, source_params.clone(), still.clone(), openers(), wake.clone()));
        let reader = BackgroundReader::start(feed.clone(), eye.clone(), wake.clone());
        let sight = feed.sight();
        Self {
            feed,
            reader,
            eye,
            wake,
            openers,
            source_params,
            still,
            sound,
            session: None,
            sight,
            recent: Vec::new(),
            clocks: KeptClocks::default(),
        }
    }

    /// Goes over to another source.
    pub fn switch(&mut self, spec: Spec) {
        let feed = Feed::start(spec, self.source_params.clone(), self.still.clone(), (self.openers)(), self.wake.clone());
        self.feed = Arc::new(feed);
        let reader = BackgroundReader::start(self.feed.clone(), self.eye.clone(), self.wake.clone());
        let earlier = mem::replace(&mut self.reader, reader);
        // The window does not wait for the reading of what it shows no more.
        thread::spawn(move || drop(earlier));
        self.recent.clear();
    }

    /// Makes a new match in `dir` and sits down at it.
    pub fn new_match(&mut self, dir: std::path::PathBuf, setup: pyrameeple::matchplay::Setup) -> Result<(), RecordError> {
        let keeper = Keeper::create(&dir, setup, self.eye.clone(), self.wake.clone())?;
        self.session = Some(Session::of_match(keeper, dir, self.still.clone()));
        Ok(())
    }

    /// Goes on with the match in `dir`.
    pub fn resume(&mut self, dir: std::path::PathBuf) -> Result<(), RecordError> {
        let keeper = Keeper::open(&dir, self.eye.clone(), self.wake.clone())?;
        let clock = self.clocks.take(&dir, keeper.game().events().len());
        let mut session = Session::of_match(keeper, dir, self.still.clone());
        if let Some(left) = clock {
            session.take_up_clock(left, Instant::now());
        }
        self.session = Some(session);
        Ok(())
    }

    /// Ends the match for now: waits until a result that was on its way to the disk has got there, and keeps the clock.
    pub fn leave(&mut self) {
        let now = Instant::now();
        while self.session.as_ref().is_some_and(Session::is_saving) && now.elapsed() < CLOSING {
            self.tick(Instant::now());
            thread::sleep(Duration::from_millis(10));
        }
        if let Some(session) = &self.session
            && let (Some(dir), Some((events, left))) = (session.dir(), session.clock_to_keep(now))
        {
            self.clocks.keep(dir, events, left);
        }
    }

    /// Scores without a match.
    pub fn just_score(&mut self) {
        self.session = Some(Session::just_scoring(self.still.clone()));
    }

    /// Lets everything take a step; to be called often.
    pub fn tick(&mut self, now: Instant) {
        self.sight = self.feed.sight();
        self.recent = self.reader.recent();
        let Some(session) = &mut self.session else { return };
        self.reader.set_owners(session.owners());
        if let Some(readings) = self.reader.answered() {
            session.buzzer_read(readings, now);
        }
        let wishes = session.tick(now, Seeing { sight: &self.sight, recent: &self.recent });
        self.reader.set_hurry(session.is_scoring());
        if let Some(cue) = wishes.cue {
            self.sound.play(cue);
        }
        if let Some(zero) = wishes.read_before {
            let frames = self.feed.before(zero, BUZZER_WITHIN, BUZZER_VOTES);
            if frames.is_empty() {
                session.buzzer_read(Vec::new(), now);
            } else {
                self.reader.ask(frames);
            }
        }
    }

    /// The newest reading of pictures as large as the newest frame.
    pub fn running(&self) -> Option<&Arc<Seen>> {
        let size = self.sight.frame.as_ref().map(|frame| frame.picture.rgb.dimensions())?;
        self.recent.last().filter(|seen| seen.frame.picture.rgb.dimensions() == size)
    }

    /// Whether the clock is in its last seconds.
    pub fn is_last_seconds(&self, now: Instant) -> bool {
        let clock = self.session.as_ref().map(|session| &session.clock);
        clock.is_some_and(|clock| clock.is_running() && clock.left(now).as_secs() < CUED_SECONDS)
    }
}
