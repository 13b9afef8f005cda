//! Pieces.
pub mod debug;
pub mod edges;
pub mod matching;
pub mod search;
pub mod solid;
