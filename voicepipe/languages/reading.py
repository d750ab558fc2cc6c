"""Amounts of money as they are said: "$5" is "5 dollars", "5 €" in Polish "5 euro". Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from voicepipe.languages.language import Language

MILLION = 1_000_000
"""Any scale takes the form of a large number: "5 milionów dolarów"."""

_VOWELS = "aeiouhyéèêàâîô"


def amounts(language: Language) -> Iterator[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]:
    """Patterns for an amount with its sign before or behind it, and how each match is said."""
    read = language.reading
    if not read.currencies:
        return
    signs = "|".join(map(_sign, sorted(read.currencies, key=len, reverse=True)))
    group = r"[\u00a0\u202f ]" if read.group in "\u00a0\u202f" else re.escape(read.group)
    number = rf"\d{{1,3}}(?:{group}\d{{3}})+(?:{re.escape(read.decimal)}\d+)?(?!\d)"
    number = rf"(?P<number>{number}|\d+(?:{re.escape(read.decimal)}\d+)?)"
    scales = "|".join(sorted(read.scales, key=len, reverse=True))
    scale = rf"(?: ?(?P<scale>{scales})(?!\w))?" if scales else "(?P<scale>(?!))?"

    def said(match: re.Match[str]) -> str:
        return _said(match["sign"], match["number"], match["scale"] or "", language)

    yield re.compile(rf"(?P<sign>{signs})[ \u00a0\u202f]?{number}{scale}"), said
    yield re.compile(rf"{number}{scale}[ \u00a0\u202f]?(?P<sign>{signs})"), said


def _sign(sign: str) -> str:
    """Letters must stand alone: "KSh"."""
    return rf"\b{sign}(?![^\W\d])" if sign.isalpha() else re.escape(sign)


def _said(sign: str, number: str, scale: str, language: Language) -> str:
    read = language.reading
    if number == "1" and not scale and sign in read.one:
        return read.one[sign]
    whole, _, decimals = number.partition(read.decimal)
    digits = int("".join(char for char in whole if char.isdigit()))
    forms = read.currencies[sign]
    noun = forms[read.plural(MILLION if scale else digits, bool(decimals) and not scale)]
    space = " " if language.spaced else ""
    if scale and read.scale_link:
        elided = read.scale_link == "de" and language.code == "fr" and noun[0] in _VOWELS
        noun = f"d'{noun}" if elided else f"{read.scale_link} {noun}"
    parts = (noun, number, scale) if read.currency_first else (number, scale, noun)
    return space.join(part for part in parts if part)
