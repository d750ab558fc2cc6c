"""The sounds of any language in the phones of English: for each sign of the International Phonetic
Alphabet the nearest of the 39 phones of the CMU dictionary, or two in turn. Pure.

Tone, stress, length and the second half of a doubled consonant have no counterpart and are dropped:
words that differ in nothing else are told apart by the sentence around them only."""

from __future__ import annotations

import re
import unicodedata

_TABLE = """
    p P; b B; t T; d D; k K; g G; ɡ G; q K; c CH; ɟ JH; ʈ T; ɖ D; ɗ D; ɓ B
    m M; n N; ɲ N Y; ŋ NG; ɳ N; ɴ N
    f F; v V; ʋ V; β V; ɸ F; θ TH; ð DH; s S; z Z; ʃ SH; ʒ ZH; ɕ SH; ʑ ZH; ʂ SH; ʐ R
    ç HH; x HH; χ HH; ħ HH; h HH; ɦ HH; ɣ G; ʁ R; ʕ AA; ʔ
    tʃ CH; tɕ CH; tʂ CH; dʒ JH; dʑ JH; dʐ JH; ts T S; dz D Z
    l L; ɫ L; ɭ L; ʎ L Y; r R; ɾ R; ɽ R; ɹ R; j Y; ʝ Y; w W; ɥ Y W
    i IY; y UW; ɨ IH; ᵻ IH; ɯ UH; u UW; ɪ IH; ʏ UH; ʊ UH
    e EY; ø ER; ɘ AH; ɵ AH; ɤ AH; o OW; ə AH; ɚ ER; ɝ ER; ɛ EH; œ ER; ɜ ER; ʌ AH; ɔ AO
    æ AE; a AA; ɐ AH; ɑ AA; ɒ AA
    aɪ AY; ai AY; aj AY; ɑɪ AY; aʊ AW; au AW; ɑu AW; ɑʊ AW; ʌʊ AW; œy AW; eɪ EY; ei EY; ɛɪ EY; ɛi EY
    eʊ EH UH; eu EH UH; ɛʊ EH UH; oʊ OW; ou OW; əʊ OW; ɔɪ OY; ɔø OY; ɔy OY; ɔi OY; oɪ OY; oi OY
    ɔːɹ AO R; oːɹ AO R; ɑːɹ AA R; ɛɹ EH R; ɪɹ IH R; ʊɹ UH R; ʊɐ UH R; iə IY AH; ja Y AA; ju Y UW
"""
_PHONES = {
    entry.split()[0]: tuple(entry.split()[1:])
    for line in _TABLE.strip().splitlines()
    for entry in line.split(";")
}
_LONGEST = max(map(len, _PHONES))
_NASAL = "\N{COMBINING TILDE}"
_FOREIGN_WORD = re.compile(r"\([a-z-]+\)")  # espeak-ng's sign for a word read by another voice
_SYLLABLE_TONE = "ɜ"  # how espeak-ng writes the third tone


def nearest_phones(ipa: str, *, tonal: bool = False) -> str:
    """The phones of one word, separated by spaces; "" of a word without a sound that is known.
    `tonal`: the language is one in which espeak-ng writes tones."""
    rest = unicodedata.normalize("NFC", _FOREIGN_WORD.sub("", ipa))
    if tonal:
        rest = rest.replace(_SYLLABLE_TONE, "")
    phones: list[str] = []
    for sound in _sounds(_known_signs(rest)):
        phones += [phone for phone in sound if phones[-1:] != [phone]]
    return " ".join(phones)


def _known_signs(ipa: str) -> str:
    """Without the marks on signs, but for the nasal one."""
    signs = "".join(sign if sign in _PHONES else unicodedata.normalize("NFD", sign) for sign in ipa)
    return "".join(sign for sign in signs if sign in _PHONES or sign in (_NASAL, "ː"))


def _sounds(signs: str) -> list[tuple[str, ...]]:
    found, at = list[tuple[str, ...]](), 0
    while at < len(signs):
        for length in range(_LONGEST, 0, -1):
            sign = signs[at : at + length]
            if sign in _PHONES:
                found.append(_PHONES[sign])
                break
        else:
            length = 1
            if signs[at] == _NASAL:
                found.append(("N",))
        at += length
    return found
