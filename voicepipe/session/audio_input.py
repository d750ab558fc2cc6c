"""The audio input: wire audio in, turn commands out, and the recognizer fed on the way. The
recognizer gets the sound as it came, turns are decided on what `TurnDetectionAudio` leaves of it.

This is the path every 20 ms of every call takes, so it is synchronous, makes no task and keeps
nothing it does not need.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from voicepipe.asr.contract import Utterance
from voicepipe.audio.codec import Decoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.effects import Effects
from voicepipe.dialog.states import User
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session.turn_detection_audio import TurnDetectionAudio
from voicepipe.vad.contract import AttentiveDetector, VoiceDetector

RING_MARGIN_MS = 1500
"""Kept beyond the pre-roll: speech that had begun before the machine could be sure of it."""

MIN_COMMIT_MS = 100
"""A client's commit of less is a mistake (and would be heard as nothing)."""

_FED = (User.SPEAKING, User.OVERLAPPING)


class _Heard(NamedTuple):
    """A stretch of the user's line: int16 [n] each, the same time, often the same array."""

    raw: Int16
    cleaned: Int16


class AudioInput:
    """Hears for one session. `detector` None: push-to-talk, no decisions."""

    def __init__(
        self,
        clock: Clock,
        wire: AudioFormat,
        preroll_ms: int,
        detector: VoiceDetector | None,
        dialog: Dialog,
        detection_audio: TurnDetectionAudio,
    ) -> None:
        self._clock = clock
        self._decoder = Decoder(wire, SAMPLE_RATE)
        self._framer = Framer()
        self.detector = detector
        self._attending = False  # the detector listens harder: the agent is audible
        self._dialog, self._detection_audio = dialog, detection_audio
        self._preroll_ms = preroll_ms
        self._ring: deque[_Heard] = deque(maxlen=_ring_frames(preroll_ms))
        self._fed_to_ms = 0  # stream time up to which an utterance has had the audio
        self._began = (0, 0)  # the open utterance's start, and `_fed_to_ms` before it
        self._withheld: list[_Heard] = []  # silence after a eager end: fed if the user goes on
        self._utterance: Utterance | None = None
        self.last_voiced_at = clock.now()  # arrival of the newest frame of speech
        self.last_audio_at = clock.now()
        self.heard_ms = 0.0  # user audio since the session began
        self.utterance_ms = 0.0  # audio in the open utterance
        self._utterance_audio: list[_Heard] = []

    @property
    def manual(self) -> bool:
        return self.detector is None

    def apply_settings(self, wire: AudioFormat, preroll_ms: int) -> None:
        """The session's settings changed; what was heard stays heard."""
        if wire != self._decoder.wire:
            self._decoder = Decoder(wire, SAMPLE_RATE)
        self._preroll_ms = preroll_ms
        self._ring = deque(self._ring, maxlen=_ring_frames(preroll_ms))

    def use(self, detector: VoiceDetector | None) -> None:
        """Another detector, or none. What was heard until now is not just before what comes."""
        self.detector = detector
        self._attending = False  # it has not been told
        self._ring.clear()

    def append(self, data: bytes) -> Iterator[Effects]:
        """Hear wire audio. Carry out what is yielded before taking the next: it may open the
        utterance into which the following frames belong.

        Raises ValueError where `data` is no whole number of samples.
        """
        self.last_audio_at = self._clock.now()
        samples = self._decoder.decode(data)
        self.heard_ms += samples.size * 1000 / SAMPLE_RATE
        if self.detector is None:
            if self._utterance is not None:
                self._feed(_Heard(samples, samples))
            return
        dialog, cleaning = self._dialog, self._detection_audio
        for frame in self._framer.push(samples):
            if self._attending != dialog.listens_for_overlap:
                self._attend(self.detector, not self._attending)
            heard = _Heard(frame, cleaning.hear(frame) if cleaning.cleans else frame)
            probability = self.detector.probability(heard.cleaned)
            effects = dialog.frame(probability)
            if cleaning.cleans:
                cleaning.settle(probability >= dialog.options.pause_threshold)
            if dialog.in_speech:
                self.last_voiced_at = self.last_audio_at
            self._ring.append(heard)
            if self._utterance is not None:
                if dialog.user in _FED:
                    self._feed_withheld()
                    self._feed(heard)
                    self._fed_to_ms = dialog.now_ms
                elif dialog.user is User.PAUSED:
                    self._withheld.append(heard)
            if effects:
                yield effects

    def listen(self, utterance: Utterance, start_ms: int | None = None) -> None:
        """Feed `utterance` from now on, beginning with the pre-roll before `start_ms`."""
        self._utterance = utterance
        self._withheld.clear()
        self.utterance_ms = 0.0
        self._utterance_audio = []
        if start_ms is None:
            return
        self._began = start_ms, self._fed_to_ms
        now_ms = self._dialog.now_ms
        # A user who goes on right after a turn: its audio is not heard a second time.
        from_ms = max(start_ms - self._preroll_ms, self._fed_to_ms)
        frames = list(self._ring)[-max(1, (now_ms - from_ms) // FRAME_MS) :]
        if frames:
            self._feed(_Heard(*(np.concatenate(both) for both in zip(*frames, strict=True))))
            self._fed_to_ms = now_ms

    def stop_listening(self, *, taken: bool = False) -> None:
        """The utterance is complete (`taken`: it becomes an item) or dropped; its silence goes with
        it. One that held nothing sure gives its audio back, unless that is taken: it may be the
        soft beginning of the next one's first word.
        """
        start_ms, fed_before_ms = self._began
        unsure = self._dialog.speech_end_ms <= start_ms and not taken
        if self._utterance is not None and unsure:
            self._fed_to_ms = fed_before_ms
        self._utterance = None
        self._withheld.clear()

    def take_audio(self) -> Int16:
        """What the last utterance was fed, int16 [n], 16 kHz; once."""
        taken, self._utterance_audio = self._utterance_audio, []
        return _joined(heard.raw for heard in taken)

    def newest_audio(self, ms: int) -> Int16:
        """The last `ms` or a little more of the open utterance, with the silence after it that the
        recognizer has not been given, cleaned; int16 [n], 16 kHz."""
        wanted, pieces = ms * SAMPLE_RATE // 1000, deque[Int16]()
        for piece in chain(reversed(self._withheld), reversed(self._utterance_audio)):
            pieces.appendleft(piece.cleaned)
            wanted -= piece.cleaned.size
            if wanted <= 0:
                break
        return _joined(pieces)

    def close(self) -> None:
        """The session ends: nothing that was heard is kept."""
        self.stop_listening()
        self._ring.clear()
        self._utterance_audio = []

    def drain(self) -> None:
        """Push-to-talk: the client committed, nothing more belongs to this utterance."""
        self.stop_listening()
        self._framer.drain()

    def _attend(self, detector: VoiceDetector, on: bool) -> None:
        self._attending = on
        if isinstance(detector, AttentiveDetector):
            detector.attend(on)

    def _feed_withheld(self) -> None:
        if self._withheld:
            for heard in self._withheld:
                self._feed(heard)
            self._withheld.clear()

    def _feed(self, heard: _Heard) -> None:
        if self._utterance is not None:
            self._utterance.feed(heard.raw)
            self._utterance_audio.append(heard)
            self.utterance_ms += heard.raw.size * 1000 / SAMPLE_RATE


def nothing_to_commit(held_ms: float) -> ProtocolError:
    """What a client is told whose commit is one of less."""
    return ProtocolError(
        f"Error committing input audio buffer: buffer too small. Expected at least "
        f"{MIN_COMMIT_MS} ms of audio, but buffer only has {held_ms:.2f} ms of audio.",
        code="input_audio_buffer_commit_empty",
    )


def _joined(pieces: Iterable[Int16]) -> Int16:
    """int16 [n]."""
    return np.concatenate([np.zeros(0, dtype=np.int16), *pieces])


def _ring_frames(preroll_ms: int) -> int:
    return (preroll_ms + RING_MARGIN_MS) // FRAME_MS
