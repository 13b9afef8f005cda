//! The command line: arguments, messages and exit codes. Knows nothing of vision.

pub mod matches;
pub mod reader;
pub mod verify;

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

/// Scores pyramids of wooden meeples on an A4 felt playmat from photos.
#[derive(Debug, Parser)]
#[command(name = "pyrameeple", version, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a match and keep it on record
    Match(matches::MatchArgs),
    /// Check saved pictures and read them again
    Verify(verify::VerifyArgs),
}

/// Runs the command given to the program.
pub fn main() -> ExitCode {
    let reader = reader::PipelineReader::default();
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    ExitCode::from(match Cli::parse().command {
        Command::Match(args) => matches::run(&args, &reader, &mut out, &mut err),
        Command::Verify(args) => verify::run(&args, &reader, &mut out, &mut err),
    })
}

/// The exit code of a command that came out as `result`; an error is told, and is 2.
pub(crate) fn exit_code(result: anyhow::Result<u8>, err: &mut dyn Write) -> u8 {
    result.unwrap_or_else(|error| {
        // `pyrameeple … | head` closes the pipe when it has seen enough; that is nobody's mistake.
        if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) {
            return 0;
        }
        let _ = writeln!(err, "pyrameeple: {error:#}");
        2
    })
}
