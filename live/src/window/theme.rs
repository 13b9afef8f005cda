//! Colours, letters and sizes: legible from three metres, in the light and in the dark, for any colour vision.

use eframe::egui::{
    self, Color32, FontData, FontFamily, FontId, Rect, Theme, Visuals,
    epaint::text::{FontInsert, FontPriority, InsertFontFamily},
};

/// Half-bold letters of even width in their digits; the same that annotated pictures have.
static LETTERS: &[u8] = include_bytes!("../../../assets/OpenSans-Semibold.ttf");

/// A colour for each row from the lowest, again from the first after the last: colours that people with any colour vision
/// tell apart (Okabe and Ito, "Color Universal Design", 2008). The row's number stands beside it anyway.
const ROWS: [Color32; 7] = [
    Color32::from_rgb(86, 180, 233),
    Color32::from_rgb(230, 159, 0),
    Color32::from_rgb(0, 190, 138),
    Color32::from_rgb(240, 228, 66),
    Color32::from_rgb(204, 121, 167),
    Color32::from_rgb(60, 140, 255),
    Color32::from_rgb(255, 120, 30),
];

/// The colour of `row`, 1 for the lowest.
pub fn row_colour(row: usize) -> Color32 {
    ROWS[row.saturating_sub(1) % ROWS.len()]
}

/// The colours of a theme.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// Behind everything.
    pub ground: Color32,
    /// Behind panels.
    pub panel: Color32,
    /// Behind keys and fields.
    pub raised: Color32,
    /// Letters.
    pub ink: Color32,
    /// Letters that matter less.
    pub faint: Color32,
    /// What is sure or done.
    pub good: Color32,
    /// What is doubtful.
    pub doubt: Color32,
    /// What is wrong.
    pub bad: Color32,
    /// Letters on `good`, `doubt` and `bad`.
    pub on_strong: Color32,
}

/// The colours of `theme`; each pair that is used together has a contrast of at least 4.5 to 1.
pub fn palette(theme: Theme) -> Palette {
    match theme {
        Theme::Dark => Palette {
            ground: Color32::from_rgb(18, 20, 24),
            panel: Color32::from_rgb(27, 30, 36),
            raised: Color32::from_rgb(46, 51, 60),
            ink: Color32::from_rgb(245, 246, 248),
            faint: Color32::from_rgb(172, 180, 190),
            good: Color32::from_rgb(104, 190, 240),
            doubt: Color32::from_rgb(244, 178, 40),
            bad: Color32::from_rgb(255, 128, 84),
            on_strong: Color32::from_rgb(14, 16, 20),
        },
        Theme::Light => Palette {
            ground: Color32::from_rgb(240, 238, 232),
            panel: Color32::from_rgb(252, 251, 248),
            raised: Color32::from_rgb(224, 221, 212),
            ink: Color32::from_rgb(20, 22, 26),
            faint: Color32::from_rgb(84, 88, 96),
            good: Color32::from_rgb(0, 92, 160),
            doubt: Color32::from_rgb(138, 84, 0),
            bad: Color32::from_rgb(178, 48, 0),
            on_strong: Color32::WHITE,
        },
    }
}

/// Installs letters and colours.
pub fn install(ctx: &egui::Context) {
    let families = [FontFamily::Proportional].map(|family| InsertFontFamily { family, priority: FontPriority::Highest });
    ctx.add_font(FontInsert::new("Open Sans", FontData::from_static(LETTERS), families.to_vec()));
    for theme in [Theme::Dark, Theme::Light] {
        let colours = palette(theme);
        let mut visuals = if theme == Theme::Dark { Visuals::dark() } else { Visuals::light() };
        visuals.override_text_color = Some(colours.ink);
        visuals.panel_fill = colours.ground;
        visuals.window_fill = colours.panel;
        visuals.extreme_bg_color = colours.raised;
        visuals.widgets.inactive.weak_bg_fill = colours.raised;
        visuals.widgets.inactive.bg_fill = colours.raised;
        // A field that has the keyboard, and a box that is ticked, must be seen to be so.
        visuals.selection.stroke = egui::Stroke::new(2.0, colours.good);
        visuals.widgets.inactive.fg_stroke = egui::Stroke::new(2.0, colours.ink);
        visuals.widgets.inactive.bg_stroke = egui::Stroke::new(1.0, colours.faint.gamma_multiply(0.6));
        visuals.selection.bg_fill = colours.good.gamma_multiply(0.6);
        ctx.set_visuals_of(theme, visuals);
    }
    // Nothing on the table is there to be marked with the mouse.
    ctx.global_style_mut(|style| style.interaction.selectable_labels = false);
}

/// Points that a letter of size 1 at a window of 1280 × 720 takes in a window of this size.
pub fn unit(window: Rect) -> f32 {
    (window.height() / 720.0).min(window.width() / 1280.0).clamp(0.55, 4.0)
}

/// The letters of this size.
pub fn letters(size: f32) -> FontId {
    FontId::proportional(size)
}
