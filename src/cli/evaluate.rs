//! `pyrameeple evaluate`.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use anyhow::{Context, anyhow, bail};
use serde::Serialize;

use super::{Outcome, args::EvaluateArgs, jobs, params_file, progress_bar, say, target};
use crate::{
    evaluation::{
        self,
        compare::Comparison,
        figures::{Figures, by_kind},
        ledger::{self, Ledger},
        table,
    },
    trouble::{Doing, cannot},
};

/// Evaluates what `args` name.
pub fn run(args: &EvaluateArgs) -> anyhow::Result<Outcome> {
    let params = params_file::load(args.common.params.as_deref())?;
    let folder = args.folder.display();
    if !args.folder.is_dir() {
        bail!("{folder} is not a folder; give a folder of photos with their truth (NAME.jpg and NAME.json)");
    }
    let cases = evaluation::cases(&args.folder)?;
    if cases.is_empty() {
        bail!("{folder} holds no photo with its truth; NAME.jpg needs a NAME.json beside it");
    }
    // The rows take the place of the tables there.
    let rows_out = args.csv.as_deref().is_some_and(target::is_stdout);
    if rows_out && args.json {
        bail!("standard output takes the rows or JSON: give --csv a file, or leave out --json");
    }
    let csv = target::file(&args.csv).map(create).transpose()?;

    let bar = progress_bar(cases.len());
    let comparisons = evaluation::evaluate(&cases, &params, jobs(args.common.jobs), || bar.inc(1))?;
    bar.finish_and_clear();

    if let Some(file) = csv {
        table::write_csv(file, &comparisons).context("--csv: the rows cannot be written; make room on that disk")?;
    }
    let mut stdout = io::stdout().lock();
    match args.json {
        _ if rows_out => table::write_csv(&mut stdout, &comparisons)?,
        true => writeln!(stdout, "{}", serde_json::to_string(&Report::of(&comparisons))?)?,
        false => write!(stdout, "{}", table::report(&comparisons))?,
    }
    stdout.flush()?;
    match &args.ledger {
        Some(path) => hold_against(path, args, &comparisons),
        None => Ok(Outcome::Good),
    }
}

fn create(path: &Path) -> anyhow::Result<BufWriter<File>> {
    super::target::check(path)?;
    let file = File::create(path).map_err(|error| anyhow!("--csv: {}", cannot(Doing::Writing, path, &error)))?;
    Ok(BufWriter::new(file))
}

/// Compares with the ledger at `path` or writes into it.
fn hold_against(path: &Path, args: &EvaluateArgs, comparisons: &[Comparison]) -> anyhow::Result<Outcome> {
    let context = || format!("--ledger {}", path.display());
    let name = match &args.section {
        Some(name) => name.clone(),
        None => {
            let real = args.folder.canonicalize()?;
            real.file_name().map_or_else(|| "photos".into(), |name| name.to_string_lossy().into_owned())
        }
    };
    let now = ledger::section(comparisons);
    let mut ledger = Ledger::load(path).with_context(context)?;
    if args.write {
        if let Ok(changes) = ledger.changes(&name, &now) {
            changes.iter().for_each(|change| say(&change.to_string()));
        }
        ledger.0.insert(name.clone(), now);
        ledger.save(path).with_context(context)?;
        say(&format!("written into section `{name}` of {}", path.display()));
        return Ok(Outcome::Good);
    }
    let changes = ledger.changes(&name, &now).with_context(context)?;
    changes.iter().for_each(|change| say(&change.to_string()));
    if changes.iter().any(|change| change.fell) {
        return Ok(Outcome::Doubtful);
    }
    match changes.as_slice() {
        [] => say(&format!("as in section `{name}` of {}", path.display())),
        _ => say("better than the ledger: write the new figures into it with --write"),
    }
    Ok(Outcome::Good)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    all: Figures,
    inside_envelope: Figures,
    by_kind: std::collections::BTreeMap<String, Figures>,
    pictures: &'a [Comparison],
}

impl<'a> Report<'a> {
    fn of(comparisons: &'a [Comparison]) -> Self {
        Self {
            all: Figures::of(comparisons),
            inside_envelope: Figures::of(comparisons.iter().filter(|comparison| comparison.inside_envelope)),
            by_kind: by_kind(comparisons),
            pictures: comparisons,
        }
    }
}
