//! JPEGs as cameras send them: many leave out the Huffman tables, since everybody has the standard ones (ITU-T T.81, annex
//! K.3), and pad their end. With the tables put in they are files that any program opens, and fit to be evidence.

use std::{io::Cursor, sync::LazyLock};

use image::{RgbImage, codecs::jpeg::JpegEncoder};

const START_OF_IMAGE: u8 = 0xD8;
const START_OF_SCAN: u8 = 0xDA;
const HUFFMAN_TABLES: u8 = 0xC4;

/// The segments with the standard tables. An encoder that does not compute its own writes exactly these.
static STANDARD_TABLES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut file = Cursor::new(Vec::new());
    let encoded = JpegEncoder::new(&mut file).encode_image(&RgbImage::new(16, 16));
    let file = file.into_inner();
    let tables = segments(&file).into_iter().filter(|(marker, ..)| *marker == HUFFMAN_TABLES);
    if encoded.is_ok() { tables.flat_map(|(_, from, to)| file[from..to].to_vec()).collect() } else { Vec::new() }
});

/// The segments in front of the picture data: marker, where it begins and where it ends; the start of scan is the last.
fn segments(file: &[u8]) -> Vec<(u8, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 2;
    while let Some(&[0xFF, marker, high, low]) = file.get(at..at + 4).and_then(|bytes| bytes.first_chunk::<4>()) {
        let end = at + 2 + usize::from(u16::from_be_bytes([high, low]));
        found.push((marker, at, end));
        if marker == START_OF_SCAN {
            break;
        }
        at = end;
    }
    found
}

/// `file` with the standard Huffman tables where it is a JPEG that has none; any other file as it is.
pub fn with_tables(file: Vec<u8>) -> Vec<u8> {
    if !file.starts_with(&[0xFF, START_OF_IMAGE]) {
        return file;
    }
    let segments = segments(&file);
    let has_tables = segments.iter().any(|(marker, ..)| *marker == HUFFMAN_TABLES);
    let Some(&(START_OF_SCAN, scan, _)) = segments.last().filter(|_| !has_tables) else { return file };
    [&file[..scan], &STANDARD_TABLES[..], &file[scan..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jpeg_without_tables_gets_them_and_shows_the_same() {
        let picture = RgbImage::from_fn(64, 48, |x, y| image::Rgb([x as u8 * 4, y as u8 * 5, (x ^ y) as u8 * 4]));
        let mut file = Cursor::new(Vec::new());
        JpegEncoder::new(&mut file).encode_image(&picture).unwrap();
        let file = file.into_inner();
        assert_eq!(with_tables(file.clone()), file, "one that has them is left alone");
        let mut bare = file.clone();
        for (marker, from, to) in segments(&file).into_iter().rev() {
            if marker == HUFFMAN_TABLES {
                bare.drain(from..to);
            }
        }
        assert!(bare.len() + 400 < file.len() && image::load_from_memory(&bare).is_err());
        let mended = image::load_from_memory(&with_tables(bare)).unwrap();
        assert_eq!(mended, image::load_from_memory(&file).unwrap());
    }

    #[test]
    fn what_is_no_jpeg_or_a_torn_one_is_left_alone() {
        for bytes in [&b"\x89PNG and so on"[..], &[0xFF, 0xD8], &[0xFF, 0xD8, 0xFF, 0xDA], &[0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF]]
        {
            assert_eq!(with_tables(bytes.to_vec()), bytes);
        }
    }
}
