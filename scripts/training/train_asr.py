"""Train the built-in recognizer: a small Whisper on the corpus of ``speech.py``, on CPU cores.

The network has Whisper's shape and Hugging Face's parameter names, so that the stock converters
take it, but its encoder runs on windows of any length: CTranslate2 does the same when serving, and
a 2 s utterance then costs a quarter of an 8 s one. Recipe:

* loss: cross-entropy of the decoder plus character CTC on the encoder's output (its head is thrown
  away). CTC finds the sounds in a few hundred steps; attention alone took 2,000 to find the audio.
* bf16 weights and activations with float32 master weights, AdamW, and an average of the weights
  (EMA), which is what is scored and exported.
* data-parallel processes of one thread each, which meet once a step. One process of two threads
  meets at each of some 500 operations, and took twice as long on a machine with other work.
* the schedule is in wall time: warm-up, a plateau, linear decay to the end of the budget.
* augmentation happens in the spectrogram (noise, tilt, telephone band) where it costs little.

Commands::

    python scripts/training/train_asr.py train --minutes 75
    python scripts/training/train_asr.py train --minutes 75 --resume   # after a crash
    python scripts/training/train_asr.py export                        # models/builtin/asr
"""

from __future__ import annotations

import argparse
import tempfile

import torch
import torch.multiprocessing
from asr_export import export
from asr_trainer import train
from corpus import CACHE, ROOT


def main() -> None:
    parser = argparse.ArgumentParser(description="Train and export the built-in recognizer.")
    parser.add_argument("command", choices=("train", "export"))
    parser.add_argument("--minutes", type=float, default=75, help="wall time of the training")
    parser.add_argument("--folder", default=str(CACHE.parent / "asr-run"))
    parser.add_argument("--out", default=str(ROOT / "models" / "builtin" / "asr"))
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--peak", type=float, default=1.2e-3, help="highest learning rate")
    parser.add_argument("--hold", type=float, default=0.4, help="share of time before the decay")
    parser.add_argument("--budget", type=int, default=14_000, help="mel frames in a batch")
    parser.add_argument("--short-share", type=float, default=0.08, help="share of short-only time")
    parser.add_argument("--score-minutes", type=float, default=4.0)
    parser.add_argument("--processes", type=int, default=2, help="of one thread each")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    parser.add_argument("--second", action="store_true", help="a new schedule from its weights")
    options = parser.parse_args()
    if options.command == "export":
        export(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            train, args=(options, f"file://{folder}/meet"), nprocs=options.processes
        )


if __name__ == "__main__":
    main()
