"""Writes the running average of a checkpoint as ONNX (opset 13, batch norm folded, height and width free) and checks it.

    python export.py --task pieces --checkpoint RUN/pieces.pt --out ../pieces.onnx
"""

from __future__ import annotations

import argparse
import hashlib
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from networks import VECTOR_UNIT, VECTORS, Parser, make


def fold(module: nn.Module) -> None:
    """Folds each batch norm into the convolution before it."""
    for child in module.children():
        if isinstance(child, nn.Sequential) and len(child) >= 2 and isinstance(child[0], nn.Conv2d) and isinstance(child[1], nn.BatchNorm2d):
            child[0] = fuse_conv_bn_eval(child[0], child[1])
            child[1] = nn.Identity()
        fold(child)


def exportable(task: str, checkpoint: Path, upright: tuple[float, float]) -> Parser:
    """The averaged network, folded, its vectors in input pixels; of `pieces` the logit of the upright map is (factor, shift) `upright`."""
    net = make(task)
    net.load_state_dict(torch.load(checkpoint, weights_only=True)["average"])
    net.eval()
    fold(net)
    with torch.no_grad():
        net.head.weight[VECTORS[task]] *= VECTOR_UNIT
        net.head.bias[VECTORS[task]] *= VECTOR_UNIT
        if task == "pieces":
            net.head.weight[0] *= upright[0]
            net.head.bias[0] = upright[0] * net.head.bias[0] + upright[1]
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=["pieces", "playmat"], required=True)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--small", type=Path, help="also write the checkpoint without the optimiser's state, to resume from")
    parser.add_argument("--upright", type=float, nargs=2, default=(1.0, 0.0), metavar=("FACTOR", "SHIFT"), help="logit of the upright map, so that scores mean what they meant before")
    args = parser.parse_args()
    net = exportable(args.task, args.checkpoint, tuple(args.upright))
    axes = {"picture": {2: "height", 3: "width"}, "maps": {2: "height4", 3: "width4"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net, torch.zeros(1, 3, 256, 320), str(args.out), opset_version=13, dynamo=False, input_names=["picture"], output_names=["maps"], dynamic_axes=axes)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(args.out), providers=["CPUExecutionProvider"])
    for h, w in ((256, 320), (384, 640), (480, 352)):
        x = torch.rand(1, 3, h, w)
        with torch.no_grad():
            want = net(x).numpy()
        got = session.run(None, {"picture": x.numpy()})[0]
        assert got.shape == want.shape and np.abs(got - want).max() < 2e-3, np.abs(got - want).max()
    saved = torch.load(args.checkpoint, weights_only=True)
    if args.small:
        saved.pop("optimiser", None)
        torch.save(saved, args.small)
    digest = hashlib.sha256(args.out.read_bytes()).hexdigest()
    print(f"{args.out.name}: {args.out.stat().st_size / 1e6:.2f} MB, step {saved['step']}, {saved['samples']} samples, {saved['minutes']:.0f} minutes, SHA-256 {digest}")


if __name__ == "__main__":
    main()
