"""What a camera, a lamp and a file format do to a picture: random, fast, on uint8 RGB arrays."""

from __future__ import annotations

import functools
import math

import cv2
import numpy as np


def recolour(rgb: np.ndarray, ids: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Repaints all pieces, or the felt, in another colour, often each other's."""
    pieces, felt = (ids >= 1) & (ids < 200), ids == 251
    if pieces.sum() < 50:
        return rgb
    out = rgb.astype(np.float32)
    mean_piece = out[pieces].mean(0) + 4
    u = rng.random()
    if felt.sum() > 200 and u < 0.55:
        mean_felt = out[felt].mean(0) + 4
        near = rng.uniform(0.8, 1.2) * (1 + rng.normal(0, 0.04, 3))
        if u < 0.35:
            out[pieces] *= np.clip(mean_felt * near / mean_piece, 0.1, 5)
        else:
            out[felt] *= np.clip(mean_piece * near / mean_felt, 0.1, 5)
    else:
        target = rng.uniform(15, 225) + rng.uniform(0, 110) * (rng.random(3) - 0.5)
        out[pieces] *= np.clip(np.clip(target, 8, 240) / mean_piece, 0.1, 5)
    return np.clip(out, 0, 255).astype(np.uint8)


def _motion(rng: np.random.Generator) -> np.ndarray:
    n = int(rng.integers(3, 8))
    kernel = np.zeros((n, n), np.float32)
    a = rng.uniform(0, math.pi)
    c = (n - 1) / 2
    dx, dy = math.cos(a) * c, math.sin(a) * c
    cv2.line(kernel, (round(c - dx), round(c - dy)), (round(c + dx), round(c + dy)), 1.0)
    return kernel / max(1.0, kernel.sum())


@functools.lru_cache(maxsize=1)
def _noise_bank() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((1200, 1200, 3), dtype=np.float32)


def _noise(rng: np.random.Generator, h: int, w: int) -> np.ndarray:
    """Unit noise [h, w, 3]: a random window of a fixed bank, which is much cheaper than fresh numbers."""
    y, x = int(rng.integers(1200 - h)), int(rng.integers(1200 - w))
    window = _noise_bank()[y : y + h, x : x + w]
    return window[:, ::-1].copy() if rng.random() < 0.5 else window.copy()


def _soft_map(rng: np.random.Generator, h: int, w: int) -> np.ndarray:
    """A smooth map in 0..1 with one edge: a shadow's or a lamp's border."""
    if rng.random() < 0.5:
        a = rng.uniform(0, 2 * math.pi)
        ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
        t = (xs / w - rng.random()) * math.cos(a) + (ys / h - rng.random()) * math.sin(a)
        return 1 / (1 + np.exp(-t * rng.choice([4.0, 15.0, 60.0])))
    small = rng.random((int(rng.integers(2, 6)), int(rng.integers(2, 6)))).astype(np.float32)
    return np.clip(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC), 0, 1)


def photometric(rgb: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A uint8 picture as another camera would have taken it in other light."""
    h, w = rgb.shape[:2]
    if rng.random() < 0.12:
        rgb = rgb[..., rng.permutation(3)]
    bright = rgb.mean() / 255 + 0.02
    gain = np.exp(np.clip(rng.normal(0, 0.28), math.log(0.17 / bright), math.log(0.85 / bright))) * np.exp(rng.normal(0, 0.10, 3))
    curve = np.linspace(0, 1, 256)[:, None] ** np.exp(rng.normal(0, 0.18)) * gain
    x = cv2.LUT(np.ascontiguousarray(rgb), curve.astype(np.float32)[None])
    if rng.random() < 0.35:
        depth = rng.uniform(0.15, 0.75)
        shade = 1 - depth * _soft_map(rng, h, w)[..., None]
        x = x * (shade if rng.random() < 0.6 else shade ** rng.uniform(0.6, 1.5, 3).astype(np.float32))
    if rng.random() < 0.08:  # glare
        x = x + rng.uniform(0.1, 0.5) * (_soft_map(rng, h, w)[..., None] ** 2)
    sat = rng.uniform(0.4, 1.5) if rng.random() < 0.95 else 0.0
    mix = sat * np.eye(3) + (1 - sat) / 3
    if rng.random() < 0.3:
        hue = rng.normal(0, 0.25)
        a = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32) * math.cos(hue) + (1 - math.cos(hue)) / 3 + math.sin(hue) * math.sqrt(1 / 3) * np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], np.float32)
        mix = a @ mix
    pivot, contrast = rng.uniform(0.3, 0.6), np.exp(rng.normal(0, 0.15))
    offset = pivot * (1 - contrast) + rng.normal(0, 0.03)
    x = cv2.transform(x, np.column_stack([mix * contrast, np.full(3, offset)]).astype(np.float32))
    u = rng.random()
    if u < 0.3:
        x = cv2.GaussianBlur(x, (0, 0), rng.uniform(0.3, 1.5))
    elif u < 0.38:
        x = cv2.filter2D(x, -1, _motion(rng))
    elif u < 0.5:
        f = rng.uniform(0.5, 0.9)
        x = cv2.resize(cv2.resize(x, (max(8, int(w * f)), max(8, int(h * f))), interpolation=cv2.INTER_AREA), (w, h), interpolation=int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC])))
    if rng.random() < 0.7:
        sigma = rng.exponential(0.018)
        noise = _noise(rng, h, w)
        if rng.random() < 0.4:
            noise = cv2.GaussianBlur(noise, (0, 0), 0.7) * 1.8
        if rng.random() < 0.3:
            noise = noise.mean(2, keepdims=True) * 1.6
        x = x + noise * np.float32(sigma) * (0.4 + np.sqrt(np.clip(x, 0, 1)))
    if rng.random() < 0.3:
        x = x + rng.uniform(0.3, 1.5) * (x - cv2.GaussianBlur(x, (0, 0), rng.uniform(0.6, 1.5)))
    out = (np.clip(x, 0, 1) * 255 + 0.5).astype(np.uint8)
    if rng.random() < 0.6:
        q = int(rng.choice([rng.integers(25, 60), rng.integers(55, 96)], p=[0.3, 0.7]))
        out = cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, q])[1], cv2.IMREAD_COLOR)
    return out
