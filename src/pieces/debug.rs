use crate::{geometry::*, pose::Camera};
use super::*;
pub fn detect_debug(img: &image::RgbImage, cam: &Camera, d: &serde_json::Value, name: &str, min: f64) -> Vec<String> {
    let f = |v: &serde_json::Value| v.as_f64().unwrap();
    let t = std::time::Instant::now();
    let params = PiecesParams::default();
    let canonical = Canonical::new(img, cam, params.meeple_px, params.most_scale, params.margin_mm).unwrap();
    let edges = EdgeMaps::new(&canonical.image, &params).unwrap();
    let t1 = t.elapsed();
    let mut matcher = Matcher::new(cam, &canonical, &edges, params.outline_step_mm, params.inside_penalty);
    let all = search::bottom_up(&mut matcher, &params);
    let t2 = t.elapsed();
    let st = crate::layout::explain(&all, cam, matcher.size, &crate::layout::LayoutParams { min_score: min, weak: std::env::var("WEAK").ok().and_then(|s| s.parse().ok()).unwrap_or(0.3), worth: 0.5 });
    let found: Vec<Candidate> = st.iter().map(|s| s.h).collect();
    let t3 = t.elapsed();
    let mut used = vec![false; found.len()];
    let (mut tp, mut miss) = (0, 0);
    let mut lines = vec![];
    for p in d["pieces"].as_array().unwrap() {
        if p["state"] != "upright" || p["on_mat"] != true { continue; }
        let base = Px::new(f(&p["base"][0]), f(&p["base"][1]));
        let head = Px::new(f(&p["head"][0]), f(&p["head"][1]));
        let row = p["row"].as_u64().unwrap() as usize;
        let near = |h: &Candidate| { let z = h.foot.z; let b = cam.px_from_world(h.foot).unwrap(); let t = cam.px_from_world(WorldPoint::new(h.foot.x, h.foot.y, z + 16.0)).unwrap(); (b.distance(base) + t.distance(head)) / 2.0 / f(&p["px_height"]) };
        let k = (0..found.len()).filter(|&k| !used[k] && found[k].row == row).min_by(|&a, &b| near(&found[a]).total_cmp(&near(&found[b])));
        match k {
            Some(k) if near(&found[k]) < 0.4 => { used[k] = true; tp += 1; lines.push(format!("HIT {:.3} row {} vis {:.2}", found[k].score, row, f(&p["visible"]))); }
            _ => { miss += 1; let c = all.iter().filter(|h| h.row == row).min_by(|a, b| near(a).total_cmp(&near(b))).filter(|h| near(h) < 0.4).map(|h| h.score); lines.push(format!("MISS (cand {c:?}) row {} vis {:.2} yaw {} mm {}", row, f(&p["visible"]), p["yaw"], p["mm"])); }
        }
    }
    let mut fl = 0;
    for (k, h) in found.iter().enumerate() { if !used[k] && cam.on_playmat(h.foot.on_playmat(), 0.0) { fl += 1; lines.push(format!("FALSE {:.3} row {} at {:.0} {:.0}", h.score, h.row, h.foot.x, h.foot.y)); } }
    println!("{} {} tp {tp} miss {miss} false {fl} times {:?} {:?} {:?} size {:.3}", name, d["kind"], t1, t2 - t1, t3 - t2, matcher.size);
    if let Ok(out) = std::env::var("DUMP") {
        let mut im = image::imageops::resize(&canonical.image, canonical.image.width() * 2, canonical.image.height() * 2, image::imageops::FilterType::CatmullRom);
        let cols = [[255u8, 0, 0], [0, 255, 0], [0, 160, 255], [255, 255, 0], [255, 0, 255], [0, 255, 255], [255, 128, 0]];
        for h in &found {
            let face = matcher.face(h.foot, h.yaw).unwrap();
            for s in solid::outline_segments(0.2) { for (u, v, _) in s.points {
                let c = canonical.canonical_from_px(face.at(u, v));
                let (x, y) = ((c.x * 2.0) as i64, (c.y * 2.0) as i64);
                if x >= 0 && y >= 0 && x < im.width() as i64 && y < im.height() as i64 { im.put_pixel(x as u32, y as u32, image::Rgb(cols[(h.row - 1) % 7])); }
            }}
        }
        im.save(out).unwrap();
    }
    lines
}
