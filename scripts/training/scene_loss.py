"""How well a chat model foretells scenes: nats a token of what the assistant says and calls.

    python scripts/training/scene_loss.py --model models/builtin/llm-hf FILE...

On scenes that it was not taught this is a judge of the model that needs no patterns: 0.6 to 2 nats
where scenes that it knows take 0.03. ``--model`` is an exported (-hf) folder; ``--state`` the
``state.pt`` of a training that goes on, whose mean weights are taken instead of the folder's.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import torch
from dialogues import Dialogue
from lm_batches import IGNORED, encode
from lm_model import loss_of
from scene_form import read_scenes
from scenes import told
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM


def nats(model: LlamaForCausalLM, tokenizer: Tokenizer, path: Path, tellings: int) -> float:
    """Mean loss a token over the file's scenes, each told ``tellings`` times."""
    total, count = 0.0, 0
    for scene in read_scenes(path.read_text()):
        for seed in range(tellings):
            talk = told(scene, random.Random(seed))
            ids, labels = encode(tokenizer, Dialogue(tuple(talk.messages), talk.tools))
            learnt = sum(label != IGNORED for label in labels[1:])
            with torch.no_grad():
                total += float(loss_of(model, torch.tensor([ids]), torch.tensor([labels]))) * learnt
            count += learnt
    return total / count


def main() -> None:
    """Print the loss on each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--tellings", type=int, default=1)
    parser.add_argument("files", type=Path, nargs="+")
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = LlamaForCausalLM.from_pretrained(args.model, dtype=torch.float32)
    if args.state:
        mean = torch.load(args.state, weights_only=True)["mean"]
        model.load_state_dict(mean, strict=False)  # the head is the embedding
    tokenizer = Tokenizer.from_file(str(args.model / "tokenizer.json"))
    for path in args.files:
        print(f"{path.name}: {nats(model, tokenizer, path, args.tellings):.3f} nats a token")


if __name__ == "__main__":
    main()
