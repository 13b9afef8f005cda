//! How the HTML report looks: on a phone, on a desk, and printed on A4.

/// The page's style sheet.
pub const CSS: &str = include_str!("style.css");
