//! Reads a photo of a pyramid of wooden meeples on an A4 felt playmat and says what it is worth.
//!
//! ```text
//! capture → playmat → pose → pieces → layout → rules
//! bytes     four      camera  upright   rows,     points
//! to        corners   from A4 meeples   what      per row,
//! pixels              size    and rest  stands    highest
//!                                       on what   pyramid
//! ```
//!
//! Two small networks, compiled in ([`network`]), say where the playmat and the meeples are; edges, the pose and the rules say
//! exactly where, in which row, and what counts.
//!
//! One file or folder per stage, in that order; [`pipeline::read`] runs them and returns a [`reading::Reading`].
//! [`geometry`] says what the coordinate frames are.

#![warn(missing_docs)]

mod alone;
pub mod batch;
pub mod capture;
pub mod cli;
pub mod doubt;
pub mod evaluation;
pub mod export;
pub mod game;
pub mod geometry;
pub mod layout;
pub(crate) mod mat;
pub mod matchplay;
pub mod network;
pub mod overhang;
pub mod overlay;
pub mod params;
pub mod photos;
pub mod pieces;
pub mod pipeline;
pub mod players;
pub mod playmat;
pub mod pose;
pub mod quality;
pub mod reading;
pub mod record;
pub mod report;
pub mod rules;
pub(crate) mod trouble;
pub mod verify;
