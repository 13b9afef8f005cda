//! A toy table: pictures of coloured squares, and a reader that really reads them. It drives the real matches, records,
//! verification and reports without any vision; what it reads depends on nothing but the picture's bytes.
#![allow(dead_code)] // Each test file uses its own part.

use std::{
    collections::BTreeMap,
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use clap::Parser;
use image::{ImageFormat, Rgb, RgbImage};
use pyrameeple::{
    cli::{matches, verify},
    geometry::{Px, PxBox},
    reading::{Piece, PieceState, Pyramid, Reading, Score, Status},
    record::{Annotated, Reader},
    rules,
};
use serde_json::{Value, json};

const CELL: u32 = 20;
const COLUMNS: u32 = 20;
const ROWS: u32 = 14;
const FELT: [u8; 3] = [70, 75, 70];
const COLOURS: [(&str, [u8; 3]); 4] =
    [("red", [200, 30, 30]), ("blue", [30, 60, 200]), ("green", [30, 160, 60]), ("yellow", [230, 200, 30])];
/// Pieces that lie, which the reader rejects.
const LYING: [u8; 3] = [130, 60, 140];

/// A picture to be taken.
#[derive(Clone, Debug, Default)]
pub struct Photo {
    cells: Vec<(u32, u32, [u8; 3])>,
    unsure: bool,
    no_playmat: bool,
    tag: u32,
}

impl Photo {
    /// One pyramid of `colour`, its rows flush left.
    pub fn of(rows: &[usize], colour: &str) -> Self {
        Self::default().and(rows, colour, 1)
    }

    /// Another one, from column `left` on.
    pub fn and(mut self, rows: &[usize], colour: &str, left: u32) -> Self {
        let rgb = COLOURS.iter().find(|(name, _)| *name == colour).unwrap().1;
        for (row, &meeples) in rows.iter().enumerate() {
            self.cells.extend((0..meeples).map(|i| (left + i as u32, row as u32, rgb)));
        }
        self
    }

    /// With a lying piece in column `column` of row `row`, from 1.
    pub fn lying(mut self, column: u32, row: u32) -> Self {
        self.cells.push((column, row - 1, LYING));
        self
    }

    /// Such that the reader doubts what it sees.
    pub fn unsure(mut self) -> Self {
        self.unsure = true;
        self
    }

    /// Such that the reader finds no playmat.
    pub fn without_playmat(mut self) -> Self {
        self.no_playmat = true;
        self
    }

    /// Another picture of the same: other bytes, same content. The lower the tag, the surer the reader.
    pub fn tag(mut self, tag: u32) -> Self {
        self.tag = tag;
        self
    }

    /// The picture as PNG.
    pub fn png(&self) -> Vec<u8> {
        let mut picture = RgbImage::from_pixel(COLUMNS * CELL, ROWS * CELL, Rgb(FELT));
        for &(column, row, colour) in &self.cells {
            for (x, y) in (1..CELL - 1).flat_map(|x| (1..CELL - 1).map(move |y| (x, y))) {
                picture.put_pixel(column * CELL + x, (ROWS - 1 - row) * CELL + y, Rgb(colour));
            }
            // Grain, other in each picture, as no two pyramids are the same; what is read is the colour of the middle.
            for y in (1..CELL - 1).filter(|y| y.abs_diff(CELL / 2) > 2) {
                let grain = self.tag.wrapping_mul(2_654_435_761).rotate_left(y + column + row) as u8;
                for x in 1..CELL - 1 {
                    let stripe = if (x + y) % 6 < 3 { grain } else { !grain };
                    picture.put_pixel(column * CELL + x, (ROWS - 1 - row) * CELL + y, Rgb([stripe, grain, !stripe]));
                }
            }
        }
        picture.put_pixel(0, 0, Rgb([u8::from(self.unsure) * 255, u8::from(self.no_playmat) * 255, 0]));
        let [_, a, b, c] = self.tag.to_be_bytes();
        picture.put_pixel(1, 0, Rgb([a, b, c]));
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    /// Takes the picture into a file.
    pub fn save(&self, path: &Path) -> PathBuf {
        fs::write(path, self.png()).unwrap();
        path.to_owned()
    }
}

/// Reads pictures of coloured squares.
#[derive(Clone, Default)]
pub struct ToyReader {
    /// A colour it does not see: a reader of another mind.
    pub blind_to: Option<&'static str>,
}

impl Reader for ToyReader {
    fn read(&self, name: &str, bytes: &[u8], players: &[(String, Vec<String>)]) -> Reading {
        match self.upright(bytes) {
            Ok(picture) if picture.get_pixel(0, 0)[1] == 255 => {
                Reading::unreadable(name, "no playmat found", "show the whole felt")
            }
            Ok(picture) => self.see(name, &picture, players),
            Err(why) => Reading::unreadable(name, &why, "take it again"),
        }
    }

    fn annotate(&self, bytes: &[u8], reading: &Reading) -> Option<Annotated> {
        let mut drawn = self.upright(bytes).ok()?;
        for piece in &reading.pieces {
            let mark = if piece.counted { [255, 255, 255] } else { [0, 0, 0] };
            drawn.put_pixel(piece.bounds.x0 as u32, piece.bounds.y0 as u32, Rgb(mark));
        }
        let mut png = Vec::new();
        drawn.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).unwrap();
        Some(Annotated { bytes: png, extension: "png" })
    }

    fn params(&self) -> Value {
        json!({ "cell": CELL })
    }

    fn with_params(&self, params: &Value) -> Result<Box<dyn Reader>, String> {
        if params["cell"] == json!(CELL) { Ok(Box::new(self.clone())) } else { Err(format!("what are {params}?")) }
    }

    fn model_sha256(&self) -> Option<String> {
        None
    }

    fn upright(&self, bytes: &[u8]) -> Result<RgbImage, String> {
        image::load_from_memory(bytes).map(|p| p.to_rgb8()).map_err(|e| format!("not a picture: {e}"))
    }
}

impl ToyReader {
    fn see(&self, name: &str, picture: &RgbImage, players: &[(String, Vec<String>)]) -> Reading {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
            let (x, y) = (column * CELL, (ROWS - 1 - row) * CELL);
            if (x + CELL > picture.width()) || (y + CELL > picture.height()) {
                continue;
            }
            let rgb = picture.get_pixel(x + CELL / 2, y + CELL / 2).0;
            let colour = COLOURS.iter().find(|(_, c)| *c == rgb).map(|(name, _)| *name);
            if (colour.is_none() && rgb != LYING) || colour.is_some() && colour == self.blind_to {
                continue;
            }
            let supported = row == 0 || at.contains_key(&(column, row - 1));
            // Column 0 lies beyond the playmat's edge.
            let on_playmat = column > 0;
            let counted = colour.is_some() && supported && on_playmat;
            let id = pieces.len();
            if counted {
                at.insert((column, row), id);
            }
            let (x, y, cell) = (x as i32, y as i32, CELL as i32);
            pieces.push(Piece {
                id,
                state: if colour.is_some() { PieceState::Upright } else { PieceState::Lying },
                colour: colour.unwrap_or("purple").into(),
                row: counted.then_some(row as usize + 1),
                on_playmat: Some(on_playmat),
                pyramid: None,
                counted,
                reason: (!counted).then(|| {
                    match (colour, on_playmat) {
                        (None, _) => "lies on its side",
                        (_, false) => "beyond the playmat's edge",
                        _ => "stands on nothing that counts",
                    }
                    .into()
                }),
                base: Px::new(f64::from(x + cell / 2), f64::from(y + cell)),
                head: Px::new(f64::from(x + cell / 2), f64::from(y)),
                bounds: PxBox { x0: x, y0: y, x1: x + cell, y1: y + cell },
                outline: Vec::new(),
                confidence: if row % 3 == 2 { 0.62 } else { 0.97 },
            });
        }
        let pyramids = group(&mut pieces, &at);
        let score = rules::score(&pyramids);
        let players = players.iter().map(|(name, colours)| (name.clone(), share(&pyramids, colours))).collect();
        let unsure = picture.get_pixel(0, 0)[0] == 255;
        Reading {
            status: if unsure { Status::Unsure } else { Status::Read },
            reason: unsure.then(|| "pieces may be hidden".into()),
            advice: unsure.then(|| "take another picture from the side".into()),
            score: Some(score),
            players,
            pyramids,
            pieces,
            confidence: 1.0 - f64::from(picture.get_pixel(1, 0)[2]) / 1000.0,
            width: picture.width(),
            height: picture.height(),
            ..Reading::unreadable(name, "", "")
        }
    }
}

fn share(pyramids: &[Pyramid], colours: &[String]) -> Score {
    let own: Vec<Pyramid> = pyramids.iter().filter(|p| p.colours.iter().all(|c| colours.contains(c))).cloned().collect();
    rules::score(&own)
}

/// Counted pieces that touch, as pyramids, best first.
fn group(pieces: &mut [Piece], at: &BTreeMap<(u32, u32), usize>) -> Vec<Pyramid> {
    let mut group_of: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut groups: Vec<Vec<(u32, u32)>> = Vec::new();
    for &start in at.keys() {
        if group_of.contains_key(&start) {
            continue;
        }
        let mut open = vec![start];
        groups.push(Vec::new());
        while let Some(cell) = open.pop() {
            if !at.contains_key(&cell) || group_of.contains_key(&cell) {
                continue;
            }
            group_of.insert(cell, groups.len() - 1);
            groups.last_mut().unwrap().push(cell);
            let (x, y) = cell;
            open.extend([(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))]);
        }
    }
    let mut pyramids: Vec<Pyramid> = groups
        .iter()
        .map(|cells| {
            let height = cells.iter().map(|(_, row)| *row as usize + 1).max().unwrap();
            let rows: Vec<usize> = (0..height).map(|r| cells.iter().filter(|(_, row)| *row as usize == r).count()).collect();
            let ids: Vec<usize> = cells.iter().map(|cell| at[cell]).collect();
            let mut colours: Vec<String> = ids.iter().map(|&i| pieces[i].colour.clone()).collect();
            colours.sort();
            colours.dedup();
            Pyramid { points: rules::points(&rows), meeples: ids.len(), rows, colours, pieces: ids }
        })
        .collect();
    rules::sort_best_first(&mut pyramids);
    for (index, pyramid) in pyramids.iter().enumerate() {
        pyramid.pieces.iter().for_each(|&id| pieces[id].pyramid = Some(index));
    }
    pyramids
}

/// The commands as typed.
#[derive(Parser)]
#[command(name = "pyrameeple")]
enum Typed {
    Match(matches::MatchArgs),
    Verify(verify::VerifyArgs),
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// Runs a command line with `reader`; usage errors are code 2 like the program's.
pub fn run_with(reader: &dyn Reader, args: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = match Typed::try_parse_from([&["pyrameeple"], args].concat()) {
        Ok(Typed::Match(args)) => matches::run(&args, reader, &mut out, &mut err),
        Ok(Typed::Verify(args)) => verify::run(&args, reader, &mut out, &mut err),
        Err(error) => {
            err = error.to_string().into_bytes();
            2
        }
    };
    Ran { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// Runs a command line with the toy reader.
pub fn run(args: &[&str]) -> Ran {
    run_with(&ToyReader::default(), args)
}

/// Runs a command line that must succeed; its standard output.
#[track_caller]
pub fn ok(args: &[&str]) -> String {
    let ran = run(args);
    assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
    ran.out
}

/// A folder for a test, with a match folder's path in it.
pub struct Table {
    pub folder: tempfile::TempDir,
    photos: std::cell::Cell<u32>,
}

impl Default for Table {
    fn default() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), photos: std::cell::Cell::new(0) }
    }
}

impl Table {
    /// Where the match lies.
    pub fn dir(&self) -> String {
        self.folder.path().join("match").to_str().unwrap().to_owned()
    }

    /// A path inside the test's folder.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Takes a picture, each with other bytes; its path.
    pub fn photo(&self, photo: Photo) -> String {
        let number = self.photos.get() + 1;
        self.photos.set(number);
        let tag = if photo.tag == 0 { number * 1000 } else { photo.tag };
        photo.tag(tag).save(&self.folder.path().join(format!("IMG {number}.png"))).to_str().unwrap().to_owned()
    }

    /// Adds what `player` built.
    #[track_caller]
    pub fn add(&self, player: &str, rows: &[usize]) -> String {
        ok(&["match", "add", &self.dir(), "--player", player, &self.photo(Photo::of(rows, "red"))])
    }
}

/// Every file below `dir`, with its content.
pub fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Whether `sha256sum -c SHA256SUMS` accepts the folder; what it says.
pub fn sha256sum(dir: &Path) -> (bool, String) {
    let ran = std::process::Command::new("sha256sum").args(["--strict", "-c", "SHA256SUMS"]).current_dir(dir).output().unwrap();
    (ran.status.success(), String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned())
}
