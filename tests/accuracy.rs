//! Holds the program to the accuracy ledger.

mod common;

use pyrameeple::{
    capture::{self, CaptureParams, Picture},
    evaluation,
    evaluation::ledger::{self, Ledger},
    geometry::PxBox,
    params::Params,
    pipeline,
    reading::Status,
};

const WRITE: &str = "pyrameeple evaluate testdata --ledger testdata/ledger.toml --write";

#[test]
fn no_figure_falls_below_the_ledger() {
    let cases = evaluation::cases(&common::testdata()).unwrap();
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let comparisons = evaluation::evaluate(&cases, &Params::default(), jobs, || {}).unwrap();
    let changes = Ledger::load(&common::testdata().join("ledger.toml"))
        .unwrap()
        .changes("testdata", &ledger::section(&comparisons))
        .unwrap();
    let (fell, rose): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.fell);
    rose.iter().for_each(|change| println!("{change}"));
    if !rose.is_empty() {
        println!("write the rise into the ledger, with the change that brought it: {WRITE}");
    }
    let list: Vec<String> = fell.iter().map(|change| change.to_string()).collect();
    assert!(fell.is_empty(), "{}\n(meant? write it into the ledger, and say why: {WRITE})", list.join("\n"));
}

#[test]
fn a_faultless_reading_is_exact_in_every_picture() {
    for case in evaluation::cases(&common::testdata()).unwrap() {
        let reading = common::faultless("", &case.truth);
        let comparison = evaluation::compare::Comparison::new(&case.truth, &reading);
        assert_eq!(comparison.verdict, evaluation::compare::Verdict::Exact, "{}", case.photo.display());
        assert_eq!((comparison.wrong_pieces(), comparison.wrong_rows, comparison.first_wrong), (0, 0, None));
        assert!(comparison.corner_errors_px.iter().all(|&error| error < 0.1));
    }
}

#[test]
fn the_stage_that_went_wrong_first_is_named() {
    use evaluation::compare::{Comparison, Stage};
    let truth = common::truth("p010003");
    let blame = |change: fn(&mut pyrameeple::reading::Reading)| {
        let mut reading = common::faultless("", &truth);
        change(&mut reading);
        Comparison::new(&truth, &reading).first_wrong
    };
    assert_eq!(
        blame(|reading| {
            reading.score.as_mut().unwrap().rows.pop();
            reading.playmat.as_mut().unwrap().corners.iter_mut().for_each(|corner| corner.x += 200.0);
        }),
        Some(Stage::Playmat)
    );
    assert_eq!(
        blame(|reading| {
            reading.score.as_mut().unwrap().rows.pop();
            reading.pieces.pop();
        }),
        Some(Stage::Pieces)
    );
    assert_eq!(
        blame(|reading| {
            reading.score.as_mut().unwrap().rows.pop();
        }),
        Some(Stage::Layout)
    );
    assert_eq!(blame(|reading| reading.doubt("dark", "more light")), Some(Stage::Doubt));
}

#[test]
fn close_ups_are_read_from_the_pieces_alone_and_never_surely() {
    let (mut right, mut tried) = (0, 0);
    for case in evaluation::cases(&common::testdata()).unwrap().into_iter().filter(|case| case.truth.kind == "pyramid") {
        let picture = capture::decode(&std::fs::read(&case.photo).unwrap(), &CaptureParams::default()).unwrap();
        let bounds: Vec<PxBox> =
            case.truth.pieces.iter().filter(|piece| piece.counts()).filter_map(|piece| piece.bounds).collect();
        // As much felt as a piece and a half is wide: the playmat's edges are hardly ever in the picture.
        let around = bounds.iter().map(|b| b.x1 - b.x0).max().unwrap() * 3 / 2;
        let least = |of: fn(&PxBox) -> i32| (bounds.iter().map(of).min().unwrap() - around).max(0) as u32;
        let most = |of: fn(&PxBox) -> i32, all: u32| ((bounds.iter().map(of).max().unwrap() + around) as u32).min(all);
        let (x, y) = (least(|b| b.x0), least(|b| b.y0));
        let (width, height) = (most(|b| b.x1, picture.rgb.width()) - x, most(|b| b.y1, picture.rgb.height()) - y);
        let rgb = image::imageops::crop_imm(&picture.rgb, x, y, width, height).to_image();
        let reading = pipeline::read(&Picture { rgb, exif_focal_px: None }, &Params::default());
        let rows = reading.score.as_ref().map(|score| score.rows.clone());
        let is_right = rows.as_deref() == Some(case.truth.rows());
        assert!(is_right || reading.status != Status::Read, "{}: {rows:?}", case.photo.display());
        if reading.playmat.is_none() {
            assert_ne!(reading.status, Status::Read, "{}", case.photo.display());
            tried += 1;
            right += usize::from(is_right);
        }
    }
    println!("{right} of {tried} without a playmat are right");
    assert!(tried >= 4 && 2 * right > tried, "{right} of {tried}");
}
