"""The audio formats a wire may carry, and their byte arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Encoding = Literal["pcm16", "pcmu", "pcma"]


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """How samples look on a wire: mono, little-endian s16 or G.711 at `rate` Hz."""

    encoding: Encoding
    rate: int
    bytes_per_sample: int = field(init=False)
    bytes_per_ms: float = field(init=False)  # plain fields: asked for with every message

    def __post_init__(self) -> None:
        size = 2 if self.encoding == "pcm16" else 1
        object.__setattr__(self, "bytes_per_sample", size)
        object.__setattr__(self, "bytes_per_ms", self.rate * size / 1000.0)

    def ms(self, size: int) -> float:
        """Milliseconds of sound in `size` bytes."""
        return size / self.bytes_per_ms

    def silence(self, ms: float) -> bytes:
        """`ms` of silence, in whole samples."""
        quiet = {"pcm16": b"\x00\x00", "pcmu": b"\xff", "pcma": b"\xd5"}[self.encoding]
        return quiet * round(ms * self.rate / 1000)


PCM_24K = AudioFormat("pcm16", 24_000)
PCM_16K = AudioFormat("pcm16", 16_000)
PCM_8K = AudioFormat("pcm16", 8_000)
PCMU_8K = AudioFormat("pcmu", 8_000)
PCMA_8K = AudioFormat("pcma", 8_000)
