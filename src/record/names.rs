//! File names made from player names: plain ASCII, so that they are the same on Linux, macOS and Windows, in every zip
//! program, and however a system composes its accents.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::matchplay::Round;

/// Longest part of a file name that comes from a player's name: paths on Windows may have 260 characters in all.
const LONGEST: usize = 32;

/// `name` as part of a file name: ASCII letters in lower case, digits and single dashes; "player" when nothing is left.
///
/// Not unique by itself, and "con" or "nul" alone would be a device on Windows: [`turn_folder`] puts the player's number
/// in front, which settles both.
///
/// ```
/// assert_eq!(pyrameeple::record::file_name("Zoë O'Neill"), "zoe-o-neill");
/// assert_eq!(pyrameeple::record::file_name("李雷"), "player");
/// ```
pub fn file_name(name: &str) -> String {
    let mut out = String::new();
    // Decomposed, so that an accented letter leaves its plain one behind.
    for c in name.nfkd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= LONGEST {
            break;
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "player".to_owned() } else { out.to_owned() }
}

/// The folder of a round: `rounds/03`, or `rounds/03-again-1` when it is played again.
pub fn round_folder(round: Round) -> String {
    match round.replay {
        0 => format!("{}/{:02}", super::ROUNDS, round.number),
        replay => format!("{}/{:02}-again-{replay}", super::ROUNDS, round.number),
    }
}

/// The folder of a turn: the round's, then the player's number and name; of a picture of several players `0-together`.
/// `taken` says which folders are in use: a turn that was undone keeps its folder, and the next one gets another.
pub fn turn_folder(round: Round, players: &[(usize, &str)], taken: impl Fn(&str) -> bool) -> String {
    let own = match players {
        [(index, name)] => format!("{}-{}", index + 1, file_name(name)),
        _ => "0-together".to_owned(),
    };
    let first = format!("{}/{own}", round_folder(round));
    let candidates = std::iter::once(first.clone()).chain((2u32..).map(|n| format!("{first}-try-{n}")));
    candidates.into_iter().find(|folder| !taken(folder)).unwrap_or(first)
}
