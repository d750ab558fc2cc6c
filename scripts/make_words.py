"""Make `models/builtin/words`: what people say in the built-in world, and its language model.

    python scripts/make_words.py                 # 20 s
    python scripts/make_words.py --show 40       # print some of the sentences

`said.dict` is written by hand: how words of the domain sound that the CMU dictionary lacks.
`parts.arpa` is the small model of numbers and single words.
`sentences.txt.gz` is written from our own templates (scripts/training); `model.lm.bin` and
`words.dict` are made of it and of the general English that comes with pocketsphinx (BSD), so that
a server starts at once. An agent with phrases of its own gets a model made at its first start.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "training")]

from spoken_kinds import PARTS, sentences  # noqa: E402

from voicepipe.asr.ngram.arpa import write_arpa  # noqa: E402
from voicepipe.asr.ngram.estimate import estimate  # noqa: E402
from voicepipe.asr.sphinx.language import Mixture, language_files  # noqa: E402
from voicepipe.asr.sphinx.library import load_library  # noqa: E402
from voicepipe.asr.sphinx.pronunciation import read_dictionary  # noqa: E402

OUT = ROOT / "models" / "builtin" / "words"


def write(out: Path) -> None:
    """The whole folder."""
    out.mkdir(parents=True, exist_ok=True)
    texts = sentences()
    raw = "".join(f"{text}\n" for text in texts).encode()
    (out / "sentences.txt.gz").write_bytes(gzip.compress(raw, 9, mtime=0))
    mixture = Mixture()
    with tempfile.TemporaryDirectory() as cache:
        said = read_dictionary(out / "said.dict")
        files = language_files(texts, mixture, load_library(), Path(cache), said)
        shutil.copy(files.model, out / "model.lm.bin")
        shutil.copy(files.dictionary, out / "words.dict")
    write_arpa(estimate(sentences(PARTS)), out / "parts.arpa")
    about = {"domain": mixture.domain, "words": files.words, "sentences": len(texts)}
    (out / "words.json").write_text(json.dumps(about) + "\n")
    print(f"{len(texts)} sentences, {files.words} words: {out}")


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
