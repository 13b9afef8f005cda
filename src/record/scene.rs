//! Whether two photos show one scene: a photo that was saved anew, smaller or brighter is no second pyramid.
//!
//! Only what counts is compared, since a fixed camera shows the same felt and table all evening. Measured
//! on pictures of `testdata` 1100 px wide: copies saved as JPEG of quality 40 to 85, of ×0.75 to ×1.5 the size, or brighter,
//! correlate by 0.990 and more; a pyramid that stands 2 px (a millimetre) further to the side, by 0.978 at most.

use std::{cell::OnceCell, path::PathBuf};

use image::{RgbImage, imageops};

use super::{Reader, Record, View, read_file};
use crate::{
    matchplay::{Round, Turn},
    reading::Reading,
};

/// Width at which pictures are compared, px: less than most photos have, so that noise and compression average out.
const WIDTH: u32 = 512;
/// The sides of what counts may lie so far apart, as a share of the picture's width: as far as readings of copies do.
const SAME_PLACE: f64 = 0.01;
/// Least correlation of the colours there.
const SAME_COLOURS: f64 = 0.985;

/// A photo and what was read in it, to be held against others.
#[derive(Clone, Debug)]
pub struct Scene {
    reading: Reading,
    source: Source,
    /// The upright picture, [`WIDTH`] wide; decoded when it is first needed, `None` when it cannot be had.
    small: OnceCell<Option<RgbImage>>,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Scene {
    /// Of the photo that `bytes` hold.
    pub fn new(reading: Reading, bytes: Vec<u8>) -> Self {
        Self { reading, source: Source::Bytes(bytes), small: OnceCell::new() }
    }

    /// Whether both photos show the same. Pictures are decoded only where the readings do not tell.
    pub fn is_same(&self, other: &Self, reader: &dyn Reader) -> bool {
        let (Some(place), Some(place_there)) = (Place::of(&self.reading), Place::of(&other.reading)) else { return false };
        let rows = |scene: &Self| scene.reading.score.as_ref().map(|score| score.rows.clone());
        rows(self) == rows(other)
            && place.is_near(&place_there)
            && self.small(reader).zip(other.small(reader)).is_some_and(|(a, b)| likeness(a, b, &place) >= SAME_COLOURS)
    }

    fn small(&self, reader: &dyn Reader) -> Option<&RgbImage> {
        let decode = |bytes: &[u8]| reader.upright(bytes).ok().map(|picture| shrunk(&picture));
        let small = self.small.get_or_init(|| match &self.source {
            Source::File(path) => decode(&read_file(path).ok()?),
            Source::Bytes(bytes) => decode(bytes),
        });
        small.as_ref()
    }
}

/// A photo on record that a turn in force goes by.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Its path from the match folder, with `/` between the parts.
    pub photo: String,
    /// The round.
    pub round: Round,
    /// The player, or the first of several: a place in the match's list.
    pub player: usize,
    /// The event that brought it: an index into the match's events.
    pub event: usize,
    /// What it shows.
    pub scene: Scene,
}

impl Shot {
    /// The photos of all turns in force, in order.
    pub fn all(record: &Record) -> Vec<Self> {
        let mut shots: Vec<Self> = Vec::new();
        for turn in record.game().table().turns.values() {
            // A picture of several players brought several turns.
            if shots.iter().all(|shot| shot.event != turn.event) {
                shots.extend(Self::of(record, turn));
            }
        }
        shots
    }

    fn of(record: &Record, turn: &Turn) -> Vec<Self> {
        let folder = record.turn_files(turn).and_then(|files| files.folder);
        let (Some(folder), Ok(Some(saved))) = (folder, record.turn_record(turn)) else { return Vec::new() };
        let shot = |view: View| {
            let photo = format!("{folder}/{}", view.photo);
            let source = Source::File(record.resolve(&photo)?);
            let scene = Scene { reading: view.reading, source, small: OnceCell::new() };
            Some(Self { photo, round: turn.round, player: turn.player, event: turn.event, scene })
        };
        saved.views.into_iter().filter_map(shot).collect()
    }
}

/// `picture`, [`WIDTH`] px wide.
fn shrunk(picture: &RgbImage) -> RgbImage {
    let height = (f64::from(picture.height()) * f64::from(WIDTH) / f64::from(picture.width())).round().max(1.0);
    imageops::resize(picture, WIDTH, height as u32, imageops::FilterType::Triangle)
}

/// Where what counts lies: left, top, right and bottom, as shares of the picture's width.
struct Place([f64; 4]);

impl Place {
    /// `None` where nothing counts.
    fn of(reading: &Reading) -> Option<Self> {
        let boxes = || reading.pieces.iter().filter(|piece| piece.counted).map(|piece| piece.bounds);
        let share = |px: i32| f64::from(px) / f64::from(reading.width.max(1));
        let left = boxes().map(|b| b.x0).min()?;
        let top = boxes().map(|b| b.y0).min()?;
        let right = boxes().map(|b| b.x1).max()?;
        let bottom = boxes().map(|b| b.y1).max()?;
        Some(Self([left, top, right, bottom].map(share)))
    }

    fn is_near(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| (a - b).abs() <= SAME_PLACE)
    }
}

/// Correlation of the colours of two shrunk pictures at `place`, -1 to 1; 0 where they have not the same shape.
fn likeness(a: &RgbImage, b: &RgbImage, place: &Place) -> f64 {
    if a.height().abs_diff(b.height()) > 1 {
        return 0.0;
    }
    let height = a.height().min(b.height());
    let [x0, y0, x1, y1] = place.0.map(|share| (share * f64::from(WIDTH)).round().max(0.0) as u32);
    let places = (y0..y1.min(height)).flat_map(|y| (x0..x1.min(WIDTH)).map(move |x| (x, y)));
    let colours: Vec<([f64; 3], [f64; 3])> =
        places.map(|(x, y)| (a.get_pixel(x, y).0.map(f64::from), b.get_pixel(x, y).0.map(f64::from))).collect();
    let n = colours.len() as f64;
    let (mut both, mut own, mut others) = (0.0, 0.0, 0.0);
    for channel in 0..3 {
        let mean_a = colours.iter().map(|(a, _)| a[channel]).sum::<f64>() / n;
        let mean_b = colours.iter().map(|(_, b)| b[channel]).sum::<f64>() / n;
        for (a, b) in &colours {
            let (a, b) = (a[channel] - mean_a, b[channel] - mean_b);
            both += a * b;
            own += a * a;
            others += b * b;
        }
    }
    if own * others > 0.0 { both / (own * others).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// Coloured squares on felt, `shift` px further to the right.
    fn squares(shift: u32, colours: [[u8; 3]; 3]) -> RgbImage {
        RgbImage::from_fn(1024, 768, |x, y| {
            let x = x.wrapping_sub(300 + shift);
            let inside = (300..340).contains(&y) && x < 150 && x % 50 < 40;
            Rgb(if inside { colours[(x / 50) as usize] } else { [60, 90, 60] })
        })
    }

    #[test]
    fn copies_are_alike_and_other_pyramids_in_the_same_place_are_not() {
        let (red, blue, white) = ([200, 30, 30], [30, 60, 200], [230, 230, 220]);
        let place = Place([0.29, 0.29, 0.44, 0.335]);
        let first = squares(0, [red, blue, white]);
        let likeness = |a: &RgbImage, b: &RgbImage| likeness(&shrunk(a), &shrunk(b), &place);
        let smaller = imageops::resize(&first, 700, 525, imageops::FilterType::Triangle);
        assert!(likeness(&first, &smaller) > SAME_COLOURS, "{}", likeness(&first, &smaller));
        let mut brighter = first.clone();
        brighter.pixels_mut().for_each(|p| p.0 = p.0.map(|value| (u32::from(value) * 11 / 10).min(255) as u8));
        assert!(likeness(&first, &brighter) > SAME_COLOURS);
        for other in [squares(4, [red, blue, white]), squares(0, [red, white, blue]), squares(0, [red, blue, blue])] {
            assert!(likeness(&first, &other) < SAME_COLOURS, "{}", likeness(&first, &other));
        }
    }
}
