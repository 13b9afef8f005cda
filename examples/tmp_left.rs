use pyrameeple::{layout, pieces, playmat, pose};
fn main() {
    for p in std::env::args().skip(1) {
        let img = image::open(&p).unwrap().to_rgb8();
        let Ok(pm) = playmat::find(&img, &Default::default()) else {
            println!("{p} none");
            continue;
        };
        let mut best: Option<(layout::Layout, pieces::Pieces)> = None;
        for cam in pose::hypotheses(&pm, img.width(), img.height(), None, &Default::default()).unwrap() {
            let pc = pieces::detect(&img, &cam, &Default::default()).unwrap();
            let l = layout::arrange(&pc, &cam, &Default::default());
            if best.as_ref().is_none_or(|b| l.worth > b.0.worth) {
                best = Some((l, pc));
            }
        }
        let (l, pc) = best.unwrap();
        let f = |row1: bool| l.left_out.iter().filter(|c| (c.row == 1) == row1).map(|c| c.score).next().unwrap_or(0.0);
        let mut sc: Vec<f64> = l.standing.iter().filter(|s| s.pyramid.is_some()).map(|s| s.candidate.score).collect();
        sc.sort_by(f64::total_cmp);
        println!(
            "{} conf {:.2} rows {:?} upper_left {:.2} row1_left {:.2} weakest {:.2?} size {:.3} mean {:.2}",
            &p[p.len() - 11..],
            pm.confidence,
            l.rows(),
            f(false),
            f(true),
            &sc[..sc.len().min(2)],
            pc.size,
            sc.iter().sum::<f64>() / sc.len().max(1) as f64
        );
    }
}
