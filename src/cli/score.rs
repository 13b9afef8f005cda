//! `pyrameeple score`.

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use anyhow::{anyhow, bail};

use super::{Outcome, args::ScoreArgs, jobs, params_file, progress_bar, say, stdout_is_coloured};
use crate::{
    batch,
    export::{CsvExport, Export, JsonLines, Table},
    overhang::void_overhanging,
    overlay,
    params::Params,
    photos::{self, Found, Item, Skipped},
    reading::{Reading, Status},
    trouble::{Doing, cannot, why},
};

/// Scores what `args` name.
pub fn run(args: &ScoreArgs) -> anyhow::Result<Outcome> {
    let params = params_file::load(args.common.params.as_deref())?;
    let Found { items, skipped } = photos::collect(&args.paths, args.recursive, args.annotate.as_deref());
    if args.verbose {
        skipped.iter().for_each(|Skipped { path, why, .. }| say(&format!("skipped {}: {why}", path.display())));
    }
    let names: Vec<String> = items.iter().map(|item| item.path().display().to_string()).collect();
    let annotated = args.annotate.as_deref().map(|dir| annotated_paths(dir, &items)).transpose()?;

    let stdout = BufWriter::new(io::stdout());
    let mut exports = vec![Output {
        path: None,
        export: match args.json {
            true => Box::new(JsonLines(stdout)),
            false => Box::new(Table::new(stdout, names.iter().map(String::as_str), stdout_is_coloured())),
        },
    }];
    if let Some(path) = &args.csv {
        super::target::check(path)?;
        let export = File::create(path).and_then(|file| CsvExport::new(BufWriter::new(file)));
        let export = export.map_err(|error| anyhow!("--csv: {}", cannot(Doing::Writing, path, &error)))?;
        exports.push(Output { path: Some(path), export: Box::new(export) });
    }

    let bar = progress_bar(items.len());
    let mut tally = Tally::default();
    let mut failure = None;
    batch::run(
        &items,
        jobs(args.common.jobs),
        |index, item| {
            let annotated = annotated.as_ref().map(|paths| paths[index].as_path());
            read(item, annotated, args, &params)
        },
        |item, message| Read { reading: batch::failed_reading(item.path(), message), trouble: None },
        |_, read| {
            tally.add(&read.reading);
            // The bar steps aside while a line is printed, or they would land on one another.
            let written = bar.suspend(|| {
                if let Some(trouble) = &read.trouble {
                    tally.failed_pictures += 1;
                    say(&format!("pyrameeple: {trouble}"));
                }
                exports.iter_mut().try_for_each(|output| output.write(&read.reading))
            });
            bar.inc(1);
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    )?;
    bar.finish_and_clear();
    if let Some(error) = failure {
        return Err(error);
    }
    exports.iter_mut().try_for_each(Output::finish)?;
    match annotated.as_deref() {
        Some([path]) if path.exists() => say(&format!("annotated picture: {}", path.display())),
        _ if items.len() > 1 => say(&tally.summary(args.annotate.as_deref())),
        _ => {}
    }
    if let Some(text) = skipped_text(&skipped, args.verbose) {
        say(&text);
    }
    Ok(tally.outcome())
}

/// A place results go to.
struct Output<'a> {
    /// The file; `None` for standard output.
    path: Option<&'a Path>,
    export: Box<dyn Export>,
}

impl Output<'_> {
    fn write(&mut self, reading: &Reading) -> anyhow::Result<()> {
        self.export.write(reading).map_err(|error| self.failed(error))
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.export.finish().map_err(|error| self.failed(error))
    }

    /// The error with the place's name. A closed pipe stays recognisable: it is nobody's mistake.
    fn failed(&self, error: io::Error) -> anyhow::Error {
        match self.path {
            _ if error.kind() == io::ErrorKind::BrokenPipe => error.into(),
            Some(path) => anyhow!(cannot(Doing::Writing, path, &error)),
            None => anyhow!(cannot(Doing::Writing, Path::new("standard output"), &error)),
        }
    }
}

/// How many files were left out; `None` when there were none.
fn skipped_text(skipped: &[Skipped], verbose: bool) -> Option<String> {
    let own = skipped.iter().filter(|skipped| skipped.own).count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let mut parts = Vec::new();
    let other = skipped.len() - own;
    if other > 0 {
        parts.push(format!("{other} file{} without a picture", plural(other)));
    }
    if own > 0 {
        parts.push(format!("{own} annotated picture{} that pyrameeple wrote", plural(own)));
    }
    let hint = if verbose { "" } else { " (-v names them)" };
    (!parts.is_empty()).then(|| format!("skipped {}{hint}", parts.join(" and ")))
}

/// A reading, and what went wrong beside it.
struct Read {
    reading: Reading,
    trouble: Option<String>,
}

fn read(item: &Item, annotated: Option<&Path>, args: &ScoreArgs, params: &Params) -> Read {
    if let Some(reading) = item.unreadable() {
        return Read { reading, trouble: None };
    }
    let batch::ReadPhoto { picture, mut reading } = batch::read_photo(item.path(), params);
    if args.void_overhang {
        void_overhanging(&mut reading);
    }
    if let Some(players) = &args.players {
        players.apply(&mut reading);
    }
    let trouble = annotated.zip(picture).and_then(|(path, picture)| {
        let drawn = overlay::draw(&picture.rgb, &reading).map_err(|error| error.to_string());
        let saved = drawn.and_then(|drawn| overlay::save(&drawn, path).map_err(|error| why(Doing::Writing, path, &error)));
        saved.err().map(|error| format!("cannot write {}: {error}", path.display()))
    });
    Read { reading, trouble }
}

/// Where the annotated copy of each of `items` goes; makes sure that `dir` is there and can be written to.
fn annotated_paths(dir: &Path, items: &[Item]) -> anyhow::Result<Vec<PathBuf>> {
    let probe = dir.join(format!(".pyrameeple-{}", std::process::id()));
    fs::create_dir_all(dir)
        .map_err(|error| why(Doing::Writing, dir, &error))
        .and_then(|()| {
            File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(|error| why(Doing::Writing, &probe, &error))
        })
        .map_err(|why| anyhow!("--annotate {}: the folder cannot be written to: {why}", dir.display()))?;

    let sources: Vec<&Path> = items.iter().map(Item::path).collect();
    let paths: Vec<PathBuf> = photos::annotated_names(&sources).into_iter().map(|name| dir.join(name)).collect();
    let photos: Vec<PathBuf> = sources.iter().filter_map(|path| path.canonicalize().ok()).collect();
    if let Some(path) = paths.iter().find(|path| path.canonicalize().is_ok_and(|real| photos.contains(&real))) {
        bail!("--annotate {}: {} is one of the photos and would be replaced; give another folder", dir.display(), path.display());
    }
    Ok(paths)
}

/// Counts for the summary and the exit code.
#[derive(Default)]
struct Tally {
    read: usize,
    unsure: usize,
    unreadable: usize,
    /// Photos of which not a pixel could be had.
    unopened: usize,
    failed_pictures: usize,
}

impl Tally {
    fn add(&mut self, reading: &Reading) {
        match reading.status {
            Status::Read => self.read += 1,
            Status::Unsure => self.unsure += 1,
            Status::Unreadable => self.unreadable += 1,
        }
        self.unopened += usize::from(reading.width == 0);
    }

    fn total(&self) -> usize {
        self.read + self.unsure + self.unreadable
    }

    fn outcome(&self) -> Outcome {
        if self.unopened == self.total() {
            Outcome::Nothing
        } else if self.read < self.total() || self.failed_pictures > 0 {
            Outcome::Doubtful
        } else {
            Outcome::Good
        }
    }

    fn summary(&self, annotated: Option<&Path>) -> String {
        let mut text =
            format!("{} photos: {} read, {} unsure, {} unreadable", self.total(), self.read, self.unsure, self.unreadable);
        if let Some(dir) = annotated {
            text.push_str(&format!("; annotated pictures in {}", dir.display()));
        }
        if self.failed_pictures > 0 {
            text.push_str(&format!(" ({} could not be written)", self.failed_pictures));
        }
        text
    }
}
