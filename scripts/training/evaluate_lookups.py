"""How well a chat model finds a thing's fact in a prompt: the drills of lookups.py, by their ways.

    python scripts/training/evaluate_lookups.py --model models/builtin/llm

Prompts and questions that no training has drawn (seeds beyond its own), answered greedily, right
where the answer is the drill's to the letter; with 95 % Wilson intervals.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Final

from evaluate_lm import ROOT, ChatModel, share
from lookups import ASKED, lookup_question

_FIRST_SEED: Final = 900_000_000


def main() -> None:
    """Print the share of right answers for each way of asking, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=ROOT / "models" / "builtin" / "llm")
    parser.add_argument("-n", type=int, default=100, help="questions of each way")
    parser.add_argument("--verbose", action="store_true", help="print wrong answers")
    args = parser.parse_args()
    model, all_right = ChatModel.load(args.model), 0
    for way in ASKED:
        right = 0
        for seed in range(_FIRST_SEED, _FIRST_SEED + args.n):
            *asked, wanted = lookup_question(random.Random(seed), way).messages
            told = [{"role": one["role"], "content": one["content"]} for one in asked]
            answer = model.answer(told, None)
            right += answer == wanted["content"]
            if args.verbose and answer != wanted["content"]:
                print(f"{told[0]['content']}\n  {told[-1]['content']!r} -> {answer!r}")
        all_right += right
        print(f"{way:9} {share(right, args.n)}")
    print(f"all       {share(all_right, args.n * len(ASKED))}")


if __name__ == "__main__":
    main()
