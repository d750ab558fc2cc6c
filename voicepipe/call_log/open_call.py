"""One call while it lasts, as its transport tells of it. Belongs to the event loop; it never
waits."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from voicepipe.call_log.commits import note_lost
from voicepipe.call_log.contract import CallInfo, Counts, WallClock
from voicepipe.call_log.events import CallEvent, Subscriptions, subscribers
from voicepipe.call_log.recorder import Begin, End, SoundJob
from voicepipe.call_log.recording import Cut, Heard, Sound
from voicepipe.call_log.rows import Row, storable
from voicepipe.call_log.texts import ToolText, TurnTexts
from voicepipe.call_log.writer import CallWriter
from voicepipe.config.webhooks import WebhookEvent
from voicepipe.ledger.records import TurnRecord
from voicepipe.privacy.redactor import Redactor
from voicepipe.runtime.clock import Clock

BATCH_S = 1.0
"""Sound is handed to the writer so often; a crash costs so much of it."""

BATCH_BYTES = 256 * 1024
"""Or as soon as it is this much: an answer may be given to the client all at once."""

MAX_PARTY_CHARS = 256
"""Of who calls whom: an index of PostgreSQL's holds some 2,700 bytes, sealed ones included."""

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class LogContext:
    """What all calls of a log share."""

    writer: CallWriter | None  # None: calls are not kept
    clock: Clock
    now: WallClock
    counts: Counts
    server_id: str
    profile: str
    version: str
    store_text: bool
    redact: Redactor | None
    record_audio: bool
    webhooks: Subscriptions
    forget: Callable[[OpenCall], None]


class OpenCall:
    """Made by `CallLog.begin`. `texts`: where the words of its turns are."""

    def __init__(self, context: LogContext, info: CallInfo, texts: TurnTexts | None) -> None:
        self._context, self.info, self.texts = context, info, texts
        self.id = f"call_{secrets.token_hex(12)}" if context.writer is not None else ""
        self._kept = False
        self._ended = False
        self._turns = 0
        self._lost_turns = 0
        self._lost_sound_s = 0.0
        self._began_at: float | None = None  # of the recording
        self._sound = Sound()
        self._batch_at = 0.0
        if context.writer is not None:
            event = self._event("call.answered") if info.answered else None
            self._kept = context.writer.row(Row("call", self.id, self._columns(), event))

    @property
    def recording(self) -> bool:
        """Sound is being kept now."""
        return self._began_at is not None

    def consented(self) -> None:
        """From now on sound is kept, if the settings want it."""
        writer = self._context.writer
        wanted = self._context.record_audio and self.info.sound and self._kept and not self._ended
        if writer is None or not wanted or self._began_at is not None:
            return
        today = self._context.now()
        begin = Begin(
            f"{today:%Y-%m-%d}/{self.id}.wav",
            (self.info.input_format, self.info.output_format),
            today,
        )
        if writer.sound(SoundJob(self.id, begin)):
            self._began_at = self._batch_at = self._context.clock.now()

    def heard_from_caller(self, audio: bytes, at_s: float) -> None:
        """Wire bytes, whole samples of `info.input_format`, that arrived at `at_s`."""
        if self._began_at is not None and audio:
            self._sound.caller.append(Heard(at_s - self._began_at, audio))
            self._grown(len(audio))

    def played_to_caller(self, audio: bytes, at_s: float) -> None:
        """Wire bytes of `info.output_format`; they are heard from `at_s` on, or right behind what
        was given before if that still plays."""
        if self._began_at is not None and audio:
            self._sound.agent.append(Heard(at_s - self._began_at, audio))
            self._grown(len(audio))

    def flushed(self, at_s: float) -> None:
        """What the caller had not heard at `at_s` was never heard."""
        if self._began_at is not None:
            self._sound.agent.append(Cut(at_s - self._began_at))

    def turn(
        self,
        record: TurnRecord,
        user_text: str,
        agent_text: str,
        tool_calls: Sequence[ToolText] = (),
    ) -> bool:
        """Keep a finished turn. False: it cannot be, which is logged and counted."""
        writer = self._context.writer
        if writer is None:
            return True
        self._turns += 1
        texts = self._context.store_text
        row = Row(
            "turn",
            self.id,
            {
                "number": self._turns,
                "turn_id": record.turn_id,
                "recorded_at": self._context.now(),
                "end": record.end,
                "voice_to_voice_us": record.voice_to_voice_us,
                "waited_us": record.waited_us,
                "user_text": storable(user_text) if texts else None,
                "agent_text": storable(agent_text) if texts else None,
                "tool_calls": [_stored(call) for call in tool_calls] if texts else [],
                "ledger": record.as_dict(),
            },
            self._event("turn.completed", self._turns),
            self._context.redact,
        )
        if not self._kept or self._ended:
            why = "its call has ended" if self._ended else "its call could not be written either"
            note_lost([row], self._context.counts, why)
        elif writer.row(row):
            return True
        self._lost_turns += 1
        return False

    def end(self, reason: str) -> None:
        """The call is over; `reason` is for people. Only the first counts."""
        writer = self._context.writer
        if self._ended:
            return
        end_s = self._context.clock.now()
        if self._began_at is not None and writer is not None:
            self._hand_over()
            writer.sound(SoundJob(self.id, End(end_s - self._began_at, self._lost_sound_s)))
            self._began_at = None
        self._ended = True
        self._context.forget(self)
        if writer is not None and self._kept:
            values: dict[str, object] = {
                "ended_at": self._context.now(),
                "end_reason": storable(reason),
            }
            values["lost_turns"] = self._lost_turns
            writer.row(Row("end", self.id, values, self._event("call.ended")))

    def _event(self, kind: WebhookEvent, number: int = 0) -> CallEvent | None:
        """For the webhooks that want to know; None: there is none."""
        context = self._context
        webhooks = subscribers(context.webhooks, kind)
        if not webhooks:
            return None
        return CallEvent(
            kind,
            self.id,
            webhooks,
            context.server_id,
            context.now(),
            number,
            traceparent=self.info.traceparent
            if _TRACEPARENT.fullmatch(self.info.traceparent)
            else "",
        )

    def _columns(self) -> dict[str, object]:
        info, context = self.info, self._context
        return {
            "server_id": context.server_id,
            "session_id": info.session_id,
            "transport": info.transport,
            "live_id": info.live_id,
            "agent": info.agent,
            "carrier_call_id": storable(info.carrier_call_id),
            "caller": storable(info.caller[:MAX_PARTY_CHARS]),
            "called": storable(info.called[:MAX_PARTY_CHARS]),
            "key_name": storable(info.key),
            "started_at": context.now(),
            "answered": info.answered,
            "profile": context.profile,
            "version": context.version,
        }

    def _grown(self, size: int) -> None:
        self._sound.size += size
        now = self._context.clock.now()
        if now - self._batch_at >= BATCH_S or self._sound.size >= BATCH_BYTES:
            self._hand_over()

    def _hand_over(self) -> None:
        sound, self._sound = self._sound, Sound()
        self._batch_at = self._context.clock.now()
        assert self._context.writer is not None
        if not (sound.caller or sound.agent):
            return
        if not self._context.writer.sound(SoundJob(self.id, sound)):
            lost_s = sound.longest_s(self.info.input_format, self.info.output_format)
            self._lost_sound_s += lost_s
            self._context.counts.add(lost_sound_s=lost_s)


def _stored(call: ToolText) -> dict[str, str]:
    return {name: storable(text) for name, text in asdict(call).items()}
