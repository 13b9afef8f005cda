//! Where pictures come from. A source blocks until it has the next picture, for about a second at most: then it says that
//! none came, so that no thread ever hangs in one.

#[cfg(target_os = "linux")]
mod camera_linux;
#[cfg(not(target_os = "linux"))]
mod camera_other;
mod cameras;
mod ffmpeg;
mod http;
mod mjpeg;
mod sequence;
mod spec;
mod yuv;

#[cfg(target_os = "linux")]
use camera_linux as camera;
#[cfg(not(target_os = "linux"))]
use camera_other as camera;

use std::time::Duration;

pub use cameras::{CameraInfo, CameraState, list as list_cameras, table as cameras_table};
pub use spec::{Spec, SpecError};

use crate::frame::Raw;

/// Longest that [`Source::next`] blocks, and longest wait for a byte from the network.
pub const PATIENCE: Duration = Duration::from_millis(1000);

/// What a source can be told.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceParams {
    /// Size asked of a camera, px. 1280 × 720 shows a meeple at 40 to 60 px, more costs time and gains little.
    pub size: (u32, u32),
    /// Pictures a second of an image sequence.
    pub fps: f64,
    /// Whether a video or an image sequence starts again at its end.
    pub repeat: bool,
}

impl Default for SourceParams {
    fn default() -> Self {
        Self { size: (1280, 720), fps: 10.0, repeat: false }
    }
}

/// Why no picture comes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// None came within [`PATIENCE`]; the next call may bring one.
    #[error("no picture came for {} second", PATIENCE.as_secs())]
    Late,
    /// There is no camera at all.
    #[error("there is no camera: plug one in, or give --source a video, a folder of pictures or an address")]
    NoCamera,
    /// The camera that was asked for is not there.
    #[error("{wanted} is not there (there {}): plug it in again, or choose another with --source", .there)]
    Missing {
        /// What was asked for.
        wanted: String,
        /// What is there instead, as "is no camera" or "are: 0 HD Webcam".
        there: String,
    },
    /// Nothing is called as what was asked for.
    #[error(
        "the camera “{name}” is not there (there {there}), nor is a file or folder of that name{}: plug the camera in, or {}",
        spec::nearly(.near),
        spec::TAKES
    )]
    NoSuchName {
        /// What was asked for.
        name: String,
        /// Which cameras there are, as in [`SourceError::Missing`].
        there: String,
        /// Files and folders that are called nearly so.
        near: Vec<String>,
    },
    /// Several cameras answer to the name.
    #[error("several cameras are called so ({names}): give more of the name, or the number")]
    Ambiguous {
        /// Their numbers and names.
        names: String,
    },
    /// Another program has the camera.
    #[error("{camera} is busy: another program uses it; close it (a browser tab, a video call) and this one goes on")]
    Busy {
        /// Which.
        camera: String,
    },
    /// The system does not let this program have the camera.
    #[error("{camera} is not permitted to this program: {}", permission_advice())]
    Forbidden {
        /// Which.
        camera: String,
    },
    /// The camera was there and is gone.
    #[error("{camera} was unplugged: plug it in again and the program goes on")]
    Unplugged {
        /// Which.
        camera: String,
    },
    /// The camera speaks no format that this program knows.
    #[error("{camera} offers no format this program knows (it offers {offered}; MJPG, YUYV or NV12 is needed)")]
    Format {
        /// Which.
        camera: String,
        /// What it offers.
        offered: String,
    },
    /// The address does not answer.
    #[error("{address} does not answer: {why}; check the address and that both are in the same network")]
    NoAnswer {
        /// Without name and password.
        address: String,
        /// What happened.
        why: String,
    },
    /// The address answers with something else.
    #[error("{address} answers, but not with a stream of pictures ({what}): give the address of its MJPEG stream")]
    NotAStream {
        /// Without name and password.
        address: String,
        /// What it answers.
        what: String,
    },
    /// The stream broke off.
    #[error("the stream from {address} broke off: {why}")]
    BrokeOff {
        /// Without name and password.
        address: String,
        /// What happened.
        why: String,
    },
    /// Nothing came for so long that it is opened anew.
    #[error("no picture has come from {what} for {seconds} s, it is opened anew: check the cable or the network")]
    Silent {
        /// From what.
        what: String,
        /// For how long, s.
        seconds: u64,
    },
    /// The program that decodes videos is missing.
    #[error("ffmpeg is needed for {what} and is not installed: install ffmpeg (apt-get, brew or winget install ffmpeg)")]
    NoFfmpeg {
        /// For what.
        what: String,
    },
    /// A video or a picture that cannot be read.
    #[error("{what} cannot be read: {why}")]
    Unreadable {
        /// What.
        what: String,
        /// Why.
        why: String,
    },
    /// The system refused.
    #[error("{what}: {why}")]
    System {
        /// What was being done.
        what: String,
        /// What the system said.
        why: String,
    },
}

/// What to do about a forbidden camera on this system.
fn permission_advice() -> &'static str {
    if cfg!(target_os = "macos") {
        "allow it under System Settings > Privacy & Security > Camera, then start the program again"
    } else if cfg!(windows) {
        "allow it under Settings > Privacy > Camera"
    } else {
        "add yourself to the group video (sudo usermod -aG video \"$USER\") and log in anew"
    }
}

/// Where pictures come from. It stays in the thread that opened it: some systems' cameras may not leave theirs.
pub trait Source {
    /// What it is, for people: "HD Webcam (1280 × 720, MJPG)".
    fn words(&self) -> String;

    /// The next picture, waited for no longer than [`PATIENCE`]. [`SourceError::Late`] may be followed by pictures; after any
    /// other error the source is to be opened anew.
    fn next(&mut self) -> Result<Raw, SourceError>;

    /// Whether it shows a table now, so that dark first pictures are waited out and sameness means that it is frozen.
    fn is_live(&self) -> bool {
        true
    }

    /// How to find this very camera again, whatever number it has then; `None` for what is found as it was named.
    fn identity(&self) -> Option<Spec> {
        None
    }
}

/// Opens what `spec` names. May take seconds.
pub fn open(spec: &Spec, params: &SourceParams) -> Result<Box<dyn Source>, SourceError> {
    Ok(match spec {
        Spec::AnyCamera => Box::new(camera::Camera::open(cameras::first()?, params)?),
        Spec::CameraNumber(number) => Box::new(camera::Camera::open(cameras::numbered(*number)?, params)?),
        Spec::CameraName(name) => Box::new(camera::Camera::open(cameras::named(name)?, params)?),
        Spec::Camera { number, name } => Box::new(camera::Camera::open(cameras::again(*number, name)?, params)?),
        Spec::Pictures(paths) => Box::new(sequence::Sequence::open(paths.clone(), params)?),
        Spec::Mjpeg(address) => Box::new(mjpeg::Mjpeg::open(address)?),
        Spec::Ffmpeg(input) => Box::new(ffmpeg::Ffmpeg::open(input, params)?),
    })
}
