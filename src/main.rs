//! The program that scores photos; everything it does lives in the library.

fn main() -> std::process::ExitCode {
    pyrameeple::cli::main()
}
