//! Records: a match kept as a folder that explains itself, can be zipped and sent, and can be checked by anybody.
//!
//! ```text
//! DIR/README.txt              what is what, for people
//!     events.jsonl            the log: one line per event, each with the sum of the line before; only ever appended to
//!     SHA256SUMS              the sums of all files, for `sha256sum -c`
//!     lock                    empty; held by the program that writes
//!     rounds/01/1-anna/       one accepted turn: photo-1.jpg (the original bytes), annotated-1.png, reading.json
//!     set-aside/              what was found half-written, if the program was ever stopped in the middle
//! ```
//!
//! The log is the authority. The order of writing makes the appended line the moment of acceptance: evidence first, then
//! the new sums under another name, then the line, each flushed to the disk; then the sums take their name. Stopped
//! anywhere in between, the folder opens again with everything that was accepted.

mod amend;
mod disk;
mod error;
mod evidence;
mod log;
mod names;
mod outcome;
mod reader;
mod scene;
mod store;
mod sums;
mod writer;

pub use amend::{AmendError, Amendment, amend};
pub use disk::read as read_file;
pub use error::RecordError;
pub use evidence::{NewTurn, TurnRecord, View};
pub use log::{Entry, FORMAT, Fault, FileSum, Line, Log, PROGRAM, sha256};
pub use names::{file_name, round_folder, turn_folder};
pub use outcome::{ChosenView, built_rows, choose_view};
pub use reader::{Annotated, Reader};
pub use scene::{Scene, Shot};
pub use store::{EVENTS, LOCK, README, ROUNDS, Record, SET_ASIDE, SUMS, TurnFiles};
pub use sums::{SumsState, sums_text};
pub use writer::Writer;
