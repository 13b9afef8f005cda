//! One picture of the stream, and what is kept of it.

use std::{
    io::{self, Cursor},
    sync::Arc,
    time::Instant,
};

use image::{
    ImageEncoder, RgbImage,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};
use pyrameeple::capture::{self, CaptureParams, Picture};

use crate::{jpeg, still::Thumb};

/// A picture as a source hands it out, not yet decoded.
#[derive(Clone, Debug)]
pub enum Raw {
    /// A whole picture file, mostly a JPEG: these bytes become the evidence as they are.
    File(Vec<u8>),
    /// Pixels, decoded by the driver or by another program.
    Pixels(RgbImage),
}

/// One picture of the stream.
#[derive(Debug)]
pub struct Frame {
    /// Counts the pictures of this run of the program, from 1.
    pub number: u64,
    /// When it was taken off the source.
    pub at: Instant,
    /// Its pixels.
    pub picture: Picture,
    /// The same, small: what stillness is judged by.
    pub thumb: Thumb,
    /// The file it came in; `None` when it came as pixels.
    original: Option<Arc<[u8]>>,
}

/// What is kept of a frame for a few seconds: the file where there is one (a twentieth of the pixels), else the frame.
#[derive(Clone, Debug)]
pub struct Kept {
    /// As [`Frame::number`].
    pub number: u64,
    /// As [`Frame::at`].
    pub at: Instant,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    File(Arc<[u8]>),
    Frame(Arc<Frame>),
}

impl Frame {
    /// The frame in `raw`; an error is what is wrong with its file, in words.
    pub fn decode(raw: Raw, number: u64, at: Instant) -> Result<Self, String> {
        let (picture, original) = match raw {
            Raw::Pixels(rgb) => (Picture { rgb, exif_focal_px: None }, None),
            // Exactly as `verify` will decode it, so that it sees the same pixels.
            Raw::File(bytes) => {
                let bytes = jpeg::with_tables(bytes);
                let picture = capture::decode(&bytes, &CaptureParams::default()).map_err(|error| error.to_string())?;
                (picture, Some(bytes.into()))
            }
        };
        let thumb = Thumb::of(&picture.rgb);
        Ok(Self { number, at, picture, thumb, original })
    }

    /// The bytes of a picture file that holds this frame without loss: as it came, else a PNG.
    pub fn file(&self) -> io::Result<Vec<u8>> {
        match &self.original {
            Some(bytes) => Ok(bytes.to_vec()),
            None => png(&self.picture.rgb),
        }
    }

    /// The name under which it goes on record.
    pub fn name(&self) -> String {
        let ending = match self.original.as_deref().map(image::guess_format) {
            Some(Ok(format)) => format.extensions_str().first().copied().unwrap_or("bin"),
            _ => "png",
        };
        format!("live-{:06}.{ending}", self.number)
    }

    /// What to keep of it.
    pub fn keep(self: &Arc<Self>) -> Kept {
        let content = match &self.original {
            Some(bytes) => Content::File(bytes.clone()),
            None => Content::Frame(self.clone()),
        };
        Kept { number: self.number, at: self.at, content }
    }
}

impl Kept {
    /// The frame again; an error is what is wrong with its file, in words.
    pub fn frame(&self) -> Result<Arc<Frame>, String> {
        match &self.content {
            Content::Frame(frame) => Ok(frame.clone()),
            Content::File(bytes) => Frame::decode(Raw::File(bytes.to_vec()), self.number, self.at).map(Arc::new),
        }
    }

    /// Memory it takes, bytes.
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Frame(frame) => frame.picture.rgb.as_raw().len(),
            Content::File(bytes) => bytes.len(),
        }
    }
}

/// `picture` as a PNG, compressed little so that it is written in a few hundredths of a second.
fn png(picture: &RgbImage) -> io::Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive)
        .write_image(picture.as_raw(), picture.width(), picture.height(), image::ExtendedColorType::Rgb8)
        .map_err(io::Error::other)?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back_from_the_file_as_they_were() {
        let rgb = RgbImage::from_fn(80, 70, |x, y| image::Rgb([x as u8 * 3, y as u8, (x * y) as u8]));
        let frame = Frame::decode(Raw::Pixels(rgb.clone()), 7, Instant::now()).unwrap();
        assert_eq!(frame.name(), "live-000007.png");
        assert_eq!(image::load_from_memory(&frame.file().unwrap()).unwrap().to_rgb8(), rgb);
    }

    #[test]
    fn a_file_is_kept_as_it_came_and_decodes_to_the_same_frame() {
        let mut jpeg = Cursor::new(Vec::new());
        RgbImage::from_pixel(80, 70, image::Rgb([9, 99, 199])).write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
        let jpeg = jpeg.into_inner();
        let frame = Arc::new(Frame::decode(Raw::File(jpeg.clone()), 1, Instant::now()).unwrap());
        assert_eq!((frame.file().unwrap(), frame.name()), (jpeg.clone(), "live-000001.jpg".to_owned()));
        let kept = frame.keep();
        assert_eq!(kept.bytes(), jpeg.len());
        assert_eq!(kept.frame().unwrap().picture.rgb, frame.picture.rgb);
    }
}
