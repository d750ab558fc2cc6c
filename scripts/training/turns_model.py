"""The end-of-turn model: 3.2 s of sound in, the chance that the speaker goes on out.

Sound becomes features inside the network, so that whoever runs it needs no code of ours: a mel
spectrum of 100 to 3,800 Hz, which a telephone has too, and the autocorrelation of each spectrum,
which shows the pitch even where the fundamental is filtered out. Both are made of convolutions.
Then two strides of convolutions and a GRU over 80 ms steps, whose last state is asked.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import nn

RATE = 16_000
SIZE, HOP = 512, 320  # samples of a spectrum, and from one to the next
FRAMES = 160
SAMPLES = SIZE + (FRAMES - 1) * HOP
"""What the model hears: 3.212 s."""

BINS = range(3, 123)  # of 31.25 Hz: 94 to 3,812 Hz
MELS, LAGS = 40, 36
FEATURES = MELS + LAGS + 1
SHORTEST_LAG, LONGEST_LAG = 40, 250  # samples: a pitch of 400 to 64 Hz
RANGE = 5.0  # of log10 power that counts, below the loudest


class Ear(nn.Module):
    """Sound [n, SAMPLES], full scale 1, to features [n, FEATURES, FRAMES] of about -1 to 1."""

    def __init__(self) -> None:
        super().__init__()
        at, window = np.arange(SIZE), np.hanning(SIZE + 1)[:-1]
        angle = 2 * np.pi * np.outer(np.array(BINS), at) / SIZE
        waves = np.concatenate((np.cos(angle), np.sin(angle))) * window
        self.register_buffer("waves", torch.tensor(waves[:, None], dtype=torch.float32))
        self.register_buffer("mels", torch.tensor(_mel_filters(), dtype=torch.float32)[:, :, None])
        self.register_buffer("lags", torch.tensor(_lag_waves(), dtype=torch.float32)[:, :, None])

    def forward(self, sound: torch.Tensor) -> torch.Tensor:
        parts = nn.functional.conv1d(sound[:, None], self.waves, stride=HOP)
        real, imaginary = parts.split(len(BINS), dim=1)
        power = real * real + imaginary * imaginary + 1e-7
        mel = torch.log10(nn.functional.conv1d(power, self.mels))
        loudest = mel.amax(dim=(1, 2), keepdim=True)
        mel = torch.clamp(mel - loudest, min=-RANGE)
        root = torch.sqrt(power)
        pitch = nn.functional.conv1d(root, self.lags) / root.sum(dim=1, keepdim=True)
        level = mel.mean(dim=1, keepdim=True)
        return torch.cat((mel / 2.5 + 1, 2 * pitch, level / 2.5 + 1), dim=1)


class Judge(nn.Module):
    """Features to the logit of "goes on", [n]."""

    def __init__(self, drop: float = 0.25) -> None:
        super().__init__()
        self.first = nn.Conv1d(FEATURES, 96, 5, stride=2, padding=2)
        self.second = nn.Conv1d(96, 96, 3, padding=1)
        self.third = nn.Conv1d(96, 128, 5, stride=2, padding=2)
        self.fourth = nn.Conv1d(128, 128, 3, padding=1)
        self.memory = nn.GRU(128, 128, batch_first=True)
        self.last = nn.Sequential(nn.Linear(256, 64), nn.GELU(), nn.Linear(64, 1))
        self.drop = nn.Dropout(drop)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        gelu = nn.functional.gelu
        x = gelu(self.first(features))
        x = x + gelu(self.second(x))
        x = gelu(self.third(self.drop(x)))
        x = x + gelu(self.fourth(x))
        states, _ = self.memory(self.drop(x.transpose(1, 2)))
        summary = torch.cat((states[:, -1], states[:, -16:].amax(dim=1)), dim=1)
        return self.last(self.drop(summary))[:, 0]


class EndOfTurn(nn.Module):
    """What ships: sound [n, SAMPLES] to the probability that the speaker goes on, [n].

    `bias` and `scale` are fitted after training, so that the probability is one (calibration)."""

    def __init__(self, judge: Judge, bias: float = 0.0, scale: float = 1.0) -> None:
        super().__init__()
        self.ear, self.judge, self.bias, self.scale = Ear(), judge, bias, scale

    def forward(self, sound: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.judge(self.ear(sound)) * self.scale + self.bias)


def _mel_filters() -> np.ndarray:
    """[MELS, BINS]: triangles, equally wide in mel."""

    def mel(hz: float) -> float:
        return 2595 * math.log10(1 + hz / 700)

    edges = 700 * (10 ** (np.linspace(mel(80), mel(3830), MELS + 2) / 2595) - 1)
    hz = np.array(BINS) * RATE / SIZE
    rows = [np.interp(hz, edges[i : i + 3], [0, 1, 0]) for i in range(MELS)]
    for i, row in enumerate(rows):
        if row.sum() < 0.5:  # narrower than a bin: the nearest one
            rows[i] = np.eye(len(BINS))[np.argmin(np.abs(hz - edges[i + 1]))]
    filters = np.array(rows)
    return filters / filters.sum(axis=1, keepdims=True)


def _lag_waves() -> np.ndarray:
    """[LAGS, BINS]: cosines whose sum over a spectrum is its autocorrelation at one lag each."""
    lags = np.geomspace(SHORTEST_LAG, LONGEST_LAG, LAGS)
    return np.cos(2 * np.pi * np.outer(lags, np.array(BINS)) / SIZE)
