//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, ValueEnum, ValueHint};

use crate::source::SourceParams;

/// Points a camera at the felt; SPACE scores.
#[derive(Debug, Parser)]
#[command(
    name = "pyrameeple live",
    bin_name = "pyrameeple live",
    version,
    after_help = "\
Sources: a camera's number or name (`pyrameeple cameras` lists them), a video file, a picture or a folder of pictures,
http://… of an MJPEG stream (phones that run as IP cameras), rtsp://… and everything else that ffmpeg opens.

Examples:
  pyrameeple live                                   the first camera
  pyrameeple live --source \"HD Webcam\"              the camera of that name, and no other
  pyrameeple live friday --source http://10.0.0.7:8080/video
  pyrameeple live friday --headless                 in a terminal, over SSH

House rules that are not asked for in a terminal are agreed by `pyrameeple match new`."
)]
pub struct LiveArgs {
    /// Folder of a match to go on with; without it the program asks what to play
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Score without a match, and ask nothing: nothing is recorded
    #[arg(long, conflicts_with = "dir")]
    pub just_score: bool,
    /// Where pictures come from [default: the first camera]
    #[arg(short, long, value_name = "SOURCE", value_hint = ValueHint::AnyPath)]
    pub source: Option<String>,
    /// Size asked of a camera, px
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: (u32, u32),
    /// Pictures a second of a folder of pictures
    #[arg(long, value_name = "N", default_value_t = 10.0, value_parser = parse_fps)]
    pub fps: f64,
    /// Start a video or a folder of pictures again at its end
    #[arg(long = "loop")]
    pub repeat: bool,
    /// Show text in the terminal instead of a window
    #[arg(long)]
    pub headless: bool,
    /// Begin in full screen
    #[arg(long)]
    pub full_screen: bool,
    /// Light or dark [default: as the system has it]
    #[arg(long, value_enum)]
    pub theme: Option<ThemeArg>,
    /// No sound in the last ten seconds
    #[arg(long)]
    pub mute: bool,
    /// Read tunables from a TOML file; `pyrameeple params` prints them all
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub params: Option<PathBuf>,
    /// Write figures about speed and memory to standard error, a line of JSON every two seconds
    #[arg(long)]
    pub stats: bool,
    /// List the cameras and end
    #[arg(long, hide = true)]
    pub list_cameras: bool,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Dark letters on light ground
    Light,
    /// Light letters on dark ground
    Dark,
}

impl LiveArgs {
    /// What the source is told.
    pub fn source_params(&self) -> SourceParams {
        SourceParams { size: self.size, fps: self.fps, repeat: self.repeat }
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once(['x', '×']).and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
    sides.filter(|&(w, h): &(u32, u32)| w >= 64 && h >= 64).ok_or_else(|| "a size like 1280x720 is needed".to_owned())
}

fn parse_fps(text: &str) -> Result<f64, String> {
    let fps = text.parse().ok().filter(|fps| (0.01..=1000.0).contains(fps));
    fps.ok_or_else(|| "pictures a second, from 0.01 to 1000, are needed".to_owned())
}
