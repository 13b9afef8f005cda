//! What is written about readings: a table for people, JSON Lines, CSV. All take the one [`Reading`] and nothing else.

mod csv;
mod jsonl;
mod table;

use std::io;

use crate::reading::Reading;

pub use self::{csv::CsvExport, jsonl::JsonLines, table::Table};

/// Somewhere to write readings to, one after another.
pub trait Export {
    /// Writes one reading.
    fn write(&mut self, reading: &Reading) -> io::Result<()>;

    /// Writes what is still held back.
    fn finish(&mut self) -> io::Result<()>;
}

/// The meeples per row, row 1 first, as people write them: `4 3 2 1`; `–` where there is no row.
///
/// No dashes or slashes between them: spreadsheets would read a date.
pub fn rows_text(rows: &[usize]) -> String {
    if rows.is_empty() {
        return "–".into();
    }
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

/// `1 point`, `20 points`.
pub fn points_text(points: u32) -> String {
    format!("{points} {}", if points == 1 { "point" } else { "points" })
}

/// Why pieces do not count, with the numbers of those pieces, most frequent first; empty when all count.
pub fn not_counted(reading: &Reading) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for piece in reading.pieces.iter().filter(|piece| !piece.counted) {
        let reason = piece.reason.as_deref().unwrap_or(piece.state.name());
        match groups.iter_mut().find(|(known, _)| known == reason) {
            Some((_, ids)) => ids.push(piece.id),
            None => groups.push((reason.into(), vec![piece.id])),
        }
    }
    groups.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    groups
}
