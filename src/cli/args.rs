//! What can be typed.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueHint};

use crate::players::Players;

const EXAMPLES: &str = "\
Examples:
  pyrameeple score table.jpg
  pyrameeple score evening/ --recursive --annotate scored --csv scores.csv
  pyrameeple score --json *.jpg | jq .score.points
  pyrameeple score shared.jpg --players Ann=red,Bo=blue+orange
  pyrameeple match new friday --variant points --turns 3 --players Ann,Bo
  pyrameeple match add friday --player Ann ann1.jpg
  pyrameeple verify friday

`pyrameeple COMMAND --help` has the options, exit codes and examples of each.";

/// Scores pyramids of wooden meeples on an A4 felt playmat from photos.
#[derive(Debug, Parser)]
#[command(name = "pyrameeple", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what the pyramids in photos are worth
    Score(ScoreArgs),
    /// Hold readings against the truth about photos
    Evaluate(EvaluateArgs),
    /// Play a match and keep it on record
    Match(super::matches::MatchArgs),
    /// Check saved pictures and read them again
    Verify(super::verify::VerifyArgs),
    /// Point a camera at the felt and score with SPACE
    #[command(disable_help_flag = true)]
    Live {
        /// What the live program takes; `pyrameeple live --help` lists it
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        args: Vec<OsString>,
    },
    /// List the cameras: numbers, names, sizes and formats
    Cameras,
    /// Print every tunable with its default, as a file for --params
    Params,
    /// Print the completions of a shell
    #[command(hide = true)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual in man page format, or write a page for each command into a folder
    #[command(hide = true)]
    Man {
        /// The folder; it must be there.
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}

/// Arguments of `score`.
#[derive(Debug, Args)]
#[command(after_help = "\
Photos are JPEG, PNG, WebP, TIFF, BMP, GIF, HEIC or AVIF files, told by their content; `-` is one photo on standard input.
Results go to standard output in the order given, messages to standard error. As FILE, `-` is standard output: what is \
written there takes the place of the table.

Colours of meeples: red, blue, green, yellow, black, grey, pink, orange, purple, white, natural, brown.

Exit code: 0 every photo was read; 1 some photo was unsure or unreadable, or its annotated picture could not be written; \
2 wrong usage, or no photo could be opened; 130 interrupted by Ctrl-C.

Examples:
  pyrameeple score table.jpg                         one photo
  pyrameeple score evening/ -r --annotate scored     folders, with pictures that show why
  pyrameeple score *.jpg --csv scores.csv            a table for a spreadsheet as well
  pyrameeple score --json *.jpg | jq .score.points   for other programs
  pyrameeple score archive/ -r --results all.jsonl   thousands of photos; --resume goes on
  pyrameeple score camera/ --watch                   photos as they arrive
  pyrameeple score shared.jpg --players Ann=red,Bo=blue+orange")]
pub struct ScoreArgs {
    /// Photos, and folders of photos
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Look into folders inside folders too
    #[arg(short, long)]
    pub recursive: bool,
    /// Print one line of JSON for each photo instead of the table
    #[arg(long)]
    pub json: bool,
    /// Also write a row for each photo to FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
    /// Also write a picture for each photo into DIR, with every piece outlined and numbered
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub annotate: Option<PathBuf>,
    /// Whose meeples are which, for a shared playmat: each player's highest pyramid counts
    #[arg(long, value_name = "NAME=COLOUR[+COLOUR],…")]
    pub players: Option<Players>,
    /// A meeple beyond the playmat voids the whole pyramid it belongs to, instead of not counting alone
    #[arg(long)]
    pub void_overhang: bool,
    /// Also write one line of JSON for each photo to FILE, as it is read
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub results: Option<PathBuf>,
    /// Go on with the FILE of --results (or --csv) where an earlier run was interrupted: photos in it are not read again, and
    /// --players, --void-overhang and --params must be as before
    #[arg(long)]
    pub resume: bool,
    /// When the photos there are have been read, wait for more to arrive in the folders; Ctrl-C ends it
    #[arg(long)]
    pub watch: bool,
    /// Longest that reading one photo may take; then it is reported as unreadable and the run goes on
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub timeout: Duration,
    /// Name every file in a folder that is not taken for a photo
    #[arg(short, long)]
    pub verbose: bool,
    /// What both commands take.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
FOLDER holds NAME.jpg (or .png …) beside NAME.json, the truth about it; testdata/README.md has the format.
As FILE of --csv, `-` is standard output: the rows take the place of the tables.

Exit code: 0 done; 1 a figure fell below the ledger; 2 wrong usage, or nothing to evaluate.

Examples:
  pyrameeple evaluate testdata
  pyrameeple evaluate testdata --csv pictures.csv                      picture by picture
  pyrameeple evaluate testdata --ledger testdata/ledger.toml           compare with the ledger
  pyrameeple evaluate testdata --ledger testdata/ledger.toml --write   write the figures into it")]
pub struct EvaluateArgs {
    /// Photos with truth
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Print the figures as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write a row for each picture to FILE, with the stage that went wrong first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
    /// Compare the figures with the accuracy ledger in FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub ledger: Option<PathBuf>,
    /// Write the figures into the ledger instead of comparing
    #[arg(long, requires = "ledger")]
    pub write: bool,
    /// Section of the ledger [default: the folder's name]
    #[arg(long, requires = "ledger", value_name = "NAME")]
    pub section: Option<String>,
    /// What both commands take.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What both commands take.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Photos read at a time [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Read tunables from a TOML file; `pyrameeple params` prints them all
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub params: Option<PathBuf>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|time| !time.is_zero()).ok_or_else(|| "a number of seconds above 0 is needed".into())
}

/// A whole number from 0, with a message of its own for what is below.
pub(super) fn parse_whole(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "a whole number is needed, 0 or more".into())
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".into()),
        Ok(n) => Ok(n),
    }
}
