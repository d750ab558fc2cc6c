"""Audio cut to the frame size that a carrier insists on."""

from __future__ import annotations

from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import FRAME_MS


class Slicer:
    """Gives whole frames of the carrier's; what is left over waits for more, or is filled up with
    silence at a reply's end: behind a piece that is no whole number of 20 ms, or at a mark."""

    def __init__(self, fmt: AudioFormat, frame_bytes: int) -> None:
        self.frame_bytes = frame_bytes
        self._piece_bytes = round(FRAME_MS * fmt.bytes_per_ms)
        self._silence = fmt.silence(fmt.ms(frame_bytes))
        self._rest = b""

    def push(self, data: bytes) -> bytes:
        """As much as makes whole frames, perhaps nothing."""
        is_last = len(data) % self._piece_bytes != 0
        data = self._rest + data
        whole = len(data) - len(data) % self.frame_bytes
        self._rest = data[whole:]
        return data[:whole] + self.drain() if is_last else data[:whole]

    def drain(self) -> bytes:
        """The rest, filled up with silence; nothing where there is none."""
        rest, self._rest = self._rest, b""
        return rest + self._silence[len(rest) :] if rest else b""

    def clear(self) -> None:
        """Forget the rest."""
        self._rest = b""
