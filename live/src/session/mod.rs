//! What happens at the table, without a window, a camera or a clock of its own: it is told what is seen and which keys
//! are pressed, and says what is to be shown.
//!
//! ```text
//!             SPACE                 still, enough readings agree or not
//! Watching ──────────► Scoring ───────────────────────────────────────► Shown ──ENTER──► on record
//!    ▲  ▲                 │ ESC                                           │ ESC              │
//!    │  └─────────────────┴───────────────────────────────────────────────┘                  │
//!    └────────────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod edits;
mod keys;
mod prompt;
mod shown;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use pyrameeple::{
    geometry::Px,
    matchplay::{Built, Event, Match, Round, Setup, TurnOrder, Variant},
    reading::{Reading, Status},
    report,
    rules::{check_standing, parse_rows, show_score},
};

pub use edits::{Edits, piece_at, row_at};
pub use prompt::{Kind, Prompt, Purpose, Step};
pub use shown::{Mark, Origin, Shown};

use crate::{
    clock::{Clock, Cue},
    feed::Sight,
    keeper::{Answer, Evidence, Keeper},
    keys::Key,
    read::{Owners, Seen},
    still::StillParams,
    vote::opinion,
};

/// Readings that vote on a result.
const VOTES: usize = 3;
/// After this long with a still picture fewer readings will do, if they agree.
const ENOUGH: Duration = Duration::from_millis(550);
/// How long a message stays.
pub const MESSAGE: Duration = Duration::from_secs(7);
/// Keys kept while something is being put on record, at most: more are a key that is held down.
const MOST_KEYS_AHEAD: usize = 8;
/// What the only player is called while no match is being played; never shown.
const NOBODY: &str = "the table";

/// What the session is about.
#[derive(Clone, Debug)]
pub enum Phase {
    /// The live picture and its running reading.
    Watching,
    /// SPACE was pressed, and the picture is waited for to be still.
    Scoring {
        /// When it was pressed.
        pressed: Instant,
    },
    /// A result is on show.
    Shown(Box<Shown>),
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Good,
    /// Something could not be done.
    Bad,
    /// Something to know.
    Plain,
}

/// A message about what was just done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
    /// When it was given.
    pub at: Instant,
}

/// What is seen at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Seeing<'a> {
    /// The stream.
    pub sight: &'a Sight,
    /// The last readings, the newest last.
    pub recent: &'a [Arc<Seen>],
}

/// What the session wants of those around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// What the clock has to say.
    pub cue: Option<Cue>,
    /// Read the frames taken just before this moment, and hand the readings to [`Session::buzzer_read`].
    pub read_before: Option<Instant>,
}

/// What is being waited for from the record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Saving {
    /// A result.
    Result(String),
    /// Another event, with what to say when it is on record.
    Event(String),
    /// An undo.
    Undo(String),
}

/// A match being played at the table, or a table where pyramids are scored without one.
pub struct Session {
    setup: Setup,
    game: Option<Match>,
    dir: Option<PathBuf>,
    keeper: Option<Keeper>,
    saving: Option<Saving>,
    /// Keys pressed while something was being put on record; they count once that is done.
    keys_ahead: Vec<Key>,
    still: StillParams,
    /// Who was chosen to be scored next, where the order is free.
    chosen: Option<String>,
    buzzer: Option<Shown>,
    /// The clock of the turn.
    pub clock: Clock,
    /// What the session is about.
    pub phase: Phase,
    /// The question being asked.
    pub prompt: Option<Prompt>,
    /// The last message.
    pub message: Option<Message>,
}

impl Session {
    /// A table without a match: SPACE scores, nothing is recorded.
    pub fn just_scoring(still: StillParams) -> Self {
        Self::of(Setup::new(Variant::Points, [NOBODY], Some(1)), None, still)
    }

    /// The match that `keeper` holds, in the folder `dir`.
    pub fn of_match(keeper: Keeper, dir: PathBuf, still: StillParams) -> Self {
        let game = keeper.game().clone();
        let notes = keeper.notes().join(" ");
        let mut session = Self::of(game.setup().clone(), Some(game), still);
        session.dir = Some(dir);
        if !notes.is_empty() {
            session.say(Tone::Plain, notes, Instant::now());
        }
        session.keeper = Some(keeper);
        session
    }

    /// How many events are on record and what is left on the clock of a turn that is being played; `None` when its clock has
    /// not been started.
    pub fn clock_to_keep(&self, now: Instant) -> Option<(usize, Duration)> {
        let game = self.game.as_ref().filter(|game| game.round().is_some())?;
        (self.clock != Clock::new(self.setup.options.seconds)).then(|| (game.events().len(), self.clock.left(now)))
    }

    /// Takes up the clock where it was left.
    pub fn take_up_clock(&mut self, left: Duration, now: Instant) {
        let words = if left.is_zero() {
            // Its picture at time zero is gone, and so is the moment after which a picture is late.
            "Time was up when the match was left. SPACE scores what stands now, L says that it is late; C starts a new clock."
                .into()
        } else {
            self.clock = Clock::new(self.setup.options.seconds).stopped_at(left);
            let left = self.clock.words(now);
            format!("The clock stands at {left}, as when the match was left: C lets it go on, R sets it back.")
        };
        let notes = self.message.take().map(|message| format!("{} ", message.text)).unwrap_or_default();
        self.say(Tone::Plain, notes + &words, now);
    }

    fn of(setup: Setup, game: Option<Match>, still: StillParams) -> Self {
        let clock = Clock::new(setup.options.seconds);
        Self {
            setup,
            game,
            dir: None,
            keeper: None,
            saving: None,
            keys_ahead: Vec::new(),
            still,
            chosen: None,
            buzzer: None,
            clock,
            phase: Phase::Watching,
            prompt: None,
            message: None,
        }
    }

    /// The match; `None` where pyramids are scored without one.
    pub fn game(&self) -> Option<&Match> {
        self.game.as_ref()
    }

    /// What was agreed before the match.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The folder of the match.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// Whose meeples are which, for the readings.
    pub fn owners(&self) -> Owners {
        if self.game.is_some() { self.setup.colours() } else { Owners::new() }
    }

    /// Whether a score is being waited for.
    pub fn is_scoring(&self) -> bool {
        matches!(self.phase, Phase::Scoring { .. })
    }

    /// Whether something is on its way to the disk.
    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// The result on show.
    pub fn shown(&self) -> Option<&Shown> {
        match &self.phase {
            Phase::Shown(shown) => Some(shown),
            _ => None,
        }
    }

    /// The picture at time zero of the turn being played, with its readings.
    pub fn buzzer(&self) -> Option<&Shown> {
        self.buzzer.as_ref()
    }

    /// The round being played.
    pub fn round(&self) -> Option<Round> {
        self.game.as_ref().and_then(Match::round)
    }

    /// Whose result the next picture shows: one player's, or on a shared playmat of variant 1 that of all who wait.
    pub fn players(&self) -> Vec<String> {
        let Some(game) = &self.game else { return vec![NOBODY.to_owned()] };
        let waiting: Vec<String> = game.waiting().into_iter().map(str::to_owned).collect();
        if self.setup.shared_playmat && self.setup.variant == Variant::Points {
            return waiting;
        }
        let chosen = self.chosen.iter().find(|chosen| waiting.contains(chosen));
        chosen.or(waiting.first()).cloned().into_iter().collect()
    }

    /// Whether the players may be scored in any order, one after the other.
    fn may_choose(&self) -> bool {
        let one_by_one = !(self.setup.shared_playmat && self.setup.variant == Variant::Points);
        let waiting = self.game.as_ref().map_or(0, |game| game.waiting().len());
        one_by_one && waiting > 1 && self.setup.options.order == TurnOrder::Any
    }

    /// Whether a picture taken after time is late by itself. Where each of several players has a playmat of their own, all
    /// take their hands off at time zero and the one camera is shown each pyramid afterwards.
    pub fn late_counts(&self) -> bool {
        self.setup.variant == Variant::Higher || self.setup.shared_playmat || self.setup.players.len() == 1
    }

    /// Whether somebody may be declared to have destroyed an opponent's pyramid.
    fn may_destroy(&self) -> bool {
        let one_playmat = self.setup.shared_playmat || self.setup.variant == Variant::Higher;
        one_playmat && self.setup.players.len() > 1 && self.round().is_some()
    }

    fn say(&mut self, tone: Tone, text: impl Into<String>, at: Instant) {
        self.message = Some(Message { text: text.into(), tone, at });
    }

    /// The message that is still to be shown at `now`.
    pub fn current_message(&self, now: Instant) -> Option<&Message> {
        self.message.as_ref().filter(|message| now.saturating_duration_since(message.at) < MESSAGE)
    }

    /// Takes the time and what is seen.
    pub fn tick(&mut self, now: Instant, seeing: Seeing<'_>) -> Wishes {
        self.take_answer(now);
        let mut wishes = Wishes { cue: self.clock.tick(now), read_before: None };
        if wishes.cue == Some(Cue::Zero) {
            wishes.read_before = self.clock.zero();
            self.say(Tone::Plain, "Time is up: hands off!", now);
        }
        if let Phase::Scoring { pressed } = self.phase
            && let Some(votes) = self.votes(pressed, now, seeing)
        {
            self.show(votes, Origin::Key, now, now.saturating_duration_since(pressed).as_secs_f64());
        }
        wishes
    }

    /// The readings that may vote on what SPACE asked for, once there are enough.
    fn votes(&self, pressed: Instant, now: Instant, seeing: Seeing<'_>) -> Option<Vec<Arc<Seen>>> {
        let sight = seeing.sight;
        let since = sight.still_since?;
        if sight.still_for.as_secs_f64() < self.still.seconds {
            return None;
        }
        let size = sight.frame.as_ref().map(|frame| frame.picture.rgb.dimensions());
        let of_this_pause = |seen: &&Arc<Seen>| seen.frame.at >= since && Some(seen.frame.picture.rgb.dimensions()) == size;
        let (fresh, earlier): (Vec<Arc<Seen>>, Vec<Arc<Seen>>) =
            seeing.recent.iter().filter(of_this_pause).cloned().partition(|seen| seen.frame.at >= pressed);
        // One must be newer than the key: it is the table as it is. Nothing has moved since the earlier ones, so they vote
        // too, unless they say something else: then something did move, too little to be noticed.
        let newest = fresh.last()?;
        let players = self.players();
        let names: Vec<&str> = players.iter().map(String::as_str).collect();
        let says = |seen: &Arc<Seen>| opinion(&seen.reading, &self.setup, &names);
        let mut votes = if earlier.iter().all(|seen| says(seen) == says(newest)) { [earlier, fresh].concat() } else { fresh };
        let wanted = if now.saturating_duration_since(pressed.max(since)) > ENOUGH { VOTES - 1 } else { VOTES };
        if votes.len() < wanted {
            return None;
        }
        Some(votes.split_off(votes.len().saturating_sub(VOTES)))
    }

    fn show(&mut self, votes: Vec<Arc<Seen>>, origin: Origin, now: Instant, waited: f64) {
        let players = self.players();
        let Some(mut shown) = Shown::new(votes, &self.setup, players, origin) else { return };
        let at = shown.taken_at();
        shown.late = self.late_counts() && self.clock.is_late(at);
        shown.seconds = self.clock.taken(at);
        shown.waited = waited;
        if origin == Origin::Buzzer {
            self.buzzer = Some(shown.clone());
            if !matches!(self.phase, Phase::Watching | Phase::Scoring { .. }) {
                self.say(Tone::Plain, "Time is up. The picture at time zero is kept: B shows it.", now);
                return;
            }
        }
        self.prompt = None;
        self.phase = Phase::Shown(Box::new(shown));
    }

    /// Takes the readings of the frames just before time zero, the newest first; none when there were no such frames.
    pub fn buzzer_read(&mut self, readings: Vec<Arc<Seen>>, now: Instant) {
        if readings.is_empty() {
            self.say(Tone::Bad, "Time is up, but the camera gave no picture at time zero. SPACE scores what stands now.", now);
            return;
        }
        self.show(readings, Origin::Buzzer, now, 0.0);
    }

    /// Takes a key; whether it meant anything.
    pub fn key(&mut self, key: Key, now: Instant) -> bool {
        if self.saving.is_some() {
            if self.keys_ahead.len() < MOST_KEYS_AHEAD {
                self.keys_ahead.push(key);
            }
            return true;
        }
        if let Some(prompt) = &mut self.prompt {
            let purpose = prompt.purpose.clone();
            match prompt.key(key) {
                Step::Open => {}
                Step::Cancelled => self.prompt = None,
                Step::Answered(text) => self.answered(purpose, &text, now),
                Step::Picked(index) => self.picked(purpose, index, now),
            }
            return true;
        }
        match self.phase {
            Phase::Watching => self.key_watching(key, now),
            Phase::Scoring { .. } if key == Key::Escape => {
                self.phase = Phase::Watching;
                true
            }
            Phase::Scoring { .. } => key == Key::Space,
            Phase::Shown(_) => self.key_shown(key, now),
        }
    }

    /// Takes a click on the picture of a result.
    pub fn click(&mut self, place: Px, now: Instant) {
        if self.saving.is_none() && self.prompt.is_none() {
            self.edit(now, |shown| shown.click(place));
        }
    }

    /// Takes a click on option number `index` of the question being asked.
    pub fn pick(&mut self, index: usize, now: Instant) {
        if let Some(prompt) = &self.prompt {
            let purpose = prompt.purpose.clone();
            self.picked(purpose, index, now);
        }
    }

    fn edit(&mut self, now: Instant, change: impl FnOnce(&mut Shown) -> Result<String, String>) {
        let Phase::Shown(shown) = &mut self.phase else { return };
        match change(shown) {
            Ok(done) => self.say(Tone::Plain, done, now),
            Err(why) => self.say(Tone::Bad, why, now),
        }
    }

    fn answered(&mut self, purpose: Purpose, text: &str, now: Instant) {
        match purpose {
            Purpose::Rows => match parse_rows(text).and_then(|rows| check_standing(&rows).map(|()| rows)) {
                Ok(rows) => {
                    self.prompt = None;
                    self.edit(now, |shown| shown.set_rows(rows));
                }
                // The question stays open, so that what was typed can be put right.
                Err(error) => self.say(Tone::Bad, error.to_string(), now),
            },
            Purpose::AddRow => match text.trim().parse() {
                Ok(row) => {
                    self.prompt = None;
                    self.edit(now, |shown| shown.add(row));
                }
                Err(_) => self.say(Tone::Bad, "type the number of a row, 1 for the lowest", now),
            },
            Purpose::Missed { player } => {
                self.prompt = None;
                if let Some(round) = self.round() {
                    self.wish(Event::Missed { round, player, reason: None }, now);
                }
            }
            _ => self.prompt = None,
        }
    }

    fn picked(&mut self, purpose: Purpose, index: usize, now: Instant) {
        let Some(Prompt { kind: Kind::Pick { options, .. }, .. }) = self.prompt.take() else { return };
        let (Some(choice), Some(round)) = (options.get(index).cloned(), self.round()) else { return };
        match purpose {
            Purpose::Culprit => {
                let mut others = self.still_in();
                others.retain(|player| *player != choice);
                if let [only] = others.as_slice() {
                    self.wish(Event::Destroyed { round, by: choice, of: Some(only.clone()) }, now);
                    return;
                }
                others.push("nobody says".to_owned());
                self.prompt = Some(Prompt::pick("Whose pyramid was it?", Purpose::Victim { by: choice }, others));
            }
            Purpose::Victim { by } => {
                let of = Some(choice).filter(|_| index + 1 < options.len());
                self.wish(Event::Destroyed { round, by, of }, now);
            }
            Purpose::GiveUp => self.wish(Event::Forfeited { round, player: choice, reason: None }, now),
            _ => {}
        }
    }

    /// Names of the players who are not out.
    fn still_in(&self) -> Vec<String> {
        let out = self.game.as_ref().map(|game| game.table().out.clone()).unwrap_or_default();
        self.setup.names().zip(out).filter(|(_, out)| out.is_none()).map(|(name, _)| name.to_owned()).collect()
    }

    fn wish(&mut self, event: Event, now: Instant) {
        let words = report::event_words(&event, &self.setup);
        match (&self.game, &self.keeper) {
            (Some(game), Some(keeper)) => match game.check(&event) {
                Ok(()) => {
                    let undo = event == Event::Undone;
                    let undone = game.last_in_force().map(|event| report::event_words(event, &self.setup)).unwrap_or_default();
                    keeper.wish(event, None);
                    self.saving = Some(if undo { Saving::Undo(format!("Taken back: {undone}")) } else { Saving::Event(words) });
                }
                Err(refusal) => self.say(Tone::Bad, refusal.to_string(), now),
            },
            _ => self.say(Tone::Bad, "no match is being played: nothing is recorded", now),
        }
    }

    /// Puts the result on show on record, or says why not.
    fn accept(&mut self, now: Instant) {
        let Phase::Shown(shown) = &self.phase else { return };
        let results: Result<Vec<Built>, String> = (0..shown.players.len()).map(|player| shown.built(player)).collect();
        let results = match results {
            Ok(results) => results,
            Err(why) => return self.say(Tone::Bad, why, now),
        };
        let words = results.iter().map(|built| {
            let rows = built.correction.as_ref().map_or(&built.rows, |correction| &correction.rows);
            format!("{}: {}", built.player, show_score(rows))
        });
        let words = words.collect::<Vec<_>>().join(", ");
        let (Some(game), Some(keeper), Some(round)) = (&self.game, &self.keeper, self.round()) else {
            let score = shown.rows(0).map_or_else(String::new, |rows| show_score(&rows));
            self.phase = Phase::Watching;
            return self.say(Tone::Plain, format!("{score}. Not recorded: no match is being played."), now);
        };
        let event = Event::Built { round, results, late: shown.late };
        if let Err(refusal) = game.check(&event) {
            return self.say(Tone::Bad, refusal.to_string(), now);
        }
        let mut views: Vec<Arc<Seen>> = shown.verdict.kept.iter().map(|&index| shown.votes[index].clone()).collect();
        // What stood at time zero is evidence, whatever was scored in the end.
        let buzzer = self.buzzer.as_ref().filter(|buzzer| buzzer.players == shown.players).map(Shown::used);
        if let Some(buzzer) = buzzer.filter(|b| views.iter().all(|view| view.frame.number != b.frame.number)) {
            views.push(buzzer.clone());
        }
        let evidence = Evidence { views, used: 0, disagreement: shown.verdict.disagreement.clone(), seconds: shown.seconds };
        keeper.wish(event, Some(evidence));
        self.saving = Some(Saving::Result(words));
    }

    /// Takes the record's answer, if it is there.
    fn take_answer(&mut self, now: Instant) {
        let (Some(saving), Some(keeper)) = (&self.saving, &self.keeper) else { return };
        let answer = match keeper.answer() {
            Ok(None) => return,
            Ok(Some(answer)) => answer,
            Err(why) => {
                (self.saving, self.keys_ahead) = (None, Vec::new());
                return self.say(Tone::Bad, why, now);
            }
        };
        let saving = saving.clone();
        self.saving = None;
        let keys = std::mem::take(&mut self.keys_ahead);
        if let Some(error) = answer.error {
            // The result stays on show: nothing is lost, and ENTER tries again.
            return self.say(Tone::Bad, format!("Not recorded: {error}"), now);
        }
        let before = (self.round(), self.players());
        self.game = Some(answer.game.clone());
        if matches!(saving, Saving::Result(_)) {
            self.phase = Phase::Watching;
            self.chosen = None;
        }
        let next_turn = self.round() != before.0 || (self.setup.variant == Variant::Higher && self.players() != before.1);
        if next_turn || matches!(saving, Saving::Undo(_)) {
            self.clock.reset();
            self.buzzer = None;
        }
        self.say(Tone::Good, told(&saving, &answer), now);
        for key in keys {
            self.key(key, now);
        }
    }

    /// The status of the running reading and, in words, why it is not `read`.
    pub fn doubt_of(reading: &Reading) -> Option<String> {
        let reason = reading.reason.as_ref().filter(|_| reading.status != Status::Read)?;
        Some(match &reading.advice {
            Some(advice) => format!("{reason} – {advice}"),
            None => reason.clone(),
        })
    }
}

/// What to say once something is on record.
fn told(saving: &Saving, answer: &Answer) -> String {
    let mut text = match saving {
        Saving::Result(words) => format!("Accepted. {words}"),
        Saving::Event(words) | Saving::Undo(words) => words.clone(),
    };
    for note in &answer.notes {
        text.push_str(". ");
        text.push_str(note);
    }
    text
}
