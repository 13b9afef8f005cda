"""The exact truth of a picture: points, states, visible shares, playmat corners; and the id map beside it.

    python truth.py --folder DATA/traced

adds the truth to path-traced pictures (`NAME.scene.json` beside `NAME.jpg`); the rasteriser calls `write` itself.
`NAME.ids.png` holds what each pixel shows: 1..199 the pieces in order, 200..249 foreign objects, 250 a prop, 251 the
playmat, 252 the table, 0 backdrop or sky.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

import projection
import shapes

FINE = 4  # silhouettes are measured on a canvas this many times finer than the picture


def silhouette(camera: dict, mesh_spec: dict, pose: np.ndarray) -> tuple[float, float]:
    """Area in px of the object's whole outline, and the share of it inside the picture."""
    verts, tris = shapes.mesh_of(mesh_spec)
    px, depth = projection.project(camera, verts @ pose[:3, :3].T + pose[:3, 3])
    if depth.min() < 5:
        return 0.0, 0.0
    low = np.floor(px.min(0))
    size = np.ceil(px.max(0) - low).astype(int) + 1
    if size.max() > 700:
        return 0.0, 0.0
    canvas = np.zeros((size[1] * FINE, size[0] * FINE), np.uint8)
    fixed = np.round((px - low) * FINE * 16 - 8).astype(np.int32)
    for t in fixed[tris]:
        cv2.fillConvexPoly(canvas, t, 1, shift=4)
    total = int(canvas.sum())
    x0, y0 = (int(max(0, -v * FINE)) for v in low)
    x1, y1 = int((camera["width"] - low[0]) * FINE), int((camera["height"] - low[1]) * FINE)
    inside = int(canvas[y0 : max(y0, y1), x0 : max(x0, x1)].sum())
    return total / FINE**2, inside / max(1, total)


def of_scene(scene: dict, ids: np.ndarray) -> dict:
    """The truth record of a scene whose id map is `ids`."""
    camera = scene["camera"]
    seen = np.bincount(ids.ravel(), minlength=256)
    pieces, foreign = [], []
    for o in scene["objects"]:
        if o["role"] not in ("piece", "foreign"):
            continue
        pose = np.array(o["pose"], float)
        if o["role"] == "piece":
            h = o["mesh"]["height"]
            ends = np.array([[0, 0, 0], [0, 0, h]]) @ pose[:3, :3].T + pose[:3, 3]
            px, depth = projection.project(camera, ends)
            if len(pieces) >= 198 or depth.min() < 5:
                pieces.append(None)
                continue
            area, inside = silhouette(camera, o["mesh"], pose)
            up, _ = projection.project(camera, np.array([ends.mean(0), ends.mean(0) + [0, 0, 16.0]]))
            pieces.append({
                "state": o["state"], "row": o["row"], "group": o["group"], "base": px[0].round(2).tolist(), "head": px[1].round(2).tolist(),
                "px16": round(float(np.linalg.norm(up[1] - up[0])), 2), "px_mm": round(float(projection.focal_px(camera) / depth.mean()), 4),
                "visible": round(min(1.0, seen[len(pieces) + 1] / area / max(1e-6, inside)), 3) if area > 0 and inside > 0.02 else 0.0,
                "in_frame": round(inside, 3), "area": round(area, 1),
            })
        else:
            verts, _ = shapes.mesh_of(o["mesh"])
            px, depth = projection.project(camera, verts @ pose[:3, :3].T + pose[:3, 3])
            ident = 200 + len(foreign)
            area, inside = silhouette(camera, o["mesh"], pose) if depth.min() > 5 else (0.0, 0.0)
            foreign.append({
                "centre": ((px.min(0) + px.max(0)) / 2).round(2).tolist(), "area": round(area, 1), "in_frame": round(inside, 3),
                "visible": round(min(1.0, seen[min(249, ident)] / area / max(1e-6, inside)), 3) if area > 0 and inside > 0.02 else 0.0,
            })
    mat = None
    if scene["mat"]:
        mat = {"size": scene["mat"]["size"], "radius_mm": scene["mat"]["mesh"]["radius"], "seen": int(seen[251])}
    return {"kind": scene["kind"], "width": camera["width"], "height": camera["height"], "camera": camera, "pieces": pieces, "foreign": foreign, "mat": mat}


def write(scene: dict, ids: np.ndarray, picture: Path) -> None:
    """Writes `NAME.ids.png` and, last, `NAME.json`, whose presence says that the picture is complete."""
    cv2.imwrite(str(picture.with_suffix(".ids.png")), ids, [cv2.IMWRITE_PNG_COMPRESSION, 4])
    picture.with_suffix(".json").write_text(json.dumps(of_scene(scene, ids)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args()
    import render_gl

    raster = render_gl.Rasteriser()
    done = 0
    for path in sorted(args.folder.glob("*.scene.json")):
        picture = path.with_name(path.name.replace(".scene.json", ".jpg"))
        if not picture.exists() or picture.with_suffix(".json").exists():
            continue
        scene = json.loads(path.read_text())
        ids, _ = raster.ids(scene)
        write(scene, ids, picture)
        done += 1
    print(f"truth for {done} more pictures in {args.folder}")


if __name__ == "__main__":
    main()
