"""Do the tables know where a sentence cannot end? Asked of other people's grammar.

    python scripts/bench_turn_ends.py TREEBANK.conllu ... [--words 25] [--show CODE] [--json FILE]

Reads treebanks of Universal Dependencies (universaldependencies.org; a file's name begins with its
language's code). Of sentences of at most `--words` words each beginning is judged after which the
sentence's own tree says that more must come, without any marks, since they would tell:

- `behind a word that leads on`: a preposition, article, conjunction or auxiliary whose own word was
  not said yet. Here callers hesitate, and here a table is to wait.
- `before the predicate`: another word, and the predicate was not said yet. No list of words can
  know them all ("the mayor of London").
- `whole`: sentences that end in a full stop, question or exclamation mark, judged without it.

Waiting is any verdict but COMPLETE. Treebanks are mostly written news: callers speak more plainly.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from voicepipe.languages.finished import finished
from voicepipe.languages.known import LANGUAGES
from voicepipe.languages.language import Language, Verdict

LEADS_ON = frozenset("case det mark cc aux cop".split())
"""Relations of words that are said for the sake of another one."""

ENDS = frozenset(".!?।。！？؟…")


@dataclass(frozen=True, slots=True)
class Word:
    """A line of CoNLL-U; `head` is 0 for the predicate."""

    number: int
    form: str
    tag: str
    head: int
    relation: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """`pieces`: what is written, with the number of its last word: "im" is two words."""

    words: dict[int, Word]
    pieces: tuple[tuple[str, int], ...]
    ends: bool  # in a full stop, question or exclamation mark


@dataclass(slots=True)
class Count:
    """Right and wrong verdicts, by kind of place; `wrong`: the last words of the wrong ones."""

    right: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def take(self, kind: str, last: str, *, right: bool) -> None:
        """One verdict."""
        self.asked[kind] += 1
        self.right[kind] += right
        if not right:
            self.wrong[f"{kind}: {last.lower()}"] += 1

    def share(self, kind: str) -> str:
        """In percent, and of how many."""
        asked = self.asked[kind]
        return f"{self.right[kind] / asked * 100:.1f} of {asked:,}" if asked else "none"


def sentences(path: Path) -> Iterator[Sentence]:
    """Of a CoNLL-U file; punctuation is left out."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        words, pieces, ends, covered = dict[int, Word](), list[tuple[str, int]](), False, 0
        for line in block.splitlines():
            cells = line.split("\t")
            if len(cells) < 8 or not cells[0].replace("-", "").isdigit():
                continue
            if "-" in cells[0]:
                covered = int(cells[0].split("-")[1])
                pieces.append((cells[1], covered))
                continue
            head = int(cells[6]) if cells[6].isdigit() else 0
            word = Word(int(cells[0]), cells[1], cells[3], head, cells[7].split(":")[0])
            if word.tag == "PUNCT":
                ends = word.form in ENDS
                continue
            words[word.number], ends = word, False
            if word.number > covered:
                pieces.append((word.form, word.number))
        if words:
            yield Sentence(words, tuple(pieces), ends)


def unfinished(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Behind which pieces more must come, by index, and of which kind; the first word is left out:
    alone it may be an answer."""
    predicate = min((one.number for one in sentence.words.values() if one.head == 0), default=0)
    for at, (_, last) in enumerate(sentence.pieces[:-1]):
        word = sentence.words.get(last)
        if word is None or not at:
            continue
        if word.relation in LEADS_ON and word.head > last:
            yield at, "word"
        elif last < predicate:
            yield at, "predicate"


def judge(path: Path, most_words: int) -> tuple[Language, Count]:
    """All that is counted in one treebank."""
    language, count = LANGUAGES[path.name[:2]], Count()
    space = " " if language.spaced else ""
    for sentence in sentences(path):
        texts = [piece for piece, _ in sentence.pieces]
        if not 3 <= len(texts) <= most_words:
            continue
        for at, kind in unfinished(sentence):
            verdict = finished(space.join(texts[: at + 1]), language)
            count.take(kind, texts[at], right=verdict is not Verdict.COMPLETE)
        if sentence.ends:
            verdict = finished(space.join(texts), language)
            count.take("whole", texts[-1], right=verdict is Verdict.COMPLETE)
    return language, count


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+", type=Path, metavar="TREEBANK.conllu")
    parser.add_argument("--words", type=int, default=25, help="of a sentence, at most")
    parser.add_argument("--show", default="", metavar="CODE", help="the last words judged wrongly")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    table = Table("treebank", box=box.SIMPLE, title="judged rightly, %")
    for title in ("behind a word that leads on", "before the predicate", "whole"):
        table.add_column(title, justify="right")
    figures = {}
    for path in arguments.treebanks:
        language, count = judge(path, arguments.words)
        name = f"{language.name} {path.stem[3:].removesuffix('-test').removesuffix('-ud')}"
        table.add_row(name, *(count.share(kind) for kind in ("word", "predicate", "whole")))
        figures[path.stem] = {"right": dict(count.right), "asked": dict(count.asked)}
        if language.code == arguments.show:
            print("\n".join(f"{times} {word}" for word, times in count.wrong.most_common(200)))
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
