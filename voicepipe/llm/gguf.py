"""What a GGUF file says of itself: its header, read without its weights.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from voicepipe.runtime.errors import EngineUnavailable

MAGIC = b"GGUF"
VERSIONS = (2, 3)
CONTROL = 3
"""Kind of a token that no text may contain: ends of turn and the like."""

_SCALARS = dict(enumerate("BbHhIif?")) | dict(enumerate("Qqd", start=10))
"""Kinds of values to how `struct` names them."""

_STRING, _ARRAY = 8, 9
_MAX_TEXT = 64 * 1024 * 1024  # bytes; a longer one is no header but rubbish


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """`facts`: all keys as they stand in the file."""

    path: Path
    facts: Mapping[str, Any]

    @property
    def architecture(self) -> str:
        return str(self.facts.get("general.architecture", ""))

    @property
    def context_tokens(self) -> int:
        """What the model was trained for; 0 where the file does not say."""
        return int(self.facts.get(f"{self.architecture}.context_length", 0))

    @property
    def chat_template(self) -> str:
        """Its jinja source; "" where there is none."""
        return str(self.facts.get("tokenizer.chat_template", ""))

    @property
    def control_tokens(self) -> tuple[str, ...]:
        kinds = self.facts.get("tokenizer.ggml.token_type", ())
        return tuple(self._tokens[n] for n, kind in enumerate(kinds) if kind == CONTROL)

    @property
    def bos(self) -> tuple[str, int] | None:
        """The token a text begins with, and its number."""
        text = self._token("bos")
        return (text, self.facts["tokenizer.ggml.bos_token_id"]) if text else None

    def special_tokens(self) -> dict[str, str]:
        """As chat templates call them: "bos_token" and so on."""
        names = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
        found = {f"{name}_token": self._token(key) for name, key in names.items()}
        return {name: token for name, token in found.items() if token}

    def _token(self, key: str) -> str:
        number = self.facts.get(f"tokenizer.ggml.{key}_token_id")
        tokens = self._tokens
        return tokens[number] if isinstance(number, int) and number < len(tokens) else ""

    @property
    def _tokens(self) -> list[str]:
        tokens: list[str] = self.facts.get("tokenizer.ggml.tokens", [])
        return tokens


def read_header(path: Path) -> GgufHeader:
    """Raises EngineUnavailable for a file that is missing, cut off or of another format."""
    try:
        with path.open("rb") as file:
            return GgufHeader(path, _facts(file))
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise _unusable(path, str(error)) from error


def _unusable(path: Path, why: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"{path} is not a usable GGUF file: {why}. Set llm.model to one, or get one with "
        "`voicepipe models pull cpu`.",
        stage="llm",
    )


def _facts(file: BinaryIO) -> dict[str, Any]:
    if file.read(4) != MAGIC:
        raise ValueError("it does not begin with GGUF")
    version, _, count = _unpack(file, "<IQQ")
    if version not in VERSIONS:
        raise ValueError(f"version {version} is not one of {VERSIONS}")
    return {_text(file): _value(file, *_unpack(file, "<I")) for _ in range(count)}


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        return _array(file)
    if kind not in _SCALARS:
        raise ValueError(f"a value of unknown kind {kind}")
    return _unpack(file, "<" + _SCALARS[kind])[0]


def _array(file: BinaryIO) -> list[Any]:
    kind, count = _unpack(file, "<IQ")
    if kind in _SCALARS:
        form = "<" + _SCALARS[kind]
        data = _exactly(file, count * struct.calcsize(form))
        return [value for (value,) in struct.iter_unpack(form, data)]
    return [_value(file, kind) for _ in range(count)]


def _text(file: BinaryIO) -> str:
    (size,) = _unpack(file, "<Q")
    return _exactly(file, size).decode("utf-8", errors="replace")


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, _exactly(file, struct.calcsize(form)))


def _exactly(file: BinaryIO, size: int) -> bytes:
    if size > _MAX_TEXT:
        raise ValueError(f"a field of {size} bytes")
    data = file.read(size)
    if len(data) < size:
        raise ValueError("it ends in the middle of its header")
    return data
