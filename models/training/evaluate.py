"""Measures the exported networks on pictures with truth (the format of the project's shared photos), which are never trained on.

    python evaluate.py --photos PHOTOS --pieces ../pieces.onnx --playmat ../playmat.onnx [--overlays FOLDER]

Only the canonical scale is taken from the truth: the picture is resized so that the best pyramid's median piece is
32 px tall. An upright piece counts as wanted when at least 30 % of it is seen and its centre lies in the picture.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

CANONICAL_PX = 32.0
MATCH = 0.35  # of a piece's height: how far from a true centre a peak may lie
STRIDE = 4
PAD = 128


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(net: onnxruntime.InferenceSession, rgb: np.ndarray) -> np.ndarray:
    """Maps [c, h/4, w/4] of a uint8 RGB picture, padded to multiples of 32 with grey."""
    h, w = rgb.shape[:2]
    canvas = np.full((math.ceil(h / 32) * 32, math.ceil(w / 32) * 32, 3), PAD, np.uint8)
    canvas[:h, :w] = rgb
    x = canvas.astype(np.float32).transpose(2, 0, 1)[None] / 255
    return net.run(None, {net.get_inputs()[0].name: x})[0][0]


def peaks(logits: np.ndarray, least: float) -> list[tuple[int, int, float]]:
    """Cells (column, row, probability) that are the largest of their 3x3 and at least `least`, best first."""
    p = sigmoid(logits)
    top = cv2.dilate(p, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((p >= top) & (p >= least))
    found = sorted(((int(x), int(y), float(p[y, x])) for x, y in zip(xs, ys)), key=lambda v: -v[2])
    return found


@dataclass
class Detection:
    """One upright candidate in pixels of the original picture."""

    centre: np.ndarray
    base: np.ndarray
    head: np.ndarray
    score: float
    visible: float


def detect(maps: np.ndarray, scale: float, least: float = 0.05) -> list[Detection]:
    """Upright candidates of a pieces map; of two closer than 0.3 of their height the weaker is dropped."""
    out: list[Detection] = []
    for x, y, score in peaks(maps[0], least):
        cell = np.array([(x + 0.5) * STRIDE, (y + 0.5) * STRIDE])
        base, head = cell + maps[3:5, y, x], cell + maps[5:7, y, x]
        d = Detection((base + head) / 2 / scale, base / scale, head / scale, score, float(sigmoid(maps[8, y, x])))
        height = np.linalg.norm(d.head - d.base)
        if all(np.linalg.norm(d.centre - o.centre) > 0.3 * height for o in out):
            out.append(d)
    return out


def in_picture(p: dict, truth: dict) -> bool:
    c = (np.array(p["base"]) + p["head"]) / 2
    return bool(0 < c[0] < truth["width"] and 0 < c[1] < truth["height"])


@dataclass
class PiecesResult:
    """Matches of one picture: scores of right and false peaks, wanted pieces never found, others taken for upright."""

    name: str
    kind: str
    right: list[tuple[float, bool]] = field(default_factory=list)  # score, belongs to the best pyramid
    false: list[tuple[float, bool]] = field(default_factory=list)  # score, lies within the best pyramid's box
    missed: int = 0
    missed_best: int = 0
    others: list[float] = field(default_factory=list)  # best upright score at each piece of another state
    base_error: list[float] = field(default_factory=list)  # share of the height
    inside: bool = False
    detections: list[Detection] = field(default_factory=list)


def inside_envelope(truth: dict) -> bool:
    """The envelope of the photos' README."""
    best = [p for p in truth["pieces"] if p["group"] == (truth["pyramids"][0]["group"] if truth["pyramids"] else -2)]
    seen = all(p["px_height"] >= 24 and p["visible"] >= 0.3 and p["in_frame"] >= 0.98 for p in best)
    return seen and 6 <= truth["camera"]["elev"] <= 45 and truth["kind"] != "deep"


def judge_pieces(net: onnxruntime.InferenceSession, rgb: np.ndarray, truth: dict) -> PiecesResult:
    """Runs the pieces network at the canonical scale and matches greedily, best score first."""
    result = PiecesResult(truth["name"], truth["kind"], inside=inside_envelope(truth))
    best_group = truth["pyramids"][0]["group"] if truth["pyramids"] else None
    best = [p for p in truth["pieces"] if p["group"] == best_group] if best_group is not None else []
    heights = [p["px_height"] for p in (best or [q for q in truth["pieces"] if q["state"] == "upright"] or truth["pieces"])]
    reference = float(np.median(heights)) if heights else truth["width"] / 18
    scale = CANONICAL_PX / reference
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    result.detections = detect(run(net, small), scale)
    upright = [p for p in truth["pieces"] if p["state"] == "upright"]
    centres = [(np.array(p["base"]) + p["head"]) / 2 for p in upright]
    free = set(range(len(upright)))
    box = None
    if best:
        ends = np.array([p["base"] for p in best] + [p["head"] for p in best])
        box = (ends.min(0) - reference, ends.max(0) + reference)
    for d in result.detections:
        near = [(float(np.linalg.norm(d.centre - centres[k])) / upright[k]["px_height"], k) for k in free]
        near = [n for n in near if n[0] < MATCH]
        if near:
            k = min(near)[1]
            free.discard(k)
            wanted = upright[k]["visible"] >= 0.3 and in_picture(upright[k], truth)
            if wanted:
                result.right.append((d.score, upright[k]["group"] == best_group))
                result.base_error.append(float(np.linalg.norm(d.base - upright[k]["base"])) / upright[k]["px_height"])
            continue
        within = box is not None and bool(np.all(d.centre > box[0]) and np.all(d.centre < box[1]))
        result.false.append((d.score, within))
    for k in free:
        if upright[k]["visible"] >= 0.3 and in_picture(upright[k], truth):
            result.missed += 1
            result.missed_best += upright[k]["group"] == best_group
    for p in truth["pieces"]:
        if p["state"] != "upright" and p["visible"] >= 0.3 and in_picture(p, truth):
            c = (np.array(p["base"]) + p["head"]) / 2
            # A peak there that no upright piece explains.
            hits = [d.score for d in result.detections if np.linalg.norm(d.centre - c) < 0.4 * reference and not any(np.linalg.norm(d.centre - q) < MATCH * reference for q in centres)]
            result.others.append(max(hits, default=0.0))
    return result


def best_threshold(results: list[PiecesResult]) -> float:
    """The threshold with the best F1."""
    return max((float(t) for t in np.arange(0.1, 0.8, 0.02)), key=lambda t: pieces_figures(results, t)["f1"])


def pieces_figures(results: list[PiecesResult], t: float) -> dict:
    """Precision, recall, F1 and exact pictures at the threshold `t`."""
    tp = sum(s >= t for r in results for s, _ in r.right)
    fp = sum(s >= t for r in results for s, _ in r.false)
    fn = sum(r.missed for r in results) + sum(s < t for r in results for s, _ in r.right)
    exact = [is_exact(r, t) for r in results]
    inside = [e for e, r in zip(exact, results) if r.inside]
    others = [s >= t for r in results for s in r.others]
    return {
        "pictures": len(results), "precision": tp / max(1, tp + fp), "recall": tp / max(1, tp + fn), "f1": 2 * tp / max(1, 2 * tp + fp + fn),
        "exact": float(np.mean(exact)), "exact_inside": float(np.mean(inside)) if inside else 0.0, "inside": len(inside),
        "others_as_upright": float(np.mean(others)) if others else 0.0, "others": len(others),
        "base_error_median": float(np.median([e for r in results for e in r.base_error] or [0])),
    }


def number(name: str) -> int:
    """The number in a picture's name: even ones choose thresholds, odd ones only measure."""
    return int("".join(c for c in name if c.isdigit()) or 0)


def is_exact(r: PiecesResult, t: float) -> bool:
    """Whether the best pyramid's wanted pieces are all found and nothing else is, inside its box."""
    return r.missed_best == 0 and all(s >= t for s, b in r.right if b) and not any(s >= t and w for s, w in r.false)


def faults(r: PiecesResult, t: float) -> tuple[int, int]:
    """Missed and false at the threshold `t`, whole picture."""
    return r.missed + sum(s < t for s, _ in r.right), sum(s >= t for s, _ in r.false)


def overlay(rgb: np.ndarray, truth: dict, r: PiecesResult, t: float) -> np.ndarray:
    """Green: found; blue rings: true upright centres; red: other states; the score at each peak."""
    out = rgb[..., ::-1].copy()
    for p in truth["pieces"]:
        c = tuple(int(v) for v in (np.array(p["base"]) + p["head"]) / 2)
        cv2.circle(out, c, 7, (255, 80, 0) if p["state"] == "upright" else (0, 0, 255), 1)
    for d in r.detections:
        colour = (0, 255, 0) if d.score >= t else (0, 160, 160)
        cv2.line(out, tuple(int(v) for v in d.base), tuple(int(v) for v in d.head), colour, 1)
        cv2.putText(out, f"{d.score:.2f}"[1:], tuple(int(v) for v in d.centre), cv2.FONT_HERSHEY_SIMPLEX, 0.33, colour, 1)
    return out


def judge_playmat(net: onnxruntime.InferenceSession, rgb: np.ndarray, truth: dict) -> tuple[float, list[float]]:
    """Mask IoU in the picture, and for each corner in it the distance of the nearest peak, in px at 1280 px width."""
    h, w = rgb.shape[:2]
    scale = 320 / max(h, w)
    small = cv2.resize(rgb, (round(w * scale), round(h * scale)), interpolation=cv2.INTER_AREA)
    maps = run(net, small)
    n, k = small.shape[0] // STRIDE, small.shape[1] // STRIDE
    want = np.zeros(small.shape[:2], np.uint8)
    corners = np.array(truth["mat"]["corners"], float)
    cv2.fillPoly(want, [np.round(corners * scale * 16).astype(np.int32)], 1, shift=4)
    want = cv2.resize(want[: n * STRIDE, : k * STRIDE].astype(np.float32), (k, n), interpolation=cv2.INTER_AREA) > 0.5
    got = maps[0, :n, :k] > 0
    iou = float((want & got).sum() / max(1, (want | got).sum()))
    found = []
    for x, y, _ in peaks(maps[1, :n, :k], 0.1):
        found.append((np.array([(x + 0.5) * STRIDE, (y + 0.5) * STRIDE]) + maps[3:5, y, x]) / scale)
    errors = []
    for c in corners:
        if 0 < c[0] < w and 0 < c[1] < h:
            errors.append(min((float(np.linalg.norm(c - f)) for f in found), default=math.inf) * 1280 / w)
    return iou, errors


def print_playmat(part: str, mats: list[tuple[str, float, list[float]]]) -> None:
    ious = np.array([m[1] for m in mats])
    errors = np.array([e for m in mats for e in m[2]])
    print(
        f"playmat, {part}: IoU mean {ious.mean():.4f}, median {np.median(ious):.4f}, least {ious.min():.3f}, share >= 0.95 {np.mean(ious >= 0.95):.3f}; corners in the picture "
        f"{len(errors)}, error at 1280 px: median {np.median(errors):.2f}, 90 % {np.percentile(errors, 90):.2f}, share within 12 px {np.mean(errors < 12):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--pieces", type=Path)
    parser.add_argument("--playmat", type=Path)
    parser.add_argument("--overlays", type=Path, help="write pictures of the worst here")
    parser.add_argument("--worst", type=int, default=12)
    args = parser.parse_args()
    pieces = session(args.pieces) if args.pieces else None
    playmat = session(args.playmat) if args.playmat else None
    results, mats, pictures = [], [], {}
    for path in sorted(args.photos.glob("*.json")):
        truth = json.loads(path.read_text())
        rgb = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)[..., ::-1]
        pictures[truth["name"]] = (rgb, truth)
        if pieces:
            results.append(judge_pieces(pieces, rgb, truth))
        if playmat:
            mats.append((truth["name"], *judge_playmat(playmat, rgb, truth)))
    if pieces:
        t = best_threshold([r for r in results if number(r.name) % 2 == 0])
        print(f"pieces at {t:.2f}, the best threshold on the even pictures:")
        for part, keep in (("all", (0, 1)), ("even", (0,)), ("odd", (1,))):
            f = pieces_figures([r for r in results if number(r.name) % 2 in keep], t)
            print(f"  {part}:", json.dumps({k: round(v, 4) for k, v in f.items()}))
        worst = sorted(results, key=lambda r: -sum(faults(r, t)))[: args.worst]
        for r in worst:
            missed, false = faults(r, t)
            if missed + false:
                print(f"  {r.name} {r.kind}: {missed} missed, {false} false, of {len(r.right) + r.missed} wanted")
                if args.overlays:
                    args.overlays.mkdir(parents=True, exist_ok=True)
                    cv2.imwrite(str(args.overlays / f"{r.name}.jpg"), overlay(*pictures[r.name], r, t))
    if playmat:
        for part, keep in (("all", (0, 1)), ("even", (0,)), ("odd", (1,))):
            print_playmat(part, [m for m in mats if number(m[0]) % 2 in keep])
        for name, iou, errs in sorted(mats, key=lambda m: m[1])[:8]:
            print(f"  {name}: IoU {iou:.3f}, corners {[round(e, 1) for e in errs]}")


if __name__ == "__main__":
    main()
