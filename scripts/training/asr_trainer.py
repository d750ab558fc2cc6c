"""The training state and its schedule; one process of several."""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.distributed
from asr_batches import Placed, batches, load_items, targets
from asr_features import Noises, features
from asr_model import Shape, TinyWhisper
from asr_scoring import dev_figures
from asr_tokenizer import train_tokenizer
from corpus import CACHE, read_meta
from sound import RATE
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional


def ctc_loss(logits: Tensor, group: Sequence[Placed]) -> Tensor:
    """Letter CTC per letter of `logits` [B, T, 29]; an empty text is all blanks."""
    flat = [letter for one in group for letter in one.item.letters]
    counts = torch.tensor([len(one.item.letters) for one in group])
    lengths = torch.full((len(group),), logits.shape[1])
    loss: Tensor = functional.ctc_loss(
        logits.float().log_softmax(-1).transpose(0, 1),
        torch.tensor(flat, dtype=torch.long),
        lengths,
        counts,
        reduction="sum",
        zero_infinity=True,
    )
    return loss / (counts.sum() + len(group))


class Trainer:
    """The training state: a bf16 network, its float32 master weights, their average."""

    def __init__(self, options: argparse.Namespace, rank: int) -> None:
        self.options = options
        self.rank = rank
        self.shape = Shape()
        torch.manual_seed(options.seed)  # the same first weights in every process
        self.rng = random.Random(f"{options.seed}/{rank}/{options.resume}")
        self.folder = Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tokenizer = self._tokenizer()
        self.train = load_items("train", self.tokenizer)
        self.dev = load_items("dev", self.tokenizer)
        self.noises = Noises(self.train[:3000], 40.0, options.seed + rank)
        self.network = TinyWhisper(self.shape)
        self.trained = [p for p in self.network.parameters() if p.requires_grad]
        self.master = torch.cat([p.detach().flatten() for p in self.trained])
        self.average = self.master.clone()
        self._flatten()
        self.optimizer = torch.optim.AdamW(
            [self.master], lr=1e-9, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01, fused=True
        )
        self.step = 0
        self.spent_s = 0.0

    def _flatten(self) -> None:
        """Let all weights, and all gradients, share one bf16 tensor: few large operations."""
        self.network = self.network.bfloat16()
        self.weights = self.master.bfloat16()
        self.gradients = torch.zeros_like(self.weights)
        start = 0
        for p in self.trained:
            end = start + p.numel()
            p.data = self.weights[start:end].view_as(p)
            p.grad = self.gradients[start:end].view_as(p)
            start = end

    def _tokenizer(self) -> Tokenizer:
        path = self.folder / "tokenizer.json"
        if self.rank == 0 and not path.exists():
            texts = [entry["text"] for entry in read_meta("train") if entry["text"]]
            train_tokenizer(texts, self.shape.text_tokens).save(str(path))
        torch.distributed.barrier()
        return Tokenizer.from_file(str(path))

    def learning_rate(self) -> float:
        """Warm-up in steps, plateau, then linear decay over the rest of the wall time."""
        done = self.spent_s / (60 * self.options.minutes)
        hold = self.options.hold
        decay = 1.0 if done < hold else max(0.01, (1 - done) / (1 - hold))
        return float(self.options.peak * min(1.0, (self.step + 1) / 400) * decay)

    def update(self, group: list[Placed], window: int) -> tuple[float, float]:
        """One step; returns the two losses."""
        mel = features(group, window, self.noises, self.rng).bfloat16()
        inputs, wanted = targets(group, self.tokenizer, self.rng)
        audio = self.network.model.encoder(mel)
        logits = self.network.model.decoder(inputs, audio)
        attention = functional.cross_entropy(
            logits.flatten(0, 1), wanted.flatten(), ignore_index=-100, label_smoothing=0.05
        )
        letters = ctc_loss(self.network.ctc(audio), group)
        done = self.spent_s / (60 * self.options.minutes)
        share = max(0.25, 0.6 - done * 0.9)
        ((1 - share) * attention + share * letters).backward()  # type: ignore[no-untyped-call]
        self._apply()
        return attention.item(), letters.item()

    def _apply(self) -> None:
        # One exchange a step: the mean gradient, and the clock that the schedule goes by.
        shared = torch.cat([self.gradients.float(), torch.tensor([self.spent_s])])
        torch.distributed.all_reduce(shared)
        shared /= self.options.processes
        self.spent_s = float(shared[-1])
        gradient = shared[:-1]
        gradient *= min(1.0, 1.0 / (float(gradient.norm()) + 1e-6))
        self.gradients.zero_()
        self.master.grad = gradient
        for slot in self.optimizer.param_groups:
            slot["lr"] = self.learning_rate()
        self.optimizer.step()
        self.step += 1
        keep = min(0.998, (1 + self.step) / (20 + self.step))
        self.average.lerp_(self.master, 1 - keep)
        self.weights.copy_(self.master)

    def averaged(self) -> TinyWhisper:
        """A float32 network with the averaged weights."""
        network = TinyWhisper(self.shape)
        trained = [p for p in network.parameters() if p.requires_grad]
        sizes = [p.numel() for p in trained]
        for p, mean in zip(trained, self.average.split(sizes), strict=True):
            p.data.copy_(mean.view_as(p))
        return network.eval()

    def save(self) -> None:
        state = {
            "shape": asdict(self.shape),
            "network": self.averaged().state_dict(),
            "master": self.master,
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "spent_s": self.spent_s,
            "seed": self.options.seed,
        }
        torch.save(state, self.folder / "checkpoint.tmp")
        (self.folder / "checkpoint.tmp").rename(self.folder / "checkpoint.pt")

    def load(self, fresh: bool) -> None:
        """Take the weights of the checkpoint; with `fresh`, start a new schedule from them."""
        state = torch.load(self.folder / "checkpoint.pt", weights_only=False)
        self.average.copy_(state["average"])
        self.master.copy_(state["average"] if fresh else state["master"])
        self.weights.copy_(self.master)
        if not fresh:
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.spent_s = state["step"], state["spent_s"]

    def run(self) -> None:
        """Train until the wall time is spent; the first process also reports, scores and saves."""
        total_s = 60 * self.options.minutes
        if self.rank == 0:
            count = sum(p.numel() for p in self.network.model.parameters())
            print(f"{len(self.train)} train, {len(self.dev)} dev items, {count} parameters")
        self._last_score = self._last_save = self.spent_s
        recent: list[tuple[float, float]] = []
        while self.spent_s < total_s:
            short = self.spent_s < self.options.short_share * total_s
            longest = int(RATE * (2.0 if short else 60.0))
            budget = self.options.budget // self.options.processes
            self._reload_if_grown()
            for group, window in batches(self.train, self.rng, budget, self.shape, longest):
                began = time.monotonic()
                recent.append(self.update(group, window))
                if self.rank == 0:
                    self._look_after(recent)
                self.spent_s += time.monotonic() - began
                if self._finished(total_s):
                    break
        if self.rank == 0:
            self.save()
            self._score("end: ")

    def _finished(self, total_s: float) -> bool:
        """Whether the time is up, decided by the first process for all."""
        done = torch.tensor([float(self.spent_s >= total_s)])
        torch.distributed.broadcast(done, 0)
        if done.item():
            self.spent_s = max(self.spent_s, total_s)
        return bool(done.item())

    def _look_after(self, recent: list[tuple[float, float]]) -> None:
        if self.step % 100 == 0:
            self._report(recent)
            recent.clear()
        if self.spent_s - self._last_score > 60 * self.options.score_minutes:
            self._last_score = self.spent_s
            self._score("")
        if self.spent_s - self._last_save > 240:
            self._last_save = self.spent_s
            self.save()

    def _score(self, label: str) -> None:
        figures = dev_figures(self.averaged(), self.dev, self.tokenizer, self.shape)
        print(f"{label}step {self.step} dev {json.dumps(figures)}", flush=True)

    def _reload_if_grown(self) -> None:
        """New corpus parts may be written while training runs."""
        parts = len(list(CACHE.glob("train-*.jsonl")))
        if parts != getattr(self, "_parts", parts):
            self.train = load_items("train", self.tokenizer)
            print(f"process {self.rank}: corpus grew to {len(self.train)} items", flush=True)
        self._parts = parts

    def _report(self, recent: Sequence[tuple[float, float]]) -> None:
        attention, letters = np.mean(recent, axis=0)
        print(
            f"step {self.step} {self.spent_s / 60:.1f} min"
            f" ({self.spent_s / self.step * 1000:.0f} ms/step) lr {self.learning_rate():.2e}"
            f" ce {attention:.3f} ctc {letters:.3f} [{time.strftime('%H:%M:%S')}]",
            flush=True,
        )


def train(rank: int, options: argparse.Namespace, meeting: str) -> None:
    """One of the training processes."""
    torch.set_num_threads(1)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.distributed.init_process_group(
        "gloo", init_method=meeting, rank=rank, world_size=options.processes
    )
    trainer = Trainer(options, rank)
    if options.resume or options.second:
        trainer.load(fresh=options.second)
    trainer.run()
    torch.distributed.destroy_process_group()
