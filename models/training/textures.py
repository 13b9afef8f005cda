"""Patterns of tables, tablecloths, boards, printed paper and walls, painted from a description with NumPy alone."""

from __future__ import annotations

import functools
import json
import math

import numpy as np
from PIL import Image

SIDE = 256


def _noise(rng: np.random.Generator, cells: int, octaves: int = 4, stretch: float = 1.0) -> np.ndarray:
    """Smooth noise in 0..1, [SIDE, SIDE]; `stretch` > 1 draws it out along x."""
    out = np.zeros((SIDE, SIDE), np.float32)
    weight = 0.0
    for k in range(octaves):
        ny = min(SIDE, max(2, int(cells * 2**k)))
        nx = min(SIDE, max(2, int(cells * 2**k / stretch)))
        grid = Image.fromarray(rng.random((ny, nx), dtype=np.float32))
        out += np.asarray(grid.resize((SIDE, SIDE), Image.Resampling.BICUBIC)) * 0.55**k
        weight += 0.55**k
    return np.clip(out / weight, 0, 1)


def _mix(a, b, t: np.ndarray) -> np.ndarray:
    t = np.asarray(t, np.float32)[..., None]
    return np.float32(a) * (1 - t) + np.float32(b) * t


@functools.lru_cache(maxsize=16)
def _painted(spec: str) -> np.ndarray:
    s = json.loads(spec)
    rng = np.random.default_rng(s["seed"])
    c = s["colours"]
    n = s["cells"]
    ys, xs = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / SIDE
    kind = s["kind"]
    if kind == "wood":
        grain = _noise(rng, max(8, n), 4, 12)
        rings = 0.5 + 0.5 * np.sin(2 * math.pi * (ys * n * 0.5 + 3 * _noise(rng, 3, 3, 4)))
        img = _mix(c[0], c[1], np.clip(0.6 * grain + 0.4 * rings * s["contrast"], 0, 1))
        if rng.random() < 0.4:  # planks
            planks = int(rng.integers(3, 9))
            tone = rng.uniform(0.8, 1.15, planks)[np.minimum((ys * planks).astype(int), planks - 1)]
            img = img * tone[..., None] * np.where((ys * planks) % 1 < 0.03, 0.5, 1.0)[..., None]
    elif kind == "check":
        img = _mix(c[0], c[1], ((xs * n).astype(int) + (ys * n).astype(int)) % 2 * s["contrast"])
    elif kind == "stripes":
        wave = np.sin(2 * math.pi * n * xs) * 3
        img = _mix(c[0], c[1], np.clip(0.5 + wave, 0, 1) * s["contrast"])
    elif kind == "noise":
        img = _mix(c[0], c[1], np.clip((_noise(rng, n, 5) - 0.3) * 2, 0, 1))
    elif kind == "board":  # a board game's map: coloured regions, roads, fields
        regions = (_noise(rng, max(3, n // 4), 2) * 7).astype(int) % len(c)
        img = np.array(c)[regions]
        cell = max(3, n // 3)
        line = ((xs * cell) % 1 < 0.04) | ((ys * cell) % 1 < 0.04)
        img = np.where(line[..., None], np.array(c[-1]) * 0.3, img)
        road = np.abs(_noise(rng, max(2, n // 6), 2) - 0.5) < 0.02
        img = np.where(road[..., None], 0.85, img)
    elif kind == "print":  # paper with lines of text and a picture
        img = np.ones((SIDE, SIDE, 3)) * np.clip(np.array(c[0]) * 0.2 + 0.75, 0, 1)
        lines = int(rng.integers(12, 40))
        row = (ys * lines) % 1
        letters = rng.random((lines, 90)) < 0.6
        ink = (row > 0.35) & (row < 0.75) & letters[np.minimum((ys * lines).astype(int), lines - 1), np.minimum((xs * 90).astype(int), 89)]
        img = np.where(ink[..., None], np.array(c[1]) * 0.3, img)
        x0, y0 = rng.uniform(0, 0.6, 2)
        inside = (xs > x0) & (xs < x0 + 0.35) & (ys > y0) & (ys < y0 + 0.3)
        img = np.where(inside[..., None], _mix(c[2], c[3], _noise(rng, 6, 4)), img)
    elif kind == "tiles":
        ids = rng.integers(0, len(c), (n, n))
        img = np.array(c)[ids[(ys * n).astype(int) % n, (xs * n).astype(int) % n]]
        gap = ((xs * n) % 1 < 0.06) | ((ys * n) % 1 < 0.06)
        img = np.where(gap[..., None], np.array(c[-1]) * 0.5, img)
    elif kind == "cloth":
        weave = 0.5 + 0.25 * np.sin(2 * math.pi * xs * 90) + 0.25 * np.sin(2 * math.pi * ys * 90)
        bands = ((xs * n / 2) % 1 < 0.3).astype(float) * 0.5 + ((ys * n / 2) % 1 < 0.3) * 0.5
        img = _mix(c[0], c[1], np.clip(bands * s["contrast"], 0, 1)) * (0.8 + 0.2 * weave[..., None])
    elif kind == "blobs":
        img = np.ones((SIDE, SIDE, 3)) * np.array(c[0])
        for _ in range(n * 4):
            x, y, r = rng.random(), rng.random(), rng.uniform(0.005, 0.09)
            shape = rng.integers(0, 3)
            dx, dy = np.abs(xs - x), np.abs(ys - y)
            hit = dx**2 + dy**2 < r * r if shape == 0 else np.maximum(dx, dy * 1.5) < r if shape == 1 else dx + dy < r
            img[hit] = c[int(rng.integers(len(c)))]
    else:
        img = np.ones((SIDE, SIDE, 3)) * np.array(c[0])
    img = img * (0.94 + 0.12 * _noise(rng, 5, 5)[..., None])
    return (np.clip(img, 0, 1) * 255).astype(np.uint8)


def paint(spec: dict) -> np.ndarray:
    """uint8 sRGB [SIDE, SIDE, 3]."""
    return _painted(json.dumps(spec, sort_keys=True))
