//! The segments of a JPEG (ITU-T T.81, annex B): whether it is all there, and its comments.

const COMMENT: u8 = 0xFE;
const START_OF_SCAN: u8 = 0xDA;

/// `jpeg` with `text` as a comment of its own, behind the JFIF header, which must come first; anything else as it is.
pub fn with_comment(mut jpeg: Vec<u8>, text: &str) -> Vec<u8> {
    let header = segments(&jpeg).find(|segment| segment.marker == 0xE0).map_or(2, |segment| segment.end);
    let Ok(length) = u16::try_from(text.len() + 2) else { return jpeg };
    if jpeg.starts_with(b"\xFF\xD8") {
        let mut comment = vec![0xFF, COMMENT];
        comment.extend(length.to_be_bytes());
        comment.extend(text.as_bytes());
        jpeg.splice(header..header, comment);
    }
    jpeg
}

/// The comments before the first scan of the JPEG that starts with `head`.
pub fn comments(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    segments(head).filter(|segment| segment.marker == COMMENT).map(|segment| &head[segment.start..segment.end])
}

/// Whether the frame of the JPEG that starts with `head` is a progressive one.
pub fn is_progressive(head: &[u8]) -> bool {
    // Start of frame: progressive with Huffman coding, differential, with arithmetic coding.
    segments(head).any(|segment| matches!(segment.marker, 0xC2 | 0xC6 | 0xCA | 0xCE))
}

/// A marker segment with a length.
struct Segment {
    marker: u8,
    /// Place of its content, behind the length.
    start: usize,
    /// Place behind it.
    end: usize,
}

/// The segments of the JPEG that starts with `head`, up to its first scan or the end of what is there.
fn segments(head: &[u8]) -> impl Iterator<Item = Segment> {
    let mut at = if head.starts_with(b"\xFF\xD8") { 2 } else { head.len() };
    std::iter::from_fn(move || {
        let (marker, after) = next_marker(head, at)?;
        let length = head.get(after..after + 2)?;
        at = after + usize::from(u16::from_be_bytes([length[0], length[1]]));
        let ends = marker == START_OF_SCAN || at > head.len() || at < after + 2;
        (!ends).then_some(Segment { marker, start: after + 2, end: at })
    })
}

/// Whether the marker segments of the JPEG in `bytes` lead to its end-of-image marker.
///
/// Thumbnails inside EXIF have end markers of their own, so a plain search for `FF D9` would not do.
pub fn is_complete(bytes: &[u8]) -> bool {
    const END_OF_IMAGE: u8 = 0xD9;
    let mut at = 2; // past the start-of-image marker
    loop {
        let Some((marker, after)) = next_marker(bytes, at) else { return false };
        match marker {
            END_OF_IMAGE => return true,
            // Markers without a length: restarts and TEM.
            0x01 | 0xD0..=0xD8 => at = after,
            _ => {
                let Some(length) = bytes.get(after..after + 2) else { return false };
                at = after + usize::from(u16::from_be_bytes([length[0], length[1]]));
                if marker == START_OF_SCAN {
                    at = end_of_entropy_coded_data(bytes, at);
                }
            }
        }
    }
}

/// The marker's code at or after `at`, and the place behind it.
fn next_marker(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let start = at + bytes.get(at..)?.iter().position(|&byte| byte == 0xFF)?;
    let code = start + bytes[start..].iter().position(|&byte| byte != 0xFF)?;
    Some((bytes[code], code + 1))
}

/// The place of the first marker after `at` that is neither a stuffed zero nor a restart.
fn end_of_entropy_coded_data(bytes: &[u8], mut at: usize) -> usize {
    while let Some(pair) = bytes.get(at..at + 2) {
        if pair[0] == 0xFF && !matches!(pair[1], 0x00 | 0xD0..=0xD7 | 0xFF) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_comes_back_and_the_picture_stays_whole() {
        let mut bytes = Vec::new();
        image::codecs::jpeg::JpegEncoder::new(&mut bytes).encode_image(&image::RgbImage::new(9, 9)).unwrap();
        assert_eq!(comments(&bytes).count(), 0);
        let marked = with_comment(bytes, "mine");
        assert_eq!(comments(&marked).collect::<Vec<_>>(), [b"mine"]);
        assert!(is_complete(&marked) && image::load_from_memory(&marked).is_ok());
    }

    #[test]
    fn what_is_no_jpeg_has_no_comments_and_is_left_alone() {
        assert_eq!(with_comment(b"text".to_vec(), "mine"), b"text");
        assert_eq!(comments(b"\xFF\xD8\xFF\xFE\0\x01").count(), 0);
        assert_eq!(comments(b"").count(), 0);
    }
}
