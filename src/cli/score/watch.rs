//! `--watch`: photos as they arrive.
//!
//! The folders are looked at every second rather than watched through the system: that works on network drives and
//! cameras as well, where the system announces nothing.

use std::{
    collections::HashMap,
    fs, mem,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::{ScoreArgs, say, tell_skipped};
use crate::photos::{self, Item};

/// Between two looks at the folders. A file is whole when it looks the same twice.
const PAUSE: Duration = Duration::from_secs(1);
/// An empty file may be one whose first byte has not come yet; after this long it is taken for an empty one.
const EMPTY_FOR: Duration = Duration::from_secs(10);
/// How often it is looked whether the program is to end.
const LOOK_UP: Duration = Duration::from_millis(50);

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Look {
    fn at(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        Some(Self { bytes: about.len(), changed: about.modified().ok() })
    }
}

/// Waits for photos.
pub struct Watch {
    folders: Vec<PathBuf>,
    recursive: bool,
    annotate: Option<PathBuf>,
    verbose: bool,
    /// Files that were read, or are no photos, as they looked then.
    settled: HashMap<PathBuf, Look>,
    /// Files that may still be growing, and since when they look so.
    growing: HashMap<PathBuf, (Look, Instant)>,
    told: bool,
}

impl Watch {
    /// Waits for what is not among `items`.
    pub fn new(args: &ScoreArgs, items: &[Item]) -> Self {
        let settled = items.iter().filter_map(|item| Some((item.path().to_owned(), Look::at(item.path())?)));
        Self {
            folders: args.paths.iter().filter(|path| path.is_dir()).cloned().collect(),
            recursive: args.recursive,
            annotate: args.annotate.clone(),
            verbose: args.verbose,
            settled: settled.collect(),
            growing: HashMap::new(),
            told: false,
        }
    }

    /// The photos that arrive next; `None` when the program is to end. `empty` says that there were none so far.
    pub fn next(&mut self, stop: &AtomicBool, empty: bool) -> Option<Vec<PathBuf>> {
        if !mem::replace(&mut self.told, true) {
            let more = if empty { "" } else { "more " };
            let folders: Vec<String> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
            say(&format!("waiting for {more}photos in {}; Ctrl-C ends", folders.join(", ")));
        }
        loop {
            let woken = Instant::now();
            while woken.elapsed() < PAUSE {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                thread::sleep(LOOK_UP);
            }
            let arrived = self.look();
            if !arrived.is_empty() {
                return Some(arrived);
            }
        }
    }

    /// The photos that have arrived and are whole.
    fn look(&mut self) -> Vec<PathBuf> {
        let settled = &self.settled;
        let unknown = |path: &Path| Look::at(path).is_some_and(|look| settled.get(path) != Some(&look));
        let found = photos::collect_wanted(&self.folders, self.recursive, self.annotate.as_deref(), &unknown);
        let photos = found.items.into_iter().filter_map(|item| match item {
            Item::Photo(path) => Some((path, None)),
            // A folder without new photos.
            Item::NoPhotos { .. } => None,
        });
        let others = found.skipped.into_iter().map(|skipped| (skipped.path.clone(), Some(skipped)));
        let mut growing = HashMap::new();
        let mut arrived = Vec::new();
        for (path, skipped) in photos.chain(others) {
            let Some(look) = Look::at(&path) else { continue };
            match self.growing.get(&path) {
                Some((before, since)) if *before == look && (look.bytes > 0 || since.elapsed() >= EMPTY_FOR) => {
                    match skipped {
                        None => arrived.push(path.clone()),
                        Some(skipped) if self.verbose => tell_skipped(&skipped),
                        Some(_) => {}
                    }
                    self.settled.insert(path, look);
                }
                Some((before, since)) if *before == look => {
                    growing.insert(path, (look, *since));
                }
                _ => {
                    growing.insert(path, (look, Instant::now()));
                }
            }
        }
        self.growing = growing;
        arrived
    }
}
