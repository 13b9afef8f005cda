"""Meshes of everything that stands, lies or is held near a playmat, built from numbers alone.

A mesh is `(vertices, triangles)`: float32 [n, 3] in millimetres and int32 [m, 3], counter-clockwise seen from
outside. Upright objects stand on z = 0 with their middle on the z axis; a meeple's width runs along x, its
thickness along y. Both renderers use these meshes, so their pictures and the truth agree to the last vertex.
"""

from __future__ import annotations

import functools
import json
import math

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]


# ---------------------------------------------------------------- outlines


def meeple_outline(p: dict) -> np.ndarray:
    """The outline (counter-clockwise, [n, 2], x across and z up, feet on z = 0) of a meeple with the measures `p`.

    `p` holds, as shares of the height 1: `width`, `head_r`, `neck_w` (half), `arm_z`, `arm_r` (half thickness of the
    hand), `arm_slope` (rise of the shoulder), `waist_w` (half), `armpit_z`, `foot_w` (half), `foot_in` (half gap
    between the feet), `crotch_z`, `head_flat`, `round` (0..1).
    """
    half = p["width"] / 2
    r = p["head_r"]
    head_z = 1.0 - r * p["head_flat"]
    neck_angle = math.acos(min(0.98, p["neck_w"] / r))
    head = [
        (r * math.cos(a), head_z + r * (p["head_flat"] if a > 0 else 1.0) * math.sin(a))
        for a in np.linspace(math.pi / 2, -neck_angle, 9)
    ]
    arm_r, arm_z = p["arm_r"], p["arm_z"]
    shoulder_z = head_z - r * math.sin(neck_angle)
    hand = [
        (half - arm_r + arm_r * math.cos(a), arm_z + arm_r * math.sin(a)) for a in np.linspace(math.pi / 2, -math.pi / 2, 6)
    ]
    shoulder = [(p["neck_w"] + 0.35 * (half - p["neck_w"]), arm_z + arm_r + p["arm_slope"] * max(0.0, shoulder_z - arm_z - arm_r))]
    body = [(p["waist_w"], p["armpit_z"])]
    leg_mid = p["waist_w"] + 0.45 * (p["foot_w"] - p["waist_w"])
    leg = [(leg_mid, p["armpit_z"] * 0.5), (p["foot_w"], 0.035), (p["foot_w"] - 0.02, 0.0), (p["foot_w"] - 0.05, 0.0)]
    if p["foot_in"] > 0.01:
        inner = [
            (p["foot_in"] + 0.02, 0.0),
            (p["foot_in"], 0.0),
            (p["foot_in"] * 0.55, p["crotch_z"] * 0.5),
            (p["foot_in"] * 0.12, p["crotch_z"]),
        ]
    else:
        inner = [(0.06, 0.0)]
    right = np.array(head + shoulder + hand + body + leg + inner)  # from the head's top clockwise to the crotch
    left = right[::-1] * [-1, 1]
    ring = np.vstack([right, left[:-1]])  # the head's top is shared
    ring = _round_corners(ring, 0.12 + 0.13 * p["round"])
    ring[:, 1] = np.maximum(ring[:, 1], 0.0)
    ring[:, 1] /= ring[:, 1].max()
    return _dedupe(ring[::-1]).astype(np.float64)


def _round_corners(ring: np.ndarray, cut: float) -> np.ndarray:
    """Chaikin's corner cutting with cut share `cut`; points on the ground stay on it."""
    nxt = np.roll(ring, -1, axis=0)
    out = np.empty((2 * len(ring), 2))
    out[0::2] = ring * (1 - cut) + nxt * cut
    out[1::2] = ring * cut + nxt * (1 - cut)
    return out


def _dedupe(ring: np.ndarray, eps: float = 1e-3) -> np.ndarray:
    keep = np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1) > eps
    return ring[keep]


def sample_meeple_measures(rng: np.random.Generator) -> dict:
    """Measures of one maker's meeple: from slim to chunky, see `meeple_outline`."""
    u = rng.uniform
    if rng.random() < 0.45:  # near the common one, 16 x 16 mm
        return dict(
            width=u(0.95, 1.04), head_r=u(0.175, 0.205), neck_w=u(0.10, 0.14), arm_z=u(0.55, 0.62), arm_r=u(0.085, 0.115),
            arm_slope=u(0.2, 0.7), waist_w=u(0.20, 0.26), armpit_z=u(0.38, 0.46), foot_w=u(0.40, 0.48), foot_in=u(0.08, 0.17),
            crotch_z=u(0.14, 0.26), head_flat=u(0.95, 1.05), round=u(0.4, 1.0),
        )
    if rng.random() < 0.25:  # cartoonish: big or tiny head, thick or spread limbs
        head_r, arm_r = u(0.14, 0.26), u(0.07, 0.16)
        return dict(
            width=u(0.72, 1.2), head_r=head_r, neck_w=u(0.06, 0.135), arm_z=min(u(0.42, 0.6), 1.03 - 1.9 * head_r - arm_r), arm_r=arm_r, arm_slope=u(0.0, 1.0),
            waist_w=u(0.16, 0.34), armpit_z=u(0.24, 0.36), foot_w=u(0.3, 0.56), foot_in=float(rng.choice([0.0, u(0.02, 0.26)], p=[0.2, 0.8])),
            crotch_z=u(0.05, 0.22), head_flat=u(0.8, 1.2), round=u(0.3, 1.0),
        )
    return dict(
        width=u(0.78, 1.12), head_r=u(0.15, 0.225), neck_w=u(0.07, 0.145), arm_z=u(0.48, 0.66), arm_r=u(0.06, 0.13),
        arm_slope=u(0.0, 1.0), waist_w=u(0.14, 0.30), armpit_z=u(0.32, 0.46), foot_w=u(0.32, 0.52),
        foot_in=float(rng.choice([0.0, u(0.04, 0.22)], p=[0.15, 0.85])), crotch_z=u(0.08, 0.30), head_flat=u(0.85, 1.15),
        round=u(0.0, 1.0),
    )


def blob_outline(rng: np.random.Generator) -> np.ndarray:
    """A random wooden figure that is not a meeple (animal, tree, house, star): [n, 2], height about 1."""
    kind = rng.integers(0, 5)
    if kind == 0:  # house
        w, wall = rng.uniform(0.35, 0.6), rng.uniform(0.45, 0.7)
        ring = np.array([(-w, 0), (w, 0), (w, wall), (0, 1), (-w, wall)])
    elif kind == 1:  # tree
        w = rng.uniform(0.3, 0.5)
        ring = np.array([(-0.1, 0), (0.1, 0), (0.1, 0.2), (w, 0.2), (w * 0.5, 0.55), (w * 0.7, 0.55), (0, 1), (-w * 0.7, 0.55), (-w * 0.5, 0.55), (-w, 0.2), (-0.1, 0.2)])
    elif kind == 2:  # four-legged animal
        b, l = rng.uniform(0.55, 0.8), rng.uniform(0.1, 0.2)
        ring = np.array([(-b, 0), (-b + l, 0), (-b + l, 0.3), (b - 2 * l, 0.3), (b - 2 * l, 0), (b - l, 0), (b - l, 0.45), (b + 0.15, 0.6), (b + 0.15, 0.95), (b - 0.15, 1.0), (b - 0.25, 0.7), (-b, 0.65)])
    else:  # star or lump
        n = int(rng.integers(5, 12))
        a = np.linspace(0, 2 * math.pi, 2 * n, endpoint=False)
        rad = np.where(np.arange(2 * n) % 2 == 0, 0.5, rng.uniform(0.25, 0.5)) * rng.uniform(0.8, 1.0, 2 * n)
        ring = np.stack([rad * np.cos(a), 0.5 + rad * np.sin(a)], 1)
    ring = _round_corners(ring, rng.uniform(0.05, 0.25))
    ring[:, 1] -= ring[:, 1].min()
    return _dedupe(ring)


# ---------------------------------------------------------------- solids


def triangulate(ring: np.ndarray) -> np.ndarray:
    """Ear clipping of a simple counter-clockwise polygon: int32 [n - 2, 3]."""
    idx = list(range(len(ring)))
    out: list[tuple[int, int, int]] = []

    def cross(o: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    guard = 0
    while len(idx) > 3 and guard < 5000:
        guard += 1
        best = None
        for k in range(len(idx)):
            i, j, l = idx[k - 1], idx[k], idx[(k + 1) % len(idx)]
            a, b, c = ring[i], ring[j], ring[l]
            if cross(a, b, c) <= 1e-12:
                continue
            others = ring[[m for m in idx if m not in (i, j, l)]]
            s1 = (b[0] - a[0]) * (others[:, 1] - a[1]) - (b[1] - a[1]) * (others[:, 0] - a[0])
            s2 = (c[0] - b[0]) * (others[:, 1] - b[1]) - (c[1] - b[1]) * (others[:, 0] - b[0])
            s3 = (a[0] - c[0]) * (others[:, 1] - c[1]) - (a[1] - c[1]) * (others[:, 0] - c[0])
            if not np.any((s1 >= -1e-12) & (s2 >= -1e-12) & (s3 >= -1e-12)):
                best = (k, i, j, l)
                break
        if best is None:  # numerically degenerate: drop the flattest corner
            k = int(np.argmin([abs(cross(ring[idx[q - 1]], ring[idx[q]], ring[idx[(q + 1) % len(idx)]])) for q in range(len(idx))]))
            idx.pop(k)
            continue
        out.append(best[1:])
        idx.pop(best[0])
    if len(idx) == 3:
        out.append(tuple(idx))
    return np.array(out, np.int32)


def extrude(ring: np.ndarray, thickness: float, bevel: float) -> Mesh:
    """A solid of the outline `ring` (x, z in mm), `thickness` along y, its front and back edges broken by `bevel`.

    Vertices come as four rings (inset front, front, back, inset back); the front faces -y.
    """
    n = len(ring)
    edge = np.roll(ring, -1, axis=0) - ring
    normal = np.stack([edge[:, 1], -edge[:, 0]], 1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-9
    vertex_normal = normal + np.roll(normal, 1, axis=0)
    vertex_normal /= np.linalg.norm(vertex_normal, axis=1, keepdims=True) + 1e-9
    inset = ring - vertex_normal * bevel
    t = thickness / 2
    rings = [(inset, -t), (ring, -t + bevel), (ring, t - bevel), (inset, t)]
    verts = np.vstack([np.column_stack([r[:, 0], np.full(n, y), r[:, 1]]) for r, y in rings])
    tris = [triangulate(ring)]
    i = np.arange(n)
    j = (i + 1) % n
    for k in range(3):
        a, b = k * n, (k + 1) * n
        tris.append(np.stack([a + i, b + i, a + j], 1))
        tris.append(np.stack([a + j, b + i, b + j], 1))
    tris.append(tris[0][:, ::-1] + 3 * n)
    return verts.astype(np.float32), np.vstack(tris).astype(np.int32)


def box(sx: float, sy: float, sz: float, bevel: float = 0.0) -> Mesh:
    """A box standing on z = 0; `bevel` breaks its front and back edges."""
    ring = np.array([(-sx / 2, 0), (sx / 2, 0), (sx / 2, sz), (-sx / 2, sz)], float)
    if bevel > 0:
        ring = _round_corners(ring, min(0.45, bevel / min(sx, sz)))
    return extrude(ring, sy, max(bevel, 1e-3))


def lathe(profile: np.ndarray, segments: int = 20) -> Mesh:
    """A solid of revolution about z; `profile` is [n, 2] (radius, z) from the bottom up."""
    n = len(profile)
    a = np.linspace(0, 2 * math.pi, segments, endpoint=False)
    ring = np.stack([np.cos(a), np.sin(a)], 1)
    verts = [np.column_stack([ring * max(r, 1e-3), np.full(segments, z)]) for r, z in profile]
    verts.append(np.array([[0, 0, profile[0][1]], [0, 0, profile[-1][1]]]))
    i = np.arange(segments)
    j = (i + 1) % segments
    tris = []
    for k in range(n - 1):
        lo, hi = k * segments, (k + 1) * segments
        tris += [np.stack([lo + i, lo + j, hi + i], 1), np.stack([hi + i, lo + j, hi + j], 1)]
    bottom, top = n * segments, n * segments + 1
    tris.append(np.stack([np.full(segments, bottom), j, i], 1))
    tris.append(np.stack([np.full(segments, top), (n - 1) * segments + i, (n - 1) * segments + j], 1))
    return np.vstack(verts).astype(np.float32), np.vstack(tris).astype(np.int32)


def capsule_chain(points: np.ndarray, radii: np.ndarray, segments: int = 10) -> Mesh:
    """A finger-like tube through `points` [n, 3] with `radii` [n], rounded at both ends."""
    centres, sizes = [], []
    first, last = points[0] - points[1], points[-1] - points[-2]
    for a in (0.0, 0.5, 0.86):
        centres.append(points[0] + first / np.linalg.norm(first) * radii[0] * (1 - a))
        sizes.append(radii[0] * math.sqrt(max(1e-4, 1 - (1 - a) ** 2)))
    centres += list(points)
    sizes += list(radii)
    for a in (0.5, 0.86, 0.999):
        centres.append(points[-1] + last / np.linalg.norm(last) * radii[-1] * a)
        sizes.append(radii[-1] * math.sqrt(1 - a * a))
    centres = np.array(centres)
    tangents = np.gradient(centres, axis=0)
    verts = []
    side = np.array([0.31, 0.95, 0.05])
    for c, r, t in zip(centres, sizes, tangents):
        t = t / (np.linalg.norm(t) + 1e-9)
        u = np.cross(t, side)
        u /= np.linalg.norm(u) + 1e-9
        v = np.cross(t, u)
        a = np.linspace(0, 2 * math.pi, segments, endpoint=False)
        verts.append(c + r * (np.cos(a)[:, None] * u + np.sin(a)[:, None] * v))
    n = len(centres)
    i = np.arange(segments)
    j = (i + 1) % segments
    tris = []
    for k in range(n - 1):
        lo, hi = k * segments, (k + 1) * segments
        tris += [np.stack([lo + i, lo + j, hi + i], 1), np.stack([hi + i, lo + j, hi + j], 1)]
    for base, order in ((0, -1), ((n - 1) * segments, 1)):
        fan = np.stack([np.full(segments - 2, base), base + i[1:-1], base + j[1:-1]], 1)
        tris.append(fan[:, ::order])
    return np.vstack(verts).astype(np.float32), np.vstack(tris).astype(np.int32)


def rounded_sheet(sx: float, sy: float, thickness: float, radius: float, fray: np.ndarray | None = None) -> Mesh:
    """A felt sheet or card with its top on z = 0: corner radius and an optional fray (mm, per outline point)."""
    pts = []
    for cx, cy, a0 in ((1, -1, -90), (1, 1, 0), (-1, 1, 90), (-1, -1, 180)):
        centre = np.array([cx * (sx / 2 - radius), cy * (sy / 2 - radius)])
        for a in np.radians(np.linspace(a0, a0 + 90, 5)):
            pts.append(centre + radius * np.array([math.cos(a), math.sin(a)]))
    ring = np.array(pts)
    if fray is not None:
        dense = []
        for k in range(len(ring)):
            a, b = ring[k], ring[(k + 1) % len(ring)]
            steps = max(1, int(np.linalg.norm(b - a) / 8))
            dense += [a + (b - a) * s / steps for s in range(steps)]
        ring = np.array(dense)
        centre_dir = ring / (np.linalg.norm(ring, axis=1, keepdims=True) + 1e-9)
        ring = ring - centre_dir * np.resize(fray, len(ring))[:, None]
    ring = _dedupe(ring, 1e-2)
    verts, tris = extrude(ring, thickness, min(0.3, thickness / 4))
    # The outline lies in (x, z) with the front towards -y: turn the front up.
    turned = np.column_stack([verts[:, 0], verts[:, 2], -verts[:, 1] - thickness / 2])
    return turned.astype(np.float32), tris


@functools.lru_cache(maxsize=256)
def _cached(spec: str) -> Mesh:
    return _build(json.loads(spec))


def mesh_of(spec: dict) -> Mesh:
    """The mesh that a scene's mesh description stands for (kept: scenes repeat them)."""
    return _cached(json.dumps(spec, sort_keys=True))


def _build(s: dict) -> Mesh:
    kind = s["kind"]
    if kind == "meeple":
        ring = meeple_outline(s["measures"]) * s["height"]
        return extrude(ring, s["thickness"], s["bevel"])
    if kind == "extrude":
        return extrude(np.array(s["ring"], float), s["thickness"], s["bevel"])
    if kind == "box":
        return box(*s["size"], s.get("bevel", 0.0))
    if kind == "lathe":
        return lathe(np.array(s["profile"], float), s.get("segments", 20))
    if kind == "capsules":
        return capsule_chain(np.array(s["points"], float), np.array(s["radii"], float))
    if kind == "sheet":
        fray = np.array(s["fray"], float) if s.get("fray") else None
        return rounded_sheet(*s["size"], s["thickness"], s["radius"], fray)
    raise ValueError(f"unknown mesh kind {kind!r}")
