//! What several test programs need.
#![allow(dead_code)]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use pyrameeple::{
    evaluation::truth::{Truth, TruthPiece},
    geometry::{Px, PxBox},
    reading::{CameraSeen, Piece, PieceState, PlaymatSeen, Pyramid, Reading, Score, Status},
};

/// The folder of test pictures.
pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// The truth about a test picture.
pub fn truth(name: &str) -> Truth {
    Truth::load(&testdata().join(format!("{name}.json"))).unwrap()
}

/// The reading that a faultless program would make of a picture with this truth.
pub fn faultless(photo: &str, truth: &Truth) -> Reading {
    let seen = truth.pieces.iter().filter(|piece| piece.counts() || piece.bounds.is_some());
    let pieces: Vec<Piece> = seen.enumerate().map(|(id, piece)| faultless_piece(id, piece, truth)).collect();
    let pyramids: Vec<Pyramid> = truth
        .pyramids
        .iter()
        .enumerate()
        .map(|(index, pyramid)| Pyramid {
            rows: pyramid.rows.clone(),
            points: pyramid.points,
            meeples: pyramid.rows.iter().sum(),
            colours: pyramid.colours.clone(),
            pieces: pieces.iter().filter(|piece| piece.pyramid == Some(index)).map(|piece| piece.id).collect(),
        })
        .collect();
    Reading {
        photo: photo.into(),
        status: Status::Read,
        reason: None,
        advice: None,
        score: Some(Score {
            points: pyramids.first().map_or(0, |best| best.points),
            rows: truth.rows().to_vec(),
            meeples: truth.rows().iter().sum(),
        }),
        players: BTreeMap::new(),
        pyramids,
        pieces,
        playmat: Some(PlaymatSeen { corners: truth.mat.corners, visible: 1.0 }),
        camera: truth.camera.as_ref().map(|camera| CameraSeen {
            elevation_degrees: camera.elev,
            distance_mm: 500.0,
            horizontal_fov_degrees: 60.0,
            k1: camera.k1,
            playmat_size_mm: [297.0, 210.0],
        }),
        confidence: 1.0,
        width: truth.width,
        height: truth.height,
        timings_ms: BTreeMap::from([("playmat".into(), 1.0), ("decode".into(), 2.0)]),
    }
}

fn faultless_piece(id: usize, piece: &TruthPiece, truth: &Truth) -> Piece {
    let counted = piece.counts();
    let reason = match (piece.state.as_str(), piece.on_mat) {
        _ if counted => None,
        ("upright", false) => Some("off the playmat"),
        ("upright", true) => Some("stands on nothing that counts"),
        ("upside_down", _) => Some("upside down"),
        ("tilted", _) => Some("leaning"),
        _ => Some("lying"),
    };
    Piece {
        id,
        state: match piece.state.as_str() {
            "upright" => PieceState::Upright,
            "upside_down" => PieceState::UpsideDown,
            "tilted" => PieceState::Leaning,
            _ => PieceState::Lying,
        },
        colour: piece.colour.clone(),
        row: counted.then_some(piece.row),
        on_playmat: Some(piece.on_mat),
        pyramid: counted.then(|| truth.pyramids.iter().position(|pyramid| pyramid.group == piece.group)).flatten(),
        counted,
        reason: reason.map(str::to_owned),
        base: piece.base,
        head: piece.head,
        bounds: piece.bounds.unwrap_or(PxBox { x0: 0, y0: 0, x1: 0, y1: 0 }),
        outline: if piece.is_upright() { meeple_outline(piece.base, piece.head) } else { Vec::new() },
        confidence: 1.0,
    }
}

/// The front of a meeple standing from `base` to `head`, roughly.
fn meeple_outline(base: Px, head: Px) -> Vec<Px> {
    // Right half from the crown down: (half widths of the meeple to the right, heights above the feet).
    const RIGHT: [(f64, f64); 12] = [
        (0.16, 1.0),
        (0.32, 0.92),
        (0.36, 0.78),
        (0.32, 0.68),
        (0.80, 0.60),
        (1.0, 0.50),
        (0.95, 0.40),
        (0.58, 0.36),
        (0.92, 0.06),
        (0.86, 0.0),
        (0.28, 0.0),
        (0.0, 0.24),
    ];
    let (up_x, up_y) = (head.x - base.x, head.y - base.y);
    let place = |x: f64, y: f64| Px::new(base.x + up_x * y - up_y * x * 0.5, base.y + up_y * y + up_x * x * 0.5);
    let right = RIGHT.iter().map(|&(x, y)| place(x, y));
    let left = RIGHT.iter().rev().skip(1).map(|&(x, y)| place(-x, y));
    right.chain(left).collect()
}

/// The reading of the same picture `by` times as large.
pub fn scaled(mut reading: Reading, by: f64) -> Reading {
    let px = |p: Px| Px::new(p.x * by, p.y * by);
    let whole = |v: i32| (f64::from(v) * by).round() as i32;
    for piece in &mut reading.pieces {
        piece.base = px(piece.base);
        piece.head = px(piece.head);
        piece.outline = piece.outline.iter().map(|&p| px(p)).collect();
        let b = piece.bounds;
        piece.bounds = PxBox { x0: whole(b.x0), y0: whole(b.y0), x1: whole(b.x1), y1: whole(b.y1) };
    }
    if let Some(playmat) = &mut reading.playmat {
        playmat.corners = playmat.corners.map(px);
    }
    reading.width = (f64::from(reading.width) * by).round() as u32;
    reading.height = (f64::from(reading.height) * by).round() as u32;
    reading
}
