"""Writes a Piper voice of the true architecture with random weights: it murmurs, it says nothing.

    python -m scripts.make_piper_voice OUT.onnx [--size tiny|low|medium|high] [--speakers N]

For tests, figures and machines without a real voice: piper-tts phonemizes for it, onnxruntime runs
it, and a `medium` one (63 MB) takes as long as a real medium voice. See `vits_graph.py`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import onnx

from scripts.vits_graph import HIGH, HOP, MEDIUM, TINY, build
from scripts.vits_nodes import Size

SAMPLE_RATE = 22_050
SEED = 20_251_120
LOW_RATE = 16_000  # of Piper's low voices, which are as large as the medium ones
SIZES = {"tiny": TINY, "low": MEDIUM, "medium": MEDIUM, "high": HIGH}

# Pad, start, end; then what espeak writes for English, punctuation as Piper keeps it.
SYMBOLS = (
    "_^$ " + "!'(),-.:;?" + "abcdefhijklmnopqrstuvwxyz" + "æçðøŋœɐɑɒɔɕəɚɛɜɝɡɪɫɹɾʃʊʌʒʔˈˌːˑθᵻβ" + "̩̃"
)
TABLE = 256  # rows of the embedding; Piper's voices have more symbols than a language uses


def make_config(speakers: int = 1, rate: int = SAMPLE_RATE) -> dict[str, object]:
    """The .onnx.json beside it."""
    names = [f"speaker{n}" for n in range(speakers)] if speakers > 1 else []
    return {
        "audio": {"sample_rate": rate},
        "espeak": {"voice": "en-us"},
        "phoneme_type": "espeak",
        "num_symbols": TABLE,
        "num_speakers": speakers,
        "speaker_id_map": {name: number for number, name in enumerate(names)},
        "inference": {"noise_scale": 0.667, "length_scale": 1.0, "noise_w": 0.8},
        "phoneme_id_map": {symbol: [number] for number, symbol in enumerate(SYMBOLS)},
        "hop_length": HOP,
    }


def write_voice(path: Path, speakers: int = 1, size: Size = TINY, rate: int = SAMPLE_RATE) -> None:
    """Write `path` (.onnx) and `path`.json."""
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(build(size, TABLE, speakers, SEED), str(path))
    config = json.dumps(make_config(speakers, rate), indent=1, ensure_ascii=False)
    path.with_name(path.name + ".json").write_text(config, encoding="utf-8")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the .onnx file to write")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--speakers", type=int, default=1)
    args = parser.parse_args()
    rate = LOW_RATE if args.size == "low" else SAMPLE_RATE
    write_voice(args.out, args.speakers, SIZES[args.size], rate)
    print(f"{args.out}: {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
