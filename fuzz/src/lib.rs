//! What holds for every reading, whatever the picture.

use pyrameeple::{
    capture::Picture,
    export::{CsvExport, Export, JsonLines, Table},
    overhang, overlay,
    params::Params,
    pipeline,
    players::Players,
    reading::{Reading, Status},
    rules,
};

/// Reads `picture` through the whole pipeline, draws on it, writes the reading in every form, and panics where one of them
/// contradicts another.
pub fn read(picture: &Picture) {
    let reading = pipeline::read(picture, &Params::default());
    assert_eq!((reading.width, reading.height), picture.rgb.dimensions());
    check(&reading);
    let drawn = overlay::draw(&picture.rgb, &reading).expect("a picture that was decoded");
    overlay::encode(&drawn).expect("a picture that was drawn");
    let mut out = Vec::new();
    JsonLines(&mut out).write(&reading).expect("memory");
    let again: Reading = serde_json::from_slice(&out).expect("its own JSON");
    assert_eq!(again.pieces.len(), reading.pieces.len());
    CsvExport::new(Vec::new()).and_then(|mut csv| csv.write(&reading)).expect("memory");
    Table::new(Vec::new(), ["photo"], true).write(&reading).expect("memory");
    // What the options make of it holds as well.
    let mut strict = reading.clone();
    overhang::void_overhanging(&mut strict);
    check(&strict);
    let players: Players = "Ann=red,Bo=blue+orange".parse().expect("two players");
    let mut shared = reading;
    players.apply(&mut shared);
    check(&shared);
}

/// Panics where `reading` contradicts itself.
fn check(reading: &Reading) {
    assert!((0.0..=1.0).contains(&reading.confidence), "{}", reading.confidence);
    assert_eq!(reading.status == Status::Read, reading.reason.is_none() && reading.advice.is_none());
    assert_eq!(reading.status == Status::Unreadable, reading.score.is_none());
    for (index, pyramid) in reading.pyramids.iter().enumerate() {
        rules::check_rows(&pyramid.rows).expect("rows that can be");
        assert_eq!(pyramid.points, rules::points(&pyramid.rows));
        assert_eq!(pyramid.meeples, pyramid.rows.iter().sum::<usize>());
        let mut rows = vec![0; pyramid.rows.len()];
        for piece in reading.pieces.iter().filter(|piece| piece.pyramid == Some(index)) {
            assert!(pyramid.pieces.contains(&piece.id));
            rows[piece.row.expect("a row of a pyramid") - 1] += 1;
        }
        assert_eq!(rows, pyramid.rows);
    }
    for piece in &reading.pieces {
        assert_eq!(piece.counted, piece.reason.is_none());
        assert_eq!(piece.counted, piece.pyramid.is_some_and(|index| index < reading.pyramids.len()));
        let places = [piece.base, piece.head].into_iter().chain(piece.outline.iter().copied());
        assert!(places.into_iter().all(|place| place.x.is_finite() && place.y.is_finite()), "{piece:?}");
    }
}
