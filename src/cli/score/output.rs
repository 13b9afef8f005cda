//! The places readings go to: standard output, and the files asked for.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use anyhow::{anyhow, bail};

use crate::{
    cli::{ScoreArgs, stdout_is_coloured, target},
    export::{CsvExport, Export, JsonLines, Table},
    reading::Reading,
    trouble::{Doing, cannot},
};

/// All of them.
pub struct Outputs(Vec<Output>);

impl Outputs {
    /// Opens what `args` ask for; `names` are those of the photos, `options` what the results note of how they were read. With
    /// `--resume` the files are added to.
    pub fn open<'a>(args: &ScoreArgs, names: impl Iterator<Item = &'a str>, options: &str) -> anyhow::Result<Self> {
        let stdout = BufWriter::new(io::stdout());
        let [results, csv] = [&args.results, &args.csv].map(target::file);
        let [results_there, csv_there] = [&args.results, &args.csv].map(|path| path.as_deref().is_some_and(target::is_stdout));
        let export: Box<dyn Export> = match (args.json || results_there, csv_there) {
            (true, true) => bail!("standard output takes one format: leave out --json or one of the options that name `-`"),
            (true, false) => Box::new(JsonLines::new(stdout)),
            (false, true) => Box::new(CsvExport::new(stdout)?.with_options(options.to_owned())),
            (false, false) => Box::new(Table::new(stdout, names, stdout_is_coloured())),
        };
        if let (Some(results), Some(csv)) = (results, csv)
            && target::same(results, csv)
        {
            bail!("--results and --csv both name {}: give each a file of its own", csv.display());
        }
        let mut outputs = vec![Output { path: None, export }];
        if let Some(path) = results {
            target::check(path)?;
            if !args.resume && path.metadata().is_ok_and(|about| about.is_file() && about.len() > 0) {
                bail!(
                    "--results: {} holds results already; add --resume to go on with them, or give the name of a new file",
                    path.display()
                );
            }
            let file =
                OpenOptions::new().append(true).create(true).open(path).map_err(|error| failed("--results", path, &error))?;
            let lines = JsonLines::new(BufWriter::new(file)).with_options(options.to_owned());
            outputs.push(Output { path: Some(path.to_owned()), export: Box::new(lines) });
        }
        if let Some(path) = csv {
            target::check(path)?;
            let csv = match args.resume && path.metadata().is_ok_and(|about| about.len() > 0) {
                true => OpenOptions::new().append(true).open(path).map(|file| CsvExport::resumed(BufWriter::new(file))),
                false => File::create(path).and_then(|file| CsvExport::new(BufWriter::new(file))),
            };
            let csv = csv.map_err(|error| failed("--csv", path, &error))?;
            outputs.push(Output { path: Some(path.to_owned()), export: Box::new(csv.with_options(options.to_owned())) });
        }
        Ok(Self(outputs))
    }

    /// Writes `reading` to all of them.
    pub fn write(&mut self, reading: &Reading) -> anyhow::Result<()> {
        self.0.iter_mut().try_for_each(|output| output.export.write(reading).map_err(|error| output.failed(error)))
    }

    /// Writes what is held back.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.0.iter_mut().try_for_each(|output| output.export.finish().map_err(|error| output.failed(error)))
    }
}

fn failed(option: &str, path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{option}: {}", cannot(Doing::Writing, path, error))
}

/// A place results go to.
struct Output {
    /// The file; `None` for standard output.
    path: Option<PathBuf>,
    export: Box<dyn Export>,
}

impl Output {
    /// The error with the place's name. A closed pipe stays recognisable: it is nobody's mistake.
    fn failed(&self, error: io::Error) -> anyhow::Error {
        match &self.path {
            _ if error.kind() == io::ErrorKind::BrokenPipe => error.into(),
            Some(path) => anyhow!(cannot(Doing::Writing, path, &error)),
            None => anyhow!(cannot(Doing::Writing, Path::new("standard output"), &error)),
        }
    }
}
