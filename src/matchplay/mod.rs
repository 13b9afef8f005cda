//! Matches: both variants of the rules as a state machine over events.
//!
//! ```text
//! Setup ──► Match ──apply(Event)──► Match ──standings()──► Standings
//! ```
//!
//! A [`Match`] is nothing but its [`Setup`] and the [`Event`]s accepted so far; the same events always give the same
//! standings. It knows no pictures, no clock and no files: a reading arrives as rows, lateness as a flag. Command line,
//! live window and reports all drive or replay this one machine; [`crate::record`] keeps its events on disk.

mod event;
mod play;
mod setup;
mod standings;
mod table;
pub mod words;

pub use event::{Built, Correction, Event, Round};
pub use play::{Match, Refusal, ReplayError};
pub use setup::{AllFail, LateRule, Options, Overhang, Player, Setup, SetupError, TurnOrder, Variant, alike_key, names_alike};
pub use standings::{Standing, Standings};
pub use table::{Out, OutReason, Phase, Table, Turn};
