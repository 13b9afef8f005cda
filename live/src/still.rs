//! Whether the picture is still: nothing on the table moves and no hand is in view. Judged in seconds, not in frames.

use std::time::{Duration, Instant};

use image::RgbImage;

const COLUMNS: usize = 64;
const ROWS: usize = 36;

/// Tunables of stillness.
#[derive(Clone, Debug, PartialEq)]
pub struct StillParams {
    /// How long nothing may have moved before the picture counts as still, s (0.2 to 2). Shorter catches hands on their way out.
    pub seconds: f64,
    /// A cell of the picture (a 64th of its width) has changed when its brightness differs by more than this, levels of
    /// 255. Sensor noise and JPEG stay below 2 in the mean of a cell.
    pub level: f64,
    /// The picture has moved when more than this share of its cells has changed: three cells, what a meeple of 30 px covers
    /// that falls by itself. A fingertip covers five times as much.
    pub share: f64,
}

impl Default for StillParams {
    fn default() -> Self {
        Self { seconds: 0.4, level: 5.0, share: 0.001 }
    }
}

/// A picture as the mean brightness of 64 × 36 cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Thumb {
    /// 0 to 255, row after row from the top left.
    cells: Vec<f32>,
    /// Sum over what the thumb was made of: differs whenever a pixel looked at differs.
    print: u64,
}

impl Thumb {
    /// The cells of `picture`.
    pub fn of(picture: &RgbImage) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let pixels = picture.as_raw();
        // Every cell looks at no more than 12 × 12 of its pixels: enough to average noise away.
        let step = |cell: usize| (cell / 12).max(1);
        let (cell_width, cell_height) = ((width / COLUMNS).max(1), (height / ROWS).max(1));
        let mut cells = Vec::with_capacity(COLUMNS * ROWS);
        let mut print = 0xcbf2_9ce4_8422_2325_u64 ^ (width as u64) << 32 ^ height as u64;
        // From where a cell begins to where the next one does, so that no pixel lies between them.
        let span = |index: usize, cells: usize, length: usize| {
            let start = index * length / cells;
            start..((index + 1) * length / cells).max(start + 1).min(length)
        };
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let (mut sum, mut count) = (0u32, 0u32);
                for y in span(row, ROWS, height).step_by(step(cell_height)) {
                    for x in span(column, COLUMNS, width).step_by(step(cell_width)) {
                        let at = (y * width + x) * 3;
                        // Green carries most of the brightness; red and blue half as much between them.
                        let Some(&[r, g, b]) = pixels.get(at..at + 3).and_then(|p| p.first_chunk()) else { continue };
                        let value = u32::from(r) + 2 * u32::from(g) + u32::from(b);
                        sum += value;
                        print = (print ^ u64::from(value)).wrapping_mul(0x0100_0000_01b3);
                        count += 4;
                    }
                }
                cells.push(sum as f32 / count.max(1) as f32);
            }
        }
        Self { cells, print }
    }

    /// Mean brightness, 0 to 255.
    pub fn brightness(&self) -> f64 {
        f64::from(self.cells.iter().sum::<f32>()) / self.cells.len() as f64
    }

    /// Whether there is nothing but black: the lens is covered, the camera is waking up, or there is no light at all.
    pub fn is_black(&self) -> bool {
        // A lit lamp's reflection or a window would show as some brighter cells.
        const BLACK: f32 = 24.0;
        self.cells.iter().filter(|&&cell| cell > BLACK).count() * 100 < self.cells.len()
    }

    /// Whether not one pixel that was looked at differs: no real camera takes the same picture twice.
    pub fn is_same(&self, other: &Self) -> bool {
        self.print == other.print
    }

    /// Share of the cells whose brightness differs by more than `level`, once the difference that most of their row has
    /// is taken off: the exposure changes the whole picture, and lamps on mains current light it in stripes.
    pub fn changed(&self, other: &Self, level: f64) -> f64 {
        let mut changed = 0;
        for (a, b) in self.cells.chunks_exact(COLUMNS).zip(other.cells.chunks_exact(COLUMNS)) {
            let difference: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            let mut sorted = difference.clone();
            sorted.sort_by(f32::total_cmp);
            let common = sorted[COLUMNS / 2];
            changed += difference.iter().filter(|d| f64::from((*d - common).abs()) > level).count();
        }
        changed as f64 / (COLUMNS * ROWS) as f64
    }
}

/// Follows a stream and tells how long it has been still.
#[derive(Clone, Debug, Default)]
pub struct Stillness {
    reference: Option<Thumb>,
    since: Option<Instant>,
    newest: Option<Instant>,
}

impl Stillness {
    /// Takes the next frame, taken at `at`.
    pub fn push(&mut self, thumb: &Thumb, at: Instant, params: &StillParams) {
        // Compared with the first frame of the pause, not with the last one: what creeps has moved too.
        let moved = self.reference.as_ref().is_none_or(|reference| thumb.changed(reference, params.level) > params.share);
        if moved {
            self.reference = Some(thumb.clone());
            self.since = Some(at);
        }
        self.newest = Some(at);
    }

    /// Forgets everything, as when the stream is another one.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Since when nothing has moved; `None` without a frame.
    pub fn since(&self) -> Option<Instant> {
        self.since
    }

    /// How long nothing had moved when the newest frame was taken.
    pub fn lasted(&self) -> Duration {
        match (self.since, self.newest) {
            (Some(since), Some(newest)) => newest.saturating_duration_since(since),
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// A table of many greys, with noise, a brightness added and a square `hand` px wide at `x`.
    fn table(seed: u32, brighter: i32, hand: Option<(u32, u32)>) -> Thumb {
        let picture = RgbImage::from_fn(640, 360, |x, y| {
            let noise =
                (x.wrapping_mul(2654435761) ^ y.wrapping_mul(40503) ^ seed.wrapping_mul(97)).wrapping_mul(2246822519) >> 28;
            let ground = 60 + (x / 8 % 60) as i32 + (y / 9 % 40) as i32;
            let covered = hand.is_some_and(|(at, wide)| (at..at + wide).contains(&x) && y < wide * 2);
            let value = if covered { 190 } else { ground + brighter } + noise as i32 - 8;
            Rgb([value.clamp(0, 255) as u8; 3])
        });
        Thumb::of(&picture)
    }

    fn run(thumbs: impl IntoIterator<Item = Thumb>, step: Duration) -> Duration {
        let (mut stillness, start) = (Stillness::default(), Instant::now());
        for (index, thumb) in thumbs.into_iter().enumerate() {
            stillness.push(&thumb, start + step * index as u32, &StillParams::default());
        }
        stillness.lasted()
    }

    #[test]
    fn noise_and_a_changing_exposure_are_still() {
        let frames = (0..30).map(|i| table(i, i as i32 / 2, None));
        assert_eq!(run(frames, Duration::from_millis(33)), Duration::from_millis(33 * 29));
    }

    #[test]
    fn a_moving_hand_is_not_still_however_slow_the_stream() {
        let frames = (0..30).map(|i| table(i, 0, Some((10 * i, 120))));
        assert!(run(frames, Duration::from_millis(500)) <= Duration::from_millis(500));
    }

    #[test]
    fn seconds_count_from_when_the_hand_is_gone() {
        let moving = (0..10).map(|i| table(i, 0, Some((20 * i, 60))));
        let gone = (10..22).map(|i| table(i, 0, None));
        assert_eq!(run(moving.chain(gone), Duration::from_millis(100)), Duration::from_millis(1100));
    }

    #[test]
    fn a_fingertip_that_creeps_is_noticed() {
        let frames = (0..40).map(|i| table(i, 0, Some((100 + i, 22))));
        assert!(run(frames, Duration::from_millis(33)) < Duration::from_millis(900), "it has moved by two widths");
    }

    #[test]
    fn black_and_sameness_are_told() {
        assert!(Thumb::of(&RgbImage::from_pixel(64, 48, Rgb([9, 8, 12]))).is_black());
        assert!(!table(1, 0, None).is_black());
        assert!(table(1, 0, None).is_same(&table(1, 0, None)));
        assert!(!table(1, 0, None).is_same(&table(2, 0, None)));
    }
}
