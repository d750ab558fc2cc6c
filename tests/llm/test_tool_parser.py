from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.llm.contract import ToolCall
from voicepipe.llm.tool_parser import (
    MAX_CALL_CHARS,
    BrokenCall,
    HermesToolParser,
    Parsed,
    SpokenText,
    split_call,
)

CALL = '<tool_call>\n{"name": "set_timer", "arguments": {"minutes": 5}}\n</tool_call>'


def parse(*deltas: str) -> list[Parsed]:
    numbers = itertools.count(1)
    parser = HermesToolParser(lambda: f"call_{next(numbers)}")
    found = [item for delta in deltas for item in parser.feed(delta)]
    return found + parser.close()


def spoken(found: Sequence[Parsed]) -> str:
    return "".join(item.text for item in found if isinstance(item, SpokenText))


def calls(found: Sequence[Parsed]) -> list[ToolCall]:
    return [item for item in found if isinstance(item, ToolCall)]


def test_plain_text_passes_at_once() -> None:
    parser = HermesToolParser()
    assert parser.feed("It is") == [SpokenText("It is")]
    assert parser.feed(" noon.") == [SpokenText(" noon.")]
    assert parser.close() == []


def test_only_what_may_be_a_tag_is_held_back() -> None:
    parser = HermesToolParser()
    assert parser.feed("is 3 <") == [SpokenText("is 3")]
    assert parser.feed("to") == []
    assert parser.feed(" 4") == [SpokenText(" <to 4")]
    assert parser.feed(" <tool_cal") == []
    assert parser.close() == [SpokenText(" <tool_cal")]


def test_call_in_one_piece() -> None:
    assert parse("One moment.\n" + CALL) == [
        SpokenText("One moment."),
        ToolCall("call_1", "set_timer", '{"minutes": 5}'),
    ]


def test_several_calls_with_text_around() -> None:
    found = parse(f"First. {CALL}\n{CALL} Then.\n")
    assert spoken(found) == "First. Then."
    assert [c.call_id for c in calls(found)] == ["call_1", "call_2"]


def test_arguments_keep_their_own_characters() -> None:
    raw = '{ "label" : "Grüße \\u00e9 </b>",\n "n":1e3 }'
    found = parse(f'<tool_call>{{"arguments": {raw} , "name": "x"}}</tool_call>')
    assert calls(found) == [ToolCall("call_1", "x", raw)]


def test_call_whose_end_tag_never_came_still_counts() -> None:
    assert calls(parse('<tool_call>{"name": "x", "arguments": {}}')) == [
        ToolCall("call_1", "x", "{}")
    ]


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "secret words",
        '{"name": "x", "arguments": {"secret": }}',
        '{"name": "x", "arguments": [1]}',
        '{"name": 5, "arguments": {}}',
        '{"arguments": {}}',
        '{"name": "x" "arguments": {}}',
        '{"name": "x", "arguments": "secret"}',
        '["x"]',
    ],
)
@pytest.mark.parametrize("end", ["</tool_call>", ""])
def test_broken_calls_are_reported_without_their_text(inside: str, end: str) -> None:
    found = parse(f"Hm. <tool_call>{inside}{end}")
    assert spoken(found) == "Hm."
    assert len(found) == 2
    assert isinstance(found[1], BrokenCall)
    assert found[1].reason
    assert "secret" not in found[1].reason


@pytest.mark.parametrize("more", [" I look it up.", "}", "\n{", '{"name": "y"}', "\n```"])
@pytest.mark.parametrize("end", ["</tool_call>", ""])
def test_what_follows_the_object_does_not_spoil_the_call(more: str, end: str) -> None:
    found = parse(f'Hm. <tool_call>{{"name": "x", "arguments": {{"a": 1}}}}{more}{end}')
    assert found == [SpokenText("Hm."), ToolCall("call_1", "x", '{"a": 1}')]


def test_arguments_written_as_a_string_are_unpacked() -> None:
    assert split_call('{"name": "x", "arguments": "{\\"a\\": 1}"}') == ("x", '{"a": 1}')


@pytest.mark.parametrize("nothing", ["null", '""', '"null"'])
def test_a_call_with_nothing_for_arguments_is_a_call(nothing: str) -> None:
    found = parse(f'<tool_call>{{"name": "get_time", "arguments": {nothing}}}</tool_call>')
    assert found == [ToolCall("call_1", "get_time", "{}")]


def test_endless_call_is_given_up() -> None:
    parser = HermesToolParser()
    parser.feed("<tool_call>")
    found = [item for _ in range(40) for item in parser.feed("x" * 1000)]
    assert len(found) == 1
    assert isinstance(found[0], BrokenCall)
    assert str(MAX_CALL_CHARS) in found[0].reason


def test_ids_are_unique() -> None:
    parser = HermesToolParser()
    found = calls(parser.feed(CALL * 20))
    assert len({c.call_id for c in found}) == 20
    assert all(c.call_id.startswith("call_") for c in found)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "f", "arguments": ' + "[" * 5000,
        '{"name": "f", "arguments": "' + "[" * 5000 + '"}',
    ],
)
def test_a_call_nested_without_end_is_a_broken_one(text: str) -> None:
    (found,) = parse(f"<tool_call>{text}</tool_call>")
    assert isinstance(found, BrokenCall)


pieces = st.lists(st.sampled_from(["Hello ", "a < b", "<tool", "\n", "x</", "5 > 4."]), max_size=6)
arguments = st.dictionaries(st.text(max_size=5), st.text(max_size=8) | st.integers(), max_size=3)


@settings(deadline=None)
@given(pieces, st.lists(arguments, max_size=3), pieces, st.data())
def test_how_the_stream_is_split_changes_nothing(
    before: list[str], objects: list[dict[str, object]], after: list[str], data: st.DataObject
) -> None:
    tags = [
        f'<tool_call>\n{{"name": "f", "arguments": {json.dumps(o)}}}\n</tool_call>'
        for o in objects
        if "</tool_call>" not in json.dumps(o)
    ]
    whole = "".join([*before, *tags, *after])
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)))))
    bounds = [0, *cuts, len(whole)]
    deltas = [whole[a:b] for a, b in itertools.pairwise(bounds)]
    once, split = parse(whole), parse(*deltas)
    assert spoken(split) == spoken(once)
    assert calls(split) == calls(once)
    assert [json.loads(c.arguments) for c in calls(once)] == objects
    assert all(item.text for item in split if isinstance(item, SpokenText))
