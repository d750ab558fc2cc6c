"""Stand-ins for the profiles' models: of the right form, and honest about what they cannot be made
from. That engines take them is shown in tests/e2e/test_profile_cpu.py and tests/vllm_cpu."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import numpy as np
import pytest

from scripts.make_stand_in_models import as_toml, make_stand_ins
from scripts.stand_in_gguf import gguf
from scripts.stand_in_whisper import (
    FORMAT_VERSION,
    STOCK_POSITIONS,
    sine_positions,
    with_stock_positions,
)
from voicepipe.models.registry import load_registry, packaged_models_dir

BUILTIN = packaged_models_dir() / "builtin"


def test_every_model_of_the_profiles_has_one_with_its_files(tmp_path: Path) -> None:
    registry = make_stand_ins(tmp_path)
    real = load_registry().models
    assert registry.models.keys() == real.keys()
    made = {path.name for path in (tmp_path / "mirror").iterdir()}
    assert made == {name for name, m in real.items() if {"cpu", "gpu"} & set(m.profiles)}
    for name in made:
        model = registry.get(name)
        assert model.model_copy(update={"files": (), "about": "", "about_mb": 0}) == real[
            name
        ].model_copy(update={"files": (), "about": "", "about_mb": 0})
        assert [file.path for file in model.files] == [file.path for file in real[name].files]
        assert model.about.startswith("stand-in for: ")
        for file in model.files:
            if file.is_pattern:
                assert list((tmp_path / "mirror" / name).glob(file.path))
                continue
            data = (tmp_path / "mirror" / name / file.name).read_bytes()
            assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_the_shipped_registry_survives_being_written(tmp_path: Path) -> None:
    registry = load_registry()
    path = tmp_path / "registry.toml"
    path.write_text("\n".join(map(as_toml, registry.models.values())))
    assert load_registry(path).models == registry.models


def test_whisper_gets_positions_and_nothing_else_changes() -> None:
    before = (BUILTIN / "asr" / "model.bin").read_bytes()
    after = with_stock_positions(before)
    width = 256
    assert len(after) - len(before) == (STOCK_POSITIONS - 400) * width * 4
    assert with_stock_positions(after) == after, "it has them now"
    waves = sine_positions(2, 4)
    assert np.allclose(waves, [[0, 0, 1, 1], [np.sin(1), np.sin(1e-4), np.cos(1), np.cos(1e-4)]])


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="version 5"):
        with_stock_positions(struct.pack("<I", FORMAT_VERSION - 1))
    model = (BUILTIN / "asr" / "model.bin").read_bytes()
    name = b"encoder/position_encodings/encodings\0"
    at = model.index(name) + len(name) + struct.calcsize("<BIIBI")
    learnt = model[:at] + struct.pack("<f", 0.5) + model[at + 4 :]
    with pytest.raises(ValueError, match="not the sine waves"):
        with_stock_positions(learnt)


def test_gguf_puts_tensors_where_it_says() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    vector = np.array([0.5, -1.0], np.float32)
    data = gguf({"a": "x", "b": [1, 2]}, {"m": matrix, "v": vector})
    assert data[:4] == b"GGUF"
    assert struct.unpack_from("<IQQ", data, 4) == (3, 2, 2)
    assert len(data) % 32 == 8, "the last tensor is not padded"
    body = len(data) - 32 - 8
    assert body % 32 == 0
    assert np.array_equal(np.frombuffer(data, "<f2", 6, body), matrix.ravel())
    assert np.array_equal(np.frombuffer(data, "<f4", 2, body + 32), vector)
