"""What the parts of one session share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from voicepipe.config import BudgetSettings, Settings
from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import Item, MessageItem
from voicepipe.conversation.summary import Summary
from voicepipe.dialog.options import TurnOptions
from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.ledger.log import TurnLog
from voicepipe.ledger.preemption import PreemptionCounts
from voicepipe.ledger.records import NetworkName
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.session.audio_output import PlaybackClock
from voicepipe.session.engines import Engines
from voicepipe.session.events import ItemDeleted, SessionEvent
from voicepipe.session.foreseen import ForeseenAnswers
from voicepipe.session.language import SessionLanguage
from voicepipe.session.playout_sink import PlayoutSink
from voicepipe.session.settings import SessionSettings
from voicepipe.session.tasks import Tasks
from voicepipe.session.turn import Turn
from voicepipe.session.turn_detection_audio import TurnDetectionAudio
from voicepipe.tools.toolbox import ToolBox


@dataclass(slots=True)
class Network:
    """The way between user and server, as last reported; None: nobody has."""

    round_trip_ms: float | None = None
    playout_ms: float | None = None

    def segments_us(self) -> dict[NetworkName, int]:
        """For the ledger."""
        found: dict[NetworkName, int] = {}
        if self.round_trip_ms is not None:
            found["up"] = found["down"] = round(self.round_trip_ms * 500)
        if self.playout_ms is not None:
            found["playout"] = round(self.playout_ms * 1000)
        return found


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
    tools: ToolBox
    emit: Callable[[SessionEvent], None]
    preemption: PreemptionCounts
    anticipation: AnticipationCounts
    answers: ForeseenAnswers  # the language model's, some of them before they were asked for
    network: Network
    playback: PlaybackClock  # what a client that plays by itself must have heard
    language: SessionLanguage
    transcribing: dict[str, Turn]  # by item: said and committed, not yet written down
    detection_audio: TurnDetectionAudio
    sink: PlayoutSink | None  # where the server drives the playback; None: the client does
    summary: Summary | None = None  # of what has left the prompt
    approved: set[asyncio.Task[None]] = field(default_factory=set)  # calls that the client has
    # approved, and that run

    @property
    def turns(self) -> TurnOptions:
        """Turn options in effect, before what the client says of turn detection."""
        return self.settings.turns or self.config.turns

    @property
    def budget(self) -> BudgetSettings:
        """Budgets in effect."""
        return self.settings.budget or self.config.budget

    @property
    def summary_text(self) -> str:
        """Nothing where nothing is summed up, or where the client has deleted that: then what it
        covered is in the prompt again, as far as it fits."""
        if self.summary is None or self.summary.item_id not in self.conversation:
            self.summary = None
            return ""
        item = self.conversation.get(self.summary.item_id)
        return item.text if isinstance(item, MessageItem) else ""

    async def earlier_transcripts(self, turn: Turn) -> None:
        """Wait until what was said in other turns is written down: of two quick commits the first
        belongs into the prompt of the second. One that fails is left out."""
        for earlier in list(self.transcribing.values()):
            if earlier is not turn and earlier.item_id in self.conversation:
                with suppress(EngineError):
                    await earlier.transcript()

    async def approved_calls(self) -> None:
        """Wait for those that run: a client asks for the answer as soon as it has approved them,
        and each has its deadline."""
        if self.approved:
            await asyncio.wait(list(self.approved))

    def append(self, item: Item) -> str | None:
        """Add what was said at the conversation's end, where the oldest makes room for it: a call
        that lasts must not fall silent. Returns the id of the item before. Raises LimitExceeded
        for what is too long for any conversation, which displaces nothing."""
        if item.chars <= self.config.limits.max_conversation_chars:
            for item_id in self.conversation.make_room(item.chars):
                self.emit(ItemDeleted(item_id))
        return self.conversation.insert(item)
