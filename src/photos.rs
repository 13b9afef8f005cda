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
    /// Something in which no photo could be found.
    NoPhotos {
        /// The path as given.
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

/// A file that is not taken for a photo.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// What it is instead, as in "it holds text".
    pub why: String,
    /// Whether it is an annotated picture that this program wrote.
    pub own: bool,
}

impl Skipped {
    fn own(path: PathBuf) -> Self {
        Self { path, why: "it is an annotated picture that pyrameeple wrote".into(), own: true }
    }
}

/// What some paths stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// What is to be read, in order.
    pub items: Vec<Item>,
    /// What was left out, in the order it was met; hidden files are not listed.
    pub skipped: Vec<Skipped>,
}

/// The photos that `paths` stand for: files as they are, folders by the photos in them (and, if `recursive`, in their
/// folders), in the order given and by name within a folder. Folders inside them that are `skip` are left out, and so are
/// the annotated pictures that this program wrote, wherever they lie.
pub fn collect(paths: &[PathBuf], recursive: bool, skip: Option<&Path>) -> Found {
    collect_wanted(paths, recursive, skip, &|_| true)
}

/// As [`collect`], of the files in folders only those that are `wanted`; the others are not even opened.
pub fn collect_wanted(paths: &[PathBuf], recursive: bool, skip: Option<&Path>, wanted: &dyn Fn(&Path) -> bool) -> Found {
    let skip = skip.and_then(|path| path.canonicalize().ok());
    let mut found = Found::default();
    let mut own = Vec::new();
    for path in paths {
        if !path.is_dir() {
            match is_own(path) {
                true => own.push(path.clone()),
                false => found.items.push(Item::Photo(path.clone())),
            }
            continue;
        }
        let mut folder = Folder {
            recursive,
            skip: skip.as_deref(),
            wanted,
            seen: BTreeSet::new(),
            folders_inside: 0,
            found: Found::default(),
        };
        match folder.visit(path, true) {
            Ok(()) if folder.found.items.is_empty() => found.items.push(no_photos(path, &folder)),
            Ok(()) => found.items.append(&mut folder.found.items),
            Err(error) => found.items.push(unreadable_folder(path, &error)),
        }
        found.skipped.append(&mut folder.found.skipped);
    }
    // `score *.jpg` names them beside their photos; named alone, somebody wants to know why they are not read.
    match found.items.is_empty() {
        true => found.items.extend(own.into_iter().map(own_picture)),
        false => found.skipped.extend(own.into_iter().map(Skipped::own)),
    }
    found
}

/// A walk through one folder of the command line.
struct Folder<'a> {
    recursive: bool,
    skip: Option<&'a Path>,
    wanted: &'a dyn Fn(&Path) -> bool,
    /// Real paths walked already: links may lead in circles.
    seen: BTreeSet<PathBuf>,
    folders_inside: usize,
    found: Found,
}

impl Folder<'_> {
    /// Looks into `folder`; what was `given` by name is looked into even if annotated pictures go there.
    fn visit(&mut self, folder: &Path, given: bool) -> io::Result<()> {
        let real = folder.canonicalize()?;
        if !given && Some(real.as_path()) == self.skip || !self.seen.insert(real) {
            return Ok(());
        }
        let mut entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        for path in entries.into_iter().filter(|path| !is_hidden(path)) {
            if path.is_dir() {
                self.folders_inside += 1;
                if self.recursive
                    && let Err(error) = self.visit(&path, false)
                {
                    self.found.items.push(unreadable_folder(&path, &error));
                }
                continue;
            }
            if !(self.wanted)(&path) {
                continue;
            }
            let head = head(&path);
            if capture::is_own_picture(&head) {
                self.found.skipped.push(Skipped::own(path));
            } else if has_photo_ending(&path) || capture::is_picture(&head) {
                self.found.items.push(Item::Photo(path));
            } else {
                let why = format!("it holds {}", capture::what_it_holds(&head));
                self.found.skipped.push(Skipped { path, why, own: false });
            }
        }
        Ok(())
    }
}

fn no_photos(path: &Path, folder: &Folder) -> Item {
    let advice = match folder.folders_inside {
        0 => "give a folder with photos in it (JPEG, PNG, WebP, TIFF, BMP, GIF, HEIC, AVIF)".to_owned(),
        _ if folder.recursive => "give a folder with pictures in it or in its folders".to_owned(),
        n => format!("add --recursive to look into the {n} {} inside it", if n == 1 { "folder" } else { "folders" }),
    };
    let own = folder.found.skipped.iter().filter(|skipped| skipped.own).count();
    let reason = match own {
        0 => "the folder holds no photos".to_owned(),
        _ => "the folder holds no photos, only annotated pictures that pyrameeple wrote".to_owned(),
    };
    Item::NoPhotos { path: path.into(), reason, advice }
}

fn own_picture(path: PathBuf) -> Item {
    let reason = "this is an annotated picture that pyrameeple wrote, not a photo".into();
    Item::NoPhotos { path, reason, advice: "give the photo that it was made from".into() }
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

/// The first bytes of the file at `path`; none where there are none to be had. Opens regular files only: a pipe would wait.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        // What cannot be read is met again, and told, when the photo is read.
        let _ = file.take(capture::HEAD_BYTES).read_to_end(&mut head);
    }
    head
}

/// Whether the file at `path` is an annotated picture that this program wrote.
pub fn is_own(path: &Path) -> bool {
    capture::is_own_picture(&head(path))
}

/// Ending of annotated pictures, so that one written beside its photo can never replace it.
const ANNOTATED_ENDING: &str = "scored.jpg";

/// Finds file names for annotated copies, no two alike.
#[derive(Clone, Debug, Default)]
pub struct AnnotatedNames {
    /// Names given out, without case.
    taken: BTreeSet<String>,
}

impl AnnotatedNames {
    /// A name for the annotated copy of each of `photos`: the photo's own name where it is the only one, with the names of
    /// its folders in front or a number behind where it is not.
    pub fn of_all(&mut self, photos: &[&Path]) -> Vec<String> {
        self.unique(with_folders(photos))
    }

    /// A name for the annotated copy of one photo more.
    pub fn of_one(&mut self, photo: &Path) -> String {
        let own = name_with_folders(photo, 0);
        let name = if self.taken.contains(&key(&own)) { name_with_folders(photo, 1) } else { own };
        self.unique(vec![name]).remove(0)
    }

    fn unique(&mut self, mut names: Vec<String>) -> Vec<String> {
        for name in &mut names {
            let mut unique = name.clone();
            let mut number = 2;
            while !self.taken.insert(key(&unique)) {
                unique = format!("{name}-{number}");
                number += 1;
            }
            *name = format!("{unique}.{ANNOTATED_ENDING}");
        }
        names
    }
}

/// The names of `photos`, with as many folders in front as it takes to tell them apart.
fn with_folders(photos: &[&Path]) -> Vec<String> {
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
    // A line break or an escape sequence in a name is a trap for whoever lists the folder.
    parts.join("_").replace(char::is_control, "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        AnnotatedNames::default().of_all(&paths.iter().map(Path::new).collect::<Vec<_>>())
    }

    #[test]
    fn a_photo_that_comes_later_gets_a_name_of_its_own() {
        let mut names = AnnotatedNames::default();
        names.of_all(&[Path::new("x/a.jpg")]);
        assert_eq!(names.of_one(Path::new("y/a.jpg")), "y_a.scored.jpg");
        assert_eq!(names.of_one(Path::new("y/a.png")), "y_a-2.scored.jpg");
        assert_eq!(names.of_one(Path::new("b.jpg")), "b.scored.jpg");
    }

    #[test]
    fn a_name_that_occurs_once_is_kept() {
        assert_eq!(names(&["in/a.jpg", "in/b.png"]), ["a.scored.jpg", "b.scored.jpg"]);
    }

    #[test]
    fn the_same_name_in_two_folders_gets_the_folders_name() {
        assert_eq!(names(&["x/a.jpg", "y/a.jpg", "b.jpg"]), ["x_a.scored.jpg", "y_a.scored.jpg", "b.scored.jpg"]);
        assert_eq!(names(&["new\nline.jpg", "\u{1b}[31mred.jpg"]), ["new_line.scored.jpg", "_[31mred.scored.jpg"]);
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
        let found = collect(&[folder.path().to_path_buf()], recursive, skip);
        found
            .items
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
        assert_eq!(collect(&["gone.jpg".into()], false, None).items, [Item::Photo("gone.jpg".into())]);
    }

    fn annotated() -> Vec<u8> {
        crate::overlay::encode(&image::RgbImage::new(70, 70)).unwrap()
    }

    #[test]
    fn what_the_program_wrote_is_no_photo_wherever_it_lies() {
        let folder = folder(&[("a.jpg", b"\xFF\xD8\xFF\xE0"), ("a.scored.jpg", &annotated()), ("deep/other.jpg", &annotated())]);
        // The annotated pictures lie beside the photos, and the folder is looked into all the same.
        assert_eq!(found(&folder, true, Some(folder.path())), ["a.jpg"]);
        let all = collect(&[folder.path().to_path_buf()], true, None);
        assert_eq!(all.skipped.iter().map(|skipped| skipped.own).collect::<Vec<_>>(), [true, true]);
        let only = collect(&[folder.path().join("deep")], true, None);
        assert!(matches!(&only.items[..], [Item::NoPhotos { reason, .. }] if reason.contains("only annotated pictures")));
    }

    #[test]
    fn an_annotated_picture_named_alone_is_told_and_among_photos_skipped() {
        let folder = folder(&[("a.jpg", b"\xFF\xD8\xFF\xE0"), ("a.scored.jpg", &annotated())]);
        let (photo, own) = (folder.path().join("a.jpg"), folder.path().join("a.scored.jpg"));
        let alone = collect(std::slice::from_ref(&own), false, None);
        assert!(matches!(&alone.items[..], [Item::NoPhotos { reason, .. }] if reason.contains("pyrameeple wrote")));
        let both = collect(&[photo.clone(), own], false, None);
        assert_eq!((both.items, both.skipped.len()), (vec![Item::Photo(photo)], 1));
    }

    #[test]
    fn other_files_are_listed_with_what_they_hold() {
        let folder = folder(&[("a.jpg", b"\xFF\xD8\xFF\xE0"), ("notes.txt", b"text"), (".hidden", b"text")]);
        let found = collect(&[folder.path().to_path_buf()], false, None);
        let told: Vec<_> =
            found.skipped.iter().map(|s| (s.path.file_name().unwrap().to_str().unwrap(), s.why.as_str())).collect();
        assert_eq!(told, [("notes.txt", "it holds text")]);
    }
}
