//! The last-ten-seconds cue. A sound library would need the system's sound headers to build and a sound card to start;
//! every desktop has a small program that plays a file, and where there is none the clock is seen all the same.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::clock::Cue;

/// Samples a second.
const RATE: u32 = 22_050;
/// A player that has not ended after this long is ended.
const LONGEST: Duration = Duration::from_secs(3);

/// Plays cues, or keeps silent.
pub struct Sound {
    /// `None` only while being dropped.
    cues: Option<Sender<Cue>>,
    playing: Option<JoinHandle<()>>,
    /// Whether cues are heard.
    pub on: bool,
}

impl Sound {
    /// A sound that is on or off.
    pub fn new(on: bool) -> Self {
        let (cues, heard) = channel();
        Self { cues: Some(cues), playing: Some(thread::spawn(move || play_all(&heard))), on }
    }

    /// Plays `cue` in the background, if sound is on.
    pub fn play(&self, cue: Cue) {
        if let Some(cues) = self.cues.as_ref().filter(|_| self.on) {
            // Without the thread there is no sound, which is no error.
            let _ = cues.send(cue);
        }
    }
}

impl Drop for Sound {
    fn drop(&mut self) {
        // The thread ends with the last sender, and takes its files with it.
        self.cues = None;
        if let Some(playing) = self.playing.take() {
            let _ = playing.join();
        }
    }
}

fn play_all(cues: &Receiver<Cue>) {
    let folder = std::env::temp_dir();
    let file = |name: &str| folder.join(format!("pyrameeple-{}-{name}.wav", std::process::id()));
    let (tick, end) = (file("tick"), file("end"));
    // Nothing is written as long as nothing is to be heard.
    let mut written = None;
    while let Ok(cue) = cues.recv() {
        // What a slow player was too late for is left out: a cue says what time it is.
        let cue = cues.try_iter().last().unwrap_or(cue);
        let write =
            || fs::write(&tick, wav(&[(880.0, 0.09)])).and_then(|()| fs::write(&end, wav(&[(660.0, 0.25), (440.0, 0.6)])));
        if *written.get_or_insert_with(|| write().is_ok()) {
            play(if cue == Cue::Zero { &end } else { &tick });
        }
    }
    if written.is_some() {
        for path in [&tick, &end] {
            let _ = fs::remove_file(path);
        }
    }
}

/// Plays the file with the first program that is there and willing.
fn play(path: &Path) {
    let powershell = format!("(New-Object Media.SoundPlayer '{}').PlaySync()", path.display());
    let players: &[(&str, &[&str])] = if cfg!(windows) {
        &[("powershell", &["-NoProfile", "-Command"])]
    } else if cfg!(target_os = "macos") {
        &[("afplay", &[])]
    } else {
        &[("pw-play", &[]), ("paplay", &[]), ("aplay", &["-q"])]
    };
    for (program, args) in players {
        let mut command = Command::new(program);
        command.args(*args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if cfg!(windows) {
            command.arg(&powershell)
        } else {
            command.arg(path)
        };
        let Ok(mut child) = command.spawn() else { continue };
        let started = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return,
                Ok(None) if started.elapsed() < LONGEST => thread::sleep(Duration::from_millis(20)),
                Ok(None) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return;
                }
                _ => break,
            }
        }
    }
}

/// A WAV file of tones, each with its pitch in Hz and length in s.
fn wav(tones: &[(f64, f64)]) -> Vec<u8> {
    let mut samples: Vec<i16> = Vec::new();
    for &(pitch, seconds) in tones {
        let count = (seconds * f64::from(RATE)) as usize;
        samples.extend((0..count).map(|i| {
            let t = i as f64 / f64::from(RATE);
            // Fades in and out, or it would click.
            let loudness = (t / 0.01).min((seconds - t) / 0.03).clamp(0.0, 1.0) * 0.6;
            ((t * pitch * std::f64::consts::TAU).sin() * loudness * f64::from(i16::MAX)) as i16
        }));
    }
    let bytes = samples.len() as u32 * 2;
    let mut file = Vec::with_capacity(44 + bytes as usize);
    file.extend(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(RATE.to_le_bytes());
    file.extend((RATE * 2).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_is_a_wav_file_of_its_length() {
        let file = wav(&[(440.0, 0.5)]);
        assert_eq!(&file[..4], b"RIFF");
        assert_eq!(u32::from_le_bytes(file[40..44].try_into().unwrap()) as usize, file.len() - 44);
        assert_eq!(file.len() - 44, RATE as usize);
        let loudest = file[44..].chunks(2).map(|s| i16::from_le_bytes([s[0], s[1]]).unsigned_abs()).max().unwrap();
        assert!((15_000..25_000).contains(&loudest), "{loudest}");
    }
}
