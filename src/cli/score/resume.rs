//! `--resume`: what an interrupted run had read already.
//!
//! A program that is stopped while it writes leaves a line that breaks off. It is cut away, and its photo is read again.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, BufWriter},
    path::Path,
};

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;

use super::{options, tally::Tally};
use crate::{
    cli::{ScoreArgs, say, target},
    export::{CsvExport, Export},
    reading::{Reading, Status},
    trouble::{Doing, cannot},
};

/// How often each photo stands in the results of an earlier run, and the counts of those.
type Earlier = (HashMap<String, usize>, Tally);

/// What the files of `args` hold, of which every result must be one of a run with these `options`. Where there are both files,
/// the JSON Lines count, and the table is made anew from them.
pub fn earlier(args: &ScoreArgs, options: &str) -> anyhow::Result<Earlier> {
    match (&args.results, &args.csv) {
        (Some(results), csv) => {
            let earlier = if results.exists() { from_json_lines(results, options)? } else { Earlier::default() };
            if let Some(csv) = csv {
                target::check(csv)?;
                rewrite_csv(results, csv, options)?;
            }
            Ok(earlier)
        }
        (None, Some(csv)) if csv.exists() => from_csv(csv, options),
        _ => Ok(Earlier::default()),
    }
}

/// What matters of a result.
#[derive(Deserialize)]
struct Line {
    photo: String,
    status: Status,
    width: u32,
    #[serde(default)]
    options: String,
}

impl Line {
    /// Refuses a line of `path` that was read with other options than `now`.
    fn check(&self, path: &Path, number: usize, now: &str) -> anyhow::Result<()> {
        if self.options != now {
            bail!(
                "--resume: line {number} of {} was read with {}, and this run has {}; results of both do not belong into one file: \
                 give the same options as then, or the name of a new file",
                path.display(),
                options::shown(&self.options),
                options::shown(now)
            );
        }
        Ok(())
    }

    fn add_to(self, (photos, tally): &mut Earlier) {
        tally.count(self.status, self.width > 0);
        *photos.entry(self.photo).or_default() += 1;
    }
}

fn from_json_lines(path: &Path, options: &str) -> anyhow::Result<Earlier> {
    let mut earlier = Earlier::default();
    let mut whole = 0;
    for_each_line(path, |number, line| {
        let read: Line = serde_json::from_slice(line).map_err(|error| {
            anyhow!("{}, line {number} is no result of pyrameeple score: {error}; {ANOTHER_FILE}", path.display())
        })?;
        read.check(path, number, options)?;
        whole += line.len() as u64 + 1;
        read.add_to(&mut earlier);
        Ok(())
    })?;
    cut(path, whole)?;
    Ok(earlier)
}

const ANOTHER_FILE: &str = "give the file that the interrupted run wrote";

/// Calls `each` with every line that ends, and its number from 1.
fn for_each_line(path: &Path, mut each: impl FnMut(usize, &[u8]) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let io = |error| anyhow!("--resume: {}", cannot(Doing::Reading, path, &error));
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(io)?;
        match line.strip_suffix(b"\n") {
            Some(text) => each(number, text)?,
            // What breaks off may be cut away only if it is the beginning of a result.
            None if line.starts_with(LINE_START) || LINE_START.starts_with(&line) => break,
            None => bail!("{}, line {number} is no result of pyrameeple score; {ANOTHER_FILE}", path.display()),
        }
    }
    Ok(())
}

/// How every line of results begins.
const LINE_START: &[u8] = b"{\"photo\":\"";

/// Cuts the file at `path` to its first `whole` bytes.
fn cut(path: &Path, whole: u64) -> anyhow::Result<()> {
    let io = |error| anyhow!("--resume: {}", cannot(Doing::Writing, path, &error));
    if fs::metadata(path).map_err(io)?.len() > whole {
        OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(whole)).map_err(io)?;
        say(&format!("the last line of {} breaks off: its photo is read again", path.display()));
    }
    Ok(())
}

/// Writes the table at `csv` anew, from the JSON Lines at `results`.
fn rewrite_csv(results: &Path, csv: &Path, options: &str) -> anyhow::Result<()> {
    let io = |error| anyhow!("--csv: {}", cannot(Doing::Writing, csv, &error));
    let export = CsvExport::new(BufWriter::new(File::create(csv).map_err(io)?)).map_err(io)?;
    let mut export = export.with_options(options.to_owned());
    if results.exists() {
        for_each_line(results, |number, line| {
            let reading: Reading =
                serde_json::from_slice(line).with_context(|| format!("{}, line {number}; {ANOTHER_FILE}", results.display()))?;
            export.write(&reading).map_err(io)
        })?;
    }
    export.finish().map_err(io)
}

fn from_csv(path: &Path, options: &str) -> anyhow::Result<Earlier> {
    let io = |error| anyhow!("--resume: {}", cannot(Doing::Reading, path, &error));
    let bytes = fs::read(path).map_err(io)?;
    let header_line = CsvExport::<Vec<u8>>::header();
    if header_line.as_bytes().starts_with(&bytes) && bytes.len() < header_line.len() {
        cut(path, 0)?;
        return Ok(Earlier::default());
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&bytes[..]);
    let header = reader.headers().cloned().unwrap_or_default();
    let column = |name: &str| header.iter().position(|column| column == name);
    let (Some(photo), Some(status), Some(width)) = (column("photo"), column("status"), column("width")) else {
        bail!("{} is no table of pyrameeple score: {ANOTHER_FILE}", path.display());
    };
    let Some(noted) = column("options").filter(|_| header.iter().eq(header_line.trim_end().split(','))) else {
        bail!("{} has not the columns of this version: give the name of a new file", path.display());
    };
    let mut earlier = Earlier::default();
    let mut whole = reader.position().byte();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).with_context(|| format!("{}; {ANOTHER_FILE}", path.display()))? {
        let end = reader.position().byte();
        // The last row is whole if it has every field and its line ends.
        if record.len() < header.len() || bytes.get(..end as usize).is_none_or(|read| !read.ends_with(b"\n")) {
            break;
        }
        let line = Line {
            photo: record[photo].to_owned(),
            status: serde_json::from_value(record[status].into())
                .with_context(|| format!("{}: `{}` is no status; {ANOTHER_FILE}", path.display(), &record[status]))?,
            width: record[width].parse().unwrap_or(0),
            options: record[noted].to_owned(),
        };
        line.check(path, record.position().map_or(0, |place| place.line() as usize), options)?;
        line.add_to(&mut earlier);
        whole = end;
    }
    cut(path, whole)?;
    Ok(earlier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::JsonLines;

    fn reading(photo: &str) -> Reading {
        Reading::unreadable(photo, "no, \"really\"\nnot", "")
    }

    /// The photos of an earlier run whose file of `whole` bytes was cut at every place.
    fn cut_everywhere(whole: &[u8], read: impl Fn(&Path) -> anyhow::Result<Earlier>, starts: &[usize]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        for at in 0..=whole.len() {
            fs::write(&path, &whole[..at]).unwrap();
            let (photos, tally) = read(&path).unwrap();
            let complete = starts[1..].iter().filter(|end| **end <= at).count();
            assert_eq!((photos.len(), tally.total()), (complete, complete), "cut at {at}");
            let kept = if at < starts[0] { 0 } else { starts[complete] };
            assert_eq!(fs::metadata(&path).unwrap().len() as usize, kept, "cut at {at}");
        }
    }

    #[test]
    fn results_cut_anywhere_keep_what_was_whole() {
        let mut lines = Vec::new();
        let mut starts = vec![0];
        for name in ["a.jpg", "ü\n.jpg", "c.jpg"] {
            lines.extend(serde_json::to_vec(&reading(name)).unwrap());
            lines.push(b'\n');
            starts.push(lines.len());
        }
        cut_everywhere(&lines, |path| from_json_lines(path, ""), &starts);
    }

    #[test]
    fn tables_cut_anywhere_keep_what_was_whole() {
        let mut starts = Vec::new();
        let mut out = Vec::new();
        for photos in 0..=3 {
            out.clear();
            let mut export = CsvExport::new(&mut out).unwrap();
            ["a.jpg", "b\n.jpg", "c.jpg"][..photos].iter().for_each(|name| export.write(&reading(name)).unwrap());
            drop(export);
            starts.push(out.len());
        }
        cut_everywhere(&out, |path| from_csv(path, ""), &starts);
    }

    #[test]
    fn another_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shopping.txt");
        for text in ["milk\neggs\n", "milk", "photo,milk\n", "{}\n"] {
            fs::write(&path, text).unwrap();
            for error in [from_json_lines(&path, "").unwrap_err(), from_csv(&path, "").unwrap_err()] {
                assert!(format!("{error:#}").contains("give the file that the interrupted run wrote"), "{error:#}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn results_of_other_options_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        let options = "--players Ann=red";
        let mut lines = Vec::new();
        let mut export = JsonLines::new(&mut lines).with_options(options.to_owned());
        export.write(&reading("a.jpg")).unwrap();
        let mut table = Vec::new();
        CsvExport::new(&mut table).unwrap().with_options(options.to_owned()).write(&reading("a.jpg")).unwrap();
        for (written, read) in [(lines, from_json_lines as fn(&Path, &str) -> anyhow::Result<Earlier>), (table, from_csv)] {
            fs::write(&path, &written).unwrap();
            assert_eq!(read(&path, options).unwrap().1.total(), 1);
            for (other, told) in [("", "the default options"), ("--void-overhang", "--void-overhang")] {
                let error = read(&path, other).unwrap_err().to_string();
                assert!(error.contains(options) && error.contains(told) && error.contains("a new file"), "{error}");
            }
            assert_eq!(fs::read(&path).unwrap(), written);
        }
    }
}
