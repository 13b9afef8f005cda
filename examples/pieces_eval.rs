use pyrameeple::{pieces::*, playmat, pose};
fn main() {
    let mut names: Vec<_> = std::env::args().skip(1).collect();
    names.sort();
    for n in names { run(&n); }
}
fn run(json: &str) {
    let d: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let img = image::open(json.replace(".json", ".jpg")).unwrap().to_rgb8();
    let cam = if std::env::var("TRUTH").is_ok() {
        let all: serde_json::Value = serde_json::from_str(&std::fs::read_to_string("/tmp/cams.json").unwrap()).unwrap();
        let c = &all[d["name"].as_str().unwrap()];
        let f = |v: &serde_json::Value| v.as_f64().unwrap();
        let v = |k: &str| nalgebra::Vector3::new(f(&c[k][0]), f(&c[k][1]), f(&c[k][2]));
        pose::Camera { width: f(&c["w"]), height: f(&c["h"]), focal_px: f(&c["f"]), k1: f(&c["k1"]), camera_from_world: nalgebra::Isometry3::new(v("t"), v("rvec")), playmat_size_mm: [f(&c["size"][0]), f(&c["size"][1])] }
    } else {
        let pm = match playmat::find(&img, &Default::default()) { Ok(p) => p, Err(e) => { println!("{json} {} tp 0 miss 99 false 0 {e}", d["kind"]); return; } };
        match pose::estimate(&pm, img.width(), img.height(), None, &Default::default()) { Ok(p) => p, Err(e) => { println!("{json} {} tp 0 miss 99 false 0 {e}", d["kind"]); return; } }
    };
    let min: f64 = std::env::var("MIN").ok().and_then(|s| s.parse().ok()).unwrap_or(0.4);
    let l = debug::detect_debug(&img, &cam, &d, json, min);
    if std::env::var("V").is_ok() { for x in l { println!("   {x}"); } }
}
