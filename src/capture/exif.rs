//! Focal length from EXIF.

use ::exif::{Exif, In, Reader, Tag, Value};

/// Diagonal of a frame of 35 mm film (36 × 24 mm), to which "35 mm equivalent" refers (CIPA DCG-001).
const FILM_DIAGONAL_MM: f64 = 43.267;
/// Horizontal fields of view outside this range, in degrees, are taken for wrong metadata.
const PLAUSIBLE_VIEW_DEGREES: std::ops::RangeInclusive<f64> = 10.0..=130.0;
/// A picture whose shape differs from the sensor's by more than this share was cropped, and the figures no longer hold.
const SAME_SHAPE: f64 = 0.02;

/// Focal length in px of a picture of `width` × `height` px as stored in the file, from its EXIF block; `None` when it
/// is not there, not plausible, or the picture was cropped afterwards.
pub fn focal_px(metadata: Vec<u8>, width: u32, height: u32) -> Option<f64> {
    let exif = Reader::new().read_raw(metadata).ok()?;
    let (width, height) = (f64::from(width), f64::from(height));
    let taken = (number(&exif, Tag::PixelXDimension), number(&exif, Tag::PixelYDimension));
    if let (Some(x), Some(y)) = taken
        && y > 0.0
        && ((x / y) / (width / height) - 1.0).abs() > SAME_SHAPE
    {
        return None;
    }
    let focal = from_film_equivalent(&exif, width, height).or_else(|| from_focal_plane(&exif, width))?;
    let view = 2.0 * (width.max(height) / 2.0 / focal).atan().to_degrees();
    PLAUSIBLE_VIEW_DEGREES.contains(&view).then_some(focal)
}

/// From `FocalLengthIn35mmFilm`; holds at any size of the picture.
fn from_film_equivalent(exif: &Exif, width: f64, height: f64) -> Option<f64> {
    let equivalent_mm = number(exif, Tag::FocalLengthIn35mmFilm).filter(|&mm| mm > 0.0)?;
    Some(equivalent_mm / FILM_DIAGONAL_MM * width.hypot(height))
}

/// From the focal length in mm and the sensor's px per unit of length, scaled where the picture was made smaller.
fn from_focal_plane(exif: &Exif, width: f64) -> Option<f64> {
    let focal_mm = number(exif, Tag::FocalLength).filter(|&mm| mm > 0.0)?;
    let px_per_unit = number(exif, Tag::FocalPlaneXResolution).filter(|&px| px > 0.0)?;
    let taken_width = number(exif, Tag::PixelXDimension).filter(|&px| px > 0.0)?;
    let unit_mm = match number(exif, Tag::FocalPlaneResolutionUnit) {
        Some(3.0) => 10.0,
        _ => 25.4,
    };
    Some(focal_mm * px_per_unit / unit_mm * width / taken_width)
}

/// The value of `tag` as a number.
fn number(exif: &Exif, tag: Tag) -> Option<f64> {
    match &exif.get_field(tag, In::PRIMARY)?.value {
        Value::Rational(values) => values.first().map(|value| value.to_f64()),
        value => value.get_uint(0).map(f64::from),
    }
    .filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::exif::{Field, Rational, experimental::Writer};

    fn metadata(fields: &[(Tag, Value)]) -> Vec<u8> {
        let fields: Vec<Field> =
            fields.iter().map(|(tag, value)| Field { tag: *tag, ifd_num: In::PRIMARY, value: value.clone() }).collect();
        let mut writer = Writer::new();
        fields.iter().for_each(|field| writer.push_field(field));
        let mut bytes = std::io::Cursor::new(Vec::new());
        writer.write(&mut bytes, false).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn film_equivalent_gives_the_focal_length_in_px() {
        // 26 mm on a 4:3 phone: 4032 x 3024 px have a diagonal of 5040 px.
        let focal = focal_px(metadata(&[(Tag::FocalLengthIn35mmFilm, Value::Short(vec![26]))]), 4032, 3024).unwrap();
        assert!((focal - 26.0 / 43.267 * 5040.0).abs() < 0.1);
    }

    #[test]
    fn focal_plane_resolution_gives_it_too() {
        let rational = |num, denom| Value::Rational(vec![Rational { num, denom }]);
        let fields = [
            (Tag::FocalLength, rational(50, 1)),
            (Tag::FocalPlaneXResolution, rational(2553, 1)),
            (Tag::FocalPlaneResolutionUnit, Value::Short(vec![3])),
            (Tag::PixelXDimension, Value::Long(vec![6000])),
            (Tag::PixelYDimension, Value::Long(vec![4000])),
        ];
        // 2553 px per cm, 50 mm: 12765 px at full size, half of that at half size.
        assert!((focal_px(metadata(&fields), 3000, 2000).unwrap() - 6382.5).abs() < 0.1);
    }

    #[test]
    fn cropped_and_implausible_pictures_give_nothing() {
        let cropped = [
            (Tag::FocalLengthIn35mmFilm, Value::Short(vec![26])),
            (Tag::PixelXDimension, Value::Long(vec![4032])),
            (Tag::PixelYDimension, Value::Long(vec![3024])),
        ];
        assert_eq!(focal_px(metadata(&cropped), 2000, 2000), None);
        assert_eq!(focal_px(metadata(&[(Tag::FocalLengthIn35mmFilm, Value::Short(vec![2000]))]), 4032, 3024), None);
        assert_eq!(focal_px(b"no EXIF at all".to_vec(), 4032, 3024), None);
    }
}
