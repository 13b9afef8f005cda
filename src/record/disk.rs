//! Writing that is on the disk before it returns.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// The bytes of the regular file at `path`: a pipe put in its place would be waited for without end.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if !about.is_file() && !about.is_dir() {
        return Err(io::Error::other("it is a pipe or a device, and a file is needed"));
    }
    fs::read(path)
}

/// Writes `bytes` into a file at `path` that must not exist yet, and flushes it to the disk. Leaves no half file behind.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        drop(file);
        // What failed to be written may fail to be removed; the error that counts is the first one.
        let _ = fs::remove_file(path);
    }
    written
}

/// Writes `bytes` into the file at `path`, whatever it held, and flushes it to the disk. Not atomic: for files that take
/// their real name by [`take_name`] afterwards.
pub fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives the file `from` the name `to`, in place of what had it, in one step; both lie in the same folder.
pub fn take_name(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    to.parent().map_or(Ok(()), sync_folder)
}

/// Appends `bytes` to the open file and flushes them; on failure cuts the file back to `length`, its length before.
pub fn append(file: &mut File, length: u64, bytes: &[u8]) -> io::Result<()> {
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    if written.is_err() {
        // Needs no space; should it fail too, the half line is set aside when the log is next opened.
        let _ = file.set_len(length).and_then(|()| file.sync_data());
    }
    written
}

/// Flushes the names in a folder to the disk, so that new files are still there after a power cut.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows opens no folders and keeps names in its own journal.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes `folder` and those above it down from `root`, and flushes their names.
pub fn make_folders(root: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for made in folder.ancestors().take_while(|a| a.starts_with(root)) {
        sync_folder(made)?;
    }
    Ok(())
}
