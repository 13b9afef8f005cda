//! Corrections of a result before it is accepted: pieces rejected, restored or added, rows set by hand.

use std::collections::{BTreeMap, BTreeSet};

use pyrameeple::{
    geometry::Px,
    matchplay::{Built, Correction, Round, Setup, Turn},
    reading::{Piece, Reading},
    record::{Amendment, FORMAT, PROGRAM, TurnRecord, View, amend, built_rows},
};
use serde_json::Value;

/// What was changed by hand in one player's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Rows set by hand, instead of everything below.
    pub rows: Option<Vec<usize>>,
    /// Pieces that were counted and are not to count.
    pub rejected: BTreeSet<usize>,
    /// Pieces that were not counted and are to count, each with its row.
    pub counted: BTreeMap<usize, usize>,
    /// Rows to which a meeple was added.
    pub added: Vec<usize>,
    /// Whether the picture is to count as late, if somebody said so.
    pub late: Option<bool>,
}

impl Edits {
    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The changes in words, as they go on record as the reason.
    fn reason(&self) -> String {
        let numbers = |ids: Vec<usize>| ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(", ");
        let mut parts = Vec::new();
        if let Some(rows) = &self.rows {
            parts.push(format!("rows counted by hand: {}", pyrameeple::rules::show_rows(rows)));
        } else {
            if !self.rejected.is_empty() {
                parts.push(format!("rejected {}", numbers(self.rejected.iter().copied().collect())));
            }
            for (id, row) in &self.counted {
                parts.push(format!("counted #{id} in row {row}"));
            }
            for row in &self.added {
                parts.push(format!("added a meeple that was not seen to row {row}"));
            }
        }
        if let Some(late) = self.late {
            parts.push(if late { "declared late".to_owned() } else { "declared in time".to_owned() });
        }
        format!("at the table, before it was accepted: {}", parts.join("; "))
    }

    /// What `player` built by `reading` with these changes; an error is why that cannot be, in words.
    pub fn built(&self, reading: &Reading, setup: &Setup, player: &str, late: bool) -> Result<Built, String> {
        let read = built_rows(reading, setup, player);
        let read_rows = read.clone().unwrap_or_default();
        let plain = |correction| Built { player: player.to_owned(), rows: read_rows.clone(), correction };
        if self.is_empty() {
            return match read {
                Some(_) => Ok(plain(None)),
                None => Err("there is no score to accept: set the rows by hand (R), or score again (ESC, SPACE)".to_owned()),
            };
        }
        if read.is_none() && self.rows.is_none() {
            return Err("there is no score that could be corrected: set the rows by hand (R), or score again (ESC, SPACE)".into());
        }
        let turn = Turn {
            round: Round::new(1),
            player: setup.player(player).unwrap_or(0),
            read_rows: read_rows.clone(),
            taken_late: late,
            missed: false,
            corrections: Vec::new(),
            event: 0,
        };
        let set = self.rows.is_some();
        let amendment = Amendment {
            rows: self.rows.clone(),
            reject: if set { Vec::new() } else { self.rejected.iter().copied().collect() },
            count: if set { Vec::new() } else { self.counted.iter().map(|(&id, &row)| (id, row)).collect() },
            add: if set { Vec::new() } else { self.added.clone() },
            late: self.late,
            reason: self.reason(),
        };
        let record = as_recorded(reading, late);
        let correction: Correction = amend(&turn, Some(&record), setup, amendment).map_err(|error| error.to_string())?;
        Ok(plain(Some(correction)))
    }
}

/// `reading` as the record of a turn would hold it, which is what corrections are made of.
fn as_recorded(reading: &Reading, late: bool) -> TurnRecord {
    let view = View {
        photo: String::new(),
        original_name: String::new(),
        sha256: String::new(),
        annotated: None,
        reading: reading.clone(),
    };
    TurnRecord {
        format: FORMAT,
        round: Round::new(1),
        players: Vec::new(),
        at: String::new(),
        program: PROGRAM.to_owned(),
        model_sha256: None,
        params: Value::Null,
        late,
        seconds: None,
        views: vec![view],
        used: 0,
        disagreement: None,
    }
}

/// The piece at `place`: the smallest whose box holds it.
pub fn piece_at(reading: &Reading, place: Px) -> Option<&Piece> {
    let holds = |piece: &&Piece| {
        let b = piece.bounds;
        (f64::from(b.x0)..=f64::from(b.x1)).contains(&place.x) && (f64::from(b.y0)..=f64::from(b.y1)).contains(&place.y)
    };
    let area = |piece: &&Piece| i64::from(piece.bounds.x1 - piece.bounds.x0) * i64::from(piece.bounds.y1 - piece.bounds.y0);
    reading.pieces.iter().filter(holds).min_by_key(area)
}

/// The row in which something whose feet are at `base` would stand, judged by the nearest counted pieces; 1 without any.
/// At most one row above the highest, `highest`.
pub fn row_at(reading: &Reading, base: Px, highest: usize) -> usize {
    let counted = reading.pieces.iter().filter_map(|piece| Some((piece, piece.row.filter(|_| piece.counted)?)));
    let Some((nearest, row)) = counted.min_by(|a, b| a.0.base.distance(base).total_cmp(&b.0.base.distance(base))) else {
        return 1;
    };
    let height = nearest.base.distance(nearest.head).max(1.0);
    let above = ((nearest.base.y - base.y) / height).round() as i64;
    usize::try_from(row as i64 + above).unwrap_or(1).clamp(1, highest + 1)
}
