//! Keys, the same in the window and in the terminal.

/// A key press, as far as the program cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The space bar.
    Space,
    /// Enter or Return.
    Enter,
    /// Escape.
    Escape,
    /// The tabulator.
    Tab,
    /// Arrow to the left.
    Left,
    /// Arrow to the right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Backspace.
    Backspace,
    /// A letter (upper case), a digit or another character that was typed.
    Char(char),
}

impl Key {
    /// The key as it is shown.
    pub fn label(self) -> String {
        match self {
            Self::Space => "SPACE".into(),
            Self::Enter => "ENTER".into(),
            Self::Escape => "ESC".into(),
            Self::Tab => "TAB".into(),
            Self::Left => "LEFT".into(),
            Self::Right => "RIGHT".into(),
            Self::Up => "UP".into(),
            Self::Down => "DOWN".into(),
            Self::Backspace => "BACKSPACE".into(),
            Self::Char(c) => c.to_uppercase().collect(),
        }
    }
}

/// A key and what it does now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The key.
    pub key: Key,
    /// What it does, in few words.
    pub does: &'static str,
}

/// Shorthand.
pub(crate) const fn hint(key: Key, does: &'static str) -> Hint {
    Hint { key, does }
}
