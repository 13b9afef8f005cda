//! The last seconds of the stream, so that the picture at time zero is there when time is up.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::frame::{Frame, Kept};

/// How much is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct RingParams {
    /// How far back, s.
    pub seconds: f64,
    /// Least time between two kept frames, s: ten a second are plenty to find the one at time zero among.
    pub spacing: f64,
    /// Most memory, bytes; what is oldest goes first.
    pub max_bytes: usize,
}

impl Default for RingParams {
    fn default() -> Self {
        Self { seconds: 4.0, spacing: 0.09, max_bytes: 96 << 20 }
    }
}

/// The last seconds of a stream.
#[derive(Debug, Default)]
pub struct Ring {
    kept: VecDeque<Kept>,
    bytes: usize,
    params: RingParams,
}

impl Ring {
    /// A ring that keeps as much as `params` say.
    pub fn new(params: RingParams) -> Self {
        Self { params, ..Self::default() }
    }

    /// Takes a frame, unless one was taken just before, and lets go of those that are too old.
    pub fn push(&mut self, frame: &Arc<Frame>) {
        let spacing = Duration::from_secs_f64(self.params.spacing);
        if self.kept.back().is_some_and(|last| frame.at.saturating_duration_since(last.at) < spacing) {
            return;
        }
        let kept = frame.keep();
        self.bytes += kept.bytes();
        self.kept.push_back(kept);
        let keep = Duration::from_secs_f64(self.params.seconds);
        // One is always kept, however large.
        while self.kept.len() > 1 {
            let too_old = self.kept.front().is_some_and(|oldest| frame.at.saturating_duration_since(oldest.at) > keep);
            if !too_old && self.bytes <= self.params.max_bytes {
                break;
            }
            self.bytes -= self.kept.pop_front().map_or(0, |gone| gone.bytes());
        }
    }

    /// Up to `most` frames taken at or before `time` and no more than `within` earlier, the newest first.
    pub fn before(&self, time: Instant, within: Duration, most: usize) -> Vec<Kept> {
        let held = |kept: &&Kept| kept.at <= time && time.duration_since(kept.at) <= within;
        self.kept.iter().rev().filter(held).take(most).cloned().collect()
    }

    /// Memory it takes, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Raw;
    use image::RgbImage;

    fn frame(number: u64, at: Instant) -> Arc<Frame> {
        Arc::new(Frame::decode(Raw::Pixels(RgbImage::new(64, 64)), number, at).unwrap())
    }

    #[test]
    fn the_frame_at_time_zero_is_the_last_one_before_it() {
        let (mut ring, start) = (Ring::default(), Instant::now());
        for i in 0..300 {
            ring.push(&frame(i, start + Duration::from_millis(33 * i)));
        }
        let zero = start + Duration::from_millis(33 * 290);
        let kept = ring.before(zero, Duration::from_secs(1), 3);
        assert_eq!(kept.len(), 3);
        assert!(kept[0].at <= zero && zero.duration_since(kept[0].at) < Duration::from_millis(100));
        assert!(kept.windows(2).all(|pair| pair[0].number > pair[1].number));
        assert!(ring.kept.len() <= 46, "{} frames in four seconds", ring.kept.len());
        assert!(ring.before(start, Duration::from_secs(1), 3).is_empty(), "what is older than the ring is gone");
    }

    #[test]
    fn memory_is_bounded() {
        let mut ring = Ring::new(RingParams { max_bytes: 5 * 64 * 64 * 3, ..RingParams::default() });
        let start = Instant::now();
        for i in 0..20 {
            ring.push(&frame(i, start + Duration::from_millis(100 * i)));
        }
        assert_eq!((ring.kept.len(), ring.bytes()), (5, 5 * 64 * 64 * 3));
    }

    #[test]
    fn a_camera_that_had_stopped_has_no_frame_at_time_zero() {
        let (mut ring, start) = (Ring::default(), Instant::now());
        ring.push(&frame(1, start));
        assert!(ring.before(start + Duration::from_secs(5), Duration::from_secs(1), 3).is_empty());
    }
}
