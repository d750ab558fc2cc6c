"""How recognizer, language model and voice share this machine's cores.

Within a turn they mostly work one after the other, so each may have nearly all cores while it is
its turn; what must not happen is that the one with the most work, the language model, keeps the
others and the event loop from theirs. So it runs in a process of lower priority
(`llm.llama_cpp.nice`), and from three cores on one is left free of it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST_ASR_THREADS = 4
"""A decode of a few seconds of speech gains little from more."""

MOST_LLM_THREADS = 16
"""A token waits for memory, not for cores, from about there on."""


@dataclass(frozen=True, slots=True)
class CoreShare:
    """Threads of one decode, of one step of the language model, of one clause."""

    asr: int
    llm: int
    tts: int


def available() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def give_way(nice: int) -> None:
    """Lower this process's priority by `nice`, 0 to 19, and its session's: where Linux groups by
    sessions (autogroup, on in most distributions), a worker that leads one shares the cores with
    the others as a group, however nice its threads are.
    """
    total = os.nice(nice)
    with suppress(OSError):  # another system, or a kernel without
        Path("/proc/self/autogroup").write_text(str(total), "ascii")


def share(cores: int) -> CoreShare:
    """For `cores` of them."""
    left = cores if cores <= 2 else cores - 1
    return CoreShare(
        asr=max(1, min(MOST_ASR_THREADS, left)),
        llm=max(1, min(MOST_LLM_THREADS, left)),
        tts=1 if cores < 4 else 2,
    )
