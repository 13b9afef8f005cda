//! Matches in a folder: what the window's start screen and the terminal's questions both offer.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pyrameeple::{
    record::{EVENTS, Record},
    report,
};

use crate::keeper::now;

/// Matches listed to go on with.
const MOST_LISTED: usize = 6;
/// Turns that are proposed for a new match.
pub const TURNS: u32 = 3;

/// A folder of today's date in `home` that is not there yet.
pub fn free_folder(home: &Path) -> PathBuf {
    let now = now();
    let today = now.split('T').next().unwrap_or_default();
    let first = home.join(format!("match-{today}"));
    let numbered = (2..1000).map(|number| home.join(format!("match-{today}-{number}")));
    std::iter::once(first.clone()).chain(numbered).find(|path| !path.exists()).unwrap_or(first)
}

/// The matches in `home`, the last one played first, each in a few words.
pub fn matches_in(home: &Path) -> Vec<(PathBuf, String)> {
    let folders = fs::read_dir(home).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<(std::time::SystemTime, PathBuf)> =
        folders.filter_map(|dir| Some((fs::metadata(dir.join(EVENTS)).ok()?.modified().ok()?, dir))).collect();
    found.sort_by(|a, b| b.cmp(a));
    let listed = found.into_iter().filter_map(|(_, dir)| {
        let record = Record::read(&dir).ok()?;
        let game = record.game();
        let state = match (game.outcome(), game.round()) {
            (Some(outcome), _) => format!("finished: {outcome}"),
            (None, Some(round)) => format!("{} {round}", game.setup().round_word()),
            (None, None) => return None,
        };
        let names = game.setup().names().collect::<Vec<_>>().join(", ");
        Some((dir, format!("{}: {names}; {state}", report::variant_words(game.setup()))))
    });
    listed.take(MOST_LISTED).collect()
}
