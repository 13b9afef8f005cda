//! The command line: arguments, messages and exit codes. Knows nothing of vision.

pub mod matches;
pub mod reader;
pub mod verify;

use std::process::ExitCode;

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
    match Cli::parse().command {
        Command::Match(args) => matches::main(&args),
        Command::Verify(args) => verify::main(&args),
    }
}
