"""Path-traced pictures with Blender's Cycles (`bpy` from PyPI), a JSON scene beside each.

    python render_blender.py --out DATA/traced --heaps DATA/heaps.json --first 0 --count 800 --seed 100

Pictures that exist already are skipped, so a stopped run goes on where it was. `truth.py` adds the truth afterwards.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

import projection
import shapes
import textures
from scene import sample_scene

SCALE = 0.01  # Blender units per millimetre


def linear(colour) -> list[float]:
    """sRGB to linear."""
    c = np.asarray(colour, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).tolist()


class Builder:
    """Turns one scene dict into Blender's data."""

    def __init__(self, scene: dict, rng: np.random.Generator) -> None:
        self.scene, self.rng = scene, rng
        self.meshes: dict[str, bpy.types.Mesh] = {}

    # -- materials

    def _material(self, colour, rough: float) -> tuple:
        m = bpy.data.materials.new("m")
        m.use_nodes = True
        bsdf = m.node_tree.nodes["Principled BSDF"]
        bsdf.inputs["Base Color"].default_value = (*linear(colour), 1)
        bsdf.inputs["Roughness"].default_value = rough
        bsdf.inputs["Specular IOR Level"].default_value = float(self.rng.uniform(0.1, 0.6))
        return m, m.node_tree, bsdf

    def _noise(self, tree, scale: float, stretch=(1, 1, 1), detail: float = 3.0):
        coord = tree.nodes.new("ShaderNodeTexCoord")
        mapping = tree.nodes.new("ShaderNodeMapping")
        mapping.inputs["Scale"].default_value = stretch
        mapping.inputs["Location"].default_value = tuple(self.rng.uniform(0, 50, 3))
        noise = tree.nodes.new("ShaderNodeTexNoise")
        noise.inputs["Scale"].default_value = scale
        noise.inputs["Detail"].default_value = detail
        tree.links.new(coord.outputs["Object"], mapping.inputs["Vector"])
        tree.links.new(mapping.outputs["Vector"], noise.inputs["Vector"])
        return noise

    def _mottle(self, tree, bsdf, colour, noise, amount: float) -> None:
        ramp = tree.nodes.new("ShaderNodeValToRGB")
        c = np.array(linear(colour))
        ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = 0.3, 0.7
        ramp.color_ramp.elements[0].color = (*(c * (1 - 0.8 * amount)), 1)
        ramp.color_ramp.elements[1].color = (*np.minimum(1, c * (1 + 0.5 * amount)), 1)
        tree.links.new(noise.outputs["Fac"], ramp.inputs["Fac"])
        tree.links.new(ramp.outputs["Color"], bsdf.inputs["Base Color"])

    def _bump(self, tree, bsdf, noise, strength: float, distance: float) -> None:
        bump = tree.nodes.new("ShaderNodeBump")
        bump.inputs["Strength"].default_value = strength
        bump.inputs["Distance"].default_value = distance * SCALE
        tree.links.new(noise.outputs["Fac"], bump.inputs["Height"])
        tree.links.new(bump.outputs["Normal"], bsdf.inputs["Normal"])

    def object_material(self, o: dict):
        if o.get("texture"):
            return self.textured(o["texture"], o["rough"])
        m, tree, bsdf = self._material(o["colour"], o["rough"])
        if o["grain"] > 0:
            across = (1.0, 1.0, 0.12) if self.rng.random() < 0.7 else (0.12, 1.0, 1.0)
            noise = self._noise(tree, 1.2 / SCALE / 10 * self.rng.uniform(2, 6), across)
            self._mottle(tree, bsdf, o["colour"], noise, o["grain"])
            self._bump(tree, bsdf, noise, 0.3, 0.15)
        return m

    def textured(self, spec: dict, rough: float):
        m, tree, bsdf = self._material((0.5, 0.5, 0.5), rough)
        pixels = textures.paint(spec)
        image = bpy.data.images.new("t", pixels.shape[1], pixels.shape[0])
        rgba = np.ones((*pixels.shape[:2], 4), np.float32)
        rgba[..., :3] = pixels[::-1] / 255.0
        image.pixels.foreach_set(rgba.ravel())
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        node.extension = "MIRROR"
        tree.links.new(node.outputs["Color"], bsdf.inputs["Base Color"])
        return m

    def felt(self, mat: dict):
        m, tree, bsdf = self._material(mat["colour"], 0.95)
        bsdf.inputs["Specular IOR Level"].default_value = 0.05
        fibre = self._noise(tree, self.rng.uniform(40, 120) / (10 * SCALE) / 10)
        self._mottle(tree, bsdf, mat["colour"], fibre, 0.15 + mat["fuzz"])
        height = fibre if mat["crease"] == 0 else self._noise(tree, self.rng.uniform(0.5, 2), detail=1.0)
        self._bump(tree, bsdf, height, 0.5, 0.4 if mat["crease"] == 0 else 6 * mat["crease"])
        return m

    # -- things

    def add(self, mesh_spec: dict, pose: np.ndarray, material, uv_mm: float | None = None) -> None:
        key = json.dumps(mesh_spec, sort_keys=True) + str(uv_mm)
        if key not in self.meshes:
            verts, tris = shapes.mesh_of(mesh_spec)
            self.meshes[key] = self.mesh(verts, tris, uv_mm)
        o = bpy.data.objects.new("o", self.meshes[key])
        bpy.context.scene.collection.objects.link(o)
        o.data.materials.clear() if not o.data.materials else None
        if not o.data.materials:
            o.data.materials.append(None)
        o.material_slots[0].link = "OBJECT"
        o.material_slots[0].material = material
        m = pose.copy()
        m[:3, 3] *= SCALE
        o.matrix_world = Matrix(m.tolist())

    def mesh(self, verts: np.ndarray, tris: np.ndarray, uv_mm: float | None, smooth: float = 38) -> bpy.types.Mesh:
        me = bpy.data.meshes.new("me")
        me.from_pydata((verts * SCALE).tolist(), [], tris.tolist())
        if uv_mm:
            uv = me.uv_layers.new(name="uv")
            flat = verts[tris.ravel()]
            spread = verts.max(0) - verts.min(0)
            axes = sorted(np.argsort(spread)[1:])
            uv.data.foreach_set("uv", (flat[:, axes] / uv_mm).astype(np.float32).ravel())
        me.shade_smooth()
        me.set_sharp_from_angle(angle=math.radians(smooth))
        return me

    def plane(self, corners: np.ndarray, uv: np.ndarray, material) -> None:
        me = bpy.data.meshes.new("plane")
        me.from_pydata((corners * SCALE).tolist(), [], [[0, 1, 2, 3]])
        layer = me.uv_layers.new(name="uv")
        layer.data.foreach_set("uv", uv.astype(np.float32).ravel())
        o = bpy.data.objects.new("plane", me)
        bpy.context.scene.collection.objects.link(o)
        me.materials.append(material)

    def build(self) -> None:
        s = self.scene
        for o in s["objects"]:
            self.add(o["mesh"], np.array(o["pose"], float), self.object_material(o), o.get("uv_mm"))
        if s["mat"]:
            self.add(s["mat"]["mesh"], np.eye(4), self.felt(s["mat"]))
        half = 2500.0
        z = s["table"]["z"]
        square = np.array([(-half, -half, z), (half, -half, z), (half, half, z), (-half, half, z)])
        self.plane(square, square[:, :2] / s["table"]["uv_mm"], self.textured(s["table"]["texture"], s["table"]["rough"]))
        b = s["backdrop"]
        if b["kind"] == "wall":
            along = np.array([math.cos(b["yaw"]), math.sin(b["yaw"])]) * half
            at = np.array(b["at"])
            wall = np.array([(*(at - along), z), (*(at + along), z), (*(at + along), z + 3000), (*(at - along), z + 3000)])
            uv = np.array([(0, 0), (2 * half, 0), (2 * half, 3000), (0, 3000)]) / b["uv_mm"]
            self.plane(wall, uv, self.textured(b["texture"], 0.8))
        self.lights(s["light"])
        self.camera(s["camera"])

    def lights(self, light: dict) -> None:
        for k in light["keys"]:
            lamp = bpy.data.lights.new("sun", "SUN")
            lamp.energy = k["strength"] * math.pi
            lamp.angle = math.radians(2 * k["soft"])
            lamp.color = k["colour"]
            o = bpy.data.objects.new("sun", lamp)
            d = np.array(k["dir"])
            right = np.cross([0.0, 0.0, 1.0], d) if abs(d[2]) < 0.99 else np.array([1.0, 0, 0])
            right /= np.linalg.norm(right)
            m = np.eye(4)
            m[:3, 0], m[:3, 1], m[:3, 2] = right, np.cross(d, right), d
            o.matrix_world = Matrix(m.tolist())
            bpy.context.scene.collection.objects.link(o)
        world = bpy.data.worlds.new("w")
        bpy.context.scene.world = world
        world.use_nodes = True
        tree = world.node_tree
        coord = tree.nodes.new("ShaderNodeTexCoord")
        split = tree.nodes.new("ShaderNodeSeparateXYZ")
        ramp = tree.nodes.new("ShaderNodeValToRGB")
        ramp.color_ramp.elements[0].color = (*(np.array(light["horizon"]) * light["lateral"]), 1)
        ramp.color_ramp.elements[1].color = (*light["zenith"], 1)
        tree.links.new(coord.outputs["Generated"], split.inputs[0])
        tree.links.new(split.outputs["Z"], ramp.inputs["Fac"])
        background = tree.nodes["Background"]
        tree.links.new(ramp.outputs["Color"], background.inputs["Color"])
        background.inputs["Strength"].default_value = light["sky"]

    def camera(self, c: dict) -> None:
        data = bpy.data.cameras.new("c")
        data.sensor_fit = "HORIZONTAL"
        data.angle = math.radians(c["hfov"])
        data.clip_start, data.clip_end = 5 * SCALE, 20000 * SCALE
        if c["fstop"] > 0:
            aperture_mm = 8.0 / c["fstop"]
            data.dof.use_dof = True
            data.dof.focus_distance = c["focus_mm"] * SCALE
            data.dof.aperture_fstop = data.lens / 1000 / (aperture_mm * SCALE)
        o = bpy.data.objects.new("c", data)
        m = projection.world_from_camera(c)
        m[:3, 3] *= SCALE
        o.matrix_world = Matrix(m.tolist())
        bpy.context.scene.collection.objects.link(o)
        bpy.context.scene.camera = o


def render(scene: dict, path: Path, samples: int) -> None:
    """Writes one path-traced picture of the scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rng = np.random.default_rng([*scene["seed"], 7])
    Builder(scene, rng).build()
    s = bpy.context.scene
    s.render.engine = "CYCLES"
    c = s.cycles
    c.device, c.samples, c.use_denoising, c.denoiser = "CPU", samples, True, "OPENIMAGEDENOISE"
    c.denoising_quality, c.denoising_prefilter = "FAST", "NONE"
    c.use_adaptive_sampling = False
    c.max_bounces, c.diffuse_bounces, c.glossy_bounces = 4, 3, 2
    c.seed = int(rng.integers(1 << 30))
    s.render.resolution_x, s.render.resolution_y = scene["camera"]["width"], scene["camera"]["height"]
    s.view_settings.view_transform = str(rng.choice(["Standard", "Filmic", "AgX"], p=[0.6, 0.2, 0.2]))
    light = scene["light"]
    total = light["sky"] * 0.8 + sum(k["strength"] * k["dir"][2] for k in light["keys"])
    s.view_settings.exposure = math.log2(0.85 / total * rng.uniform(0.6, 1.35))
    s.render.image_settings.file_format = "JPEG"
    s.render.image_settings.quality = 97
    s.render.filepath = str(path.with_suffix(".part.jpg"))
    bpy.ops.render.render(write_still=True)
    path.with_suffix(".part.jpg").rename(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--heaps", type=Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=800)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--long-side", type=int, default=512)
    parser.add_argument("--samples", type=int, default=4)
    args = parser.parse_args()
    heaps = json.loads(args.heaps.read_text())
    args.out.mkdir(parents=True, exist_ok=True)
    for k in range(args.first, args.first + args.count):
        picture = args.out / f"t{k:06d}.jpg"
        if picture.exists():
            continue
        start = time.time()
        scene = sample_scene([args.seed, k], heaps, args.long_side)
        picture.with_suffix(".scene.json").write_text(json.dumps(scene))
        render(scene, picture, args.samples)
        print(f"{picture.name} {time.time() - start:.1f} s, {len(scene['objects'])} objects", flush=True)


if __name__ == "__main__":
    main()
