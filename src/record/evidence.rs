//! The evidence of a turn: original photos, annotated pictures, and `reading.json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Annotated, FORMAT, FileSum, PROGRAM, sha256};
use crate::{matchplay::Round, reading::Reading};

/// One view of what was built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// File name of the original photo, in the turn's folder.
    pub photo: String,
    /// What the photo was called when it was given.
    pub original_name: String,
    /// SHA-256 of the original photo.
    pub sha256: String,
    /// File name of the annotated picture, in the turn's folder.
    pub annotated: Option<String>,
    /// What was read in it.
    pub reading: Reading,
}

/// `reading.json`: everything known about the pictures of one accepted turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// Version of the layout.
    pub format: u32,
    /// The round.
    pub round: Round,
    /// The players whose pyramids the pictures show.
    pub players: Vec<String>,
    /// When the turn was accepted, RFC 3339 in UTC.
    pub at: String,
    /// Program and version that read the pictures.
    pub program: String,
    /// SHA-256 of the model it read with; `None` when it used none.
    pub model_sha256: Option<String>,
    /// The tunables it read with.
    pub params: Value,
    /// Whether the picture was taken after time.
    pub late: bool,
    /// Seconds the player took, if anybody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The views, as given.
    pub views: Vec<View>,
    /// Index of the view that was gone by.
    pub used: usize,
    /// What the views disagree about, in words.
    pub disagreement: Option<String>,
}

impl TurnRecord {
    /// The view that was gone by.
    pub fn used_view(&self) -> Option<&View> {
        self.views.get(self.used)
    }
}

/// A turn about to be recorded: what `reading.json` will say, before its files have names.
#[derive(Clone, Debug)]
pub struct NewTurn {
    /// For each view: name as given, original bytes, reading, annotated picture.
    pub views: Vec<(String, Vec<u8>, Reading, Option<Annotated>)>,
    /// Index of the view to go by.
    pub used: usize,
    /// What the views disagree about, in words.
    pub disagreement: Option<String>,
    /// SHA-256 of the model read with.
    pub model_sha256: Option<String>,
    /// The tunables read with.
    pub params: Value,
    /// Seconds the player took, if anybody said.
    pub seconds: Option<f64>,
}

/// A file to be written: its sum, and its content.
pub(super) type NewFile = (FileSum, Vec<u8>);

impl NewTurn {
    /// The files of the turn, to lie in `folder`.
    pub(super) fn files(
        self,
        folder: &str,
        round: Round,
        players: Vec<String>,
        late: bool,
        at: &str,
    ) -> Result<Vec<NewFile>, serde_json::Error> {
        let mut files: Vec<NewFile> = Vec::new();
        let mut views = Vec::new();
        let mut add = |name: &str, content: Vec<u8>| files.push((FileSum::of(format!("{folder}/{name}"), &content), content));
        for (index, (original_name, bytes, reading, drawn)) in self.views.into_iter().enumerate() {
            let number = index + 1;
            let photo = format!("photo-{number}.{}", extension(&bytes, &original_name));
            let annotated = drawn.map(|drawn| {
                let name = format!("annotated-{number}.{}", drawn.extension);
                add(&name, drawn.bytes);
                name
            });
            views.push(View { sha256: sha256(&bytes), photo: photo.clone(), original_name, annotated, reading });
            add(&photo, bytes);
        }
        let record = TurnRecord {
            format: FORMAT,
            round,
            players,
            at: at.to_owned(),
            program: PROGRAM.to_owned(),
            model_sha256: self.model_sha256,
            params: self.params,
            late,
            seconds: self.seconds,
            views,
            used: self.used,
            disagreement: self.disagreement,
        };
        let mut json = serde_json::to_vec_pretty(&record)?;
        json.push(b'\n');
        add(READING, json);
        Ok(files)
    }
}

/// File name of a turn's record, in its folder.
pub(super) const READING: &str = "reading.json";

/// What the file name of a photo should end with: by what the bytes are, else as the given name ends, if that is plain.
fn extension(bytes: &[u8], original_name: &str) -> String {
    if let Some(known) = image::guess_format(bytes).ok().and_then(|f| f.extensions_str().first()) {
        return (*known).to_owned();
    }
    let given = original_name.rsplit_once('.').map_or("", |(_, ext)| ext).to_lowercase();
    let plain = (1..=5).contains(&given.len()) && given.bytes().all(|b| b.is_ascii_alphanumeric());
    if plain { given } else { "bin".to_owned() }
}
