//! All tunables in one value, as `--params FILE` overrides them; each stage's own struct says what they mean.

use serde::{Deserialize, Serialize};

use crate::{capture::CaptureParams, playmat::PlaymatParams};

/// The tunables of every stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Of the capture stage.
    pub capture: CaptureParams,
    /// Of the playmat stage.
    pub playmat: PlaymatParams,
}
