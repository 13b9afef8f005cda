"""How the whole program does on rendered pictures that nothing was fitted to: scenes of the sampler, as large as a webcam's picture.

    python held_out.py render --out DATA/held_out --heaps DATA/heaps.json --seed 901 --count 200
    python held_out.py judge --pictures DATA/held_out --program ../../target/release/pyrameeple

They are far harder than what people photograph: felt on a table of its own colour, hands, two-deep and half-fallen pyramids, any camera.
The table is split by the envelope of the shared photos (pieces of 24 px and more, 30 % visible, inside the picture, from 6 to 45 degrees).
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import subprocess
from pathlib import Path

import cv2
import numpy as np

LONG_SIDE = 1280
LEAST_PX, LEAST_VISIBLE, ELEVATION = 24, 0.3, (6, 45)
NEARLY_ON_MM = 9.0  # beside the playmat's edge a piece is neither on nor off


def render(args: argparse.Namespace) -> None:
    """Scenes with a playmat whose standing pieces lie inside the picture and are large enough to be read."""
    import render_gl
    import truth
    from scene import sample_scene

    heaps = json.loads(args.heaps.read_text())
    args.out.mkdir(parents=True, exist_ok=True)
    raster = render_gl.Rasteriser()
    for k in range(args.count):
        picture = args.out / f"h{k:05d}.jpg"
        scene = sample_scene([args.seed, k], heaps, LONG_SIDE)
        if picture.exists() or scene["kind"] == "no_mat":
            continue
        buffer, layers = raster.upload(scene)
        ids, mm = raster.ids(scene, buffer)
        record = truth.of_scene(scene, ids)
        built = [p for p in record["pieces"] if p and p["group"] >= 0]
        built_to_read = built and np.median([p["px16"] for p in built]) >= LEAST_PX and all(p["in_frame"] > 0.98 for p in built)
        if scene["kind"] not in ("pyramid", "shared") or built_to_read:
            rgb = render_gl.defocus(raster.picture(scene, buffer, layers, 1.0), mm, scene["camera"])
            picture.with_suffix(".scene.json").write_text(json.dumps(scene))
            picture.with_suffix(".truth.json").write_text(json.dumps(record))
            cv2.imwrite(str(picture), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
        buffer.release()


def pyramids(scene: dict, record: dict) -> tuple[list[list[dict]], bool]:
    """The groups of connected standing pieces on the playmat, highest first, and whether something in the scene counts either way."""
    width, height = scene["mat"]["size"]
    standing, unclear = [], False
    for thing, seen in zip((o for o in scene["objects"] if o["role"] == "piece"), record["pieces"]):
        if seen is None or thing["state"] not in ("upright", "unclear"):
            continue
        pose = np.array(thing["pose"])
        x, y, z = pose[:3, 3]
        row = thing["row"] or (1 if z < 2 else 0)
        off = max(abs(x) - width / 2, abs(y) - height / 2)
        if thing["state"] == "unclear" or row == 0 or -5 < off < NEARLY_ON_MM:
            unclear = True
        elif off <= -5:
            mesh = thing["mesh"]
            yaw = math.atan2(pose[1, 0], pose[0, 0])
            standing.append({"x": x, "y": y, "row": row, "yaw": yaw, "width": mesh["height"] * mesh["measures"]["width"], "thickness": mesh["thickness"], **{k: seen[k] for k in ("visible", "in_frame", "px16")}})
    groups: list[list[dict]] = []
    for piece in standing:
        joined = [g for g in groups if any(touch(piece, other) for other in g)]
        groups = [g for g in groups if g not in joined] + [[piece, *(p for g in joined for p in g)]]
    groups.sort(key=lambda g: (len(rows(g)), sum((i + 1) * n for i, n in enumerate(rows(g))), len(g)), reverse=True)
    return groups, unclear


def touch(a: dict, b: dict) -> bool:
    dx, dy = b["x"] - a["x"], b["y"] - a["y"]
    across = abs(dx * math.cos(a["yaw"]) + dy * math.sin(a["yaw"])) / a["width"]
    away = abs(dy * math.cos(a["yaw"]) - dx * math.sin(a["yaw"])) / a["thickness"]
    if a["row"] == b["row"]:
        return (across < 1.3 and away < 0.7) or (across < 0.6 and away < 1.3)
    return abs(a["row"] - b["row"]) == 1 and across < 0.8 and away < 0.9


def rows(group: list[dict]) -> list[int]:
    counts = collections.Counter(p["row"] for p in group)
    return [counts[r] for r in range(1, max(counts) + 1)] if counts else []


def judge(args: argparse.Namespace) -> None:
    """Prints a table of verdicts, and every picture that was read wrongly."""
    pictures = sorted(args.pictures.glob("h*.jpg"))
    options = ["--params", str(args.params)] if args.params else []
    ran = subprocess.run([args.program, "score", "--json", *options, *map(str, pictures)], capture_output=True, text=True)
    readings = {Path(r["photo"]).name: r for r in map(json.loads, ran.stdout.splitlines())}
    table: dict[str, collections.Counter] = {"inside": collections.Counter(), "outside": collections.Counter()}
    for picture in pictures:
        scene, record = (json.loads(picture.with_suffix(f".{kind}.json").read_text()) for kind in ("scene", "truth"))
        groups, unclear = pyramids(scene, record)
        best = groups[0] if groups else []
        inside = not unclear and ELEVATION[0] <= scene["camera"]["elev"] <= ELEVATION[1]
        inside &= all(p["visible"] >= LEAST_VISIBLE and p["px16"] >= LEAST_PX and p["in_frame"] > 0.98 for p in best)
        reading = readings[picture.name]
        right = reading["score"] is not None and reading["score"]["rows"] == rows(best)
        verdict = {"read": "exact" if right else "WRONG", "unsure": "unsure, right" if right else "unsure, wrong", "unreadable": "unreadable"}[reading["status"]]
        table["inside" if inside else "outside"][verdict] += 1
        if verdict == "WRONG" or args.all and verdict != "exact":
            print(picture.name, scene["kind"], "inside" if inside else "outside", verdict, rows(best), reading["score"] and reading["score"]["rows"], reading["confidence"], reading["reason"] or "")
    for where, counts in table.items():
        print(f"{where} the envelope: {sum(counts.values())} pictures:", ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    made = commands.add_parser("render")
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--heaps", type=Path, required=True)
    made.add_argument("--seed", type=int, default=901)
    made.add_argument("--count", type=int, default=200)
    made.set_defaults(run=render)
    judged = commands.add_parser("judge")
    judged.add_argument("--pictures", type=Path, required=True)
    judged.add_argument("--program", required=True)
    judged.add_argument("--params", type=Path)
    judged.add_argument("--all", action="store_true", help="name every picture that is not exact")
    judged.set_defaults(run=judge)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
