"""How far the pieces network's upright score is a probability, and the scaling that makes it one.

    python calibrate.py --pieces ../pieces.onnx --fit DATA/held --check PHOTOS

`--fit` is a folder of rendered pictures that were never trained on: on them a Platt scaling p = sigmoid(a logit + b) is
fitted. `--check` is a folder of photos with truth (see `evaluate.py`): on them the raw and the scaled score are compared
with the share of right peaks, bucket by bucket.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

import evaluate

BUCKETS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
LEAST = 0.1


def rendered_scores(net: onnxruntime.InferenceSession, folder: Path) -> list[tuple[float, bool]]:
    """Score and rightness of all upright peaks in rendered pictures; those on pieces that count neither way are left out."""
    out = []
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        pieces = [p for p in record["pieces"] if p and p["visible"] > 0]
        sizes = [p["px16"] for p in pieces if p["state"] == "upright" and p["visible"] > 0.3] or [p["px16"] for p in pieces]
        scale = evaluate.CANONICAL_PX / float(np.median(sizes)) if sizes else 1.0
        if not 0.3 < scale < 2.5:
            continue
        rgb = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)[..., ::-1]
        small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        for d in evaluate.detect(evaluate.run(net, small), scale, LEAST):
            near = [p for p in pieces if np.linalg.norm(d.centre - (np.array(p["base"]) + p["head"]) / 2) < evaluate.MATCH * p["px_mm"] * 16]
            right = any(p["state"] == "upright" and p["visible"] >= 0.25 for p in near)
            doubtful = any(p["state"] == "unclear" or p["state"] == "upright" for p in near)
            if right or not doubtful:
                out.append((d.score, right))
    return out


def photo_scores(net: onnxruntime.InferenceSession, folder: Path) -> list[tuple[float, bool]]:
    """The same for photos with truth."""
    out = []
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        rgb = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)[..., ::-1]
        r = evaluate.judge_pieces(net, rgb, truth)
        out += [(s, True) for s, _ in r.right] + [(s, False) for s, _ in r.false]
    return out


def logits(scores: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    p = np.clip([s for s, _ in scores], 1e-4, 1 - 1e-4)
    return np.log(p / (1 - p)), np.array([r for _, r in scores], float)


def platt(scores: list[tuple[float, bool]]) -> tuple[float, float]:
    """a and b of sigmoid(a logit + b), by Newton's method on the likelihood (with a whisker of a prior, so that it ends)."""
    x, y = logits(scores)
    design = np.column_stack([x, np.ones_like(x)])
    w = np.array([1.0, 0.0])
    for _ in range(30):
        p = evaluate.sigmoid(design @ w)
        slope = design.T @ (y - p) - 1e-3 * (w - [1.0, 0.0])
        curve = (design * (p * (1 - p))[:, None]).T @ design + 1e-3 * np.eye(2)
        w = w + np.linalg.solve(curve, slope)
    return float(w[0]), float(w[1])


def table(title: str, p: np.ndarray, right: np.ndarray) -> None:
    """Bucket by bucket: peaks, mean score, share right; and the expected calibration error."""
    print(title)
    error = 0.0
    for lo, hi in zip(BUCKETS, BUCKETS[1:]):
        there = (p >= lo) & (p < hi)
        if there.any():
            error += there.sum() * abs(p[there].mean() - right[there].mean())
            print(f"  {lo:.1f}..{min(hi, 1):.1f}: {there.sum():5d} peaks, mean score {p[there].mean():.3f}, right {right[there].mean():.3f}")
    print(f"  expected calibration error {error / max(1, (p >= BUCKETS[0]).sum()):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pieces", type=Path, required=True)
    parser.add_argument("--fit", type=Path, required=True, help="rendered pictures that were not trained on")
    parser.add_argument("--check", type=Path, help="photos with truth")
    args = parser.parse_args()
    net = evaluate.session(args.pieces)
    held = rendered_scores(net, args.fit)
    a, b = platt(held)
    print(f"fitted on {len(held)} peaks: p = sigmoid({a:.3f} logit + {b:.3f})")
    parts = [("held-out rendered pictures", held)]
    if args.check:
        parts.append(("photos", photo_scores(net, args.check)))
    for name, scores in parts:
        x, right = logits(scores)
        table(f"{name}, raw score", evaluate.sigmoid(x), right)
        table(f"{name}, scaled score", evaluate.sigmoid(a * x + b), right)


if __name__ == "__main__":
    main()
