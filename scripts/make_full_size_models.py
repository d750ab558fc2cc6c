"""Writes models of the true sizes, as a mirror to pull them from.

    python -m scripts.make_full_size_models OUT [MODEL ...]

MODEL is a name of the registry; without any, all of the profile `cpu`. For figures on a machine
that cannot reach the hub: time depends on a model's shape, not on what it has learnt. OUT/mirror is
a models folder for `--mirror`, OUT/registry.toml the registry with the sizes and checksums of these
files. A minute or two for each; gigabytes, never to be committed.

    Whisper  hears what the built-in recognizer hears (tiny.en and turbo: noise)
    GGUF     says what the built-in language model says, in the same format and mix of bits
    Piper    random weights: a murmur of the true architecture
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from scripts import full_size_gguf, full_size_whisper
from scripts.make_piper_voice import LOW_RATE, SAMPLE_RATE, SIZES, write_voice
from scripts.make_stand_in_models import as_toml, with_true_checksums
from voicepipe.models.registry import Model, Registry, load_registry

WHISPER = {
    "whisper-tiny.en": "tiny.en",
    "whisper-base.en": "base.en",
    "whisper-small.en": "small.en",
    "whisper-large-v3-turbo": "large-v3-turbo",
}
GGUF = {
    "gemma-3-270m-it-q8_0": ("0.27b", "q8_0"),
    "smollm2-360m-instruct-q8_0": ("0.36b", "q8_0"),
    "qwen2.5-0.5b-instruct-q4_0": ("0.5b", "q4_0"),
    "qwen2.5-0.5b-instruct-q4_k_m": ("0.5b", "q4_k_m"),
    "qwen2.5-1.5b-instruct-q4_k_m": ("1.5b", "q4_k_m"),
}
"""Registry's name to shape and mix; `--gguf SHAPE-MIX` makes any other, up to 7b."""


def make_full_size(out: Path, names: Sequence[str]) -> Registry:
    """Write OUT/mirror/NAME for each and OUT/registry.toml; the registry that was written. What was
    made there before stays in it. Raises ValueError for a model whose size is not known here.
    """
    registry = load_registry()
    for name in names:
        _make(registry.get(name), out / "mirror" / name)
        print(f"{name}: {_size_mb(out / 'mirror' / name):,.0f} MB", flush=True)
    models = [_true(model, out / "mirror" / model.name) for model in registry.models.values()]
    (out / "registry.toml").write_text("\n".join(map(as_toml, models)), "utf-8")
    return load_registry(out / "registry.toml")


def _make(model: Model, folder: Path) -> None:
    if model.name in WHISPER:
        full_size_whisper.write_full_size(folder, full_size_whisper.SHAPES[WHISPER[model.name]])
        kept = {file.name for file in model.files}
        for extra in (path for path in folder.iterdir() if path.name not in kept):
            extra.unlink()
    elif model.name in GGUF:
        shape, mix = GGUF[model.name]
        full_size_gguf.write_full_size(folder / model.entry, full_size_gguf.SHAPES[shape], mix)
    elif model.kind == "tts":
        quality = model.name.rpartition("-")[2]
        rate = LOW_RATE if quality == "low" else SAMPLE_RATE
        write_voice(folder / model.entry, size=SIZES[quality], rate=rate)
    else:
        raise ValueError(f"the size of {model.name} is not known here")


def _true(model: Model, folder: Path) -> Model:
    return with_true_checksums(model, folder) if folder.is_dir() else model


def _size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder for the mirror and the registry")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--gguf", action="append", default=[], metavar="SHAPE-MIX")
    args = parser.parse_args()
    for one in args.gguf:
        shape, _, mix = one.partition("-")
        path = args.out / f"{one}.gguf"
        full_size_gguf.write_full_size(path, full_size_gguf.SHAPES[shape], mix)
        print(f"{path}: {path.stat().st_size / 1e6:,.0f} MB")
    if args.models or not args.gguf:
        cpu = [model.name for model in load_registry().select("cpu")]
        make_full_size(args.out, args.models or cpu)


if __name__ == "__main__":
    main()
