//! All tunables in one value, as `--params FILE` overrides them; each stage's own struct says what they mean.

use serde::{Deserialize, Serialize};

use crate::{
    capture::CaptureParams, doubt::DoubtParams, layout::LayoutParams, pieces::PiecesParams, playmat::PlaymatParams,
    pose::PoseParams,
};

/// The tunables of every stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Of the capture stage.
    pub capture: CaptureParams,
    /// Of the playmat stage.
    pub playmat: PlaymatParams,
    /// Of the pose stage.
    pub pose: PoseParams,
    /// Of the pieces stage.
    pub pieces: PiecesParams,
    /// Of the layout stage.
    pub layout: LayoutParams,
    /// Of the assessment of the reading.
    pub doubt: DoubtParams,
}
