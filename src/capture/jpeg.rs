//! Whether a JPEG is all there.

/// Whether the marker segments of the JPEG in `bytes` lead to its end-of-image marker (ITU-T T.81, annex B).
///
/// Thumbnails inside EXIF have end markers of their own, so a plain search for `FF D9` would not do.
pub fn is_complete(bytes: &[u8]) -> bool {
    const END_OF_IMAGE: u8 = 0xD9;
    const START_OF_SCAN: u8 = 0xDA;
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
