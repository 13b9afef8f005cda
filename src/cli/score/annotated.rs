//! Where annotated pictures go.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{anyhow, bail};

use super::Job;
use crate::{
    photos::{self, AnnotatedNames},
    trouble::{Doing, why},
};

/// The folder of annotated pictures.
pub struct Annotated {
    dir: PathBuf,
    names: AnnotatedNames,
    /// Where each goes that was named: a photo that is read again gets its old place.
    given: Vec<(PathBuf, PathBuf)>,
}

impl Annotated {
    /// Makes sure that `dir` is there and can be written to, before any work is done.
    pub fn new(dir: &Path) -> anyhow::Result<Self> {
        let probe = dir.join(format!(".pyrameeple-{}", std::process::id()));
        let try_out = || File::create(&probe).and_then(|_| fs::remove_file(&probe));
        fs::create_dir_all(dir)
            .map_err(|error| why(Doing::Writing, dir, &error))
            .and_then(|()| try_out().map_err(|error| why(Doing::Writing, &probe, &error)))
            .map_err(|why| anyhow!("--annotate {}: the folder cannot be written to: {why}", dir.display()))?;
        Ok(Self { dir: dir.to_owned(), names: AnnotatedNames::default(), given: Vec::new() })
    }

    /// Gives each of `jobs` its place; an error where that would replace a photo.
    pub fn name_all(&mut self, jobs: &mut [Job]) -> anyhow::Result<()> {
        let sources: Vec<&Path> = jobs.iter().map(|job| job.item.path()).collect();
        let names = self.names.of_all(&sources);
        for (job, name) in jobs.iter_mut().zip(names) {
            let path = self.dir.join(name);
            // What lies there already is replaced only if this program wrote it.
            if path.exists() && !photos::is_own(&path) {
                bail!(
                    "--annotate {}: {} is not an annotated picture and would be replaced; give another folder",
                    self.dir.display(),
                    path.display()
                );
            }
            self.given.push((job.item.path().to_owned(), path.clone()));
            job.annotated = Some(path);
        }
        Ok(())
    }

    /// The place for a photo that came later.
    pub fn name_one(&mut self, photo: &Path) -> PathBuf {
        if let Some((_, path)) = self.given.iter().find(|(known, _)| known == photo) {
            return path.clone();
        }
        let path = loop {
            let path = self.dir.join(self.names.of_one(photo));
            if !path.exists() || photos::is_own(&path) {
                break path;
            }
        };
        self.given.push((photo.to_owned(), path.clone()));
        path
    }

    /// The place of the annotated picture, if there is just one.
    pub fn only(&self) -> Option<&Path> {
        match &self.given[..] {
            [(_, path)] => Some(path),
            _ => None,
        }
    }
}
