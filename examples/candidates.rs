use pyrameeple::{capture, layout, params::Params, pieces, playmat, pose};
fn main() {
    let params = Params::default();
    for path in std::env::args().skip(1) {
        let picture = capture::load(std::path::Path::new(&path), &params.capture).unwrap();
        let rgb = &picture.rgb;
        let playmats = playmat::find(rgb, &params.playmat).unwrap();
        println!("{path}: {} playmats", playmats.len());
        let mut evidence = None;
        for p in &playmats {
            let Ok(cams) = pose::hypotheses(p, rgb.width(), rgb.height(), None, &params.pose) else { continue };
            for cam in cams {
                let ev = evidence.get_or_insert_with(|| pieces::see(rgb, &cam, &params.pieces).unwrap());
                let pcs = pieces::place(ev, &cam, None, &params.pieces);
                let l = layout::arrange(&pcs, &cam, &params.layout);
                println!(
                    " conf {:.3} elev {:.1} hfov {:.1} dist {:.0} size {:?} piece size {:.3} worth {:.2} rows {:?}",
                    p.confidence,
                    cam.elevation_degrees(),
                    cam.hfov_degrees(),
                    cam.distance_mm(),
                    cam.playmat_size_mm,
                    pcs.size,
                    l.worth,
                    l.rows()
                );
                for pk in pieces::upright_peaks(ev).iter().enumerate().filter(|(_, p)| p.score > 0.15) {
                    println!(
                        "   peak {} at {:?} score {:.2} against {:.2} h {:.1}",
                        pk.0,
                        pk.1.centre(),
                        pk.1.score,
                        pk.1.against,
                        pk.1.height_px()
                    );
                    for c in pcs.candidates.iter().filter(|c| c.peak == pk.0) {
                        let chosen = l.standing.iter().any(|s| s.candidate == *c);
                        println!(
                            "      row {} foot {:.0},{:.0},{:.0} yaw {:.2} fit {:.2} score {:.2} {}",
                            c.row,
                            c.foot.x,
                            c.foot.y,
                            c.foot.z,
                            c.yaw,
                            c.fit,
                            c.score,
                            if chosen { "<-" } else { "" }
                        );
                    }
                }
            }
        }
    }
}
