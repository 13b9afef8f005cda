//! Pictures in files, shown one after the other like a camera's.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use super::{PATIENCE, Source, SourceError, SourceParams};
use crate::frame::Raw;

/// How often the last picture is shown again when there is no other: it then stands like a table that nobody touches.
const STANDING: Duration = Duration::from_millis(200);

/// Pictures in files.
pub struct Sequence {
    paths: Vec<PathBuf>,
    next: usize,
    due: Instant,
    pause: Duration,
    repeat: bool,
}

impl Sequence {
    /// The pictures at `paths`, of which there is at least one.
    pub fn open(paths: Vec<PathBuf>, params: &SourceParams) -> Result<Self, SourceError> {
        // A slideshow slower than this would look like a stalled camera between its pictures.
        let pause = Duration::from_secs_f64(1.0 / params.fps.clamp(0.01, 1000.0));
        Ok(Self { paths, next: 0, due: Instant::now(), pause, repeat: params.repeat })
    }
}

impl Source for Sequence {
    fn words(&self) -> String {
        match self.paths.as_slice() {
            [one] => one.display().to_string(),
            paths => format!("{} pictures", paths.len()),
        }
    }

    fn next(&mut self) -> Result<Raw, SourceError> {
        let now = Instant::now();
        // Between two pictures that are far apart the one before stands.
        let wait = self.due.saturating_duration_since(now).min(STANDING).min(PATIENCE);
        thread::sleep(wait);
        if Instant::now() >= self.due {
            if self.next < self.paths.len() {
                self.next += 1;
            } else if self.repeat {
                self.next = 1;
            }
            self.due = (self.due + self.pause).max(now);
        }
        let path = &self.paths[self.next.clamp(1, self.paths.len()) - 1];
        let unreadable =
            |error: std::io::Error| SourceError::Unreadable { what: path.display().to_string(), why: error.to_string() };
        Ok(Raw::File(fs::read(path).map_err(unreadable)?))
    }

    fn is_live(&self) -> bool {
        false
    }
}
