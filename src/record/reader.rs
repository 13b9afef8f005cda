//! What a record needs of the program that reads photos: a small door, so that matches are tested without pictures of
//! pyramids and the vision stages know nothing of matches.

use image::RgbImage;
use serde_json::Value;

use crate::reading::Reading;

/// A picture with what was read drawn on it, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotated {
    /// The encoded picture.
    pub bytes: Vec<u8>,
    /// What its file name ends with, without the dot: "jpg" or "png".
    pub extension: &'static str,
}

/// Reads photos.
pub trait Reader {
    /// What the photo in `bytes` shows; what cannot be read is a reading of its own. `name` becomes the reading's photo. With `players` (name and colours of each; a
    /// shared playmat) the reading holds the score of each.
    fn read(&self, name: &str, bytes: &[u8], players: &[(String, Vec<String>)]) -> Reading;

    /// The photo in `bytes` with `reading` drawn on it; `None` when there is no picture to draw on.
    fn annotate(&self, bytes: &[u8], reading: &Reading) -> Option<Annotated>;

    /// The tunables it reads with, as kept in records.
    fn params(&self) -> Value;

    /// A reader of the same program with the tunables of a record; why not, when they are of no use to it.
    fn with_params(&self, params: &Value) -> Result<Box<dyn Reader>, String>;

    /// SHA-256 of the model it reads with; `None` when it uses none.
    fn model_sha256(&self) -> Option<String>;

    /// The upright picture in `bytes`, in whose pixels readings speak.
    fn upright(&self, bytes: &[u8]) -> Result<RgbImage, String>;
}
