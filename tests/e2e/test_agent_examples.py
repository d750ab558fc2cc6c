"""The examples in agents/, each as its page says: a real server on the built-in models, the
example's own service beside it, and a caller."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.forked import voicepipe
from tests.serving import free_port, serving

ROOT = Path(__file__).parents[2]
ANSWER_S = 30.0


def till(port: int) -> AbstractContextManager[None]:
    """The coffee bar's service."""
    return service("coffee_bar/orders.py", port)


@contextmanager
def service(program: str, port: int) -> Iterator[None]:
    """An example's own, when it answers."""
    command = [sys.executable, f"agents/{program}", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                httpx.get(f"http://127.0.0.1:{port}/")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(10)


def taken(port: int) -> list[dict[str, Any]]:
    """What the till knows."""
    orders: list[dict[str, Any]] = httpx.get(f"http://127.0.0.1:{port}/orders").json()
    return orders


def booked(port: int) -> list[str]:
    """What the desk of the bookings knows."""
    bookings = httpx.get(f"http://127.0.0.1:{port}/bookings").json()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", one["when"]) for one in bookings)
    return [one["booking"] for one in bookings]


@contextmanager
def example(name: str, tmp_path: Path, *changes: tuple[str, str]) -> Iterator[str]:
    """`host:port` of a server with the example's settings, a port or so changed."""
    text = (ROOT / "agents" / name / "voicepipe.toml").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    file = tmp_path / "voicepipe.toml"
    file.write_text(text)
    database = f"calls.database=sqlite:///{tmp_path}/calls.sqlite3"
    options = ("--config", str(file), "--set", database)
    with serving(tmp_path / "log", *options, cwd=ROOT) as address:
        yield address


class Writer:
    """A caller who writes: what is said to them is read."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def ask(self, text: str) -> str:
        part = {"type": "input_text", "text": text}
        item = {"type": "message", "role": "user", "content": [part]}
        await self._send({"type": "conversation.item.create", "item": item})
        await self._send({"type": "response.create"})
        return await self.read()

    async def read(self) -> str:
        """The next answer."""
        async with asyncio.timeout(ANSWER_S):
            while (event := json.loads(await self._socket.recv()))["type"] != "response.done":
                assert event["type"] != "error", event
        assert event["response"]["status"] == "completed", event
        return " ".join(
            part["text"]
            for item in event["response"]["output"]
            if item["type"] == "message"
            for part in item["content"]
        )

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send(json.dumps(message))


@asynccontextmanager
async def writing(address: str) -> AsyncIterator[tuple[Writer, str]]:
    """The caller, and the greeting."""
    async with connect(f"ws://{address}/v1/realtime") as socket:
        writer = Writer(socket)
        session = {"type": "realtime", "output_modalities": ["text"]}
        await socket.send(json.dumps({"type": "session.update", "session": session}))
        yield writer, await writer.read()


def page(port: int) -> str:
    """The settings of docs/your-own-endpoint.md, with the till elsewhere."""
    text = (ROOT / "docs" / "your-own-endpoint.md").read_text()
    (toml,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    return str(toml).replace("127.0.0.1:9000", f"127.0.0.1:{port}")


def test_the_page_puts_a_number_on_an_agent_whose_tool_is_an_endpoint(tmp_path: Path) -> None:
    """As the page says it: one file, a call to the number, and the tool's share in the log."""
    port = free_port()
    (tmp_path / "voicepipe.toml").write_text(page(port))

    def said(*words: str) -> str:
        done = voicepipe(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with till(port):
        assert "bar is well" in said("agents", "check")
        order = str(ROOT / "agents" / "coffee_bar" / "order.flac")
        called = ("--carrier", "telnyx", "--called", "+15550100")
        (turn,) = json.loads(said("call", "simulate", order, *called, "--json"))["turns"]
        assert taken(port) == [{"number": 1, "order": "a large cappuccino", "caller": "+15550001"}]
    assert turn["critical_ms"]["tool"] > 0
    assert abs(sum(turn["critical_ms"].values()) - turn["voice_to_voice_ms"]) < 0.01
    call = json.loads(said("calls", "list", "--json"))
    assert (call["agent"], call["called"]) == ("bar", "+15550100")
    shown = said("calls", "show", call["id"])
    assert "tool order took" in shown
    assert '->{"number":1' in "".join(shown.split()), "what was asked and answered"
    assert "That is a large cappuccino, your number is 1." in shown


async def test_an_order_is_changed_priced_read_back_and_placed(tmp_path: Path) -> None:
    port = free_port()
    with till(port), example("coffee_bar", tmp_path, ("127.0.0.1:9000", f"127.0.0.1:{port}")) as at:
        async with writing(at) as (caller, greeting):
            assert greeting == "Welcome to the coffee bar. What can I get you?"
            assert "a large cappuccino" in await caller.ask("a large cappuccino please")
            assert "a medium cappuccino" in await caller.ask("actually make it a medium")
            said = await caller.ask("and two muffins")
            assert "a medium cappuccino and two muffins" in said
            assert "eight euros fifty" in await caller.ask("how much is that")
            assert "no pizza" in await caller.ask("and a pizza")
            assert await caller.ask("what time is it")  # the model, with its own tool, and back
            said = await caller.ask("no that's all")
            assert "a medium cappuccino and two muffins" in said
            assert taken(port) == [], "nothing is placed before the caller says yes"
            assert "number is one" in await caller.ask("yes please")
        assert [order["order"] for order in taken(port)] == ["a medium cappuccino and two muffins"]


async def test_the_bar_says_so_when_the_till_is_gone(tmp_path: Path) -> None:
    at_port = ("127.0.0.1:9000", f"127.0.0.1:{free_port()}")
    with example("coffee_bar", tmp_path, at_port) as at:
        async with writing(at) as (caller, _):
            said = await caller.ask("a coffee please")
            assert "can't take orders right now" in said
            assert await caller.ask("thank you")  # the call lives
    assert "tools.http[0] (hear)) failed" in " ".join((tmp_path / "log").read_text().split())


async def test_a_booking_is_asked_for_refused_put_right_read_back_and_booked(
    tmp_path: Path,
) -> None:
    port = free_port()
    at_port = ("127.0.0.1:9001", f"127.0.0.1:{port}")
    with service("bookings/desk.py", port), example("bookings", tmp_path, at_port) as at:
        async with writing(at) as (caller, greeting):
            assert greeting == "the Harbour Barbers, hello. How can I help you?"
            assert await caller.ask("a haircut on monday please") == (
                "I'm sorry, we're closed on Mondays. For which other day?"
            )
            assert "a cut on Friday" in await caller.ask("friday then")
            assert "eighteen euros" in await caller.ask("how much is a cut")
            both = await caller.ask("at half past nine, and can i park")
            assert "fish market" in both
            assert "Whose name" in both
            assert await caller.ask("it's tom barley") == (
                "Okay. That is a cut on Friday at half past nine for Tom Barley. Shall I book it?"
            )
            assert booked(port) == [], "nothing is booked before the caller says yes"
            assert "at half past ten" in await caller.ask("no make it half past ten")
            assert "is booked" in await caller.ask("yes please")
            assert "half past ten" in await caller.ask("what time was that again")
        assert booked(port) == ["a cut on Friday at half past ten for Tom Barley"]


async def test_the_front_desk_knows_its_diary_and_its_colleague(tmp_path: Path) -> None:
    with example("front_desk", tmp_path) as at:
        async with writing(at) as (caller, greeting):
            assert greeting == "Welcome to our company. How can I help you?"
            said = await caller.ask("do you have time on monday")
            assert said == "On monday there is nine and ten free."
            said = await caller.ask("please book me on monday at nine")
            assert said == "You are booked for monday at nine."
            said = await caller.ask("please book me on monday at nine")
            assert said == "I am sorry, that time is taken."
            assert await caller.ask("please give me the kitchen") == "One moment, please."
            assert await caller.read() == "This is the kitchen. What would you like?"
            said = await caller.ask("do you have time on monday")
            assert "nine and ten free" not in said, "the kitchen has no diary"


async def test_the_survey_takes_keys(tmp_path: Path) -> None:
    with example("survey", tmp_path) as at:
        async with writing(at) as (caller, greeting):
            assert greeting.endswith("Please press a key.")
            assert await caller.ask("[keypad] 4") == "Thank you. Next: how fast were we?"
            assert await caller.ask("[keypad] 9") == "Please press a key from one to five."
            assert "come again" in await caller.ask("[keypad] 5")
            assert "goodbye" in await caller.ask("[keypad] 1")


def page_command(name: str) -> list[str]:
    """How the example's page rings it, as words."""
    text = (ROOT / "agents" / name / "README.md").read_text()
    (command,) = [b for b in re.findall(r"```sh\n(.*?)```", text, re.S) if "call simulate" in b]
    words = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"], cwd=ROOT, capture_output=True, check=True
    )
    return words.stdout.decode().rstrip("\0").split("\0")[1:]


@pytest.mark.parametrize(
    ("name", "results"),
    [
        (
            "front_desk",
            [
                ("free_times", "nine and ten free"),
                ("book_visit", "monday at nine"),
                ("hand_over", ""),
            ],
        ),
        (
            "survey",
            [
                ("note_rating", "how fast"),
                ("note_rating", "come again"),
                ("note_rating", "goodbye"),
            ],
        ),
    ],
)
def test_an_examples_page_leads_to_a_call_and_its_record(
    name: str, results: list[tuple[str, str]], tmp_path: Path
) -> None:

    def said(*words: str) -> str:
        done = voicepipe(*words, cwd=ROOT, env={"XDG_DATA_HOME": str(tmp_path)})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    words = page_command(name)
    words[words.index("-o") + 1] = str(tmp_path / "heard.wav")
    said(*words)
    call = json.loads(said("calls", "export"))
    called = [one for turn in call["turns"] for one in turn["tool_calls"]]
    assert [one["name"] for one in called] == [name for name, _ in results]
    for one, (_, told) in zip(called, results, strict=True):
        assert told in one["result"]
