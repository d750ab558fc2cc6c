"""The named instants of a turn. Kept in whole microseconds so that differences add up exactly."""

from __future__ import annotations

from typing import Literal, get_args

MarkName = Literal[
    "speech_end",  # arrival of the user's last voiced frame (typed turns: of the request)
    "eager_end",  # the silence after which the reply was prepared
    "endpoint",  # the decision that the user's turn is over
    "asr_final",  # the transcript the reply is made from
    "llm_request",  # handed to the language model
    "llm_first_token",  # its first token, text or tool call
    "first_clause",  # the first clause handed to synthesis
    "tts_first_audio",  # its first chunk of audio
    "audio_out",  # first sample of the answer handed to the transport
    "filler_out",  # first sample of a filler: never counted as the answer
    "backchannel_out",  # first sample of an "uh-huh" while they paused: no answer either
    "heard",  # first sample played, as the client reports it
    "reply_end",  # the reply was generated to its end, or cut off
]
MARK_NAMES: tuple[str, ...] = get_args(MarkName)


class Marks:
    """The first time each mark was set; later settings are ignored, so a stage may mark freely."""

    __slots__ = ("_at_us",)

    def __init__(self) -> None:
        self._at_us: dict[MarkName, int] = {}

    def set(self, name: MarkName, at_s: float) -> None:
        """Mark `name` at monotonic time `at_s` (seconds)."""
        self._at_us.setdefault(name, round(at_s * 1_000_000))

    def move(self, name: MarkName, at_s: float) -> None:
        """Mark again: the thing happened anew (the user went on and ended a second time)."""
        self._at_us[name] = round(at_s * 1_000_000)

    def get(self, name: MarkName) -> int | None:
        """Microseconds of monotonic time, None if it did not happen."""
        return self._at_us.get(name)

    def update(self, other: Marks) -> None:
        """Take over the marks of a reply that was prepared apart; what is set here stays."""
        for name, at_us in other._at_us.items():
            self._at_us.setdefault(name, at_us)

    def as_dict(self) -> dict[MarkName, int]:
        return dict(self._at_us)
