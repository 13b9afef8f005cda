//! The clock of a turn. It is told the time and reads no clock of its own, so that tests need not wait.

use std::time::{Duration, Instant};

/// The clock cues the last this many seconds, each by itself.
pub const CUED_SECONDS: u64 = 10;

/// What the clock has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cue {
    /// So many seconds are left; one of the last ten.
    Second(u64),
    /// Time is up.
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Running { until: Instant },
    Paused { left: Duration },
    Over { since: Instant },
}

/// The clock of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    length: Duration,
    state: State,
    /// The last second that was cued.
    cued: Option<u64>,
}

impl Clock {
    /// A clock of `seconds`, not yet started.
    pub fn new(seconds: u32) -> Self {
        Self { length: Duration::from_secs(seconds.into()), state: State::Ready, cued: None }
    }

    /// The same clock, stopped with `left` on it.
    pub fn stopped_at(mut self, left: Duration) -> Self {
        (self.state, self.cued) = (State::Paused { left: left.min(self.length) }, None);
        self
    }

    /// Starts, pauses or goes on; a clock that has run out stays so until it is reset.
    pub fn toggle(&mut self, now: Instant) {
        self.state = match self.state {
            State::Ready => State::Running { until: now + self.length },
            State::Running { until } if until > now => State::Paused { left: until - now },
            State::Paused { left } => State::Running { until: now + left },
            over => over,
        };
    }

    /// Back to the full time, not running.
    pub fn reset(&mut self) {
        (self.state, self.cued) = (State::Ready, None);
    }

    /// What is to be cued at `now`; each cue is given once. A second that was slept through is left out.
    pub fn tick(&mut self, now: Instant) -> Option<Cue> {
        let State::Running { until } = self.state else { return None };
        if now >= until {
            self.state = State::Over { since: until };
            return Some(Cue::Zero);
        }
        let seconds = (until - now).as_secs_f64().ceil() as u64;
        let due = seconds <= CUED_SECONDS && self.cued.is_none_or(|cued| seconds < cued);
        due.then(|| {
            self.cued = Some(seconds);
            Cue::Second(seconds)
        })
    }

    /// Time left.
    pub fn left(&self, now: Instant) -> Duration {
        match self.state {
            State::Ready => self.length,
            State::Running { until } => until.saturating_duration_since(now),
            State::Paused { left } => left,
            State::Over { .. } => Duration::ZERO,
        }
    }

    /// The time left as people read it: "1:59", "0:07".
    pub fn words(&self, now: Instant) -> String {
        // Rounded up, so that 0:00 means that time is up.
        let seconds = self.left(now).as_secs_f64().ceil() as u64;
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }

    /// Whether it was started and stopped before its end.
    pub fn is_paused(&self) -> bool {
        matches!(self.state, State::Paused { .. })
    }

    /// When it ran out; `None` while it has not.
    pub fn zero(&self) -> Option<Instant> {
        match self.state {
            State::Over { since } => Some(since),
            _ => None,
        }
    }

    /// Seconds since the start at the moment `at`, pauses left out; `None` when it was not started.
    pub fn taken(&self, at: Instant) -> Option<f64> {
        let left = |until: Instant| until.saturating_duration_since(at).as_secs_f64();
        let over = |until: Instant| at.saturating_duration_since(until).as_secs_f64();
        match self.state {
            State::Ready => None,
            State::Running { until } | State::Over { since: until } => {
                Some((self.length.as_secs_f64() - left(until) + over(until)).max(0.0))
            }
            State::Paused { left } => Some((self.length - left).as_secs_f64()),
        }
    }

    /// Whether a picture taken at `at` is late.
    pub fn is_late(&self, at: Instant) -> bool {
        match self.state {
            State::Running { until } | State::Over { since: until } => at > until,
            State::Ready | State::Paused { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn each_of_the_last_ten_seconds_is_cued_once_and_then_zero() {
        let (mut clock, start) = (Clock::new(45), Instant::now());
        clock.toggle(start);
        let cues: Vec<Cue> = (0..600).filter_map(|i| clock.tick(start + ms(100 * i))).collect();
        let expected: Vec<Cue> = (1..=10).rev().map(Cue::Second).chain([Cue::Zero]).collect();
        assert_eq!(cues, expected);
        assert_eq!(clock.zero(), Some(start + ms(45_000)));
    }

    #[test]
    fn a_pause_does_not_count() {
        let (mut clock, start) = (Clock::new(120), Instant::now());
        assert_eq!((clock.words(start), clock.taken(start)), ("2:00".into(), None));
        clock.toggle(start);
        clock.toggle(start + ms(30_000));
        assert_eq!(clock.words(start + ms(90_000)), "1:30");
        clock.toggle(start + ms(100_000));
        assert_eq!(clock.words(start + ms(101_500)), "1:29");
        assert_eq!(clock.taken(start + ms(110_000)), Some(40.0));
        assert!(!clock.is_late(start + ms(189_000)) && clock.is_late(start + ms(190_100)));
    }

    #[test]
    fn a_clock_that_ran_out_waits_for_its_reset() {
        let (mut clock, start) = (Clock::new(2), Instant::now());
        clock.toggle(start);
        assert_eq!(clock.tick(start + ms(2500)), Some(Cue::Zero));
        clock.toggle(start + ms(2600));
        assert_eq!(clock.words(start + ms(2600)), "0:00");
        assert_eq!(clock.taken(start + ms(3500)), Some(3.5));
        clock.reset();
        assert_eq!(clock.words(start + ms(2700)), "0:02");
    }
}
