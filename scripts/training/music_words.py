"""Music of any kind that somebody may want to hear, and how it is asked for."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from dialogue_values import draw_value, invented_name, proper
from domain import choose_branches
from open_words import open_word
from slots import phrases

_COMPOSERS: Final = phrases(
    "bach, mozart, beethoven, vivaldi, chopin, haydn, handel, schubert, brahms, verdi, debussy, satie, mahler, dvorak, liszt"
)
_HOW: Final = phrases(
    "quiet, cheerful, soft, loud, slow, sad, happy, old, calm, fast, gentle, relaxing, funky, romantic, upbeat, sleepy, irish,"
    "spanish, indian, french, african, brazilian, greek, live, modern, medieval, smooth, dark, light, lively, mellow, festive, instrumental"
)
_SOUNDS: Final = phrases(
    "white noise, rain sounds, whale songs, sea sounds, bird song, a podcast, an audiobook,"
    "a lullaby, nursery rhymes, eighties music, nineties hits, sixties music, the charts, the morning playlist, the greatest hits, the party playlist,"
    "the workout playlist, ambient, lo fi, grunge, metal, punk, trance, gospel, bossa nova, samba, flamenco, bluegrass, ska, classical,"
    "baroque, a waltz, a symphony, a string quartet, cello music, trumpet music, accordion music, songs to sing along to, dinner music"
)
#: Nothing in particular.
SOME_MUSIC: Final = "some music"
_ANYTHING: Final = (
    "[[put|stick|get|have|pop|bang] [some|a bit of|a little|the] music on|put on [some|a bit of|a little] music|play [some|a little|a bit of|any] [music|tunes]|play [something|anything|something nice|me something|us a tune]|"
    "[some|a bit of|a little] music|let's have [some|a bit of] music|music on|start [the|some] music|give us [a tune|some music|a song]|play me a song|turn [the|some] music on|a song please|stick [a tune|some tunes] on]"
)
#: For the names of those who play.
_ARTIST: Final = (
    "[play|put on|stick on|stick on a bit of|bang on a bit of|throw on|a bit of|some|give us a bit of|let's hear|i want to hear|i'd love some|play us some|put on a bit of|let me hear|i fancy a bit of|can we have|play me|play some songs of|i want|get me] {m} [there|||||for me|please|then]|"
    "[put|stick|get|bang|whack] [some|a bit of|] {m} on [there||||for us|will you]"
)
_PLAY: Final = (
    "[play|play|play some|put on|put on some|stick on some|give me some|throw on some|let's have some|let's hear some|play me some|could we hear some|"
    "i fancy some|i'm in the mood for some|how about some|a bit of|some|i want to hear some|i'd like some|start|i could do with some|blast some|"
    "time for some|can we have some|can we have a little|i want|switch on some|let's listen to some|get some|i feel like some|find me some] {m} [on|||||||]"
)


def _artist(rng: random.Random) -> str:
    """Somebody who sings or plays: ``the Otters``, ``Fela Marchetti``, ``A C D C``."""
    pick = rng.random()
    if pick < 0.35:
        word = proper(open_word(rng) if rng.random() < 0.7 else invented_name(rng))
        return f"the {word if word.endswith('s') else word + 's'}"
    first = invented_name(rng) if rng.random() < 0.4 else draw_value("name", rng, False).say
    last = invented_name(rng) if rng.random() < 0.5 else draw_value("surname", rng, False).say
    if pick < 0.85:
        return proper(f"{first} {last}".lower())
    return proper(f"{open_word(rng)} {open_word(rng)}" if pick < 0.93 else first.lower())


def draw_music(rng: random.Random) -> str:
    """What is to be played, as it is said: ``jazz``, ``Bach``, ``the otter song``."""
    if rng.random() < 0.07:
        return SOME_MUSIC
    if rng.random() < 0.16:
        return _artist(rng)
    pick = rng.random()
    if pick < 0.35:
        return draw_value("genre", rng, False).say
    if pick < 0.5:
        return rng.choice(_SOUNDS)
    if pick < 0.65:
        how = rng.choice(_HOW) if rng.random() < 0.7 else open_word(rng)
        what = rng.choice(
            ("music", "songs", "piano music", "folk", draw_value("genre", rng, False).say)
        )
        return f"{how} {what}"
    if pick < 0.73:
        return f"something {rng.choice(_HOW) if rng.random() < 0.7 else open_word(rng)}"
    if pick < 0.8:
        return proper(rng.choice(_COMPOSERS))
    if pick < 0.86:
        name = proper(
            invented_name(rng) if rng.random() < 0.4 else draw_value("name", rng, False).say
        )
        return f"{rng.choice(('something', 'music', 'songs', 'the new album'))} by {name}"
    if pick < 0.94:
        return f"{rng.choice(('the', 'the', 'that'))} {open_word(rng)} {rng.choice(('song', 'song', 'album', 'playlist', 'tune'))}"
    return f"{open_word(rng)} {rng.choice(('music', 'rock', 'jazz', 'pop', 'beats', 'sounds'))}"


def as_said(rng: random.Random, music: str) -> str:
    """A caller's words for it: small letters, now and then with a stop in the middle."""
    text = music.lower()
    if rng.random() < 0.12:
        first, _, rest = text.partition(" ")
        hum = rng.choice(("um", "uh", "er", "like", "you know", f"{first} um {first}"))
        text = (
            f"{first} {hum} {rest}"
            if rest and first in ("the", "some", "that")
            else f"{hum} {text}"
        )
    return text


def play_wish(rng: random.Random, music: str) -> str:
    """``put on some jazz``."""
    if music == SOME_MUSIC:
        return choose_branches(_ANYTHING, rng)
    text = as_said(rng, music)
    if rng.random() < 0.1:
        wait = choose_branches(
            "[no|hmm no|no wait|no sorry|er no|actually|or no|no not that|i mean|no i mean|sorry i mean]",
            rng,
        )
        first = draw_music(rng)
        if first not in (SOME_MUSIC, music):
            text = f"{as_said(rng, first)} {wait} {text}"
    if music[0].isupper() or (music.startswith("the ") and music[4].isupper()):
        return choose_branches(f"[{_ARTIST}]", rng).replace("{m}", text)
    shape = (
        _PLAY.replace(" some|", "|").replace("|some|", "|")
        if text.split()[0] in _ALONE or music[0].isupper()
        else _PLAY
    )
    return choose_branches(shape, rng).replace("{m}", text).replace(" some some ", " some ")


_ALONE: Final = frozenset("the that a an my something radio songs".split())
