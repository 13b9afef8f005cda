//! Joins the photo-reading pipeline to what matches need of it.

use std::path::Path;

use image::RgbImage;
use serde_json::Value;

use super::params_file;

use crate::{
    capture::{self, Picture},
    network, overlay,
    params::Params,
    pipeline,
    players::{Player, Players},
    reading::Reading,
    record::{Annotated, Reader},
};

/// Reads photos with the program's own pipeline.
#[derive(Clone, Debug, Default)]
pub struct PipelineReader {
    /// The tunables of its stages.
    pub params: Params,
    /// Whether they were asked for, so that those of a record do not take their place.
    asked_for: bool,
}

impl PipelineReader {
    /// A reader with the tunables in `file`; with the defaults where there is none.
    pub fn with_file(file: Option<&Path>) -> anyhow::Result<Self> {
        Ok(Self { params: params_file::load(file)?, asked_for: file.is_some() })
    }
}

impl PipelineReader {
    /// What `picture`, already decoded, shows; as [`Reader::read`].
    pub fn read_picture(&self, name: &str, picture: &Picture, players: &[(String, Vec<String>)]) -> Reading {
        let mut reading = pipeline::read(picture, &self.params);
        reading.photo = name.to_owned();
        if !players.is_empty() {
            let players = players.iter().map(|(name, colours)| Player { name: name.clone(), colours: colours.clone() });
            match Players::new(players.collect()) {
                Ok(players) => players.apply(&mut reading),
                Err(error) => reading.doubt(&error.to_string(), "give each player colours of their own"),
            }
        }
        reading
    }
}

impl Reader for PipelineReader {
    fn read(&self, name: &str, bytes: &[u8], players: &[(String, Vec<String>)]) -> Reading {
        let picture = match capture::decode(bytes, &self.params.capture) {
            Ok(picture) => picture,
            Err(error) => return Reading::unreadable(name, error.to_string(), error.advice()),
        };
        self.read_picture(name, &picture, players)
    }

    fn annotate(&self, bytes: &[u8], reading: &Reading) -> Option<Annotated> {
        let drawn = overlay::draw(&self.upright(bytes).ok()?, reading).ok()?;
        Some(Annotated { bytes: overlay::encode(&drawn).ok()?, extension: "jpg" })
    }

    fn params(&self) -> Value {
        serde_json::to_value(&self.params).unwrap_or_default()
    }

    fn with_params(&self, params: &Value) -> Result<Box<dyn Reader>, String> {
        if self.asked_for {
            return Ok(Box::new(self.clone()));
        }
        let params = serde_json::from_value(params.clone()).map_err(|error| error.to_string())?;
        Ok(Box::new(Self { params, asked_for: false }))
    }

    fn model_sha256(&self) -> Option<String> {
        network::sha256().ok()
    }

    fn upright(&self, bytes: &[u8]) -> Result<RgbImage, String> {
        capture::decode(bytes, &self.params.capture).map(|picture| picture.rgb).map_err(|error| error.to_string())
    }
}
