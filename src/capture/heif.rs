//! HEIC and AVIF, through libheif's own program.
//!
//! Linking libheif would make it a condition of building and of starting, for a format that most tables never see. The
//! program that comes with it is looked for when the first such photo is met; without it the message says what to install.

use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Names of libheif's decoding program: the first since libheif 1.19, the second before.
const PROGRAMS: [&str; 2] = ["heif-dec", "heif-convert"];

/// What the program writes is a JPEG of this quality: decoding a PNG of 12 megapixels takes seconds, and what a JPEG loses
/// at this quality is far below what the HEIC lost before.
const QUALITY: &str = "97";

/// How often it is looked whether the program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Why there is no picture.
#[derive(Debug, PartialEq, Eq)]
pub enum HeifError {
    /// There is no program to decode with.
    NoProgram,
    /// The program ended without a picture, or could not be run; what it said.
    Failed(String),
    /// The program took too long, and was ended.
    TooSlow,
}

/// The picture in the HEIC or AVIF file `bytes` as a JPEG, already turned upright.
pub fn to_jpeg(bytes: &[u8], limit: Duration) -> Result<Vec<u8>, HeifError> {
    let program = program(&env::var_os("PATH").unwrap_or_default()).ok_or(HeifError::NoProgram)?;
    let failed = |error: std::io::Error| HeifError::Failed(error.to_string());
    let folder = tempfile::Builder::new().prefix("pyrameeple-").tempdir().map_err(failed)?;
    let (source, target) = (folder.path().join("photo.heic"), folder.path().join("photo.jpg"));
    fs::write(&source, bytes).map_err(failed)?;
    let mut child = Command::new(program)
        .args(["-q", QUALITY])
        .args([&source, &target])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let ended = wait(&mut child, limit).map_err(failed)?;
    if !ended {
        return Err(HeifError::TooSlow);
    }
    // Of a file with several pictures each gets a number.
    let written = [target, folder.path().join("photo-1.jpg")].into_iter().find_map(|path| fs::read(path).ok());
    written.filter(|jpeg| !jpeg.is_empty()).ok_or_else(|| HeifError::Failed(last_words(&mut child)))
}

/// Waits until `child` ends; ends it, and gives `false`, when `limit` has passed.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<bool> {
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        thread::sleep(PAUSE);
    }
    Ok(true)
}

/// The last line the program complained with.
fn last_words(child: &mut Child) -> String {
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        // What cannot be read is missing from a message only.
        let _ = stderr.take(4096).read_to_end(&mut said);
    }
    let said = String::from_utf8_lossy(&said);
    said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it gave no reason").to_owned()
}

/// The decoding program in the folders of `path`.
fn program(path: &std::ffi::OsStr) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(path).collect();
    let in_folder =
        |folder: &Path, name: &str| Some(folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))).filter(|p| p.is_file());
    PROGRAMS.iter().find_map(|name| folders.iter().find_map(|folder| in_folder(folder, name)))
}

/// Width and height that the file promises, px: the largest of its pictures; `None` when it names none.
///
/// Only the sizes are wanted, so the boxes (ISO/IEC 23008-12, `ispe`) are found by their name rather than by their path.
pub fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    const NAME: &[u8] = b"ispe";
    let number = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes);
    let sizes = bytes.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).filter_map(|(at, _)| {
        // A box of 20 bytes: length, name, version and flags, width, height.
        let length = at.checked_sub(4).and_then(number)?;
        (length == 20 && number(at + 4)? == 0).then_some((number(at + 8)?, number(at + 12)?))
    });
    sizes.max_by_key(|&(width, height)| u64::from(width) * u64::from(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_largest_picture_is_found() {
        let ispe = |width: u32, height: u32| {
            let mut bytes = vec![0, 0, 0, 20];
            bytes.extend(b"ispe\0\0\0\0");
            bytes.extend(width.to_be_bytes());
            bytes.extend(height.to_be_bytes());
            bytes
        };
        let file = [b"\0\0\0\x18ftypheic".to_vec(), ispe(512, 512), ispe(4032, 3024), ispe(320, 240)].concat();
        assert_eq!(dimensions(&file), Some((4032, 3024)));
        assert_eq!(dimensions(&file[..file.len() - 50]), None);
        assert_eq!(dimensions(b"ispe"), None);
    }

    #[test]
    fn a_program_is_looked_for_where_the_shell_looks() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(program(folder.path().as_os_str()), None);
        let path = folder.path().join(format!("heif-convert{}", env::consts::EXE_SUFFIX));
        fs::write(&path, "").unwrap();
        let both = env::join_paths([Path::new("/no/such/folder"), folder.path()]).unwrap();
        assert_eq!(program(&both), Some(path));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(!wait(&mut child, Duration::from_millis(20)).unwrap());
        let mut child = Command::new("true").spawn().unwrap();
        assert!(wait(&mut child, Duration::from_secs(20)).unwrap());
    }
}
