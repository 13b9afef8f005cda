//! The strips above and below the photo.

use tiny_skia::{Color, PathBuilder, Rect};

use super::{
    Frame,
    canvas::{Align, CAPITALS, Canvas, Line, cross},
    pieces::rejected,
};
use crate::{
    export::{not_counted, points_text},
    reading::{Reading, Status},
};

/// Behind both strips.
pub fn background() -> Color {
    Color::from_rgba8(27, 28, 33, 255)
}

/// Of letters that matter less.
fn dim() -> Color {
    Color::from_rgba8(184, 186, 194, 255)
}

/// Most lines of reason and advice, and of pieces that do not count.
const MOST_LINES: usize = 4;

/// A line of text ready to be drawn.
struct TextLine {
    text: String,
    size: f32,
    colour: Color,
}

/// The strip above the photo: score, status, players, why and what to do.
pub struct Header {
    score: TextLine,
    detail: String,
    status: Status,
    lines: Vec<TextLine>,
    pad: f32,
}

impl Header {
    /// The strip for `reading`, laid out for the frame's width.
    pub fn new(ruler: &Canvas, frame: &Frame, reading: &Reading) -> Self {
        let (score, detail) = match &reading.score {
            Some(score) => {
                let detail = match score.rows.as_slice() {
                    [] => "nothing stands on the playmat".into(),
                    rows => format!("rows {}, {}", dotted(rows), meeples_text(score.meeples)),
                };
                (points_text(score.points), detail)
            }
            None => ("no score".into(), String::new()),
        };
        let pad = frame.letters * 0.55;
        let size = fit(ruler, &score, &detail, frame.letters, frame.width - 2.0 * pad - chip_width(ruler, frame, reading.status));
        let mut lines = Vec::new();
        let small = frame.letters * 0.82;
        let width = frame.width - 2.0 * pad;
        let mut add = |text: &str, colour: Color| {
            lines.extend(ruler.wrap(text, small, width, MOST_LINES).into_iter().map(|text| TextLine {
                text,
                size: small,
                colour,
            }));
        };
        if !reading.players.is_empty() {
            let players = reading.players.iter().map(|(name, score)| match score.rows.as_slice() {
                [] => format!("{name}: {}", points_text(score.points)),
                rows => format!("{name}: {} ({})", points_text(score.points), dotted(rows)),
            });
            add(&players.collect::<Vec<_>>().join("  ·  "), Color::WHITE);
        }
        if let Some(reason) = &reading.reason {
            add(&format!("Why: {reason}"), Color::WHITE);
        }
        if let Some(advice) = &reading.advice {
            add(&format!("Do: {advice}"), dim());
        }
        Self { score: TextLine { text: score, size, colour: Color::WHITE }, detail, status: reading.status, lines, pad }
    }

    fn main_height(&self, letters: f32) -> f32 {
        letters * 1.7 + self.pad
    }

    /// Height of the strip, whole px.
    pub fn height(&self) -> f32 {
        let letters = self.pad / 0.55;
        let lines: f32 = self.lines.iter().map(|line| line.size * 1.35).sum();
        let below = if self.lines.is_empty() { 0.0 } else { self.pad * 0.6 };
        (self.main_height(letters) + lines + below).ceil()
    }

    /// Draws the strip.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame) {
        band(canvas, frame, 0.0, self.height());
        let main = self.main_height(frame.letters);
        let baseline = main / 2.0 + self.score.size * CAPITALS / 2.0;
        canvas.text(&self.score.text, (self.pad, baseline), self.score.size, Align::Left, self.score.colour, None);
        let after = self.pad + canvas.text_width(&self.score.text, self.score.size) + self.score.size * 0.55;
        canvas.text(&self.detail, (after, baseline), self.score.size * DETAIL, Align::Left, dim(), None);
        draw_chip(canvas, frame, self.status, main / 2.0, self.pad);
        let mut y = main - self.pad * 0.2;
        for line in &self.lines {
            y += line.size * 1.35;
            canvas.text(&line.text, (self.pad, y - line.size * 0.35), line.size, Align::Left, line.colour, None);
        }
    }
}

/// Meeples per row, row 1 first, with dots between them.
fn dotted(rows: &[usize]) -> String {
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" · ")
}

fn meeples_text(meeples: usize) -> String {
    format!("{meeples} {}", if meeples == 1 { "meeple" } else { "meeples" })
}

/// Size of what follows the points, as a share of theirs.
const DETAIL: f32 = 0.68;

/// The largest size up to a headline's at which points and rows fit into `width`.
fn fit(ruler: &Canvas, score: &str, detail: &str, letters: f32, width: f32) -> f32 {
    let size = letters * 1.7;
    let needed = ruler.text_width(score, size) + size * 0.55 + ruler.text_width(detail, size * DETAIL);
    if needed <= width { size } else { size * width / needed }
}

fn status_word(status: Status) -> (&'static str, Color) {
    match status {
        Status::Read => ("read", Color::from_rgba8(0, 150, 110, 255)),
        Status::Unsure => ("unsure", Color::from_rgba8(240, 190, 40, 255)),
        Status::Unreadable => ("unreadable", Color::from_rgba8(213, 70, 40, 255)),
    }
}

fn chip_width(ruler: &Canvas, frame: &Frame, status: Status) -> f32 {
    ruler.text_width(status_word(status).0, frame.letters) + frame.letters * 2.6
}

/// The status as a word beside a sign of its own: a tick, a question mark, a cross.
fn draw_chip(canvas: &mut Canvas, frame: &Frame, status: Status, middle: f32, pad: f32) {
    let (word, colour) = status_word(status);
    let letters = frame.letters;
    let (width, height) = (chip_width(canvas, frame, status), letters * 1.7);
    let left = frame.width - pad - width;
    if let Some(rect) = Rect::from_xywh(left, middle - height / 2.0, width, height) {
        canvas.fill_rounded(rect, height / 2.0, colour);
    }
    let ink = if status == Status::Unsure { background() } else { Color::WHITE };
    let (x, half) = (left + letters * 1.05, letters * 0.34);
    let line = Line { colour: ink, width: letters * 0.16, casing: Color::TRANSPARENT, dashed: false };
    match status {
        Status::Read => {
            let mut tick = PathBuilder::new();
            tick.move_to(x - half, middle);
            tick.line_to(x - half * 0.2, middle + half * 0.75);
            tick.line_to(x + half, middle - half * 0.75);
            if let Some(path) = tick.finish() {
                canvas.stroke(&path, line);
            }
        }
        Status::Unsure => {
            let size = letters * 1.25;
            canvas.text("?", (x, middle + size * CAPITALS / 2.0), size, Align::Middle, ink, None);
        }
        Status::Unreadable => {
            let path = Rect::from_ltrb(x - half, middle - half, x + half, middle + half).and_then(cross);
            if let Some(path) = path {
                canvas.stroke(&path, line);
            }
        }
    }
    canvas.text(word, (left + letters * 1.8, middle + letters * CAPITALS * 0.46), letters, Align::Left, ink, None);
}

/// The strip below the photo: what does not count, and what the numbers mean.
pub struct Footer {
    rejected: Vec<String>,
    key: Option<&'static str>,
    size: f32,
    pad: f32,
}

impl Footer {
    /// The strip for `reading`, laid out for the frame's width.
    pub fn new(ruler: &Canvas, frame: &Frame, reading: &Reading) -> Self {
        let (size, pad) = (frame.letters * 0.78, frame.letters * 0.45);
        let groups = not_counted(reading);
        let text = groups.iter().map(|(reason, ids)| {
            let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
            format!("{reason} {}", ids.join(" "))
        });
        let rejected = match groups.is_empty() {
            true => Vec::new(),
            false => {
                let text = format!("Not counted: {}", text.collect::<Vec<_>>().join("  ·  "));
                ruler.wrap(&text, size, frame.width - 2.0 * pad - size * 1.4, MOST_LINES)
            }
        };
        let key = reading
            .pieces
            .iter()
            .any(|piece| piece.counted)
            .then_some("large figure: row, and the points of the piece   #: number of the piece");
        Self { rejected, key, size, pad }
    }

    /// Height of the strip, whole px.
    pub fn height(&self) -> f32 {
        let lines = self.rejected.len() + usize::from(self.key.is_some());
        if lines == 0 { 0.0 } else { (lines as f32 * self.size * 1.35 + 2.0 * self.pad).ceil() }
    }

    /// Draws the strip.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame) {
        let top = frame.top + frame.photo_height;
        band(canvas, frame, top, self.height());
        let mut y = top + self.pad + self.size;
        for (index, line) in self.rejected.iter().enumerate() {
            if index == 0 {
                let half = self.size * 0.3;
                let (x, middle) = (self.pad + half, y - self.size * CAPITALS / 2.0);
                if let Some(path) = Rect::from_ltrb(x - half, middle - half, x + half, middle + half).and_then(cross) {
                    let line = Line { colour: rejected(), width: self.size * 0.16, casing: Color::TRANSPARENT, dashed: false };
                    canvas.stroke(&path, line);
                }
            }
            canvas.text(line, (self.pad + self.size * 1.2, y), self.size, Align::Left, Color::WHITE, None);
            y += self.size * 1.35;
        }
        if let Some(key) = self.key {
            canvas.text(key, (self.pad, y), self.size * 0.9, Align::Left, dim(), None);
        }
    }
}

/// Covers what was drawn beyond the photo.
fn band(canvas: &mut Canvas, frame: &Frame, top: f32, height: f32) {
    if let Some(rect) = Rect::from_xywh(0.0, top, frame.width, height) {
        canvas.fill_rounded(rect, 0.0, background());
    }
}
