//! Which photos the paths on a command line stand for, and how the annotated copies of them are called.

use std::{
    collections::{BTreeSet, HashMap},
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{capture, reading::Reading};

/// Endings of files that people take for photos. A file with one of them is never skipped without a word, even if it turns
/// out to hold something else or a format that cannot be read.
const PHOTO_ENDINGS: [&str; 19] = [
    "jpg", "jpeg", "jpe", "jfif", "png", "webp", "tif", "tiff", "bmp", "gif", "heic", "heif", "avif", "jxl", "dng", "cr2", "cr3",
    "nef", "arw",
];

/// Something on the command line, or in a folder on it.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A photo, or what was given as one.
    Photo(PathBuf),
    /// A folder in which nothing could be found.
    NoPhotos {
        /// The folder as given.
        path: PathBuf,
        /// Why.
        reason: String,
        /// What to do about it.
        advice: String,
    },
}

impl Item {
    /// The path as given.
    pub fn path(&self) -> &Path {
        match self {
            Self::Photo(path) | Self::NoPhotos { path, .. } => path,
        }
    }

    /// The reading of a folder without photos; `None` for a photo, which must be looked at.
    pub fn unreadable(&self) -> Option<Reading> {
        match self {
            Self::Photo(_) => None,
            Self::NoPhotos { path, reason, advice } => {
                Some(Reading::unreadable(path.display().to_string(), reason.clone(), advice.clone()))
            }
        }
    }
}

/// The photos that `paths` stand for: files as they are, folders by the photos in them (and, if `recursive`, in their
/// folders), in the order given and by name within a folder. What lies in `skip` is left out.
pub fn collect(paths: &[PathBuf], recursive: bool, skip: Option<&Path>) -> Vec<Item> {
    let skip = skip.and_then(|path| path.canonicalize().ok());
    let mut items = Vec::new();
    for path in paths {
        if !path.is_dir() {
            items.push(Item::Photo(path.clone()));
            continue;
        }
        let mut folder = Folder { recursive, skip: skip.as_deref(), seen: BTreeSet::new(), folders_inside: 0, items: Vec::new() };
        match folder.visit(path) {
            Ok(()) if folder.items.is_empty() => items.push(no_photos(path, folder.folders_inside, recursive)),
            Ok(()) => items.append(&mut folder.items),
            Err(error) => items.push(unreadable_folder(path, &error)),
        }
    }
    items
}

/// A walk through one folder of the command line.
struct Folder<'a> {
    recursive: bool,
    skip: Option<&'a Path>,
    /// Real paths walked already: links may lead in circles.
    seen: BTreeSet<PathBuf>,
    folders_inside: usize,
    items: Vec<Item>,
}

impl Folder<'_> {
    fn visit(&mut self, folder: &Path) -> io::Result<()> {
        let real = folder.canonicalize()?;
        if Some(real.as_path()) == self.skip || !self.seen.insert(real) {
            return Ok(());
        }
        let mut entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        for path in entries.into_iter().filter(|path| !is_hidden(path)) {
            if path.is_dir() {
                self.folders_inside += 1;
                if self.recursive
                    && let Err(error) = self.visit(&path)
                {
                    self.items.push(unreadable_folder(&path, &error));
                }
            } else if has_photo_ending(&path) || is_picture(&path) {
                self.items.push(Item::Photo(path));
            }
        }
        Ok(())
    }
}

fn no_photos(path: &Path, folders_inside: usize, recursive: bool) -> Item {
    let advice = match folders_inside {
        0 => "give a folder with JPEG, PNG, WebP, TIFF, BMP or GIF pictures in it".to_owned(),
        _ if recursive => "give a folder with pictures in it or in its folders".to_owned(),
        n => format!("add --recursive to look into the {n} {} inside it", if n == 1 { "folder" } else { "folders" }),
    };
    Item::NoPhotos { path: path.into(), reason: "the folder holds no photos".into(), advice }
}

fn unreadable_folder(path: &Path, error: &io::Error) -> Item {
    Item::NoPhotos {
        path: path.into(),
        reason: format!("the folder cannot be read: {error}"),
        advice: "check who may read it, and that its drive is still there".into(),
    }
}

/// Names with a dot in front: hidden on Unix, and `._name.jpg`, which macOS leaves beside photos on memory cards.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn has_photo_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| PHOTO_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Whether the file's content is a picture that can be decoded. Looks at regular files only: reading a pipe would block.
fn is_picture(path: &Path) -> bool {
    let mut head = Vec::new();
    path.is_file()
        && File::open(path).is_ok_and(|file| file.take(capture::HEAD_BYTES).read_to_end(&mut head).is_ok())
        && capture::is_picture(&head)
}

/// Ending of annotated pictures, so that one written beside its photo can never replace it.
const ANNOTATED_ENDING: &str = "scored.jpg";

/// A file name for the annotated copy of each of `photos`, no two alike: the photo's own name where it is the only one,
/// with the names of its folders in front or a number behind where it is not.
pub fn annotated_names(photos: &[&Path]) -> Vec<String> {
    let mut names: Vec<String> = photos.iter().map(|photo| name_with_folders(photo, 0)).collect();
    for depth in 1.. {
        let counts = count(&names);
        let mut changed = false;
        for (name, photo) in names.iter_mut().zip(photos) {
            let longer = name_with_folders(photo, depth);
            if counts[&key(name)] > 1 && longer != *name {
                *name = longer;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut taken = BTreeSet::new();
    for name in &mut names {
        let mut unique = name.clone();
        let mut number = 2;
        while !taken.insert(key(&unique)) {
            unique = format!("{name}-{number}");
            number += 1;
        }
        *name = format!("{unique}.{ANNOTATED_ENDING}");
    }
    names
}

/// Names that differ only in case are one file on macOS and Windows.
fn key(name: &str) -> String {
    name.to_lowercase()
}

fn count(names: &[String]) -> HashMap<String, usize> {
    names.iter().fold(HashMap::new(), |mut counts, name| {
        *counts.entry(key(name)).or_default() += 1;
        counts
    })
}

/// The photo's name without its ending, behind the names of the `depth` folders around it, joined by `_`.
fn name_with_folders(photo: &Path, depth: usize) -> String {
    let stem = match photo.file_stem() {
        Some(_) if photo.as_os_str() == "-" => "stdin".into(),
        Some(stem) => stem.to_string_lossy(),
        None => "photo".into(),
    };
    let folders: Vec<_> = photo
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect();
    let mut parts = folders[folders.len().saturating_sub(depth)..].to_vec();
    parts.push(stem);
    parts.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        annotated_names(&paths.iter().map(Path::new).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_that_occurs_once_is_kept() {
        assert_eq!(names(&["in/a.jpg", "in/b.png"]), ["a.scored.jpg", "b.scored.jpg"]);
    }

    #[test]
    fn the_same_name_in_two_folders_gets_the_folders_name() {
        assert_eq!(names(&["x/a.jpg", "y/a.jpg", "b.jpg"]), ["x_a.scored.jpg", "y_a.scored.jpg", "b.scored.jpg"]);
        assert_eq!(names(&["1/x/a.jpg", "2/x/a.jpg"]), ["1_x_a.scored.jpg", "2_x_a.scored.jpg"]);
    }

    #[test]
    fn what_is_still_alike_gets_a_number() {
        assert_eq!(names(&["a.jpg", "a.png", "./a.jpg"]), ["a.scored.jpg", "a-2.scored.jpg", "a-3.scored.jpg"]);
        assert_eq!(names(&["A.jpg", "a.jpg"]), ["A.scored.jpg", "a-2.scored.jpg"]);
    }

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    fn found(folder: &tempfile::TempDir, recursive: bool, skip: Option<&Path>) -> Vec<String> {
        let items = collect(&[folder.path().to_path_buf()], recursive, skip);
        items
            .iter()
            .map(|item| match item {
                Item::Photo(path) => path.strip_prefix(folder.path()).unwrap().display().to_string(),
                Item::NoPhotos { reason, .. } => reason.clone(),
            })
            .collect()
    }

    #[test]
    fn a_folder_stands_for_its_photos_by_name() {
        let jpeg = b"\xFF\xD8\xFF\xE0";
        let folder = folder(&[
            ("b.jpg", jpeg),
            ("a.HEIC", b"no matter what"),
            ("photo-without-ending", jpeg),
            ("notes.txt", b"text"),
            ("._b.jpg", b"left by macOS"),
            ("deep/c.jpg", jpeg),
            ("out/d.jpg", jpeg),
        ]);
        assert_eq!(found(&folder, false, None), ["a.HEIC", "b.jpg", "photo-without-ending"]);
        let out = folder.path().join("out");
        assert_eq!(found(&folder, true, Some(&out)), ["a.HEIC", "b.jpg", "deep/c.jpg", "photo-without-ending"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_end() {
        let folder = folder(&[("a.jpg", b"")]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("round")).unwrap();
        assert_eq!(found(&folder, true, None), ["a.jpg"]);
    }

    #[test]
    fn what_does_not_exist_stays_a_photo_so_that_it_is_reported() {
        assert_eq!(collect(&["gone.jpg".into()], false, None), [Item::Photo("gone.jpg".into())]);
    }
}
