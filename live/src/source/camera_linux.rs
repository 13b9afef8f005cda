//! Cameras on Linux, straight through Video4Linux: nothing but system calls, with a time limit on every wait.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use v4l::{
    Device, Format, FourCC,
    buffer::{Flags, Type},
    capability::Flags as Abilities,
    framesize::FrameSizeEnum,
    io::traits::CaptureStream,
    prelude::MmapStream,
    video::Capture,
};

use super::{CameraInfo, CameraState, PATIENCE, Source, SourceError, SourceParams, Spec, yuv};
use crate::frame::Raw;

/// Highest number a camera is looked for under; the kernel hands out the lowest free one.
const MOST_NUMBER: usize = 64;
/// Buffers shared with the driver: enough that it always has one to fill, so few that none is old.
const BUFFERS: u32 = 4;
/// Formats this program knows, the best first: MJPG gives large pictures at full rate over USB.
const KNOWN: [&[u8; 4]; 4] = [b"MJPG", b"JPEG", b"YUYV", b"NV12"];
/// A driver whose buffers are damaged again and again has lost its device, even if it does not say so.
const MOST_DAMAGED: u32 = 30;

/// Numbers from `linux/errno`.
const ENODEV: i32 = 19;
const ENXIO: i32 = 6;
const EBUSY: i32 = 16;

/// A camera being read.
pub struct Camera {
    info: CameraInfo,
    format: Format,
    stream: MmapStream<'static>,
}

/// All cameras, in any order.
pub fn list() -> Vec<CameraInfo> {
    (0..=MOST_NUMBER).filter_map(look_at).collect()
}

/// The camera of this number, if there is one: a device that captures pictures.
fn look_at(number: usize) -> Option<CameraInfo> {
    let named = || {
        let name = std::fs::read_to_string(format!("/sys/class/video4linux/video{number}/name"));
        name.map_or_else(|_| format!("camera {number}"), |name| name.trim().to_owned())
    };
    let shut = |state| Some(CameraInfo { number, name: named(), state, formats: Vec::new() });
    let device = match Device::with_path(path(number)) {
        Ok(device) => device,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return shut(CameraState::Forbidden),
        Err(error) if error.raw_os_error() == Some(EBUSY) => return shut(CameraState::Busy),
        Err(_) => return None,
    };
    let abilities = device.query_caps().ok()?;
    // Webcams bring a second device for their metadata; codecs and radios are devices of this kind too.
    if !abilities.capabilities.contains(Abilities::VIDEO_CAPTURE) {
        return None;
    }
    let formats = device.enum_formats().unwrap_or_default();
    if formats.is_empty() {
        return None;
    }
    let formats = formats.iter().map(|format| {
        let sizes: Vec<String> = sizes(&device, format.fourcc).into_iter().map(|(w, h)| format!("{w}×{h}")).collect();
        format!("{} {}", format.fourcc, sizes.join(", "))
    });
    Some(CameraInfo { number, name: abilities.card, state: CameraState::Ready, formats: formats.collect() })
}

fn path(number: usize) -> String {
    format!("/dev/video{number}")
}

/// Sizes offered in a format, the smallest and largest where any between is possible.
fn sizes(device: &Device, fourcc: FourCC) -> Vec<(u32, u32)> {
    let offered = device.enum_framesizes(fourcc).unwrap_or_default();
    let mut sizes: Vec<(u32, u32)> = offered
        .into_iter()
        .flat_map(|size| match size.size {
            FrameSizeEnum::Discrete(size) => vec![(size.width, size.height)],
            FrameSizeEnum::Stepwise(step) => vec![(step.min_width, step.min_height), (step.max_width, step.max_height)],
        })
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

impl Camera {
    /// Opens the camera and asks for pictures of the size wanted.
    pub fn open(info: CameraInfo, params: &SourceParams) -> Result<Self, SourceError> {
        let failed = |what: &'static str| {
            let info = info.clone();
            move |error: io::Error| explain(&info, what, &error)
        };
        let device = Device::with_path(path(info.number)).map_err(failed("open"))?;
        let offered = device.enum_formats().map_err(failed("ask for its formats"))?;
        let known = KNOWN.iter().find_map(|known| offered.iter().find(|format| format.fourcc.repr == **known));
        let Some(known) = known else {
            let offered: Vec<String> = offered.iter().map(|format| format.fourcc.to_string()).collect();
            return Err(SourceError::Format { camera: shown(&info), offered: offered.join(", ") });
        };
        // What the driver grants, which may be another size, is what the frames will be like.
        let wanted = Format::new(params.size.0, params.size.1, known.fourcc);
        let format = device.set_format(&wanted).map_err(failed("set the picture size"))?;
        if !KNOWN.contains(&&format.fourcc.repr) {
            return Err(SourceError::Format { camera: shown(&info), offered: format.fourcc.to_string() });
        }
        let mut stream =
            MmapStream::with_buffers(&device, Type::VideoCapture, BUFFERS).map_err(failed("ask for picture buffers"))?;
        stream.set_timeout(PATIENCE);
        Ok(Self { info, format, stream })
    }

    /// The picture in a buffer.
    fn picture(&self, bytes: &[u8]) -> Option<Raw> {
        let (width, height) = (self.format.width, self.format.height);
        match &self.format.fourcc.repr {
            b"YUYV" => yuv::from_yuyv(bytes, width, height, self.format.stride).map(Raw::Pixels),
            b"NV12" => yuv::from_nv12(bytes, width, height, self.format.stride).map(Raw::Pixels),
            _ => Some(Raw::File(bytes.to_vec())),
        }
    }
}

impl Source for Camera {
    fn words(&self) -> String {
        format!("{} ({} × {}, {})", self.info.name, self.format.width, self.format.height, self.format.fourcc)
    }

    fn identity(&self) -> Option<Spec> {
        Some(Spec::Camera { number: self.info.number, name: self.info.name.clone() })
    }

    fn next(&mut self) -> Result<Raw, SourceError> {
        let (started, mut damaged) = (Instant::now(), 0);
        while started.elapsed() < PATIENCE && damaged < MOST_DAMAGED {
            match self.stream.next() {
                Ok((bytes, meta)) => {
                    let used = bytes.get(..meta.bytesused as usize).unwrap_or(bytes);
                    let whole = !meta.flags.contains(Flags::ERROR) && !used.is_empty();
                    let used = used.to_vec();
                    if let Some(raw) = Some(used).filter(|_| whole).and_then(|used| self.picture(&used)) {
                        return Ok(raw);
                    }
                    damaged += 1;
                }
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(self.missing().unwrap_or(SourceError::Late)),
                Err(error) if [io::ErrorKind::WouldBlock, io::ErrorKind::Interrupted].contains(&error.kind()) => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) => return Err(explain(&self.info, "take a picture", &error)),
            }
        }
        Err(SourceError::Late)
    }
}

impl Camera {
    /// The error of a camera whose device file is gone: some drivers never say so themselves.
    fn missing(&self) -> Option<SourceError> {
        let gone = !Path::new(&path(self.info.number)).exists() && Device::with_path(path(self.info.number)).is_err_and(is_gone);
        gone.then(|| SourceError::Unplugged { camera: shown(&self.info) })
    }
}

fn is_gone(error: io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || [Some(ENODEV), Some(ENXIO)].contains(&error.raw_os_error())
}

fn shown(info: &CameraInfo) -> String {
    format!("camera {} ({})", info.number, info.name)
}

/// What the system's refusal means for people.
fn explain(info: &CameraInfo, doing: &str, error: &io::Error) -> SourceError {
    let camera = shown(info);
    match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::PermissionDenied, _) => SourceError::Forbidden { camera },
        (_, Some(EBUSY)) => SourceError::Busy { camera },
        (io::ErrorKind::NotFound, _) | (_, Some(ENODEV | ENXIO)) => SourceError::Unplugged { camera },
        _ => SourceError::System { what: format!("{camera}: cannot {doing}"), why: error.to_string() },
    }
}
