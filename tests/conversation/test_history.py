from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.conversation.heard import SpokenSpan, SpokenWord
from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import (
    AudioPart,
    FunctionCallItem,
    FunctionOutputItem,
    MessageItem,
    TextPart,
)
from voicepipe.runtime.errors import LimitExceeded, ProtocolError


def said(item_id: str, text: str = "hello") -> MessageItem:
    return MessageItem(item_id, "user", (TextPart(text),))


def spoken(item_id: str, text: str, duration_ms: float) -> MessageItem:
    pcm = np.zeros(int(duration_ms * 16), np.int16)
    return MessageItem(item_id, "assistant", (AudioPart(text, pcm, duration_ms),))


def ids(conversation: Conversation) -> list[str]:
    return [item.id for item in conversation]


def test_insert_at_end_at_root_and_after() -> None:
    conversation = Conversation()
    assert conversation.insert(said("a")) is None
    assert conversation.insert(said("c")) == "a"
    assert conversation.insert(said("b"), "a") == "a"
    assert conversation.insert(said("first"), "root") is None
    assert ids(conversation) == ["first", "a", "b", "c"]
    assert conversation.previous_item_id("b") == "a"
    assert conversation.previous_item_id("first") is None


def test_replace_and_delete() -> None:
    conversation = Conversation()
    conversation.insert(said("a"))
    conversation.insert(said("b"))
    conversation.replace(said("a", "goodbye"))
    item = conversation.get("a")
    assert isinstance(item, MessageItem)
    assert item.text == "goodbye"
    conversation.delete("a")
    assert ids(conversation) == ["b"]
    assert "a" not in conversation
    conversation.insert(said("a"))  # the id is free again
    assert ids(conversation) == ["b", "a"]


@pytest.mark.parametrize(
    ("edit", "code", "param"),
    [
        (lambda c: c.get("x"), "item_retrieve_invalid_item_id", "item_id"),
        (lambda c: c.delete("x"), "item_delete_invalid_item_id", "item_id"),
        (lambda c: c.replace(said("x")), "invalid_value", "item_id"),
        (lambda c: c.insert(said("a")), "invalid_value", "item.id"),
        (lambda c: c.insert(said("n"), "x"), "invalid_value", "previous_item_id"),
        (
            lambda c: c.insert(FunctionOutputItem("o", "call_x", "1")),
            "invalid_tool_call_id",
            "item.call_id",
        ),
        (lambda c: c.truncate("x", 0, 10), "invalid_value", "item_id"),
        (lambda c: c.truncate("a", 0, 10), "invalid_value", "item_id"),
        (lambda c: c.truncate("t", 0, 10), "unsupported_content_type", "content_index"),
        (lambda c: c.truncate("s", 1, 10), "invalid_value", "content_index"),
        (lambda c: c.truncate("s", 0, 1021), "invalid_value", "audio_end_ms"),
        (lambda c: c.truncate("s", 0, -1), "invalid_value", "audio_end_ms"),
    ],
)
def test_wrong_edits_name_their_code_and_change_nothing(edit, code, param) -> None:  # type: ignore[no-untyped-def]
    conversation = Conversation()
    conversation.insert(said("a"))
    conversation.insert(MessageItem("t", "assistant", (TextPart("written"),)))
    conversation.insert(spoken("s", "one two", 1000))
    before = conversation.items
    with pytest.raises(ProtocolError) as caught:
        edit(conversation)
    assert (caught.value.code, caught.value.param) == (code, param)
    assert all(a is b for a, b in zip(conversation.items, before, strict=True))


def test_function_output_follows_its_call() -> None:
    conversation = Conversation()
    conversation.insert(FunctionCallItem("f", "call_1", "get_time", "{}"))
    assert conversation.insert(FunctionOutputItem("o", "call_1", "7:30")) == "f"


def test_full_conversation_says_its_limit() -> None:
    conversation = Conversation(max_items=2)
    conversation.insert(said("a"))
    conversation.insert(said("b"))
    with pytest.raises(LimitExceeded, match=r"2 items.*max_items"):
        conversation.insert(said("c"))
    assert ids(conversation) == ["a", "b"]
    conversation.delete("a")
    conversation.insert(said("c"))
    assert ids(conversation) == ["b", "c"]


def test_truncate_keeps_the_words_heard_by_the_voice_s_own_times() -> None:
    conversation = Conversation()
    conversation.insert(spoken("s", "one two three", 1000))
    words = (SpokenWord(0, 0), SpokenWord(4, 100), SpokenWord(8, 200))
    conversation.set_spoken("s", 0, (SpokenSpan(0, 13, 0, 1000, words),))
    item = conversation.truncate("s", 0, 180)
    part = item.content[0]
    assert isinstance(part, AudioPart)
    assert part.transcript == "one two"
    assert part.duration_ms == 180
    assert part.pcm is not None
    assert len(part.pcm) == 180 * 16
    assert item.status == "incomplete"
    assert conversation.get("s") is item


def test_truncate_without_word_times_spreads_evenly() -> None:
    conversation = Conversation()
    conversation.insert(spoken("s", "one two three", 1300))
    assert conversation.truncate("s", 0, 700).text == "one two"


def test_truncate_twice_never_gives_words_back() -> None:
    conversation = Conversation()
    conversation.insert(spoken("s", "one two three", 1300))
    conversation.set_spoken("s", 0, (SpokenSpan(0, 13, 0, 1300),))
    assert conversation.truncate("s", 0, 700).text == "one two"
    assert conversation.truncate("s", 0, 300).text == "one"
    with pytest.raises(ProtocolError, match="already shorter"):
        conversation.truncate("s", 0, 700)
    item = conversation.get("s")
    assert isinstance(item, MessageItem)
    assert item.text == "one"


def test_truncate_to_nothing_leaves_no_text() -> None:
    conversation = Conversation()
    conversation.insert(spoken("s", "one two", 1000))
    assert conversation.truncate("s", 0, 0).text == ""


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=30))
def test_order_agrees_with_what_insert_returned(steps: list[tuple[int, int | None]]) -> None:
    conversation = Conversation()
    model: list[str] = []
    for number, after in steps:
        item_id, previous = f"i{number}", None if after is None else f"i{after}"
        if item_id in model:
            conversation.delete(item_id)
            model.remove(item_id)
        elif previous is None or previous in model:
            at = len(model) if previous is None else model.index(previous) + 1
            expected = model[at - 1] if at else None
            assert conversation.insert(said(item_id), previous) == expected
            model.insert(at, item_id)
    assert ids(conversation) == model


def test_the_oldest_make_room_and_a_call_takes_its_output_along() -> None:
    conversation = Conversation(max_items=4)
    conversation.insert(MessageItem("s", "system", (TextPart("Be brief."),)))
    conversation.insert(FunctionCallItem("f", "call_1", "get_time", "{}"))
    conversation.insert(said("a"))
    conversation.insert(FunctionOutputItem("o", "call_1", "7:30"))
    assert conversation.make_room() == ("f", "o")
    assert ids(conversation) == ["s", "a"]
    assert conversation.make_room() == ()
    conversation.insert(said("b"))
    conversation.insert(said("c"))
    assert conversation.make_room() == ("a",)


def test_instructions_make_room_when_nothing_else_can() -> None:
    conversation = Conversation(max_items=1)
    conversation.insert(MessageItem("s", "system", (TextPart("Be brief."),)))
    assert conversation.make_room() == ("s",)


def test_all_texts_together_are_bounded_and_the_limit_is_named() -> None:
    conversation = Conversation(max_chars=100)
    conversation.insert(said("a", "x" * 60))
    with pytest.raises(LimitExceeded, match=r"100 \(limits\.max_conversation_chars\)"):
        conversation.insert(said("b", "x" * 41))
    conversation.insert(said("b", "x" * 40))
    conversation.replace(said("b", "x" * 10))
    conversation.delete("a")
    conversation.insert(FunctionCallItem("c", "call", "x" * 40, "x" * 50))
    with pytest.raises(LimitExceeded):
        conversation.insert(FunctionOutputItem("d", "call", "x"))


def test_what_is_said_makes_room_for_itself_by_characters_too() -> None:
    conversation = Conversation(max_chars=100)
    for name in "abc":
        conversation.insert(said(name, "x" * 30))
    assert conversation.make_room(50) == ("a", "b")
    conversation.insert(said("d", "x" * 50))
    assert ids(conversation) == ["c", "d"]
    assert conversation.make_room(1000) == ("c", "d"), "then it is refused, if at all, by itself"


def test_cut_words_are_no_longer_counted() -> None:
    conversation = Conversation(max_chars=100)
    conversation.insert(spoken("a", "word " * 20, 2000))
    conversation.truncate("a", 0, 0)
    conversation.insert(said("b", "x" * 100))


def test_cleared_conversation_holds_nothing() -> None:
    conversation = Conversation(max_chars=100)
    conversation.insert(spoken("a", "word " * 20, 2000))
    conversation.set_spoken("a", 0, ())
    conversation.clear()
    assert len(conversation) == 0
    conversation.insert(said("a", "x" * 100))
