//! Gaps: between the heads of two neighbours the felt behind them is seen, unless more pieces stand there.

use nalgebra::Vector3;

use super::{
    Candidate, Evidence, offset,
    solid::{Part, front_edge, inside_outline, outline_mm},
};
use crate::{
    game::{MEEPLE_HEIGHT_MM, MEEPLE_THICKNESS_MM, MEEPLE_WIDTH_MM},
    geometry::WorldPoint,
    playmat::{Playmat, lab_from_rgb},
    pose::Camera,
};

/// Neighbours stand this far apart, middle to middle, mm: least, most.
const NEIGHBOURS_MM: [f64; 2] = [13.0, 20.0];
/// Most that one of two neighbours stands in front of the other, mm.
const MOST_AWAY_MM: f64 = 6.0;
/// Heights above the feet between shoulders and crown at which is looked through, mm.
const HEIGHTS_MM: [f64; 5] = [11.5, 12.5, 13.5, 14.5, 15.5];
/// Where between two neighbours is looked through, as shares of the way from one to the other.
const SHARES: [f64; 5] = [0.36, 0.43, 0.5, 0.57, 0.64];
/// How far before and behind a gap pieces may be in the way, mm.
const IN_THE_WAY_MM: f64 = 32.0;
/// Steps in which a line of sight is followed, mm.
const STEP_MM: f64 = 1.2;
/// Pieces are taken to be this much larger than they are, for blur and other makers' outlines.
const LARGER: f64 = 1.08;

/// How many gaps between neighbours could show felt, and through how many of them none is seen.
pub(crate) fn closed(playmat: &Playmat, evidence: &Evidence, camera: &Camera, standing: &[Candidate], size: f64) -> [usize; 2] {
    let (mut gaps, mut closed) = (0, 0);
    let outline = outline_mm();
    for (i, a) in standing.iter().enumerate() {
        for b in &standing[i + 1..] {
            let (across, away) = offset(a, b);
            let [least, most] = NEIGHBOURS_MM.map(|mm| mm * size);
            if a.row != b.row || !(least..=most).contains(&across.abs()) || away.abs() > MOST_AWAY_MM {
                continue;
            }
            let reach = |c: &&Candidate| (c.foot.x - a.foot.x).hypot(c.foot.y - a.foot.y) < IN_THE_WAY_MM + MEEPLE_WIDTH_MM;
            let near: Vec<Candidate> = standing.iter().filter(reach).copied().collect();
            let (left, right) = (front_edge(a.foot, a.yaw, size), front_edge(b.foot, b.yaw, size));
            let places = HEIGHTS_MM.iter().flat_map(|&up| SHARES.map(|share| (share, up)));
            let views: Vec<bool> = places
                .filter_map(|(share, up)| {
                    let between = |a: f64, b: f64| a + (b - a) * share;
                    let z = between(left.z, right.z) + up * size;
                    let through = WorldPoint::new(between(left.x, right.x), between(left.y, right.y), z);
                    let px = camera.px_from_world(through)?;
                    camera.playmat_from_px(px).filter(|&p| camera.on_playmat(p, -5.0))?;
                    let place = evidence.canonical.canonical_from_px(px);
                    let inside = place.x >= 1.0 && place.y >= 1.0;
                    let pixel = evidence.canonical.image.get_pixel_checked(place.x as u32, place.y as u32).filter(|_| inside)?;
                    let free = is_free(through, camera, &near, size, &outline);
                    free.then(|| playmat.felt.in_any_shadow(lab_from_rgb(pixel.0.map(f64::from))))
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

/// Whether the line of sight through `through` meets none of `pieces` on its way down to the felt.
fn is_free(through: WorldPoint, camera: &Camera, pieces: &[Candidate], size: f64, outline: &[(f64, f64, Part)]) -> bool {
    let eye = camera.position();
    let way = Vector3::new(through.x - eye.x, through.y - eye.y, through.z - eye.z).normalize();
    let steps = (IN_THE_WAY_MM / STEP_MM) as i32;
    (-steps..=steps).all(|step| {
        let along = f64::from(step) * STEP_MM;
        let place = WorldPoint::new(through.x + along * way.x, through.y + along * way.y, through.z + along * way.z);
        place.z < 0.0 || !pieces.iter().any(|c| is_inside(c, place, size, outline))
    })
}

/// Whether `place` is inside the piece `c`.
fn is_inside(c: &Candidate, place: WorldPoint, size: f64, outline: &[(f64, f64, Part)]) -> bool {
    let (across, away) = offset(c, &Candidate { foot: place, ..*c });
    let [across, away, up] = [across, away, place.z - c.foot.z].map(|mm| mm / (size * LARGER));
    let in_the_box =
        across.abs() < MEEPLE_WIDTH_MM / 2.0 && away.abs() < MEEPLE_THICKNESS_MM / 2.0 && (0.0..MEEPLE_HEIGHT_MM).contains(&up);
    in_the_box && inside_outline(across, up, outline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::tests::camera;

    fn at(x: f64, y: f64) -> Candidate {
        Candidate { foot: WorldPoint::new(x, y, 0.0), yaw: 0.0, row: 1, score: 1.0, fit: 1.0, peak: 0 }
    }

    /// Whether the felt can be seen between the heads of `pieces`' first two from `elevation` degrees.
    fn is_seen_through(elevation: f64, pieces: &[Candidate]) -> bool {
        let camera = camera(elevation, 0.0, 0.0, 55.0, 400.0, 0.0, [297.0, 210.0]);
        let outline = outline_mm();
        let middle = (pieces[0].foot.x + pieces[1].foot.x) / 2.0;
        HEIGHTS_MM
            .iter()
            .any(|&up| is_free(WorldPoint::new(middle, -MEEPLE_THICKNESS_MM / 2.0, up), &camera, pieces, 1.0, &outline))
    }

    #[test]
    fn felt_is_seen_between_two_heads_from_low_but_their_own_shoulders_hide_it_from_high() {
        let pair = [at(-8.0, 0.0), at(8.0, 0.0)];
        assert!(is_seen_through(12.0, &pair));
        assert!(!is_seen_through(45.0, &pair));
    }

    #[test]
    fn a_piece_right_behind_a_gap_is_in_the_way() {
        let pieces = [at(-8.0, 0.0), at(8.0, 0.0), at(0.0, 11.0)];
        assert!(!is_seen_through(12.0, &pieces));
    }
}
