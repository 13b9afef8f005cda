use crate::{geometry::*, pose::Camera};
use super::{edges::*, matching::*};
pub fn run(img: &image::RgbImage, cam: &Camera, d: &serde_json::Value, name: &str, t: std::time::Instant) {
    let f = |v: &serde_json::Value| v.as_f64().unwrap();
    let canon = Canonical::new(img, cam).unwrap();
    let t1 = t.elapsed();
    let edges = EdgeMaps::new(&canon.image).unwrap();
    let t2 = t.elapsed();
    let m = Matcher::new(cam, &canon, &edges);
    println!("{} canon {}x{} scale {:.2} {:?} {:?}", name, canon.image.width(), canon.image.height(), canon.scale, t1, t2 - t1);
    for p in d["pieces"].as_array().unwrap() {
        let w = WorldPoint::new(f(&p["mm"][0]), f(&p["mm"][1]), f(&p["mm"][2]));
        let yaw = f(&p["yaw"]).to_radians();
        let mut best: Option<(Match, f64, f64)> = None;
        for dy in [-4.0, -2.0, 0.0, 2.0, 4.0] { for dx in [-2.0, -1.0, 0.0, 1.0, 2.0] {
            if let Some(r) = m.score(WorldPoint::new(w.x + dx, w.y + dy, w.z), yaw) { if best.is_none_or(|b| b.0.score < r.score) { best = Some((r, dx, dy)); } }
        }}
        if let (Some((r, dx, dy)), Some(r0)) = (best, m.score(w, yaw)) {
            println!("  {:>12} row {} vis {:.2} h {:.0} yaw {:.0} score {:.2} (at truth {:.2}) d {dx} {dy} parts {:.2?} in {:.2}", p["state"].as_str().unwrap(), p["row"], f(&p["visible"]), f(&p["px_height"])*canon.scale, f(&p["yaw"]), r.score, r0.score, r.parts, r.inside);
        }
    }
}

pub fn detect(img: &image::RgbImage, cam: &Camera, d: &serde_json::Value, name: &str, min: f64) -> Vec<String> {
    use super::search::*;
    let f = |v: &serde_json::Value| v.as_f64().unwrap();
    let t = std::time::Instant::now();
    let canon = Canonical::new(img, cam).unwrap();
    let edges = EdgeMaps::new(&canon.image).unwrap();
    let m = Matcher::new(cam, &canon, &edges);
    let t1 = t.elapsed();
    let found = find(&m, cam, &SearchParams { min_score: min, grid: 3.0 });
    let all = found.clone();
    let st = crate::layout::explain(&found, cam, &crate::layout::LayoutParams { min_score: min, weak: 0.0, worth: 0.5 });
    let found: Vec<Hypothesis> = st.iter().map(|s| s.h).collect();
    let t2 = t.elapsed();
    let mut used = vec![false; found.len()];
    let (mut tp, mut miss, mut wrongrow) = (0, 0, 0);
    let mut lines = vec![];
    for p in d["pieces"].as_array().unwrap() {
        if p["state"] != "upright" || p["on_mat"] != true { continue; }
        let base = WorldPoint::new(f(&p["mm"][0]), f(&p["mm"][1]), f(&p["mm"][2]));
        let row = p["row"].as_u64().unwrap() as usize;
        let near = |h: &Hypothesis| ((h.foot.x - base.x).powi(2) + (h.foot.y - base.y).powi(2)).sqrt();
        let k = (0..found.len()).filter(|&k| !used[k] && found[k].row == row).min_by(|&a, &b| near(&found[a]).total_cmp(&near(&found[b])));
        match k {
            Some(k) if near(&found[k]) < 8.0 => { used[k] = true; tp += 1; lines.push(format!("HIT {:.3} row {} vis {:.2} {:.1?}", found[k].m.score, row, f(&p["visible"]), found[k].m.parts)); }
            _ => { miss += 1; let _ = &mut wrongrow; let c = all.iter().filter(|h| h.row == row).min_by(|a, b| near(a).total_cmp(&near(b))).filter(|h| near(h) < 8.0).map(|h| h.m.score); lines.push(format!("MISS (cand {c:?}) row {} vis {:.2} yaw {} mm {}", row, f(&p["visible"]), p["yaw"], p["mm"])); }
        }
    }
    for (k, h) in found.iter().enumerate() { if !used[k] { lines.push(format!("FALSE {:.3} row {} at {:.0} {:.0} {:.1?}", h.m.score, h.row, h.foot.x, h.foot.y, h.m.parts)); } }
    println!("{} {} tp {tp} miss {miss} false {} times {:?} {:?}", name, d["kind"], used.iter().filter(|u| !**u).count(), t1, t2 - t1);
    lines
}

pub fn dump(img: &image::RgbImage, cam: &Camera, out: &str, min: f64) {
    use super::search::*;
    let canon = Canonical::new(img, cam).unwrap();
    let edges = EdgeMaps::new(&canon.image).unwrap();
    let m = Matcher::new(cam, &canon, &edges);
    let found = find(&m, cam, &SearchParams { min_score: min, grid: 3.0 });
    let (w, h) = canon.image.dimensions();
    let mut both = image::RgbImage::new(w, h * 2);
    for y in 0..h { for x in 0..w {
        both.put_pixel(x, y, *canon.image.get_pixel(x, y));
        let s = edges.strength[(y * w + x) as usize];
        both.put_pixel(x, y + h, image::Rgb([s, s, s]));
    }}
    let cols = [[255u8, 0, 0], [0, 255, 0], [0, 160, 255], [255, 255, 0], [255, 0, 255], [0, 255, 255], [255, 128, 0]];
    for hy in &found {
        let face = super::solid::FrontFace::new(cam, hy.foot, hy.yaw).unwrap();
        for p in super::solid::outline_points(0.3) {
            let c = canon.canonical_from_px(face.at(p.u, p.v));
            if c.x >= 0.0 && c.y >= 0.0 && c.x < w as f64 && c.y < h as f64 { both.put_pixel(c.x as u32, c.y as u32 + h, image::Rgb(cols[(hy.row - 1) % 7])); }
        }
    }
    image::imageops::resize(&both, w * 2, h * 4, image::imageops::FilterType::Nearest).save(out).unwrap();
}
