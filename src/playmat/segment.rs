//! Segments of even colour, by the graph method of Felzenszwalb and Huttenlocher (IJCV 2004): neighbours join while the
//! step between them is small against what either side already varies by. It adapts to each surface, follows slow
//! changes of light, and needs no colour to be known.

use super::small::{Small, distance2};

/// Colour steps are sorted into this many bins per unit of Lab distance.
const BINS_PER_UNIT: f32 = 24.0;
const BINS: usize = 2048;

/// The picture's neighbouring pixels in the order in which they join: smallest colour step first.
pub(crate) struct Steps {
    pixels: usize,
    /// (pixel, its right or lower neighbour, step).
    sorted: Vec<(u32, u32, f32)>,
}

impl Steps {
    pub(crate) fn new(small: &Small, lightness: f32) -> Self {
        let (w, h) = (small.width, small.height);
        let mut pairs = Vec::with_capacity(2 * w * h);
        let mut counts = vec![0u32; BINS + 1];
        for y in 0..h {
            for x in 0..w {
                let at = y * w + x;
                let mut pair = |other: usize| {
                    let step = distance2(small.lab[at], small.lab[other], lightness).sqrt();
                    let bin = ((step * BINS_PER_UNIT) as usize).min(BINS - 1);
                    counts[bin + 1] += 1;
                    pairs.push((at as u32, other as u32, step));
                };
                if x + 1 < w {
                    pair(at + 1);
                }
                if y + 1 < h {
                    pair(at + w);
                }
            }
        }
        // A counting sort: the order within a bin does not matter.
        for bin in 1..=BINS {
            counts[bin] += counts[bin - 1];
        }
        let mut sorted = vec![(0, 0, 0.0); pairs.len()];
        for pair in pairs {
            let bin = ((pair.2 * BINS_PER_UNIT) as usize).min(BINS - 1);
            sorted[counts[bin] as usize] = pair;
            counts[bin] += 1;
        }
        Self { pixels: w * h, sorted }
    }

    /// The number of each pixel's segment (not consecutive); the larger `coarseness` the larger the segments.
    pub(crate) fn segments(&self, coarseness: f32) -> Vec<u32> {
        let mut parents: Vec<u32> = (0..self.pixels as u32).collect();
        // Per root: how many pixels, and the largest step a pair may have and still join.
        let mut sizes = vec![1u32; self.pixels];
        let mut allowed = vec![coarseness; self.pixels];
        for &(a, b, step) in &self.sorted {
            let (a, b) = (find(&mut parents, a), find(&mut parents, b));
            if a != b && step <= allowed[a as usize].min(allowed[b as usize]) {
                let (small, large) = if sizes[a as usize] < sizes[b as usize] { (a, b) } else { (b, a) };
                parents[small as usize] = large;
                sizes[large as usize] += sizes[small as usize];
                allowed[large as usize] = step + coarseness / sizes[large as usize] as f32;
            }
        }
        (0..self.pixels as u32).map(|pixel| find(&mut parents, pixel)).collect()
    }
}

/// The root of `pixel`'s tree, halving the path on the way.
fn find(parents: &mut [u32], mut pixel: u32) -> u32 {
    while parents[pixel as usize] != pixel {
        parents[pixel as usize] = parents[parents[pixel as usize] as usize];
        pixel = parents[pixel as usize];
    }
    pixel
}
