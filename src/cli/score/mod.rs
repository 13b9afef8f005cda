//! `pyrameeple score`.

mod annotated;
mod options;
mod output;
mod resume;
mod tally;
mod watch;

use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    path::PathBuf,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::bail;

use super::{Outcome, args::ScoreArgs, jobs, params_file, progress_bar, say, target};
use crate::{
    batch,
    overhang::void_overhanging,
    overlay,
    params::Params,
    photos::{self, Found, Item, Skipped},
    players::Players,
    reading::Reading,
    trouble::{Doing, why},
};
use annotated::Annotated;
use output::Outputs;
use tally::Tally;
use watch::Watch;

/// Scores what `args` name.
pub fn run(args: &ScoreArgs) -> anyhow::Result<Outcome> {
    let params = params_file::load(args.common.params.as_deref())?;
    check(args)?;
    let Found { mut items, skipped } = photos::collect(&args.paths, args.recursive, args.annotate.as_deref());
    if args.verbose {
        skipped.iter().for_each(tell_skipped);
    }
    if args.watch {
        // A folder may be empty for now.
        items.retain(|item| matches!(item, Item::Photo(_)));
    }
    // Before anything is read, so that a photo that changes meanwhile is read again.
    let mut watch = args.watch.then(|| Watch::new(args, &items));

    let mut annotated = args.annotate.as_deref().map(Annotated::new).transpose()?;
    let mut jobs: Vec<Job> = items.into_iter().map(|item| Job { annotated: None, item }).collect();
    if let Some(annotated) = &mut annotated {
        annotated.name_all(&mut jobs)?;
    }
    let mut names: Vec<String> = jobs.iter().map(|job| job.item.path().display().to_string()).collect();
    if args.watch {
        // The table's columns are set before most photos are there.
        let folders = args.paths.iter().filter(|path| path.is_dir());
        names.extend(folders.map(|folder| folder.join(NAME_OF_A_PHOTO).display().to_string()));
    }
    let options = options::noted(args, &params);
    let mut earlier = HashMap::new();
    let mut tally = Tally::default();
    if args.resume {
        (earlier, tally) = resume::earlier(args, &options)?;
    }
    let total = jobs.len();
    jobs.retain(|job| !take(&mut earlier, &job.item));
    tally.read_before = total - jobs.len();

    let outputs = Outputs::open(args, names.iter().map(String::as_str), &options)?;
    drop(names);
    let mut run = Run { args, params: Arc::new(params), outputs, tally, stop: on_interrupt()? };
    run.score(jobs)?;
    while let Some(watch) = &mut watch
        && let Some(arrived) = watch.next(&run.stop, total == 0)
    {
        let name = |path: PathBuf| Job { annotated: annotated.as_mut().map(|a| a.name_one(&path)), item: Item::Photo(path) };
        run.score(arrived.into_iter().map(name).collect())?;
    }
    run.outputs.finish()?;
    run.say_end(annotated.as_ref(), &skipped);
    Ok(match run.stop.load(Ordering::Relaxed) {
        // Watching has no other end.
        true if !args.watch => Outcome::Interrupted,
        _ => run.tally.outcome(),
    })
}

/// As long as cameras' and phones' names of photos are, for a table that photos are still to come into.
const NAME_OF_A_PHOTO: &str = "PXL_20260101_120000000.jpg";

/// Refuses options that make no sense together.
fn check(args: &ScoreArgs) -> anyhow::Result<()> {
    let results = [&args.results, &args.csv];
    if args.resume && results.iter().all(|path| target::file(path).is_none()) {
        bail!("--resume needs the file in which the interrupted run kept its results: give --results FILE (or --csv FILE)");
    }
    if args.resume && results.into_iter().flatten().any(|path| target::is_stdout(path)) {
        bail!("--resume goes on with a file, and `-` is standard output: give the name of the file");
    }
    if args.paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("`-` is given twice, and standard input holds one photo");
    }
    if args.watch && !args.paths.iter().any(|path| path.is_dir()) {
        bail!("--watch waits for photos to arrive in a folder, and none of the paths is a folder: give one");
    }
    Ok(())
}

fn tell_skipped(skipped: &Skipped) {
    say(&format!("skipped {}: {}", skipped.path.display(), skipped.why));
}

/// Whether `item` is among the photos read by an earlier run; each of those stands for one item.
fn take(earlier: &mut HashMap<String, usize>, item: &Item) -> bool {
    match earlier.get_mut(&item.path().display().to_string()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}

/// Set by the first Ctrl-C (or SIGTERM), which lets the photos in work be finished; the second ends the program at once.
fn on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        say("finishing the photos in work; Ctrl-C again ends at once");
    })?;
    Ok(stop)
}

/// Something to be read.
#[derive(Debug)]
struct Job {
    item: Item,
    /// Where its annotated copy goes, if it gets one.
    annotated: Option<PathBuf>,
}

/// A reading, and what went wrong beside it.
struct Read {
    reading: Reading,
    trouble: Option<String>,
}

/// A run of the program, over all its batches of photos.
struct Run<'a> {
    args: &'a ScoreArgs,
    params: Arc<Params>,
    outputs: Outputs,
    tally: Tally,
    stop: Arc<AtomicBool>,
}

impl Run<'_> {
    /// Reads `jobs` and hands the readings to the outputs.
    fn score(&mut self, items: Vec<Job>) -> anyhow::Result<()> {
        let bar = progress_bar(items.len());
        let options =
            batch::Options { jobs: jobs(self.args.common.jobs), limit: Some(self.args.timeout), stop: Arc::clone(&self.stop) };
        let (params, players, void) = (Arc::clone(&self.params), self.args.players.clone(), self.args.void_overhang);
        let mut failure = None;
        let (outputs, tally) = (&mut self.outputs, &mut self.tally);
        let ended = batch::run(
            &Arc::new(items),
            &options,
            move |_, job| read(job, &params, players.as_ref(), void),
            |job, failure| Read { reading: batch::failed_reading(job.item.path(), failure), trouble: None },
            |_, read| {
                tally.add(&read.reading);
                // The bar steps aside while a line is printed, or they would land on one another.
                let written = bar.suspend(|| {
                    if let Some(trouble) = &read.trouble {
                        tally.failed_pictures += 1;
                        say(&format!("pyrameeple: {trouble}"));
                    }
                    outputs.write(&read.reading)
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
        );
        bar.finish_and_clear();
        if let Some(error) = failure {
            return Err(error);
        }
        Ok(ended?)
    }

    /// What is said when everything is done.
    fn say_end(&self, annotated: Option<&Annotated>, skipped: &[Skipped]) {
        let interrupted = self.stop.load(Ordering::Relaxed) && !self.args.watch;
        match annotated.and_then(Annotated::only) {
            Some(path) if path.exists() => say(&format!("annotated picture: {}", path.display())),
            _ if self.tally.total() != 1 || self.tally.read_before > 0 || interrupted => {
                say(&self.tally.summary(self.args.annotate.as_deref()));
            }
            _ => {}
        }
        if interrupted && [&self.args.results, &self.args.csv].iter().any(|path| target::file(path).is_some()) {
            say("interrupted; the same command with --resume goes on from here");
        }
        if let Some(text) = skipped_text(skipped, self.args.verbose) {
            say(&text);
        }
    }
}

/// The reading of `job`; its annotated copy is written beside.
fn read(job: &Job, params: &Params, players: Option<&Players>, void: bool) -> Read {
    if let Some(reading) = job.item.unreadable() {
        return Read { reading, trouble: None };
    }
    let batch::ReadPhoto { picture, mut reading } = batch::read_photo(job.item.path(), params);
    if void {
        void_overhanging(&mut reading);
    }
    if let Some(players) = players {
        players.apply(&mut reading);
    }
    let trouble = job.annotated.as_deref().zip(picture).and_then(|(path, picture)| {
        let drawn = overlay::draw(&picture.rgb, &reading).map_err(|error| error.to_string());
        let save = |drawn| overlay::save(&drawn, path).map_err(|error: io::Error| why(Doing::Writing, path, &error));
        let error = drawn.and_then(save).err()?;
        Some(format!("cannot write {}: {error}", path.display()))
    });
    Read { reading, trouble }
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
