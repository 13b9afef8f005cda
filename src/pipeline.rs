//! The pipeline: a list of the stages, and the only place that runs them one after another.

use std::{collections::BTreeMap, time::Instant};

use image::{RgbImage, imageops};

use crate::{
    alone::{self, Alone},
    capture::Picture,
    doubt::{self, Doubt},
    game::MEEPLE_HEIGHT_MM,
    geometry::{Px, PxBox, WorldPoint},
    layout::{self, Layout, Standing},
    params::Params,
    pieces::{self, Candidate, Evidence, Lying, Peak, Pieces, Rest},
    playmat::{self, Playmat},
    pose::{self, Camera},
    quality,
    reading::{CameraSeen, Piece, PieceState, PlaymatSeen, Pyramid, Reading, Status},
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
    let playmats = match clock.time("playmat", || playmat::find(rgb, &params.playmat)) {
        Ok(playmats) => playmats,
        Err(error) => return Ok(without_playmat(picture, error.to_string(), params, clock)),
    };
    let mut stage = Stage { picture, params, clock, evidence: None, scenes: Vec::new() };
    let mut posed = Ok(());
    for playmat in &playmats {
        match stage.time("pose", || pose::hypotheses(playmat, rgb.width(), rgb.height(), picture.exif_focal_px, &params.pose)) {
            // Which way round the sheet lies, the pieces alone may say.
            Ok(cameras) => stage.search(playmat, cameras, f64::INFINITY)?,
            Err(error) => posed = Err(error.to_string()),
        }
    }
    if stage.scenes.is_empty()
        && let Err(reason) = posed
    {
        return Ok(without_playmat(picture, reason, params, stage.clock));
    }
    // Where an edge of the playmat is outside the picture, several lenses explain the rest: the pieces, whose size is
    // known, choose.
    if let Some(Scene { playmat, pose, .. }) = stage.best().map(|best| stage.scenes[best].clone())
        && playmat.edges.iter().any(Vec::is_empty)
        && picture.exif_focal_px.is_none()
    {
        let cameras = stage.time("pose", || pose::with_other_lenses(playmat, &pose.camera, &params.pose));
        stage.search(playmat, cameras.map_err(|e| (e.to_string(), SHOW_THE_FELT))?, pose.cost)?;
    }
    stage.resize();
    stage.scenes.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    let Stage { clock, evidence, scenes, .. } = stage;
    let mut scenes = scenes.into_iter();
    let (Some(scene), Some(evidence)) = (scenes.next(), evidence) else {
        return Err(("no camera explains the playmat's outline".to_owned(), SHOW_THE_FELT));
    };
    let Scene { playmat, pose, pieces, layout, .. } = &scene;
    let camera = &pose.camera;
    if layout.worth < VOUCHES
        && let Err(error) = playmat.stands_alone(&params.playmat)
    {
        return Ok(without_playmat(picture, error.to_string(), params, clock));
    }
    let rival = scenes.find(|other| other.layout.rows() != layout.rows());
    let standing: Vec<Candidate> = layout.standing.iter().map(|s| s.candidate).collect();
    let rest = clock
        .time("rest", || pieces::rest(rgb, playmat, &evidence, camera, &standing, pieces.size, &params.pieces))
        .map_err(|e| (format!("the felt could not be searched: {e}"), SAVE_ANEW))?;
    let rival = rival.map(|other| other.rank() / scene.rank().max(1e-9));
    let doubts = clock.time("doubt", || doubt::assess(playmat, camera, pieces, layout, rival, &rest, &params.doubt));
    // A sheet of which little is sure may not be the playmat, and what stands beside it not beside the playmat.
    let counted = layout.pyramids.iter().map(Vec::len).sum::<usize>();
    if !doubts.is_empty()
        && (playmat.confidence < HARDLY || rest.elsewhere > counted)
        && let Ok(peaks) = clock.time("pieces", || pieces::anywhere(rgb, &params.pieces))
        && let Some(found) = clock.time("alone", || alone::arrange(picture, &peaks, params))
        && found.layout.worth > layout.worth + VOUCHES
    {
        return Ok(stand_alone(rgb, &found));
    }
    let seen = Seen { rgb, scene: &scene, rest: &rest };
    Ok(clock.time("rules", || seen.reading(&doubts)))
}

const SHOW_THE_FELT: &str = "take a picture that shows the whole felt, on a table of another colour";

const SAVE_ANEW: &str = "save the picture anew with another program";

/// Worth of the pieces from which on they vouch for the playmat that they stand on.
const VOUCHES: f64 = 1.5;

/// Confidence of a playmat below which the pieces are also read without it, 0 to 1.
const HARDLY: f64 = 0.3;

/// The reading of a picture in which no playmat was found: of the pieces alone, where they stand on what looks like felt.
fn without_playmat(picture: &Picture, reason: String, params: &Params, clock: &mut Clock) -> Reading {
    let rgb = &picture.rgb;
    let peaks = clock.time("pieces", || pieces::anywhere(rgb, &params.pieces)).unwrap_or_default();
    let found = clock.time("alone", || alone::arrange(picture, &peaks, params));
    let mut reading = found.map_or_else(
        || Reading {
            pieces: peaks.iter().enumerate().map(|(id, peak)| without_place(id, peak, rgb)).collect(),
            ..Reading::unreadable("", reason, SHOW_THE_FELT)
        },
        |found| stand_alone(rgb, &found),
    );
    if let Some(advice) = clock.time("turned", || turned(rgb, &peaks, params)) {
        // Whatever else is wrong with the photo, this comes first.
        reading.advice = None;
        reading.doubt("the meeples in it do not stand upright", advice);
    }
    for doubt in quality::around(rgb, &peaks).iter().flat_map(|quality| doubt::of_quality(quality, &params.doubt)) {
        reading.doubt(&doubt.reason, doubt.advice);
    }
    reading
}

/// What to do about a photo that lies on its side or its head: more is seen to stand upright once it is turned than the
/// `upright` seen in it as it is.
fn turned(rgb: &RgbImage, upright: &[Peak], params: &Params) -> Option<&'static str> {
    type Turn = fn(&RgbImage) -> RgbImage;
    const TURNS: [(Turn, &str); 3] = [
        (imageops::rotate90, "turn the photo a quarter to the right and score it again"),
        (imageops::rotate180, "turn the photo upside down and score it again"),
        (imageops::rotate270, "turn the photo a quarter to the left and score it again"),
    ];
    let least = TURNED * pieces::shown(upright).max(LEAST_TURNED);
    let stands = |turn: Turn| pieces::shown(&pieces::anywhere(&turn(rgb), &params.pieces).unwrap_or_default());
    let (most, advice) = TURNS.map(|(turn, advice)| (stands(turn), advice)).into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (most > least).then_some(advice)
}

/// So many times as many meeples must be seen in a turned photo.
const TURNED: f64 = 2.0;

/// Sure meeples below which a turned photo shows nothing.
const LEAST_TURNED: f64 = 1.0;

/// The unsure reading of pieces that stand on felt without an outline.
fn stand_alone(rgb: &RgbImage, found: &Alone) -> Reading {
    const REASON: &str = "the playmat's edges could not be made out, so that rows were read from the meeples' size alone, as if all of \
                          them stood on it";
    let Alone { camera, pieces, layout, confidence, .. } = found;
    let place = |(id, standing): (usize, &Standing)| Piece {
        row: standing.pyramid.map(|_| standing.candidate.row),
        pyramid: standing.pyramid,
        counted: standing.pyramid.is_some(),
        reason: standing.pyramid.is_none().then(|| "on nothing that counts".to_owned()),
        ..upright(id, rgb, camera, &standing.candidate, pieces.size)
    };
    let mut seen: Vec<Piece> = layout.standing.iter().enumerate().map(place).collect();
    let pyramids = pyramids(layout, &mut seen);
    Reading {
        status: Status::Unsure,
        score: Some(rules::score(&pyramids)),
        pyramids,
        pieces: seen,
        confidence: *confidence,
        ..Reading::unreadable("", REASON, SHOW_THE_FELT)
    }
}

/// The pyramids of `layout`, best first, whose pieces are `seen`, in the same order; writes into each piece which is its own.
fn pyramids(layout: &Layout, seen: &mut [Piece]) -> Vec<Pyramid> {
    let mut pyramids: Vec<Pyramid> = layout.pyramids.iter().map(|members| pyramid(members, seen)).collect();
    rules::sort_best_first(&mut pyramids);
    for (index, pyramid) in pyramids.iter().enumerate() {
        for &id in &pyramid.pieces {
            seen[id].pyramid = Some(index);
        }
    }
    pyramids
}

/// An upright piece in a picture without a playmat. It has no row, and does not count.
fn without_place(id: usize, peak: &Peak, rgb: &RgbImage) -> Piece {
    let half = peak.height_px() / 2.0;
    let outline = vec![
        Px::new(peak.base.x - half, peak.base.y),
        Px::new(peak.base.x + half, peak.base.y),
        Px::new(peak.head.x + half, peak.head.y),
        Px::new(peak.head.x - half, peak.head.y),
    ];
    Piece {
        id,
        state: PieceState::Upright,
        colour: pieces::colour_within(rgb, &outline).to_owned(),
        row: None,
        on_playmat: None,
        pyramid: None,
        counted: false,
        reason: Some("no playmat found under it".to_owned()),
        base: peak.base,
        head: peak.head,
        bounds: bounds(&outline, rgb),
        outline,
        confidence: peak.score,
    }
}

/// One playmat and camera, and what stands where if they are the right ones.
#[derive(Clone)]
struct Scene<'a> {
    playmat: &'a Playmat,
    pose: pose::Candidate,
    /// What the pose's misfit to the playmat's edges takes off its rank.
    misfit: f64,
    /// What pieces whose feet would be hidden take off it.
    hidden: f64,
    pieces: Pieces,
    layout: Layout,
}

impl Scene<'_> {
    /// How convincing it is: what the pieces are worth, how sure the playmat is, how well its edges fit, and what is hidden.
    fn rank(&self) -> f64 {
        self.layout.worth + self.playmat.confidence.max(1e-3).ln() - self.misfit - self.hidden
    }
}

/// The scenes tried so far.
struct Stage<'a> {
    picture: &'a Picture,
    params: &'a Params,
    clock: &'a mut Clock,
    /// Gathered for the first camera; it serves the others, which see the playmat about as large.
    evidence: Option<Evidence>,
    scenes: Vec<Scene<'a>>,
}

impl<'a> Stage<'a> {
    fn time<T>(&mut self, stage: &str, run: impl FnOnce() -> T) -> T {
        self.clock.time(stage, run)
    }

    /// Which scene is the most convincing so far.
    fn best(&self) -> Option<usize> {
        (0..self.scenes.len()).max_by(|&a, &b| self.scenes[a].rank().total_cmp(&self.scenes[b].rank()))
    }

    /// Finds out what stands where for each of `poses`; those that cost more than `least_cost` stand back for it.
    fn search(
        &mut self,
        playmat: &'a Playmat,
        poses: Vec<pose::Candidate>,
        least_cost: f64,
    ) -> Result<(), (String, &'static str)> {
        for pose in poses {
            let misfit = self.params.pose.cost_worth * (pose.cost - least_cost).max(0.0);
            if self.evidence.is_none() {
                let seen = self.clock.time("pieces", || pieces::see(&self.picture.rgb, &pose.camera, &self.params.pieces));
                self.evidence =
                    Some(seen.map_err(|e| (format!("the picture could not be searched for pieces: {e}"), SAVE_ANEW))?);
            }
            let scene = self.scene(playmat, pose, misfit, None);
            self.scenes.extend(scene);
        }
        Ok(())
    }

    /// What stands where for one pose, and one size of meeples if that is known.
    fn scene(&mut self, playmat: &'a Playmat, pose: pose::Candidate, misfit: f64, size: Option<f64>) -> Option<Scene<'a>> {
        let evidence = self.evidence.as_ref()?;
        let pieces = self.clock.time("places", || pieces::place(evidence, &pose.camera, size, &self.params.pieces));
        let layout = self.clock.time("layout", || layout::arrange(&pieces, &pose.camera, &self.params.layout));
        let hidden = doubt::hidden_feet(&pose.camera, pieces.size, &layout) as f64 * self.params.layout.hidden_feet;
        Some(Scene { playmat, pose, misfit, hidden, pieces, layout })
    }

    /// Tries other sizes of meeples on the most convincing scene, as long as it gets more convincing: in a high pyramid
    /// the rows add up what is wrong with the size.
    fn resize(&mut self) {
        const STEP: f64 = 0.0125;
        let [least, most] = self.params.pieces.sizes;
        let Some(index) = self.best() else { return };
        let mut best = self.scenes[index].clone();
        if best.layout.standing.iter().all(|s| s.candidate.row == 1) {
            return;
        }
        for step in [STEP, -STEP] {
            let start = best.pieces.size;
            for multiple in 1..=3 {
                let size = (start + f64::from(multiple) * step).clamp(least, most);
                let Some(scene) = self.scene(best.playmat, best.pose.clone(), best.misfit, Some(size)) else { return };
                if scene.rank() > best.rank() {
                    best = scene;
                }
            }
        }
        self.scenes[index] = best;
    }
}

/// What the stages saw.
struct Seen<'a> {
    rgb: &'a RgbImage,
    scene: &'a Scene<'a>,
    rest: &'a Rest,
}

impl Seen<'_> {
    /// The stage results as a reading.
    fn reading(&self, doubts: &[Doubt]) -> Reading {
        let Seen { rgb, scene, rest } = *self;
        let Scene { playmat, pose, pieces, layout, .. } = scene;
        let camera = &pose.camera;
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
        let besides = |id: usize, state: PieceState, ends: [Px; 2], outline: &[Px], confidence: f64| Piece {
            id,
            state,
            colour: pieces::colour_within(rgb, outline).to_owned(),
            row: None,
            on_playmat: Some(true),
            pyramid: None,
            counted: false,
            reason: Some(if state == PieceState::Foreign { "not a meeple" } else { "not standing upright" }.to_owned()),
            base: ends[0],
            head: ends[1],
            bounds: bounds(outline, rgb),
            outline: outline.to_vec(),
            confidence,
        };
        for Lying { peak, state, outline } in &rest.lying {
            seen.push(besides(seen.len(), *state, [peak.base, peak.head], outline, peak.score));
        }
        for thing in &rest.things {
            seen.push(besides(seen.len(), PieceState::Foreign, thing.ends, &thing.outline, 0.5));
        }
        let pyramids = pyramids(layout, &mut seen);
        let mut reading = Reading {
            photo: String::new(),
            status: Status::Read,
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
            confidence: doubts.iter().map(|d| d.confidence).fold(doubt::all_counted(layout), f64::min),
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
