//! How a stream is, in words.

use crate::source::SourceError;

/// How a stream is.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The source is being opened; some cameras take twenty seconds.
    Opening {
        /// What is being opened.
        what: String,
        /// For how long, s.
        seconds: f64,
    },
    /// It is open; its first pictures are waited for, or still black.
    Waking,
    /// A file is open; its first picture is waited for.
    Starting {
        /// What was opened.
        what: String,
    },
    /// Pictures come.
    Good,
    /// Pictures come, but they are black.
    Black,
    /// The same picture comes again and again.
    Frozen {
        /// For how long, s.
        seconds: f64,
    },
    /// No pictures come, or none that can be decoded.
    Stalled {
        /// For how long, s.
        seconds: f64,
        /// What was wrong with the last picture, if it could not be decoded.
        damage: Option<String>,
        /// The file that the pictures are in; `None` where they come from a camera or over a network.
        file: Option<String>,
    },
    /// The source failed and is being opened again and again.
    Lost {
        /// How it failed.
        error: SourceError,
        /// How long ago, s.
        seconds: f64,
    },
}

/// From here on opening takes long enough to say for how long, s.
const LONG_OPENING: f64 = 1.5;

impl Condition {
    /// Whether what is seen is what stands on the table now.
    pub fn is_good(&self) -> bool {
        *self == Self::Good
    }

    /// What is wrong and what to do about it; `None` when nothing is.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Self::Good => return None,
            Self::Opening { what, seconds } if *seconds < LONG_OPENING => format!("Opening {what} …"),
            Self::Opening { what, seconds } => {
                format!("{what} has not answered for {seconds:.0} s; still trying (some cameras take 20 s)")
            }
            Self::Waking => "The camera is waking up …".to_owned(),
            Self::Black => "The picture is black: take the cover off the lens, or put a light on.".to_owned(),
            Self::Frozen { seconds } => format!(
                "The picture has been frozen for {seconds:.0} s: the camera or its app hangs; restart it, the program then goes on."
            ),
            Self::Starting { what } => format!("Waiting for the first picture in {what} …"),
            Self::Stalled { seconds, damage: None, file: Some(file) } => {
                format!("No picture has come out of {file} for {seconds:.0} s: is it damaged, or its disk slow?")
            }
            Self::Stalled { seconds, damage: Some(damage), file: Some(file) } => {
                format!("No picture in {file} could be decoded for {seconds:.0} s ({damage}).")
            }
            Self::Stalled { seconds, damage: None, file: None } => {
                format!("No picture has come for {seconds:.0} s: check the cable or the network; the program goes on by itself.")
            }
            Self::Stalled { seconds, damage: Some(damage), file: None } => {
                format!("No picture could be decoded for {seconds:.0} s ({damage}): check the cable or the network.")
            }
            Self::Lost { error, .. } => {
                let text = error.to_string();
                // A file or an address at the beginning keeps its name.
                let is_name = text.split(' ').next().is_some_and(|word| word.contains(['/', '\\', '.', ':']));
                let mut letters = text.chars();
                let first = letters.next().into_iter().flat_map(char::to_uppercase);
                if is_name { format!("{text}.") } else { format!("{}.", first.chain(letters).collect::<String>()) }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_wrong_is_said_as_a_sentence() {
        let lost = Condition::Lost { error: SourceError::Unplugged { camera: "camera 0 (Brio)".into() }, seconds: 1.0 };
        assert_eq!(lost.words().as_deref(), Some("Camera 0 (Brio) was unplugged: plug it in again and the program goes on."));
        assert_eq!(Condition::Good.words(), None);
        let opening = |seconds| Condition::Opening { what: "camera 0".into(), seconds }.words().unwrap();
        let stalled =
            |file: Option<&str>| Condition::Stalled { seconds: 2.0, damage: None, file: file.map(Into::into) }.words().unwrap();
        assert!(stalled(None).contains("cable") && !stalled(Some("film.mp4")).contains("cable"));
        assert!(opening(0.2).starts_with("Opening camera 0") && opening(7.2).contains("for 7 s"));
    }
}
