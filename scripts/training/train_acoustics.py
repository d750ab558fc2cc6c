"""Train the acoustic model of the built-in words recognizer, on people, on CPU cores.

    python scripts/training/train_acoustics.py tape --people PEOPLE --noise ESC-10   # 3 min
    python scripts/training/train_acoustics.py start     # from models/builtin/words/acoustics.onnx
    python scripts/training/train_acoustics.py align     # 10 min
    python scripts/training/train_acoustics.py train --minutes 60 --resume
    python scripts/training/train_acoustics.py export    # models/builtin/words/acoustics.onnx
    python scripts/training/train_acoustics.py export --beside FOLDER   # the mean of two trainings
    python scripts/training/train_acoustics.py held-out --out KEPT    # for bench_people.py --people

From nothing instead of `start` and `align`: `align --by library --most 1500`, `train --minutes 20`,
`align`.

PEOPLE holds the folders `speech-commands`, `fsdd`, `librispeech` (train-clean-5, dev-clean),
`speechocean762`, and any others that have a `manifest.jsonl` (`acoustic_clips.listed`);
`models/builtin/words/MODEL_CARD.md` says what of each was taken. `tape` adds to a tape that is
there. A checkpoint is
written every four minutes and `--resume` goes on from it; labels that another process writes
meanwhile are taken up at the next pass over the recordings. Frame cross-entropy against the
alignment, AdamW in bf16, a learning rate that falls to nothing by the end of the time, an average
of the weights, which is what is exported.
"""

from __future__ import annotations

import argparse
import copy
import json
import multiprocessing
import os
import pickle
import queue
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from acoustic_align import Labels, Lattice, filled, library_labels
from acoustic_clips import Clip, read_sound, write_tape
from acoustic_export import RARE, export, recovered
from acoustic_held_out import write_held_out
from acoustic_net import (
    HOP,
    LATE,
    STACK,
    STATES,
    UNKNOWN,
    WINDOW,
    AcousticNet,
    log_mel,
    mel_filters,
    power,
)
from acoustic_sound import Batches, Chunks, Taught
from corpus import ROOT
from sound import Float32, Int16
from torch.nn import functional

from voicepipe.asr.sphinx.library import load_library
from voicepipe.asr.sphinx.pronunciation import read_dictionary

FOLDER = ROOT / ".cache" / "training" / "acoustics"
WORDS = ROOT / "models" / "builtin" / "words"
PIECE = 400  # alignments in a file
BATCH = 16  # chunks of 4 s
LAST = 1e-5  # learning rate
COMMANDS = ("tape", "start", "align", "train", "export", "held-out")
SCARCE = "accent"  # heard twice in a pass
WORST = 4  # per cent of a set: what fits its own text so badly is not what is said


class Tape:
    """The recordings and what is known of their labels: {clip: (labels, how well they fit)}."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clips = [Clip(**entry) for entry in json.loads((folder / "clips.json").read_text())]
        self._sound = np.memmap(folder / "tape.i16", np.int16, "r")
        self.labels: dict[int, tuple[Labels, float]] = {}
        self._read: set[Path] = set()

    def sound(self, n: int) -> Int16:
        """int16 [samples] of clip n."""
        clip = self.clips[n]
        return np.array(self._sound[clip.start : clip.start + clip.samples])

    def refresh(self) -> None:
        """Read the labels that were written since."""
        for path in sorted(self.folder.glob("labels-*.pkl")):
            if path not in self._read:
                self.labels.update(pickle.loads(path.read_bytes()))
                self._read.add(path)

    def write(self, labels: dict[int, tuple[Labels, float]]) -> None:
        """A file of labels; it counts more than those before it."""
        place = self.folder / f"labels-{time.time_ns()}.pkl"
        place.with_suffix(".tmp").write_bytes(pickle.dumps(labels))
        place.with_suffix(".tmp").rename(place)

    def taught(self, rng: random.Random) -> Iterator[Taught]:
        """The training clips in a new order, without those that fit their text worst."""
        fits: dict[str, list[float]] = defaultdict(list)
        for n, (_, fit) in self.labels.items():
            fits[self.clips[n].kind].append(fit)
        least = {kind: np.percentile(values, WORST) for kind, values in fits.items()}
        order = [n for n in self.labels if self.clips[n].split == "train"]
        order += [n for n in order if self.clips[n].kind == SCARCE]
        rng.shuffle(order)
        for n in order:
            labels, fit = self.labels[n]
            if fit >= least[self.clips[n].kind]:
                yield Taught(self.sound(n), filled(labels, self.clips[n].samples // HOP))

    def shares(self) -> torch.Tensor:
        """How much of all sound each state is."""
        counts = np.ones(STATES)
        for labels, _ in self.labels.values():
            counts += np.bincount(labels, minlength=STATES)[:STATES]
        return torch.tensor(counts / counts.sum(), dtype=torch.float32)


def fit_of(net: AcousticNet, shares: torch.Tensor, sound: Int16) -> Float32:
    """How well each frame fits each state, [T, STATES]."""
    pcm = torch.tensor(sound.astype(np.float32) / 32768)[None]
    pcm = functional.pad(pcm, (0, (LATE + STACK) * HOP + WINDOW))
    features = log_mel(power(pcm), mel_filters())
    with torch.no_grad():
        logits, _ = net(features[:, : features.shape[1] // STACK * STACK], net.begin(1))
    fit = torch.log_softmax(logits[0, LATE:], -1) - RARE * torch.log(shares)
    found: Float32 = fit.numpy()
    return found[: len(sound) // HOP]


def align(tape: Tape, by: str, most: int) -> None:
    """Label up to `most` clips that have none yet, or with the network all anew."""
    library = load_library()
    known = {**read_dictionary(library.dictionary), **read_dictionary(WORDS / "said.dict")}
    tape.refresh()
    order = list(range(len(tape.clips)))
    random.Random(3).shuffle(order)
    if by == "library":
        aligner = import_module("pocketsphinx").Decoder(samprate=16000, loglevel="FATAL", lm=None)
    else:
        net, shares = load(tape.folder)
    found: dict[int, tuple[Labels, float]] = {}
    for n in order[:most]:
        clip, sound = tape.clips[n], tape.sound(n)
        try:
            if by == "library":
                labels = library_labels(aligner, clip.text, sound.tobytes())
                result = None if labels is None else (labels, 0.0)
            else:
                result = Lattice(clip.text.split(), known).best(fit_of(net, shares, sound))
        except (ValueError, RuntimeError):
            continue  # a word without a pronunciation, or sound that fits nowhere
        if result is not None:
            found[n] = result
        if len(found) == PIECE:
            tape.write(found)
            found = {}
    tape.write(found)


def load(folder: Path) -> tuple[AcousticNet, torch.Tensor]:
    """The averaged network of the last checkpoint, and how much of its labels each state was."""
    net, kept = AcousticNet(), torch.load(folder / "network.pt")
    net.load_state_dict(kept["average"])
    net.eval()
    return net, kept["shares"]


def mean(folders: Sequence[Path]) -> tuple[AcousticNet, torch.Tensor]:
    """The mean of the networks of several trainings that began alike, and of their shares."""
    found = [load(folder) for folder in folders]
    net, states = AcousticNet(), [one.state_dict() for one, _ in found]
    net.load_state_dict({name: sum(s[name] for s in states) / len(states) for name in states[0]})
    return net, torch.stack([shares for _, shares in found]).mean(0)


def train(tape: Tape, minutes: float, peak: float, resume: bool) -> None:
    """Until the time is over."""
    torch.set_num_threads(1)
    net = AcousticNet()
    average = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=peak, betas=(0.9, 0.98), weight_decay=0.01)
    if resume:
        kept = torch.load(tape.folder / "network.pt")
        net.load_state_dict(kept["network"])
        average.load_state_dict(kept["average"])
        if "optimizer" in kept:
            optimizer.load_state_dict(kept["optimizer"])
    noises = pickle.loads((tape.folder / "noises.pkl").read_bytes())
    loader = Loader(tape.folder, noises)
    began = saved = time.monotonic()
    step, losses = 0, []
    while (spent := (time.monotonic() - began) / (60 * minutes)) < 1:
        step += 1
        for group in optimizer.param_groups:
            group["lr"] = peak * min(1, step / 200) * (1 - spent) + LAST
        features, labels = loader.next()
        with torch.autocast("cpu", torch.bfloat16):
            logits, _ = net(features, net.begin(BATCH))
        late = logits[:, LATE:].float().flatten(0, 1)
        loss = functional.cross_entropy(late, labels[:, :-LATE].flatten(), ignore_index=UNKNOWN)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            for mean, new in zip(average.parameters(), net.parameters(), strict=True):
                mean.lerp_(new, max(0.002, 1 / (1 + step / 4)))
        losses.append(float(loss.detach()))
        if step % 50 == 0:
            print(f"{step} steps, loss {np.mean(losses[-50:]):.3f}", flush=True)
        if time.monotonic() - saved > 240:
            save(tape, net, average, optimizer)
            saved = time.monotonic()
    save(tape, net, average, optimizer)


class Loader:
    """Makes batches in a process of its own: that takes a third of the time."""

    def __init__(self, folder: Path, noises: list[Float32]) -> None:
        context = multiprocessing.get_context("spawn")
        self._ready = context.Queue(maxsize=6)
        self._process = context.Process(
            target=_load, args=(folder, noises, self._ready), daemon=True
        )
        self._process.start()

    def next(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Features [BATCH, T, MELS] and labels [BATCH, T]."""
        while True:
            try:
                features, labels = self._ready.get(timeout=60)
            except queue.Empty:
                if not self._process.is_alive():
                    raise SystemExit("the process that makes batches has ended") from None
            else:
                return torch.from_numpy(features), torch.from_numpy(labels)


def _load(folder: Path, noises: list[Float32], ready: Any) -> None:
    torch.set_num_threads(1)
    rng = random.Random()
    batches, chunks = Batches(noises, rng), endless(Tape(folder), rng)
    while True:
        features, labels = batches.of([next(chunks) for _ in range(BATCH)])
        ready.put((features.numpy(), labels.numpy()))


def endless(tape: Tape, rng: random.Random) -> Iterator[tuple[Float32, Labels]]:
    """Chunks, pass after pass."""
    chunks = Chunks(rng)
    while True:
        tape.refresh()
        if not tape.labels:
            raise SystemExit("there are no labels yet: first `align --by library`")
        yield from chunks.of(list(tape.taught(rng)))


def save(
    tape: Tape, net: AcousticNet, average: AcousticNet, optimizer: torch.optim.Optimizer
) -> None:
    """What training goes on from."""
    kept = {"network": net, "average": average, "optimizer": optimizer}
    states = {name: part.state_dict() for name, part in kept.items()}
    write(tape.folder, {**states, "shares": tape.shares()})


def write(folder: Path, kept: dict[str, Any]) -> None:
    """A checkpoint: all of it or nothing."""
    place = folder / "network.pt"
    torch.save(kept, f"{place}.tmp")
    os.replace(f"{place}.tmp", place)


def read_noises(folder: Path) -> list[Float32]:
    """Three in four of the sounds of ESC-10; the bench judges by the others."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix in {".ogg", ".wav", ".flac"})
    sounds = [read_sound(str(path)) for n, path in enumerate(paths) if n % 4 != 2]
    return [sound.astype(np.float32) for sound in sounds if np.abs(sound).max() > 200]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the acoustic model.")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--people", type=Path, help="the folder of the recordings (tape)")
    parser.add_argument("--noise", type=Path, help="the folder of ESC-10 (tape)")
    parser.add_argument(
        "--synthetic-s", type=float, default=5400, help="of synthetic voices (tape)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=WORDS / "acoustics.onnx",
        help="(export, start, held-out: a folder)",
    )
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="more folders (export)")
    parser.add_argument("--by", choices=("library", "network"), default="network")
    parser.add_argument("--most", type=int, default=10**9, help="clips to align")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--peak", type=float, default=2e-3, help="learning rate")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    if options.command == "tape":
        write_tape(options.people, options.folder, options.synthetic_s)
        noises = read_noises(options.noise)
        (options.folder / "noises.pkl").write_bytes(pickle.dumps(noises))
        return
    if options.command == "start":
        net, shares = recovered(options.out)
        state = net.state_dict()
        write(options.folder, {"network": state, "average": state, "shares": shares})
        return
    tape = Tape(options.folder)
    if options.command == "align":
        align(tape, options.by, options.most)
    elif options.command == "held-out":
        if options.out.suffix:
            parser.error(f"held-out: --out is a folder, not {options.out}")
        write_held_out(tape.clips, tape.sound, options.out)
    elif options.command == "train":
        train(tape, options.minutes, options.peak, options.resume)
    else:
        export(*mean([options.folder, *options.beside]), options.out)


if __name__ == "__main__":
    main()
