//! Videos and every kind of address, decoded by the program `ffmpeg` beside this one: it knows all formats, and whatever it
//! does cannot stop the window. Pictures arrive as PPM, which says its size in front of each.

use std::{
    io::{self, BufRead, BufReader, ErrorKind},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use image::RgbImage;

use super::{PATIENCE, Source, SourceError, SourceParams, spec::without_password};
use crate::{frame::Raw, slot::Slot};

/// Longest wait for the first picture of an address, s; ffmpeg itself would wait for ever.
const FIRST: Duration = Duration::from_secs(8);
/// Most pixels of a picture: a damaged stream must not ask for all memory.
const MOST_PIXELS: u64 = 64_000_000;
/// How often the last picture of a video that has ended is shown again.
const STANDING: Duration = Duration::from_millis(200);

/// A video or stream being decoded.
pub struct Ffmpeg {
    shown: String,
    is_live: bool,
    child: Child,
    pictures: Arc<Slot<RgbImage>>,
    ended: Arc<AtomicBool>,
    said: thread::JoinHandle<String>,
    /// Whether a picture has come.
    has_shown: bool,
    /// The last picture of a video, which stands at its end; `None` for an address.
    last: Option<RgbImage>,
    opened: Instant,
}

impl Ffmpeg {
    /// Starts decoding `input`, a file or an address.
    pub fn open(input: &str, params: &SourceParams) -> Result<Self, SourceError> {
        let (shown, is_live) = (without_password(input), input.contains("://"));
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-nostdin"]);
        if is_live {
            // As little buffering as possible: the newest picture is wanted, not every one.
            command.args(["-fflags", "nobuffer", "-flags", "low_delay"]);
            if input.starts_with("rtsp") {
                command.args(["-rtsp_transport", "tcp"]);
            }
        } else {
            command.arg("-re");
            if params.repeat {
                command.args(["-stream_loop", "-1"]);
            }
        }
        command.args(["-i", input, "-an", "-f", "image2pipe", "-c:v", "ppm", "-"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => SourceError::NoFfmpeg { what: shown.clone() },
            _ => SourceError::System { what: "ffmpeg cannot be started".into(), why: error.to_string() },
        })?;
        let pictures = Arc::new(Slot::default());
        let ended = Arc::new(AtomicBool::new(false));
        if let Some(stdout) = child.stdout.take() {
            let (pictures, ended) = (pictures.clone(), ended.clone());
            thread::spawn(move || {
                let mut reader = BufReader::with_capacity(1 << 20, stdout);
                while let Ok(picture) = read_ppm(&mut reader) {
                    pictures.put(picture);
                }
                ended.store(true, Ordering::Release);
                pictures.wake();
            });
        }
        let stderr = child.stderr.take();
        // The last line of what it complains about says why; reading it all keeps ffmpeg from waiting for a reader.
        let said = thread::spawn(move || {
            let lines = stderr.map(BufReader::new).into_iter().flat_map(|reader| reader.lines().map_while(Result::ok));
            lines.filter(|line| !line.trim().is_empty()).last().unwrap_or_default()
        });
        Ok(Self { shown, is_live, child, pictures, ended, said, has_shown: false, last: None, opened: Instant::now() })
    }

    /// Why it ended before a picture came, or in the middle of a stream.
    fn why(&mut self) -> SourceError {
        let _ = self.child.kill();
        let said = std::mem::replace(&mut self.said, thread::spawn(String::new)).join().unwrap_or_default();
        let why = match said.rsplit_once(": ") {
            Some((_, why)) => why.to_owned(),
            None if said.is_empty() => "it ended".to_owned(),
            None => said,
        };
        match (self.is_live, self.has_shown) {
            (true, true) => SourceError::BrokeOff { address: self.shown.clone(), why },
            (true, false) => SourceError::NoAnswer { address: self.shown.clone(), why },
            (false, true) => SourceError::Unreadable { what: self.shown.clone(), why },
            (false, false) => {
                SourceError::Unreadable { what: self.shown.clone(), why: format!("ffmpeg finds no video in it ({why})") }
            }
        }
    }
}

impl Source for Ffmpeg {
    fn words(&self) -> String {
        self.shown.clone()
    }

    fn next(&mut self) -> Result<Raw, SourceError> {
        let standing = if self.ended.load(Ordering::Acquire) { self.last.clone() } else { None };
        let patience = if standing.is_some() { STANDING } else { PATIENCE };
        if let Some(picture) = self.pictures.take(patience, || self.ended.load(Ordering::Acquire) && standing.is_none()) {
            self.has_shown = true;
            if !self.is_live {
                self.last = Some(picture.clone());
            }
            return Ok(Raw::Pixels(picture));
        }
        match standing {
            // A video that has ended stands like a table that nobody touches.
            Some(picture) => Ok(Raw::Pixels(picture)),
            None if self.ended.load(Ordering::Acquire) && (self.is_live || !self.has_shown) => Err(self.why()),
            None if self.is_live && !self.has_shown && self.opened.elapsed() > FIRST => {
                let _ = self.child.kill();
                Err(SourceError::NoAnswer { address: self.shown.clone(), why: "no picture came in time".into() })
            }
            None => Err(SourceError::Late),
        }
    }

    fn is_live(&self) -> bool {
        self.is_live
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next PPM picture: `P6`, width, height and 255 in letters, then the pixels.
fn read_ppm(reader: &mut impl BufRead) -> io::Result<RgbImage> {
    let damaged = || io::Error::new(ErrorKind::InvalidData, "not a PPM picture");
    let mut word = || -> io::Result<String> {
        let mut text = String::new();
        loop {
            let mut byte = [0];
            reader.read_exact(&mut byte)?;
            match byte[0] {
                b if b.is_ascii_whitespace() && text.is_empty() => {}
                b if b.is_ascii_whitespace() => return Ok(text),
                b if text.len() < 8 => text.push(char::from(b)),
                _ => return Err(damaged()),
            }
        }
    };
    let magic = word()?;
    let (width, height, most) = (word()?, word()?, word()?);
    let (width, height): (u32, u32) = (width.parse().map_err(|_| damaged())?, height.parse().map_err(|_| damaged())?);
    if magic != "P6" || most != "255" || u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(damaged());
    }
    let mut pixels = vec![0; width as usize * height as usize * 3];
    reader.read_exact(&mut pixels)?;
    RgbImage::from_raw(width, height, pixels).ok_or_else(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_changing_size_follow_one_another() {
        let mut stream: &[u8] = b"P6\n1 1\n255\n\x0a\x20\x30P6\n2 1\n255\n123456";
        assert_eq!(read_ppm(&mut stream).unwrap().as_raw()[..], [10, 32, 48]);
        assert_eq!(read_ppm(&mut stream).unwrap().dimensions(), (2, 1));
        assert_eq!(read_ppm(&mut stream).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert!(read_ppm(&mut &b"P6\n99999 99999\n255\n"[..]).is_err());
    }
}
