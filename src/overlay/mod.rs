//! The annotated picture: what the program saw, drawn from the [`Reading`] alone.
//!
//! The score stands in a strip above the photo, what does not count in a strip below it, so that nothing of the photo is
//! hidden. A small photo is enlarged until the numbers on its pieces can be read, a very large one made smaller. Every
//! statement is made by a shape or a number; colour only repeats it.

mod canvas;
mod pieces;
mod strips;

use std::{borrow::Cow, fs, io, path::Path};

use image::{
    RgbImage,
    codecs::jpeg::JpegEncoder,
    imageops::{self, FilterType},
};
use tiny_skia::Color;

use crate::{
    capture,
    geometry::Px,
    reading::{CameraSeen, PlaymatSeen, Reading},
};
use canvas::{Canvas, CanvasError, Line, polygon};

/// A photo whose longer side is shorter than this is enlarged to it, px.
const LEAST_LONG_SIDE: f64 = 1280.0;
/// The middlemost counted piece is made at least this tall, as far as [`MOST_ENLARGED`] lets it, px.
const READABLE_PIECE: f64 = 44.0;
/// A photo is not enlarged beyond this longer side, px.
const MOST_ENLARGED: f64 = 2560.0;
/// A photo with a longer side than this is made smaller, px: nobody looks at more, and it saves memory.
const MOST_LONG_SIDE: f64 = 6000.0;
/// Quality of the JPEG written; higher than a photo's, or thin lines fray.
const JPEG_QUALITY: u8 = 92;

/// Sizes and transforms of one annotated picture.
struct Frame {
    /// Canvas px per photo px.
    scale: f64,
    /// Height of the strip above the photo, canvas px.
    top: f32,
    /// Width of the canvas, px.
    width: f32,
    /// Height of the photo on the canvas, px.
    photo_height: f32,
    /// Size of ordinary letters, canvas px.
    letters: f32,
}

impl Frame {
    /// Where `p` of the photo lies on the canvas.
    fn canvas_from_photo(&self, p: Px) -> Px {
        Px::new(p.x * self.scale, p.y * self.scale + f64::from(self.top))
    }
}

/// `picture` with `reading` drawn on it, between its strips.
pub fn draw(picture: &RgbImage, reading: &Reading) -> Result<RgbImage, CanvasError> {
    let scale = scale(picture, reading);
    let photo = scaled(picture, scale);
    let letters = (f64::from(photo.width()) * f64::from(photo.height())).sqrt() as f32 / 46.0;
    let mut frame = Frame { scale, top: 0.0, width: photo.width() as f32, photo_height: photo.height() as f32, letters };
    // Text can only be measured on a canvas, and the strips' heights follow from their text.
    let ruler = Canvas::new(1, 1, Color::BLACK)?;
    let header = strips::Header::new(&ruler, &frame, reading);
    let footer = strips::Footer::new(&ruler, &frame, reading);
    frame.top = header.height();
    let height = photo.height() + header.height() as u32 + footer.height() as u32;
    let mut canvas = Canvas::new(photo.width(), height, strips::background())?;
    canvas.paste(&photo, header.height() as u32);

    if let Some(playmat) = &reading.playmat {
        draw_playmat(&mut canvas, &frame, playmat, reading);
    }
    pieces::draw(&mut canvas, &frame, reading);
    // The strips last: outlines may reach out of the photo.
    header.draw(&mut canvas, &frame);
    footer.draw(&mut canvas, &frame);
    Ok(canvas.into_picture())
}

/// Writes `picture` into the file at `path` as a JPEG, whole or not at all.
pub fn save(picture: &RgbImage, path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let half = path.with_file_name(format!(".{name}.half"));
    let written = fs::write(&half, encode(picture)?).and_then(|()| fs::rename(&half, path));
    if written.is_err() {
        // What is left of it is in nobody's way but that of the room on the disk.
        let _ = fs::remove_file(&half);
    }
    written
}

/// `picture` as the bytes of a JPEG file, marked as an annotated picture so that it is never taken for a photo.
pub fn encode(picture: &RgbImage) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).encode_image(picture).map_err(io::Error::other)?;
    Ok(capture::mark_as_own(bytes))
}

/// Canvas px per photo px.
fn scale(picture: &RgbImage, reading: &Reading) -> f64 {
    let long = f64::from(picture.width().max(picture.height()));
    let mut heights: Vec<f64> =
        reading.pieces.iter().filter(|piece| piece.counted).map(|piece| piece.base.distance(piece.head)).collect();
    heights.sort_by(f64::total_cmp);
    let for_pieces = heights.get(heights.len() / 2).map_or(1.0, |&height| READABLE_PIECE / height.max(1.0));
    let enlarged = (LEAST_LONG_SIDE / long).max(for_pieces).min(MOST_ENLARGED / long);
    enlarged.max(1.0).min(MOST_LONG_SIDE / long)
}

fn scaled(picture: &RgbImage, scale: f64) -> Cow<'_, RgbImage> {
    if scale == 1.0 {
        return Cow::Borrowed(picture);
    }
    let size = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
    Cow::Owned(imageops::resize(picture, size(picture.width()), size(picture.height()), FilterType::CatmullRom))
}

fn draw_playmat(canvas: &mut Canvas, frame: &Frame, playmat: &PlaymatSeen, reading: &Reading) {
    let edges = playmat_outline(playmat, reading.camera.as_ref(), f64::from(reading.width), f64::from(reading.height));
    if let Some(path) = polygon(edges.into_iter().map(|p| frame.canvas_from_photo(p))) {
        let width = frame.letters * 0.13;
        canvas.stroke(&path, Line { colour: Color::WHITE, width, casing: Color::from_rgba8(0, 0, 0, 170), dashed: false });
    }
}

/// Points along the playmat's edges, bent as the lens bends them, px of a picture of `width` × `height`.
pub fn playmat_outline(playmat: &PlaymatSeen, camera: Option<&CameraSeen>, width: f64, height: f64) -> Vec<Px> {
    const STEPS: usize = 24;
    let k1 = camera.map_or(0.0, |camera| camera.k1);
    let (cx, cy, half) = (width / 2.0, height / 2.0, width / 2.0);
    let bent = |p: (f64, f64)| {
        let by = 1.0 + k1 * (p.0 * p.0 + p.1 * p.1);
        Px::new(cx + p.0 * by * half, cy + p.1 * by * half)
    };
    let straight = playmat.corners.map(|corner| {
        let seen = ((corner.x - cx) / half, (corner.y - cy) / half);
        // Fixed-point iteration; converges for the mild distortion of any camera that is not a fisheye.
        (0..20).fold(seen, |p, _| {
            let by = 1.0 + k1 * (p.0 * p.0 + p.1 * p.1);
            (seen.0 / by, seen.1 / by)
        })
    });
    // A corner far outside a strongly distorted picture has no straight place; then the plain quadrilateral must do.
    if straight.iter().any(|&(x, y)| !bent((x, y)).x.is_finite() || x.hypot(y) > 3.0) {
        return playmat.corners.to_vec();
    }
    let mut points = Vec::with_capacity(4 * STEPS);
    for (index, &(x0, y0)) in straight.iter().enumerate() {
        let (x1, y1) = straight[(index + 1) % 4];
        points.extend((0..STEPS).map(|step| {
            let t = step as f64 / STEPS as f64;
            bent((x0 + (x1 - x0) * t, y0 + (y1 - y0) * t))
        }));
    }
    points
}
