//! Pixels as cameras send them without compression, made into RGB (ITU-R BT.601, the range 16 to 235 that webcams use).

use image::RgbImage;

/// The picture in `bytes` of the format YUYV; `None` when there are too few. `stride` is the length of a line, bytes; 0 for
/// lines without padding.
pub fn from_yuyv(bytes: &[u8], width: u32, height: u32, stride: u32) -> Option<RgbImage> {
    let line = width as usize * 2;
    let stride = if stride as usize >= line { stride as usize } else { line };
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 3);
    for row in 0..height as usize {
        for pair in bytes.get(row * stride..row * stride + line)?.chunks_exact(4) {
            pixels.extend_from_slice(&rgb(pair[0], pair[1], pair[3]));
            pixels.extend_from_slice(&rgb(pair[2], pair[1], pair[3]));
        }
    }
    RgbImage::from_raw(width, height, pixels)
}

/// The picture in `bytes` of the format NV12; `None` when there are too few. `stride` as in [`from_yuyv`].
pub fn from_nv12(bytes: &[u8], width: u32, height: u32, stride: u32) -> Option<RgbImage> {
    let stride = if stride >= width { stride as usize } else { width as usize };
    let chroma = bytes.get(stride * height as usize..)?;
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 3);
    for row in 0..height as usize {
        let luma = bytes.get(row * stride..row * stride + width as usize)?;
        let chroma = chroma.get(row / 2 * stride..)?;
        for (x, &y) in luma.iter().enumerate() {
            let at = x / 2 * 2;
            let (&u, &v) = (chroma.get(at)?, chroma.get(at + 1)?);
            pixels.extend_from_slice(&rgb(y, u, v));
        }
    }
    RgbImage::from_raw(width, height, pixels)
}

fn rgb(y: u8, u: u8, v: u8) -> [u8; 3] {
    // In 1/256, rounded: 1.164, 1.596, 0.813, 0.391 and 2.018.
    let (y, u, v) = (298 * (i32::from(y) - 16) + 128, i32::from(u) - 128, i32::from(v) - 128);
    let level = |value: i32| (value >> 8).clamp(0, 255) as u8;
    [level(y + 409 * v), level(y - 100 * u - 208 * v), level(y + 516 * u)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_white_and_the_pure_colours_come_out_right() {
        assert_eq!(rgb(16, 128, 128), [0, 0, 0]);
        assert_eq!(rgb(235, 128, 128), [255, 255, 255]);
        for (yuv, expected) in [((82, 90, 240), [255, 0, 0]), ((145, 54, 34), [0, 255, 0]), ((41, 240, 110), [0, 0, 255])] {
            let seen = rgb(yuv.0, yuv.1, yuv.2);
            assert!(seen.iter().zip(expected).all(|(a, b): (&u8, u8)| a.abs_diff(b) <= 2), "{seen:?} for {expected:?}");
        }
    }

    #[test]
    fn padding_at_the_end_of_lines_is_skipped_and_too_few_bytes_are_refused() {
        let bytes = [235, 128, 16, 128, 77, 77, 16, 128, 235, 128, 77, 77];
        let picture = from_yuyv(&bytes, 2, 2, 6).unwrap();
        assert_eq!(picture.as_raw()[..], [255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255]);
        assert!(from_yuyv(&bytes[..9], 2, 2, 6).is_none());
        let picture = from_nv12(&[235, 16, 16, 235, 128, 128], 2, 2, 0).unwrap();
        assert_eq!(picture.as_raw()[..], [255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255]);
    }
}
