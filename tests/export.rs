//! What is printed about a reading, letter by letter.

mod common;

use pyrameeple::{
    export::{CsvExport, Export, JsonLines, Table},
    players::Players,
    reading::Reading,
};

/// Two players' pyramids, doubted, and a file that is no picture.
fn readings() -> [Reading; 2] {
    let mut shared = common::faultless("table/p010000.jpg", &common::truth("p010000"));
    shared.doubt("2 pieces may be hidden behind others", "take another picture from the other side");
    "Ann=blue,Bo=natural".parse::<Players>().unwrap().apply(&mut shared);
    [shared, Reading::unreadable("note\u{1b}[31m.jpg", "the file holds text, a picture is needed", "give a photo")]
}

fn written<'a>(export: impl FnOnce(&'a mut Vec<u8>) -> Box<dyn Export + 'a>, out: &'a mut Vec<u8>) {
    let mut export = export(out);
    readings().iter().for_each(|reading| export.write(reading).unwrap());
    export.finish().unwrap();
}

#[test]
fn the_table_is_for_people() {
    let mut out = Vec::new();
    let readings = readings();
    let names: Vec<&str> = readings.iter().map(|reading| reading.photo.as_str()).collect();
    written(|out| Box::new(Table::new(out, names, false)), &mut out);
    let expected = "\
photo              status      points  rows              meeples
table/p010000.jpg  unsure          20  4 3 2 1                10
    why: 2 pieces may be hidden behind others
    do: take another picture from the other side
    players: Ann 20 points (4 3 2 1), Bo 10 points (3 2 1)
    lower pyramid: 10 points (3 2 1) of natural
note\u{fffd}[31m.jpg      unreadable       –  –                       –
    why: the file holds text, a picture is needed
    do: give a photo
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn what_does_not_count_is_told_with_the_numbers_of_its_pieces() {
    let mut reading = common::faultless("a.jpg", &common::truth("p010000"));
    for (id, reason) in [(1, "not standing upright"), (2, "over the edge"), (4, "not standing upright")] {
        reading.pieces[id].counted = false;
        reading.pieces[id].reason = Some(reason.into());
    }
    let mut out = Vec::new();
    Table::new(&mut out, ["a.jpg"], false).write(&reading).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("    not counted: 2 pieces: not standing upright (#1, #4); 1 piece: over the edge (#2)\n"), "{text}");
}

#[test]
fn colours_are_added_without_moving_anything() {
    let (mut plain, mut coloured) = (Vec::new(), Vec::new());
    written(|out| Box::new(Table::new(out, ["table/p010000.jpg"], false)), &mut plain);
    written(|out| Box::new(Table::new(out, ["table/p010000.jpg"], true)), &mut coloured);
    let coloured = String::from_utf8(coloured).unwrap();
    assert!(coloured.contains('\u{1b}'));
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    assert_eq!(bare, String::from_utf8(plain).unwrap());
}

#[test]
fn json_lines_can_be_read_back() {
    let mut out = Vec::new();
    written(|out| Box::new(JsonLines::new(out)), &mut out);
    let text = String::from_utf8(out).unwrap();
    let read: Vec<Reading> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read.len(), 2);
    let [shared, unreadable] = readings();
    assert_eq!((&read[0].score, &read[0].players, read[0].status), (&shared.score, &shared.players, shared.status));
    assert_eq!(read[1], unreadable);
}

#[test]
fn csv_has_rows_that_no_spreadsheet_takes_for_a_date() {
    let mut out = Vec::new();
    written(|out| Box::new(CsvExport::new(out).unwrap()), &mut out);
    let mut csv = csv::Reader::from_reader(out.as_slice());
    let headers = csv.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let cell = |row: usize, column: &str| &rows[row][headers.iter().position(|name| name == column).unwrap()];
    assert_eq!((cell(0, "points"), cell(0, "rows"), cell(0, "meeples")), ("20", "4 3 2 1", "10"));
    assert_eq!((cell(0, "colours"), cell(0, "players"), cell(0, "ms")), ("blue", "Ann=20 Bo=10", "3.0"));
    assert_eq!((cell(1, "status"), cell(1, "points"), cell(1, "rows"), cell(1, "ms")), ("unreadable", "", "", "0.0"));
}
