"""What is chosen after training, and must be the same in both formats of the model.

Thresholds and windows are in `voicepipe.json`, which both engines read. The heads whose attention
tells when a word was said are in `config.json` for CTranslate2 and in `generation_config.json` for
transformers. Tuning works on the CTranslate2 folder; its copy, NAME-hf beside it, follows.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

RULES = "voicepipe.json"


def hf_folder(folder: Path) -> Path:
    """Where the Hugging Face form of the CTranslate2 model in `folder` lies."""
    return folder.with_name(f"{folder.name}-hf")


def copy_tuned(folder: Path) -> None:
    """Give the Hugging Face form of the model in `folder` its rules and alignment heads.

    Does nothing where there is no such form, as for a model of somebody else's that is scored.
    """
    other = hf_folder(folder)
    if not other.is_dir():
        return
    if (folder / RULES).exists():
        shutil.copyfile(folder / RULES, other / RULES)
    heads = json.loads((folder / "config.json").read_text())["alignment_heads"]
    path = other / "generation_config.json"
    generation = json.loads(path.read_text())
    generation["alignment_heads"] = heads
    path.write_text(json.dumps(generation, indent=2) + "\n")
