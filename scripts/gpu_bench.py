"""First-token and inter-token times of the vllm engine, and whole turns with simulated ears and
voice: one table for docs/measurements.md.

    python scripts/gpu_bench.py                        # an 8B shape on this GPU, all rows
    python scripts/gpu_bench.py --weights fp8 --cache on --drafter none,draft_model
    python scripts/gpu_bench.py --model DIR            # real weights: their text means something
    python scripts/gpu_bench.py --simulated            # no vLLM and no GPU: shows that it runs

Without --model the weights are random: the times are right, the text is meaningless, and which
drafts are accepted is made up (--acceptance). Each combination starts an engine of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # also where voicepipe is not installed

from scripts.llm_bench import report, shapes  # noqa: E402
from scripts.llm_bench.load import SYSTEM_TOKENS, Texts, measure  # noqa: E402
from voicepipe.config import LlmSettings, SimulatedSettings  # noqa: E402
from voicepipe.llm.chat_template import ChatTemplate  # noqa: E402
from voicepipe.llm.contract import LanguageModel  # noqa: E402
from voicepipe.llm.engines.simulated import SimulatedModel  # noqa: E402
from voicepipe.llm.engines.vllm import VllmModel  # noqa: E402
from voicepipe.runtime import progress  # noqa: E402

WARM_UP_ROUNDS = 3
WEIGHTS = ("bf16", "fp8", "int4")
DRAFTERS = ("none", "draft_model")
DRAFT_TOKENS = 3
SIMULATED_ANSWER = " ".join(["word"] * 40)


@dataclass(frozen=True, slots=True)
class Variant:
    """One engine to be started."""

    weights: str
    cache: bool
    drafter: str  # "" = none


class RandomWeights(VllmModel):
    """Goes on to the last token: what random weights choose ends nothing."""

    def _sampling(self, *args: Any, **more: Any) -> Any:
        params = super()._sampling(*args, **more)
        params.stop_token_ids, params.ignore_eos = [], True
        return params


def variants(args: argparse.Namespace) -> Iterator[Variant]:
    """Those that the arguments leave."""
    if args.simulated:
        yield Variant("simulated", cache=False, drafter="")
        return
    caches = {"on": (True,), "off": (False,), "both": (False, True)}[args.cache]
    drafters = ["" if name == "none" else name for name in args.drafter.split(",")]
    kinds = ["checkpoint"] if args.model else args.weights.split(",")
    for weights, cache, drafter in itertools.product(kinds, caches, drafters):
        yield Variant(weights, cache, drafter)


def settings(args: argparse.Namespace, variant: Variant) -> LlmSettings:
    """For the engine of a variant."""
    engine_args = list(args.engine_arg)
    vllm: dict[str, Any] = {
        "max_model_len": args.max_model_len,
        "max_num_seqs": max(args.sessions),
        "prefix_caching": variant.cache,
        "load_format": "auto" if args.model else "dummy",
        "enforce_eager": args.eager,
        "quantization": "fp8" if variant.weights == "fp8" else "",
    }
    if variant.drafter and args.model:
        vllm["speculative"] = {"method": variant.drafter, "tokens": DRAFT_TOKENS}
    elif variant.drafter:  # acceptance is made up, which no setting of ours does
        config = {
            "method": variant.drafter,
            "model": str(args.folder / "draft"),
            "num_speculative_tokens": DRAFT_TOKENS,
        }
        if args.acceptance:
            config["rejection_sample_method"] = "synthetic"
            config["synthetic_acceptance_length"] = args.acceptance
        engine_args.append(f"speculative_config={json.dumps(config)}")
    vllm["engine_args"] = engine_args
    return LlmSettings.model_validate({"engine": "vllm", "vllm": vllm})


@asynccontextmanager
async def running(args: argparse.Namespace, variant: Variant) -> AsyncIterator[LanguageModel]:
    """The engine of a variant; says how its start goes."""
    model: LanguageModel
    if args.simulated:
        model = SimulatedModel(SimulatedSettings(answer=SIMULATED_ANSWER))
    elif args.model:
        model = VllmModel(settings(args, variant), args.model, args.draft)
    else:
        folder = args.folder / ("int4" if variant.weights == "int4" else "plain")
        model = RandomWeights(settings(args, variant), folder)
    began = time.perf_counter()
    with progress.told(lambda step: say(f"  {time.perf_counter() - began:5.1f} s  {step}")):
        await model.start()
    try:
        yield model
    finally:
        await model.aclose()


async def bench(args: argparse.Namespace) -> list[report.Row]:
    """All rows; one that cannot be run is said and left out."""
    rows: list[report.Row] = []
    tokenizer = ChatTemplate(args.model).tokenizer if args.model else None
    texts = Texts(tokenizer, args.system_tokens)
    with_floors = args.shape == "8b" and not (args.simulated or args.model)
    shape = shapes.LLAMA_8B if with_floors else None
    for variant in variants(args):
        cache = f"prefix cache {'on' if variant.cache else 'off'}"
        say(f"{variant.weights}, {cache}, drafter: {variant.drafter or 'none'}")
        try:
            async with running(args, variant) as model:
                await measure(model, texts, 1, WARM_UP_ROUNDS, seed=0)
                for number, sessions in enumerate(args.sessions, 1):
                    rounds = max(2, args.requests // sessions)
                    figures = await measure(model, texts, sessions, rounds, seed=number)
                    made = (variant.weights, variant.cache, variant.drafter, sessions)
                    rows.append(report.row(*made, figures, shape))
                    say(report.table(rows[-1:]).splitlines()[-1])
        except Exception as error:  # the other rows are still worth having
            say(f"  not measured: {error}")
    return rows


def turns(args: argparse.Namespace) -> str:
    """Whole turns with the simulated recognizer and voice, in a process of their own."""
    command = [sys.executable, "-m", "voicepipe", "bench", "turns", "--in-process"]
    command += ["--profile", "simulated", "-n", str(args.turn_sessions), "-t", "5"]
    if not args.simulated:
        weights = "checkpoint" if args.model else args.weights.split(",")[-1]
        variant = Variant(weights, cache=True, drafter="")
        model = args.model or args.folder / ("int4" if variant.weights == "int4" else "plain")
        chosen = {"engine": "vllm", "model": str(model), "max_tokens": 40, "tools": "[]"}
        vllm = settings(args, variant).vllm
        for name in ("max_model_len", "load_format", "quantization", "enforce_eager"):
            chosen[f"vllm.{name}"] = getattr(vllm, name)
        for name, value in chosen.items():
            text = str(value).lower() if isinstance(value, bool) else value
            command += ["--set", f"llm.{name}={text}"]
    say(shlex.join(command))
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=args.turns_timeout_s
    )
    return done.stdout if done.returncode == 0 else f"whole turns failed:\n{done.stderr}"


def device(args: argparse.Namespace) -> str:
    """What was measured on, in words."""
    if args.simulated:
        return "simulated parts: the figures are the settings' own"
    import torch
    import vllm

    where = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return f"{where}, vLLM {vllm.__version__}, torch {torch.__version__}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulated", action="store_true", help="no vLLM: simulated parts")
    parser.add_argument("--shape", choices=tuple(shapes.SHAPES), default="8b")
    parser.add_argument("--model", type=Path, help="real weights in place of a shape")
    parser.add_argument("--draft", type=Path, help="their drafter")
    parser.add_argument("--weights", default=",".join(WEIGHTS), help="some of bf16,fp8,int4")
    parser.add_argument("--cache", choices=("on", "off", "both"), default="both")
    parser.add_argument("--drafter", default=",".join(DRAFTERS), help="none and methods of vLLM's")
    parser.add_argument("--acceptance", type=float, default=2.5, help="tokens a step, 0 = real")
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 8, 32, 64])
    parser.add_argument("--requests", type=int, default=200, help="of a row, about")
    parser.add_argument("--system-tokens", type=int, default=SYSTEM_TOKENS, help="shared by all")
    parser.add_argument("--max-model-len", type=int, default=2048)
    parser.add_argument("--eager", action="store_true", help="no graphs: for a CPU")
    parser.add_argument("--engine-arg", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--turn-sessions", type=int, default=8, help="callers; 0 = no whole turns")
    parser.add_argument("--turns-timeout-s", type=float, default=1800)
    parser.add_argument("--json", type=Path, help="write the rows here")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    args = arguments()
    with tempfile.TemporaryDirectory(prefix="gpu-bench-") as folder:
        args.folder = Path(folder)
        if not (args.simulated or args.model):
            shape = shapes.SHAPES[args.shape]
            shapes.write_shape(shape, args.folder / "plain")
            shapes.write_shape(shape, args.folder / "int4", int4=True)
            shapes.write_shape(shape, args.folder / "draft", layers=1)
        rows = asyncio.run(bench(args))
        print(f"`python {shlex.join(sys.argv)}` on {device(args)}\n")
        print(report.table(rows))
        if args.json:
            args.json.write_text(json.dumps(report.as_json(rows), indent=1))
        if args.turn_sessions:
            print(f"\n{turns(args)}")
    if not rows:
        sys.exit("nothing was measured")


if __name__ == "__main__":
    main()
