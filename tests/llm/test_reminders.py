"""Facts of the instructions that are told once more where they are asked for."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.config import LlmSettings, Settings
from voicepipe.llm.contract import ChatRequest, Delta, Finish, Message, TextDelta
from voicepipe.llm.reminded import RemindedModel
from voicepipe.llm.reminders import MOST_WORDS, with_reminders
from voicepipe.runtime.clock import MonotonicClock
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
    assert reminder(prompt, "how much is a shower") == "Berth: 14 euros a night; Showers: 2 euros"
    assert reminder(prompt, "which channel") == "Radio: channel 12"


@pytest.mark.parametrize(
    "prompt", ["", "You are a dog.", "A wash is 20 euros.", "Be brief. A b c."]
)
def test_a_single_fact_is_not_told_twice(prompt: str) -> None:
    assert reminder(prompt, "how much is a wash") == ""


def test_long_sentences_stand_alone() -> None:
    long = "A wash takes " + "very " * MOST_WORDS + "long."
    assert reminder(f"{long} A wash is 20 euros. No cats.", "a wash") in (
        long,
        "A wash is 20 euros.",
    )


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
    max_size=12,
)


@given(TALK, st.integers(0, 12))
def test_a_prompt_begins_as_the_one_before_did(talk: list[Message], end: int) -> None:
    """Or an engine's prefix cache would not match."""
    messages = [Message("system", GROOMER), *talk]
    assert with_reminders(messages)[: 1 + end] == with_reminders(messages[: 1 + end])


@given(st.text(max_size=300), st.text(max_size=100), st.text(max_size=100))
def test_any_text_will_do(instructions: str, said: str, before: str) -> None:
    told = reminder(instructions, said, before, before)
    assert not told or all(part.strip() in instructions for part in told.split("; "))


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


@pytest.mark.parametrize("reminders", [False, True])
def test_it_is_a_setting(reminders: bool) -> None:
    settings = Settings(llm=LlmSettings(engine="simulated", model="", reminders=reminders))
    engines = build_engines(settings, MonotonicClock())
    assert isinstance(engines.model, RemindedModel) == reminders
