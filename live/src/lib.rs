//! The live program of pyrameeple: a camera is pointed at the felt, SPACE scores.
//!
//! ```text
//! source ──► feed ──► read ──► session ──► window
//! camera,    newest   newest   what the    or
//! video,     frame    frame    keys mean,  terminal
//! network    only     only     the match
//! ```
//!
//! Grabbing, decoding, reading, recording and drawing each have a thread of their own; what passes between them is the
//! newest value and nothing older. [`session`] holds everything that happens at the table and knows neither threads nor
//! windows, so that whole matches are tested without either.
//!
//! # Why not OpenCV for cameras and videos
//!
//! The scoring program uses OpenCV's core and imgproc. Its videoio would bring cameras, videos and network streams, but
//! on Debian it loads 248 shared libraries, gives one error for "busy", "forbidden" and "not there", cannot be interrupted
//! while it waits, and hands out decoded pixels where the camera's own JPEG is the better evidence. So cameras are read
//! through Video4Linux itself ([`v4l`](https://docs.rs/v4l): plain system calls, a time limit on each wait; on Windows and
//! macOS nokhwa), MJPEG streams over a socket, and videos and everything else by the program `ffmpeg`, which is started
//! when it is needed and cannot take this one with it.

pub mod args;
pub mod clock;
pub mod condition;
pub mod engine;
pub mod feed;
pub mod frame;
mod jpeg;
pub mod keeper;
pub mod kept_clock;
pub mod keys;
mod matches;
pub mod read;
pub mod ring;
pub mod session;
pub mod slot;
pub mod sound;
pub mod source;
pub mod stats;
pub mod still;
pub mod terminal;
pub mod vote;
pub mod window;
