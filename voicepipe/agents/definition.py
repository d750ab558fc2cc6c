"""One agent, as its settings make it. It never changes: a call keeps the one it began with,
whatever is loaded anew meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voicepipe.agents.variables import cleaned, rendered
from voicepipe.config.agents import AgentSettings
from voicepipe.tools.contract import Facts


@dataclass(frozen=True, slots=True)
class Agent:
    """`settings` under a `name`."""

    name: str
    settings: AgentSettings

    def facts(self, known: Mapping[str, str]) -> Facts:
        """Its variables, and over them what is known of this call; for words and for tools."""
        given = {name: cleaned(value) for name, value in known.items() if value}
        return {**self.settings.variables, **given, "agent": self.name}

    def instructions(self, facts: Facts) -> str:
        """What the model is told; "" = what the server tells it by default."""
        return rendered(self.settings.instructions, facts)

    def greeting(self, facts: Facts) -> str | None:
        """What it says first; None = what the server says by default."""
        text = self.settings.greeting
        return None if text is None else rendered(text, facts)

    def voicemail(self, facts: Facts) -> str:
        """What it says to an answering machine; "" = nothing."""
        return rendered(self.settings.voicemail, facts)

    def taking_over(self, facts: Facts) -> str:
        """What it says first to a caller who is handed over to it; "" = what the model says."""
        return rendered(self.settings.taking_over, facts)

    @property
    def tools(self) -> frozenset[str] | None:
        """Names of those it may use; None for all."""
        names = self.settings.tools
        return None if names is None else frozenset(names)
