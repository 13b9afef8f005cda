//! Figures about the program itself, for `--stats`: whoever runs it on a small computer wants to know.

use std::{
    fs,
    io::Write,
    time::{Duration, Instant},
};

use crate::engine::Engine;

/// How often a line is written.
const EVERY: Duration = Duration::from_secs(2);

/// Counts what is drawn and says so now and then.
#[derive(Debug)]
pub struct Stats {
    on: bool,
    drawn: u32,
    since: Instant,
}

impl Stats {
    /// Figures are written to standard error if `on`.
    pub fn new(on: bool) -> Self {
        Self { on, drawn: 0, since: Instant::now() }
    }

    /// Counts one more picture drawn, and writes a line of JSON when it is time.
    pub fn drawn(&mut self, engine: &Engine, now: Instant) {
        self.drawn += 1;
        let passed = now.saturating_duration_since(self.since);
        if !self.on || passed < EVERY {
            return;
        }
        let line = serde_json::json!({
            "drawn_per_second": f64::from(self.drawn) / passed.as_secs_f64(),
            "frames_per_second": engine.sight.fps,
            "reading_ms": engine.running().map(|seen| seen.took.as_secs_f64() * 1e3),
            "waited_ms": engine.session.as_ref().and_then(|session| session.shown()).map(|shown| shown.waited * 1e3),
            "condition": engine.sight.condition.words(),
            "memory_mb": memory_mb(),
        });
        let _ = writeln!(std::io::stderr(), "{line}");
        (self.drawn, self.since) = (0, now);
    }
}

/// Memory of this process that is in use, MB; `None` where the system does not tell it in a file.
fn memory_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
