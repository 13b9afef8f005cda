//! Holds the playmat and pose stages against truth files: `playmat_eval FOLDER [--overlays DIR] [NAME…]`.

use std::{fs, path::Path, time::Instant};

use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_filled_circle_mut, draw_line_segment_mut};
use pyrameeple::{
    geometry::{Px, WorldPoint},
    params::Params,
    playmat::{self, Playmat},
    pose::{self, Camera},
};
use serde_json::Value;

struct Row {
    name: String,
    number: usize,
    corner_px: f64,
    outside_px: f64,
    /// (error px, error as a share of the piece's height)
    pieces: Vec<(f64, f64)>,
    /// Where a head is expected above a row-1 base seen in the picture: error as a share of the piece's height.
    lifts: Vec<f64>,
    ms: [f64; 2],
    line: String,
    failed: bool,
}

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| "../shared/photos".into());
    let (mut overlays, mut wanted) = (None, Vec::new());
    while let Some(arg) = args.next() {
        if arg == "--overlays" { overlays = args.next() } else { wanted.push(arg) }
    }
    let params = Params::default();
    let mut names: Vec<_> = fs::read_dir(&folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    names.retain(|p| p.extension().is_some_and(|e| e == "json"));
    names.sort();
    let mut rows = Vec::new();
    for path in names {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        if !wanted.is_empty() && !wanted.iter().any(|w| name.ends_with(w.as_str())) {
            continue;
        }
        let truth: Value = serde_json::from_slice(&fs::read(&path)?)?;
        let picture = image::open(path.with_extension("jpg"))?.to_rgb8();
        let row = measure(&name, &truth, &picture, &params, overlays.as_deref())?;
        println!("{}", row.line);
        rows.push(row);
    }
    summary("all", &rows, |_| true);
    summary("even (tuned on)", &rows, |r| r.number % 2 == 0);
    summary("odd (held out)", &rows, |r| r.number % 2 == 1);
    Ok(())
}

fn point(v: &Value) -> Px {
    Px::new(v[0].as_f64().unwrap_or(f64::NAN), v[1].as_f64().unwrap_or(f64::NAN))
}

fn measure(name: &str, truth: &Value, picture: &RgbImage, params: &Params, overlays: Option<&str>) -> anyhow::Result<Row> {
    let (w, h) = (f64::from(picture.width()), f64::from(picture.height()));
    let norm = 1280.0 / w;
    let number = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
    let start = Instant::now();
    let found = playmat::find(picture, &params.playmat);
    let find_ms = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let camera = found.as_ref().ok().map(|p| pose::estimate(p, picture.width(), picture.height(), None, &params.pose));
    let pose_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut row = Row {
        name: name.into(),
        number,
        corner_px: f64::NAN,
        outside_px: f64::NAN,
        pieces: Vec::new(),
        lifts: Vec::new(),
        ms: [find_ms, pose_ms],
        line: String::new(),
        failed: true,
    };
    let (found, camera) = match (found, camera) {
        (Ok(found), Some(Ok(camera))) => (found, camera),
        (Err(e), _) => {
            row.line = format!("{name} NOT FOUND {e}");
            return Ok(row);
        }
        (Ok(found), Some(Err(e))) => {
            if let Some(dir) = overlays {
                overlay(dir, name, truth, picture, &found, None)?;
            }
            row.line = format!("{name} NO POSE {e}");
            return Ok(row);
        }
        _ => unreachable!("a playmat always has a pose or an error"),
    };
    row.failed = false;
    let inside = |p: Px| p.x >= 0.0 && p.y >= 0.0 && p.x <= w && p.y <= h;
    let (mut seen, mut out) = (Vec::new(), Vec::new());
    for i in 0..4 {
        let t = point(&truth["mat"]["corners"][i]);
        let corner = camera.playmat_corners()[i];
        let e = camera.px_from_world(corner.at_height(0.0)).map_or(9999.0, |p| p.distance(t)) * norm;
        if inside(t) { seen.push(e) } else { out.push(e) }
    }
    row.corner_px = seen.iter().copied().fold(0.0, f64::max);
    row.outside_px = out.iter().copied().fold(0.0, f64::max);
    for piece in truth["pieces"].as_array().into_iter().flatten() {
        if piece["state"] != "upright" || piece["on_mat"] != true {
            continue;
        }
        let mm: Vec<f64> = (0..3).map(|i| piece["mm"][i].as_f64().unwrap_or(0.0)).collect();
        let height = piece["px_height"].as_f64().unwrap_or(1.0);
        if mm[2] < 1.0
            && let Some(base) = camera.world_from_px_at_height(point(&piece["base"]), 0.0)
            && let Some(head) = camera.px_from_world(WorldPoint::new(base.x, base.y, 16.2))
        {
            row.lifts.push(head.distance(point(&piece["head"])) / height);
        }
        for (lift, key) in [(0.0, "base"), (16.2, "head")] {
            let e = camera
                .px_from_world(WorldPoint::new(mm[0], mm[1], mm[2] + lift))
                .map_or(9999.0, |p| p.distance(point(&piece[key])));
            row.pieces.push((e, e / height));
        }
    }
    let size = truth["mat"]["size_mm"][0].as_f64().unwrap_or(0.0);
    let t = &truth["camera"];
    row.line = format!(
        "{name} corners {:6.1} out {:7.1} | pieces med {:5.1} p95 {:6.1} px, {:5.1} % {:5.1} % lift {:4.1} % | conf {:.2} res {:.2} \
         edges {:?} | hfov {:.1} ({:.1}) el {:.1} ({:.1}) k1 {:.3} ({:.3}) size {} | {:.0}+{:.0} ms{}",
        row.corner_px,
        row.outside_px,
        quantile(row.pieces.iter().map(|p| p.0), 0.5),
        quantile(row.pieces.iter().map(|p| p.0), 0.95),
        100.0 * quantile(row.pieces.iter().map(|p| p.1), 0.5),
        100.0 * quantile(row.pieces.iter().map(|p| p.1), 0.95),
        100.0 * quantile(row.lifts.iter().copied(), 0.5),
        found.confidence,
        found.residual_px,
        found.edges.each_ref().map(|e| e.len()),
        camera.hfov_degrees(),
        t["hfov"].as_f64().unwrap_or(0.0),
        camera.elevation_degrees(),
        t["elev"].as_f64().unwrap_or(0.0),
        camera.k1,
        t["k1"].as_f64().unwrap_or(0.0),
        camera.playmat_size_mm[0],
        find_ms,
        pose_ms,
        if size == camera.playmat_size_mm[0] { "" } else { " WRONG WAY ROUND" },
    );
    if let Some(dir) = overlays {
        overlay(dir, name, truth, picture, &found, Some(&camera))?;
    }
    Ok(row)
}

fn quantile(values: impl Iterator<Item = f64>, q: f64) -> f64 {
    let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    if values.is_empty() { f64::NAN } else { values[((values.len() - 1) as f64 * q).round() as usize] }
}

fn summary(title: &str, rows: &[Row], keep: fn(&Row) -> bool) {
    let rows: Vec<&Row> = rows.iter().filter(|r| keep(r)).collect();
    let found = rows.iter().filter(|r| !r.failed).count();
    let share = |r: &&Row| quantile(r.pieces.iter().map(|p| p.1), 0.95);
    let good = |limit: f64| rows.iter().filter(|r| !r.failed && (r.pieces.is_empty() || share(r) < limit)).count();
    let corners = || rows.iter().map(|r| r.corner_px);
    let pieces = || rows.iter().flat_map(|r| r.pieces.iter());
    println!(
        "{title}: {found} of {} found; photos whose pieces' p95 is within 10 % of their height {}, within 25 % {}; \
         visible corners (worst per photo) median {:.1} p90 {:.1} px, within 5 px {}; outside {:.0} px; \
         pieces median {:.2} px {:.1} %, p95 {:.1} px {:.1} %; head above base median {:.1} %, p95 {:.1} %; ms find {:.0} / {:.0}, pose {:.1} / {:.1}",
        rows.len(),
        good(0.1),
        good(0.25),
        quantile(corners(), 0.5),
        quantile(corners(), 0.9),
        corners().filter(|&c| c < 5.0).count(),
        quantile(rows.iter().map(|r| r.outside_px), 0.5),
        quantile(pieces().map(|p| p.0), 0.5),
        100.0 * quantile(pieces().map(|p| p.1), 0.5),
        quantile(pieces().map(|p| p.0), 0.95),
        100.0 * quantile(pieces().map(|p| p.1), 0.95),
        100.0 * quantile(rows.iter().flat_map(|r| r.lifts.iter().copied()), 0.5),
        100.0 * quantile(rows.iter().flat_map(|r| r.lifts.iter().copied()), 0.95),
        quantile(rows.iter().map(|r| r.ms[0]), 0.5),
        quantile(rows.iter().map(|r| r.ms[0]), 0.95),
        quantile(rows.iter().map(|r| r.ms[1]), 0.5),
        quantile(rows.iter().map(|r| r.ms[1]), 0.95),
    );
    let mut worst: Vec<&&Row> = rows.iter().collect();
    worst.sort_by(|a, b| {
        let key = |r: &Row| if r.failed { 1e9 } else { quantile(r.pieces.iter().map(|p| p.1), 0.95).max(r.corner_px / 100.0) };
        key(b).total_cmp(&key(a))
    });
    let names: Vec<&str> = worst.iter().take(14).map(|r| &r.name[r.name.len() - 3..]).collect();
    println!("  worst first: {}", names.join(" "));
}

fn overlay(
    dir: &str,
    name: &str,
    truth: &Value,
    picture: &RgbImage,
    found: &Playmat,
    camera: Option<&Camera>,
) -> anyhow::Result<()> {
    let mut image = picture.clone();
    let f = |p: Px| (p.x as f32, p.y as f32);
    for i in 0..4 {
        let (a, b) = (point(&truth["mat"]["corners"][i]), point(&truth["mat"]["corners"][(i + 1) % 4]));
        draw_line_segment_mut(&mut image, f(a), f(b), Rgb([0, 255, 0]));
    }
    if let Some(camera) = camera {
        let corners = camera.playmat_corners();
        for i in 0..4 {
            let (a, b) = (corners[i], corners[(i + 1) % 4]);
            let mut last: Option<Px> = None;
            for k in 0..=40 {
                let s = f64::from(k) / 40.0;
                let p = camera.px_from_world(WorldPoint::new(a.x + (b.x - a.x) * s, a.y + (b.y - a.y) * s, 0.0));
                if let (Some(q), Some(p)) = (last, p) {
                    draw_line_segment_mut(&mut image, f(q), f(p), Rgb([255, 0, 0]));
                }
                last = p;
            }
        }
        for piece in truth["pieces"].as_array().into_iter().flatten().filter(|p| p["state"] == "upright") {
            let mm: Vec<f64> = (0..3).map(|i| piece["mm"][i].as_f64().unwrap_or(0.0)).collect();
            let ends = [0.0, 16.2].map(|z| camera.px_from_world(WorldPoint::new(mm[0], mm[1], mm[2] + z)));
            if let [Some(a), Some(b)] = ends {
                draw_line_segment_mut(&mut image, f(a), f(b), Rgb([255, 0, 255]));
            }
        }
    }
    for p in found.edges.iter().flatten() {
        draw_filled_circle_mut(&mut image, (p.x as i32, p.y as i32), 1, Rgb([255, 255, 0]));
    }
    fs::create_dir_all(dir)?;
    image.save(Path::new(dir).join(format!("{name}.png")))?;
    Ok(())
}
