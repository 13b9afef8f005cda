//! Corrections by hand: setting the rows, or rejecting and adding pieces of what was read.

use std::collections::BTreeSet;

use super::TurnRecord;
use crate::{
    matchplay::{Correction, Setup, Turn},
    reading::{Piece, Reading},
    rules::{self, RowsError},
};

/// What a person wants changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amendment {
    /// The rows to set, row 1 first; excludes the three below.
    pub rows: Option<Vec<usize>>,
    /// Ids of pieces that were counted and do not count.
    pub reject: Vec<usize>,
    /// Ids of pieces that were not counted and do count, each with its row.
    pub count: Vec<(usize, usize)>,
    /// Rows to which a meeple is added that the reading has missed.
    pub add: Vec<usize>,
    /// Whether the picture counts as late.
    pub late: Option<bool>,
    /// Why.
    pub reason: String,
}

/// Why a correction cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmendError {
    /// Nothing is to change.
    #[error("the correction changes nothing: give rows, pieces to reject, count or add, or whether the picture was late")]
    Nothing,
    /// There is no reading to reject pieces of.
    #[error("there is no reading whose pieces could be rejected or counted: give the rows instead")]
    NoReading,
    /// No such piece.
    #[error("the reading has no piece {id}: its pieces are numbered 0 to {last}; the annotated picture shows the numbers")]
    NoPiece {
        /// As given.
        id: usize,
        /// The largest number.
        last: usize,
    },
    /// A piece that does not count in this score.
    #[error("piece {id} ({state}) does not count in {player}'s score already: {why}")]
    NotCounted {
        /// As given.
        id: usize,
        /// What it is.
        state: String,
        /// Whose score.
        player: String,
        /// Why it does not count.
        why: String,
    },
    /// A piece that counts already.
    #[error("piece {id} counts already, in row {row}")]
    CountsAlready {
        /// As given.
        id: usize,
        /// Its row.
        row: usize,
    },
    /// No such row.
    #[error(
        "there is no row {row}: rows are numbered from 1, and a meeple can be added to at most one row above the highest, {highest}"
    )]
    NoRow {
        /// As given.
        row: usize,
        /// The number of rows so far.
        highest: usize,
    },
    /// A piece is one piece, however often it is named.
    #[error("piece {id} is named twice: name each piece once, to reject it or to count it")]
    Twice {
        /// Its number.
        id: usize,
    },
    /// The pieces that stood on the rejected ones would float.
    #[error("{0}; reject what stood above as well, or give the rows")]
    Rows(#[from] RowsError),
}

/// The correction that makes `amendment` of `turn`, whose pictures `record` tells of.
pub fn amend(turn: &Turn, record: Option<&TurnRecord>, setup: &Setup, amendment: Amendment) -> Result<Correction, AmendError> {
    let pieces_named = !(amendment.reject.is_empty() && amendment.count.is_empty());
    let mut named = BTreeSet::new();
    let ids = amendment.reject.iter().copied().chain(amendment.count.iter().map(|&(id, _)| id));
    if let Some(id) = ids.into_iter().find(|&id| !named.insert(id)) {
        return Err(AmendError::Twice { id });
    }
    let reading = record.and_then(TurnRecord::used_view).map(|view| &view.reading);
    let rows = match amendment.rows {
        Some(rows) => rows,
        None if !pieces_named && amendment.add.is_empty() && amendment.late.is_none() => return Err(AmendError::Nothing),
        None => {
            let mut rows = turn.rows().to_vec();
            if pieces_named {
                let reading = reading.ok_or(AmendError::NoReading)?;
                let scored = Scored { turn, setup, reading };
                for &id in &amendment.reject {
                    let row = scored.row_of_counted(id)?;
                    *rows.get_mut(row - 1).filter(|n| **n > 0).ok_or(AmendError::NoRow { row, highest: turn.rows().len() })? -= 1;
                }
                for &(id, row) in &amendment.count {
                    scored.check_uncounted(id)?;
                    add_to(&mut rows, row)?;
                }
            }
            for &row in &amendment.add {
                add_to(&mut rows, row)?;
            }
            while rows.last() == Some(&0) {
                rows.pop();
            }
            rows
        }
    };
    rules::check_rows(&rows)?;
    // Rows left as they were read are not the correction's doing.
    if rows != turn.rows() {
        rules::check_standing(&rows)?;
    }
    Ok(Correction {
        rows,
        late: amendment.late,
        rejected: amendment.reject,
        counted: amendment.count,
        added: amendment.add,
        reason: amendment.reason,
    })
}

fn add_to(rows: &mut Vec<usize>, row: usize) -> Result<(), AmendError> {
    let highest = rows.len();
    match row.checked_sub(1) {
        Some(index) if index < highest => rows[index] += 1,
        Some(index) if index == highest => rows.push(1),
        _ => return Err(AmendError::NoRow { row, highest }),
    }
    Ok(())
}

/// A turn's score and the reading it came from.
struct Scored<'a> {
    turn: &'a Turn,
    setup: &'a Setup,
    reading: &'a Reading,
}

impl Scored<'_> {
    fn piece(&self, id: usize) -> Result<&Piece, AmendError> {
        let last = self.reading.pieces.iter().map(|p| p.id).max().unwrap_or(0);
        self.reading.pieces.iter().find(|p| p.id == id).ok_or(AmendError::NoPiece { id, last })
    }

    /// Whether an earlier correction has had its say about the piece: true when it was made to count, false when rejected.
    fn corrected(&self, id: usize) -> Option<bool> {
        self.turn.corrections.iter().rev().find_map(|c| {
            let counted = c.counted.iter().any(|(counted, _)| *counted == id);
            (counted || c.rejected.contains(&id)).then_some(counted)
        })
    }

    /// The row of piece `id`, which counts in the turn's score.
    fn row_of_counted(&self, id: usize) -> Result<usize, AmendError> {
        let piece = self.piece(id)?;
        let not_counted = |why: &str| AmendError::NotCounted {
            id,
            state: piece.state.name().to_owned(),
            player: self.setup.players.get(self.turn.player).map_or_else(String::new, |p| p.name.clone()),
            why: why.to_owned(),
        };
        match self.corrected(id) {
            Some(false) => return Err(not_counted("an earlier correction rejected it")),
            Some(true) => {
                let row = self.turn.corrections.iter().rev().find_map(|c| c.counted.iter().find(|(i, _)| *i == id));
                return row.map(|(_, row)| *row).ok_or(AmendError::NoReading);
            }
            None => {}
        }
        let row = piece.row.filter(|_| piece.counted);
        let row = row.ok_or_else(|| not_counted(piece.reason.as_deref().unwrap_or("it is in no row")))?;
        let scored = self.reading.pyramids.iter().position(|p| p.rows == self.turn.read_rows);
        if scored.is_some() && piece.pyramid != scored {
            return Err(not_counted("it belongs to another pyramid, and only the highest counts"));
        }
        Ok(row)
    }

    fn check_uncounted(&self, id: usize) -> Result<(), AmendError> {
        let piece = self.piece(id)?;
        match (self.corrected(id), piece.row) {
            (Some(true), row) => Err(AmendError::CountsAlready { id, row: row.unwrap_or(0) }),
            (None, Some(row)) if piece.counted && piece.pyramid == Some(0) => Err(AmendError::CountsAlready { id, row }),
            _ => Ok(()),
        }
    }
}
