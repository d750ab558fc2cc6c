"""Speeds of models that are not here: those of a machine that was measured, scaled by a probe of
what bounds them, how fast one core multiplies and how fast it reads memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from voicepipe.fit.speeds import AsrSpeed, LlmSpeed, Speeds, TtsSpeed, on_more_cores
from voicepipe.runtime import cores
from voicepipe.runtime.errors import EngineUnavailable

PROBE_LIMIT_S = 120.0
REFERENCE = "reference.json"  # beside this file; `voicepipe fit --json` writes its like

_PROBE = """
import json, time
import numpy as np

def least(work, tries):
    times = []
    for _ in range(tries):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)

side = 768
matrix = np.random.default_rng(0).standard_normal((side, side)).astype(np.float32)
numbers = np.ones(16 * 1024 * 1024, np.float32)
print(json.dumps({
    "gflops": 2 * side**3 / least(lambda: matrix @ matrix, 20) / 1e9,
    "gbytes": numbers.nbytes / least(numbers.sum, 20) / 1e9,
}))
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """Of one core: 10^9 operations, and 10^9 bytes, a second."""

    gflops: float
    gbytes: float


def probe() -> Probe:
    """The best of several tries, some seconds in all. In a process of its own, since a multiplying
    library can be told to use one core only before it is loaded. Raises EngineUnavailable.
    """
    one_core = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE],
            env={**os.environ, **one_core},
            capture_output=True,
            text=True,
            timeout=PROBE_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineUnavailable(
            f"this machine could not be probed: {error}", stage="llm"
        ) from error
    return Probe(**json.loads(done.stdout))


def from_table(here: Probe, cores_here: int | None = None) -> Speeds:
    """What this machine would do, by rule of thumb."""
    known = json.loads(files("voicepipe.fit").joinpath(REFERENCE).read_text("utf-8"))
    speeds = scaled(read_speeds(known["speeds"]), Probe(**known["probe"]), here)
    return on_more_cores(speeds, cores_here or cores.available())


def scaled(known: Speeds, there: Probe, here: Probe) -> Speeds:
    """`known`: of the machine that was probed as `there`."""
    compute, memory = here.gflops / there.gflops, here.gbytes / there.gbytes
    asr = [one.sped_up(compute) for one in known.asr]
    llm = [
        replace(
            one,
            prefill_ms=one.prefill_ms / compute,
            request_ms=one.request_ms / compute,
            step_ms=one.step_ms / memory,
            step_of_four_ms=one.step_of_four_ms / memory,
        )
        for one in known.llm
    ]
    first_ms, ms_per_s = known.tts.first_ms / compute, known.tts.ms_per_s / compute
    tts = replace(known.tts, first_ms=first_ms, ms_per_s=ms_per_s)
    return Speeds(
        known.cores, tuple(asr), tuple(llm), tts, f"a table {known.source}, scaled by a probe"
    )


def read_speeds(found: Mapping[str, Any]) -> Speeds:
    """From what `dataclasses.asdict` made of them."""
    return Speeds(
        cores=found["cores"],
        asr=tuple(AsrSpeed(**one) for one in found["asr"]),
        llm=tuple(LlmSpeed(**one) for one in found["llm"]),
        tts=TtsSpeed(**found["tts"]),
        source=found.get("source", "measured"),
    )
