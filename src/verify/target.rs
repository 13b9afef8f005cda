//! What a path given to `verify` means: a match, a round, a turn, one saved picture, or a picture of no record.

use std::path::{Component, Path, PathBuf};

use crate::record::EVENTS;

/// The part of a record that is to be verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Folder from the match folder, with `/` between the parts; `None` for the whole match.
    pub folder: Option<String>,
    /// Only the photo of this file name in that folder, as a claim is tested against one picture.
    pub photo: Option<String>,
}

impl Scope {
    /// Whether the evidence in `folder` is part of it.
    pub fn holds_folder(&self, folder: &str) -> bool {
        self.folder
            .as_deref()
            .is_none_or(|own| folder == own || folder.strip_prefix(own).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Whether the file at `path` (from the match folder) is part of it.
    pub fn holds_file(&self, path: &str) -> bool {
        path.rsplit_once('/').map_or(self.folder.is_none(), |(folder, _)| self.holds_folder(folder))
    }
}

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A match, or a part of it.
    Record {
        /// The match folder.
        dir: PathBuf,
        /// Which part.
        scope: Scope,
    },
    /// A picture that is in no record.
    Picture(PathBuf),
}

/// Why a path means nothing that could be verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Nothing there.
    #[error("there is nothing at {}: check the path", .0.display())]
    Missing(PathBuf),
    /// A folder that is in no record.
    #[error("{} is no match and no part of one: no folder from there up holds an events.jsonl", .0.display())]
    NoRecord(PathBuf),
}

/// What `path` means.
pub fn find(path: &Path) -> Result<Target, TargetError> {
    // Made absolute so that "." and "photo.jpg" have folders above them.
    let absolute = std::path::absolute(path)
        .ok()
        .and_then(|p| p.canonicalize().ok())
        .ok_or_else(|| TargetError::Missing(path.to_owned()))?;
    // For a file the match folder is above it, for a folder perhaps itself.
    let Some(root) = absolute.ancestors().skip(usize::from(absolute.is_file())).find(|dir| dir.join(EVENTS).is_file()) else {
        // A pipe or a device is no folder either, and whoever reads it says what is wrong with it.
        return if !absolute.is_dir() {
            Ok(Target::Picture(path.to_owned()))
        } else {
            Err(TargetError::NoRecord(path.to_owned()))
        };
    };
    let inside = absolute.strip_prefix(root).unwrap_or(Path::new(""));
    let parts: Vec<String> = inside
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    // The shortest way to name the match folder in messages is the one the user took.
    let depth = parts.len();
    let dir = if depth == 0 { path.to_owned() } else { root.to_owned() };
    let scope = match parts.split_last() {
        Some((file, folders)) if absolute.is_file() && !folders.is_empty() => {
            Scope { folder: Some(folders.join("/")), photo: Some(file.clone()) }
        }
        // A file beside the log stands for the whole match.
        Some((_, _)) if absolute.is_file() => Scope::default(),
        Some(_) => Scope { folder: Some(parts.join("/")), photo: None },
        None => Scope::default(),
    };
    Ok(Target::Record { dir, scope })
}
