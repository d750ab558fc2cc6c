"""Thoughts are taken out of an answer, however it comes in pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.config import LlmSettings
from voicepipe.llm.thinking import ThoughtFilter

TAGS = LlmSettings().thinking_tags


def said(pieces: Sequence[str], *, begun: bool = False, tags: Sequence[str] = TAGS) -> str:
    thoughts = ThoughtFilter(tags, begun=begun)
    return "".join([*(thoughts.feed(piece) for piece in pieces), thoughts.close()])


@pytest.mark.parametrize(
    ("answer", "spoken"),
    [
        ("Hello.", "Hello."),
        ("<think>\nA greeting.\n</think>\n\nHello.", "Hello."),
        ("\n<think></think>\nHello.\n", "Hello.\n"),
        ("[THINK]Hm.[/THINK]Yes.", "Yes."),
        ("<thinking>a</think>b</thinking>Yes.", "Yes."),
        ("One.<think>two</think> Three.<think>four</think>", "One. Three."),
        ("Yes. <think>cut off at the", "Yes. "),
        ("<think>only this", ""),
        ("Is 3 < 5? <thin", "Is 3 < 5? <thin"),
        ("a <b> <thinker> <THINK> c", "a <b> <thinker> <THINK> c"),
        ("</think>Yes.", "Yes."),
        ("<think>a <think> b</think>Yes.", "Yes."),
        ("", ""),
    ],
)
def test_thoughts_are_left_out_and_nothing_else_is(answer: str, spoken: str) -> None:
    assert said([answer]) == spoken
    assert said(list(answer)) == spoken


def test_answer_whose_thought_the_prompt_opened_begins_after_its_end() -> None:
    assert said(["Let me see", ".</thi", "nk>\n\nYes."], begun=True) == "Yes."
    assert said(["Let me see."], begun=True) == ""


def test_text_is_handed_on_at_once_unless_it_may_begin_a_tag() -> None:
    thoughts = ThoughtFilter(TAGS)
    assert thoughts.feed("Is 3 <") == "Is 3 "
    assert not thoughts.has_thought
    assert thoughts.feed(" 5? <th") == "< 5? "
    assert thoughts.feed("ink>no") == ""
    assert thoughts.has_thought
    assert thoughts.feed("</think>Yes") == "Yes"


def test_settings_choose_the_tags() -> None:
    assert said(["<plan>x</plan>Yes.<think>y"], tags=("<plan>",)) == "Yes.<think>y"
    assert said(["<think>y"], tags=()) == "<think>y"


_PARTS = st.lists(
    st.sampled_from(
        [*TAGS, "</think>", "</thinking>", "[/THINK]", "<", "</", "thi", " ", "a", "."]
    ),
    max_size=12,
)


@given(_PARTS, st.data(), st.booleans())
def test_any_split_gives_the_same(parts: list[str], data: st.DataObject, begun: bool) -> None:
    answer = "".join(parts)
    whole = said([answer], begun=begun)
    assert whole == _by_regular_expression(answer, begun)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(answer)))))
    edges = [0, *cuts, len(answer)]
    pieces = [answer[a:b] for a, b in pairwise(edges)]
    assert said(pieces, begun=begun) == whole


def _by_regular_expression(answer: str, begun: bool) -> str:
    ends = r"</think>|</thinking>|\[/THINK\]"
    if begun:
        answer = re.sub(rf"\A.*?(?:{ends}|\Z)", "", answer, flags=re.DOTALL)
    pattern = (
        r"<think>.*?(?:</think>|\Z)|<thinking>.*?(?:</thinking>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)"
        rf"|{ends}"
    )
    return re.sub(pattern, "", answer, flags=re.DOTALL).lstrip()
