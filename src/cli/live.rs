//! `pyrameeple live` and `pyrameeple cameras`: start the live program, which lies beside this one. Cameras and windows need
//! libraries that would slow down the start of everything else.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Name of the live program, without the ending that the system gives programs.
const NAME: &str = "pyrameeple-live";

/// Why the live program was not run.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// It is nowhere to be found.
    #[error(
        "the live program is not installed: there is no {NAME} beside this program{} nor on the PATH; \
         `make install` installs both, `cargo build --release --workspace` builds both",
        .beside.as_ref().map_or(String::new(), |folder| format!(" (in {})", folder.display()))
    )]
    Missing {
        /// Where this program lies.
        beside: Option<PathBuf>,
    },
    /// The system refused to start it.
    #[error("{} cannot be started: {source}", .path.display())]
    Start {
        /// Where it lies.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Runs the live program with `args` until it ends; its exit code.
pub fn run(args: &[OsString]) -> Result<ExitCode, LiveError> {
    let own = env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let program = find(beside.as_deref(), env::var_os("PATH")).ok_or(LiveError::Missing { beside })?;
    let mut command = Command::new(&program);
    // Hours of pictures of many sizes would otherwise leave the C library's heap in pieces that are never given back.
    for (name, value) in [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "1048576")] {
        if cfg!(target_os = "linux") && env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    start(command.args(args)).map_err(|source| LiveError::Start { path: program, source })
}

/// The live program: in the folder `beside`, else in one of those of `path`.
fn find(beside: Option<&Path>, path: Option<OsString>) -> Option<PathBuf> {
    let file = format!("{NAME}{}", env::consts::EXE_SUFFIX);
    let on_path: Vec<PathBuf> = path.iter().flat_map(env::split_paths).collect();
    let mut folders = beside.into_iter().chain(on_path.iter().map(PathBuf::as_path));
    folders.find_map(|folder| Some(folder.join(&file)).filter(|program| program.is_file()))
}

/// Becomes the other program, so that signals and the terminal are its own.
#[cfg(unix)]
fn start(command: &mut Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the other program and waits for it.
#[cfg(not(unix))]
fn start(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_one_beside_goes_before_those_on_the_path() {
        let (beside, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = format!("{NAME}{}", env::consts::EXE_SUFFIX);
        let path = || env::join_paths([other.path()]).ok();
        assert_eq!(find(Some(beside.path()), path()), None);
        fs::write(other.path().join(&file), "").unwrap();
        assert_eq!(find(Some(beside.path()), path()), Some(other.path().join(&file)));
        fs::write(beside.path().join(&file), "").unwrap();
        assert_eq!(find(Some(beside.path()), path()), Some(beside.path().join(&file)));
    }
}
