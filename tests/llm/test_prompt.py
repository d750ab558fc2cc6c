from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    McpCallItem,
    MessageItem,
    TextPart,
)
from voicepipe.llm.contract import Message, ToolCall
from voicepipe.llm.prompt import PENDING_OUTPUT, build_messages

SYSTEM = Message("system", "Be kind.")
DONE = McpCallItem(
    "c", "bookings", "find", "{}", '{"tables": 2}', status="completed", approval_request_id="r"
)
"""A call that was approved, by the request "r"."""


def user(text: str | None, item_id: str = "u") -> MessageItem:
    return MessageItem(item_id, "user", (AudioPart(text),))


def agent(text: str, item_id: str = "a") -> MessageItem:
    return MessageItem(item_id, "assistant", (AudioPart(text),))


def call(number: int) -> FunctionCallItem:
    return FunctionCallItem(f"f{number}", f"call_{number}", "get_time", "{}")


def output(number: int, text: str = "7:30") -> FunctionOutputItem:
    return FunctionOutputItem(f"o{number}", f"call_{number}", text)


def test_system_first_then_history() -> None:
    items = (user("hello"), agent("Hi there."), user("what day is it"))
    assert build_messages("Be kind.", items) == (
        SYSTEM,
        Message("user", "hello"),
        Message("assistant", "Hi there."),
        Message("user", "what day is it"),
    )


def test_without_instructions_there_is_no_system_message() -> None:
    assert build_messages("", (user("hello"),)) == (Message("user", "hello"),)


def test_neighbouring_messages_of_one_speaker_are_one_turn() -> None:
    items = (user("set a timer"), user("for five minutes"), agent("Done."), agent("Else?"))
    assert build_messages("", items) == (
        Message("user", "set a timer for five minutes"),
        Message("assistant", "Done. Else?"),
    )


def test_what_nobody_heard_or_said_is_left_out() -> None:
    items = (user("hello"), agent(""), user(None), user("are you there"))
    assert build_messages("", items) == (Message("user", "hello are you there"),)


def test_text_and_audio_parts_are_joined() -> None:
    item = MessageItem("m", "user", (TextPart("look:"), AudioPart("what is it")))
    assert build_messages("", (item,)) == (Message("user", "look: what is it"),)


def test_calls_join_the_assistant_message_and_outputs_follow() -> None:
    items = (user("time"), agent("Let me see."), call(1), call(2), output(1), output(2, "UTC"))
    calls = (ToolCall("call_1", "get_time", "{}"), ToolCall("call_2", "get_time", "{}"))
    assert build_messages("", items) == (
        Message("user", "time"),
        Message("assistant", "Let me see.", tool_calls=calls),
        Message("tool", "7:30", call_id="call_1"),
        Message("tool", "UTC", call_id="call_2"),
    )


def test_calls_one_after_the_other_stay_so() -> None:
    items = (user("time"), call(1), output(1), call(2), output(2), agent("Half past seven."))
    roles = [m.role for m in build_messages("", items)]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant"]


def test_late_output_moves_to_its_call_and_a_missing_one_is_pending() -> None:
    items = (user("time"), call(1), user("hurry"))
    pending = build_messages("", items)
    assert pending[2] == Message("tool", PENDING_OUTPUT, call_id="call_1")
    assert pending[3] == Message("user", "hurry")
    late = build_messages("", (*items, output(1)))
    assert late[2] == Message("tool", "7:30", call_id="call_1")
    assert late[3:] == (Message("user", "hurry"),)


def test_output_without_its_call_is_left_out() -> None:
    assert build_messages("", (user("time"), output(1))) == (Message("user", "time"),)


def conversation(turns: int) -> list[Item]:
    items: list[Item] = []
    for n in range(turns):
        items += [user(f"question number {n:03}"), agent(f"This is answer number {n:03}.")]
    return items


def test_long_history_loses_whole_oldest_turns_in_big_steps() -> None:
    cuts = []
    for turns in range(1, 200):
        messages = build_messages("Be kind.", conversation(turns), max_history_chars=2000)
        assert messages[0] == SYSTEM
        assert messages[1].role == "user"
        assert messages[-1].content.endswith(f"{turns - 1:03}.")
        assert sum(len(m.content) for m in messages[1:]) <= 2000
        cuts.append(messages[1].content)
    # One turn takes about 72 characters, a step is 1000: the beginning changes every 14th turn.
    changes = sum(a != b for a, b in pairwise(cuts))
    assert 10 <= changes <= 15


def test_the_last_turn_stays_even_if_it_is_too_long() -> None:
    items = [user("old"), agent("old"), user("x" * 500)]
    assert build_messages("", items, max_history_chars=100) == (Message("user", "x" * 500),)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["user", "agent", "call", "output"]), max_size=25))
def test_every_prompt_is_one_a_chat_server_accepts(kinds: list[str]) -> None:
    items: list[Item] = []
    for number, kind in enumerate(kinds):
        make: dict[str, Item] = {"user": user("hi"), "agent": agent("yes"), "call": call(number)}
        items.append(make.get(kind, output(number - 1)))
    messages = build_messages("Be kind.", items)
    open_calls: list[str | None] = []
    for before, message in pairwise(messages):
        if message.role == "tool":
            assert open_calls.pop(0) == message.call_id
        else:
            assert not open_calls
            assert message.role != before.role
            open_calls = [c.call_id for c in message.tool_calls]
    assert not open_calls


@settings(deadline=None)
@given(st.integers(0, 40))
def test_the_next_prompt_begins_with_this_one(turns: int) -> None:
    items = [*conversation(turns), user("and then")]
    now = build_messages("Be kind.", items)
    later = build_messages("Be kind.", [*items, agent("Then this."), user("go on")])
    assert later[: len(now)] == now


@pytest.mark.parametrize(
    ("output_text", "shown"),
    [
        (
            '{"time":"19:30","day":"Montag, \u00fcbermorgen"}',
            '{"time": "19:30", "day": "Montag, übermorgen"}',
        ),
        ("half past seven", "half past seven"),
        ('{"time":', '{"time":'),
        ("[" * 100_000, "[" * 100_000),
        ('{"name":"\\ud83d Jo"}', '{"name": " Jo"}'),  # half a character: no request can hold it
        ("Jo \ud83d", "Jo "),
    ],
)
def test_results_in_json_have_one_spelling(output_text: str, shown: str) -> None:
    call = FunctionCallItem("c1", "call_1", "get_time", "{}")
    result = FunctionOutputItem("o1", "call_1", output_text)
    assert build_messages("", [call, result])[-1].content == shown


def test_half_a_character_is_in_no_prompt() -> None:
    items: list[Item] = [
        user("Hi \ud83d"),
        FunctionCallItem("c", "call_1", "get_time", '{"a": "\ud83d"}'),
    ]
    for message in build_messages("Be kind.", items):
        message.content.encode()
        for made in message.tool_calls:
            made.arguments.encode()


def test_many_items_of_one_speaker_are_joined_without_copying_them_again_and_again() -> None:
    items = [user("word " * 100, f"u{n}") for n in range(1000)]
    began = time.process_time()
    (message,) = build_messages("", items)
    assert time.process_time() - began < 0.05, "joined one by one it takes five times as long"
    assert message.content == " ".join(["word " * 99 + "word"] * 1000)


def test_blank_items_and_calls_between_words_change_nothing() -> None:
    items: list[Item] = [user("a"), user(" "), user("b"), call(1), output(1), user("c"), user("d")]
    calling = Message("assistant", "", tool_calls=(ToolCall("call_1", "get_time", "{}"),))
    assert build_messages("", items) == (
        Message("user", "a b"),
        calling,
        Message("tool", "7:30", call_id="call_1"),
        Message("user", "c d"),
    )


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ((), {"status": "waits for approval"}),
        ((McpApprovalResponseItem("a", "r", True),), {"status": "pending"}),
        ((McpApprovalResponseItem("a", "r", False),), {"error": "the call was not approved"}),
        (
            (McpApprovalResponseItem("a", "r", False, "no"),),
            {"error": "the call was not approved: no"},
        ),
        ((DONE,), {"tables": 2}),
        ((McpApprovalResponseItem("a", "r", True), DONE), {"tables": 2}),
    ],
)
def test_a_call_that_waits_for_approval_stands_where_it_was_asked_for(
    then: tuple[Item, ...], told: dict[str, object]
) -> None:
    asked = McpApprovalRequestItem("r", "bookings", "find", "{}")
    said = MessageItem("u", "user", (TextPart("Well?"),))
    messages = build_messages("", (said, asked, *then))
    assert [message.role for message in messages] == ["user", "assistant", "tool"]
    assert json.loads(messages[-1].content) == told


def test_what_came_of_it_stays_where_the_question_is_gone() -> None:
    said = MessageItem("u", "user", (TextPart("Well?"),))
    messages = build_messages("", (said, DONE))
    assert json.loads(messages[-1].content) == {"tables": 2}
