"""Training samples from rendered pictures: random crops at the canonical scale with their target maps.

`pieces`: crops in which an upright meeple is about 16..56 px tall. `playmat`: whole pictures, long side 320 px, padded.
All target maps have a quarter of the input's resolution; a cell (i, j) stands for the input point (4 j + 2, 4 i + 2).
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.utils.data import IterableDataset

import augment
import projection
from networks import VECTOR_UNIT

STRIDE = 4
POOL = 12  # batches kept for a second, altered use
SEEN, HINTED = 0.25, 0.04  # visible shares: from SEEN a piece must be found, below HINTED it does not exist, between it is ignored
FALLEN_WEIGHT = 2.5  # of the upright map's loss around pieces in another state
PAD = 128  # grey level around a padded picture


class Pictures:
    """The rendered pictures of some folders, found again from time to time and kept decoded."""

    def __init__(self, folders: list[Path], keep: int = 6000) -> None:
        self.folders, self.keep = folders, keep
        self.cache: dict[Path, tuple[np.ndarray, np.ndarray, dict]] = {}
        self.names: list[list[Path]] = []
        self.rescan()

    def rescan(self) -> None:
        self.names = [sorted(p for p in f.glob("*.json") if not p.name.endswith(".scene.json")) for f in self.folders]
        self.names = [n for n in self.names if n]

    def get(self, path: Path) -> tuple[np.ndarray, np.ndarray, dict]:
        if path not in self.cache:
            record = json.loads(path.read_text())
            rgb = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)[..., ::-1]
            ids = cv2.imread(str(path.with_suffix(".ids.png")), cv2.IMREAD_GRAYSCALE)
            if len(self.cache) >= self.keep:
                self.cache.pop(next(iter(self.cache)))
            self.cache[path] = (np.ascontiguousarray(rgb), ids, record)
        return self.cache[path]

    def draw(self, rng: np.random.Generator, weights: list[float]) -> tuple[np.ndarray, np.ndarray, dict]:
        w = np.array(weights[: len(self.names)]) if len(weights) >= len(self.names) else np.ones(len(self.names))
        folder = self.names[int(rng.choice(len(self.names), p=w / w.sum()))]
        return self.get(folder[int(rng.integers(len(folder)))])


def splat(heat: np.ndarray, x: float, y: float, sigma: float) -> None:
    """Raises `heat` to a Gaussian around the input point (x, y)."""
    h, w = heat.shape
    cx, cy = x / STRIDE - 0.5, y / STRIDE - 0.5
    r = int(math.ceil(3 * sigma))
    x0, x1, y0, y1 = max(0, int(cx) - r), min(w, int(cx) + r + 2), max(0, int(cy) - r), min(h, int(cy) + r + 2)
    if x0 >= x1 or y0 >= y1:
        return
    ys, xs = np.mgrid[y0:y1, x0:x1]
    g = np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * sigma * sigma)).astype(np.float32)
    ix, iy = int(round(cx)), int(round(cy))
    if x0 <= ix < x1 and y0 <= iy < y1:
        g[iy - y0, ix - x0] = 1.0
    np.maximum(heat[y0:y1, x0:x1], g, out=heat[y0:y1, x0:x1])


def warp(rgb: np.ndarray, ids: np.ndarray, m: np.ndarray, size: tuple[int, int], border: int | None, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both pictures under the 2x3 map `m` (source to crop); averaged first where it shrinks."""
    scale = math.sqrt(abs(np.linalg.det(m[:, :2])))
    src = rgb
    pre = np.eye(3)
    if scale < 0.75:
        src = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        pre = np.diag([rgb.shape[1] / src.shape[1], rgb.shape[0] / src.shape[0], 1.0])
    shift_in, shift_out = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]]), np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    full = np.vstack([m, [0, 0, 1]])
    to_cv = (shift_out @ full @ pre @ shift_in)[:2]
    mode = cv2.BORDER_CONSTANT if border is not None else int(rng.choice([cv2.BORDER_REFLECT, cv2.BORDER_REPLICATE]))
    kernel = cv2.INTER_CUBIC if scale > 1 and rng.random() < 0.5 else cv2.INTER_LINEAR
    out = cv2.warpAffine(src, to_cv, size, flags=kernel, borderMode=mode, borderValue=(border or 0,) * 3)
    ids_cv = (shift_out @ full @ shift_in)[:2]
    return out, cv2.warpAffine(ids, ids_cv, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT, borderValue=255)


def pieces_sample(rgb: np.ndarray, ids: np.ndarray, record: dict, rng: np.random.Generator, side: int = 256) -> tuple[np.ndarray, dict]:
    """One crop and its targets for the pieces network."""
    pieces = record["pieces"]
    good = [p for p in pieces if p and p["visible"] > SEEN and p["in_frame"] > 0.5]
    if good:
        # Fallen and leaning pieces are rarer than standing ones: look at them more often.
        interest = np.array([1.0 if p["state"] == "upright" else 2.5 for p in good])
        reference = good[int(rng.choice(len(good), p=interest / interest.sum()))]
        scale = math.exp(rng.normal(math.log(33), 0.27)) / reference["px16"]
        centre = (np.array(reference["base"]) + reference["head"]) / 2
    else:
        reference, scale = None, rng.uniform(0.7, 1.3)
        centre = np.array([record["width"], record["height"]]) * rng.random(2)
    scale = float(np.clip(scale, 0.35, 1.9))
    if rng.random() < 0.10:  # background
        centre = np.array([record["width"], record["height"]]) * rng.random(2)
    centre = centre + rng.uniform(-0.36, 0.36, 2) * side / scale
    reach, extent = 0.42 * side / scale, np.array([record["width"], record["height"]])
    centre = np.where(extent > 2 * reach, np.clip(centre, reach, np.maximum(reach, extent - reach)), centre)  # little of it outside the picture
    flip = -1.0 if rng.random() < 0.5 else 1.0
    a, shear = rng.normal(0, 0.045, 2)  # roll, and what a distorting lens does away from the middle
    stretch = np.exp(rng.normal(0, 0.035))
    turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    linear = scale * turn @ np.array([[flip * stretch, shear], [0.0, 1.0]])
    m = np.column_stack([linear, side / 2 - linear @ centre])
    crop, crop_ids = warp(rgb, ids, m, (side, side), None, rng)
    if rng.random() < 0.18:
        crop = augment.recolour(crop, crop_ids, rng)
    crop = augment.photometric(crop, rng)

    n = side // STRIDE
    heat = np.zeros((3, n, n), np.float32)
    weight = np.ones((3, n, n), np.float32)
    vectors = np.zeros((4, n, n), np.float32)
    on = np.zeros((n, n), np.float32)
    visible = np.zeros((n, n), np.float32)
    nearest = np.full((n, n), 1e9, np.float32)
    ys, xs = (np.mgrid[0:n, 0:n] + 0.5) * STRIDE

    def at(p) -> np.ndarray:
        return m[:, :2] @ np.array(p) + m[:, 2]

    for p in pieces:
        if p is None:
            continue
        base, head = at(p["base"]), at(p["head"])
        c = (base + head) / 2
        px = p["px_mm"] * 16 * scale  # length of 16 mm across the view axis
        if np.any(c < -px) or np.any(c > side + px) or p["visible"] < HINTED or px < 4:
            continue
        k = 0 if p["state"] == "upright" else 1
        edge = min(c.min(), side - c.max())
        if p["state"] == "unclear" or p["visible"] < SEEN or p["in_frame"] < 0.55 or edge < 4 or px < 13 or px > 75:
            lost = ((xs - c[0]) ** 2 + (ys - c[1]) ** 2) < (0.3 * px) ** 2
            for q in (0, 1) if p["state"] == "unclear" else (k,):
                weight[q][lost] = 0
            continue
        d = (xs - c[0]) ** 2 + (ys - c[1]) ** 2
        if k == 1:  # a fallen piece taken for a standing one costs a game; a miss is only looked at again
            weight[0] = np.where(d < (0.45 * px) ** 2, np.minimum(weight[0] * FALLEN_WEIGHT, FALLEN_WEIGHT), weight[0])
        sigma = float(np.clip(0.9 * px / 32, 0.7, 1.6))
        splat(heat[k], c[0], c[1], sigma)
        mine = (d < (0.17 * px + 2.5) ** 2) & (d < nearest)
        nearest[mine] = d[mine]
        on[mine] = 1.0
        for q, v in enumerate((base[0] - xs, base[1] - ys, head[0] - xs, head[1] - ys)):
            vectors[q][mine] = v[mine] / VECTOR_UNIT
        visible[mine] = p["visible"]
    for f in record["foreign"]:
        c = at(f["centre"])
        size = math.sqrt(max(1.0, f["area"])) * scale
        if np.any(c < 0) or np.any(c > side) or f["visible"] < HINTED:
            continue
        if f["visible"] < SEEN or f["in_frame"] < 0.5 or size < 6 or size > 80:
            weight[2][((xs - c[0]) ** 2 + (ys - c[1]) ** 2) < (0.5 * size) ** 2] = 0
        else:
            splat(heat[2], c[0], c[1], float(np.clip(size / 28, 0.7, 1.8)))
    # Where the crop shows nothing but border, nothing is asked.
    outside = cv2.resize((crop_ids == 255).astype(np.float32), (n, n), interpolation=cv2.INTER_AREA) > 0.5
    weight[:, outside] = 0
    is_piece = ((crop_ids >= 1) & (crop_ids < 200)).astype(np.float32)
    mask = cv2.resize(is_piece, (n, n), interpolation=cv2.INTER_AREA)
    return crop, {"heat": heat, "weight": weight, "vectors": vectors, "on": on[None], "mask": mask[None], "visible": visible[None], "mask_weight": (~outside)[None].astype(np.float32)}


def distorted(points: np.ndarray, k1: float, width: int, height: int) -> np.ndarray:
    """Pinhole points as a lens with radial distortion `k1` (of radii in half widths) shows them."""
    c = np.array([width / 2, height / 2])
    r = (points - c) / (width / 2)
    return c + r * (1 + k1 * (r**2).sum(-1, keepdims=True)) * (width / 2)


def lens_warp(pictures: list[np.ndarray], m: np.ndarray, k1: float, size: tuple[int, int]) -> list[np.ndarray]:
    """Each picture as a lens with distortion `k1` and then the 2x3 map `m` show it, `size` (w, h) large; those with one channel keep their values."""
    h0, w0 = pictures[0].shape[:2]
    scale = min(1.0, math.sqrt(abs(np.linalg.det(m[:, :2]))))
    back = np.linalg.inv(m[:, :2])
    # The crop's points in half widths from the picture's middle; x and y apart, which is much faster than pairs.
    ys, xs = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    xs, ys = xs + np.float32(0.5 - m[0, 2]), ys + np.float32(0.5 - m[1, 2])
    half = w0 / 2
    (a, b), (c, d) = (back / half).astype(np.float32)
    seen_x, seen_y = a * xs + b * ys - np.float32(1), c * xs + d * ys - np.float32(h0 / w0)
    x, y = seen_x, seen_y
    for _ in range(4 if k1 else 0):  # the inverse of the distortion, by fixed-point iteration
        shrink = 1 / (1 + np.float32(k1) * (x * x + y * y))
        x, y = seen_x * shrink, seen_y * shrink
    x, y = x * np.float32(half) + np.float32(half), y * np.float32(half) + np.float32(h0 / 2)
    out = []
    for picture in pictures:
        smooth = picture.ndim == 3
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if smooth else picture
        fx, fy = np.float32(small.shape[1] / w0), np.float32(small.shape[0] / h0)
        out.append(cv2.remap(small, x * fx - np.float32(0.5), y * fy - np.float32(0.5), cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE))
    return out


def playmat_maps(record: dict, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The playmat's mask and the band along its rim that will be 3 px wide at `scale`, drawn in the rendered picture, and its corners [n, 2]."""
    mask, edge = np.zeros((2, record["height"], record["width"]), np.uint8)
    if not record["mat"]:
        return mask, edge, np.zeros((0, 2))
    outline, corners = projection.rectangle(record["camera"], record["mat"]["size"])
    fixed = np.round(np.clip(outline, -30_000, 30_000) * 16 - 8).astype(np.int32)
    if len(fixed) > 2:
        cv2.fillPoly(mask, [fixed], 1, shift=4)
        cv2.polylines(edge, [fixed], True, 1, thickness=max(1, round(3 / scale)), shift=4)
    return mask, edge, corners[~np.isnan(corners[:, 0])]


def playmat_sample(rgb: np.ndarray, ids: np.ndarray, record: dict, rng: np.random.Generator, size: tuple[int, int]) -> tuple[np.ndarray, dict]:
    """The whole picture (or most of it) on a canvas of `size` (w, h) and its targets for the playmat network."""
    h0, w0 = rgb.shape[:2]
    k1 = float(rng.choice([0.0, np.clip(rng.normal(0, 0.05), -0.13, 0.08), rng.uniform(-0.14, -0.06)], p=[0.4, 0.4, 0.2]))
    crop = rng.uniform(0.55, 1.0) if rng.random() < 0.4 else 1.0
    crop = min(crop, 1 + k1)  # a barrel pulls in what the rendered picture has not
    cw, ch = w0 * crop, h0 * crop
    x0, y0 = rng.random() * (w0 - cw), rng.random() * (h0 - ch)
    if k1 < 0 and rng.random() < 0.7:  # the distortion's own middle
        x0, y0 = (w0 - cw) / 2, (h0 - ch) / 2
    w, h = size
    scale = min(w / cw, h / ch) * rng.uniform(0.9, 1.0)
    flip = -1.0 if rng.random() < 0.5 else 1.0
    a = rng.normal(0, 0.04) if crop < 1 else 0.0
    linear = scale * np.array([[flip * math.cos(a), -math.sin(a)], [flip * math.sin(a), math.cos(a)]])
    out_w, out_h = int(cw * scale), int(ch * scale)
    middle = np.array([x0 + cw / 2, y0 + ch / 2])
    m = np.column_stack([linear, np.array([out_w / 2, out_h / 2]) - linear @ middle])
    mask, edge, corners = playmat_maps(record, scale)
    inner, inner_ids, inner_mask, inner_edge = lens_warp([rgb, ids, mask, edge], m, k1, (out_w, out_h))
    if rng.random() < 0.18:
        inner = augment.recolour(inner, inner_ids, rng)
    inner = augment.photometric(inner, rng)

    def padded(z: np.ndarray, value: int) -> np.ndarray:
        return cv2.copyMakeBorder(z, 0, h - out_h, 0, w - out_w, cv2.BORDER_CONSTANT, value=(value,) * 3)

    n, k = h // STRIDE, w // STRIDE
    heat, weight = np.zeros((1, n, k), np.float32), np.ones((1, n, k), np.float32)
    vectors, on = np.zeros((2, n, k), np.float32), np.zeros((1, n, k), np.float32)
    ys, xs = np.mgrid[0:n, 0:k]
    xs, ys = (xs + 0.5) * STRIDE, (ys + 0.5) * STRIDE
    near_axis = np.linalg.norm(corners - [w0 / 2, h0 / 2], axis=1) < 0.75 * w0  # far beyond the picture a barrel folds back
    for c in distorted(corners[near_axis], k1, w0, h0) @ m[:, :2].T + m[:, 2]:
        if np.any(c < 0) or c[0] > out_w or c[1] > out_h:
            continue
        splat(heat[0], c[0], c[1], 1.2)
        near = (xs - c[0]) ** 2 + (ys - c[1]) ** 2 < 9.0**2
        on[0][near] = 1
        vectors[0][near] = (c[0] - xs[near]) / VECTOR_UNIT
        vectors[1][near] = (c[1] - ys[near]) / VECTOR_UNIT

    def cells(z: np.ndarray) -> np.ndarray:
        return cv2.resize(padded(z, 0).astype(np.float32), (k, n), interpolation=cv2.INTER_AREA)[None]

    asked = (cells(np.ones((out_h, out_w), np.uint8)) > 0.5).astype(np.float32)
    return padded(inner, PAD), {"heat": heat, "weight": weight * asked, "vectors": vectors, "on": on, "mask": cells(inner_mask), "edge": cells(inner_edge), "mask_weight": asked}


def altered(task: str, images: np.ndarray, targets: dict, rng: np.random.Generator) -> tuple[np.ndarray, dict]:
    """A batch to be used once more, mirrored and in other colours: much cheaper than a new one, and nearly as good."""
    curves = np.linspace(0, 1, 256)[:, None] ** np.exp(rng.normal(0, 0.15)) * np.exp(rng.normal(0, 0.12, 3)) * 255
    images = cv2.LUT(images.reshape(-1, images.shape[2], 3), np.clip(curves, 0, 255).astype(np.uint8)[None]).reshape(images.shape)
    if rng.random() < 0.3:
        images = images[..., rng.permutation(3)]
    if task == "pieces":  # the playmat's pictures have their padding on the right
        images = images[:, :, ::-1]
        targets = {k: v[..., ::-1].copy() for k, v in targets.items()}
        targets["vectors"][:, [0, 2]] *= -1
    return np.ascontiguousarray(images), targets


def as_tensors(images: np.ndarray, targets: dict) -> tuple[torch.Tensor, dict]:
    return torch.from_numpy(images), {k: torch.from_numpy(v) for k, v in targets.items()}


class Samples(IterableDataset):
    """An endless stream of whole batches (so that all pictures of one batch have one size); each comes again once, altered."""

    def __init__(self, task: str, folders: list[Path], weights: list[float], batch: int, seed: int, side: int = 256) -> None:
        super().__init__()
        self.task, self.folders, self.weights, self.batch, self.seed, self.side = task, folders, weights, batch, seed, side

    def __iter__(self):
        cv2.setNumThreads(1)
        info = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self.seed, info.id if info else 0])
        pictures = Pictures(self.folders)
        drawn = 0
        pool: list[tuple[np.ndarray, dict]] = []
        while True:
            if drawn % 100 == 99:
                pictures.rescan()
            drawn += 1
            canvas = [(320, 256), (320, 256), (320, 192), (256, 320), (192, 320)][int(rng.choice(5, p=[0.3, 0.3, 0.2, 0.12, 0.08]))]
            images, targets = [], []
            while len(images) < self.batch:
                rgb, ids, record = pictures.draw(rng, self.weights)
                if self.task == "pieces":
                    image, target = pieces_sample(rgb, ids, record, rng, self.side)
                else:
                    if min(canvas[0] / record["width"], canvas[1] / record["height"]) * max(record["width"], record["height"]) < 280:
                        continue
                    image, target = playmat_sample(rgb, ids, record, rng, canvas)
                images.append(image)
                targets.append(target)
            batch = np.stack(images), {k: np.stack([t[k] for t in targets]) for k in targets[0]}
            yield as_tensors(*batch)
            pool.append(batch)
            if len(pool) > POOL:
                yield as_tensors(*altered(self.task, *pool.pop(int(rng.integers(POOL))), rng))
