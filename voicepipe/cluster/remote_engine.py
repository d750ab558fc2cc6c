"""What every engine in another process has in common, seen from this one."""

from __future__ import annotations

from voicepipe.cluster.channel import Channel, Facts


class RemoteEngine:
    """`patience_s`: the longest silence within a request; `hedge_s`: one that has not begun by then
    is asked of another replica too (0: never)."""

    def __init__(
        self, channel: Channel, engine: str, patience_s: float, hedge_s: float = 0.0
    ) -> None:
        self.name = engine  # until it has told its own
        self._channel, self._engine = channel, engine
        self._patience_s, self._hedge_s = patience_s, hedge_s
        self._facts = Facts()

    @property
    def problem(self) -> str | None:
        """Why it cannot serve now; None: it can."""
        return self._channel.problem(self._engine)

    async def start(self) -> None:
        """Wait for the engine. Raises EngineUnavailable."""
        await self._channel.start(self)
        self._facts = await self._channel.facts(self._engine)
        self.name = self._facts.name

    async def aclose(self) -> None:
        """The engine itself goes on: it is others' too."""
        await self._channel.aclose(self)
