//! Capture: from the bytes of a photo to an upright picture.
//!
//! Rust reads the bytes, so that a path of any letters works; what a file is follows from its content, not from its name;
//! the EXIF orientation is applied here, once, and nowhere else.

mod exif;
mod heif;
mod jpeg;
mod sniff;

use std::{
    fs::{self, File},
    io::{self, Cursor, Read},
    path::Path,
    time::Duration,
};

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage, Rgba, metadata::Orientation};
use serde::{Deserialize, Serialize};

use heif::HeifError;
use sniff::Content;

/// An upright picture (EXIF orientation applied) and what its file says about the lens.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The pixels, 8-bit sRGB.
    pub rgb: RgbImage,
    /// Focal length in px from EXIF, where present and plausible.
    pub exif_focal_px: Option<f64>,
}

/// What the capture stage can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaptureParams {
    /// Largest picture that is decoded, megapixels; checked before any pixel is decoded. 200 megapixels take 0.6 GB.
    pub max_megapixels: f64,
    /// Most memory that decoding one picture may take, megabytes; checked before any pixel is decoded.
    pub max_memory_megabytes: u64,
    /// Longest that the program which decodes HEIC and AVIF may take for one picture, seconds.
    pub max_heif_seconds: u64,
    /// Largest file that is read, megabytes.
    pub max_file_megabytes: u64,
    /// Shortest side of a picture in which a meeple could still be told, px.
    pub min_side_px: u32,
}

impl Default for CaptureParams {
    fn default() -> Self {
        Self {
            max_megapixels: 200.0,
            max_memory_megabytes: 2000,
            max_heif_seconds: 60,
            max_file_megabytes: 1000,
            min_side_px: 64,
        }
    }
}

/// Why a photo could not be turned into a picture.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The path leads nowhere.
    #[error("there is no such file")]
    Missing,
    /// The path is a folder.
    #[error("this is a folder, a photo is needed")]
    Folder,
    /// A pipe, a socket or a device: reading it could wait for ever.
    #[error("this is {0}, a file is needed")]
    NotAFile(&'static str),
    /// The system refused to hand out the bytes.
    #[error("the file cannot be read: {0}")]
    Io(io::Error),
    /// Not a single byte.
    #[error("the file is empty (0 bytes), a photo is needed")]
    Empty,
    /// Some other kind of file, whatever its name says.
    #[error("the file holds {seen}, a JPEG, PNG, WebP, TIFF, BMP, GIF, HEIC or AVIF picture is needed")]
    NotAPicture {
        /// What the content looks like, with its article.
        seen: &'static str,
    },
    /// A picture in a format that this program cannot decode.
    #[error("the file is {seen} picture, which this program cannot decode")]
    ForeignFormat {
        /// Name of the format, with its article.
        seen: &'static str,
    },
    /// A HEIC or AVIF, and nothing here that could decode it.
    #[error("the file is {seen} picture, and libheif's program heif-convert, which decodes it, is not installed")]
    NoHeifProgram {
        /// Name of the format, with its article.
        seen: &'static str,
    },
    /// libheif's program gave no picture.
    #[error("the file is {seen} picture that heif-convert could not decode: {said}")]
    HeifFailed {
        /// Name of the format, with its article.
        seen: &'static str,
        /// What the program said.
        said: String,
    },
    /// Of a known format, but of a rare kind.
    #[error("the picture is of a kind that this program cannot decode: {0}")]
    Unsupported(ImageError),
    /// A JPEG whose end is missing.
    #[error("the JPEG breaks off after {bytes} bytes, before the end of its picture")]
    Truncated {
        /// Size of what is there.
        bytes: usize,
    },
    /// The decoder gave up.
    #[error("the picture is damaged: {0}")]
    Damaged(ImageError),
    /// More pixels than are allowed.
    #[error("the picture is {width} × {height} px ({megapixels:.0} megapixels), at most {max_megapixels:.0} are read")]
    TooLarge {
        /// Width in the file, px.
        width: u32,
        /// Height in the file, px.
        height: u32,
        /// Their product.
        megapixels: f64,
        /// The limit.
        max_megapixels: f64,
    },
    /// More memory than is allowed.
    #[error("decoding the picture of {width} × {height} px takes {megabytes} MB of memory, at most {max_megabytes} MB are used")]
    TooMuchMemory {
        /// Width in the file, px.
        width: u32,
        /// Height in the file, px.
        height: u32,
        /// What it takes.
        megabytes: u64,
        /// The limit.
        max_megabytes: u64,
    },
    /// More memory than is allowed, and the decoder did not say for what.
    #[error(
        "the sizes in the file ask for more than {0} MB of memory; if they are right, that is more than is used for a picture"
    )]
    OverLimit(u64),
    /// More bytes than are allowed.
    #[error("the file is larger than {0} MB")]
    FileTooLarge(u64),
    /// Too few pixels to tell anything.
    #[error("the picture is {width} × {height} px, at least {min_side_px} px each way are needed")]
    TooSmall {
        /// Width in the file, px.
        width: u32,
        /// Height in the file, px.
        height: u32,
        /// The limit.
        min_side_px: u32,
    },
}

impl CaptureError {
    /// What a person can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Missing => "check the path",
            Self::Folder => "give the photos in it, or add --recursive for folders inside folders",
            Self::NotAFile(_) => "give a file; `-` is a photo on standard input: … | pyrameeple score -",
            Self::Io(_) => "check who may read the file, and that its drive is still there",
            Self::Empty | Self::Truncated { .. } | Self::Damaged(_) => "copy the photo from the camera again, or take it again",
            Self::NotAPicture { .. } => "give a photo",
            Self::NoHeifProgram { .. } => {
                "install it (Debian, Ubuntu: sudo apt install libheif-examples; Fedora: sudo dnf install libheif-tools; macOS: \
                 brew install libheif), or convert the photo to JPEG (iPhone: Settings > Camera > Formats > Most Compatible)"
            }
            Self::HeifFailed { .. } => "copy the photo from the camera again, or export it as JPEG",
            Self::ForeignFormat { .. } | Self::Unsupported(_) => "save it as JPEG or PNG with another program",
            Self::TooLarge { .. } => "make the picture smaller (12 megapixels are plenty), or raise capture.max_megapixels",
            Self::TooMuchMemory { .. } | Self::OverLimit(_) => {
                "make the picture smaller, or save it with 8 bits, or raise capture.max_memory_megabytes"
            }
            Self::FileTooLarge(_) => "make the picture smaller, or raise capture.max_file_megabytes",
            Self::TooSmall { .. } => "take a larger picture: a meeple should be at least 24 px tall in it",
        }
    }
}

/// The upright picture in the file at `path`.
pub fn load(path: &Path, params: &CaptureParams) -> Result<Picture, CaptureError> {
    read(open(path)?, params)
}

/// The bytes of the file at `path`, whatever it holds: evidence is kept as it is.
pub fn load_bytes(path: &Path, params: &CaptureParams) -> Result<Vec<u8>, CaptureError> {
    let mut bytes = Vec::new();
    read_rest(open(path)?, &mut bytes, params)?;
    Ok(bytes)
}

/// The file at `path`, open for reading.
fn open(path: &Path) -> Result<File, CaptureError> {
    let io = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => CaptureError::Missing,
        _ => CaptureError::Io(error),
    };
    // Before it is opened: opening a pipe waits until somebody writes into it.
    let kind = fs::metadata(path).map_err(io)?.file_type();
    if kind.is_dir() {
        return Err(CaptureError::Folder);
    }
    if !kind.is_file() {
        return Err(CaptureError::NotAFile(kind_name(kind)));
    }
    File::open(path).map_err(io)
}

/// What `kind` is called, with its article.
#[cfg(unix)]
fn kind_name(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

/// What `kind` is called, with its article.
#[cfg(not(unix))]
fn kind_name(_: fs::FileType) -> &'static str {
    "a device"
}

/// The upright picture in a stream of bytes, of which no more is read than needed to see that it is no picture.
pub fn read(mut source: impl Read, params: &CaptureParams) -> Result<Picture, CaptureError> {
    let mut bytes = Vec::new();
    source.by_ref().take(sniff::HEAD_BYTES).read_to_end(&mut bytes).map_err(CaptureError::Io)?;
    kind(&bytes)?;
    read_rest(source, &mut bytes, params)?;
    decode(&bytes, params)
}

/// Adds to `bytes` what is left of `source`, as long as there are not too many.
fn read_rest(source: impl Read, bytes: &mut Vec<u8>, params: &CaptureParams) -> Result<(), CaptureError> {
    let max_bytes = params.max_file_megabytes.saturating_mul(1_000_000);
    source.take((max_bytes + 1).saturating_sub(bytes.len() as u64)).read_to_end(bytes).map_err(CaptureError::Io)?;
    if bytes.len() as u64 > max_bytes {
        return Err(CaptureError::FileTooLarge(params.max_file_megabytes));
    }
    Ok(())
}

/// The upright picture in `bytes`.
pub fn decode(bytes: &[u8], params: &CaptureParams) -> Result<Picture, CaptureError> {
    match kind(bytes)? {
        Kind::Plain(format) => decode_plain(bytes, format, params, true),
        Kind::Heif(seen) => decode_heif(bytes, seen, params),
    }
}

/// The picture in a HEIC or AVIF file.
fn decode_heif(bytes: &[u8], seen: &'static str, params: &CaptureParams) -> Result<Picture, CaptureError> {
    if let Some((width, height)) = heif::dimensions(bytes) {
        check_size(width, height, params)?;
    }
    let jpeg = heif::to_jpeg(bytes, Duration::from_secs(params.max_heif_seconds)).map_err(|error| match error {
        HeifError::NoProgram => CaptureError::NoHeifProgram { seen },
        HeifError::Failed(said) => CaptureError::HeifFailed { seen, said },
        HeifError::TooSlow => {
            let said = format!("it took longer than the {} seconds of capture.max_heif_seconds", params.max_heif_seconds);
            CaptureError::HeifFailed { seen, said }
        }
    })?;
    // The program turns the picture as HEIF's own properties say; the EXIF block that it hands on tells of the same turn
    // (ISO/IEC 23000-22, 7.3.2: the properties count).
    decode_plain(&jpeg, ImageFormat::Jpeg, params, false)
}

/// Whether a picture of this size may be decoded.
fn check_size(width: u32, height: u32, params: &CaptureParams) -> Result<(), CaptureError> {
    let megapixels = f64::from(width) * f64::from(height) / 1e6;
    if megapixels > params.max_megapixels {
        return Err(CaptureError::TooLarge { width, height, megapixels, max_megapixels: params.max_megapixels });
    }
    if width.min(height) < params.min_side_px {
        return Err(CaptureError::TooSmall { width, height, min_side_px: params.min_side_px });
    }
    Ok(())
}

/// The picture in a file of a `format` that needs no other program, turned as its EXIF says if that `turns` it.
fn decode_plain(bytes: &[u8], format: ImageFormat, params: &CaptureParams, turns: bool) -> Result<Picture, CaptureError> {
    let max_bytes = params.max_memory_megabytes.saturating_mul(1_000_000);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    // The picture's own size is checked below, with a message that says what was allowed; this bounds all the rest that a
    // decoder sets aside, for metadata and in between.
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(max_bytes);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| damaged(error, bytes, format, params))?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, params)?;
    // As decoded, and as 8-bit RGB beside it, or turned; a progressive JPEG is collected as 16-bit coefficients first.
    let pixels = u64::from(width) * u64::from(height);
    let progressive = format == ImageFormat::Jpeg && jpeg::is_progressive(bytes);
    let needed = decoder.total_bytes().saturating_add(pixels.saturating_mul(if progressive { 9 } else { 3 }));
    if needed > max_bytes {
        let (megabytes, max_megabytes) = (needed.div_ceil(1_000_000), params.max_memory_megabytes);
        return Err(CaptureError::TooMuchMemory { width, height, megabytes, max_megabytes });
    }
    // Decoders fill what is missing with grey, and a grey half of a picture could be read as a collapsed pyramid.
    if format == ImageFormat::Jpeg && !jpeg::is_complete(bytes) {
        return Err(CaptureError::Truncated { bytes: bytes.len() });
    }
    let orientation = if turns { decoder.orientation().unwrap_or(Orientation::NoTransforms) } else { Orientation::NoTransforms };
    let exif_focal_px = decoder.exif_metadata().ok().flatten().and_then(|metadata| exif::focal_px(metadata, width, height));
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| damaged(error, bytes, format, params))?;
    image.apply_orientation(orientation);
    Ok(Picture { rgb: on_white(image), exif_focal_px })
}

/// How a picture is decoded.
enum Kind {
    /// By the `image` library.
    Plain(ImageFormat),
    /// By libheif's program; the format's name with an article.
    Heif(&'static str),
}

/// How the picture that starts with `bytes` is decoded, or what it is instead.
fn kind(bytes: &[u8]) -> Result<Kind, CaptureError> {
    match sniff::content(bytes) {
        Content::Picture(format) => Ok(Kind::Plain(format)),
        Content::Heif(seen) => Ok(Kind::Heif(seen)),
        Content::Nothing => Err(CaptureError::Empty),
        Content::ForeignPicture(seen) => Err(CaptureError::ForeignFormat { seen }),
        Content::Other(seen) => Err(CaptureError::NotAPicture { seen }),
    }
}

/// The decoder's error; a JPEG that also lacks its end is called truncated, which says more.
fn damaged(error: ImageError, bytes: &[u8], format: ImageFormat, params: &CaptureParams) -> CaptureError {
    if format == ImageFormat::Jpeg && !jpeg::is_complete(bytes) {
        return CaptureError::Truncated { bytes: bytes.len() };
    }
    match error {
        ImageError::Unsupported(_) => CaptureError::Unsupported(error),
        ImageError::Limits(_) => CaptureError::OverLimit(params.max_memory_megabytes),
        _ => CaptureError::Damaged(error),
    }
}

/// The picture as 8-bit sRGB; what is transparent shows white paper behind it.
fn on_white(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let rgba = image.into_rgba8();
    RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let Rgba([r, g, b, alpha]) = *rgba.get_pixel(x, y);
        let over_white = |value: u8| {
            let (value, alpha) = (u32::from(value), u32::from(alpha));
            ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8
        };
        image::Rgb([over_white(r), over_white(g), over_white(b)])
    })
}

/// How many of a file's first bytes [`is_picture`] wants to see.
pub const HEAD_BYTES: u64 = sniff::HEAD_BYTES;

/// Whether a file that starts with `head` holds a picture that [`decode`] knows.
pub fn is_picture(head: &[u8]) -> bool {
    matches!(sniff::content(head), Content::Picture(_) | Content::Heif(_))
}

/// What a file that starts with `head` holds, with an article.
pub fn what_it_holds(head: &[u8]) -> &'static str {
    match sniff::content(head) {
        Content::Picture(_) => "a picture",
        Content::Heif(seen) | Content::ForeignPicture(seen) | Content::Other(seen) => seen,
        Content::Nothing => "nothing",
    }
}

/// `jpeg` marked as an annotated picture of this program's own, so that it is never taken for a photo.
pub fn mark_as_own(jpeg: Vec<u8>) -> Vec<u8> {
    jpeg::with_comment(jpeg, OWN_COMMENT)
}

/// Whether a file that starts with `head` is an annotated picture that this program wrote.
pub fn is_own_picture(head: &[u8]) -> bool {
    jpeg::comments(head).any(|comment| comment.starts_with(OWN_COMMENT.as_bytes()))
}

/// The JPEG comment in annotated pictures.
const OWN_COMMENT: &str = "Annotated by pyrameeple; not a photo";

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, RgbaImage};
    use proptest::prelude::*;

    fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.into().write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn transparent_pixels_show_white_paper() {
        let mut image = RgbaImage::from_pixel(64, 64, Rgba([200, 0, 100, 255]));
        image.put_pixel(0, 0, Rgba([200, 0, 100, 0]));
        image.put_pixel(1, 0, Rgba([0, 0, 0, 128]));
        let picture = decode(&encoded(image, ImageFormat::Png), &CaptureParams::default()).unwrap();
        assert_eq!(picture.rgb.get_pixel(0, 0).0, [255, 255, 255]);
        assert_eq!(picture.rgb.get_pixel(1, 0).0, [127, 127, 127]);
        assert_eq!(picture.rgb.get_pixel(2, 0).0, [200, 0, 100]);
    }

    #[test]
    fn the_sixteenth_bit_is_rounded_away() {
        let image = image::ImageBuffer::from_pixel(64, 64, image::Luma([257u16 * 77]));
        let picture = decode(&encoded(image, ImageFormat::Png), &CaptureParams::default()).unwrap();
        assert_eq!(picture.rgb.get_pixel(5, 5).0, [77, 77, 77]);
    }

    #[test]
    fn no_more_is_read_of_a_stream_than_shows_that_it_is_no_picture() {
        let error = read(std::io::repeat(b'a'), &CaptureParams::default()).unwrap_err();
        assert!(matches!(error, CaptureError::NotAPicture { seen: "text" }), "{error}");
        let endless = Cursor::new(encoded(GrayImage::new(64, 64), ImageFormat::Png)).chain(std::io::repeat(0));
        let error = read(endless, &CaptureParams { max_file_megabytes: 1, ..CaptureParams::default() }).unwrap_err();
        assert!(matches!(error, CaptureError::FileTooLarge(1)), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn damaged_bytes_are_an_error_or_a_picture_but_never_a_panic(
            jpeg in any::<bool>(),
            keep in 0.0..=1.0f64,
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        ) {
            let image = GrayImage::from_fn(80, 70, |x, y| image::Luma([(x * y) as u8]));
            let mut bytes = encoded(image, if jpeg { ImageFormat::Jpeg } else { ImageFormat::Png });
            bytes.truncate((bytes.len() as f64 * keep) as usize);
            for (at, value) in flips.iter().filter(|_| !bytes.is_empty()).collect::<Vec<_>>() {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            // A damaged header may promise more pixels than a test should wait for.
            let params = CaptureParams { max_megapixels: 5.0, ..CaptureParams::default() };
            match decode(&bytes, &params) {
                Ok(picture) => prop_assert!(picture.rgb.width() >= params.min_side_px),
                Err(error) => prop_assert!(!error.to_string().is_empty() && !error.advice().is_empty()),
            }
        }
    }
}
