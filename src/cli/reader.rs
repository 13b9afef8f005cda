//! Joins the photo-reading pipeline to what matches need of it.

use image::RgbImage;
use serde_json::Value;

use crate::{
    capture::Picture,
    params::Params,
    pipeline,
    reading::Reading,
    record::{Annotated, Reader},
};

/// Reads photos with the program's own pipeline.
#[derive(Clone, Debug, Default)]
pub struct PipelineReader {
    /// The tunables of its stages.
    pub params: Params,
}

impl Reader for PipelineReader {
    fn read(&self, name: &str, bytes: &[u8], _players: &[(String, Vec<String>)]) -> Reading {
        let rgb = self.upright(bytes);
        let picture = Picture { rgb: rgb.as_ref().cloned().unwrap_or_default(), exif_focal_px: None };
        let mut reading = pipeline::read(&picture, &self.params);
        reading.photo = name.to_owned();
        if let Err(why) = rgb {
            reading.reason = Some(why);
        }
        reading
    }

    fn annotate(&self, _bytes: &[u8], _reading: &Reading) -> Option<Annotated> {
        None
    }

    fn params(&self) -> Value {
        serde_json::to_value(&self.params).unwrap_or_default()
    }

    fn with_params(&self, params: &Value) -> Result<Box<dyn Reader>, String> {
        let params = serde_json::from_value(params.clone()).map_err(|error| error.to_string())?;
        Ok(Box::new(Self { params }))
    }

    fn model_sha256(&self) -> Option<String> {
        None
    }

    fn upright(&self, bytes: &[u8]) -> Result<RgbImage, String> {
        image::load_from_memory(bytes).map(|picture| picture.to_rgb8()).map_err(|error| format!("it is not a picture: {error}"))
    }
}
