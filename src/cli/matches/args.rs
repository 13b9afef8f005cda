//! What can be typed after `match`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use crate::{
    cli::args::parse_whole,
    matchplay::{Round, Variant},
    rules,
};

/// Arguments of `match`.
#[derive(Debug, Args)]
#[command(after_help = "\
A match is a folder that explains itself: the log of events, every photo with its reading, and the sums of all files.

Exit code: 0 done; 1 done, but something is in doubt: a reading is unsure, views disagree, a photo shows what was on record \
before, or the record lacks its end; 2 refused, nothing was changed.

Examples:
  pyrameeple match new friday --variant points --turns 3 --players Anna,Ben
  pyrameeple match add friday --player Anna anna1.jpg
  pyrameeple match add friday --player Ben front.jpg side.jpg      several views of one pyramid
  pyrameeple match show friday
  pyrameeple match correct friday --player Ben --reject 7 --reason \"piece 7 leans on the box\"
  pyrameeple match export friday --out friday.html")]
pub struct MatchArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: MatchCommand,
}

/// What can be done with a match.
#[derive(Debug, Subcommand)]
pub enum MatchCommand {
    /// Begin a match in a new folder
    New(NewArgs),
    /// Add what a player built, by one or more photos of it
    Add(AddArgs),
    /// Show the scoreboard, round by round
    Show(ShowArgs),
    /// Correct what counts of an accepted result
    Correct(CorrectArgs),
    /// Take back the last thing that was recorded and still counts
    Undo(DirArgs),
    /// Record that a player gives up
    Forfeit(ForfeitArgs),
    /// Record that a player destroyed an opponent's pyramid, and loses at once
    Destroyed(DestroyedArgs),
    /// Write the match as JSON, CSV, Markdown or HTML
    Export(ExportArgs),
}

/// Which game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VariantArg {
    /// Variant 1: the most points after the agreed turns
    Points,
    /// Variant 2: higher and higher, the last player left
    Higher,
}

impl From<VariantArg> for Variant {
    fn from(arg: VariantArg) -> Self {
        match arg {
            VariantArg::Points => Self::Points,
            VariantArg::Higher => Self::Higher,
        }
    }
}

/// Arguments of `match new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Colours of meeples: red, blue, green, yellow, black, grey, pink, orange, purple, white, natural, brown.

Examples:
  pyrameeple match new friday --variant points --turns 3 --players Anna,Ben
  pyrameeple match new tower --variant higher --players Anna,Ben,Cleo
  pyrameeple match new shared --variant points --turns 3 --shared --players Anna=red,Ben=blue+green")]
pub struct NewArgs {
    /// Folder of the match; must not exist or be empty
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Which game is played
    #[arg(long, value_enum)]
    pub variant: VariantArg,
    /// The players, with the colours of their meeples on a shared playmat: Anna,Ben or Anna=red,Ben=blue+green
    #[arg(long, value_name = "NAME[=COLOUR[+COLOUR]],…", value_delimiter = ',')]
    pub players: Vec<String>,
    /// One more player, whose name is taken as it stands (may hold commas or equals signs)
    #[arg(long = "player", value_name = "NAME")]
    pub more_players: Vec<String>,
    /// Agreed number of turns, 1 to 1000; needed in points, not to be given in higher
    #[arg(long, value_name = "N", value_parser = parse_whole, allow_negative_numbers = true)]
    pub turns: Option<u32>,
    /// All build on one playmat; players are told apart by the colours of their meeples
    #[arg(long)]
    pub shared: bool,
    /// Time to build in seconds [default: 120 for points, 45 for higher]
    #[arg(long, value_name = "S", value_parser = parse_whole, allow_negative_numbers = true)]
    pub seconds: Option<u32>,
    /// House option: pictures taken after time score all the same
    #[arg(long)]
    pub late_scores: bool,
    /// House option: a meeple beyond the playmat voids the whole pyramid it belongs to
    #[arg(long)]
    pub void_overhang: bool,
    /// House option of higher: at least as high and on at least that base will do
    #[arg(long)]
    pub at_least: bool,
    /// House option of higher: a round that everyone left fails is played again instead of sharing the win
    #[arg(long)]
    pub play_again: bool,
    /// House option of higher: results of a round may come in any order
    #[arg(long)]
    pub any_order: bool,
}

/// Arguments of `match add`.
#[derive(Debug, Args)]
#[command(after_help = "\
Of several views that one is used which the program stands by rather than doubts, and among those the one with the highest \
confidence; of equals the first. All are kept, and where they show different rows, that is said and put on record.
A file that is on record already is refused; one that shows the same scene, as a copy does, is accepted with a doubt.

Exit code: 0 done; 1 on record, but in doubt; 2 refused, nothing was changed.

Examples:
  pyrameeple match add friday --player Anna anna1.jpg
  pyrameeple match add friday --player Ben front.jpg side.jpg
  pyrameeple match add friday --player Ben ben1.jpg --rows 4,3,1 --reason \"counted at the table\"
  pyrameeple match add friday --player Anna --nothing")]
pub struct AddArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Who built it; may be left out on a shared playmat, where one photo shows what all built
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// Photos of the pyramid: one, or several views of it
    #[arg(value_name = "PHOTO", value_hint = ValueHint::FilePath, required_unless_present = "nothing")]
    pub photos: Vec<PathBuf>,
    /// The player built nothing in time, and there is no photo
    #[arg(long, conflicts_with_all = ["photos", "rows", "late", "seconds"], requires = "player")]
    pub nothing: bool,
    /// Refuse unless this turn or round is being played
    #[arg(long, value_name = "N", value_parser = parse_round, allow_negative_numbers = true)]
    pub round: Option<Round>,
    /// The photo was taken after time
    #[arg(long)]
    pub late: bool,
    /// Seconds the player took; more than the time to build makes the photo late
    #[arg(long, value_name = "S", value_parser = parse_seconds_taken, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// What stands by a count by hand, the lowest row first, where the photo is misread: 5,4,2,1
    #[arg(long, value_name = "ROWS", value_parser = parse_rows, requires = "reason", requires = "player")]
    pub rows: Option<Rows>,
    /// Why the count by hand is right, or why nothing was built
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Read tunables from a TOML file; they go on record, and `verify` reads with them again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub params: Option<PathBuf>,
}

/// Arguments of `match show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Print the standings as one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `match correct`.
#[derive(Debug, Args)]
#[command(after_help = "\
The numbers of pieces are those on the annotated picture, of the view that was used: annotated-1.jpg in the folder of the turn. \
What was read stays on record beside the correction, and `match undo` takes the correction back.

Examples:
  pyrameeple match correct friday --player Ben --reject 7 --reason \"piece 7 leans on the box\"
  pyrameeple match correct friday --player Ben --round 2 --rows 5,4,2,1 --reason \"one was hidden\"
  pyrameeple match correct friday --player Ben --count 9=2 --add 3 --reason \"both stand\"
  pyrameeple match correct friday --player Ben --late --reason \"touched it after time\"")]
pub struct CorrectArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Whose result is corrected
    #[arg(long, value_name = "NAME")]
    pub player: String,
    /// Of which turn or round; 3.1 is round 3 played again [default: the player's last one]
    #[arg(long, value_name = "N", value_parser = parse_round, allow_negative_numbers = true)]
    pub round: Option<Round>,
    /// Set the meeples of each row, the lowest first: 5,4,2,1 (0 for no pyramid)
    #[arg(long, value_name = "ROWS", value_parser = parse_rows, conflicts_with_all = ["reject", "count", "add"])]
    pub rows: Option<Rows>,
    /// Pieces that were counted and do not count
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub reject: Vec<usize>,
    /// Pieces that were not counted and do count, each with its row
    #[arg(long, value_name = "ID=ROW,…", value_delimiter = ',', value_parser = parse_count)]
    pub count: Vec<(usize, usize)>,
    /// Rows with a meeple that was not seen at all
    #[arg(long, value_name = "ROW,…", value_delimiter = ',')]
    pub add: Vec<usize>,
    /// The picture was taken after time
    #[arg(long, conflicts_with = "in_time")]
    pub late: bool,
    /// The picture was taken in time
    #[arg(long)]
    pub in_time: bool,
    /// Why; it stays on record
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

/// A match.
#[derive(Debug, Args)]
pub struct DirArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
}

/// Arguments of `match forfeit`.
#[derive(Debug, Args)]
pub struct ForfeitArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Who gives up
    #[arg(long, value_name = "NAME")]
    pub player: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// Arguments of `match destroyed`.
#[derive(Debug, Args)]
pub struct DestroyedArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Who destroyed an opponent's pyramid
    #[arg(long, value_name = "NAME")]
    pub by: String,
    /// Whose pyramid it was
    #[arg(long, value_name = "NAME")]
    pub of: Option<String>,
}

/// A format of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Everything, for other programs
    Json,
    /// A line per turn, for spreadsheets
    Csv,
    /// For reading and for wikis
    #[value(name = "md", alias = "markdown")]
    Markdown,
    /// One page with all pictures
    #[value(alias = "htm")]
    Html,
}

/// Arguments of `match export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Folder of the match
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Format [default: by the ending of FILE, else json]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// File to write; standard output when left out, or `-`
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
}

/// Rows as one argument: clap takes a bare `Vec` for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows(pub Vec<usize>);

/// Rows as people write them.
pub fn parse_rows(text: &str) -> Result<Rows, String> {
    rules::parse_rows(text).map(Rows).map_err(|error| error.to_string())
}

/// Seconds that somebody took.
fn parse_seconds_taken(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| "a number of seconds is needed, 0 or more".to_owned())
}

/// `3` or `3.1`, for round 3 played again.
fn parse_round(text: &str) -> Result<Round, String> {
    let (number, replay) = text.split_once('.').unwrap_or((text, "0"));
    match (number.parse(), replay.parse()) {
        (Ok(number), Ok(replay)) if number > 0 => Ok(Round { number, replay }),
        _ => Err("a round is a number from 1, like 3; 3.1 is round 3 played again".to_owned()),
    }
}

/// `7=2`: piece 7 counts in row 2.
fn parse_count(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('=').map(|(id, row)| (id.trim().parse(), row.trim().parse()));
    match parts {
        Some((Ok(id), Ok(row))) => Ok((id, row)),
        _ => Err("give the piece and the row it stands in, like 7=2".to_owned()),
    }
}
