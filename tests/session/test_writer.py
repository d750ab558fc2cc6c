"""One response as events: well-formed at every point at which it may be closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.conversation.items import AudioPart, FunctionCallItem, Item, MessageItem, TextPart
from voicepipe.llm.contract import ToolCall, Usage
from voicepipe.session import events as ev
from voicepipe.session.settings import Modality
from voicepipe.session.writer import Conversations, ResponseSpec, ResponseWriter

CALL = ToolCall("call_1", "get_time", '{"zone": "utc"}')


class Shelf(Conversations):
    """A conversation that keeps its items in order."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def add(self, item: Item) -> str | None:
        self.items.append(item)
        return self.items[-2].id if len(self.items) > 1 else None

    def update(self, item: Item) -> str | None:
        position = [i.id for i in self.items].index(item.id)
        self.items[position] = item
        return self.items[position - 1].id if position else None


class Page:
    """A writer and all it wrote."""

    def __init__(self, modality: Modality = "audio", conversation: str | None = "conv") -> None:
        self.events: list[Any] = []
        self.shelf = Shelf()
        spec = ResponseSpec("resp", modality, conversation, voice="amy", metadata={"a": "b"})
        history = self.shelf if conversation else Conversations()
        self.writer = ResponseWriter(spec, self.events.append, history)

    @property
    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    @property
    def done(self) -> ev.Response:
        (done,) = [e.response for e in self.events if isinstance(e, ev.ResponseDone)]
        return done


def test_spoken_answer_from_beginning_to_end() -> None:
    page = Page()
    page.writer.open()
    page.writer.text("It is ")
    page.writer.audio(b"abcd", 20.0)
    page.writer.text("noon.")
    page.writer.close("completed", usage=Usage(prompt_tokens=7))
    assert page.names == [
        "ResponseCreated",
        "OutputItemAdded",
        "ItemAdded",
        "PartAdded",
        "TextDelta",
        "AudioDelta",
        "TextDelta",
        "AudioDone",
        "TextDone",
        "PartDone",
        "ItemDone",
        "OutputItemDone",
        "ResponseDone",
    ]
    (item,) = page.shelf.items
    assert isinstance(item, MessageItem)
    assert (item.role, item.status) == ("assistant", "completed")
    assert item.content == (AudioPart("It is noon.", None, 20.0),)
    assert page.done.output == (item,)
    assert page.done.status == "completed"
    assert page.done.usage == Usage(prompt_tokens=7)
    assert page.done.output_audio_ms == 20.0
    assert (page.done.voice, page.done.metadata) == ("amy", {"a": "b"})
    assert page.writer.message_id is None, "it is closed"


def test_written_answer_has_no_audio_events() -> None:
    page = Page("text")
    page.writer.open()
    page.writer.text("Noon.")
    page.writer.close("completed")
    assert "AudioDone" not in page.names
    (item,) = page.shelf.items
    assert isinstance(item, MessageItem)
    assert item.content == (TextPart("Noon."),)


def test_call_after_text_is_a_second_item_and_text_after_it_a_third() -> None:
    page = Page()
    page.writer.open()
    page.writer.text("One moment.")
    page.writer.audio(b"ab", 10.0)
    page.writer.call(CALL)
    page.writer.text("There.")
    page.writer.audio(b"cd", 30.0)
    page.writer.close("completed")
    first, call, last = page.shelf.items
    assert isinstance(first, MessageItem)
    assert isinstance(call, FunctionCallItem)
    assert isinstance(last, MessageItem)
    assert (call.name, call.arguments, call.status) == ("get_time", CALL.arguments, "completed")
    assert first.content == (AudioPart("One moment.", None, 10.0),)
    assert last.content == (AudioPart("There.", None, 30.0),), "each with its own audio's length"
    assert page.done.output_audio_ms == 40.0
    indexes = [e.output_index for e in page.events if isinstance(e, ev.OutputItemAdded)]
    assert indexes == [0, 1, 2]
    previous = [e.previous_item_id for e in page.events if isinstance(e, ev.ItemAdded)]
    assert previous == [None, first.id, call.id]


def test_answer_that_was_cut_off_is_incomplete() -> None:
    page = Page()
    page.writer.open()
    page.writer.text("It is")
    page.writer.close("cancelled", reason="turn_detected")
    (item,) = page.shelf.items
    assert item.status == "incomplete"
    assert (page.done.status, page.done.reason) == ("cancelled", "turn_detected")


def test_failure_is_told_with_its_code() -> None:
    page = Page()
    page.writer.close("failed", error="no voice", error_code="tts_failed")
    assert page.names == ["ResponseCreated", "ResponseDone"]
    assert (page.done.error, page.done.error_code) == ("no voice", "tts_failed")


def test_response_out_of_band_leaves_no_items_in_the_conversation() -> None:
    page = Page(conversation=None)
    page.writer.open()
    page.writer.text("Psst.")
    page.writer.call(CALL)
    page.writer.close("completed")
    assert not {"ItemAdded", "ItemDone"} & set(page.names)
    assert len(page.done.output) == 2


def test_nothing_to_say_is_not_an_item() -> None:
    page = Page()
    page.writer.open()
    page.writer.open()
    page.writer.text("")
    page.writer.audio(b"", 0.0)
    assert page.names == ["ResponseCreated"]


Step = Callable[[ResponseWriter], None]
STEPS: list[Step] = [
    lambda w: w.open(),
    lambda w: w.text("word "),
    lambda w: w.audio(b"abcd", 20.0),
    lambda w: w.call(CALL),
]
STATUSES: list[ev.ResponseStatus] = ["completed", "cancelled", "failed", "incomplete"]
PAIRS = [
    (ev.ResponseCreated, ev.ResponseDone),
    (ev.OutputItemAdded, ev.OutputItemDone),
    (ev.ItemAdded, ev.ItemDone),
    (ev.PartAdded, ev.PartDone),
]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(STEPS), max_size=12),
    st.sampled_from(STATUSES),
    st.sampled_from(["audio", "text"]),
    st.sampled_from(["conv", None]),
)
def test_closed_anywhere_every_beginning_has_its_end(
    steps: list[Step], status: ev.ResponseStatus, modality: Modality, conversation: str | None
) -> None:
    page = Page(modality, conversation)
    for step in steps:
        step(page.writer)
    page.writer.close(status)
    kinds = Counter(type(event) for event in page.events)
    for begin, end in PAIRS:
        assert kinds[begin] == kinds[end]
    assert isinstance(page.events[0], ev.ResponseCreated)
    assert isinstance(page.events[-1], ev.ResponseDone)
    _check_nesting(page.events)
    assert all(item.status != "in_progress" for item in page.done.output)


def _check_nesting(events: list[Any]) -> None:
    """One item open at a time, deltas only inside their part."""
    item = part = None
    for event in events:
        match event:
            case ev.OutputItemAdded():
                assert item is None
                item = event.output_index
            case ev.OutputItemDone():
                assert (item, part) == (event.output_index, None)
                item = None
            case ev.PartAdded():
                assert (event.ref.output_index, part) == (item, None)
                part = event.ref
            case ev.PartDone():
                assert part == event.ref
                part = None
            case ev.TextDelta() | ev.AudioDelta() | ev.TextDone() | ev.AudioDone():
                assert part == event.ref
            case ev.ArgumentsDelta() | ev.ArgumentsDone():
                assert event.ref.output_index == item
    assert (item, part) == (None, None)


@pytest.mark.parametrize("opened", [True, False])
def test_after_close_nothing_is_written(opened: bool) -> None:
    page = Page()
    if opened:
        page.writer.open()
        page.writer.text("word")
    page.writer.close("cancelled")
    written = len(page.events)
    for step in STEPS:
        step(page.writer)
    page.writer.close("completed")
    assert len(page.events) == written
    assert page.done.status == "cancelled"
