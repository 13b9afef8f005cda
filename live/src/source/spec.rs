//! What `--source` names.

use std::{
    fmt, fs,
    io::Read,
    path::{Path, PathBuf},
};

use pyrameeple::capture;

/// A source as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// The camera with the lowest number.
    AnyCamera,
    /// The camera of this number.
    CameraNumber(usize),
    /// The camera whose name holds this text, in whatever case.
    CameraName(String),
    /// The very camera that was open before: of this name, and of this number if several have the name.
    Camera {
        /// The number it had.
        number: usize,
        /// Its whole name.
        name: String,
    },
    /// Pictures, in this order.
    Pictures(Vec<PathBuf>),
    /// A stream of JPEGs over HTTP.
    Mjpeg(String),
    /// Anything else that ffmpeg opens: a video file, or an address.
    Ffmpeg(String),
}

/// What to do when a source is none.
pub(super) const TAKES: &str = "give a camera's number or name (`pyrameeple cameras` lists them), a video, a picture, a folder of \
     pictures, or an address that begins with http:// or rtsp://";

/// Files that are text and tell ffmpeg where pictures are: playlists, lists of files, descriptions of sessions.
const PLAYLISTS: [&[u8]; 3] = [b"#EXTM3U", b"ffconcat", b"v=0"];

/// Why a source cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A folder without pictures.
    #[error("the folder {} holds no pictures: give one with JPEG or PNG files", .0.display())]
    EmptyFolder(PathBuf),
    /// A path that leads nowhere.
    #[error("there is no file {}{}: {TAKES}", .path.display(), nearly(.near))]
    NoFile {
        /// As it was given.
        path: PathBuf,
        /// What is called nearly so.
        near: Vec<String>,
    },
    /// A file that shows nothing.
    #[error("{} is neither a picture nor a video, it holds {holds}: {TAKES}", .path.display())]
    NotToBeSeen {
        /// Which.
        path: PathBuf,
        /// What it holds, with an article.
        holds: &'static str,
    },
    /// A file or folder that cannot be looked into.
    #[error("{} cannot be read: {}", .0.display(), .1)]
    Io(PathBuf, String),
}

impl Spec {
    /// What `text` names: a number or name of a camera, an address, a video, a picture or a folder of pictures.
    ///
    /// ```
    /// # use pyrameeple_live::source::Spec;
    /// assert_eq!(Spec::parse("1").unwrap(), Spec::CameraNumber(1));
    /// assert_eq!(Spec::parse("HD Webcam").unwrap(), Spec::CameraName("HD Webcam".into()));
    /// assert_eq!(Spec::parse("http://phone:8080/video").unwrap(), Spec::Mjpeg("http://phone:8080/video".into()));
    /// assert_eq!(Spec::parse("rtsp://phone/h264").unwrap(), Spec::Ffmpeg("rtsp://phone/h264".into()));
    /// ```
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        if let Ok(number) = text.parse() {
            return Ok(Self::CameraNumber(number));
        }
        if let Some(name) = text.strip_prefix("camera:") {
            return Ok(Self::CameraName(name.to_owned()));
        }
        if let Some((scheme, _)) = text.split_once("://") {
            let plain = scheme.eq_ignore_ascii_case("http");
            return Ok(if plain { Self::Mjpeg(text.to_owned()) } else { Self::Ffmpeg(text.to_owned()) });
        }
        if let Some(number) = text.strip_prefix("/dev/video").and_then(|number| number.parse().ok()) {
            return Ok(Self::CameraNumber(number));
        }
        let path = Path::new(text);
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => Self::folder(path),
            Ok(_) => Self::file(path, text),
            // What looks like a path is one that is mistyped; anything else may be a camera's name.
            Err(_) if text.contains(['/', '\\']) || path.extension().is_some_and(|e| !e.to_string_lossy().contains(' ')) => {
                Err(SpecError::NoFile { path: path.to_owned(), near: near_names(path) })
            }
            Err(_) => Ok(Self::CameraName(text.to_owned())),
        }
    }

    fn file(path: &Path, text: &str) -> Result<Self, SpecError> {
        let head = head(path).map_err(|error| SpecError::Io(path.to_owned(), error.to_string()))?;
        if capture::is_picture(&head) {
            return Ok(Self::Pictures(vec![path.to_owned()]));
        }
        // ffmpeg draws texts as pictures of letters, and takes its time for it.
        match capture::what_it_holds(&head) {
            holds @ ("text" | "nothing" | "a PDF document" | "a ZIP archive")
                if !PLAYLISTS.iter().any(|p| head.starts_with(p)) =>
            {
                Err(SpecError::NotToBeSeen { path: path.to_owned(), holds })
            }
            _ => Ok(Self::Ffmpeg(text.to_owned())),
        }
    }

    fn folder(path: &Path) -> Result<Self, SpecError> {
        let entries = fs::read_dir(path).map_err(|error| SpecError::Io(path.to_owned(), error.to_string()))?;
        let mut pictures: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|p| p.is_file() && is_picture(p).unwrap_or(false))
            .collect();
        if pictures.is_empty() {
            return Err(SpecError::EmptyFolder(path.to_owned()));
        }
        pictures.sort_by_key(|path| in_counting_order(&path.file_name().unwrap_or_default().to_string_lossy()));
        Ok(Self::Pictures(pictures))
    }

    /// Whether it shows a table now, rather than one that was filmed.
    pub fn is_live(&self) -> bool {
        match self {
            Self::Pictures(_) => false,
            Self::Ffmpeg(input) => input.contains("://"),
            _ => true,
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyCamera => f.write_str("the first camera"),
            Self::CameraNumber(number) => write!(f, "camera {number}"),
            Self::CameraName(name) => write!(f, "the camera “{name}”"),
            Self::Camera { number, name } => write!(f, "camera {number} ({name})"),
            Self::Pictures(paths) => match paths.as_slice() {
                [one] => write!(f, "{}", one.display()),
                _ => write!(f, "{} pictures", paths.len()),
            },
            Self::Mjpeg(address) | Self::Ffmpeg(address) => f.write_str(&without_password(address)),
        }
    }
}

/// `address` without the name and password that may stand in it.
pub fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let host_end = rest.find('/').unwrap_or(rest.len());
    let host_start = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host_start..])
}

fn is_picture(path: &Path) -> std::io::Result<bool> {
    head(path).map(|head| capture::is_picture(&head))
}

/// The first bytes of a file.
fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    fs::File::open(path)?.take(capture::HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// What is called nearly as `path`, which is not there, the most alike first: in its folder, or where the first folder of it
/// that is missing should be.
pub(super) fn near_names(path: &Path) -> Vec<String> {
    /// Likeness (Jaro–Winkler, 0 to 1) from which a name is worth telling: two letters swapped in six still reach it.
    const ALIKE: f64 = 0.88;
    const MOST: usize = 3;
    let mut missing = path;
    let folder = loop {
        match missing.parent() {
            Some(parent) if parent.as_os_str().is_empty() => break Path::new("."),
            Some(parent) if parent.is_dir() => break parent,
            Some(parent) => missing = parent,
            None => return Vec::new(),
        }
    };
    let wanted = missing.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let names = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.file_name()));
    let mut alike: Vec<(f64, String)> = names
        .map(|name| {
            let shown = missing.with_file_name(&name).display().to_string();
            let likeness = |name: &std::ffi::OsStr| strsim::jaro_winkler(&name.to_string_lossy().to_lowercase(), &wanted);
            // The ending is often left out.
            (likeness(&name).max(Path::new(&name).file_stem().map_or(0.0, likeness)), shown)
        })
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    alike.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Names that are nearly right, in brackets.
pub(super) fn nearly(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(" (nearly so called: {})", near.join(", ")) }
}

/// A key by which "img_9" comes before "img_10".
fn in_counting_order(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(digits);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(end);
        parts.push((text.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_its_pictures_in_counting_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["t10.png", "t9.png", "t100.png"] {
            image::RgbImage::new(64, 64).save(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("t1.txt"), "no picture").unwrap();
        let Spec::Pictures(paths) = Spec::parse(folder.path().to_str().unwrap()).unwrap() else { panic!("pictures") };
        let names: Vec<_> = paths.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["t9.png", "t10.png", "t100.png"]);
    }

    #[test]
    fn a_mistyped_path_is_not_taken_for_a_camera() {
        assert!(matches!(Spec::parse("videos/tabel.mp4"), Err(SpecError::NoFile { .. })));
        assert!(matches!(Spec::parse("tabel.mp4"), Err(SpecError::NoFile { .. })));
        assert!(matches!(Spec::parse("Logitech Brio 4.1 (usb)"), Ok(Spec::CameraName(_))));
        assert!(matches!(Spec::parse("/dev/video2"), Ok(Spec::CameraNumber(2))));
    }

    #[test]
    fn a_mistyped_path_brings_what_is_nearly_so_called() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("videos")).unwrap();
        fs::write(folder.path().join("videos/table.mp4"), b"\0").unwrap();
        let said = |path: &str| Spec::parse(folder.path().join(path).to_str().unwrap()).unwrap_err().to_string();
        let there = folder.path().join("videos/table.mp4").display().to_string();
        assert!(said("videos/tabel.mp4").contains(&format!("nearly so called: {there}")), "{}", said("videos/tabel.mp4"));
        let said = said("vidoes/other.mp4");
        assert!(said.contains("videos)") && said.contains("a picture, a folder of pictures"), "{said}");
    }

    #[test]
    fn what_shows_nothing_is_no_source_but_a_playlist_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let parse = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Spec::parse(path.to_str().unwrap())
        };
        for (bytes, holds) in [(&b"who brings the meeples?\n"[..], "text"), (b"", "nothing"), (b"%PDF-1.7", "a PDF document")] {
            let said = parse(bytes).unwrap_err().to_string();
            assert!(said.contains("notes.txt is neither a picture nor a video") && said.contains(holds), "{said}");
        }
        assert!(matches!(parse(b"#EXTM3U\nhttp://phone/1.ts\n"), Ok(Spec::Ffmpeg(_))));
        assert!(matches!(parse(b"\x01\x02\x03\x04"), Ok(Spec::Ffmpeg(_))), "ffmpeg knows more kinds than this program");
    }

    #[test]
    fn passwords_are_not_shown() {
        let spec = Spec::parse("http://ann:secret@phone:8080/video@1").unwrap();
        assert_eq!(spec.to_string(), "http://phone:8080/video@1");
    }
}
