"""The network of the acoustic model: spectra in, the fit of each phone's states out, causal."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

RATE, HOP, WINDOW, FFT = 16_000, 160, 400, 512
MELS = 64
STACK = 3  # frames that the network takes at once
LATE = 12  # frames: so much of what follows a sound the network has heard when it answers
PHONES = (
    "+NSN+ +SPN+ AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH SIL"
    " T TH UH UW V W Y Z ZH"
).split()
STATES = 3 * len(PHONES)
SILENCE = 3 * PHONES.index("SIL")
UNKNOWN = 255  # a label that counts for nothing
_HANN = torch.hann_window(WINDOW)


def mel_filters(warp: float = 1.0) -> Tensor:
    """Triangles [MELS, 257] from 60 to 7600 Hz; `warp` stretches them, as another throat would."""
    low, high = (1127 * np.log1p(hz / 700) for hz in (60.0, 7600.0))
    edges = 700 * np.expm1(np.linspace(low, high, MELS + 2) / 1127) * warp
    hz = np.arange(FFT // 2 + 1) * RATE / FFT
    left, mid, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    heights = np.minimum((hz - left) / (mid - left), (right - hz) / (right - mid))
    return torch.tensor(np.maximum(heights, 0).astype(np.float32))


def power(sound: Tensor, hop: int = HOP) -> Tensor:
    """[B, T, 257] of sound [B, N] in -1..1. Frame k begins at sample k * hop."""
    frames = sound.unfold(-1, WINDOW, hop) * _HANN
    return torch.fft.rfft(frames, FFT).abs().square()


def log_mel(spectra: Tensor, filters: Tensor) -> Tensor:
    """[B, T, MELS], about -2 to 2."""
    return (torch.log(spectra @ filters.T + 1e-6) + 4) / 4


class Block(nn.Module):
    """Looks at a frame and at two earlier ones, `step` and 2 * `step` before it."""

    def __init__(self, channels: int, inner: int, step: int) -> None:
        super().__init__()
        self.step = step
        self.norm = nn.LayerNorm(channels)
        self.a = nn.Linear(3 * channels, inner)
        self.b = nn.Linear(inner, channels)

    def forward(self, x: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """X [B, T, C], past [B, 2 * step, C]; the result and the next past."""
        h = torch.cat([past, self.norm(x)], 1)
        length, step = x.shape[1], self.step
        seen = torch.cat([h[:, :length], h[:, step : step + length], h[:, 2 * step :]], -1)
        return x + self.b(functional.relu(self.a(seen))), h[:, length:]


class AcousticNet(nn.Module):
    """2.8 M parameters; it hears 2 s back."""

    def __init__(
        self,
        channels: int = 256,
        inner: int = 256,
        steps: tuple[int, ...] = (1, 1, 2, 2, 3, 3, 4, 4, 6, 6),
    ) -> None:
        super().__init__()
        self.channels, self.steps = channels, steps
        self.inp = nn.Linear(STACK * MELS, channels)
        self.blocks = nn.ModuleList(Block(channels, inner, step) for step in steps)
        self.norm = nn.LayerNorm(channels)
        self.out = nn.Linear(channels, STACK * STATES)

    def begin(self, batch: int) -> Tensor:
        """The past of before any sound."""
        return torch.zeros(batch, 2 * sum(self.steps), self.channels)

    def forward(self, features: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """Features [B, T, MELS], T a multiple of STACK; logits [B, T, STATES], of the frames LATE
        before, and the next past."""
        batch = features.shape[0]
        x = self.inp(features.reshape(batch, -1, STACK * MELS))
        kept, at = [], 0
        for block in self.blocks:
            x, left = block(x, past[:, at : at + 2 * block.step].to(x.dtype))
            kept.append(left)
            at += 2 * block.step
        logits = self.out(functional.relu(self.norm(x)))
        return logits.reshape(batch, -1, STATES), torch.cat(kept, 1)
