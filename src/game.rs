//! Facts of the game: sizes of what stands on the table, and where the figures come from.
//!
//! Everything that is a measurement of the world rather than a choice of this program lives here, so that no other
//! file carries a bare number of millimetres. Choices sit in the parameter structs beside their stage.

/// Width of a regular meeple from hand to hand, mm (calliper readings of the 2012 edition: 16.00 mm).
pub const MEEPLE_WIDTH_MM: f64 = 16.0;
/// Height of a regular meeple from feet to crown, mm (calliper readings: 15.98 mm). Rows lie this far apart.
pub const MEEPLE_HEIGHT_MM: f64 = 16.0;
/// Thickness of a regular meeple, mm (calliper readings: 9.94 mm).
pub const MEEPLE_THICKNESS_MM: f64 = 10.0;

/// Short side of the felt playmat, mm (ISO 216, A4).
pub const PLAYMAT_SHORT_MM: f64 = 210.0;
/// Long side of the felt playmat, mm (ISO 216, A4).
pub const PLAYMAT_LONG_MM: f64 = 297.0;

/// Meeples in the box (rules, "Material").
pub const MEEPLES_IN_THE_BOX: usize = 99;

/// Most a meeple may lean and still count as standing, degrees from the vertical (rules, decisions).
pub const MAX_LEAN_DEGREES: f64 = 10.0;
/// How far a meeple's outline seen from above may stick out over the playmat's edge and still count, mm (rules, decisions).
pub const OVERHANG_TOLERANCE_MM: f64 = 2.0;

/// Colours that meeples come in, as the pieces stage names them and `--players` takes them (rules, "The object").
pub const COLOUR_NAMES: [&str; 12] =
    ["red", "blue", "green", "yellow", "black", "grey", "pink", "orange", "purple", "white", "natural", "brown"];
