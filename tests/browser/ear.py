"""What a page plays and what is on its wire, as `ear.js` keeps them. All times are the page's own
`performance.now()`, in ms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

SCRIPT = Path(__file__).with_name("ear.js")

LOUD_RMS = 0.01
"""-40 dBFS: far above what codecs make of silence, far below speech."""

DEADLINE_MS = 30_000
"""How long anything may take that a conversation does: ten times what a busy machine takes."""

Event = dict[str, Any]


class Ear:
    """One page's ear. `open_ear` must have been called for its context."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def events(self, kind: str, after: float = 0.0, before: float = float("inf")) -> list[Event]:
        """Events of this type that came or went in between, in order."""
        found: list[Event] = self._page.evaluate(
            "([type, after, before]) => __ear.events.filter("
            "(e) => e.type === type && e.at > after && e.at <= before)",
            [kind, after, before],
        )
        return found

    def wait_for(self, kind: str, after: float = 0.0, count: int = 1) -> Event:
        """The first event of this type later than `after`, or the `count`-th one."""
        self._until(
            """([type, after, count]) => __ear.events.filter(
                (e) => e.at > after && e.type === type).length >= count""",
            [kind, after, count],
        )
        return self.events(kind, after=after)[count - 1]

    def wait_for_sound(self, after: float = 0.0, ms: float = 200.0) -> None:
        """Until `ms` of loud audio were played later than `after`."""
        self._until(
            """([after, ms, loud]) => __ear.chunks
                .filter(([at, rms]) => at > after && rms > loud)
                .reduce((sum, [, , length]) => sum + length, 0) >= ms""",
            [after, ms, LOUD_RMS],
        )

    def wait_until_caller_is_silent(self, quiet_ms: float = 300.0) -> None:
        """Until the microphone has said something, and then nothing for `quiet_ms`."""
        self._until(
            """([quiet, loud]) => {
                const said = __ear.microphone.filter(([, rms]) => rms > loud);
                return said.length && performance.now() - said.at(-1)[0] > quiet;
            }""",
            [quiet_ms, LOUD_RMS],
        )

    def last_loud_at(self, before: float) -> float:
        """When the last loud piece before `before` was played. Raises ValueError if none was."""
        chunks: list[tuple[float, float, float]] = self._page.evaluate("__ear.chunks")
        return max(at for at, rms, _ in chunks if at < before and rms > LOUD_RMS)

    def now(self) -> float:
        at: float = self._page.evaluate("performance.now()")
        return at

    def _until(self, condition: str, arg: list[Any]) -> None:
        self._page.wait_for_function(condition, arg=arg, polling=100)


def open_ear(context: BrowserContext) -> None:
    """Pages of `context` opened from now on have an ear, and no wait in them has no end."""
    context.set_default_timeout(DEADLINE_MS)
    context.add_init_script(path=SCRIPT)
