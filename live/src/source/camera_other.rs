//! Cameras on Windows (Media Foundation) and macOS (AVFoundation), through nokhwa.

use nokhwa::{
    Camera as Device, native_api_backend,
    pixel_format::RgbFormat,
    query,
    utils::{ApiBackend, CameraFormat, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType, Resolution},
};

use super::{CameraInfo, CameraState, Source, SourceError, SourceParams, Spec, yuv};
use crate::frame::Raw;

/// Frames a second asked for.
const RATE: u32 = 30;

/// A camera being read.
pub struct Camera {
    info: CameraInfo,
    format: CameraFormat,
    device: Device,
}

/// All cameras, in any order.
pub fn list() -> Vec<CameraInfo> {
    let cameras = query(native_api_backend().unwrap_or(ApiBackend::Auto)).unwrap_or_default();
    cameras
        .iter()
        .enumerate()
        .map(|(place, camera)| CameraInfo {
            number: camera.index().as_index().map_or(place, |number| number as usize),
            name: camera.human_name(),
            state: CameraState::Ready,
            formats: vec![camera.description().to_owned()],
        })
        .collect()
}

impl Camera {
    /// Opens the camera and asks for pictures of the size wanted.
    pub fn open(info: CameraInfo, params: &SourceParams) -> Result<Self, SourceError> {
        #[cfg(target_os = "macos")]
        if !nokhwa::nokhwa_check() {
            // Shows the system's question once; the next try, a second later, finds the answer.
            nokhwa::nokhwa_initialize(|_| {});
            return Err(SourceError::Forbidden { camera: info.name });
        }
        let wanted = CameraFormat::new(Resolution::new(params.size.0, params.size.1), FrameFormat::MJPEG, RATE);
        let known = [FrameFormat::MJPEG, FrameFormat::YUYV, FrameFormat::NV12, FrameFormat::RAWRGB];
        let wanted = RequestedFormat::with_formats(RequestedFormatType::Closest(wanted), &known);
        let index = CameraIndex::Index(info.number as u32);
        let failed = |error: nokhwa::NokhwaError| explain(&info, &error.to_string());
        let mut device = Device::new(index, wanted).map_err(failed)?;
        device.open_stream().map_err(failed)?;
        let format = device.camera_format();
        Ok(Self { info, format, device })
    }
}

impl Source for Camera {
    fn words(&self) -> String {
        format!("{} ({} × {}, {})", self.info.name, self.format.width(), self.format.height(), self.format.format())
    }

    fn identity(&self) -> Option<Spec> {
        Some(Spec::Camera { number: self.info.number, name: self.info.name.clone() })
    }

    fn next(&mut self) -> Result<Raw, SourceError> {
        let buffer = self.device.frame().map_err(|error| explain(&self.info, &error.to_string()))?;
        let (width, height, bytes) = (buffer.resolution().width(), buffer.resolution().height(), buffer.buffer());
        let pixels = match buffer.source_frame_format() {
            FrameFormat::MJPEG => return Ok(Raw::File(bytes.to_vec())),
            FrameFormat::YUYV => yuv::from_yuyv(bytes, width, height, width * 2),
            FrameFormat::NV12 => yuv::from_nv12(bytes, width, height, width),
            FrameFormat::RAWRGB => image::RgbImage::from_raw(width, height, bytes.to_vec()),
            _ => buffer.decode_image::<RgbFormat>().ok(),
        };
        pixels.map(Raw::Pixels).ok_or(SourceError::Late)
    }
}

/// What the system's refusal means for people; both systems tell it in prose only.
fn explain(info: &CameraInfo, error: &str) -> SourceError {
    let camera = format!("camera {} ({})", info.number, info.name);
    let text = error.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["denied", "not authorized", "permission", "0x80070005"]) {
        SourceError::Forbidden { camera }
    } else if says(&["in use", "busy", "lock", "0xc00d3704", "0xc00d3e85"]) {
        SourceError::Busy { camera }
    } else if says(&["disconnected", "invalidated", "removed", "0xc00d3ea2"]) {
        SourceError::Unplugged { camera }
    } else {
        SourceError::System { what: camera, why: error.to_owned() }
    }
}
