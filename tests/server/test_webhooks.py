"""Programs are told of calls: signed, in order, at least once, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.call_log.harness import (
    DEADLINE_S,
    WallTime,
    info,
    open_log,
    opened_store,
    sqlite_url,
    turn_record,
)
from tests.server.harness import running_server
from tests.server.telephony.harness import OPEN, tone
from tests.server.telephony.harness import call as phone_call
from tests.server.test_live_calls import only_call
from tests.server.undelivered import settings_with
from tests.server.webhook_receiver import SECRET, Receiver, receiver
from tests.serving import free_port
from voicepipe.agents.directory import AgentDirectory
from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.event_outbox import (
    LAST_PAUSE_S,
    NO_KEY_PAUSE_S,
    pause_s,
    waiting_events,
)
from voicepipe.call_log.log import CallLog
from voicepipe.call_log.retention import delete_calls, of_caller
from voicepipe.cli.webhooks import app as command
from voicepipe.config import Settings, WebhookSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.live_calls import LiveCalls
from voicepipe.server.webhooks.delivery import Deliveries
from voicepipe.server.webhooks.incoming import IncomingCalls
from voicepipe.server.webhooks.request import Delivery, WebhookFailed, new_client, send

ROOT = Path(__file__).resolve().parents[2]
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def kept(folder: Path) -> dict[str, Any]:
    return {
        "enabled": True,
        "database": sqlite_url(folder),
        "recordings_dir": str(folder / "sound"),
        "record_audio": True,
    }


async def test_a_call_is_told_from_its_answer_to_its_end(tmp_path: Path) -> None:
    async with receiver() as program:
        async with running_server(
            telephony=OPEN,
            calls=kept(tmp_path),
            webhooks=program.settings(),
            agents={"desk": {}},
            server={"agent": "desk"},
        ) as server:
            async with phone_call(server) as phone:
                live = await only_call(server)
                await phone.say(tone(400))
                await program.until("turn.completed")
            async with httpx.AsyncClient(base_url=server.http, trust_env=False) as http:
                wanted = 'voicepipe_webhook_deliveries_total{result="delivered"}'
                assert wanted in (await http.get("/metrics")).text
            ended = await program.until("call.ended")
        assert program.types() == ["call.incoming", "call.answered", "turn.completed", "call.ended"]
        incoming, answered, turn, _ = program.events
        for event in program.events:
            assert event["data"]["call_id"] == live.id
            assert event["data"]["transport"] == "twilio"
        assert answered["data"]["agent"] == "desk"
        assert answered["data"]["carrier_call_id"] == incoming["data"]["carrier_call_id"]
        said = "It is half past seven. Can I do more for you?"
        measured = turn["data"]["turn"]
        assert (measured["number"], measured["user"]) == (1, "what time is it")
        assert measured["ledger"]["critical_ms"]["endpoint"] > 0
        assert ended["data"]["transcript"] == [
            {"turn": 1, "user": "what time is it", "agent": measured["agent"]}
        ]
        assert said.startswith(measured["agent"])
        assert ended["data"]["voice_to_voice_ms"]["n"] == 1
        assert ended["data"]["end_reason"] == "caller hung up"
        assert (tmp_path / "sound" / ended["data"]["recording"]).exists()
        assert len(set(program.attempts)) == 4, "each once, where all goes well"


class Telling:
    """A log with deliveries, for the length of a block."""

    def __init__(self, settings: Settings) -> None:
        self.log = CallLog(settings, MonotonicClock())
        self._settings = settings

    async def __aenter__(self) -> CallLog:
        await self.log.start()
        assert self.log.outbox is not None
        self.deliveries = Deliveries(self._settings.webhooks, self.log.outbox)
        self.deliveries.start()
        loop = asyncio.get_running_loop()
        self.log.tell(lambda: void(loop.call_soon_threadsafe(self.deliveries.wake)))
        return self.log

    async def __aexit__(self, *error: object) -> None:
        await self.deliveries.aclose()
        await self.log.aclose(DEADLINE_S)


def void(anything: object) -> None: ...


def telling(folder: Path, program: Receiver, **more: Any) -> Telling:
    settings = settings_with(folder, program.url)
    changed = settings.webhooks["mine"].model_copy(update=more)
    return Telling(settings.model_copy(update={"webhooks": {"mine": changed}}))


def turns_of(program: Receiver) -> list[int]:
    found = [e["data"]["turn"]["number"] for e in program.events if e["type"] == "turn.completed"]
    return list(dict.fromkeys(found))  # at least once: a program drops what it has seen


async def test_kill_9_between_a_turns_commit_and_its_webhook_loses_nothing(
    tmp_path: Path,
) -> None:
    port = free_port()  # where nobody answers yet
    committed = run_and_kill(tmp_path, f"http://127.0.0.1:{port}/hook")
    async with receiver(port) as program, telling(tmp_path, program):
        ended = await program.until("call.ended")
        assert program.types()[0] == "call.answered"
        assert turns_of(program)[:committed] == list(range(1, committed + 1))
        assert ended["data"]["end_reason"] == "server stopped"
        assert ended["data"]["call_id"] == "rtc_1"
        assert len(ended["data"]["transcript"]) >= committed


def run_and_kill(folder: Path, url: str) -> int:
    """How many turns its process said were committed when it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.server.undelivered", str(folder), url],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    committed = 0
    while committed < 20:
        line = process.stdout.readline()
        assert line, "the process ended by itself"
        committed = int(line)
    os.kill(process.pid, signal.SIGKILL)
    rest, _ = process.communicate(timeout=DEADLINE_S)
    return max([committed, *(int(line) for line in rest.splitlines() if line)])


async def test_what_is_not_taken_comes_again_in_order_and_holds_up_no_other_call(
    tmp_path: Path,
) -> None:
    async with receiver() as program:

        def answer(event: dict[str, Any]) -> tuple[int, str]:
            first = [kind for _, kind in program.attempts].count("call.answered") < 3
            of_one = event["data"]["session_id"] == "sess_1"
            return (500, "") if of_one and first else (200, "")

        program.answer = answer
        async with telling(tmp_path, program) as log:
            one, other = log.begin(info("sess_1")), log.begin(info("sess_2"))
            assert one.turn(turn_record(1), "a", "b")
            assert other.turn(turn_record(1, "sess_2"), "c", "d")
            other.end("done")
            await program.until("call.ended")
            one.end("done")
            await program.until("call.ended", 2)
    by_call: dict[str, list[str]] = {"sess_1": [], "sess_2": []}
    for event in program.events:
        by_call[event["data"]["session_id"]].append(event["type"])
    assert (
        by_call["sess_1"] == by_call["sess_2"] == ["call.answered", "turn.completed", "call.ended"]
    )
    assert program.events[0]["data"]["session_id"] == "sess_2", "the other was not held up"
    ids = [one for one, kind in program.attempts if kind == "call.answered"]
    assert len(set(ids)) == 2, "the same event keeps its id"


async def test_dead_letters_are_listed_and_sent_again(tmp_path: Path) -> None:
    database = ["--database", sqlite_url(tmp_path)]
    async with receiver() as program:
        program.answer = lambda event: (410, "gone")
        async with telling(tmp_path, program, attempts=1) as log:
            log.begin(info()).end("done")
            async with asyncio.timeout(DEADLINE_S):
                while len(program.attempts) < 2:  # the second comes though the first is dead
                    await asyncio.sleep(0.01)
            assert log.outbox is not None
            async with asyncio.timeout(DEADLINE_S):
                while len(await run(["list", "--dead", "--json", *database])) < 2:
                    await asyncio.sleep(0.05)
            lines = await run(["list", "--dead", "--json", *database])
            dead = [json.loads(line) for line in lines]
            assert [one["type"] for one in dead] == ["call.answered", "call.ended"]
            assert dead[0]["problem"] == "it answered with status 410"
            assert "body" not in dead[0], "what was said is not shown"
            assert any("410" in line for line in await run(["list", *database]))
            program.answer = lambda event: (200, "")
            assert await run(["retry", *database]) == ["2 events are sent again"]
            await program.until("call.ended")
            assert program.types() == ["call.answered", "call.ended"]
    assert await run(["list", *database]) == ["nothing waits"]
    result = CliRunner().invoke(command, ["retry", "msg_none", *database])
    assert result.exit_code != 0
    assert "no dead letters" in str(result.exception)


async def run(arguments: list[str]) -> list[str]:
    result = await asyncio.to_thread(CliRunner().invoke, command, arguments)
    assert result.exit_code == 0, result.output
    return [line for line in result.output.splitlines() if line]


async def test_what_cannot_be_read_waits_for_its_key(tmp_path: Path) -> None:
    now = WallTime()

    def keyed(key: bytes) -> dict[str, Any]:
        sealed = {"encryption_key": base64.b64encode(key * 32).decode()}
        settings = settings_with(tmp_path, "http://127.0.0.1:1/hook").model_dump()
        return {**settings, "calls": {**settings["calls"], **sealed}}

    async with open_log(Settings.model_validate(keyed(b"a")), now) as log:
        for number in range(3):
            log.begin(info(f"sess_{number}")).end("done")
    async with open_log(Settings.model_validate(keyed(b"b")), now) as log:
        log.begin(info("sess_new")).end("done")
        assert await log.flush(DEADLINE_S)
        assert log.outbox is not None
        (event,) = log.outbox.due("mine", 2)
        assert '"sess_new"' in event.body
        lines = await run(["list", "--json", "--database", sqlite_url(tmp_path)])
        waiting = [json.loads(line) for line in lines]
        problems = [one["problem"] for one in waiting if "encryption_key" in one["problem"]]
        assert (len(waiting), len(problems)) == (8, 3)
        assert {one["attempts"] for one in waiting} == {0}
    now.advance(seconds=NO_KEY_PAUSE_S)
    async with open_log(Settings.model_validate(keyed(b"a")), now) as log:
        assert log.outbox is not None
        again = log.outbox.due("mine", 8)
        assert [event.type for event in again] == ["call.answered"] * 3
        assert '"sess_0"' in again[0].body


async def test_redirects_are_not_followed_and_endless_answers_not_read(tmp_path: Path) -> None:
    async with receiver() as program:
        answers = [(302, ""), (200, "x" * 100_000)]
        program.answer = lambda event: answers.pop(0) if answers else (200, "")
        async with telling(tmp_path, program, events=("call.answered",)) as log:
            log.begin(info())
            await program.until("call.answered", 2)
        assert len(program.attempts) == 3, "neither counts as taken"


async def test_an_answer_that_comes_drop_by_drop_has_a_deadline() -> None:
    """Else it would hold up the later events of its call for as long as it likes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"x")
            await asyncio.sleep(0.02)
        left.set()

    left = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    one = WebhookSettings(url=f"http://127.0.0.1:{port}/hook", secret=SecretStr(SECRET))
    async with new_client() as client, asyncio.timeout(30):
        with pytest.raises(WebhookFailed, match=r"no answer within 0\.2 s"):
            await send(client, one, Delivery("msg_1", "{}"), 0.2)
        await left.wait()
    server.close()


async def test_a_host_that_cannot_be_is_one_that_cannot_be_reached() -> None:
    """Else all calls failed over it, and no later event was sent."""
    one = WebhookSettings(url="http://xn--a/hook", secret=SecretStr(SECRET))
    async with new_client() as client:
        with pytest.raises(WebhookFailed, match="it cannot be reached"):
            await send(client, one, Delivery("msg_1", "{}"), 5.0)


async def test_trace_goes_along(tmp_path: Path) -> None:
    async with receiver() as program, telling(tmp_path, program) as log:
        log.begin(info(traceparent=TRACE)).end("done")
        log.begin(info("sess_2", traceparent="x\r\nevil: 1")).end("done")
        await program.until("call.ended", 2)
        found = {headers.get("traceparent") for headers in program.headers}
        assert found == {TRACE, None}


async def test_texts_that_are_not_kept_are_not_told(tmp_path: Path) -> None:
    async with receiver() as program:
        settings = settings_with(tmp_path, program.url)
        calls = settings.calls.model_copy(update={"store_text": False})
        async with Telling(settings.model_copy(update={"calls": calls})) as log:
            call = log.begin(info())
            call.turn(turn_record(1), "my secret", "I keep it")
            call.end("done")
            await program.until("call.ended")
        assert "secret" not in json.dumps(program.events)


async def test_webhook_that_the_settings_name_no_more_gets_nothing(tmp_path: Path) -> None:
    async with receiver() as program:
        settings = settings_with(tmp_path, program.url)
        async with open_log(settings) as log:
            log.begin(info()).end("done")
        other = settings.model_copy(update={"webhooks": {"other": settings.webhooks["mine"]}})
        async with Telling(other) as log:
            log.begin(info("sess_2")).end("done")
            await program.until("call.ended")
        assert {e["data"]["session_id"] for e in program.events} == {"sess_2"}
        dead = await run(["list", "--dead", "--json", "--database", sqlite_url(tmp_path)])
        assert {json.loads(line)["webhook"] for line in dead} == {"mine"}


async def test_deleted_calls_take_their_events_along(tmp_path: Path) -> None:
    async with open_log(settings_with(tmp_path, "http://127.0.0.1:1/hook")) as log:
        log.begin(info(caller="+1")).end("done")
        log.begin(info("sess_2", caller="+2")).end("done")
    store = opened_store(tmp_path)
    assert list(delete_calls(store, tmp_path, of_caller("+1", None))) == [1]
    left = waiting_events(store, dead=False, limit=10)
    assert len({one["call_id"] for one in left}) == 1
    store.close()


def test_pauses_grow_and_end() -> None:
    pauses = [pause_s(n) for n in range(1, 20)]
    assert pauses[:4] == [1, 2, 4, 8]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LAST_PAUSE_S


async def test_webhooks_without_a_database_are_told_at_start() -> None:
    settings = Settings.model_validate(
        {"webhooks": {"mine": {"url": "https://example.com", "secret": SECRET}}}
    )
    with pytest.raises(ConfigError, match=r"webhooks\.mine .*calls\.enabled"):
        await CallLog(settings, MonotonicClock()).start()


def test_only_one_webhook_can_decide() -> None:
    one = {"url": "https://example.com", "secret": SECRET}
    settings = Settings.model_validate({"webhooks": {"a": one, "b": one}})
    with pytest.raises(ConfigError, match=r"webhooks\.b\.events: call\.incoming is asked of a"):
        IncomingCalls(settings, AgentDirectory({}), LiveCalls())


@pytest.mark.parametrize(
    ("section", "where"),
    [
        ({"url": "ftp://x", "secret": SECRET}, "url"),
        ({"url": "https://x", "secret": "hush"}, "secret"),
        ({"url": "https://x", "secret": "whsec_AAAA"}, "secret"),
        ({"url": "https://x", "secret": SECRET, "events": ["call.started"]}, "events"),
        ({"url": "https://x", "secret": SECRET, "events": []}, "events"),
    ],
)
def test_wrong_settings_are_named(section: dict[str, Any], where: str) -> None:
    with pytest.raises(ValueError, match=rf"webhooks\.mine\.{where}"):
        Settings.model_validate({"webhooks": {"mine": section}})


async def test_what_is_on_its_way_is_not_sent_again_where_the_database_fails_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []

    async def slow_for_one(*given: Any) -> bytes:
        first = not sent
        sent.append(given[2].id)
        await asyncio.sleep(0 if first else 0.3)
        return b""

    monkeypatch.setattr("voicepipe.server.webhooks.delivery.send", slow_for_one)
    monkeypatch.setattr("voicepipe.server.webhooks.delivery.LOOK_S", 0.05)
    settings = settings_with(tmp_path, "http://127.0.0.1:1/hook")
    async with open_log(settings) as log:
        log.begin(info())
        log.begin(info("sess_2"))
        assert await log.flush(DEADLINE_S)
        assert log.outbox is not None
        outbox, forget = log.outbox, log.outbox.delivered
        failures = iter([CallStoreError("locked")])

        def failing_once(event: Any) -> None:
            for error in failures:
                raise error
            forget(event)

        monkeypatch.setattr(outbox, "delivered", failing_once)
        deliveries = Deliveries(settings.webhooks, outbox)
        deliveries.start()
        async with asyncio.timeout(DEADLINE_S):
            while outbox.due("mine", 8):
                await asyncio.sleep(0.02)
        await deliveries.aclose()
    failed, slow = sent[:2]
    assert (sent.count(failed), sent.count(slow)) == (2, 1)


async def test_a_fault_of_another_kind_does_not_end_the_deliveries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a moment in which the system has no room for a thread."""
    monkeypatch.setattr("voicepipe.server.webhooks.delivery.LOOK_S", 0.05)
    async with receiver() as program:
        settings = settings_with(tmp_path, program.url)
        async with open_log(settings) as log:
            log.begin(info())
            assert await log.flush(DEADLINE_S)
            assert log.outbox is not None
            outbox, due = log.outbox, log.outbox.due
            failures = iter([RuntimeError("can't start new thread")])

            def failing_once(*asked: Any) -> Any:
                for error in failures:
                    raise error
                return due(*asked)

            monkeypatch.setattr(outbox, "due", failing_once)
            deliveries = Deliveries(settings.webhooks, outbox)
            deliveries.start()
            await program.until("call.answered")
            await deliveries.aclose()
    assert "can't start new thread" in caplog.text
