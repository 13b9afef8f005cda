//! Where results may be written: never over a photo, and never into a match's own record.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::bail;

use crate::capture;

/// The file in which a match keeps its events; a folder that holds one is a match.
const MATCH_LOG: &str = "events.jsonl";

/// Whether `path` stands for standard output, as `-` does everywhere.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The file that `path` names; `None` where none is asked for, or standard output.
pub(crate) fn file(path: &Option<PathBuf>) -> Option<&Path> {
    path.as_deref().filter(|path| !is_stdout(path))
}

/// Refuses `path` as a place for results where something that cannot be had again would be lost.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    // Only a file is opened: a pipe would wait for its other end.
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        let mut head = Vec::new();
        let read = file.take(capture::HEAD_BYTES).read_to_end(&mut head);
        if read.is_ok() && capture::is_picture(&head) {
            bail!("{} is a picture and is not written over; give the name of a new file", path.display());
        }
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = fs::canonicalize(folder) else { return Ok(()) };
    if let Some(record) = folder.ancestors().find(|folder| folder.join(MATCH_LOG).is_file()) {
        bail!(
            "{} lies in the record of the match {}, which is never written over; give a place outside that folder",
            path.display(),
            record.display()
        );
    }
    Ok(())
}

/// Whether both name one regular file, also where that is not there yet. A device such as `/dev/null` takes any number of writers.
pub(crate) fn same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::canonicalize(path).ok().or_else(|| Some(fs::canonicalize(folder).ok()?.join(path.file_name()?)))
    };
    let is_device = a.metadata().is_ok_and(|about| !about.is_file());
    !is_device && place(a).is_some_and(|a| place(b) == Some(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_records_are_refused_and_other_places_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let photo = folder.path().join("photo.csv");
        image::RgbImage::new(4, 4).save_with_format(&photo, image::ImageFormat::Png).unwrap();
        assert!(check(&photo).unwrap_err().to_string().contains("is a picture"));
        let record = folder.path().join("evening");
        fs::create_dir_all(record.join("rounds")).unwrap();
        fs::write(record.join(MATCH_LOG), "").unwrap();
        assert!(check(&record.join("rounds/new.html")).unwrap_err().to_string().contains("record of the match"));
        assert!(check(&record.join(MATCH_LOG)).is_err());
        assert!(check(&folder.path().join("scores.csv")).is_ok());
    }

    #[test]
    fn one_file_by_two_names_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new");
        assert!(same(&new, &folder.path().join(".").join("new")));
        assert!(!same(&new, &folder.path().join("other")));
        fs::write(&new, "").unwrap();
        assert!(same(&new, &folder.path().join("./new")));
        #[cfg(unix)]
        assert!(!same(Path::new("/dev/null"), Path::new("/dev/null")));
    }
}
