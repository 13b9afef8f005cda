"""The pinhole camera of a scene: world millimetres to picture pixels (top-left pixel's centre at (0.5, 0.5))."""

from __future__ import annotations

import math

import numpy as np


def world_from_camera(camera: dict) -> np.ndarray:
    """4x4 pose of the camera: x right, y up, looking along -z, millimetres."""
    position, target = np.array(camera["position"], float), np.array(camera["target"], float)
    forward = target - position
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    a = math.radians(camera["roll"])
    right, up = right * math.cos(a) + up * math.sin(a), up * math.cos(a) - right * math.sin(a)
    out = np.eye(4)
    out[:3, 0], out[:3, 1], out[:3, 2], out[:3, 3] = right, up, -forward, position
    return out


def focal_px(camera: dict) -> float:
    """Focal length in pixels."""
    return camera["width"] / 2 / math.tan(math.radians(camera["hfov"]) / 2)


def project(camera: dict, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World points [..., 3] to pixels [..., 2] and depths [...] (mm along the view axis, > 0 in front)."""
    pose = world_from_camera(camera)
    local = (np.asarray(points, float) - pose[:3, 3]) @ pose[:3, :3]
    depth = -local[..., 2]
    safe = np.where(np.abs(depth) < 1e-6, 1e-6, depth)
    f = focal_px(camera)
    x = camera["width"] / 2 + f * local[..., 0] / safe
    y = camera["height"] / 2 - f * local[..., 1] / safe
    return np.stack([x, y], -1), depth


def rectangle(camera: dict, size: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """A rectangle around the origin of the plane z = 0, seen: its outline [n, 2] in pixels, cut off close before the
    camera, and its corners [4, 2] (NaN where they are behind that)."""
    near = 15.0
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * [size[0] / 2, size[1] / 2, 0]
    steps = np.linspace(0, 1, 24, endpoint=False)[:, None]
    rim = np.vstack([corners[k] * (1 - steps) + corners[(k + 1) % 4] * steps for k in range(4)])
    _, depth = project(camera, rim)
    kept = []
    for k in range(len(rim)):  # Sutherland-Hodgman against the plane `near` before the camera
        j = (k + 1) % len(rim)
        if depth[k] >= near:
            kept.append(rim[k])
        if (depth[k] >= near) != (depth[j] >= near):
            kept.append(rim[k] + (rim[j] - rim[k]) * (near - depth[k]) / (depth[j] - depth[k]))
    outline = project(camera, np.array(kept).reshape(-1, 3))[0]
    px, depth = project(camera, corners)
    px[depth < near] = np.nan
    return outline, px
