"""What takes longer, shown at the terminal: engines coming up, work of many steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from voicepipe.session.engines import Progress as EngineProgress

_NAMES = {"asr": "speech recognition", "llm": "language model", "tts": "speech synthesis"}


@contextmanager
def engine_progress() -> Iterator[EngineProgress]:
    """A spinner per engine on stderr, until the block is left."""
    columns = (SpinnerColumn(finished_text="[green]✓"), TextColumn("{task.description}"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        rows: dict[str, TaskID] = {}

        def show(kind: str, state: str) -> None:
            name = _NAMES.get(kind, kind)
            if kind not in rows:
                rows[kind] = progress.add_task(f"{name}: {state}", total=1)
            done = 1 if state == "ready" else 0
            progress.update(rows[kind], description=f"{name}: {state}", completed=done)

        yield show


@contextmanager
def step_progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr, gone when the block is left; call what it yields after each step."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
