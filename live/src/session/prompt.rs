//! Questions the program asks in the middle of a match, answered by keys or clicks.

use crate::keys::Key;

/// What an answer is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The rows of the result on show.
    Rows,
    /// The row to which a meeple that was not seen is added.
    AddRow,
    /// Who destroyed an opponent's pyramid.
    Culprit,
    /// Whose pyramid was destroyed by this player.
    Victim {
        /// Who destroyed it.
        by: String,
    },
    /// Who gives up.
    GiveUp,
    /// Whether this player built nothing in time.
    Missed {
        /// Who.
        player: String,
    },
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By typing.
    Text(String),
    /// By choosing one of several.
    Pick {
        /// What there is to choose.
        options: Vec<String>,
        /// Index of the one that ENTER takes.
        at: usize,
    },
    /// By yes (ENTER) or no (ESC).
    Confirm,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The question.
    pub question: String,
    /// How it is answered.
    pub kind: Kind,
    /// What the answer is for.
    pub purpose: Purpose,
}

/// What a key did to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is still open.
    Open,
    /// It was put aside.
    Cancelled,
    /// The text typed; empty for a yes.
    Answered(String),
    /// The index of what was chosen.
    Picked(usize),
}

/// Longest answer typed, in characters.
const LONGEST: usize = 60;

impl Prompt {
    /// A question answered by typing.
    pub fn text(question: impl Into<String>, purpose: Purpose, start: String) -> Self {
        Self { question: question.into(), kind: Kind::Text(start), purpose }
    }

    /// A question answered by choosing.
    pub fn pick(question: impl Into<String>, purpose: Purpose, options: Vec<String>) -> Self {
        Self { question: question.into(), kind: Kind::Pick { options, at: 0 }, purpose }
    }

    /// A question answered by yes or no.
    pub fn confirm(question: impl Into<String>, purpose: Purpose) -> Self {
        Self { question: question.into(), kind: Kind::Confirm, purpose }
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Step {
        if key == Key::Escape {
            return Step::Cancelled;
        }
        match (&mut self.kind, key) {
            (Kind::Text(text), Key::Enter) => Step::Answered(text.clone()),
            (Kind::Text(text), Key::Backspace) => {
                text.pop();
                Step::Open
            }
            (Kind::Text(text), Key::Char(c)) if text.chars().count() < LONGEST => {
                text.push(c);
                Step::Open
            }
            (Kind::Text(text), Key::Space) if text.chars().count() < LONGEST => {
                text.push(' ');
                Step::Open
            }
            (Kind::Pick { at, .. }, Key::Enter) => Step::Picked(*at),
            (Kind::Pick { options, at }, Key::Down | Key::Tab | Key::Right) => {
                *at = (*at + 1) % options.len().max(1);
                Step::Open
            }
            (Kind::Pick { options, at }, Key::Up | Key::Left) => {
                *at = (*at + options.len().max(1) - 1) % options.len().max(1);
                Step::Open
            }
            (Kind::Pick { options, .. }, Key::Char(c)) => {
                let number = c.to_digit(10).map(|digit| digit as usize);
                match number.and_then(|number| number.checked_sub(1)).filter(|&index| index < options.len()) {
                    Some(index) => Step::Picked(index),
                    None => Step::Open,
                }
            }
            (Kind::Confirm, Key::Enter) => Step::Answered(String::new()),
            _ => Step::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_choosing_and_putting_aside() {
        let mut rows = Prompt::text("Rows?", Purpose::Rows, String::new());
        for key in [Key::Char('5'), Key::Space, Key::Char('3'), Key::Backspace, Key::Char('4')] {
            assert_eq!(rows.key(key), Step::Open);
        }
        assert_eq!(rows.key(Key::Enter), Step::Answered("5 4".into()));
        let mut pick = Prompt::pick("Who?", Purpose::Culprit, vec!["Ann".into(), "Bo".into(), "Cy".into()]);
        assert_eq!(pick.key(Key::Char('9')), Step::Open);
        assert_eq!(pick.key(Key::Char('3')), Step::Picked(2));
        pick.key(Key::Up);
        pick.key(Key::Up);
        assert_eq!(pick.key(Key::Enter), Step::Picked(1));
        assert_eq!(pick.key(Key::Escape), Step::Cancelled);
    }
}
