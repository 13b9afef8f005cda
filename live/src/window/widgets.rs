//! Small things to draw: keys, banners, a pyramid as bars.

use eframe::egui::{
    self, Align2, Color32, Pos2, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, text::LayoutJob, vec2,
};

use super::theme::{Palette, letters, row_colour};
use crate::keys::Hint;

/// A key with what it does, to be pressed or clicked. It never takes the keyboard's focus: SPACE must always score.
pub fn key_button(ui: &mut Ui, hint: &Hint, unit: f32, palette: &Palette) -> Response {
    let (size, pad) = (16.0 * unit, 6.0 * unit);
    let label = ui.painter().layout_no_wrap(hint.key.label(), letters(size * 0.9), palette.ink);
    let does = ui.painter().layout_no_wrap(hint.does.to_owned(), letters(size), palette.ink);
    let cap = vec2(label.size().x.max(size) + pad * 1.4, size * 1.7);
    let (rect, response) = ui.allocate_exact_size(vec2(cap.x + does.size().x + pad * 2.2, cap.y), Sense::CLICK);
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, format!("{} {}", hint.key.label(), hint.does)));
    let key = Rect::from_min_size(rect.min, cap);
    let fill = if response.hovered() { palette.good.gamma_multiply(0.5) } else { palette.raised };
    ui.painter().rect(key, 5.0 * unit, fill, Stroke::new(1.0 * unit, palette.faint), egui::StrokeKind::Inside);
    ui.painter().galley(key.center() - label.size() / 2.0, label, palette.ink);
    let at = pos2(key.right() + pad * 0.8, rect.center().y - does.size().y / 2.0);
    ui.painter().galley(at, does, palette.ink);
    response
}

/// How a banner is meant; each has a shape of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A tick.
    Tick,
    /// A question mark in a circle.
    Question,
    /// An exclamation mark in a triangle.
    Warning,
}

/// The sign for `shape` in a square of `side` around `middle`.
pub fn sign(painter: &egui::Painter, middle: Pos2, side: f32, shape: Shape, fill: Color32, ink: Color32) {
    let r = side / 2.0;
    match shape {
        Shape::Tick => {
            painter.circle_filled(middle, r, fill);
            let points = vec![middle + vec2(-0.45, 0.05) * r, middle + vec2(-0.12, 0.4) * r, middle + vec2(0.5, -0.4) * r];
            painter.line(points, Stroke::new(r * 0.26, ink));
        }
        Shape::Question => {
            painter.circle_filled(middle, r, fill);
            painter.text(middle, Align2::CENTER_CENTER, "?", letters(side * 0.8), ink);
        }
        Shape::Warning => {
            let points = vec![middle + vec2(0.0, -r), middle + vec2(r, r * 0.85), middle + vec2(-r, r * 0.85)];
            painter.add(egui::Shape::convex_polygon(points, fill, Stroke::NONE));
            painter.text(middle + vec2(0.0, r * 0.2), Align2::CENTER_CENTER, "!", letters(side * 0.7), ink);
        }
    }
}

/// A banner with `text` across the top of `area`; its rectangle.
pub fn banner(ui: &Ui, area: Rect, text: &str, shape: Shape, fill: Color32, ink: Color32, unit: f32) -> Rect {
    let (size, pad) = (23.0 * unit, 12.0 * unit);
    let side = size * 1.5;
    let width = (area.width() - side - pad * 3.0).max(80.0);
    let mut job = LayoutJob::simple(text.to_owned(), letters(size), ink, width);
    job.wrap.max_rows = 4;
    let galley = ui.painter().layout_job(job);
    let height = galley.size().y.max(side) + pad * 1.4;
    let rect = Rect::from_min_size(area.min, vec2(area.width(), height));
    ui.painter().rect_filled(rect, 0.0, fill);
    sign(ui.painter(), pos2(rect.left() + pad + side / 2.0, rect.center().y), side, shape, ink, fill);
    let at = pos2(rect.left() + pad * 2.0 + side, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, ink);
    // Read out by screen readers, and found by tests.
    let response = ui.interact(rect, ui.scope_id().with(("banner", text)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    rect
}

/// Text that wraps at the width left, as a label.
pub fn label(ui: &mut Ui, text: impl Into<String>, size: f32, colour: Color32) -> Response {
    ui.add(egui::Label::new(egui::RichText::new(text).font(letters(size)).color(colour)).wrap().selectable(false))
}

/// A pyramid as bars, the lowest row below: a block for each meeple, its row's number and how many stand in it.
pub fn row_bars(ui: &mut Ui, rows: &[usize], height: f32, palette: &Palette) {
    let (area, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let text = pyrameeple::rules::show_rows(rows);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("rows {text}")));
    if rows.is_empty() {
        return;
    }
    let most = rows.iter().copied().max().unwrap_or(1).max(1) as f32;
    let line = (area.height() / rows.len() as f32).min(area.height() / 3.0);
    let figure = (line * 0.78).min(area.height() * 0.17);
    let side = figure * 1.5;
    let block = ((area.width() - side * 2.0) / most).min(line * 1.05);
    for (index, &meeples) in rows.iter().enumerate() {
        let middle = area.bottom() - line * (index as f32 + 0.5);
        let left = area.left() + side + (area.width() - side * 2.0 - block * meeples as f32) / 2.0;
        for number in 0..meeples {
            let at = pos2(left + block * number as f32, middle - line / 2.0);
            let rect = Rect::from_min_size(at, vec2(block, line)).shrink2(vec2(block * 0.06, line * 0.06));
            ui.painter().rect_filled(rect, block * 0.2, row_colour(index + 1));
        }
        let faint = palette.faint;
        ui.painter().text(pos2(area.left(), middle), Align2::LEFT_CENTER, format!("{}", index + 1), letters(figure * 0.8), faint);
        ui.painter().text(pos2(area.right(), middle), Align2::RIGHT_CENTER, meeples.to_string(), letters(figure), palette.ink);
    }
}
