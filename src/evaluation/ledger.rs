//! The accuracy ledger: what each category of pictures came to, in a committed file that tests hold the program to.
//!
//! A fall fails the tests. A rise is written into the file with the change that brought it, so that the file's history is
//! the history of accuracy. Unread is cheap, wrong is not: both have their bound.

use std::{collections::BTreeMap, fmt, fs, io, path::Path};

use serde::{Deserialize, Serialize};

use super::{
    compare::Comparison,
    figures::{Figures, by_kind},
};

/// Category of all pictures inside the envelope, whatever their kind.
pub const INSIDE: &str = "inside_envelope";
/// Corner errors may differ by this share of the ledger's figure, and by [`CORNER_SLACK_PX`], before it counts as a fall or
/// a rise: other versions of OpenCV round differently.
const CORNER_SLACK: f64 = 0.1;
/// See [`CORNER_SLACK`].
const CORNER_SLACK_PX: f64 = 0.3;

/// The bounds of one category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Pictures in the category.
    pub pictures: usize,
    /// At least so many are read, and right.
    pub least_exact: usize,
    /// At most so many are read, and wrong.
    pub most_wrong: usize,
    /// At most so many are unsure or unreadable.
    pub most_unread: usize,
    /// At most so many pieces are missed or extra.
    pub most_wrong_pieces: usize,
    /// At most so many pieces are in a wrong row.
    pub most_wrong_rows: usize,
    /// 95 of 100 visible corners of the playmat are no further off than this, px; absent when no playmat was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_corner_px: Option<f64>,
}

impl From<&Figures> for Bounds {
    fn from(figures: &Figures) -> Self {
        Self {
            pictures: figures.pictures,
            least_exact: figures.exact,
            most_wrong: figures.wrong,
            most_unread: figures.unread(),
            most_wrong_pieces: figures.wrong_pieces,
            most_wrong_rows: figures.wrong_rows,
            most_corner_px: figures.corner_px.map(|px| (px.p95 * 10.0).round() / 10.0),
        }
    }
}

/// The bounds of each category of one collection of pictures, by the category's name.
pub type Section = BTreeMap<String, Bounds>;

/// The sections of a ledger file, by the collection's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger(pub BTreeMap<String, Section>);

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file cannot be read or written.
    #[error("the ledger cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// Not the format.
    #[error("the ledger does not have the format of one: {0}")]
    Format(#[from] toml::de::Error),
    /// Cannot happen with what this program holds.
    #[error("the ledger cannot be put into words: {0}")]
    Write(#[from] toml::ser::Error),
    /// No such collection.
    #[error("the ledger has no section `{0}`; add it with --write")]
    NoSection(String),
}

/// A figure that differs from its bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The category.
    pub category: String,
    /// The figure, and how it differs.
    pub what: String,
    /// Whether it is worse than the ledger allows; better otherwise.
    pub fell: bool,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.fell { "fell" } else { "succeeded unexpectedly" };
        write!(f, "{} {verb}: {}", self.category, self.what)
    }
}

const HEADER: &str = "\
# The accuracy ledger: for each collection of pictures and each category in it, how the program reads them. The tests hold
# `testdata` to it; the other sections are written by hand-run commands. Written by
#     pyrameeple evaluate FOLDER --ledger testdata/ledger.toml --write [--section NAME]

";

/// The figures of `comparisons` as a section: one line for each category, one for all pictures inside the envelope.
pub fn section(comparisons: &[Comparison]) -> Section {
    let mut section: Section = by_kind(comparisons).iter().map(|(kind, figures)| (kind.clone(), figures.into())).collect();
    let inside = Figures::of(comparisons.iter().filter(|comparison| comparison.inside_envelope));
    section.insert(INSIDE.into(), (&inside).into());
    section
}

impl Ledger {
    /// The ledger in the file at `path`; an empty one when there is no such file.
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(toml::from_str(&text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the ledger into the file at `path`.
    pub fn save(&self, path: &Path) -> Result<(), LedgerError> {
        Ok(fs::write(path, format!("{HEADER}{}", toml::to_string(self)?))?)
    }

    /// How `now` differs from the section `name`, falls first.
    pub fn changes(&self, name: &str, now: &Section) -> Result<Vec<Change>, LedgerError> {
        let then = self.0.get(name).ok_or_else(|| LedgerError::NoSection(name.into()))?;
        let mut changes = Vec::new();
        for (category, bounds) in then {
            match now.get(category) {
                Some(figures) => compare(category, bounds, figures, &mut changes),
                None => changes.push(Change { category: category.clone(), what: "its pictures are gone".into(), fell: true }),
            }
        }
        for category in now.keys().filter(|category| !then.contains_key(*category)) {
            changes.push(Change { category: category.clone(), what: "it is not in the ledger".into(), fell: true });
        }
        changes.sort_by_key(|change| !change.fell);
        Ok(changes)
    }
}

fn compare(category: &str, then: &Bounds, now: &Bounds, changes: &mut Vec<Change>) {
    let mut push = |what: String, fell| changes.push(Change { category: category.to_owned(), what, fell });
    if then.pictures != now.pictures {
        return push(format!("the ledger is of {} pictures, there are {}", then.pictures, now.pictures), true);
    }
    if now.least_exact != then.least_exact {
        let what = format!("{} of {} pictures exact, {} before", now.least_exact, now.pictures, then.least_exact);
        push(what, now.least_exact < then.least_exact);
    }
    for (noun, now, then) in [
        ("pictures read wrongly", now.most_wrong, then.most_wrong),
        ("pictures unread", now.most_unread, then.most_unread),
        ("wrong pieces", now.most_wrong_pieces, then.most_wrong_pieces),
        ("pieces in wrong rows", now.most_wrong_rows, then.most_wrong_rows),
    ] {
        if now != then {
            push(format!("{now} {noun}, {then} before"), now > then);
        }
    }
    match (then.most_corner_px, now.most_corner_px) {
        (Some(then), Some(now)) if (now - then).abs() > then * CORNER_SLACK + CORNER_SLACK_PX => {
            push(format!("playmat corners within {now:.1} px, {then:.1} before"), now > then);
        }
        (Some(_), None) => push("no playmat found any more".into(), true),
        (None, Some(now)) => push(format!("playmats found, corners within {now:.1} px"), false),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(exact: usize, wrong: usize, corner: f64) -> Bounds {
        Bounds {
            pictures: 10,
            least_exact: exact,
            most_wrong: wrong,
            most_unread: 10 - exact - wrong,
            most_wrong_pieces: 3,
            most_wrong_rows: 0,
            most_corner_px: Some(corner),
        }
    }

    fn changes(then: Bounds, now: Bounds) -> Vec<(bool, String)> {
        let section = |bounds| BTreeMap::from([("pyramid".to_owned(), bounds)]);
        let ledger = Ledger(BTreeMap::from([("testdata".to_owned(), section(then))]));
        let changes = ledger.changes("testdata", &section(now)).unwrap();
        changes.into_iter().map(|change| (change.fell, change.to_string())).collect()
    }

    #[test]
    fn equal_figures_are_no_change() {
        assert_eq!(changes(bounds(7, 1, 2.0), bounds(7, 1, 2.3)), []);
    }

    #[test]
    fn fewer_exact_pictures_are_a_fall() {
        let changes = changes(bounds(7, 1, 2.0), bounds(6, 1, 2.0));
        assert!(
            changes.iter().all(|(fell, _)| *fell) && changes[0].1.contains("6 of 10 pictures exact, 7 before"),
            "{changes:?}"
        );
    }

    #[test]
    fn doubting_what_was_read_wrongly_shows_both_ways() {
        let changes = changes(bounds(7, 1, 2.0), bounds(7, 0, 2.0));
        assert_eq!(changes.iter().map(|(fell, _)| *fell).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_rise_is_called_unexpected() {
        let changes = changes(bounds(7, 1, 5.0), bounds(7, 1, 2.0));
        assert_eq!(changes, [(false, "pyramid succeeded unexpectedly: playmat corners within 2.0 px, 5.0 before".into())]);
    }

    #[test]
    fn a_ledger_can_be_read_back() {
        let ledger = Ledger(BTreeMap::from([("testdata".into(), BTreeMap::from([("pyramid".into(), bounds(7, 1, 2.0))]))]));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.toml");
        ledger.save(&path).unwrap();
        assert_eq!(Ledger::load(&path).unwrap(), ledger);
        assert!(matches!(ledger.changes("photos", &Section::new()), Err(LedgerError::NoSection(_))));
    }
}
