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

/// Why a source cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A folder without pictures.
    #[error("the folder {} holds no pictures: give one with JPEG or PNG files", .0.display())]
    EmptyFolder(PathBuf),
    /// A path that leads nowhere.
    #[error("there is no file {}: give a camera's number or name, a video, a folder of pictures or an address", .0.display())]
    NoFile(PathBuf),
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
                Err(SpecError::NoFile(path.to_owned()))
            }
            Err(_) => Ok(Self::CameraName(text.to_owned())),
        }
    }

    fn file(path: &Path, text: &str) -> Result<Self, SpecError> {
        let is_picture = is_picture(path).map_err(|error| SpecError::Io(path.to_owned(), error.to_string()))?;
        Ok(if is_picture { Self::Pictures(vec![path.to_owned()]) } else { Self::Ffmpeg(text.to_owned()) })
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
    let mut head = Vec::new();
    fs::File::open(path)?.take(capture::HEAD_BYTES).read_to_end(&mut head)?;
    Ok(capture::is_picture(&head))
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
        assert!(matches!(Spec::parse("videos/tabel.mp4"), Err(SpecError::NoFile(_))));
        assert!(matches!(Spec::parse("tabel.mp4"), Err(SpecError::NoFile(_))));
        assert!(matches!(Spec::parse("Logitech Brio 4.1 (usb)"), Ok(Spec::CameraName(_))));
        assert!(matches!(Spec::parse("/dev/video2"), Ok(Spec::CameraNumber(2))));
    }

    #[test]
    fn passwords_are_not_shown() {
        let spec = Spec::parse("http://ann:secret@phone:8080/video@1").unwrap();
        assert_eq!(spec.to_string(), "http://phone:8080/video@1");
    }
}
