//! A picture to draw on with smooth lines and letters.

use ab_glyph::{Font, FontRef, OutlineCurve};
use image::RgbImage;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, StrokeDash,
    Transform,
};

use crate::geometry::Px;

/// The letters of all annotated pictures (licence beside the file).
static FONT: &[u8] = include_bytes!("../../assets/OpenSans-Semibold.ttf");

/// Height of the capitals of the font as a share of the letter size.
pub const CAPITALS: f32 = 0.714;

/// Where a text's given x lies in it.
#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    /// At its left end.
    Left,
    /// In its middle.
    Middle,
}

/// How a line is drawn: its colour over a wider dark or light casing, so that it shows on any picture.
#[derive(Clone, Copy)]
pub struct Line {
    /// Colour of the line.
    pub colour: Color,
    /// Width of the line, px.
    pub width: f32,
    /// Colour of the casing.
    pub casing: Color,
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// A picture to draw on. Coordinates are px of the canvas.
pub struct Canvas {
    pixels: Pixmap,
    font: FontRef<'static>,
}

/// Why there is no canvas.
#[derive(Debug, thiserror::Error)]
pub enum CanvasError {
    /// No pixels, or more than memory can hold.
    #[error("a picture of {0} × {1} px cannot be drawn")]
    Size(u32, u32),
    /// Cannot happen with the font compiled in.
    #[error("the font cannot be used: {0}")]
    Font(#[from] ab_glyph::InvalidFont),
}

impl Canvas {
    /// A canvas of one colour.
    pub fn new(width: u32, height: u32, background: Color) -> Result<Self, CanvasError> {
        let mut pixels = Pixmap::new(width, height).ok_or(CanvasError::Size(width, height))?;
        pixels.fill(background);
        Ok(Self { pixels, font: FontRef::try_from_slice(FONT)? })
    }

    /// Lays `picture` on the canvas with its top edge at `top`.
    pub fn paste(&mut self, picture: &RgbImage, top: u32) {
        let width = self.pixels.width() as usize;
        let rows = self.pixels.pixels_mut().chunks_exact_mut(width).skip(top as usize);
        for (row, source) in rows.zip(picture.rows()) {
            for (pixel, rgb) in row.iter_mut().zip(source) {
                let [r, g, b] = rgb.0;
                if let Some(opaque) = PremultipliedColorU8::from_rgba(r, g, b, 255) {
                    *pixel = opaque;
                }
            }
        }
    }

    /// The finished picture.
    pub fn into_picture(self) -> RgbImage {
        let (width, height) = (self.pixels.width(), self.pixels.height());
        let rgb = self.pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
        RgbImage::from_raw(width, height, rgb).unwrap_or_default()
    }

    /// Draws `path` as a line.
    pub fn stroke(&mut self, path: &Path, line: Line) {
        let casing = line.width + (line.width * 0.9).max(1.5);
        for (colour, width) in [(line.casing, casing), (line.colour, line.width)] {
            let dash = if line.dashed && width == line.width {
                StrokeDash::new(vec![line.width * 3.0, line.width * 2.5], 0.0)
            } else {
                None
            };
            let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, dash, ..Stroke::default() };
            self.pixels.stroke_path(path, &paint(colour), &stroke, Transform::identity(), None);
        }
    }

    /// Fills `path` with one colour.
    pub fn fill(&mut self, path: &Path, colour: Color) {
        self.pixels.fill_path(path, &paint(colour), FillRule::Winding, Transform::identity(), None);
    }

    /// Fills a rectangle with round corners.
    pub fn fill_rounded(&mut self, rect: Rect, radius: f32, colour: Color) {
        if let Some(path) = rounded(rect, radius) {
            self.fill(&path, colour);
        }
    }

    /// Writes `text` on the baseline `at`, with a halo of `halo` around the letters.
    pub fn text(&mut self, text: &str, at: (f32, f32), size: f32, align: Align, colour: Color, halo: Option<Color>) {
        let shift = match align {
            Align::Left => 0.0,
            Align::Middle => self.text_width(text, size) / 2.0,
        };
        let Some(path) = self.letters(text, (at.0 - shift, at.1), size) else { return };
        if let Some(halo) = halo {
            let stroke = Stroke { width: (size * 0.15).max(2.0), line_join: LineJoin::Round, ..Stroke::default() };
            self.pixels.stroke_path(&path, &paint(halo), &stroke, Transform::identity(), None);
        }
        self.fill(&path, colour);
    }

    /// Width of `text` at `size`, px.
    pub fn text_width(&self, text: &str, size: f32) -> f32 {
        let units: f32 = text.chars().map(|c| self.font.h_advance_unscaled(self.font.glyph_id(c))).sum();
        units * self.px_per_unit(size)
    }

    /// `text` broken between words into lines no wider than `width`; at most `lines` of them, the last ending in `…` when
    /// something is left.
    pub fn wrap(&self, text: &str, size: f32, width: f32, lines: usize) -> Vec<String> {
        let mut wrapped: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match wrapped.last_mut() {
                Some(line) if self.text_width(&format!("{line} {word}"), size) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => wrapped.push(word.to_owned()),
            }
        }
        if wrapped.len() > lines {
            wrapped.truncate(lines);
            if let Some(last) = wrapped.last_mut() {
                while !last.is_empty() && self.text_width(&format!("{last} …"), size) > width {
                    last.pop();
                }
                *last = format!("{} …", last.trim_end());
            }
        }
        wrapped
    }

    fn px_per_unit(&self, size: f32) -> f32 {
        size / self.font.units_per_em().unwrap_or(2048.0)
    }

    /// The outlines of `text`'s letters, from the font's own curves.
    fn letters(&self, text: &str, (mut x, y): (f32, f32), size: f32) -> Option<Path> {
        let scale = self.px_per_unit(size);
        let mut path = PathBuilder::new();
        for c in text.chars() {
            let glyph = self.font.glyph_id(c);
            let place = |p: ab_glyph::Point| (x + p.x * scale, y - p.y * scale);
            let mut end = None;
            for curve in self.font.outline(glyph).map(|outline| outline.curves).unwrap_or_default() {
                let start = match &curve {
                    OutlineCurve::Line(a, _) | OutlineCurve::Quad(a, _, _) | OutlineCurve::Cubic(a, _, _, _) => place(*a),
                };
                if end != Some(start) {
                    if end.is_some() {
                        path.close();
                    }
                    path.move_to(start.0, start.1);
                }
                end = Some(match curve {
                    OutlineCurve::Line(_, b) => {
                        let b = place(b);
                        path.line_to(b.0, b.1);
                        b
                    }
                    OutlineCurve::Quad(_, c, b) => {
                        let (c, b) = (place(c), place(b));
                        path.quad_to(c.0, c.1, b.0, b.1);
                        b
                    }
                    OutlineCurve::Cubic(_, c, d, b) => {
                        let (c, d, b) = (place(c), place(d), place(b));
                        path.cubic_to(c.0, c.1, d.0, d.1, b.0, b.1);
                        b
                    }
                });
            }
            if end.is_some() {
                path.close();
            }
            x += self.font.h_advance_unscaled(glyph) * scale;
        }
        path.finish()
    }
}

fn paint(colour: Color) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(colour);
    paint
}

/// A closed line through `points`.
pub fn polygon(points: impl IntoIterator<Item = Px>) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, point) in points.into_iter().enumerate() {
        match index {
            0 => path.move_to(point.x as f32, point.y as f32),
            _ => path.line_to(point.x as f32, point.y as f32),
        }
    }
    path.close();
    path.finish()
}

/// A rectangle with round corners.
pub fn rounded(rect: Rect, radius: f32) -> Option<Path> {
    let r = radius.min(rect.width() / 2.0).min(rect.height() / 2.0);
    let (left, top, right, bottom) = (rect.left(), rect.top(), rect.right(), rect.bottom());
    let mut path = PathBuilder::new();
    path.move_to(left + r, top);
    path.line_to(right - r, top);
    path.quad_to(right, top, right, top + r);
    path.line_to(right, bottom - r);
    path.quad_to(right, bottom, right - r, bottom);
    path.line_to(left + r, bottom);
    path.quad_to(left, bottom, left, bottom - r);
    path.line_to(left, top + r);
    path.quad_to(left, top, left + r, top);
    path.close();
    path.finish()
}

/// The two strokes of a cross over `rect`.
pub fn cross(rect: Rect) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(rect.left(), rect.top());
    path.line_to(rect.right(), rect.bottom());
    path.move_to(rect.right(), rect.top());
    path.line_to(rect.left(), rect.bottom());
    path.finish()
}
