"""Who answers one session: an agent, and after a hand-over another. Keeps what the agent means for
the session: its words, its voice, its tools.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from datetime import date

from pydantic import TypeAdapter

from voicepipe.agents.definition import Agent
from voicepipe.agents.hand_over import HAND_OVER, hand_over_tool
from voicepipe.config import BudgetSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.server.keys import KeyHolder
from voicepipe.session.commands import TakeOver, UpdateSession
from voicepipe.session.session import Session
from voicepipe.session.settings import SessionSettings, TurnDetection
from voicepipe.tools.contract import Facts
from voicepipe.tools.toolbox import ToolBox

log = logging.getLogger(__name__)

_TURNS: TypeAdapter[TurnOptions] = TypeAdapter(TurnOptions)

_OF_AGENTS = (
    *("agent", "model", "instructions", "greeting", "expect", "language", "voice"),
    *("temperature", "max_output_tokens", "turns", "budget"),
)
"""Settings of a session that another agent brings along."""


class AgentSession:
    """`agent`: who begins, None for the server as its settings are. `colleagues`: all agents as
    they were then; this session keeps them, whatever is loaded meanwhile. `voices`: what the
    synthesizer has; an agent that names another speaks with the default voice."""

    def __init__(
        self,
        agent: Agent | None,
        colleagues: Mapping[str, Agent],
        known: Mapping[str, str],
        voices: Collection[str] = (),
    ) -> None:
        self.agent = agent
        self._colleagues = dict(colleagues)
        self._voices = voices
        self.holder: KeyHolder | None = None  # of the key that the session was opened with
        self.opening_counted = False  # the key's `sessions_a_minute` has this one already: it rang
        self._known = {"today": date.today().isoformat(), **known}
        self.changed: Callable[[SessionSettings, SessionSettings], None] = lambda now, defaults: (
            None
        )
        """Told of the settings after a hand-over, and what they would be but for the client: a
        protocol keeps its own copy."""

    @property
    def name(self) -> str:
        """Of who answers just now; "" = the server as its settings are."""
        return "" if self.agent is None else self.agent.name

    @property
    def facts(self) -> Facts:
        return dict(self._known) if self.agent is None else self.agent.facts(self._known)

    @property
    def voicemail(self) -> str:
        """What is said to an answering machine; "" = nothing."""
        return "" if self.agent is None else self.agent.voicemail(self.facts)

    @property
    def tool_names(self) -> frozenset[str] | None:
        """Of the process's tools; None for all."""
        return None if self.agent is None else self.agent.tools

    def settings(self, base: SessionSettings) -> SessionSettings:
        """`base`, which a colleague's settings are put upon later, with what the agent has
        otherwise."""
        agent = self.agent
        self._base = base
        if agent is None:
            return base
        said, facts = agent.settings, self.facts
        settings = replace(
            base,
            agent=agent.name,
            model=said.model or base.model,
            instructions=agent.instructions(facts) or base.instructions,
            greeting=agent.greeting(facts),
            expect=said.expect,
            language=said.language or base.language,
            voice=said.voice if said.voice in self._voices else base.voice,
            temperature=base.temperature if said.temperature is None else said.temperature,
            max_output_tokens=said.max_tokens or base.max_output_tokens,
        )
        settings = _with_turns(settings, said.turns)
        if said.budget and settings.budget is not None:
            budget = {**settings.budget.model_dump(), **said.budget}
            settings = replace(settings, budget=BudgetSettings(**budget))
        return settings

    def attach(self, session: Session, tools: ToolBox) -> None:
        """The session is there, set as `settings` said."""
        self._session, self._tools = session, tools
        self._offer()

    def hand_over(self, to: str) -> None:
        """From now on `to` answers, and says the next words."""
        before, former = self.agent, self.settings(self._base)
        self.agent = self._colleagues[to]
        log.info("session %s: %s takes over", self._session.id, to)
        self._tools.facts = self.facts
        self._tools.restrict(self.tool_names)
        self._offer()
        defaults = self.settings(self._base)
        settings = _taken_over(self._session.settings, former, defaults)
        self._session.handle(UpdateSession(settings))
        self.changed(settings, defaults)
        if before is self.agent:
            return
        self._session.handle(TakeOver(self.agent.taking_over(self.facts)))

    def _offer(self) -> None:
        """The tool `hand_over`, with this agent's colleagues in it."""
        targets = () if self.agent is None else self.agent.settings.hand_over
        if targets:
            self._tools.offer(hand_over_tool(targets, self.hand_over))
        else:
            self._tools.withdraw(HAND_OVER)


def _taken_over(
    now: SessionSettings, former: SessionSettings, colleague: SessionSettings
) -> SessionSettings:
    """What is the agents' as the colleague has it; all else as it is, for it is the client's."""
    detection = now.turn_detection
    before, after = former.turn_detection, colleague.turn_detection
    if detection and before and after and detection.threshold == before.threshold:
        detection = replace(detection, threshold=after.threshold)
    taken = {name: getattr(colleague, name) for name in _OF_AGENTS}
    return replace(now, **taken, turn_detection=detection)


def _with_turns(settings: SessionSettings, turns: Mapping[str, object]) -> SessionSettings:
    if not turns or settings.turns is None:
        return settings
    options = _TURNS.validate_python({**asdict(settings.turns), **turns})
    detection = settings.turn_detection
    if detection is not None and "speech_threshold" in turns:
        detection = TurnDetection(threshold=options.speech_threshold)
    return replace(settings, turns=options, turn_detection=detection)
