"""The two networks: one small fully-convolutional encoder-decoder, in two sizes.

Only convolutions, batch norm (folded at export), ReLU, nearest-neighbour resize and addition, so that any ONNX engine runs them.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

PIECES_CHANNELS = ("upright", "other", "foreign", "base_x", "base_y", "head_x", "head_y", "mask", "visible")
PLAYMAT_CHANNELS = ("mask", "corner", "edge", "corner_x", "corner_y")
VECTOR_UNIT = 16.0  # px: what 1 means in the vector channels while training; the export folds it into the weights


@dataclass(frozen=True)
class Size:
    """Channels and residual blocks per level: strides 2, 4, 8, 16 and, where there are five, 32."""

    widths: tuple[int, ...]
    blocks: tuple[int, ...]


SIZES = {"pieces": Size((12, 32, 64, 96), (0, 0, 2, 4)), "playmat": Size((12, 24, 48, 96, 128), (0, 0, 1, 2, 2))}
CHANNELS = {"pieces": PIECES_CHANNELS, "playmat": PLAYMAT_CHANNELS}
VECTORS = {"pieces": slice(3, 7), "playmat": slice(3, 5)}


def conv(cin: int, cout: int, kernel: int = 3, stride: int = 1, relu: bool = True) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(cout)]
    if relu:
        layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


class Block(nn.Module):
    """Residual bottleneck: 1x1 to half the width, 3x3, 1x1 back (dense ones train and run faster here than depthwise)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(conv(width, width // 2, 1), conv(width // 2, width // 2, 3), conv(width // 2, width, 1, relu=False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.body(x))


class Parser(nn.Module):
    """Picture [n, 3, h, w] (RGB, 0..1) to maps [n, c, h / 4, w / 4]."""

    def __init__(self, size: Size, outputs: int) -> None:
        super().__init__()
        widths = size.widths
        self.down = nn.ModuleList()
        cin = 3
        for w, n in zip(widths, size.blocks):
            self.down.append(nn.Sequential(conv(cin, w, 3, 2), *[Block(w) for _ in range(n)]))
            cin = w
        self.lateral, self.up = nn.ModuleList(), nn.ModuleList()
        for k in range(len(widths) - 1, 1, -1):
            self.lateral.append(conv(widths[k], widths[k - 1], 1, relu=False))
            w = widths[k - 1]
            fuse = conv(w, w, 3) if k == 2 else Block(w)
            self.up.append(fuse)
        self.head = nn.Conv2d(widths[1], outputs, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * 4.0 - 2.0
        skips = []
        for level in self.down:
            x = level(x)
            skips.append(x)
        for k, (lateral, up) in enumerate(zip(self.lateral, self.up)):
            x = nn.functional.interpolate(lateral(x), scale_factor=2.0, mode="nearest")
            x = up(torch.relu(x + skips[-2 - k]))
        return self.head(x)


def make(task: str) -> Parser:
    """The network of `task`; heat maps start out low, as centres are rare."""
    net = Parser(SIZES[task], len(CHANNELS[task]))
    with torch.no_grad():
        net.head.bias.zero_()
        heats = [0, 1, 2] if task == "pieces" else [1]
        net.head.bias[heats] = -3.5
    return net


def cost(task: str, height: int, width: int) -> tuple[int, float]:
    """Parameters, and multiply-adds of one pass in 1e9."""
    net, total = make(task).eval(), 0

    def hook(m: nn.Conv2d, _, out: torch.Tensor) -> None:
        nonlocal total
        total += out.numel() * m.in_channels * m.kernel_size[0] * m.kernel_size[1]

    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            m.register_forward_hook(hook)
    with torch.no_grad():
        net(torch.zeros(1, 3, height, width))
    return sum(p.numel() for p in net.parameters()), total / 1e9


if __name__ == "__main__":
    print("pieces 640x384:", cost("pieces", 384, 640))
    print("playmat 320x256:", cost("playmat", 256, 320))
