"""Train the end-of-turn model on people, on one CPU core. docs: models/builtin/turns/MODEL_CARD.md.

    python scripts/training/train_turns.py collect --data DATA --synthetic MARKED
    python scripts/training/train_turns.py render --rounds 3
    python scripts/training/train_turns.py train --minutes 40      # --resume goes on
    python scripts/training/train_turns.py score
    python scripts/training/train_turns.py export --out models/builtin/turns

`DATA` holds the sets of the card: `tc5` (LibriSpeech train-clean-5), `devclean`, `ocean`
(speechocean762), `sc1`, `sc2` (Speech Commands). `MARKED` is what make_endpoint_recordings.py
--n 1500 --seed 101 makes. Everything between the steps lies in --folder. Needs torch.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import time
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from turns_examples import Moment, collect
from turns_model import FEATURES, FRAMES, MELS, SAMPLES, Ear, EndOfTurn, Judge
from turns_render import Line, render
from turns_score import auc, calibration

BATCH = 96
LINES = {
    "quiet": Line(telephone=False, plain=True),
    "10 dB": Line(telephone=False, snr_db=10, plain=True),
    "telephone": Line(telephone=True, plain=True),
    "telephone 10 dB": Line(telephone=True, snr_db=10, plain=True),
}


def load(folder: Path, held_out: bool) -> list[Moment]:
    with (folder / "moments.pkl").open("rb") as file:
        found: list[Moment] = pickle.load(file)
    return [one for one in found if one.held_out == held_out]


def features(moments: list[Moment], line: Line, seed: int) -> np.ndarray:
    """float16 [n, FEATURES, FRAMES]."""
    rng, ear = np.random.default_rng(seed), Ear().eval()
    out = np.empty((len(moments), FEATURES, FRAMES), np.float16)
    for at in range(0, len(moments), BATCH):
        sounds = [render(one, SAMPLES, rng, line) for one in moments[at : at + BATCH]]
        with torch.no_grad():
            out[at : at + len(sounds)] = ear(torch.from_numpy(np.stack(sounds))).numpy()
    return out


def render_rounds(folder: Path, rounds: int) -> None:
    """Each round hears every moment anew. One that is there already stays."""
    held = load(folder, held_out=True)
    for name, line in LINES.items():
        if not (path := folder / f"held {name}.npy").exists():
            np.save(path, features(held, line, 9))
    kept = load(folder, held_out=False)
    for number in range(rounds):
        if not (path := folder / f"round {number}.npy").exists():
            found = features(kept, Line(), 100 + number)
            np.save(path.with_suffix(".part.npy"), found)
            path.with_suffix(".part.npy").rename(path)
            print("rendered", path, found.shape, flush=True)


def train(folder: Path, minutes: float, resume: bool, peak: float) -> None:
    """Until the minutes are over; the learning rate falls to nothing by then."""
    torch.manual_seed(3)
    judge, average = Judge(), Judge()
    average.load_state_dict(judge.state_dict())
    optimizer = torch.optim.AdamW(judge.parameters(), lr=peak, weight_decay=0.02)
    spent, step = 0.0, 0
    if resume and (folder / "state.pt").exists():
        state = torch.load(folder / "state.pt", weights_only=False)
        judge.load_state_dict(state["judge"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        spent, step = state["spent"], state["step"]
    kept = load(folder, held_out=False)
    target = torch.tensor([float(one.goes_on) for one in kept])
    weight = torch.tensor([one.weight for one in kept], dtype=torch.float32)
    weight = weight / weight.mean()
    del kept
    began, saved, losses = time.monotonic() - spent, time.monotonic(), []
    rng = np.random.default_rng(step)
    while True:
        rounds = sorted(folder.glob("round ?.npy"))
        heard = [np.load(path, mmap_mode="r") for path in rounds]
        order = rng.permutation(len(target))
        for at in range(0, len(order) - BATCH, BATCH):
            share = (time.monotonic() - began) / (minutes * 60)
            rate = peak * min(1.0, (step + 1) / 200) * max(0.0, 1 - max(0, share - 0.15) / 0.85)
            for group in optimizer.param_groups:
                group["lr"] = rate
            index = np.sort(order[at : at + BATCH])
            chosen = heard[int(rng.integers(len(heard)))][index].astype(np.float32)
            losses.append(_step(judge, optimizer, chosen, target[index], weight[index], rng))
            step += 1
            _follow(average, judge, min(0.998, step / (step + 20)))
            if time.monotonic() - saved > 90 or share >= 1:
                saved = time.monotonic()
                parts = {"judge": judge.state_dict(), "average": average.state_dict()}
                parts |= {"optimizer": optimizer.state_dict()}
                torch.save({**parts, "spent": saved - began, "step": step}, folder / "state.pt")
                found = score(folder, average, quick=True)
                loss = sum(losses[-500:]) / len(losses[-500:])
                print(f"{saved - began:.0f} s step {step} loss {loss:.4f} {found}", flush=True)
            if share >= 1:
                return


def _step(
    judge: Judge,
    optimizer: torch.optim.Optimizer,
    heard: np.ndarray,
    target: torch.Tensor,
    weight: torch.Tensor,
    rng: np.random.Generator,
) -> float:
    judge.train()
    batch = torch.from_numpy(heard)
    _hide(batch, rng)
    with torch.autocast("cpu", torch.bfloat16):
        logits = judge(batch)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        logits.float(), target * 0.94 + 0.03, weight=weight
    )
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


def _hide(batch: torch.Tensor, rng: np.random.Generator) -> None:
    """Two bands of the spectrum, at times the pitch, and two moments are not heard."""
    for _ in range(2):
        low, wide = int(rng.integers(0, MELS - 4)), int(rng.integers(0, 10))
        batch[:, low : min(MELS, low + wide)] = 0.0
        start, long = int(rng.integers(0, FRAMES - 30)), int(rng.integers(0, 14))
        batch[:, :, start : start + long] = 0.0
    if rng.random() < 0.15:
        batch[:, MELS : FEATURES - 1] = 0.0


def _follow(average: Judge, judge: Judge, keep: float) -> None:
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), judge.parameters(), strict=True):
            slow.lerp_(fast, 1 - keep)


def score(folder: Path, judge: Judge, quick: bool = False) -> dict[str, dict[str, float]]:
    """AUC on speakers held out, by line and source; pauses of 200 ms and more against ends,
    the doubtful ones left out."""
    held = load(folder, held_out=True)
    judge.eval()
    found: dict[str, dict[str, float]] = {}
    for name in ["quiet", "telephone 10 dB"] if quick else list(LINES):
        logits = _logits(judge, np.load(folder / f"held {name}.npy", mmap_mode="r"))
        found[name] = {
            source: round(auc(*_of(held, logits, source)), 3)
            for source in ("dev", "ocean", "tc5", "synthetic")
        }
    return found


def _of(held: list[Moment], logits: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray]:
    of_source = [i for i, m in enumerate(held) if m.source == source and m.pause_ms >= 200]
    most = {
        goes_on: max((held[i].weight for i in of_source if held[i].goes_on == goes_on), default=0)
        for goes_on in (True, False)
    }
    chosen = [i for i in of_source if held[i].weight > 0.5 * most[held[i].goes_on]]
    return logits[chosen], np.array([held[i].goes_on for i in chosen])


def _logits(judge: Judge, heard: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        pieces = [
            judge(torch.from_numpy(heard[at : at + 256].astype(np.float32)))
            for at in range(0, len(heard), 256)
        ]
    return torch.cat(pieces).numpy()


def export(folder: Path, out: Path) -> None:
    """`model.onnx`, calibrated on the speakers held out, and what it was made of."""
    judge = trained(folder)
    held = load(folder, held_out=True)
    people = [i for i, m in enumerate(held) if m.source in ("dev", "ocean") and m.pause_ms >= 200]
    goes_on = np.array([held[i].goes_on for i in people])
    heard = [_logits(judge, np.load(folder / f"held {name}.npy"))[people] for name in LINES]
    scale, bias = calibration(np.concatenate(heard), np.tile(goes_on, len(heard)))
    model = EndOfTurn(judge, bias, scale).eval()
    out.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        model,
        (torch.zeros(1, SAMPLES),),
        str(out / "model.onnx"),
        input_names=["sound"],
        output_names=["goes_on"],
        opset_version=17,
        dynamo=False,
    )
    keep_halves(out / "model.onnx")
    told = {
        "samples": SAMPLES,
        "parameters": sum(p.numel() for p in judge.parameters()),
        "calibration": {"scale": round(scale, 4), "bias": round(bias, 4)},
        "held_out_auc": score(folder, judge),
        "held_out_moments": len(people),
    }
    (out / "training.json").write_text(json.dumps(told, indent=2) + "\n")
    print(json.dumps(told, indent=2))


def keep_halves(path: Path) -> None:
    """Large weights are written as 16-bit floats, which the runtime turns back when it loads."""
    model = onnx.load(str(path))
    graph, casts = model.graph, []
    for weights in [one for one in graph.initializer if math.prod(one.dims) > 500]:
        halves = onnx.numpy_helper.to_array(weights).astype(np.float16)
        graph.initializer.remove(weights)
        graph.initializer.append(onnx.numpy_helper.from_array(halves, f"{weights.name} half"))
        cast = {"inputs": [f"{weights.name} half"], "outputs": [weights.name]}
        casts.append(onnx.helper.make_node("Cast", **cast, to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def trained(folder: Path) -> Judge:
    judge = Judge()
    judge.load_state_dict(torch.load(folder / "state.pt", weights_only=False)["average"])
    return judge.eval()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("collect", "render", "train", "score", "export"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/training/turns"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--synthetic", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--peak", type=float, default=1.5e-3)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("models/builtin/turns"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    match options.command:
        case "collect":
            collect(options.data, options.synthetic, options.folder / "moments.pkl")
        case "render":
            render_rounds(options.folder, options.rounds)
        case "train":
            train(options.folder, options.minutes, options.resume, options.peak)
        case "score":
            print(json.dumps(score(options.folder, trained(options.folder)), indent=2))
        case "export":
            export(options.folder, options.out)


if __name__ == "__main__":
    main()
