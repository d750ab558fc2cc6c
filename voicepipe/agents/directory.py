"""All agents, and which of them answers a call."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from voicepipe.agents.definition import Agent
from voicepipe.agents.variables import unknown_in
from voicepipe.config.agents import AgentSettings
from voicepipe.runtime.errors import ConfigError, VoicepipeError


class UnknownAgent(VoicepipeError):
    """Somebody asked for an agent that there is not."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call says of the agent it wants; the first that says anything decides."""

    path: str = ""  # /agents/NAME/...
    query: str = ""  # ?agent=NAME
    key: str = ""  # that of the caller's key
    called: str = ""  # the telephone number that was called


class AgentDirectory:
    """`load` replaces all of them at once; calls that have begun keep theirs."""

    def __init__(self, settings: Mapping[str, AgentSettings], default: str = "") -> None:
        """Raises ConfigError that lists everything wrong."""
        self._agents: dict[str, Agent] = {}
        self._by_number: dict[str, Agent] = {}
        self._default = ""
        self.load(settings, default)

    def load(self, settings: Mapping[str, AgentSettings], default: str = "") -> None:
        """Raises ConfigError that lists everything wrong; then the former ones stay."""
        problems = [*_problems(settings), *_default_problem(settings, default)]
        if problems:
            raise ConfigError("\n".join(problems))
        self._agents = {name: Agent(name, one) for name, one in settings.items()}
        self._by_number = {
            digits(number): agent
            for agent in self._agents.values()
            for number in agent.settings.numbers
        }
        self._default = default

    @property
    def all(self) -> Mapping[str, Agent]:
        """By name, as they are now; a later `load` changes nothing in it."""
        return self._agents

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of the settings."""
        return tuple(self._agents)

    def get(self, name: str) -> Agent:
        """Raises UnknownAgent that names the nearest."""
        agent = self._agents.get(name)
        if agent is None:
            near = difflib.get_close_matches(name, self._agents, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UnknownAgent(f"there is no agent {name[:64]!r}{hint}")
        return agent

    def choose(self, asked: Asked) -> Agent | None:
        """Who answers; None: nobody in particular, the server as its settings are.

        Raises UnknownAgent for a name that there is not. A number is only as good as who says it:
        one that no agent has goes on to the default.
        """
        name = asked.path or asked.query or asked.key
        if name:
            return self.get(name)
        by_number = self._by_number.get(digits(asked.called)) if asked.called else None
        return by_number or self._agents.get(self._default)


def digits(number: str) -> str:
    """A telephone number, however it is written: "+1 (555) 0100", "+49 (0)30 123456" and
    "sip:15550100@host"."""
    user = number.removeprefix("sip:").removeprefix("tel:").partition("@")[0].partition(";")[0]
    dialled = re.sub(r"(?<=\d)\s*\(0\)", "", user)  # from abroad
    return re.sub(r"\D", "", dialled).removeprefix("00")


def _problems(agents: Mapping[str, AgentSettings]) -> list[str]:
    problems: list[str] = []
    owners: dict[str, str] = {}
    for name, agent in agents.items():
        where = f"agents.{name}"
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            problems.append(f"{where}: a name has up to 64 letters, digits, _ and -")
        for setting in ("instructions", "greeting", "taking_over", "voicemail"):
            text = getattr(agent, setting) or ""
            wrong = unknown_in(text, agent.variables)
            problems += [f"{where}.{setting}: {one}" for one in wrong]
        problems += [
            f"{where}.hand_over: there is no agent {other!r}"
            for other in agent.hand_over
            if other not in agents
        ]
        for number in agent.numbers:
            owner = owners.setdefault(digits(number), name)
            if not digits(number):
                problems.append(f"{where}.numbers: {number!r} is no telephone number")
            elif owner != name:
                problems.append(f"{where}.numbers: {number} is {owner}'s already")
    return problems


def _default_problem(agents: Mapping[str, AgentSettings], default: str) -> list[str]:
    if default and default not in agents:
        return [f"server.agent: there is no agent {default!r}"]
    return []
