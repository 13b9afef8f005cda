"""The scene sampler: what lies on the table, who looks at it from where, and in which light.

A scene is a plain dict (JSON), the same for both renderers. World frame: millimetres, origin at the playmat's centre on
its upper side, x along its width, y along its depth, z up. Colours are sRGB, 0..1. Poses are 4x4, object to world.
Everything varies far wider than any set of pictures at hand, so that a network trained on it has to look at shapes.
"""

from __future__ import annotations

import math

import numpy as np

import shapes

PIECE_COLOURS = {
    "red": (0.75, 0.10, 0.10), "blue": (0.10, 0.22, 0.62), "green": (0.10, 0.45, 0.16), "yellow": (0.92, 0.76, 0.10),
    "black": (0.06, 0.06, 0.065), "grey": (0.45, 0.45, 0.45), "pink": (0.90, 0.45, 0.60), "orange": (0.92, 0.42, 0.08),
    "purple": (0.36, 0.16, 0.50), "white": (0.90, 0.89, 0.85), "natural": (0.80, 0.62, 0.42), "brown": (0.36, 0.21, 0.12),
    "teal": (0.08, 0.48, 0.50), "lightblue": (0.35, 0.62, 0.85), "lime": (0.55, 0.75, 0.15), "navy": (0.06, 0.09, 0.28),
    "turquoise": (0.20, 0.72, 0.68), "maroon": (0.40, 0.06, 0.12),
}
FELT_COLOURS = list(PIECE_COLOURS.values()) + [
    (0.83, 0.77, 0.66), (0.70, 0.70, 0.72), (0.25, 0.32, 0.27), (0.30, 0.30, 0.32), (0.12, 0.30, 0.18), (0.55, 0.10, 0.15),
]
TEXTURE_KINDS = ["wood", "check", "stripes", "noise", "board", "print", "tiles", "plain", "cloth", "blobs"]


# ---------------------------------------------------------------- small helpers


def pose(x: float, y: float, z: float, yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> np.ndarray:
    """Object to world: roll about the object's y, then pitch about its x, then yaw about z (radians), then the shift."""
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    about_y = np.array([[cr, 0, sr], [0, 1, 0], [-sr, 0, cr]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    out = np.eye(4)
    out[:3, :3] = about_z @ about_x @ about_y
    out[:3, 3] = (x, y, z)
    return out


def jitter(rng: np.random.Generator, colour, amount: float = 0.05) -> list[float]:
    """The colour, moved a little in brightness and in each channel."""
    c = np.array(colour) * rng.uniform(1 - 2 * amount, 1 + 2 * amount) + rng.normal(0, amount * 0.6, 3)
    return np.clip(c, 0.01, 0.97).round(4).tolist()


def any_colour(rng: np.random.Generator) -> list[float]:
    """A random colour, muted more often than loud."""
    grey, sat = rng.uniform(0.05, 0.9), rng.beta(1.2, 2.0)
    c = grey + sat * (rng.random(3) - 0.5)
    return np.clip(c, 0.01, 0.97).round(4).tolist()


def sample_texture(rng: np.random.Generator, kinds: list[str] | None = None) -> dict:
    """A description of a surface pattern; `textures.paint` draws it."""
    kind = str(rng.choice(kinds or TEXTURE_KINDS))
    if kind == "wood":
        base = np.array([0.62, 0.42, 0.25]) * rng.uniform(0.4, 1.4) + rng.normal(0, 0.05, 3)
        colours = [np.clip(base, 0.02, 0.95).round(4).tolist(), np.clip(base * rng.uniform(0.6, 0.95), 0.02, 0.95).round(4).tolist()]
    else:
        colours = [any_colour(rng) for _ in range(5)]
        if rng.random() < 0.3:  # low contrast
            colours = [np.clip(np.array(colours[0]) + rng.normal(0, 0.06, 3), 0.01, 0.97).round(4).tolist() for _ in range(5)]
    return {"kind": kind, "colours": colours, "seed": int(rng.integers(1 << 30)), "cells": int(rng.integers(4, 40)), "angle": float(rng.choice([0.0, rng.uniform(0, 180)])), "contrast": float(rng.uniform(0.3, 1.0))}


def sample_table(rng: np.random.Generator, felt: list[float]) -> dict:
    """A table's surface: any, one with a pattern about as large as a piece, or one in the playmat's own colours."""
    texture = sample_texture(rng)
    uv_mm = float(rng.choice([rng.uniform(60, 300), rng.uniform(200, 900)]))
    u = rng.random()
    if u < 0.22:
        texture = sample_texture(rng, ["check", "check", "tiles", "stripes", "blobs"])
        uv_mm = float(np.clip(texture["cells"] * rng.uniform(8, 26), 60, 900))
    elif u < 0.42:
        # The felt's colour with little contrast: only an edge, a shadow and the weave tell them apart.
        near = np.clip(np.array(felt) * rng.uniform(0.75, 1.25), 0.01, 0.97)
        spread = rng.choice([0.01, 0.04, 0.1])
        texture["colours"] = [np.clip(near + rng.normal(0, spread, 3), 0.01, 0.97).round(4).tolist() for _ in texture["colours"]]
    return {"texture": texture, "uv_mm": uv_mm, "rough": float(rng.uniform(0.15, 0.9))}


def state_of(p: np.ndarray) -> str:
    """The state of a piece with pose `p`; `unclear` within a few degrees of the limit between standing and leaning."""
    r = p[:3, :3] / np.linalg.norm(p[:3, 0])
    tilt = math.degrees(math.acos(np.clip(r[2, 2], -1, 1)))
    if tilt < 8:
        return "upright"
    if tilt < 13:
        return "unclear"
    if r[2, 2] < -0.9:
        return "upside_down"
    if abs(r[2, 1]) > 0.85:
        return "lying_flat"
    if abs(r[2, 0]) > 0.8:
        return "lying_side"
    return "tilted"


# ---------------------------------------------------------------- pieces


class Kit:
    """The pieces of one table: one maker's outline (now and then two), size and finish."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.makers = [self._maker() for _ in range(1 if rng.random() < 0.8 else 2)]
        self.grain = float(rng.choice([0.0, rng.uniform(0.05, 0.3), rng.uniform(0.2, 0.7)], p=[0.35, 0.4, 0.25]))
        self.rough = float(rng.choice([rng.uniform(0.12, 0.4), rng.uniform(0.4, 0.9)], p=[0.35, 0.65]))
        self.worn = float(rng.choice([0.0, rng.uniform(0, 0.6)], p=[0.6, 0.4]))

    def _maker(self) -> dict:
        rng = self.rng
        height = float(rng.choice([rng.normal(16, 0.25), rng.uniform(15, 20)], p=[0.65, 0.35]))
        return {
            "kind": "meeple",
            "measures": {k: round(float(v), 4) for k, v in shapes.sample_meeple_measures(rng).items()},
            "height": round(height, 3),
            "thickness": round(float(rng.choice([rng.uniform(8, 11), rng.uniform(6.5, 12)], p=[0.8, 0.2])) * height / 16, 3),
            "bevel": round(float(rng.choice([0.15, rng.uniform(0.3, 0.9), rng.uniform(0.8, 1.4)], p=[0.45, 0.45, 0.1])), 3),
        }

    def piece(self, p: np.ndarray, colour, maker: int = 0, **extra) -> dict:
        """A scene object: a meeple with pose `p` (without scale)."""
        rng = self.rng
        return {
            "role": "piece", "mesh": self.makers[maker % len(self.makers)], "pose": p.round(5).tolist(), "colour": jitter(rng, colour, 0.02),
            "rough": self.rough, "grain": self.grain, "worn": self.worn, "seed": int(rng.integers(1 << 20)), "state": state_of(p),
            "row": 0, "group": -1, **extra,
        }


def build_rows(rng: np.random.Generator, base: int) -> list[list[float]]:
    """Rows of x positions in piece widths: full, not full, with gaps, bridging two heads or standing on one."""
    pitch = rng.choice([1.005, rng.uniform(1.0, 1.12)], p=[0.6, 0.4])
    xs = [(i - (base - 1) / 2) * pitch for i in range(base)]
    if rng.random() < 0.1 and base > 2:
        xs = [x + (0.4 * rng.random() if rng.random() < 0.3 else 0) for x in xs]
        for i in range(1, len(xs)):
            xs[i] = max(xs[i], xs[i - 1] + 1.0)
    rows = [xs]
    full = rng.random() < 0.5
    keep = 1.0 if full else rng.uniform(0.35, 1.0)
    on_head = 0.0 if full else rng.choice([0.0, rng.uniform(0.1, 0.6)], p=[0.6, 0.4])
    last = rng.integers(1, 13) if rng.random() < 0.4 else 99
    while len(rows) < last:
        below = rows[-1]
        slots = [(a + b) / 2 for a, b in zip(below, below[1:]) if b - a < 1.3]
        slots = [s for s in slots if rng.random() < keep]
        if on_head > 0:
            slots += [x + rng.normal(0, 0.04) for x in below if rng.random() < on_head]
        rng.shuffle(slots)
        chosen: list[float] = []
        for s in slots:
            if all(abs(s - c) > 0.985 for c in chosen):
                chosen.append(float(s))
        if not chosen or len(rows) > 12:
            break
        rows.append(sorted(chosen))
    return rows


def nothing_above(rows: list[list[float]], r: int, x: float) -> bool:
    """Whether no piece stands on the slot at `x` of row `r`."""
    return r + 1 >= len(rows) or all(abs(x - above) > 0.98 for above in rows[r + 1])


def add_pyramid(rng: np.random.Generator, kit: Kit, objects: list[dict], centre, yaw: float, base: int, colours: list, z: float, group: int) -> None:
    """Puts a pyramid's pieces into `objects`; now and then two pieces deep, or with fallen pieces where nothing stands on them."""
    maker = int(rng.integers(len(kit.makers)))
    m = kit.makers[maker]
    h, w, t = m["height"], m["height"] * m["measures"]["width"], m["thickness"]
    tidy = rng.choice([0.3, 1.0, 2.0])
    layers = 2 if rng.random() < 0.14 else 1
    fallen = rng.uniform(0.1, 0.7) if rng.random() < 0.3 else 0.0
    ca, sa = math.cos(yaw), math.sin(yaw)
    for layer in range(layers):
        rows = build_rows(rng, base if layer == 0 else max(1, base - int(rng.integers(0, 3))))
        for r, xs in enumerate(rows):
            for x in xs:
                if fallen and rng.random() < fallen and nothing_above(rows, r, x):
                    at = (centre[0] + ca * x * w - sa * layer * t, centre[1] + sa * x * w + ca * layer * t, z + r * h)
                    p = fallen_pose(rng, m, *at, yaw + rng.normal(0, 0.25) + rng.choice([0.0, math.pi]))
                    objects.append(kit.piece(p, colours[int(rng.integers(len(colours)))], maker))
                    continue
                local_yaw = rng.normal(0, math.radians(2.5)) * tidy
                if rng.random() < 0.02 * tidy and len(xs) < 3:
                    local_yaw += rng.choice([0.5, 1.57, -0.7])
                if rng.random() < 0.5:
                    local_yaw += math.pi
                lx = x * w + rng.normal(0, 0.12) * tidy
                ly = layer * (t + rng.uniform(0.2, 3)) + rng.normal(0, 0.45) * tidy
                lean = rng.normal(0, math.radians(0.7), 2) * tidy
                p = pose(centre[0] + ca * lx - sa * ly, centre[1] + sa * lx + ca * ly, z + r * (h + 0.05), yaw + local_yaw, np.clip(lean[0], -0.1, 0.1), np.clip(lean[1], -0.1, 0.1))
                objects.append(kit.piece(p, colours[int(rng.integers(len(colours)))], maker, row=r + 1, group=group))


def add_heap(rng: np.random.Generator, kit: Kit, objects: list[dict], heap: list, centre, colours: list, z: float) -> None:
    """Puts a physics heap (unit height) at `centre`."""
    h = kit.makers[0]["height"]
    yaw = rng.uniform(0, 2 * math.pi)
    turn = pose(0, 0, 0, yaw)
    for unit in heap:
        p = np.array(unit)
        p[:3, 3] *= h * 1.01
        p = turn @ p
        p[:3, 3] += (centre[0], centre[1], z)
        objects.append(kit.piece(p, colours[int(rng.integers(len(colours)))]))


def fallen_pose(rng: np.random.Generator, maker: dict, x: float, y: float, z: float, yaw: float) -> np.ndarray:
    """A piece at rest on the height `z` in any state but standing: on its face or side, upside down, or leaning."""
    h, t, w = maker["height"], maker["thickness"], maker["height"] * maker["measures"]["width"]
    kind = rng.choice(["flat", "side", "down", "lean"], p=[0.36, 0.22, 0.2, 0.22])
    if kind == "flat":
        p = pose(0, 0, t / 2, yaw, math.radians(rng.choice([90, -90])))
        # Laid from its middle, so that the piece is where it was asked for, not its feet.
        p[:3, 3] -= p[:3, 2] * h / 2
        p[:3, 3] += (x, y, z)
        return p
    if kind == "side":
        side = rng.choice([1, -1])
        p = pose(0, 0, w * 0.46, yaw, 0.0, math.radians(side * rng.normal(90, 5)))
        p[:2, 3] -= p[:2, 2] * h / 2
        p[:3, 3] += (x, y, z)
        return p
    if kind == "down":
        p = pose(0, 0, 0, yaw, math.pi, math.radians(rng.normal(0, 3)))
        p[:3, 3] = (x, y, z + h)
        return p
    lean = math.radians(rng.choice([rng.uniform(14, 30), rng.uniform(20, 70)])) * rng.choice([1, -1])
    if rng.random() < 0.5:
        return pose(x, y, z + abs(math.sin(lean)) * t / 2, yaw, lean, 0.0)
    return pose(x, y, z + abs(math.sin(lean)) * w * 0.42, yaw, 0.0, lean)


def loose_pose(rng: np.random.Generator, maker: dict, x: float, y: float, z: float) -> np.ndarray:
    """A piece alone, standing or not."""
    yaw = rng.uniform(0, 2 * math.pi)
    return pose(x, y, z, yaw) if rng.random() < 0.25 else fallen_pose(rng, maker, x, y, z, yaw)


# ---------------------------------------------------------------- other things


def plain_object(role: str, mesh: dict, p: np.ndarray, colour, rng: np.random.Generator, **extra) -> dict:
    return {
        "role": role, "mesh": mesh, "pose": p.round(5).tolist(), "colour": list(map(float, colour)), "rough": float(rng.uniform(0.1, 0.9)),
        "grain": float(rng.choice([0, rng.uniform(0, 0.4)])), "worn": 0.0, "seed": int(rng.integers(1 << 20)), **extra,
    }


def foreign_object(rng: np.random.Generator, x: float, y: float, z: float) -> dict:
    """A small thing of another game: cube, die, disc, pawn, stick, house, animal."""
    colour = jitter(rng, list(PIECE_COLOURS.values())[int(rng.integers(len(PIECE_COLOURS)))], 0.06) if rng.random() < 0.8 else any_colour(rng)
    yaw = rng.uniform(0, 2 * math.pi)
    u = rng.uniform
    kind = rng.integers(0, 7)
    p = pose(x, y, z, yaw)
    if kind <= 1:
        s = u(7, 20)
        mesh = {"kind": "box", "size": [s, s * u(0.8, 1.2), s * u(0.8, 1.2)], "bevel": float(u(0, s * 0.25))}
    elif kind == 2:
        r, hgt = u(5, 16), u(2, 9)
        mesh = {"kind": "lathe", "profile": [[r * 0.95, 0], [r, hgt * 0.15], [r, hgt * 0.85], [r * 0.95, hgt]]}
    elif kind == 3:  # round pawn
        r, hgt, head = u(5, 8), u(14, 26), u(3, 5)
        body = [[r, 0], [r, hgt * 0.1], [r * 0.5, hgt * 0.45], [r * 0.35, hgt - 2 * head + 1]]
        ball = [[head * math.sin(a), hgt - head - head * math.cos(a)] for a in np.linspace(0.5, math.pi - 0.05, 8)]
        mesh = {"kind": "lathe", "profile": [[float(a), float(b)] for a, b in body + ball]}
    elif kind == 4:
        mesh = {"kind": "box", "size": [u(3, 6), u(3, 6), u(14, 30)], "bevel": 0.5}
        if rng.random() < 0.7:
            p = pose(x, y, z + 2.5, yaw, math.pi / 2)
    else:
        size = u(11, 24)
        mesh = {"kind": "extrude", "ring": (shapes.blob_outline(rng) * size).round(3).tolist(), "thickness": float(u(6, 12)), "bevel": 0.4}
        if rng.random() < 0.35:
            p = pose(x, y, z + mesh["thickness"] / 2, yaw, math.pi / 2)
    return plain_object("foreign", mesh, p, colour, rng)


def prop(rng: np.random.Generator, x: float, y: float, z: float) -> dict:
    """A bigger thing of a table: box, cup, bottle, person-like shape, stack of cards, sheet of paper."""
    u = rng.uniform
    kind = rng.integers(0, 6)
    yaw = u(0, 2 * math.pi)
    colour = any_colour(rng)
    texture = None
    p = pose(x, y, z, yaw)
    if kind == 0:
        mesh = {"kind": "box", "size": [u(20, 180), u(20, 120), u(10, 200)], "bevel": 0.5}
        texture = sample_texture(rng) if rng.random() < 0.6 else None
    elif kind == 1:  # cup or glass
        r, hgt = u(20, 45), u(50, 130)
        mesh = {"kind": "lathe", "profile": [[r * u(0.6, 1), 0], [r, hgt * 0.5], [r, hgt], [r * 0.93, hgt], [r * 0.9, hgt * 0.3]], "segments": 32}
    elif kind == 2:  # bottle, lamp or vase
        r, hgt = u(18, 50), u(80, 260)
        n = 6
        mesh = {"kind": "lathe", "profile": [[float(r * u(0.3, 1.0)), float(hgt * k / (n - 1))] for k in range(n)], "segments": 32}
    elif kind == 3:  # somebody behind the table: a lump of a body with a head
        s = u(0.6, 1.4)
        body = [[90 * s, 0], [130 * s, 60 * s], [120 * s, 160 * s], [50 * s, 200 * s], [40 * s, 220 * s], [65 * s, 260 * s], [60 * s, 310 * s], [20 * s, 340 * s]]
        mesh = {"kind": "lathe", "profile": body, "segments": 28}
    elif kind == 4:  # card or paper
        sx, sy = u(40, 210), u(40, 297)
        mesh = {"kind": "sheet", "size": [sx, sy], "thickness": float(u(0.3, 8)), "radius": float(u(0.5, 5))}
        p = pose(x, y, z + mesh["thickness"], yaw)
        texture = sample_texture(rng, ["print", "board", "plain", "blobs", "tiles"])
    else:
        r = u(15, 60)
        mesh = {"kind": "lathe", "profile": [[float(r * math.sin(a)), float(r - r * math.cos(a))] for a in np.linspace(0.05, math.pi - 0.05, 10)], "segments": 24}
    out = plain_object("prop", mesh, p, colour, rng)
    if texture:
        out["texture"] = texture
        out["uv_mm"] = float(u(60, 240))
    return out


def cover(rng: np.random.Generator, size: tuple[float, float]) -> dict:
    """A card, box or book that lies over a stretch of the playmat's rim."""
    along = rng.integers(2)
    at = [rng.uniform(-0.5, 0.5) * size[0], rng.uniform(-0.5, 0.5) * size[1]]
    at[along] = rng.choice([-0.5, 0.5]) * size[along]
    flat = rng.random() < 0.7
    mesh = {"kind": "box", "size": [float(rng.uniform(25, 130)), float(rng.uniform(25, 90)), float(rng.uniform(0.4, 3) if flat else rng.uniform(8, 50))], "bevel": 0.2}
    return plain_object("prop", mesh, pose(at[0], at[1], 0.1, rng.uniform(0, math.pi)), any_colour(rng), rng, texture=sample_texture(rng, ["print", "board", "plain", "blobs", "tiles"]), uv_mm=float(rng.uniform(60, 240)))


def hand(rng: np.random.Generator, tip: np.ndarray, away: np.ndarray) -> list[dict]:
    """Fingers and a wrist that reach for the point `tip` from the direction `away` (both world, mm)."""
    skin = np.array([0.85, 0.64, 0.52]) * rng.uniform(0.3, 1.1) + rng.normal(0, 0.02, 3)
    skin = np.clip(skin, 0.03, 0.95)
    away = away / np.linalg.norm(away)
    side = np.cross(away, [0, 0, 1])
    side /= np.linalg.norm(side) + 1e-9
    palm = tip + away * rng.uniform(55, 80) + np.array([0, 0, rng.uniform(0, 25)])
    out = []
    for k in range(int(rng.integers(1, 5))):
        spread = (k - 1.0) * rng.uniform(11, 16)
        end = tip + side * spread * 0.6 + rng.normal(0, 3, 3) + away * rng.uniform(0, 14)
        mid = (end + palm + side * spread) / 2 + np.array([0, 0, rng.uniform(5, 18)])
        pts = [end, (end + mid) / 2 + [0, 0, 2], mid, palm + side * spread]
        mesh = {"kind": "capsules", "points": np.round(pts, 3).tolist(), "radii": [6.0, 7.0, 7.5, 8.5]}
        out.append(plain_object("prop", mesh, np.eye(4), skin, rng))
    arm = [palm, palm + away * 40, palm + away * 160 + [0, 0, 30]]
    mesh = {"kind": "capsules", "points": np.round(arm, 3).tolist(), "radii": [22.0, 24.0, 30.0]}
    out.append(plain_object("prop", mesh, np.eye(4), skin, rng))
    return out


# ---------------------------------------------------------------- the whole scene


def temperature(rng: np.random.Generator) -> list[float]:
    """A light's colour, from candle to overcast, now and then coloured."""
    t = rng.uniform(-1, 1)
    c = np.array([1 + 0.28 * t, 1.0, 1 - 0.38 * t])
    if rng.random() < 0.05:
        c = c * rng.uniform(0.5, 1.3, 3)
    return (c / c.max()).round(4).tolist()


def sample_light(rng: np.random.Generator, azim: float) -> dict:
    """Key lights (direction to the light, softness in degrees) and a sky of two colours."""
    keys = []
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.08, 0.57, 0.27, 0.08]))):
        elev = math.radians(rng.choice([rng.uniform(12, 40), rng.uniform(35, 88)], p=[0.25, 0.75]))
        a = azim + rng.uniform(-math.pi, math.pi)
        keys.append({
            "dir": [math.cos(elev) * math.sin(a), -math.cos(elev) * math.cos(a), math.sin(elev)],
            "strength": float(rng.uniform(0.4, 2.2)), "colour": temperature(rng), "soft": float(rng.choice([rng.uniform(0.3, 3), rng.uniform(3, 25)])),
        })
    sky = float(rng.uniform(0.15, 1.0)) if keys else float(rng.uniform(0.7, 1.2))
    return {"keys": keys, "sky": sky, "zenith": temperature(rng), "horizon": temperature(rng), "lateral": float(rng.uniform(0.2, 1.2))}


def sample_camera(rng: np.random.Generator, azim: float, target: np.ndarray, frame_mm: float, long_side: int) -> dict:
    """A camera `frame_mm` wide at the target; `long_side` pixels along the longer side, multiples of 16."""
    aspect = rng.choice([4 / 3, 16 / 9, 3 / 2, 1.0], p=[0.45, 0.3, 0.2, 0.05])
    portrait = rng.random() < 0.25
    short = int(round(long_side / aspect / 16)) * 16
    width, height = (short, long_side) if portrait else (long_side, short)
    hfov = math.radians(rng.uniform(38, 76))
    if portrait:
        hfov = 2 * math.atan(math.tan(hfov / 2) / aspect)
    elev = math.radians(rng.choice([rng.uniform(4, 12), rng.uniform(8, 32), rng.uniform(25, 52)], p=[0.24, 0.5, 0.26]))
    dist = max(95.0, frame_mm / 2 / math.tan(hfov / 2))
    away = np.array([math.sin(azim) * math.cos(elev), -math.cos(azim) * math.cos(elev), math.sin(elev)])
    return {
        "width": width, "height": height, "hfov": math.degrees(hfov), "elev": math.degrees(elev), "azim": math.degrees(azim), "dist": dist,
        "roll": float(rng.normal(0, 1.8)) if rng.random() < 0.9 else float(rng.uniform(-12, 12)), "target": target.round(3).tolist(), "position": (target + away * dist).round(3).tolist(),
        "fstop": float(rng.choice([0.0, rng.uniform(1.5, 8)], p=[0.5, 0.5])), "focus_mm": dist * float(rng.choice([1.0, rng.uniform(0.85, 1.25)])),
    }


def sample_scene(seed, heaps: list, long_side: int = 608, framing: str | None = None) -> dict:
    """A scene from a seed. `heaps` is the pool of `heaps.py`; `framing` is `whole` (the playmat) or `tight` (the pieces)."""
    rng = np.random.default_rng(seed)
    kit = Kit(rng)
    framing = framing or str(rng.choice(["whole", "tight"], p=[0.55, 0.45]))
    kind = str(rng.choice(["pyramid", "shared", "heap", "loose", "empty", "no_mat"], p=[0.46, 0.18, 0.17, 0.12, 0.03, 0.04]))
    azim = rng.normal(0, math.radians(13)) if rng.random() < 0.85 else rng.uniform(-math.pi, math.pi)
    size = (297.0, 210.0) if rng.random() < 0.7 else (210.0, 297.0)
    thickness = float(rng.uniform(0.8, 4.0))
    table_z = -thickness
    felt = jitter(rng, FELT_COLOURS[int(rng.integers(len(FELT_COLOURS)))], 0.08) if rng.random() < 0.75 else any_colour(rng)
    table = sample_table(rng, felt)
    palette = list(PIECE_COLOURS.values())

    # Colours: one for all, a few, or many; now and then the felt's own or dark ones.
    def colours() -> list:
        """One player's piece colours."""
        n = int(rng.choice([1, 2, 3, 6], p=[0.45, 0.2, 0.2, 0.15]))
        picks = [palette[int(rng.integers(len(palette)))] for _ in range(n)]
        u = rng.random()
        if u < 0.20:
            picks[0] = np.clip(np.array(felt) * rng.uniform(0.85, 1.15) + rng.normal(0, 0.03, 3), 0.01, 0.97).tolist()
        elif u < 0.30:
            picks[0] = PIECE_COLOURS[str(rng.choice(["black", "navy", "brown", "maroon"]))]
        elif u < 0.36:
            picks[0] = any_colour(rng)
        return [jitter(rng, c, 0.06) for c in picks]

    objects: list[dict] = []
    on_mat = kind != "no_mat"
    mat_covered = on_mat and rng.random() < 0.12
    ground = 0.0 if on_mat else table_z

    def spot(margin: float) -> np.ndarray:
        return np.array([rng.uniform(-1, 1) * max(5, size[0] / 2 - margin), rng.uniform(-1, 1) * max(5, size[1] / 2 - margin)])

    centres: list[tuple[np.ndarray, float]] = []

    def free(radius: float, margin: float, tries: int = 30) -> np.ndarray | None:
        for _ in range(tries):
            c = spot(margin)
            if all(np.linalg.norm(c - o) > radius + r for o, r in centres):
                return c
        return None

    def pyramid(group: int, largest: int) -> None:
        base = int(np.clip(rng.choice([rng.integers(1, 4), rng.integers(3, 8), rng.integers(6, 13)], p=[0.25, 0.6, 0.15]), 1, largest))
        delta = rng.choice([rng.normal(0, 12), rng.uniform(-55, 55), rng.uniform(-90, 90)], p=[0.78, 0.15, 0.07])
        radius = base * 8.5 + 6
        c = free(radius, min(radius, 80))
        if c is not None:
            centres.append((c, radius))
            add_pyramid(rng, kit, objects, c, azim + math.radians(delta), base, colours(), ground, group)

    if kind in ("pyramid", "no_mat"):
        pyramid(0, 13)
    elif kind == "shared":
        for g in range(int(rng.integers(2, 5))):
            pyramid(g, 7)
    elif kind == "heap":
        c = free(40, rng.choice([45, 15]))
        centres.append((c, 60))
        add_heap(rng, kit, objects, heaps[int(rng.integers(len(heaps)))], c, colours(), ground)
        if rng.random() < 0.6:
            pyramid(0, 5)
    if kind != "empty" and rng.random() < (1.0 if kind == "loose" else 0.6):
        cs = colours()
        for _ in range(int(rng.integers(2, 18)) if kind == "loose" else int(rng.integers(1, 11))):
            outside = rng.random() < 0.25
            c = free(13, -45 if outside else 10)
            if c is None:
                continue
            inside = abs(c[0]) < size[0] / 2 - 4 and abs(c[1]) < size[1] / 2 - 4
            if not inside and abs(c[0]) < size[0] / 2 + 9 and abs(c[1]) < size[1] / 2 + 9:
                continue
            centres.append((c, 10))
            k = int(rng.integers(len(kit.makers)))
            objects.append(kit.piece(loose_pose(rng, kit.makers[k], c[0], c[1], ground if inside else table_z), cs[int(rng.integers(len(cs)))], k))
    if rng.random() < 0.35:
        for _ in range(int(rng.integers(1, 8))):
            c = free(14, -40 if rng.random() < 0.4 else 12)
            if c is None:
                continue
            inside = abs(c[0]) < size[0] / 2 and abs(c[1]) < size[1] / 2
            centres.append((c, 10))
            objects.append(foreign_object(rng, c[0], c[1], ground if inside else table_z))

    # What the camera aims at, and from how far.
    if centres and kind != "empty":
        c, r = centres[0]
        tall = max((np.array(o["pose"])[2, 3] for o in objects if o["role"] == "piece"), default=0.0)
        if framing == "tight":
            frame = float(np.clip(2 * r * rng.uniform(1.1, 2.6), 90, 330))
            target = np.array([c[0], c[1], tall * 0.5]) + rng.normal(0, 1, 3) * [0.12 * frame, 8, 5]
        else:
            frame = float(rng.choice([rng.uniform(240, 450), rng.uniform(420, 800)], p=[0.8, 0.2]))
            target = np.array([c[0] * rng.uniform(0, 0.7), c[1] * 0.4, tall * rng.uniform(0, 0.5)]) + rng.normal(0, 12, 3) * [1, 1, 0.4]
    else:
        frame = float(rng.uniform(240, 480))
        target = rng.normal(0, 25, 3) * [1, 1, 0.2]
    camera = sample_camera(rng, azim, target, frame, long_side)

    # The room, in the camera's own directions: `depth` away from it, `side` to its right.
    depth = np.array([-math.sin(azim), math.cos(azim)])
    side = np.array([math.cos(azim), math.sin(azim)])
    if rng.random() < 0.55:
        for _ in range(int(rng.integers(1, 9))):
            at = depth * rng.uniform(200, 700) + side * rng.normal(0, 260)
            objects.append(prop(rng, at[0], at[1], table_z))
    if rng.random() < 0.25:  # flat things beside and under the playmat's rim
        at = depth * rng.uniform(-160, 200) + side * rng.choice([-1, 1]) * rng.uniform(160, 320)
        sheet = {"kind": "sheet", "size": [float(rng.uniform(60, 300)), float(rng.uniform(60, 300))], "thickness": float(rng.uniform(0.3, min(2, thickness * 0.6))), "radius": 2.0}
        objects.append(plain_object("prop", sheet, pose(at[0], at[1], table_z + sheet["thickness"], rng.uniform(0, 3.1)), any_colour(rng), rng, texture=sample_texture(rng, ["print", "board", "plain", "blobs", "tiles"]), uv_mm=float(rng.uniform(60, 240))))
    if mat_covered:
        objects.append(cover(rng, size))
    if rng.random() < 0.08 and centres:
        c, r = centres[0]
        goal = np.array([c[0] + rng.normal(0, r * 0.5), c[1], rng.uniform(5, 50)])
        direction = side * rng.choice([-1, 1]) * rng.uniform(0.4, 1) + depth * rng.uniform(-0.2, 1.0)
        objects += hand(rng, goal, np.array([direction[0], direction[1], rng.uniform(0.1, 0.9)]))
    wall_at = float(rng.choice([rng.uniform(230, 500), rng.uniform(400, 1500)]))
    backdrop = {
        "kind": str(rng.choice(["wall", "open"], p=[0.75, 0.25])), "at": (depth * wall_at).round(2).tolist(), "yaw": float(azim + rng.normal(0, 0.25)),
        "texture": sample_texture(rng), "uv_mm": float(rng.uniform(150, 1200)),
    }
    mat = None
    if on_mat:
        fray = (np.abs(rng.normal(0, 1, 40)) * rng.choice([0.2, 1.0])).round(3).tolist() if rng.random() < 0.35 else None
        mat = {
            "size": list(size), "mesh": {"kind": "sheet", "size": list(size), "thickness": thickness, "radius": float(rng.choice([0.5, rng.uniform(1, 12)], p=[0.7, 0.3])), "fray": fray},
            "colour": felt, "fuzz": float(rng.uniform(0.0, 0.35)), "mottle": float(rng.choice([0.0, rng.uniform(0, 0.35)])), "crease": float(rng.choice([0.0, rng.uniform(0, 1)], p=[0.7, 0.3])),
            "seed": int(rng.integers(1 << 20)),
        }
    return {
        "seed": [int(s) for s in np.atleast_1d(seed)], "kind": kind, "framing": framing, "camera": camera, "mat": mat,
        "table": {"z": table_z, **table},
        "backdrop": backdrop, "light": sample_light(rng, azim), "objects": objects,
    }
