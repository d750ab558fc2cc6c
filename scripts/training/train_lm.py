"""Train the chat model of the built-in profile and export it.

    python scripts/training/train_lm.py --minutes 20
    python scripts/training/train_lm.py --resume models/builtin/llm-hf --layers 6 --keep FOLDER
    python scripts/training/train_lm.py --draft --minutes 6
    python scripts/training/train_lm.py --average EARLIER-hf LATER-hf --share 0.35

Writes ``models/builtin/llm`` (CTranslate2 int8 and tokenizer) and ``models/builtin/llm-hf`` (the
same weights in bfloat16 for transformers and vLLM), or with ``--draft`` the smaller model of the
same tokenizer in ``models/builtin/llm-draft-hf``. All text comes from :mod:`dialogues`; sentences
of the hand-written questions that judge the model are kept out of it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from chat_format import check_template, train_tokenizer, wrap_tokenizer
from lm_batches import batches, training_dialogues
from lm_model import (
    DRAFT,
    MAIN,
    average,
    export_ct2,
    export_hf,
    grown,
    loss_of,
    new_model,
    with_tokens,
)
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

ROOT: Final = Path(__file__).resolve().parents[2]
MODELS: Final = ROOT / "models" / "builtin"
SHARED_EVERY: Final = 25  # steps
MEAN_OF: Final = 60  # steps


def learning_rate(done: float, step: int, peak: float, flat: float) -> float:
    """Linear warm-up over 50 steps, flat for a share of the time, then a cosine down to 2 %."""
    warm = min(1.0, (step + 1) / 50)
    fall = min(1.0, max(0.0, (done - flat) / (1 - flat)))
    return peak * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * fall)))


def new_optimizers(model: LlamaForCausalLM, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for the embedding and the norms.

    Muon needs about half of AdamW's tokens here; its updates are scaled to AdamW's size so that
    both share one learning rate.
    """
    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    inner = {id(p) for p in matrices}
    rest = [p for p in model.parameters() if id(p) not in inner]
    return [
        torch.optim.Muon(
            matrices, lr=rate, momentum=0.95, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"
        ),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    ]


@dataclass
class Progress:
    """How far a training is."""

    steps: int = 0
    tokens: int = 0
    minutes: float = 0.0
    loss: float = 0.0


class RunningMean:
    """Mean of the weights of the last steps: as good as a rate that has fallen, at any time.

    (Polyak and Juditsky, 1992; "exponential moving average of weights".)
    """

    def __init__(self, model: LlamaForCausalLM) -> None:
        self.weights = {name: value.detach().clone() for name, value in model.named_parameters()}

    def add(self, model: LlamaForCausalLM, steps: int) -> None:
        """One more step; the mean is over at most MEAN_OF steps."""
        share = 1 / min(steps, MEAN_OF)
        for name, value in model.named_parameters():
            self.weights[name].lerp_(value.detach(), share)


def save_state(
    folder: Path,
    model: LlamaForCausalLM,
    mean: RunningMean,
    optimizers: Sequence[Any],
    progress: Progress,
) -> None:
    """Write all that is needed to go on, in one step."""
    state = {
        "model": model.state_dict(),
        "mean": mean.weights,
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
        "progress": vars(progress),
    }
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(state, folder / "state.part")
    (folder / "state.part").replace(folder / "state.pt")


def load_state(
    folder: Path, model: LlamaForCausalLM, mean: RunningMean, optimizers: Sequence[Any]
) -> Progress:
    """Go on where a training of this folder was; from the beginning where there is none."""
    if not (folder / "state.pt").exists():
        return Progress()
    state = torch.load(folder / "state.pt", weights_only=True)
    model.load_state_dict(state["model"])
    mean.weights = state["mean"]
    for optimizer, values in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(values)
    return Progress(**state["progress"])


def share_weights(model: LlamaForCausalLM, folder: Path, seed: int) -> None:
    """Leave the weights in ``folder`` and go on from the mean with what the others left there.

    Two processes of one thread use idle moments of two cores better than one of two threads, which
    wait for each other at every product.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own, parameters = folder / f"{seed}.pt", dict(model.named_parameters())
    others = [torch.load(f, weights_only=True) for f in folder.glob("*.pt") if f != own]
    with torch.no_grad():
        for name, value in parameters.items():
            every = [value, *(other[name] for other in others)]
            value.copy_(sum(every) / len(every))
    torch.save(
        {name: value.detach() for name, value in parameters.items()}, folder / f"{seed}.part"
    )
    (folder / f"{seed}.part").replace(own)


def train(
    model: LlamaForCausalLM,
    data: Iterator[tuple[torch.Tensor, torch.Tensor]],
    args: argparse.Namespace,
) -> dict[str, float]:
    """Train for ``args.minutes`` of wall time in all, saying every 50 steps where it stands.

    The model is left with the mean of its last weights.

    With ``args.keep`` the state is written there every two minutes and when the training is
    asked to end (SIGTERM); started again, it goes on from there.
    """
    optimizers = new_optimizers(model, args.lr)
    mean = RunningMean(model)
    progress = load_state(args.keep, model, mean, optimizers) if args.keep else Progress()
    before, start, seen, kept = progress.minutes, time.monotonic(), 0, 0.0
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    model.train()
    while not ended.is_set() and progress.minutes < args.minutes:
        done, step = progress.minutes / args.minutes, progress.steps
        for group in itertools.chain(*(optimizer.param_groups for optimizer in optimizers)):
            group["lr"] = learning_rate(done, step, args.lr, args.flat)
        ids, labels = next(data)
        loss = loss_of(model, ids, labels, args.dropout)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        seen += ids.numel()
        progress.tokens += ids.numel()
        progress.steps += 1
        mean.add(model, progress.steps)
        progress.minutes = before + (time.monotonic() - start) / 60
        recent = loss.item()
        progress.loss = recent if step == 0 else 0.98 * progress.loss + 0.02 * recent
        if step % 50 == 0:
            rate = seen / (time.monotonic() - start)
            print(
                f"{done:4.0%} step {step} loss {progress.loss:.4f} {rate:,.0f} tokens/s", flush=True
            )
        if args.beside and progress.steps % SHARED_EVERY == 0:
            share_weights(model, args.beside, args.seed)
        if args.keep and progress.minutes - kept > 2:
            kept = progress.minutes
            save_state(args.keep, model, mean, optimizers, progress)
    if args.keep:
        save_state(args.keep, model, mean, optimizers, progress)
    model.load_state_dict(mean.weights, strict=False)  # the head is the embedding
    return vars(progress)


# --------------------------------------------------------------------------------------------
# Export
# --------------------------------------------------------------------------------------------


def report(
    folder: Path, args: argparse.Namespace, model: LlamaForCausalLM, **figures: float
) -> None:
    """Write how the model came to be beside it."""
    facts = {
        "seed": args.seed,
        "minutes": args.minutes,
        "learning_rate": args.lr,
        "flat": args.flat,
        "resumed": args.resume is not None,
        "dropout": args.dropout,
        "batch_tokens": args.batch_tokens,
        "parameters": sum(p.numel() for p in model.parameters()),
        **figures,
    }
    (folder / "training.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts))


def parse_args() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20.0, help="wall time of training")
    parser.add_argument("--lr", type=float, default=4e-3, help="peak learning rate")
    parser.add_argument("--flat", type=float, default=0.4, help="share of time before the decay")
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=MODELS)
    parser.add_argument("--dropout", type=float, default=0.0, help="share left out while learning")
    parser.add_argument("--draft", action="store_true", help="train the small draft model")
    parser.add_argument("--resume", type=Path, help="go on from this exported (-hf) folder")
    parser.add_argument("--layers", type=int, help="grow what is resumed to this many layers")
    parser.add_argument("--inner", type=int, help="and its MLPs to this many units")
    parser.add_argument(
        "--cut-anew", action="store_true", help="give what is resumed a tokenizer of today's texts"
    )
    parser.add_argument(
        "--beside", type=Path, help="folder where trainings beside meet (seeds differ)"
    )
    parser.add_argument("--keep", type=Path, help="folder of the state to go on from")
    parser.add_argument(
        "--average", type=Path, nargs=2, help="train nothing: export the mean of two (-hf) folders"
    )
    parser.add_argument("--share", type=float, default=0.5, help="the second folder's share of it")
    return parser.parse_args()


def _cut_anew(args: argparse.Namespace) -> Tokenizer:
    """One of today's texts, the same for every seed; a draft has its model's."""
    if args.draft:
        return Tokenizer.from_file(str(MODELS / "llm-hf" / "tokenizer.json"))
    return train_tokenizer(training_dialogues(1))


def main() -> None:
    """Train one model and export it."""
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    if args.average:
        first = Tokenizer.from_file(str(args.average[0] / "tokenizer.json"))
        earlier, later = args.average
        average(earlier, later, args.share, wrap_tokenizer(first), args.out)
        return
    hf_folder = args.out / ("llm-draft-hf" if args.draft else "llm-hf")
    main_tokenizer = (args.resume or args.out / "llm-hf") / "tokenizer.json"
    if args.draft or args.resume:
        tokenizer = wrap_tokenizer(Tokenizer.from_file(str(main_tokenizer)))
    else:
        tokenizer = wrap_tokenizer(_cut_anew(args))
    if args.resume:
        model = LlamaForCausalLM.from_pretrained(args.resume, dtype=torch.float32)
        if args.cut_anew:
            before = tokenizer.backend_tokenizer
            tokenizer = wrap_tokenizer(_cut_anew(args))
            with_tokens(model, before, tokenizer.backend_tokenizer)
        if args.layers or args.inner:
            shape = model.config
            layers, inner = shape.num_hidden_layers, shape.intermediate_size
            model = grown(model, args.layers or layers, args.inner or inner)
    else:
        model = new_model(DRAFT if args.draft else MAIN, tokenizer)
    check_template(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(tokenizer)} tokens")
    data = batches(tokenizer.backend_tokenizer, args.seed, args.batch_tokens)
    figures = train(model, data, args)
    if hf_folder.exists() and not args.draft:
        shutil.rmtree(hf_folder)
    export_hf(model, tokenizer, hf_folder)
    report(hf_folder, args, model, **figures)
    if not args.draft:
        export_ct2(hf_folder, args.out / "llm")


if __name__ == "__main__":
    main()
