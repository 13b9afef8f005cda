"""Fallen heaps of meeples by rigid-body physics (MuJoCo), kept as a pool that the scene sampler draws from.

    python heaps.py --out DATA/heaps.json --count 160 --seed 1

A heap is a list of 4x4 poses of standard pieces (height 1, so a scene scales them by its piece's height): a toppled
pyramid, a handful thrown from above, or a pyramid of which something stays standing.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import mujoco
import numpy as np

# Convex parts of the common meeple in units of its height; (kind, half sizes, centre, turn about y in degrees).
PARTS = [
    ("cylinder", (0.19, 0.31), (0.0, 0.0, 0.81), 0),
    ("box", (0.41, 0.31, 0.10), (0.0, 0.0, 0.58), 0),
    ("box", (0.23, 0.31, 0.18), (0.0, 0.0, 0.40), 0),
    ("box", (0.14, 0.31, 0.14), (0.30, 0.0, 0.142), 0),
    ("box", (0.14, 0.31, 0.14), (-0.30, 0.0, 0.142), 0),
]


def _body(name: str, pos: np.ndarray, quat: np.ndarray) -> str:
    geoms = []
    for kind, size, centre, _ in PARTS:
        turn = ' euler="90 0 0"' if kind == "cylinder" else ""
        geoms.append(
            f'<geom type="{kind}" size="{" ".join(f"{10 * s:.3f}" for s in size)}" '
            f'pos="{" ".join(f"{10 * c:.3f}" for c in centre)}"{turn} density="0.001" friction="0.5 0.01 0.001"/>'
        )
    p, q = " ".join(f"{10 * v:.4f}" for v in pos), " ".join(f"{v:.5f}" for v in quat)
    return f'<body name="{name}" pos="{p}" quat="{q}"><freejoint/>{"".join(geoms)}</body>'


def _random_quat(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def simulate(rng: np.random.Generator) -> list[list[list[float]]]:
    """One heap: 4x4 poses after everything has come to rest."""
    bodies, kick = [], []
    kind = rng.choice(["thrown", "toppled", "toppled"])
    if kind == "thrown":
        for k in range(int(rng.integers(3, 22))):
            pos = np.array([rng.normal(0, 1.0), rng.normal(0, 0.9), 1.0 + 0.55 * k])
            bodies.append(_body(f"p{k}", pos, _random_quat(rng)))
            kick.append(rng.normal(0, 12, 3))
    else:
        base = int(rng.integers(2, 7))
        pitch = 1.03
        k = 0
        push = rng.normal(0, 1, 3) * [14, 30, 0]
        above = rng.uniform(0, 0.7)  # rows lower than this share of the pyramid are pushed little
        for row in range(base):
            for c in range(base - row):
                pos = np.array([(c - (base - row - 1) / 2) * pitch, rng.normal(0, 0.05), row * 1.01 + 0.005])
                yaw = rng.normal(0, 0.1)
                bodies.append(_body(f"p{k}", pos, np.array([math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)])))
                lifted = (row + 0.5) / base >= above
                kick.append(push * rng.uniform(0.3, 1.2) if lifted else rng.normal(0, 0.5, 3))
                k += 1
    xml = (
        '<mujoco><compiler angle="degree"/><option timestep="0.004" gravity="0 0 -981" integrator="implicitfast"/>'
        '<worldbody><geom type="plane" size="200 200 1" friction="0.8 0.02 0.001"/>' + "".join(bodies) + "</worldbody></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    for k, v in enumerate(kick):
        data.qvel[6 * k : 6 * k + 3] = v
        data.qvel[6 * k + 3 : 6 * k + 6] = rng.normal(0, 3, 3)
    for _ in range(700):
        mujoco.mj_step(model, data)
        if data.time > 0.6 and np.abs(data.qvel).max() < 0.3:
            break
    poses = []
    for k in range(len(kick)):
        pose = np.eye(4)
        pose[:3, :3] = data.xmat[k + 1].reshape(3, 3)
        pose[:3, 3] = data.xpos[k + 1] / 10
        if np.linalg.norm(pose[:2, 3]) < 9:
            poses.append(np.round(pose, 4).tolist())
    return poses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    heaps = []
    for k in range(args.count):
        heap = simulate(np.random.default_rng([args.seed, k]))
        if heap:
            heaps.append(heap)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(heaps))
    print(f"{len(heaps)} heaps, {sum(map(len, heaps))} pieces -> {args.out}")


if __name__ == "__main__":
    main()
