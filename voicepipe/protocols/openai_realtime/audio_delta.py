"""`response.output_audio.delta`, fifty times a second and session: its JSON is put together from
parts that are made once per content part, and the audio is touched once, by base64."""

from __future__ import annotations

import binascii
from collections.abc import Callable

from voicepipe.protocols.json_fields import wire
from voicepipe.protocols.openai_realtime.server_events import ids
from voicepipe.session.events import AudioDelta, PartRef


class AudioDeltas:
    """Renders the deltas of one connection. `type_name`: the event's name in its dialect."""

    def __init__(self, type_name: str, new_id: Callable[[str], str]) -> None:
        self._type_name = type_name
        self._new_id = new_id
        self._ref: PartRef | None = None
        self._head = ""

    def rename(self, type_name: str) -> None:
        """The dialect changed."""
        self._type_name = type_name
        self._ref = None

    def render(self, event: AudioDelta) -> str:
        """The whole text frame."""
        ref = event.ref
        if ref is not self._ref and ref != self._ref:
            head = wire.dump({"type": self._type_name, **ids(ref)})
            self._head = f'{head[:-1]},"event_id":"'
            self._ref = ref
        audio = binascii.b2a_base64(event.audio, newline=False).decode("ascii")
        return f'{self._head}{self._new_id("event")}","delta":"{audio}"}}'
