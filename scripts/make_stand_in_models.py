"""Writes a stand-in for every model that a profile names, as a mirror to pull them from.

    python -m scripts.make_stand_in_models OUT [PROFILE ...] [--voice-size tiny|medium]

For tests and for trying a profile where the real weights cannot be had. OUT/mirror is a models
folder for `voicepipe models pull PROFILE --mirror`. OUT/registry.toml is the registry with the
sizes and checksums of these files in place of the true ones; a checkout takes them that has it as
models/registry.toml. Each has the files and the format of what it stands for:

    Whisper        the built-in recognizer with 30 s of positions; hears its small domain
    GGUF           the built-in language model in llama.cpp's format
    safetensors    the built-in language model in Hugging Face's format, BF16
    Piper          a voice of the true architecture with random weights: a murmur
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scripts.make_piper_voice import SIZES, write_voice
from scripts.stand_in_gguf import write_gguf
from scripts.stand_in_whisper import write_stock_whisper
from scripts.vits_graph import TINY
from scripts.vits_nodes import Size
from voicepipe.models.registry import Model, ModelFile, Registry, load_registry, packaged_models_dir

PROFILES = ("cpu", "gpu")
POSITIONS = 32_768  # that a checkpoint claims, so that no setting of a profile is too long for it


def make_stand_ins(
    out: Path, profiles: Sequence[str] = PROFILES, voice_size: Size = TINY
) -> Registry:
    """Write OUT/mirror and OUT/registry.toml; the registry that was written.

    Raises ValueError for a model that has no stand-in, or whose stand-in lacks one of its files.
    """
    models = []
    for model in load_registry().models.values():
        if model.packaged or not set(profiles) & set(model.profiles):
            models.append(model)
            continue
        folder = out / "mirror" / model.name
        with tempfile.TemporaryDirectory() as made:
            _maker(model, voice_size)(Path(made))
            _lay_out(model, Path(made), folder)
        models.append(with_true_checksums(model, folder))
    (out / "registry.toml").write_text("\n".join(map(as_toml, models)), "utf-8")
    return load_registry(out / "registry.toml")


def _maker(model: Model, voice_size: Size) -> Callable[[Path], None]:
    builtin = packaged_models_dir() / "builtin"
    names = [file.name for file in model.files]
    if model.kind == "asr":
        return lambda made: write_stock_whisper(made, builtin / "asr")
    if model.kind == "tts" and model.entry.endswith(".onnx"):
        return lambda made: write_voice(made / model.entry, size=voice_size)
    if model.entry.endswith(".gguf"):
        return lambda made: write_gguf(made / model.entry)
    if model.kind == "llm" and "*.safetensors" in names:
        return lambda made: _write_checkpoint(made, builtin / "llm-hf")
    raise ValueError(f"there is no stand-in for {model.name}")


def _write_checkpoint(made: Path, source: Path) -> None:
    """The whole directory for longer prompts, and the tokenizer's tables as files of their own."""
    shutil.copytree(source, made, dirs_exist_ok=True)
    tables = json.loads((source / "tokenizer.json").read_text("utf-8"))["model"]
    (made / "vocab.json").write_text(json.dumps(tables["vocab"]), "utf-8")
    (made / "merges.txt").write_text("".join(f"{a} {b}\n" for a, b in tables["merges"]), "utf-8")
    config = json.loads((source / "config.json").read_text("utf-8"))
    config["max_position_embeddings"] = POSITIONS
    (made / "config.json").write_text(json.dumps(config, indent=2), "utf-8")


def _lay_out(model: Model, made: Path, folder: Path) -> None:
    """Move what the registry names to `folder`; what it does not would not be pulled either."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in model.files:
        found = [path for path in made.iterdir() if fnmatch.fnmatchcase(path.name, file.name)]
        if not found:
            raise ValueError(f"the stand-in for {model.name} has no {file.name}")
        for path in found:
            shutil.move(str(path), folder / path.name)


def with_true_checksums(model: Model, folder: Path) -> Model:
    """The entry with the sizes and checksums of the files in `folder`; patterns stay patterns."""
    files = tuple(
        file if file.is_pattern else _with_checksum(file, folder / file.name)
        for file in model.files
    )
    size = sum(path.stat().st_size for path in folder.iterdir())
    changes = {
        "files": files,
        "about": f"stand-in for: {model.about}",
        "about_mb": -(-size // 10**6),
    }
    return model.model_copy(update=changes)


def _with_checksum(file: ModelFile, path: Path) -> ModelFile:
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return file.model_copy(update={"size": len(data), "sha256": digest})


def as_toml(model: Model) -> str:
    """The entry as it stands in a registry."""
    fields = model.model_dump(exclude_defaults=True, exclude={"files"})
    lines = ["[[model]]", *(f"{key} = {_toml(value)}" for key, value in fields.items())]
    if model.files:
        rows = [file.model_dump(by_alias=True, exclude_defaults=True) for file in model.files]
        lines += ["files = [", *(f"    {_toml(row)}," for row in rows), "]"]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)  # texts, numbers and true are alike in both


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder for the mirror and the registry")
    parser.add_argument("profiles", nargs="*", default=PROFILES, metavar="PROFILE")
    parser.add_argument("--voice-size", choices=SIZES, default="tiny")
    args = parser.parse_args()
    unknown = set(args.profiles) - set(PROFILES)
    if unknown:
        parser.error(f"no such profile: {', '.join(sorted(unknown))}; there are cpu and gpu")
    make_stand_ins(args.out, args.profiles, SIZES[args.voice_size])
    for path in sorted((args.out / "mirror").rglob("*")):
        if path.is_file():
            print(f"{path.relative_to(args.out)}: {path.stat().st_size} bytes")
    print(f"registry: {args.out / 'registry.toml'}")


if __name__ == "__main__":
    main()
