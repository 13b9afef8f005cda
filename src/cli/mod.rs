//! The command line: arguments, messages and exit codes. Knows nothing of vision.

mod args;
mod evaluate;
mod live;
pub mod matches;
pub mod params_file;
pub mod reader;
mod score;
mod target;
pub mod verify;

use std::{
    ffi::OsString,
    io::{self, ErrorKind, IsTerminal, Write},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use anyhow::anyhow;
use clap::{CommandFactory, Parser};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::trouble::{Doing, cannot};

pub use args::{Cli, Command, EvaluateArgs, ScoreArgs};

/// A bar for fewer photos than this would be gone before it is seen.
const PHOTOS_WORTH_A_BAR: usize = 8;

/// How a run ended, as its exit code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was read, or held.
    Good,
    /// Something was unsure or unreadable, or a ledger fell.
    Doubtful,
    /// Wrong usage, or nothing could be done.
    Nothing,
    /// Ended by Ctrl-C before everything was done.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(match outcome {
            Outcome::Good => 0,
            Outcome::Doubtful => 1,
            Outcome::Nothing => 2,
            // As shells have it: 128 and the number of the signal.
            Outcome::Interrupted => 130,
        })
    }
}

/// Runs the command given to the program.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Score(args) => score::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Match(args) => return matches::main(&args),
        Command::Verify(args) => return verify::main(&args),
        Command::Live { args } => return start_live(&args),
        Command::Cameras => return start_live(&["--list-cameras".into()]),
        Command::Params => print(&params_file::defaults()),
        Command::Completions { shell } => completions(shell),
        Command::Man { dir: None } => manual(),
        Command::Man { dir: Some(dir) } => manual_pages(&dir),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        // `pyrameeple … | head` closes the pipe when it has seen enough; that is nobody's mistake.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("pyrameeple: {}", told(&error)));
            Outcome::Nothing.into()
        }
    }
}

/// `error` with its causes. A cause that the sentence before it quotes already is not told again.
fn told(error: &anyhow::Error) -> String {
    // Whatever else is read or written is named where that happens.
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return cannot(Doing::Writing, Path::new("standard output"), error);
    }
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.is_empty() {
        true => cause,
        false if text.contains(&cause) => text,
        false => format!("{text}: {cause}"),
    })
}

/// Goes over to the live program, or says why that cannot be.
fn start_live(args: &[OsString]) -> ExitCode {
    live::run(args).unwrap_or_else(|error| {
        say(&format!("pyrameeple: {error}"));
        Outcome::Nothing.into()
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe))
}

fn print(text: &str) -> anyhow::Result<Outcome> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(Outcome::Good)
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pyrameeple", &mut script);
    print(&String::from_utf8_lossy(&script))
}

fn manual() -> anyhow::Result<Outcome> {
    let mut pages = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut pages)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        clap_mangen::Man::new(sub.clone()).render(&mut pages)?;
    }
    print(&String::from_utf8_lossy(&pages))
}

/// Writes a page of the manual for each command into `dir`.
fn manual_pages(dir: &Path) -> anyhow::Result<Outcome> {
    clap_mangen::generate_to(Cli::command(), dir).map_err(|error| anyhow!(cannot(Doing::Writing, dir, &error)))?;
    Ok(Outcome::Good)
}

/// Whether what goes to standard output may be coloured: on a terminal that knows colours, unless `NO_COLOR` is set
/// (no-color.org).
fn stdout_is_coloured() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How many photos are read at a time: as told, else one for each core.
fn jobs(told: Option<usize>) -> usize {
    told.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// A line on standard error. It may be closed, and a message that nobody can see is no reason to fail.
fn say(text: &str) {
    // Names of files may hold escape sequences, which must not reach a terminal.
    let text = text.replace(|c: char| c.is_control() && c != '\n', "\u{FFFD}");
    let _ = writeln!(io::stderr(), "{text}");
}

/// How far a long run has come, on standard error; nothing for a short run, or where nobody sits at a terminal.
fn progress_bar(photos: usize) -> ProgressBar {
    if photos < PHOTOS_WORTH_A_BAR || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(photos as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos} of {len} photos, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
