//! What a file is, from its first bytes.

use image::ImageFormat;

/// Bytes enough to tell.
pub const HEAD_BYTES: u64 = 4096;

/// What a file holds.
#[derive(Debug, PartialEq)]
pub enum Content {
    /// A picture that can be decoded.
    Picture(ImageFormat),
    /// A HEIC or AVIF, which libheif's program may decode; its name with an article.
    Heif(&'static str),
    /// A picture in a format that cannot be decoded here; its name with an article.
    ForeignPicture(&'static str),
    /// Something else; its name with an article.
    Other(&'static str),
    /// No bytes.
    Nothing,
}

/// What the file that starts with `head` holds.
pub fn content(head: &[u8]) -> Content {
    if head.is_empty() {
        return Content::Nothing;
    }
    let starts = |magic: &[u8]| head.starts_with(magic);
    if let Some(content) = iso_media(head) {
        return content;
    }
    // Camera raw files are TIFF files around a thumbnail, which must not be scored in their place.
    if starts(b"II*\0") && head.get(8..10) == Some(b"CR") || starts(b"FUJIFILMCCD-RAW") || starts(b"IIRO") || starts(b"IIU\0") {
        return Content::ForeignPicture("a camera raw");
    }
    if starts(b"\xFF\x0A") || starts(b"\0\0\0\x0CJXL ") {
        return Content::ForeignPicture("a JPEG XL");
    }
    match image::guess_format(head) {
        Ok(
            format @ (ImageFormat::Jpeg
            | ImageFormat::Png
            | ImageFormat::Gif
            | ImageFormat::WebP
            | ImageFormat::Tiff
            | ImageFormat::Bmp),
        ) => return Content::Picture(format),
        Ok(_) => return Content::ForeignPicture("an uncommon kind of"),
        Err(_) => {}
    }
    if starts(b"%PDF") {
        return Content::Other("a PDF document");
    }
    if starts(b"PK\x03\x04") {
        return Content::Other("a ZIP archive");
    }
    if starts(b"RIFF") || starts(b"\x1A\x45\xDF\xA3") {
        return Content::Other("a video or sound");
    }
    if is_text(head) {
        return Content::Other("text");
    }
    Content::Other("data of an unknown kind")
}

/// HEIC, AVIF and MP4 share one container (ISO/IEC 14496-12); the brand behind `ftyp` tells them apart.
fn iso_media(head: &[u8]) -> Option<Content> {
    if head.get(4..8)? != b"ftyp" {
        return None;
    }
    Some(match head.get(8..12)? {
        b"avif" | b"avis" => Content::Heif("an AVIF"),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1" => Content::Heif("a HEIC"),
        b"crx " => Content::ForeignPicture("a camera raw"),
        _ => Content::Other("a video"),
    })
}

/// Whether the bytes read as UTF-8 text, apart from a letter cut in two at the end.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    !valid.is_empty() && !valid.chars().any(|c| c.is_control() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_told_by_the_bytes() {
        assert_eq!(content(b""), Content::Nothing);
        assert_eq!(content(b"a meeple, no photo\n"), Content::Other("text"));
        assert_eq!(content(b"\xFF\xD8\xFF\xE0\0\x10JFIF"), Content::Picture(ImageFormat::Jpeg));
        assert_eq!(content(b"\0\0\0\x18ftypheic\0\0\0\0"), Content::Heif("a HEIC"));
        assert_eq!(content(b"\0\0\0\x18ftypavif\0\0\0\0"), Content::Heif("an AVIF"));
        assert_eq!(content(b"\0\0\0\x18ftypisom\0\0\0\0"), Content::Other("a video"));
        assert_eq!(content(b"\x01\x02\x03\x04"), Content::Other("data of an unknown kind"));
    }
}
