"""The header of a GGUF file."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from scripts.stand_in_gguf import write_gguf
from voicepipe.llm.gguf import read_header
from voicepipe.runtime.errors import EngineUnavailable


def test_it_says_what_prompts_need_to_know(tmp_path: Path) -> None:
    write_gguf(tmp_path / "model.gguf")
    header = read_header(tmp_path / "model.gguf")
    assert header.architecture == "llama"
    assert header.context_tokens == 1536
    assert "add_generation_prompt" in header.chat_template
    assert set(header.control_tokens) == {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}
    assert header.special_tokens()["eos_token"] == "<|im_end|>"
    assert header.bos == ("<|endoftext|>", 0)
    assert header.facts["tokenizer.ggml.add_bos_token"] is False


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 60), "a field of"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + b"\xff\0\0\0",
            "unknown kind 255",
        ),
    ],
)
def test_a_broken_one_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(EngineUnavailable, match=why):
        read_header(tmp_path / "model.gguf")


def test_one_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="No such file"):
        read_header(tmp_path / "model.gguf")
