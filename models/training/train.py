"""Trains one of the two networks on rendered pictures, saving as it goes; a stopped run resumes from its checkpoint.

    python train.py --task pieces --data DATA/traced DATA/raster --weights 0.5 0.5 --minutes 60 --out RUN

With `--ranks 2` two processes train together and average their gradients, which uses a busy machine better than threads.
`RUN/TASK.pt` holds network, running average (what is exported), optimiser and counters; `RUN/TASK.csv` the log.
"""

from __future__ import annotations

import argparse
import copy
import csv
import math
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn import functional as F
from torch.utils.data import DataLoader

from dataset import Samples
from networks import VECTORS, make


def focal(logits: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """CenterNet's penalty-reduced focal loss (Zhou et al. 2019, eq. 1), per positive."""
    p = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    positive = (target == 1).float()
    gain = (1 - p) ** 2 * torch.log(p) * positive * weight
    loss = p**2 * torch.log(1 - p) * (1 - target) ** 4 * (1 - positive) * weight
    return -(gain.sum() + loss.sum()) / positive.mul(weight).sum().clamp(min=8)


def losses(task: str, out: torch.Tensor, t: dict) -> dict[str, torch.Tensor]:
    """The loss terms of one batch."""
    on = t["on"]
    vectors = (F.l1_loss(out[:, VECTORS[task]], t["vectors"], reduction="none") * on).sum() / (on.sum() * t["vectors"].shape[1]).clamp(min=1)
    if task == "pieces":
        heat = sum(w * focal(out[:, k : k + 1], t["heat"][:, k : k + 1], t["weight"][:, k : k + 1]) for k, w in ((0, 1.0), (1, 0.6), (2, 0.25)))
        mask = (F.binary_cross_entropy_with_logits(out[:, 7:8], t["mask"], reduction="none") * t["mask_weight"]).mean()
        visible = (F.binary_cross_entropy_with_logits(out[:, 8:9], t["visible"], reduction="none") * on).sum() / on.sum().clamp(min=1)
        return {"heat": heat, "vectors": 1.5 * vectors, "mask": 0.7 * mask, "visible": 0.3 * visible}
    w = t["mask_weight"]
    mask = (F.binary_cross_entropy_with_logits(out[:, 0:1], t["mask"], reduction="none") * w).mean()
    edge = (F.binary_cross_entropy_with_logits(out[:, 2:3], t["edge"], reduction="none") * (1 + 4 * t["edge"]) * w).mean()
    return {"heat": 0.5 * focal(out[:, 1:2], t["heat"], t["weight"]), "vectors": 0.5 * vectors, "mask": 2 * mask, "edge": edge}


class Average:
    """Exponential running average of a network's weights and statistics."""

    def __init__(self, net: torch.nn.Module) -> None:
        self.net, self.steps = copy.deepcopy(net).eval(), 0

    @torch.no_grad()
    def update(self, net: torch.nn.Module) -> None:
        self.steps += 1
        keep = min(0.998, (1 + self.steps) / (10 + self.steps))
        for a, b in zip(self.net.state_dict().values(), net.state_dict().values()):
            if a.dtype.is_floating_point:
                a.lerp_(b, 1 - keep)
            else:
                a.copy_(b)


def share(net: torch.nn.Module, extra: list[float]) -> list[float]:
    """Averages all gradients over the ranks, and the numbers `extra` with them, which come back."""
    grads = [p.grad for p in net.parameters()]
    flat = torch.cat([*(g.reshape(-1) for g in grads), torch.tensor(extra)])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    at = 0
    for g in grads:
        g.copy_(flat[at : at + g.numel()].view_as(g))
        at += g.numel()
    return flat[at:].tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=["pieces", "playmat"], required=True)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of rendered pictures")
    parser.add_argument("--weights", type=float, nargs="+", default=[], help="how often each folder is drawn from")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--side", type=int, default=192, help="crop side of the pieces task, px, a multiple of 32")
    parser.add_argument("--rate", type=float, default=2.5e-3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ranks", type=int, default=1, help="processes that train together")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.ranks == 1:
        work(0, args)
    else:
        (args.out / f"{args.task}.meet").unlink(missing_ok=True)
        mp.spawn(work, (args,), nprocs=args.ranks)


def work(rank: int, args: argparse.Namespace) -> None:
    """One rank of the training; rank 0 logs and saves."""
    if args.ranks > 1:
        dist.init_process_group("gloo", init_method=f"file://{(args.out / f'{args.task}.meet').resolve()}", rank=rank, world_size=args.ranks)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    checkpoint, log = args.out / f"{args.task}.pt", args.out / f"{args.task}.csv"

    net = make(args.task).to(memory_format=torch.channels_last)
    average = Average(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-3, fused=True)
    step, samples, minutes_before = 0, 0, 0.0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(saved["net"])
        average.net.load_state_dict(saved["average"])
        average.steps = step = saved["step"]
        samples, minutes_before = saved["samples"], saved["minutes"]
        if "optimiser" in saved:
            optimiser.load_state_dict(saved["optimiser"])
    elif rank == 0:
        with log.open("w", newline="") as f:
            csv.writer(f).writerow(["step", "samples", "minutes", "rate", "heat", "vectors", "mask", "other"])

    def save(minutes: float) -> None:
        part = checkpoint.with_suffix(".part")
        torch.save({"net": net.state_dict(), "average": average.net.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "samples": samples, "minutes": minutes_before + minutes}, part)
        part.rename(checkpoint)

    stream = Samples(args.task, args.data, args.weights, args.batch, args.seed * 1_000_000 + step * 10 + rank, args.side)
    loader = iter(DataLoader(stream, batch_size=None, num_workers=args.workers, prefetch_factor=4 if args.workers else None))
    start, sums, count = time.time(), {}, 0
    net.train()
    elapsed = 0.0
    while elapsed < args.minutes:
        elapsed = (time.time() - start) / 60
        images, targets = next(loader)
        x = (images.permute(0, 3, 1, 2).float() / 255).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            out = net(x)
        terms = losses(args.task, out.float(), targets)
        loss = sum(terms.values())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        if args.ranks > 1:
            (elapsed,) = share(net, [elapsed])
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        rate = args.rate * min(1.0, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, elapsed / args.minutes))))
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.step()
        average.update(net)
        step, samples, count = step + 1, samples + len(images) * args.ranks, count + 1
        for k, v in terms.items():
            sums[k] = sums.get(k, 0.0) + float(v.detach())
        if step % 50 == 0 and rank == 0:
            mean = {k: v / count for k, v in sums.items()}
            row = [step, samples, f"{minutes_before + elapsed:.1f}", f"{rate:.5f}", *(f"{mean[k]:.4f}" for k in ("heat", "vectors", "mask")), f"{mean.get('visible', mean.get('edge', 0)):.4f}"]
            with log.open("a", newline="") as f:
                csv.writer(f).writerow(row)
            print(args.task, *row, flush=True)
            sums, count = {}, 0
            save(elapsed)
    if rank == 0:
        save((time.time() - start) / 60)


if __name__ == "__main__":
    main()
