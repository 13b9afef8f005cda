//! `--headless`: the table as text in a terminal, with the same keys, for a small computer over SSH.

mod ask;

use std::{
    io::{self, ErrorKind, IsTerminal, Read, Write},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use crossterm::{
    cursor,
    event::{self, Event, KeyCode, KeyEventKind, KeyModifiers},
    execute, queue,
    terminal::{self, Clear, ClearType},
};
use pyrameeple::{
    reading::Status,
    rules::{show_points, show_rows},
};

pub use ask::{Plan, ask};

use crate::{
    engine::Engine,
    keys::Key,
    session::{Kind, Origin, Session, Shown},
    stats::Stats,
};

/// How long is waited for a key before everything takes a step.
const STEP: Duration = Duration::from_millis(40);
/// How often the screen is written anew.
const REDRAW: Duration = Duration::from_millis(200);
/// Columns and lines assumed where the terminal does not tell its size, as serial consoles do not.
const ASSUMED_SIZE: (u16, u16) = (80, 24);

/// Runs the table in the terminal until Q. Where standard input or output is no terminal, keys are read as characters and
/// only what changes is written, a line each; there it is an error if the input ends before anything was typed, or before the
/// result on show was accepted or discarded.
pub fn run(engine: &mut Engine, stats: bool) -> io::Result<()> {
    let mut stats = Stats::new(stats);
    let ran = if io::stdin().is_terminal() && io::stdout().is_terminal() {
        Raw::enter().and_then(|_raw| on_screen(engine, &mut stats))
    } else {
        as_lines(engine, &mut stats)
    };
    engine.leave();
    ran
}

/// The terminal in a state where each key arrives at once; back to what it was when dropped.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

fn on_screen(engine: &mut Engine, stats: &mut Stats) -> io::Result<()> {
    let mut drawn: Option<Instant> = None;
    loop {
        let mut pressed = false;
        if event::poll(STEP)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            let key = match key.code {
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(()),
                KeyCode::Char(' ') => Some(Key::Space),
                KeyCode::Char(c) => Some(Key::Char(c)),
                KeyCode::Enter => Some(Key::Enter),
                KeyCode::Esc => Some(Key::Escape),
                KeyCode::Tab => Some(Key::Tab),
                KeyCode::Left => Some(Key::Left),
                KeyCode::Right => Some(Key::Right),
                KeyCode::Up => Some(Key::Up),
                KeyCode::Down => Some(Key::Down),
                KeyCode::Backspace | KeyCode::Delete => Some(Key::Backspace),
                _ => None,
            };
            if key.is_some_and(|key| !press(engine, key, Instant::now())) {
                return Ok(());
            }
            pressed = true;
        }
        let now = Instant::now();
        engine.tick(now);
        if pressed || drawn.is_none_or(|drawn| now.duration_since(drawn) >= REDRAW) {
            stats.drawn(engine, now);
            drawn = Some(now);
            let told = terminal::size().ok().filter(|&(width, height)| width > 0 && height > 0);
            let (width, height) = told.unwrap_or(ASSUMED_SIZE);
            let mut lines = screen(engine, now);
            if told.is_none() {
                let (width, height) = ASSUMED_SIZE;
                lines.push(format!(
                    "The terminal does not tell its size: {width} × {height} is assumed (`stty cols C rows R` sets it)."
                ));
            }
            let mut out = io::stdout().lock();
            queue!(out, cursor::MoveTo(0, 0))?;
            for line in fitted(&lines, width.into(), usize::from(height) - 1) {
                write!(out, "{line}")?;
                queue!(out, Clear(ClearType::UntilNewLine))?;
                write!(out, "\r\n")?;
            }
            queue!(out, Clear(ClearType::FromCursorDown))?;
            out.flush()?;
        }
    }
}

/// `lines` broken to `width` columns; where there are more than `height`, without those that are empty.
fn fitted(lines: &[String], width: usize, height: usize) -> Vec<String> {
    let broken: Vec<String> = lines.iter().flat_map(|line| broken(line, width)).collect();
    let room = |lines: &[String]| lines.len() <= height;
    let mut fitted: Vec<String> =
        if room(&broken) { broken } else { broken.into_iter().filter(|line| !line.is_empty()).collect() };
    fitted.truncate(height);
    fitted
}

/// `line` in pieces of no more than `width` columns: broken between keys where it lists keys, else between words.
fn broken(line: &str, width: usize) -> Vec<String> {
    const BETWEEN_KEYS: &str = "   ";
    let gap = if line.trim().contains(BETWEEN_KEYS) { BETWEEN_KEYS } else { " " };
    let mut pieces = vec![String::new()];
    for part in line.split_inclusive(gap) {
        let columns = |text: &str| text.trim_end().chars().count();
        match pieces.last_mut() {
            Some(last) if columns(&format!("{last}{part}")) <= width || last.is_empty() => last.push_str(part),
            _ => pieces.push(part.to_owned()),
        }
    }
    pieces.iter().map(|piece| piece.trim_end().chars().take(width).collect()).collect()
}

fn as_lines(engine: &mut Engine, stats: &mut Stats) -> io::Result<()> {
    let keys = characters();
    let mut shown: Vec<String> = Vec::new();
    let mut typed = false;
    loop {
        match keys.recv_timeout(STEP) {
            Ok(key) if !press(engine, key, Instant::now()) => return Ok(()),
            Ok(_) => typed = true,
            Err(RecvTimeoutError::Disconnected) => {
                let session = engine.session.as_ref();
                let open = session.is_some_and(|session| session.is_scoring() || session.shown().is_some());
                let what = match (typed, open) {
                    (_, true) => "standard input has ended before the result was accepted (ENTER) or discarded (ESC)",
                    (false, _) => {
                        "standard input has ended before any key: keys are read from it, so run it in a terminal or keep the pipe open"
                    }
                    _ => return Ok(()),
                };
                return Err(io::Error::new(ErrorKind::UnexpectedEof, what));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        engine.tick(now);
        stats.drawn(engine, now);
        let lines = notable(engine, now);
        for line in lines.iter().filter(|line| !shown.iter().any(|before| is_told(before, line))) {
            writeln!(io::stdout(), "{line}")?;
        }
        shown = lines;
    }
}

/// Whether `line` says no more than `before`: how many seconds it has lasted is not worth a line each second.
fn is_told(before: &str, line: &str) -> bool {
    let without_seconds = |text: &str| -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let counts = |at: usize| words[at].parse::<u64>().is_ok() && words.get(at + 1).is_some_and(|next| next.starts_with('s'));
        (0..words.len()).filter(|&at| !counts(at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
    };
    before == line || without_seconds(before) == without_seconds(line)
}

/// The characters of standard input as keys, read in a thread since nothing else can be done while waiting for them.
fn characters() -> Receiver<Key> {
    let (keys, pressed) = channel();
    thread::spawn(move || {
        for byte in io::stdin().lock().bytes().map_while(Result::ok) {
            let key = match byte {
                b' ' => Key::Space,
                b'\n' | b'\r' => Key::Enter,
                0x1b => Key::Escape,
                b'\t' => Key::Tab,
                0x08 | 0x7f => Key::Backspace,
                byte if byte.is_ascii_graphic() => Key::Char(char::from(byte)),
                _ => continue,
            };
            if keys.send(key).is_err() {
                return;
            }
        }
    });
    pressed
}

/// Takes a key; false when it was the one that leaves.
fn press(engine: &mut Engine, key: Key, now: Instant) -> bool {
    let Some(session) = &mut engine.session else { return key != Key::Char('q') };
    let typing = session.prompt.as_ref().is_some_and(|prompt| matches!(prompt.kind, Kind::Text(_)));
    let key = match key {
        Key::Char(c) if !typing => Key::Char(c.to_ascii_uppercase()),
        key => key,
    };
    if !session.key(key, now) {
        match key {
            Key::Char('Q') => return false,
            Key::Char('M') => engine.sound.on = !engine.sound.on,
            _ => {}
        }
    }
    true
}

/// Everything there is to see, as lines.
pub fn screen(engine: &Engine, now: Instant) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(session) = &engine.session else { return lines };
    if let Some(game) = session.game() {
        let whose = match game.outcome() {
            Some(outcome) => format!("Finished: {outcome}"),
            None => format!("{}   {}", turn_words(session), session.clock.words(now)),
        };
        lines.extend([whose, String::new()]);
        lines.extend(standings(session));
        lines.push(String::new());
    }
    lines.extend(stream(engine));
    lines.push(String::new());
    lines.extend(matters(engine, session));
    if let Some(message) = session.current_message(now) {
        lines.extend([String::new(), format!("» {}", message.text)]);
    }
    lines.push(String::new());
    let mut hints: Vec<String> = session.hints().iter().map(|hint| format!("{} {}", hint.key.label(), hint.does)).collect();
    if session.prompt.is_none() {
        hints.extend(["M sound".to_owned(), "Q leave".to_owned()]);
    }
    lines.push(hints.join("   "));
    lines
}

/// What is worth a line of its own when it changes: not the clock, not the running reading.
fn notable(engine: &Engine, now: Instant) -> Vec<String> {
    let Some(session) = &engine.session else { return Vec::new() };
    let mut lines = Vec::new();
    lines.extend(engine.sight.condition.words().filter(|words| !words.ends_with('…')));
    if session.shown().is_some() || session.prompt.is_some() {
        lines.extend(matters(engine, session));
    }
    lines.extend(session.current_message(now).map(|message| format!("» {}", message.text)));
    if let Some(game) = session.game() {
        match game.outcome() {
            Some(outcome) => lines.push(format!("Finished: {outcome}")),
            None => lines.push(turn_words(session)),
        }
        lines.extend(standings(session));
    }
    lines
}

fn turn_words(session: &Session) -> String {
    let round = session.round().map_or_else(String::new, |round| format!("{} {round}", session.setup().round_word()));
    format!("{round}: {}", session.players().join(", "))
}

fn standings(session: &Session) -> Vec<String> {
    let Some(game) = session.game() else { return Vec::new() };
    let standings = game.standings();
    let width = standings.players.iter().map(|s| s.player.chars().count()).max().unwrap_or(0);
    let line = |standing: &pyrameeple::matchplay::Standing| {
        let figure = match standing.rounds_built {
            Some(rounds) => format!("{rounds} built"),
            None => show_points(standing.points),
        };
        let pad = " ".repeat(width - standing.player.chars().count());
        let out = if standing.out.is_some() { "  out" } else { "" };
        let wins = if standing.winner { "  wins" } else { "" };
        format!("{:>3}. {}{pad}  {figure}{out}{wins}", standing.place, standing.player)
    };
    standings.players.iter().map(line).collect()
}

/// How the stream is.
fn stream(engine: &Engine) -> Vec<String> {
    let sight = &engine.sight;
    let mut lines = match sight.condition.words() {
        Some(words) => vec![words],
        None => vec![format!("{}, {:.0} pictures a second", sight.source, sight.fps)],
    };
    if let Some([before, after]) = sight.resized {
        lines.push(format!("The picture's size has changed from {} × {} to {} × {}.", before.0, before.1, after.0, after.1));
    }
    lines
}

/// The question, the result or the running reading.
fn matters(engine: &Engine, session: &Session) -> Vec<String> {
    if let Some(prompt) = &session.prompt {
        let mut lines = vec![prompt.question.clone()];
        match &prompt.kind {
            Kind::Text(text) => lines.push(format!("> {text}_")),
            Kind::Pick { options, at } => {
                let option = |(index, option): (usize, &String)| {
                    format!("{} {} {option}", if index == *at { ">" } else { " " }, index + 1)
                };
                lines.extend(options.iter().enumerate().map(option));
            }
            Kind::Confirm => {}
        }
        return lines;
    }
    if let Some(shown) = session.shown() {
        return result(session, shown);
    }
    if session.is_scoring() {
        return vec!["Scoring: waiting until nothing moves, hands out of the picture …".to_owned()];
    }
    match engine.running().filter(|_| engine.sight.condition.is_good()) {
        None => vec!["…".to_owned()],
        Some(seen) => {
            let rows = seen.reading.score.as_ref().map(|score| score.rows.as_slice());
            let mut lines = vec![format!("Now on the felt: {}", score_words(rows, seen.reading.status))];
            lines.extend(Session::doubt_of(&seen.reading));
            lines
        }
    }
}

fn result(session: &Session, shown: &Shown) -> Vec<String> {
    let heading = match shown.origin {
        Origin::Key => "Result",
        Origin::Buzzer => "At time zero",
    };
    let mut lines = Vec::new();
    for (index, player) in shown.players.iter().enumerate() {
        let status = if shown.is_corrected() { Status::Read } else { shown.status() };
        let mark = if shown.players.len() > 1 && index == shown.player { "› " } else { "" };
        let whose = if session.game().is_some() { format!(", {mark}{player}") } else { String::new() };
        lines.push(format!("{heading}{whose}: {}", score_words(shown.rows(index).as_deref(), status)));
    }
    if shown.is_corrected() {
        lines.push("corrected by hand".to_owned());
    }
    if shown.counts_late() {
        lines.push("late".to_owned());
    }
    lines.extend(shown.doubts().into_iter().map(|doubt| format!("doubt: {doubt}")));
    if let Some(piece) = shown.selected.and_then(|id| shown.reading().pieces.iter().find(|piece| piece.id == id)) {
        let counts = match shown.mark(piece) {
            crate::session::Mark::Counts(row) => format!("counts in row {row}"),
            crate::session::Mark::CountsByHand(row) => format!("counts in row {row} by hand"),
            crate::session::Mark::DoesNot => format!("does not count: {}", piece.reason.as_deref().unwrap_or("no reason")),
            crate::session::Mark::RejectedByHand => "rejected by hand".to_owned(),
        };
        lines.push(format!("piece #{}, {} {}: {counts}", piece.id, piece.colour, piece.state.name()));
    }
    lines
}

fn score_words(rows: Option<&[usize]>, status: Status) -> String {
    let Some(rows) = rows else { return "cannot be read".to_owned() };
    let unsure = if status == Status::Unsure { " (unsure)" } else { "" };
    format!("{} – {}{unsure}", show_rows(rows), show_points(pyrameeple::rules::points(rows)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_keys_stay_whole() {
        let lines = ["SPACE score   C start clock   Q leave".to_owned(), String::new(), "no playmat found: show it".to_owned()];
        assert_eq!(fitted(&lines, 18, 9), ["SPACE score", "C start clock", "Q leave", "", "no playmat found:", "show it"]);
        assert_eq!(fitted(&lines, 18, 5), ["SPACE score", "C start clock", "Q leave", "no playmat found:", "show it"]);
        assert_eq!(broken("Donaudampfschiff", 8), ["Donaudam"]);
    }

    #[test]
    fn seconds_that_pass_are_no_news_but_points_are() {
        assert!(is_told("No picture has come for 1 s: check", "No picture has come for 2 s: check"));
        assert!(!is_told("  1. Ann  10 points", "  1. Ann  23 points"));
    }
}
