//! What the operating system refused, in words: which file, why, and what to do about it.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

/// What was to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Reading,
    Writing,
}

/// The sentence for `error` while `doing` something with `path`.
pub(crate) fn cannot(doing: Doing, path: &Path, error: &io::Error) -> String {
    let verb = match doing {
        Doing::Reading => "read",
        Doing::Writing => "write",
    };
    format!("cannot {verb} {}: {}", path.display(), why(doing, path, error))
}

/// Why, and what to do about it: what stands behind the name of the file.
pub(crate) fn why(doing: Doing, path: &Path, error: &io::Error) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match (error.kind(), doing) {
        (ErrorKind::NotFound, Doing::Writing) => match folder {
            Some(folder) if folder.is_dir() => format!("{} takes no new files; give another place", folder.display()),
            Some(folder) => format!("there is no folder {}; make it first, or give another place", folder.display()),
            None => "the folder it was to lie in is gone; give another place".to_owned(),
        },
        (ErrorKind::NotFound, Doing::Reading) => "there is no such file; check the path".to_owned(),
        (ErrorKind::NotADirectory, _) => "what its path takes for a folder is a file; check the path".to_owned(),
        (ErrorKind::AlreadyExists, _) => "a file is in its place; give another name".to_owned(),
        (ErrorKind::IsADirectory, _) => "it is a folder; give the name of a file".to_owned(),
        (kind, _) => match advice(kind) {
            Some(advice) => format!("{error}; {advice}"),
            None => error.to_string(),
        },
    }
}

/// What to do about the commonest of the system's refusals; `None` for the others.
pub(crate) fn advice(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room on that disk, or give a place on another one"
        }
        ErrorKind::PermissionDenied => "check who may read and write there",
        ErrorKind::ReadOnlyFilesystem => "that disk can only be read; give a place on another one",
        ErrorKind::InvalidFilename => "give a shorter or simpler name",
        ErrorKind::InvalidData => "text in UTF-8 is needed; give another file, or save it as UTF-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/scores.csv");
        let text = cannot(Doing::Writing, &path, &fs::write(&path, "").unwrap_err());
        let missing = format!("there is no folder {}", folder.path().join("missing").display());
        assert!(text.contains("scores.csv") && text.contains(&missing) && text.contains("make it first"), "{text}");
    }

    #[test]
    fn a_file_where_a_folder_was_meant_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let inside = file.path().join("x");
        let text = cannot(Doing::Reading, &inside, &fs::read(&inside).unwrap_err());
        assert!(text.contains("takes for a folder is a file"), "{text}");
        let text = cannot(Doing::Writing, file.path(), &fs::create_dir(file.path()).unwrap_err());
        assert!(text.contains("a file is in its place"), "{text}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_with_what_to_do() {
        let text = cannot(Doing::Writing, Path::new("/dev/full"), &fs::write("/dev/full", "x").unwrap_err());
        assert!(text.contains("/dev/full") && text.contains("make room"), "{text}");
    }
}
