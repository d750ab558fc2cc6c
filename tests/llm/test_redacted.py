"""What a language model is told of callers' personal data: nothing."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator

import pytest

from voicepipe.config import LlmSettings, PrivacySettings, Settings
from voicepipe.llm.contract import ChatRequest, Delta, Finish, Message, TextDelta, ToolCall
from voicepipe.llm.redacted import RedactedModel
from voicepipe.llm.routing.tool_rules import RuledModel
from voicepipe.privacy.redactor import redactor
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.assembly import build_engines

SAID = "my name is anna lee and my card is 4111 1111 1111 1111"
ASKED = ChatRequest(
    (
        Message("system", "We are at 12 Main Street."),
        Message("user", SAID),
        Message("tool", "anna@example.com", call_id="1"),
    )
)


class Told:
    """A model that keeps what it was asked."""

    name = "told"
    problem: str | None = None

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []

    async def start(self) -> None:
        pass

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        self.asked.append(request)
        yield TextDelta("yes")
        yield Finish("stop")

    async def warm(self, request: ChatRequest) -> None:
        self.asked.append(request)

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize("slow", [False, True])
async def test_it_is_taken_out_of_what_callers_say(slow: bool) -> None:
    redact = redactor(("card", "name"), PrivacySettings())
    assert redact is not None
    told = Told()
    model = RedactedModel(told, redact, slow=slow)
    await model.warm(ASKED)
    assert [delta async for delta in model.stream(ASKED)] == [TextDelta("yes"), Finish("stop")]
    warmed, asked = told.asked
    assert warmed == asked, "the prefix that was computed is the one that is asked for"
    system, user, tool = (message.content for message in asked.messages)
    assert user == "my name is [name] and my card is [card]"
    assert (system, tool) == ("We are at 12 Main Street.", "anna@example.com")


async def test_it_is_taken_out_of_calls_and_of_what_callers_keyed_in() -> None:
    redact = redactor(("card", "email"), PrivacySettings())
    assert redact is not None
    pay = ToolCall("1", "pay", '{"card": 4111111111111111, "to": ["anna@example.com"], "n": 2}')
    plain = ToolCall("2", "stock", '{"left" :3}')
    broken = ToolCall("3", "pay", "{card: 4111 1111 1111 1111")
    keys = ToolCall("4", "get_digits", "{}")
    entered = '{"digits": "4111111111111111", "ended_by": "count"}'
    asked = ChatRequest(
        (
            Message("assistant", "", tool_calls=(pay, plain, broken, keys)),
            Message("tool", '{"mail": "shop@example.com"}', call_id="1"),
            Message("tool", entered, call_id="4"),
        )
    )
    told = Told()
    await RedactedModel(told, redact, slow=False, callers=("get_digits",)).warm(asked)
    (calls, operators, keyed) = told.asked[0].messages
    assert [call.arguments for call in calls.tool_calls] == [
        '{"card": "[card]", "to": ["[email]"], "n": 2}',
        '{"left" :3}',
        "{card: [card]",
        "{}",
    ]
    assert operators.content == '{"mail": "shop@example.com"}'
    assert keyed.content == '{"digits": "[card]", "ended_by": "count"}'
    assert asked.messages[0].tool_calls[0] is pay, "who calls the tools has what was said"


def test_what_is_wrong_with_the_model_is_told() -> None:
    broken = Told()
    assert RuledModel(RedactedModel(broken, str, slow=False), {}).problem is None
    broken.problem = "its worker is gone"
    assert RuledModel(RedactedModel(broken, str, slow=False), {}).problem == "its worker is gone"


async def test_long_texts_are_read_in_a_thread() -> None:
    where: list[str] = []

    def redact(text: str) -> str:
        where.append(threading.current_thread().name)
        return text

    model = RedactedModel(Told(), redact, slow=False)
    for text in ("short", "long " * 5000):
        await model.warm(ChatRequest((Message("user", text),)))
    assert where[0] == threading.main_thread().name != where[1]


async def test_the_settings_put_it_before_everything_else() -> None:
    settings = Settings(profile="simulated", llm=LlmSettings(engine="simulated", redact=("card",)))
    assert isinstance(build_engines(settings, MonotonicClock()).model, RedactedModel)
    plain = Settings(profile="simulated", llm=LlmSettings(engine="simulated"))
    assert not isinstance(build_engines(plain, MonotonicClock()).model, RedactedModel)


def test_a_missing_finder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "presidio_analyzer", None)
    with pytest.raises(ConfigError, match=r"privacy.presidio is on.*\[presidio\]"):
        redactor(["name"], PrivacySettings(presidio=True, language="fr"))
