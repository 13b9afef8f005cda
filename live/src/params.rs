//! Every tunable of the live program.

use pyrameeple::params::Params;

use crate::still::StillParams;

/// The tunables of the reading, and the live program's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveParams {
    /// Of the reading.
    pub reading: Params,
    /// Of stillness.
    pub still: StillParams,
}
