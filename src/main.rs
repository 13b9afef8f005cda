//! The program: see [`pyrameeple::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    pyrameeple::cli::main()
}
