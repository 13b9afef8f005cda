//! Evaluation: readings held against the truth about their pictures.
//!
//! [`truth`] is read from a file beside each picture, [`compare`] judges one reading and says which stage went wrong first,
//! [`figures`] sums the judgements up by category, [`table`] prints them, and [`ledger`] keeps them from falling.

pub mod compare;
pub mod figures;
pub mod ledger;
pub mod table;
pub mod truth;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use compare::Comparison;
use truth::{Truth, TruthError};

use crate::{batch, params::Params, photos, photos::Item};

/// A picture whose truth is known.
#[derive(Clone, Debug)]
pub struct Case {
    /// The picture.
    pub photo: PathBuf,
    /// What is in it.
    pub truth: Truth,
}

/// The pictures in `folder` that have a truth file beside them (`NAME.json` for `NAME.jpg`), by name.
pub fn cases(folder: &Path) -> Result<Vec<Case>, TruthError> {
    let photos = photos::collect(&[folder.to_path_buf()], false, None);
    let mut cases = Vec::new();
    for item in photos.items {
        let Item::Photo(photo) = item else { continue };
        let path = photo.with_extension("json");
        if path.is_file() {
            cases.push(Case { truth: Truth::load(&path)?, photo });
        }
    }
    Ok(cases)
}

/// Reads the pictures of `cases`, `jobs` at a time, and compares. `done` is called after each.
pub fn evaluate(cases: &[Case], params: &Params, jobs: usize, mut done: impl FnMut()) -> io::Result<Vec<Comparison>> {
    let mut comparisons = Vec::with_capacity(cases.len());
    let params = params.clone();
    batch::run(
        &Arc::new(cases.to_vec()),
        &batch::Options::jobs(jobs),
        move |_, case| batch::read_photo(&case.photo, &params).reading,
        |case, failure| batch::failed_reading(&case.photo, failure),
        |index, reading| {
            let case = &cases[index];
            comparisons.push(Comparison::new(&case.truth, &reading));
            done();
            std::ops::ControlFlow::Continue(())
        },
    )
    .map_err(io::Error::other)?;
    Ok(comparisons)
}
