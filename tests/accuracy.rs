//! Holds the program to the accuracy ledger.

mod common;

use pyrameeple::{
    evaluation,
    evaluation::ledger::{self, Ledger},
    params::Params,
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
