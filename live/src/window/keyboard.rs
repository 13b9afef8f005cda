//! Which keys were pressed, as the session knows them.

use eframe::egui::{self, Event};

use crate::keys::Key;

/// The keys pressed since the last frame. While somebody is `typing`, characters are those that were typed, on whatever
/// keyboard; otherwise a key is the letter or digit it bears.
pub fn pressed(ctx: &egui::Context, typing: bool) -> Vec<Key> {
    let events = ctx.input(|input| input.events.clone());
    let mut keys = Vec::new();
    for event in events {
        match event {
            Event::Key { key, pressed: true, repeat, modifiers, .. }
                if !modifiers.ctrl && !modifiers.alt && !modifiers.command =>
            {
                let known = match key {
                    egui::Key::Space => Some(Key::Space),
                    egui::Key::Enter => Some(Key::Enter),
                    egui::Key::Escape => Some(Key::Escape),
                    egui::Key::Tab => Some(Key::Tab),
                    egui::Key::ArrowLeft => Some(Key::Left),
                    egui::Key::ArrowRight => Some(Key::Right),
                    egui::Key::ArrowUp => Some(Key::Up),
                    egui::Key::ArrowDown => Some(Key::Down),
                    egui::Key::Backspace | egui::Key::Delete => Some(Key::Backspace),
                    egui::Key::F11 => Some(Key::Char('F')),
                    key if !typing => single(key.name()),
                    _ => None,
                };
                // A key held down is one press; a second SPACE or ENTER would be one too many.
                let repeats = matches!(known, Some(Key::Left | Key::Right | Key::Up | Key::Down | Key::Backspace));
                keys.extend(known.filter(|_| repeats || !repeat));
            }
            Event::Text(text) if typing => keys.extend(text.chars().filter(|c| !c.is_whitespace()).map(Key::Char)),
            _ => {}
        }
    }
    keys
}

/// The key whose name is a single letter or digit.
fn single(name: &str) -> Option<Key> {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(c), None) if c.is_ascii_alphanumeric() => Some(Key::Char(c.to_ascii_uppercase())),
        _ => None,
    }
}
