"""What the parts of one session share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.clock import Clock
from voicepipe.config import BudgetSettings, Settings
from voicepipe.conversation.history import Conversation
from voicepipe.latency.log import TurnLog
from voicepipe.latency.speculation import SpeculationCounts
from voicepipe.session.engines import Engines
from voicepipe.session.events import SessionEvent
from voicepipe.session.leg import Leg
from voicepipe.session.settings import SessionSettings
from voicepipe.session.tasks import Tasks
from voicepipe.session.tools import ServerTools
from voicepipe.turns.options import TurnOptions


@dataclass(slots=True)
class Context:
    """One per session; only `settings` is ever replaced."""

    session_id: str
    conversation_id: str
    config: Settings
    settings: SessionSettings
    engines: Engines
    clock: Clock
    conversation: Conversation
    turn_log: TurnLog
    tasks: Tasks
    tools: ServerTools
    emit: Callable[[SessionEvent], None]
    speculation: SpeculationCounts
    leg: Leg | None  # where the server drives the playback; None: the client plays by itself

    @property
    def turns(self) -> TurnOptions:
        """Turn options in effect, before what the client says of turn detection."""
        return self.settings.turns or self.config.turns

    @property
    def budget(self) -> BudgetSettings:
        """Budgets in effect."""
        return self.settings.budget or self.config.budget
