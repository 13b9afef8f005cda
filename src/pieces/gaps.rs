//! Gaps: between the heads of two neighbours the felt behind them is seen, unless more pieces stand there.

use super::{Candidate, Evidence, offset, solid::front_edge};
use crate::{
    geometry::{PlaymatPoint, WorldPoint},
    playmat::{Playmat, lab_from_rgb},
    pose::Camera,
};

/// Neighbours stand this far apart, middle to middle, mm: least, most.
const NEIGHBOURS_MM: [f64; 2] = [13.0, 20.0];
/// Most that one of two neighbours stands in front of the other, mm.
const MOST_AWAY_MM: f64 = 6.0;
/// Heights above the feet between shoulders and crown at which is looked through, mm.
const HEIGHTS_MM: [f64; 3] = [12.0, 13.5, 15.0];
/// Where between two neighbours is looked through, as shares of the way from one to the other.
const SHARES: [f64; 3] = [0.42, 0.5, 0.58];

/// How many gaps between neighbours could show felt, and through how many of them none is seen.
pub(crate) fn closed(playmat: &Playmat, evidence: &Evidence, camera: &Camera, standing: &[Candidate], size: f64) -> [usize; 2] {
    let (mut gaps, mut closed) = (0, 0);
    for (i, a) in standing.iter().enumerate() {
        for b in &standing[i + 1..] {
            let (across, away) = offset(a, b);
            let [least, most] = NEIGHBOURS_MM.map(|mm| mm * size);
            if a.row != b.row || !(least..=most).contains(&across.abs()) || away.abs() > MOST_AWAY_MM {
                continue;
            }
            let (left, right) = (front_edge(a.foot, a.yaw, size), front_edge(b.foot, b.yaw, size));
            let places = HEIGHTS_MM.iter().flat_map(|&up| SHARES.map(|share| (share, up)));
            let views: Vec<bool> = places
                .filter_map(|(share, up)| {
                    let between = |a: f64, b: f64| a + (b - a) * share;
                    let z = between(left.z, right.z) + up * size;
                    let px = camera.px_from_world(WorldPoint::new(between(left.x, right.x), between(left.y, right.y), z))?;
                    // Only where the felt is behind, beyond the piece's own shadow side.
                    let behind: PlaymatPoint = camera.playmat_from_px(px).filter(|&p| camera.on_playmat(p, -5.0))?;
                    let free = !standing.iter().any(|c| (c.foot.x - behind.x).hypot(c.foot.y - behind.y) < 9.0 * size);
                    let place = evidence.canonical.canonical_from_px(px);
                    let inside = place.x >= 1.0 && place.y >= 1.0;
                    let pixel =
                        evidence.canonical.image.get_pixel_checked(place.x as u32, place.y as u32).filter(|_| inside && free)?;
                    Some(playmat.felt.in_any_shadow(lab_from_rgb(pixel.0.map(f64::from))))
                })
                .collect();
            if !views.is_empty() {
                gaps += 1;
                closed += usize::from(!views.contains(&true));
            }
        }
    }
    [gaps, closed]
}
