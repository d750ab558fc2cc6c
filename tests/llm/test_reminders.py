"""Facts of the instructions that are told once more where they are asked for."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.config import LlmFallbackSettings, LlmSettings, Settings
from voicepipe.llm.contract import (
    IDLE_PRIORITY,
    ChatRequest,
    Delta,
    Finish,
    Message,
    TextDelta,
)
from voicepipe.llm.prompt import SUMMARY_HEAD
from voicepipe.llm.reminded import RemindedModel
from voicepipe.llm.reminders import MOST_CHARS, MOST_WORDS, NEWEST, ROOM, with_reminders
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import RequestRefused
from voicepipe.server.assembly import build_engines

GROOMER = (
    "You answer the phone for Muddy Paws, a dog groomer's in Kiln Lane. Open Wednesday to Saturday "
    "from nine to five. A wash is 20 euros, a full groom 45 euros. We do not take dogs over forty "
    "kilos, and no cats. A booking needs the dog's name, the breed, the day and the time. Be brief."
)
HOURS = "Open Wednesday to Saturday from nine to five."
PRICES = "A wash is 20 euros, a full groom 45 euros."
LIMITS = "We do not take dogs over forty kilos, and no cats."
NEEDED = "A booking needs the dog's name, the breed, the day and the time."


def reminder(instructions: str, said: str, asked: str = "", answered: str = "") -> str:
    """What is told behind `said`, without its brackets."""
    earlier = [Message("user", asked), Message("assistant", answered)] if asked else []
    messages = [Message("system", instructions), *earlier, Message("user", said)]
    return with_reminders(messages)[-1].content.removeprefix(said)[2:-1]


@pytest.mark.parametrize(
    ("said", "asked", "answered", "told"),
    [
        ("what's a full groom", "", "", PRICES),
        ("how much would that be", "", "", PRICES),  # no word of it: an amount is asked for
        ("are you there on sundays", "", "", HOURS),
        ("would you do my cat too", "", "", LIMITS),
        ("and with a full one", "what's a wash", "A wash is twenty euros.", PRICES),
        ("at ten", "thursday", "Okay, a wash on Thursday. For what time?", f"{HOURS} {NEEDED}"),
        ("he's biscuit", "at ten", "Okay, at ten. What is the dog's name?", NEEDED),
        ("yes please", "at ten", "That is a wash at ten. Shall I book it?", ""),
        ("thank you bye", "what's a wash", "A wash is twenty euros.", ""),
        ("do you sell hamsters", "", "", ""),
        ("who are you", "", "", ""),  # what the model is to be is no fact
    ],
)
def test_what_is_asked_for_is_found(said: str, asked: str, answered: str, told: str) -> None:
    assert reminder(GROOMER, said, asked, answered) == told


def test_lists_are_told_by_their_lines() -> None:
    prompt = "Harbour office.\n- Berth: 14 euros a night\n- Showers: 2 euros\n* Radio: channel 12"
    assert reminder(prompt, "how much is a shower") == "Showers: 2 euros"
    assert reminder(prompt, "which channel") == "Radio: channel 12"


@pytest.mark.parametrize(
    "prompt", ["", "You are a dog.", "A wash is 20 euros.", "Be brief. A b c."]
)
def test_a_single_fact_is_not_told_twice(prompt: str) -> None:
    assert reminder(prompt, "how much is a wash") == ""


@pytest.mark.parametrize(
    ("prompt", "said", "told"),
    [
        ("A visit is 9 euros. Open from 9 a.m. to 5 p.m. on weekdays.", "when are you open",
         "Open from 9 a.m. to 5 p.m. on weekdays."),
        ("Dr. Smith is in on Mondays. No cats.", "who is smith", "Dr. Smith is in on Mondays."),
        ("# Prices\nPrices:\nWash: 20 euros\nPool: closed", "how much is it", "Wash: 20 euros"),
        ("The shop’s in Kiln Lane. A wash is 20 euros.", "what’s up", ""),
        ("Speakers are 20 euros. Lamps are 5 euros.", "a speaker", "Speakers are 20 euros."),
        ("Don't be rude. Never guess. You are kind. A wash is 20 euros.", "who are you", ""),
        ("The sun terrace is wide. Open Sun 10-4. A wash is 9 euros.", "are you open on sunday",
         "Open Sun 10-4."),
        ("If you are over 65 a ticket is 5 euros. Pool: 9 euros.", "i'm 65 how much is a ticket",
         "If you are over 65 a ticket is 5 euros."),
    ],
)  # fmt: skip
def test_sentences_are_told_whole_and_headings_not_at_all(
    prompt: str, said: str, told: str
) -> None:
    assert reminder(prompt, said) == told


def test_what_is_long_is_not_told() -> None:
    long = "A wash takes " + "very " * MOST_WORDS + "long."
    short = "A wash is 20 euros."
    assert reminder(f"{long} {short} No cats.", "a wash") == short
    assert reminder(f"{short} No cats. {'No fish! ' * 4000}", "a wash") == short
    assert reminder(f"{short} No cats. {'.' * 19_965} A wash is 120 euros.", "wash") == short


def test_the_newest_have_the_room() -> None:
    talk = [Message("user", f"what is a wash for dog {n}") for n in range(100)]
    told = with_reminders([Message("system", GROOMER), *talk])[1:]
    added = [len(one.content) - len(said.content) for one, said in zip(told, talk, strict=True)]
    reminded = [n > 0 for n in added]
    assert 0.8 * ROOM < sum(added) < ROOM + 3 * NEWEST  # with brackets
    assert sorted(reminded) == reminded


@pytest.mark.parametrize(
    "text",
    [" " * 20_000, "\n" * 20_000, "what " * 4000, "a. " * 7000, "9 a.m. " * 3000, "- \n" * 7000],
)
def test_no_text_takes_long(text: str) -> None:
    talk = [Message("assistant", f"{text}?"), Message("user", text)] * 20
    began = time.process_time()
    with_reminders([Message("system", f"{GROOMER}\n{text}"), *talk])
    assert time.process_time() - began < 1  # 0.1 s at most; what is quadratic took 8


def test_each_of_the_callers_messages_has_its_own() -> None:
    messages = (
        Message("system", GROOMER),
        Message("user", "what's a wash"),
        Message("assistant", "A wash is twenty euros."),
        Message("user", "and do you do cats"),
        Message("assistant", "No."),
        Message("user", "oh"),
    )
    told = with_reminders(messages)
    assert [one.content for one in told] == [
        GROOMER,
        f"what's a wash\n({PRICES})",
        "A wash is twenty euros.",
        f"and do you do cats\n({LIMITS})",
        "No.",
        "oh",
    ]
    assert with_reminders(messages[1:]) == messages[1:]  # no instructions, no facts


TALK = st.lists(
    st.builds(
        Message,
        st.sampled_from(("user", "assistant", "tool")),
        st.sampled_from(("what's a wash", "on sunday", "yes", "cats?", "", "at ten o'clock")),
    ),
    max_size=8,
)


@given(TALK, st.integers(0, 8))
def test_a_prompt_begins_as_the_one_before_did(talk: list[Message], end: int) -> None:
    """Or an engine's prefix cache would not match."""
    messages = [Message("system", GROOMER), *talk]
    assert with_reminders(messages)[: 1 + end] == with_reminders(messages[: 1 + end])


WORDS = st.lists(st.sampled_from((*GROOMER.split(), "\n", "- ", "(", "?", "what")), max_size=60)


@given(WORDS.map(" ".join), WORDS.map(" ".join), st.text(max_size=100))
def test_any_text_will_do(instructions: str, said: str, before: str) -> None:
    told = reminder(instructions, said, before, said)
    assert len(told) <= MOST_CHARS
    assert set(told.replace("; ", " ").split()) <= set(instructions.split())


class Told:
    """A model that keeps what it was asked."""

    name = "told"

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []

    async def start(self) -> None:
        pass

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        self.asked.append(request)
        yield TextDelta("twenty euros")
        yield Finish("stop")

    async def warm(self, request: ChatRequest) -> None:
        self.asked.append(request)

    async def aclose(self) -> None:
        pass


async def test_the_engine_is_told_and_what_is_still_being_said_is_not_guessed_at() -> None:
    told = Told()
    model = RemindedModel(told)
    asked = ChatRequest((Message("system", GROOMER), Message("user", "what's a wash")))
    await model.warm(asked)
    assert [delta async for delta in model.stream(asked)][-1] == Finish("stop")
    assert [one.messages[-1].content for one in told.asked] == [
        "what's a wash",
        f"what's a wash\n({PRICES})",
    ]
    await model.warm(ChatRequest(()))
    assert told.asked[-1].messages == ()


class Small(Told):
    """Its model holds no more than was said."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        if "(" in request.messages[-1].content:
            self.asked.append(request)
            raise RequestRefused("too long", stage="llm")
        async for delta in super().stream(request):
            yield delta


async def test_a_prompt_that_is_too_long_goes_without() -> None:
    small = Small()
    asked = ChatRequest((Message("system", GROOMER), Message("user", "what's a wash")))
    answer = [delta async for delta in RemindedModel(small).stream(asked)]
    assert answer == [TextDelta("twenty euros"), Finish("stop")]
    assert [one.messages == asked.messages for one in small.asked] == [False, True]
    refused = ChatRequest((Message("user", "("),))
    with pytest.raises(RequestRefused):
        assert [delta async for delta in RemindedModel(small).stream(refused)]


async def test_what_is_to_be_summed_up_and_what_was_is_no_fact() -> None:
    told = Told()
    model = RemindedModel(told)
    said = (Message("system", GROOMER), Message("user", "sum up: what's a wash"))
    summary = ChatRequest(said, tool_choice="none", priority=IDLE_PRIORITY)
    assert [delta async for delta in model.stream(summary)]
    assert told.asked[-1].messages == said
    assert reminder(f"A wash is 20 euros. {SUMMARY_HEAD}\nWants a wash. Is Bob.", "a wash") == ""


@pytest.mark.parametrize(
    ("settings", "reminded"),
    [
        ({"engine": "ctranslate2"}, True),  # the model of our own
        ({"engine": "ctranslate2", "reminders": False}, False),
        ({"engine": "simulated"}, False),
        ({"engine": "simulated", "reminders": True}, True),
        ({"engine": "openai", "model": "gpt-5", "base_url": "http://127.0.0.1:9/v1"}, False),
    ],
)
def test_it_is_a_setting(settings: dict[str, Any], reminded: bool) -> None:
    engines = build_engines(Settings(llm=LlmSettings(**settings)), MonotonicClock())
    assert isinstance(engines.model, RemindedModel) == reminded


def test_of_two_models_only_the_small_one_is_reminded() -> None:
    llm = LlmSettings(
        engine="simulated", fallback=LlmFallbackSettings(engine="ctranslate2", model="builtin/llm")
    )
    hedged = build_engines(Settings(llm=llm), MonotonicClock()).model
    assert isinstance(hedged, HedgedModel)
    assert not isinstance(hedged.primary, RemindedModel)
    assert isinstance(hedged.fallback, RemindedModel)
