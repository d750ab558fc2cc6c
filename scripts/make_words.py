"""Make what `models/builtin/words` knows of what people say in the built-in world.

    python scripts/make_words.py                 # 10 s
    python scripts/make_words.py --show 40       # print some of the sentences

`said.dict` is written by hand: how words of the domain sound that the CMU dictionary lacks.
`sentences.txt.bz2` is written from our own templates (scripts/training), `parts.arpa` is a language
model of numbers and single words alone. The large one is made where the server first starts, of the
sentences and of the general English that comes with pocketsphinx.
"""

from __future__ import annotations

import argparse
import bz2
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "training")]

from spoken_kinds import PARTS, sentences  # noqa: E402

from voicepipe.asr.ngram.arpa import write_arpa  # noqa: E402
from voicepipe.asr.ngram.estimate import estimate  # noqa: E402

OUT = ROOT / "models" / "builtin" / "words"


def write(out: Path) -> None:
    """The whole folder."""
    out.mkdir(parents=True, exist_ok=True)
    texts = sentences()
    raw = "".join(f"{text}\n" for text in sorted(texts)).encode()  # packs to two thirds
    (out / "sentences.txt.bz2").write_bytes(bz2.compress(raw))
    write_arpa(estimate(sentences(PARTS)), out / "parts.arpa")
    print(f"{len(texts)} sentences: {out}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", type=int, help="print so many sentences and write nothing")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    if arguments.show:
        print(*sentences()[: arguments.show], sep="\n")
    else:
        write(arguments.out)


if __name__ == "__main__":
    main()
