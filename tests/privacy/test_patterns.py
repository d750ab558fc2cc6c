"""What is taken out of texts before they are written, and what is left alone."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.privacy.patterns import Kind, redact

ALL: tuple[Kind, ...] = get_args(Kind)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("my card is 4111 1111 1111 1111 thanks", "my card is [card] thanks"),
        ("it is 4111-1111-1111-1111.", "it is [card]."),
        ("it is 4242, 4242, 4242, 4242 ok", "it is [card] ok"),
        ("it is 4242/4242/4242/4242", "it is [card]"),
        ("it is 4242 \u2013 4242 \u2013 4242 \u2013 4242", "it is [card]"),
        ("it is 4242\xa04242\u202f4242\xa04242", "it is [card]"),
        ("It is 4242. 4242. 4242. 4242.", "It is [card]."),
        ("it is 4242  4242  4242  4242", "it is [card]"),
        ("12.50 with 4242, 4242, 4242, 4242, please", "12.50 with [card], please"),
        ("12.50, 4242 4242 4242 4242", "12.50, [card]"),
        ("call 0171. 555, 01, 23", "call [phone]"),
        ("call 555-010-4477, 555-010-4479", "call [phone]-[phone]"),
        ("1234 5678 9012 3456 7", "[phone]"),
        ("the code is 48, 29 - 13", "the code is [number]"),
        ("4, 8, 2, 9, 1, 3", "[number]"),
        ("7" * 31, "[number]"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [iban] please"),
        ("it is BE68 5390 0754 7034 is that ok", "it is [iban] is that ok"),
        ("RO49 AAAA 1B31 0075 9384 0000 will do", "[iban] will do"),
        ("BE68539007547034 or at61 1904 3002 3457 3201.", "[iban] or [iban]."),
        ("from BE68 5390 0754 7034 over BE71 0961 2345 6769", "from [iban] over [iban]"),
        ("write to Anna.Lee+x@mail.example.com", "write to [email]"),
        ("it's anna dot lee at example dot com", "it's [email]"),
        ("call me at +49 (30) 901820 or 555-010-4477", "call me at [phone] or [phone]"),
        ("the code is 482 913", "the code is [number]"),
        ("my passport is A12345678", "my passport is [number]"),
        ("it is four double one three seven nine oh", "it is [number]"),
        ("Five, five, five, zero, one, two.", "[number]."),
        (
            "hello my name is anna lee and i need a table",
            "hello my name is [name] and i need a table",
        ),
        ("My name's Anna Maria Lee.", "My name's [name]."),
        ("this is john speaking", "this is [name] speaking"),
        ("Ich heiße Jörg Müller", "Ich heiße [name]"),
        ("je m'appelle Zoé", "je m'appelle [name]"),
        ("me llamo Íñigo y quiero pagar", "me llamo [name] y quiero pagar"),
        ("send it to 221b Baker Street, London", "send it to [address], London"),
        ("i live at twenty one old mill road", "i live at [address]"),
        ("Hauptstraße 12a in Köln", "[address] in Köln"),
        ("au 12 bis, rue de la Paix", "au [address]"),
        ("vivo en la calle Mayor, 5", "vivo en la [address]"),
    ],
)
def test_what_has_a_pattern_is_taken_out(text: str, kept: str) -> None:
    assert redact(text, ALL) == kept


@pytest.mark.parametrize(
    "text",
    [
        "a table for two at half past seven",
        "it is 7:30 on the 22nd of November 2026",
        "two or three, at one",
        "I meet him at noon",
        "it costs 12.50, room 4112",
        "at 7, 8 or 9",
        "12.50, please",
        "from 10-12 on 3 May 2026",
        "1, 2, 3, 4",
        "open 10-12, 14-18",
        "it costs 1,250.00, not 12.50, 3.20 or 1.250,00",
        "from 9.30 - 12.00, for 12.50-15.00",
        "on 22.11.2026, 7 of us, or 2026-11-22 19:30, or 11/22/26",
        "in 2024-2026",
        "my name is not important",
        "this is a table for two",
        "two hours on the street and one more road",
        "ich gehe weg",
    ],
)
def test_plain_speech_is_left_alone(text: str) -> None:
    assert redact(text, ALL) == text


def test_only_what_was_asked_for_goes() -> None:
    text = "4111 1111 1111 1111, a@b.example"
    assert redact(text, ["email"]) == "4111 1111 1111 1111, [email]"
    assert redact(text, ["card"]) == "[card], a@b.example"
    assert redact(text, []) == text
    assert redact("4111 1111 1111 1112", ["card"]) == "4111 1111 1111 1112", "its check is wrong"


@given(st.text(max_size=300))
def test_any_text_goes_through_and_twice_is_as_good_as_once(text: str) -> None:
    once = redact(text, ALL)
    assert redact(once, ALL) == once


def test_long_texts_take_no_time() -> None:
    began = time.process_time()
    names = ("my name is " * 8000, "12 main " * 10_000, "9 rue de la " * 8000, "one old " * 10_000)
    for text in (
        *names,
        "1 " * 30_000,
        "12.50, " * 10_000,
        "4, - " * 15_000,
        "1" * 60_000,
        "a." * 30_000,
        "one " * 15_000,
        "a dot " * 10_000,
        "x@" * 30_000,
    ):
        redact(text, ALL)
    assert time.process_time() - began < 5  # two when nothing else runs; quadratic, it took minutes
