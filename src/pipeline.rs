//! The pipeline: a list of the stages, and the only place that runs them one after another.

use std::{collections::BTreeMap, time::Instant};

use image::RgbImage;

use crate::{
    capture::Picture,
    doubt::{self, Doubt},
    game::MEEPLE_HEIGHT_MM,
    geometry::{Px, PxBox, WorldPoint},
    layout::{self, Layout},
    params::Params,
    pieces::{self, Candidate, Loose, Pieces, PiecesParams},
    playmat::{self, Playmat},
    pose::{self, Camera},
    reading::{CameraSeen, Piece, PieceState, PlaymatSeen, Pyramid, Reading},
    rules,
};

/// The reading of `picture`. Never fails: what goes wrong in a stage becomes the reading's status, reason and advice.
pub fn read(picture: &Picture, params: &Params) -> Reading {
    let mut clock = Clock::start();
    let mut reading = match stages(picture, params, &mut clock) {
        Ok(reading) => reading,
        Err((reason, advice)) => Reading::unreadable("", reason, advice),
    };
    (reading.width, reading.height) = picture.rgb.dimensions();
    reading.timings_ms = clock.stages;
    reading
}

/// The stages in order; an error is the reason and the advice.
fn stages(picture: &Picture, params: &Params, clock: &mut Clock) -> Result<Reading, (String, &'static str)> {
    let rgb = &picture.rgb;
    let playmat = match clock.time("playmat", || playmat::find(rgb, &params.playmat)) {
        Ok(playmat) => playmat,
        Err(error) => {
            let mut reading = Reading::unreadable("", error.to_string(), SHOW_THE_FELT);
            reading.pieces = clock.time("pieces", || pieces_without_playmat(rgb, params));
            return Ok(reading);
        }
    };
    let cameras = clock
        .time("pose", || pose::hypotheses(&playmat, rgb.width(), rgb.height(), picture.exif_focal_px, &params.pose))
        .map_err(|e| (e.to_string(), SHOW_THE_FELT))?;
    // Where an edge of the playmat is outside the picture, several cameras explain the rest: the pieces, whose size is
    // known, choose.
    let cut_off = cameras.len() > 1 && picture.exif_focal_px.is_none();
    let mut scenes = search_with(cameras, rgb, params, clock)?;
    if cut_off && let Some(best) = scenes.first() {
        let cameras = clock
            .time("pose", || pose::with_other_lenses(&playmat, &best.camera, &params.pose))
            .map_err(|e| (e.to_string(), SHOW_THE_FELT))?;
        scenes.extend(search_with(cameras, rgb, params, clock)?);
        scenes.sort_by(|a, b| b.layout.worth.total_cmp(&a.layout.worth));
    }
    let mut scenes = scenes.into_iter();
    let Some(Scene { camera, pieces, layout }) = scenes.next() else {
        return Err(("no camera explains the playmat's outline".to_owned(), SHOW_THE_FELT));
    };
    let others: Vec<Layout> = scenes.map(|scene| scene.layout).collect();
    let standing: Vec<Candidate> = layout.standing.iter().map(|s| s.candidate).collect();
    let loose = clock
        .time("loose", || pieces::unexplained(&playmat, &camera, &standing, pieces.size))
        .map_err(|e| (format!("the felt could not be searched: {e}"), SAVE_ANEW))?;
    let doubts = clock.time("doubt", || doubt::assess(&playmat, &camera, &pieces, &layout, &others, &loose, &params.doubt));
    let seen =
        Seen { rgb, playmat: &playmat, camera: &camera, pieces: &pieces, layout: &layout, loose: &loose, params: &params.pieces };
    Ok(clock.time("rules", || seen.reading(&doubts)))
}

const SHOW_THE_FELT: &str = "take a picture that shows the whole felt, on a table of another colour";

const SAVE_ANEW: &str = "save the picture anew with another program";

/// What stands where for each of `cameras`, the most convincing first.
fn search_with(
    cameras: Vec<Camera>,
    rgb: &RgbImage,
    params: &Params,
    clock: &mut Clock,
) -> Result<Vec<Scene>, (String, &'static str)> {
    let mut scenes: Vec<Scene> = Vec::new();
    for camera in cameras {
        let pieces = clock
            .time("pieces", || pieces::detect(rgb, &camera, &params.pieces))
            .map_err(|e| (format!("the picture could not be searched for pieces: {e}"), SAVE_ANEW))?;
        let layout = clock.time("layout", || layout::arrange(&pieces, &camera, &params.layout));
        scenes.push(Scene { camera, pieces, layout });
    }
    scenes.sort_by(|a, b| b.layout.worth.total_cmp(&a.layout.worth));
    Ok(scenes)
}

/// Heights of meeples tried where no playmat says how tall they must look, px.
const HEIGHTS_TRIED_PX: [f64; 8] = [24.0, 29.0, 35.0, 42.0, 50.0, 60.0, 72.0, 86.0];

/// The upright pieces in a picture without a playmat, as seen by the assumed camera that finds the most. They have no
/// row, and none counts.
fn pieces_without_playmat(rgb: &RgbImage, params: &Params) -> Vec<Piece> {
    // A score that chance does not reach: nothing else vouches for these.
    const CERTAIN: f64 = 0.55;
    let mut best: (f64, Vec<Piece>) = (0.0, Vec::new());
    for meeple_px in HEIGHTS_TRIED_PX {
        let camera = Camera::assumed(rgb.width(), rgb.height(), meeple_px);
        let Ok(pieces) = pieces::detect(rgb, &camera, &params.pieces) else { continue };
        let layout = layout::arrange(&pieces, &camera, &params.layout);
        if layout.worth > best.0 {
            let certain = layout.standing.iter().map(|s| s.candidate).filter(|c| c.score >= CERTAIN);
            let seen = certain.enumerate().map(|(id, c)| Piece {
                reason: Some("no playmat found under it".to_owned()),
                ..upright(id, rgb, &camera, &c, pieces.size)
            });
            best = (layout.worth, seen.collect());
        }
    }
    best.1
}

/// One camera, and what stands where if it is the right one.
struct Scene {
    camera: Camera,
    pieces: Pieces,
    layout: Layout,
}

/// What the stages saw.
struct Seen<'a> {
    rgb: &'a RgbImage,
    playmat: &'a Playmat,
    camera: &'a Camera,
    pieces: &'a Pieces,
    layout: &'a Layout,
    loose: &'a [Loose],
    params: &'a PiecesParams,
}

impl Seen<'_> {
    /// The stage results as a reading.
    fn reading(&self, doubts: &[Doubt]) -> Reading {
        let Seen { rgb, playmat, camera, pieces, layout, loose, params } = *self;
        let mut seen: Vec<Piece> = Vec::new();
        for (id, standing) in layout.standing.iter().enumerate() {
            let reason = match standing.pyramid {
                Some(_) => None,
                None if !standing.on_playmat => Some("over the edge of the playmat".to_owned()),
                None => Some("on nothing that counts".to_owned()),
            };
            let row = standing.pyramid.map(|_| standing.candidate.row);
            let piece = upright(id, rgb, camera, &standing.candidate, pieces.size);
            seen.push(Piece {
                row,
                pyramid: standing.pyramid,
                counted: standing.pyramid.is_some(),
                on_playmat: Some(standing.on_playmat),
                reason,
                ..piece
            });
        }
        for thing in loose {
            let [base, head] = thing.ends;
            seen.push(Piece {
                id: seen.len(),
                state: pieces::state_of(thing, pieces, camera, params),
                colour: pieces::colour_within(rgb, &thing.outline).to_owned(),
                row: None,
                on_playmat: Some(true),
                pyramid: None,
                counted: false,
                reason: Some("not standing upright".to_owned()),
                base,
                head,
                bounds: bounds(&thing.outline, rgb),
                outline: thing.outline.clone(),
                confidence: 0.5,
            });
        }
        let mut pyramids: Vec<Pyramid> = layout.pyramids.iter().map(|members| pyramid(members, &seen)).collect();
        rules::sort_best_first(&mut pyramids);
        for (index, pyramid) in pyramids.iter().enumerate() {
            for &id in &pyramid.pieces {
                seen[id].pyramid = Some(index);
            }
        }
        let mut reading = Reading {
            photo: String::new(),
            status: crate::reading::Status::Read,
            reason: None,
            advice: None,
            score: Some(rules::score(&pyramids)),
            players: BTreeMap::new(),
            pyramids,
            pieces: seen,
            playmat: Some(PlaymatSeen { corners: playmat.corners, visible: playmat.visible }),
            camera: Some(CameraSeen {
                elevation_degrees: camera.elevation_degrees(),
                distance_mm: camera.distance_mm(),
                horizontal_fov_degrees: camera.hfov_degrees(),
                k1: camera.k1,
                playmat_size_mm: camera.playmat_size_mm,
            }),
            confidence: doubts.iter().map(|d| d.confidence).fold(1.0, f64::min),
            width: 0,
            height: 0,
            timings_ms: BTreeMap::new(),
        };
        for doubt in doubts {
            reading.doubt(&doubt.reason, doubt.advice);
        }
        reading
    }
}

/// An upright meeple as it is reported, before it is known whether it counts.
fn upright(id: usize, rgb: &RgbImage, camera: &Camera, c: &Candidate, size: f64) -> Piece {
    let crown = WorldPoint::new(c.foot.x, c.foot.y, c.foot.z + MEEPLE_HEIGHT_MM * size);
    let outline = pieces::outline_px(camera, c, size);
    let bounds = bounds(&outline, rgb);
    Piece {
        id,
        state: PieceState::Upright,
        colour: pieces::colour_of(rgb, camera, c, size).to_owned(),
        row: None,
        on_playmat: None,
        pyramid: None,
        counted: false,
        reason: None,
        base: camera.px_clamped(c.foot),
        head: camera.px_clamped(crown),
        bounds,
        outline,
        confidence: c.score.clamp(0.0, 1.0),
    }
}

/// The rectangle around `outline`, within the picture.
fn bounds(outline: &[Px], rgb: &RgbImage) -> PxBox {
    let (width, height) = (f64::from(rgb.width()), f64::from(rgb.height()));
    let (mut x0, mut y0, mut x1, mut y1) = (width, height, 0.0_f64, 0.0_f64);
    for p in outline {
        (x0, y0, x1, y1) = (x0.min(p.x), y0.min(p.y), x1.max(p.x), y1.max(p.y));
    }
    let whole = |v: f64, most: f64| v.clamp(0.0, most) as i32;
    PxBox {
        x0: whole(x0.floor(), width),
        y0: whole(y0.floor(), height),
        x1: whole(x1.ceil(), width),
        y1: whole(y1.ceil(), height),
    }
}

/// The pyramid of the pieces `members`.
fn pyramid(members: &[usize], seen: &[Piece]) -> Pyramid {
    let row_of = |id: &usize| seen[*id].row.unwrap_or(1);
    let mut rows = vec![0; members.iter().map(row_of).max().unwrap_or(0)];
    let mut colours: BTreeMap<&str, usize> = BTreeMap::new();
    for id in members {
        rows[row_of(id) - 1] += 1;
        *colours.entry(&seen[*id].colour).or_default() += 1;
    }
    let mut colours: Vec<(&str, usize)> = colours.into_iter().collect();
    colours.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let mut pieces = members.to_vec();
    pieces.sort_unstable();
    Pyramid {
        points: rules::points(&rows),
        meeples: members.len(),
        rows,
        colours: colours.into_iter().map(|(name, _)| name.to_owned()).collect(),
        pieces,
    }
}

/// Milliseconds spent in each stage.
struct Clock {
    stages: BTreeMap<String, f64>,
}

impl Clock {
    fn start() -> Self {
        Self { stages: BTreeMap::new() }
    }

    fn time<T>(&mut self, stage: &str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let out = run();
        *self.stages.entry(stage.to_owned()).or_default() += start.elapsed().as_secs_f64() * 1e3;
        out
    }
}
