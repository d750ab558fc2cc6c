"""How words sound, in the phones of the CMU dictionary (ARPAbet without stress).

Names of drinks, streets and products that no dictionary has are made of words that it has
("takeaway"), else read by the rules of English spelling: right often enough to be recognized."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

Pronunciations = Mapping[str, tuple[str, ...]]
"""Phones, separated by spaces, of each way to say a word."""

_MOST_LETTERS = 40
_LEAST_PART = 4  # letters of a word inside a word

#: Letters and their phones, tried in this order at each place; "$" is the word's end.
_RULES: tuple[tuple[str, str], ...] = tuple(
    (letters, phones)
    for letters, _, phones in (
        rule.strip().partition(":")
        for rule in """
        tion:SH AH N; ssion:SH AH N; sion:ZH AH N; ough:AO; augh:AO; eigh:EY; igh:AY; tch:CH;
        sch:SH; dge:JH; ccino:CH IY N OW; cc(?=[eiy]):K S; chr:K R; que$:K; gue$:G; ture$:CH ER;
        kn:N; wr:R; ph:F; gh:G; sh:SH; ch:CH; th:TH; wh:W; ck:K; qu:K W; ng(?=[^aeiou]|$):NG;
        x:K S; ai:EY; ay:EY; au:AO; aw:AO; ea:IY; ee:IY;
        ei:EY; eu:Y UW; ew:UW; ey$:IY; ie:IY; oa:OW; oi:OY;
        oo:UW; ou:AW; ow:OW; oy:OY; ue:UW; ui:UW; ia:IY AH; io:IY OW; ua:W AA; ar:AA R; er:ER;
        ir:ER; or:AO R; ur:ER; le$:AH L; e$:; es$:Z; ed$:D; y$:IY; a$:AH; o$:OW; i$:IY;
        a(?=[^aeiouwxy]e):EY; i(?=[^aeiouwxy]e):AY; o(?=[^aeiouwxy]e):OW; u(?=[^aeiouwxy]e):UW;
        c(?=[eiy]):S; g(?=[eiy]):JH; bb:B; cc:K; dd:D; ff:F; gg:G; ll:L; mm:M; nn:N; pp:P; rr:R;
        ss:S; tt:T; zz:Z; a:AE; b:B; c:K; d:D; e:EH; f:F; g:G; h:HH; i:IH; j:JH; k:K; l:L; m:M; n:N;
        o:AA; p:P; r:R; s:S; t:T; u:AH; v:V; w:W; y:Y; z:Z; ':
        """.replace("\n", " ").split(";")
    )
)
_COMPILED = tuple((re.compile(letters), phones) for letters, phones in _RULES if letters)

_ENDINGS = {"'s": "Z", "s": "Z", "es": "IH Z", "ing": "IH NG", "ed": "D", "er": "ER", "y": "IY"}


def read_dictionary(path: Path) -> dict[str, tuple[str, ...]]:
    """The words of a dictionary file with their pronunciations. Raises OSError."""
    found: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, phones = line.partition(" ")
        word = word.partition("(")[0]
        found[word] = (*found.get(word, ()), phones)
    return found


def pronounce(word: str, known: Pronunciations) -> tuple[str, ...]:
    """How a lower-case word is said; () if nobody could tell (no letters, or far too many)."""
    if word in known:
        return known[word]
    if not re.search("[a-z]", word) or len(word) > _MOST_LETTERS:
        return ()
    return _inflected(word, known) or _compound(word, known) or _plural(word, known)


def _inflected(word: str, known: Pronunciations) -> tuple[str, ...]:
    for ending, phones in _ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem != word and stem in known:
            return tuple(f"{said} {phones}" for said in known[stem])
    return ()


def _compound(word: str, known: Pronunciations) -> tuple[str, ...]:
    for at in range(len(word) - _LEAST_PART, _LEAST_PART - 1, -1):
        first, second = word[:at], word[at:]
        if first in known and second in known:
            return (f"{known[first][0]} {known[second][0]}",)
    return ()


def _plural(word: str, known: Pronunciations) -> tuple[str, ...]:
    """By the rules, and a plural like its singular."""
    stem = word.removesuffix("s")
    if stem in (word, "") or stem.endswith("s"):
        return _by_rules(word)
    hissing = re.search("(s|x|z|ch|sh)e$", stem)
    if hissing:
        stem = stem[:-1]
    return tuple(f"{said} {'IH Z' if hissing else 'Z'}" for said in pronounce(stem, known))


def _by_rules(word: str) -> tuple[str, ...]:
    phones, at = [], 0
    while at < len(word):
        for pattern, sound in _COMPILED:
            if match := pattern.match(word, at):
                phones.append(sound)
                at = match.end()
                break
        else:
            at += 1  # no letter of English
    said = " ".join(" ".join(phones).split())
    return (said,) if said else ()
