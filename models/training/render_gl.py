"""The fast renderer: OpenGL (Mesa's llvmpipe is enough), many shadow maps for soft light, and an id buffer for the truth.

    python render_gl.py --out DATA/raster --heaps DATA/heaps.json --first 0 --count 6000 --seed 200

A sky and soft lamps are sums of directional lights, each with its own shadow map: contact shadows and the dark gaps
between pieces come out much as in path tracing, for a hundredth of its time. Pictures that exist are skipped.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import time
from pathlib import Path

import cv2
import moderngl
import numpy as np

import projection
import shapes
import textures
from scene import sample_scene

SHADOW_SIDE = 640
MAX_LIGHTS = 16
MAX_LAYERS = 12
ID_PIECE, ID_FOREIGN, ID_PROP, ID_MAT, ID_TABLE = 1, 200, 250, 251, 252  # pieces 1..199, foreign objects 200..249

VERTEX = """
#version 330
uniform mat4 clip_from_world;
in vec3 pos; in vec3 normal; in vec3 local; in vec3 colour; in vec4 finish; in vec2 uv; in float ident;
out vec3 v_pos; out vec3 v_normal; out vec3 v_local; out vec3 v_colour; out vec4 v_finish; out vec2 v_uv; flat out float v_ident;
void main() {
    gl_Position = clip_from_world * vec4(pos, 1.0);
    v_pos = pos; v_normal = normal; v_local = local; v_colour = colour; v_finish = finish; v_uv = uv; v_ident = ident;
}
"""

SHADE = """
#version 330
const int MAX_LIGHTS = 16;
uniform sampler2DShadow shadows;  // an atlas of 4 x 4 maps
uniform sampler2DArray surfaces;
uniform mat4 light_from_world[MAX_LIGHTS];
uniform vec3 light_dir[MAX_LIGHTS];
uniform vec3 light_colour[MAX_LIGHTS];
uniform float light_shine[MAX_LIGHTS];
uniform int lights;
uniform vec3 eye; uniform vec3 bounce; uniform vec3 zenith; uniform vec3 horizon; uniform float exposure; uniform float contrast; uniform float bias;
in vec3 v_pos; in vec3 v_normal; in vec3 v_local; in vec3 v_colour; in vec4 v_finish; in vec2 v_uv; flat in float v_ident;
out vec4 colour;
float hash(vec3 p) { p = fract(p * 0.3183099 + 0.1); p *= 17.0; return fract(p.x * p.y * p.z * (p.x + p.y + p.z)); }
float noise(vec3 x) {
    vec3 i = floor(x), f = fract(x); f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(hash(i), hash(i + vec3(1,0,0)), f.x), mix(hash(i + vec3(0,1,0)), hash(i + vec3(1,1,0)), f.x), f.y),
               mix(mix(hash(i + vec3(0,0,1)), hash(i + vec3(1,0,1)), f.x), mix(hash(i + vec3(0,1,1)), hash(i + vec3(1,1,1)), f.x), f.y), f.z);
}
void main() {
    // finish: roughness, grain (or fuzz), wear (or mottle), texture layer (-1 none, -2 felt)
    vec3 n = normalize(v_normal), view = normalize(eye - v_pos);
    if (dot(n, view) < 0.0) n = -n;
    vec3 albedo = v_colour;
    float ident = floor(v_ident + 0.5);
    if (v_finish.w >= 0.0) {
        albedo = pow(texture(surfaces, vec3(v_uv, v_finish.w)).rgb, vec3(2.2));
    } else if (v_finish.w < -1.5) {
        float fibre = noise(v_local * 2.3) * 0.5 + noise(v_local * 0.9) * 0.5 - 0.5;
        float stain = noise(v_local * 0.05) - 0.5;
        albedo *= 1.0 + v_finish.y * 1.6 * fibre + v_finish.z * 1.2 * stain;
        n = normalize(n + vec3(noise(v_local * 1.7) - 0.5, noise(v_local * 1.7 + 9.0) - 0.5, 0.0) * 0.35);
    } else if (v_finish.y > 0.0) {
        vec3 q = v_local * (fract(ident * 0.37) > 0.3 ? vec3(1.6, 1.6, 0.2) : vec3(0.2, 1.6, 1.6)) + ident * 7.7;
        albedo *= 1.0 + v_finish.y * 1.6 * (noise(q) * 0.6 + noise(q * 2.7) * 0.4 - 0.5);
    }
    if (v_finish.w == -1.0 && v_finish.z > 0.0) albedo = mix(albedo, vec3(0.65, 0.5, 0.33), clamp(v_finish.z * (noise(v_local * 0.5 + ident) * 1.4 - 0.6), 0.0, 0.6));
    float shininess = mix(120.0, 6.0, v_finish.x), gloss = (1.0 - v_finish.x) * (v_finish.w < -1.5 ? 0.0 : 0.5);
    float jitter = hash(v_pos * 3.17);
    vec3 sum = vec3(0.0);
    float open_sky = 0.0;
    for (int k = 0; k < lights; ++k) {
        float facing = dot(n, light_dir[k]);
        if (facing <= 0.0) continue;
        vec4 s = light_from_world[k] * vec4(v_pos + n * bias * 1.5, 1.0);
        vec2 wiggle = (vec2(hash(v_pos * 5.1 + float(k)), jitter) - 0.5) * 4.0 / 640.0;
        vec3 at = s.xyz * 0.5 + 0.5;
        float lit = 1.0;
        if (ident > 0.5 && all(greaterThan(at.xy, vec2(0.0))) && all(lessThan(at.xy, vec2(1.0)))) lit = texture(shadows, vec3((vec2(k % 4, k / 4) + clamp(at.xy + wiggle, 0.002, 0.998)) * 0.25, at.z - 0.0006));
        vec3 light = light_colour[k] * lit;
        sum += albedo * light * facing;
        if (light_shine[k] > 0.0) sum += light * light_shine[k] * gloss * pow(max(0.0, dot(n, normalize(light_dir[k] + view))), shininess);
        open_sky += lit;
    }
    float low = exp(-max(0.0, v_pos.z) / 45.0);
    sum += albedo * bounce * (0.5 - 0.42 * n.z) * (0.35 + 0.65 * low) * clamp(0.25 + open_sky / float(max(1, lights)), 0.0, 1.0);
    sum += albedo * 0.03 * bounce;
    if (gloss > 0.0) {  // lacquer mirrors a room with bright and dark patches
        vec3 r = reflect(-view, n);
        vec3 room = mix(horizon, zenith, clamp(r.z * 0.5 + 0.5, 0.0, 1.0)) * (0.35 + 1.5 * smoothstep(0.45, 0.7, noise(r * 2.3 + bounce)));
        sum += room * gloss * (0.06 + 0.94 * pow(1.0 - max(0.0, dot(n, view)), 5.0)) * clamp(open_sky / float(max(1, lights)) * 1.5, 0.0, 1.0);
    }
    vec3 x = max(vec3(0.0), sum * exposure);
    x = mix(x, x / (1.0 + x * 0.35) * 1.2, contrast);
    colour = vec4(pow(clamp(x, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
"""

FLAT = """
#version 330
flat in float v_ident; in vec3 v_pos;
out vec4 colour;
void main() { colour = vec4(v_ident / 255.0, 0.0, 0.0, 1.0); }
"""

SKY_VERTEX = """
#version 330
in vec2 corner; out vec2 at;
void main() { at = corner; gl_Position = vec4(corner, 0.9999, 1.0); }
"""

SKY = """
#version 330
uniform mat3 world_from_view; uniform vec2 half_tan; uniform vec3 zenith; uniform vec3 horizon; uniform float exposure;
in vec2 at; out vec4 colour;
void main() {
    vec3 d = normalize(world_from_view * vec3(at * half_tan, -1.0));
    vec3 c = mix(horizon, zenith, clamp(d.z * 0.5 + 0.5, 0.0, 1.0)) * exposure;
    colour = vec4(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
"""


def linear(colour) -> np.ndarray:
    """sRGB to linear, near enough."""
    return np.asarray(colour, np.float32) ** 2.2


@functools.lru_cache(maxsize=512)
def _flat_mesh(spec: str) -> tuple[np.ndarray, np.ndarray]:
    """Unindexed corners: positions and normals [3 m, 3], normals averaged over faces less than 38 degrees apart."""
    verts, tris = shapes.mesh_of(json.loads(spec))
    corners = verts[tris]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(face, axis=1, keepdims=True)
    unit = face / (area + 1e-12)
    flat = tris.ravel()
    order = np.argsort(flat, kind="stable")
    owner = order // 3
    starts = np.flatnonzero(np.r_[True, np.diff(flat[order]) != 0, True])
    normals = np.empty((len(flat), 3), np.float32)
    limit = math.cos(math.radians(38))
    for a, b in zip(starts, starts[1:]):
        around = owner[a:b]
        near = (unit[around] @ unit[around].T) > limit
        mean = near.astype(np.float32) @ face[around]
        normals[order[a:b]] = mean / (np.linalg.norm(mean, axis=1, keepdims=True) + 1e-12)
    return corners.reshape(-1, 3).astype(np.float32), normals


class Rasteriser:
    """One OpenGL context, used for any number of scenes."""

    def __init__(self) -> None:
        self.ctx = moderngl.create_standalone_context(backend="egl")
        self.shade = self.ctx.program(VERTEX, SHADE)
        self.flat = self.ctx.program(VERTEX, FLAT)
        self.depth = self.ctx.program(VERTEX, "#version 330\nvoid main() {}")
        self.sky = self.ctx.program(SKY_VERTEX, SKY)
        self.sky_buffer = self.ctx.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self.sky_array = self.ctx.vertex_array(self.sky, [(self.sky_buffer, "2f", "corner")])
        self.atlas = self.ctx.depth_texture((4 * SHADOW_SIDE, 4 * SHADOW_SIDE))
        self.atlas.compare_func = "<="
        self.atlas.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self.atlas_target = self.ctx.framebuffer([], self.atlas)

    # -- geometry

    def _vertices(self, scene: dict) -> tuple[np.ndarray, list[dict]]:
        """[n, 19] floats for the whole scene, and the texture descriptions by layer."""
        parts: list[np.ndarray] = []
        layers: list[dict] = []

        def layer(spec: dict | None) -> float:
            if spec is None or len(layers) >= MAX_LAYERS:
                return -1.0
            layers.append(spec)
            return float(len(layers) - 1)

        def put(pos, normal, local, colour, finish, uv, ident) -> None:
            n = len(pos)
            block = np.empty((n, 19), np.float32)
            block[:, 0:3], block[:, 3:6], block[:, 6:9], block[:, 9:12] = pos, normal, local, colour
            block[:, 12:16], block[:, 16:18], block[:, 18] = finish, uv, ident
            parts.append(block)

        counts = {"piece": ID_PIECE, "foreign": ID_FOREIGN}
        table_layer = layer(scene["table"]["texture"])
        wall_layer = layer(scene["backdrop"]["texture"]) if scene["backdrop"]["kind"] == "wall" else -1.0
        for o in scene["objects"]:
            local, normal = _flat_mesh(json.dumps(o["mesh"], sort_keys=True))
            m = np.array(o["pose"], np.float32)
            role = o["role"]
            if role in counts:
                ident = min(counts[role], 199 if role == "piece" else 249)
                counts[role] += 1
            else:
                ident = ID_PROP
            tex = layer(o.get("texture"))
            uv = np.zeros((len(local), 2), np.float32)
            if tex >= 0:
                spread = local.max(0) - local.min(0)
                uv = local[:, sorted(np.argsort(spread)[1:])] / o["uv_mm"]
            put(local @ m[:3, :3].T + m[:3, 3], normal @ m[:3, :3].T, local, linear(o["colour"]), (o["rough"], o["grain"], o["worn"], tex), uv, ident)
        if scene["mat"]:
            local, normal = _flat_mesh(json.dumps(scene["mat"]["mesh"], sort_keys=True))
            put(local, normal, local, linear(scene["mat"]["colour"]), (0.95, 0.12 + scene["mat"]["fuzz"], scene["mat"]["mottle"], -2.0), 0.0, ID_MAT)
        half, z = 2500.0, scene["table"]["z"]
        quad = np.array([(-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)], np.float32) * half
        pos = np.column_stack([quad, np.full(6, z)])
        put(pos, (0, 0, 1), pos, 0.5, (scene["table"]["rough"], 0, 0, table_layer), quad / scene["table"]["uv_mm"], ID_TABLE)
        if wall_layer >= 0:
            b = scene["backdrop"]
            along = np.array([math.cos(b["yaw"]), math.sin(b["yaw"])])
            s, t = quad[:, 0], (quad[:, 1] + half) * 0.6
            pos = np.column_stack([np.array(b["at"]) + s[:, None] * along, z + t])
            put(pos, (math.sin(b["yaw"]), -math.cos(b["yaw"]), 0), pos, 0.5, (0.9, 0, 0, wall_layer), np.column_stack([s, t]) / b["uv_mm"], 0)
        return np.vstack(parts), layers

    # -- light

    @staticmethod
    def _lights(scene: dict, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """Directional lights (direction, colour, shine) that stand for the soft lamps and the sky."""
        light, out = scene["light"], []
        keys = light["keys"][:3]
        for k in keys:
            d = np.array(k["dir"])
            n = 1 if k["soft"] < 1.5 else (5 if len(keys) == 1 else 3)
            side = np.cross(d, [0.3, 0.5, 0.8])
            side /= np.linalg.norm(side)
            up = np.cross(d, side)
            for q in range(n):
                r = math.radians(k["soft"]) * math.sqrt((q + 0.5) / n) if n > 1 else 0.0
                a = 2.4 * q + rng.uniform(0, 0.5)
                v = d + r * (math.cos(a) * side + math.sin(a) * up)
                v[2] = max(v[2], 0.05)
                out.append((v / np.linalg.norm(v), np.array(k["colour"]) * k["strength"] / n, 0.8))
        n = min(6, MAX_LIGHTS - len(out))
        spin = rng.uniform(0, 6.28)
        zenith, horizon = np.array(light["zenith"]), np.array(light["horizon"]) * light["lateral"]
        for q in range(n):
            z = 0.12 + 0.83 * (q + 0.5) / n
            a = spin + 2.4 * q
            v = np.array([math.cos(a) * math.sqrt(1 - z * z), math.sin(a) * math.sqrt(1 - z * z), z])
            out.append((v, (horizon * (1 - z) * 0.5 + zenith * (1 + z) * 0.5) * light["sky"] * 2.0 / n, 0.12))
        return out

    # -- drawing

    def upload(self, scene: dict) -> tuple[moderngl.Buffer, list[dict]]:
        """The scene's vertices on the device, and its texture descriptions by layer."""
        data, layers = self._vertices(scene)
        buffer = self.ctx.buffer(np.ascontiguousarray(data, np.float32).tobytes())
        return buffer, layers

    def _array(self, program, buffer):
        names = [("pos", 3), ("normal", 3), ("local", 3), ("colour", 3), ("finish", 4), ("uv", 2), ("ident", 1)]
        fmt = " ".join(f"{n}f" if k in program else f"{4 * n}x" for k, n in names)
        return self.ctx.vertex_array(program, [(buffer, fmt, *[k for k, _ in names if k in program])])

    def _camera(self, c: dict) -> np.ndarray:
        near, far = 8.0, 9000.0
        f = projection.focal_px(c)
        p = np.zeros((4, 4))
        p[0, 0], p[1, 1] = 2 * f / c["width"], 2 * f / c["height"]
        p[2, 2], p[2, 3], p[3, 2] = -(far + near) / (far - near), -2 * far * near / (far - near), -1
        return p @ np.linalg.inv(projection.world_from_camera(c))

    def ids(self, scene: dict, buffer=None) -> tuple[np.ndarray, np.ndarray]:
        """What is seen at each pixel (uint8, see the ID_ constants) and how far away (mm along the view axis)."""
        c = scene["camera"]
        own = buffer is None
        if own:
            buffer, _ = self.upload(scene)
        w, h = c["width"], c["height"]
        colour, depth = self.ctx.texture((w, h), 4), self.ctx.depth_texture((w, h))
        fbo = self.ctx.framebuffer([colour], depth)
        fbo.use()
        self.ctx.viewport = (0, 0, w, h)
        self.ctx.enable_only(moderngl.DEPTH_TEST)
        fbo.clear(0, 0, 0, 0, 1.0)
        self.flat["clip_from_world"].write(self._camera(c).T.astype("f4").tobytes())
        array = self._array(self.flat, buffer)
        array.render()
        ids = np.frombuffer(colour.read(), np.uint8).reshape(h, w, 4)[::-1, :, 0].copy()
        z = np.frombuffer(depth.read(), np.float32).reshape(h, w)[::-1] * 2 - 1
        near, far = 8.0, 9000.0
        mm = 2 * far * near / (far + near - z * (far - near))
        for x in (array, fbo, colour, depth):
            x.release()
        if own:
            buffer.release()
        return ids, mm

    def picture(self, scene: dict, buffer, layers: list[dict], supersample: float = 1.25) -> np.ndarray:
        """The scene as an RGB picture, uint8, without lens effects."""
        rng = np.random.default_rng([*scene["seed"], 9])
        ctx, c = self.ctx, scene["camera"]
        lights = self._lights(scene, rng)
        eye, target = np.array(c["position"]), np.array(c["target"])
        reach = float(np.clip(np.linalg.norm(eye - target) * math.tan(math.radians(c["hfov"]) / 2) * 1.3 + 40, 120, 420))
        centre = np.array([target[0], target[1], 25.0])
        matrices = []
        self.atlas_target.use()
        ctx.viewport = (0, 0, 4 * SHADOW_SIDE, 4 * SHADOW_SIDE)
        ctx.enable_only(moderngl.DEPTH_TEST)
        self.atlas_target.clear(depth=1.0)
        caster = self._array(self.depth, buffer)
        for k, (d, _, _) in enumerate(lights):
            side = np.cross(d, [0.02, 0.03, 1.0])
            side /= np.linalg.norm(side)
            up = np.cross(d, side)
            m = np.eye(4)
            m[0, :3], m[1, :3], m[2, :3] = side / reach, up / reach, -d / (reach * 3)
            m[:3, 3] = -m[:3, :3] @ centre
            matrices.append(m)
            ctx.viewport = (k % 4 * SHADOW_SIDE, k // 4 * SHADOW_SIDE, SHADOW_SIDE, SHADOW_SIDE)
            self.depth["clip_from_world"].write(m.T.astype("f4").tobytes())
            caster.render()
        caster.release()

        w, h = int(c["width"] * supersample), int(c["height"] * supersample)
        colour, depth = ctx.texture((w, h), 4), ctx.depth_renderbuffer((w, h))
        fbo = ctx.framebuffer([colour], depth)
        fbo.use()
        ctx.viewport = (0, 0, w, h)
        fbo.clear(0.2, 0.2, 0.2, 1.0, 1.0)
        light = scene["light"]
        total = light["sky"] * 0.8 + sum(k["strength"] * k["dir"][2] for k in light["keys"])
        exposure = 0.85 / total * rng.uniform(0.6, 1.35)
        pose = projection.world_from_camera(c)
        half_x = math.tan(math.radians(c["hfov"]) / 2)
        self.sky["world_from_view"].write(pose[:3, :3].T.astype("f4").tobytes())
        self.sky["half_tan"].value = (half_x, half_x * c["height"] / c["width"])
        self.sky["zenith"].value = tuple(np.array(light["zenith"]) * light["sky"])
        self.sky["horizon"].value = tuple(np.array(light["horizon"]) * light["lateral"] * light["sky"])
        self.sky["exposure"].value = exposure
        ctx.enable_only(moderngl.NOTHING)
        self.sky_array.render()
        ctx.enable_only(moderngl.DEPTH_TEST)

        surfaces = ctx.texture_array((textures.SIDE, textures.SIDE, max(1, len(layers))), 3, np.concatenate([textures.paint(s) for s in layers]).tobytes() if layers else None)
        surfaces.build_mipmaps()
        surfaces.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        p = self.shade
        p["clip_from_world"].write(self._camera(c).T.astype("f4").tobytes())
        pad = MAX_LIGHTS - len(lights)
        p["light_from_world"].write(b"".join(m.T.astype("f4").tobytes() for m in matrices) + bytes(64 * pad))
        p["light_dir"].write(np.vstack([d for d, _, _ in lights] + [np.zeros((pad, 3))]).astype("f4").tobytes())
        p["light_colour"].write(np.vstack([col for _, col, _ in lights] + [np.zeros((pad, 3))]).astype("f4").tobytes())
        p["light_shine"].write(np.array([s for _, _, s in lights] + [0.0] * pad).astype("f4").tobytes())
        p["lights"].value = len(lights)
        p["eye"].value = tuple(eye)
        ground = linear(scene["mat"]["colour"]) if scene["mat"] else np.full(3, 0.2)
        p["bounce"].value = tuple((0.25 + ground) * total * 0.55)
        p["exposure"].value = exposure
        p["zenith"].value = tuple(np.array(light["zenith"]) * light["sky"])
        p["horizon"].value = tuple(np.array(light["horizon"]) * light["lateral"] * light["sky"])
        p["contrast"].value = float(rng.choice([0.0, rng.uniform(0, 1)]))
        p["bias"].value = 2 * reach / SHADOW_SIDE
        self.atlas.use(0)
        surfaces.use(1)
        p["shadows"].value, p["surfaces"].value = 0, 1
        array = self._array(p, buffer)
        array.render()
        rgb = np.frombuffer(colour.read(), np.uint8).reshape(h, w, 4)[::-1, :, :3]
        for x in (array, fbo, colour, depth, surfaces):
            x.release()
        return cv2.resize(rgb, (c["width"], c["height"]), interpolation=cv2.INTER_AREA)


def defocus(rgb: np.ndarray, mm: np.ndarray, camera: dict) -> np.ndarray:
    """Blur by depth: the circle of confusion of a lens `8 mm / fstop` wide, in five steps."""
    if camera["fstop"] <= 0:
        return rgb
    focus = camera["focus_mm"]
    f = projection.focal_px(camera)
    coc = 8.0 / camera["fstop"] * np.abs(mm - focus) / np.maximum(mm, 1) / focus * f  # diameter in px
    coc = cv2.GaussianBlur(np.minimum(coc, 14).astype(np.float32), (0, 0), 1.5)
    steps = [0.0, 1.0, 2.5, 5.0, 9.0, 14.0]
    stack = [rgb.astype(np.float32)] + [cv2.GaussianBlur(rgb, (0, 0), d * 0.33).astype(np.float32) for d in steps[1:]]
    out = np.zeros_like(stack[0])
    for k, d in enumerate(steps):
        lo = steps[k - 1] if k else -1.0
        hi = steps[k + 1] if k + 1 < len(steps) else 99.0
        weight = np.clip(np.minimum((coc - lo) / (d - lo), (hi - coc) / (hi - d)), 0, 1)
        out += stack[k] * weight[..., None]
    return np.clip(out, 0, 255).astype(np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--heaps", type=Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--long-side", type=int, default=608)
    parser.add_argument("--supersample", type=float, default=1.25)
    args = parser.parse_args()
    import truth  # here, because it needs this module's constants

    heaps = json.loads(args.heaps.read_text())
    args.out.mkdir(parents=True, exist_ok=True)
    raster = Rasteriser()
    start, made = time.time(), 0
    for k in range(args.first, args.first + args.count):
        picture = args.out / f"r{k:06d}.jpg"
        if picture.with_suffix(".json").exists():
            continue
        scene = sample_scene([args.seed, k], heaps, args.long_side)
        buffer, layers = raster.upload(scene)
        ids, mm = raster.ids(scene, buffer)
        rgb = defocus(raster.picture(scene, buffer, layers, args.supersample), mm, scene["camera"])
        buffer.release()
        cv2.imwrite(str(picture), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 96])
        truth.write(scene, ids, picture)
        made += 1
        if made % 50 == 0:
            print(f"{made} pictures, {(time.time() - start) / made:.2f} s each", flush=True)


if __name__ == "__main__":
    main()
