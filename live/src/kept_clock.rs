//! The clock of a match that was left in the middle of a turn, for whoever comes back to it. Kept with the user's other
//! state and not in the match's folder: a record holds what happened, and every file in it is evidence.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use pyrameeple::record::sha256;
use serde_json::{Value, json};

/// Where clocks are kept.
#[derive(Clone, Debug, Default)]
pub struct KeptClocks(Option<PathBuf>);

impl KeptClocks {
    /// In the user's own folder for the state of programs; nowhere if there is none.
    pub fn of_user() -> Self {
        let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = match () {
            () if cfg!(windows) => folder("LOCALAPPDATA"),
            () if cfg!(target_os = "macos") => folder("HOME").map(|home| home.join("Library/Application Support")),
            // XDG Base Directory Specification.
            () => folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/state"))),
        };
        Self(state.map(|state| state.join("pyrameeple/clocks")))
    }

    /// In `folder`, which need not be there yet.
    pub fn at(folder: PathBuf) -> Self {
        Self(Some(folder))
    }

    fn file(&self, dir: &Path) -> Option<PathBuf> {
        let dir = fs::canonicalize(dir).ok()?;
        Some(self.0.as_ref()?.join(format!("{}.json", &sha256(dir.as_os_str().as_encoded_bytes())[..16])))
    }

    /// Keeps that `left` is on the clock of the match in `dir`, which has `events` on record. Where that cannot be written
    /// the clock starts anew, which is no harm.
    pub fn keep(&self, dir: &Path, events: usize, left: Duration) {
        if let Some(file) = self.file(dir) {
            let clock = json!({ "events": events, "left_ms": left.as_millis() as u64 });
            let _ = file.parent().map(fs::create_dir_all);
            let _ = fs::write(file, clock.to_string());
        }
    }

    /// What was kept for the match in `dir`, if it still has `events` on record; kept no longer.
    pub fn take(&self, dir: &Path, events: usize) -> Option<Duration> {
        let file = self.file(dir)?;
        let clock: Value = serde_json::from_slice(&fs::read(&file).ok()?).unwrap_or_default();
        let _ = fs::remove_file(&file);
        let same = clock["events"].as_u64() == Some(events as u64);
        clock["left_ms"].as_u64().filter(|_| same).map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_taken_once_and_only_by_the_turn_it_was_kept_for() {
        let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (clocks, left) = (KeptClocks::at(state.path().join("clocks")), Duration::from_millis(45_210));
        assert_eq!(clocks.take(dir.path(), 3), None);
        clocks.keep(dir.path(), 3, left);
        assert_eq!((clocks.take(dir.path(), 3), clocks.take(dir.path(), 3)), (Some(left), None));
        clocks.keep(dir.path(), 3, left);
        assert_eq!(clocks.take(dir.path(), 4), None, "something was put on record since, by another program");
        KeptClocks::default().keep(dir.path(), 3, left);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "the match's folder is not written to");
    }
}
