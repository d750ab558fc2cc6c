"""The recognizer's network: Whisper's shape and Hugging Face's parameter names."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from asr_tokenizer import LETTERS, SPECIALS, TIMESTAMPS
from sound import RATE
from torch import Tensor, nn
from torch.nn import functional

HOP, N_FFT, MELS = 160, 400, 80


@dataclass(frozen=True)
class Shape:
    """The sizes of the network; `window_s` is the longest window it can be given."""

    d_model: int = 256
    heads: int = 4
    encoder_layers: int = 4
    encoder_ffn: int = 1024
    decoder_layers: int = 2
    decoder_ffn: int = 768
    text_tokens: int = 512
    window_s: int = 8
    target_positions: int = 448  # what faster-whisper takes for granted

    @property
    def vocabulary(self) -> int:
        return self.text_tokens + len(SPECIALS) + TIMESTAMPS

    @property
    def frames(self) -> int:
        """Mel frames (10 ms) of the longest window."""
        return self.window_s * RATE // HOP


class Attention(nn.Module):
    """Whisper's multi-head attention, in plain matrix products.

    torch's fused attention took three times as long for these sizes in bf16 on a Zen 4 core.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.k_proj = nn.Linear(shape.d_model, shape.d_model, bias=False)
        self.v_proj = nn.Linear(shape.d_model, shape.d_model)
        self.q_proj = nn.Linear(shape.d_model, shape.d_model)
        self.out_proj = nn.Linear(shape.d_model, shape.d_model)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        per_head = x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        return per_head.reshape(batch * self.heads, length, width // self.heads)

    def forward(
        self, x: Tensor, source: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        """`x` [B, T, d] attends to `source` [B, S, d] (itself by default); `mask` is added."""
        source = x if source is None else source
        batch, length, width = x.shape
        queries = self._split(self.q_proj(x) * (width // self.heads) ** -0.5)
        keys = self._split(self.k_proj(source)).transpose(1, 2).contiguous()
        scores = torch.bmm(queries, keys)
        if mask is not None:
            scores = scores + mask
        mixed = torch.bmm(scores.softmax(-1), self._split(self.v_proj(source)))
        mixed = mixed.view(batch, self.heads, length, -1).transpose(1, 2)
        return self.out_proj(mixed.reshape(batch, length, width))  # type: ignore[no-any-return]


class EncoderLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn = Attention(shape)
        self.self_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.fc1 = nn.Linear(shape.d_model, shape.encoder_ffn)
        self.fc2 = nn.Linear(shape.encoder_ffn, shape.d_model)
        self.final_layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.self_attn(self.self_attn_layer_norm(x))
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x))))  # type: ignore[no-any-return]


class DecoderLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn = Attention(shape)
        self.self_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.encoder_attn = Attention(shape)
        self.encoder_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.fc1 = nn.Linear(shape.d_model, shape.decoder_ffn)
        self.fc2 = nn.Linear(shape.decoder_ffn, shape.d_model)
        self.final_layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, x: Tensor, audio: Tensor, mask: Tensor) -> Tensor:
        x = x + self.self_attn(self.self_attn_layer_norm(x), mask=mask)
        x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), audio)
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x))))  # type: ignore[no-any-return]


def sinusoids(length: int, channels: int) -> Tensor:
    """Whisper's fixed encoder positions [length, channels]."""
    step = math.log(10_000) / (channels // 2 - 1)
    scaled = torch.arange(length)[:, None] * torch.exp(-step * torch.arange(channels // 2))[None]
    return torch.cat([scaled.sin(), scaled.cos()], dim=1)


class Encoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, shape.d_model, 3, padding=1)
        self.conv2 = nn.Conv1d(shape.d_model, shape.d_model, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(shape.frames // 2, shape.d_model)
        self.embed_positions.weight.data = sinusoids(shape.frames // 2, shape.d_model)
        self.embed_positions.weight.requires_grad = False
        self.layers = nn.ModuleList(EncoderLayer(shape) for _ in range(shape.encoder_layers))
        self.layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, mel: Tensor) -> Tensor:
        """`mel` [B, 80, T] with any T up to the window gives [B, ceil(T / 2), d]."""
        x = functional.gelu(self.conv2(functional.gelu(self.conv1(mel)))).transpose(1, 2)
        x = x + self.embed_positions.weight[: x.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.layer_norm(x)  # type: ignore[no-any-return]


class Decoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.d_model)
        self.embed_positions = nn.Embedding(shape.target_positions, shape.d_model)
        nn.init.normal_(self.embed_tokens.weight, std=0.02)
        nn.init.normal_(self.embed_positions.weight, std=0.01)
        self.layers = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        self.layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, tokens: Tensor, audio: Tensor) -> Tensor:
        """Logits [B, T, text + specials + 1]; the last one stands for every timestamp token."""
        length = tokens.shape[1]
        x = self.embed_tokens(tokens) + self.embed_positions.weight[:length]
        mask = torch.full((length, length), -1e9, dtype=x.dtype).triu(1)
        for layer in self.layers:
            x = layer(x, audio, mask)
        # Timestamps are never trained: one shared row for all of them keeps the softmax honest
        # (1,501 rows of random logits would leak into the probability of "no speech").
        used = self.embed_tokens.weight.shape[0] - TIMESTAMPS + 1
        return (self.layer_norm(x) @ self.embed_tokens.weight[:used].T).float()


class Body(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.encoder = Encoder(shape)
        self.decoder = Decoder(shape)


class TinyWhisper(nn.Module):
    """`model` holds what is exported; `ctc` is the training-only letter head."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.model = Body(shape)
        self.ctc = nn.Linear(shape.d_model, len(LETTERS) + 1)
