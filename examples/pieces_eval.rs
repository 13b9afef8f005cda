use pyrameeple::{geometry::*, pose::Camera, pieces::*};
fn main() {
    let mut names: Vec<_> = std::env::args().skip(1).collect();
    names.sort();
    for n in names { run(&n); }
}
fn run(json: &str) {
    let d: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let img = image::open(json.replace(".json", ".jpg")).unwrap().to_rgb8();
    let f = |v: &serde_json::Value| v.as_f64().unwrap();
    let c: Vec<Px> = d["mat"]["corners"].as_array().unwrap().iter().map(|p| Px::new(f(&p[0]), f(&p[1]))).collect();
    let (w, h) = (img.width() as f64, img.height() as f64);
    let focal = w / 2.0 / (f(&d["camera"]["hfov"]).to_radians() / 2.0).tan();
    let cam = Camera::from_corners(&[c[0], c[1], c[2], c[3]], w, h, focal, f(&d["camera"]["k1"]), [f(&d["mat"]["size_mm"][0]), f(&d["mat"]["size_mm"][1])]).unwrap();
    let t = std::time::Instant::now();
    if let Ok(o) = std::env::var("DUMP") { debug::dump(&img, &cam, &o, 0.5); }
    let _ = t; let min: f64 = std::env::var("MIN").ok().and_then(|s| s.parse().ok()).unwrap_or(0.4); let l = debug::detect(&img, &cam, &d, json, min); if std::env::var("V").is_ok() { for x in l { println!("   {x}"); } }
}
