"""HTTP tools, against a real service: what goes out, what is made of every kind of answer."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.scripted_server import Reply
from tests.tools.service import JSON, Service, json_reply, service
from voicepipe.config.tools import HttpToolSettings
from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import ToolResult
from voicepipe.tools.http import KEPT_S, HttpTools
from voicepipe.tools.running import run_tool

ORDER = {"properties": {"drink": {"type": "string"}}, "required": ["drink"]}
COFFEE = {"drink": "coffee"}


def settings(url: str, **given: Any) -> HttpToolSettings:
    return HttpToolSettings(name="order", url=url, **{"parameters": ORDER, **given})


async def ask(
    one: HttpToolSettings,
    arguments: Mapping[str, Any] = COFFEE,
    environ: Mapping[str, str] | None = None,
    facts: Mapping[str, str] | None = None,
) -> ToolResult:
    clock = MonotonicClock()
    tools = HttpTools([one], environ or {}, clock)
    try:
        call = ToolCall("call_1", "order", json.dumps(arguments))
        return await run_tool(tools.tools()[0], call, facts or {}, clock)
    finally:
        await tools.aclose()


def error(result: ToolResult) -> str:
    assert result.failed
    return str(json.loads(result.text)["error"])


async def test_arguments_go_out_as_json_and_json_comes_back() -> None:
    async with service(orders=json_reply({"number": 7, "note": "für hier"})) as bar:
        result = await ask(settings(f"{bar.origin}/orders"))
    assert json.loads(result.text) == {"number": 7, "note": "für hier"}
    assert "für" in result.text  # no escapes: they cost tokens
    assert not result.failed
    assert (bar.asked[0].method, bar.asked[0].json) == ("POST", COFFEE)


async def test_a_get_has_its_arguments_in_the_query_and_the_path() -> None:
    parameters = {
        "properties": {"order": {"type": "string"}, "verbose": {"type": "boolean"}},
        "required": ["order"],
    }
    async with service(**{"orders/a%2Fb%3Fc": json_reply({})}) as bar:
        url = f"{bar.origin}/orders/{{order}}?shop=north"
        one = settings(url, method="GET", parameters=parameters)
        await ask(one, {"order": "a/b?c", "verbose": True, "shop": "south"})
    assert bar.asked[0].path == "/orders/a%2Fb%3Fc?shop=north&verbose=true"


async def test_a_cookie_of_one_caller_is_not_sent_for_the_next() -> None:
    """All callers share the client: a service that knows people by cookies would mix them up."""
    answer = Reply((b"{}",), 200, {**JSON, "set-cookie": "caller=ann; Path=/"})
    clock = MonotonicClock()
    async with service(orders=answer) as bar:
        tools = HttpTools([settings(f"{bar.origin}/orders")], {}, clock)
        for _ in range(2):
            await run_tool(tools.tools()[0], ToolCall("1", "order", json.dumps(COFFEE)), {}, clock)
        await tools.aclose()
    assert len(bar.asked) == 2
    assert not [asked for asked in bar.asked if "cookie" in asked.headers]


async def test_a_connection_is_kept_for_the_next_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns are further apart than the 5 s for which the library would keep it."""
    connections: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        while await reader.readline():
            while await reader.readline() not in (b"\r\n", b""):
                pass
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    one = settings(f"http://127.0.0.1:{port}/orders", method="GET")
    clock, later_s = MonotonicClock(), 0.0
    now = time.monotonic
    monkeypatch.setattr(
        "httpcore._async.http11.time", SimpleNamespace(monotonic=lambda: now() + later_s)
    )
    tools = HttpTools([one], {}, clock)
    for pause_s in (0.0, KEPT_S / 2, KEPT_S + 1):
        later_s += pause_s
        call = ToolCall("call_1", "order", json.dumps(COFFEE))
        assert not (await run_tool(tools.tools()[0], call, {}, clock)).failed
    await tools.aclose()
    server.close()
    for connection in connections:
        await connection.wait_closed()
    assert len(connections) == 2


def test_nothing_is_loaded_in_a_callers_turn() -> None:
    """The first call finds all modules loaded: that would hold up every caller of the process."""
    code = """
import asyncio, sys
from tests.tools.test_http import HttpTools, MonotonicClock, settings
async def main():
    tools = HttpTools([settings("http://127.0.0.1:9/orders")], {}, MonotonicClock())
    await tools.start()
    before = set(sys.modules)
    try:
        await tools.tools()[0].run({"drink": "tea"}, {})
    except Exception:
        pass
    await tools.aclose()
    print(*sorted(set(sys.modules) - before))
asyncio.run(main())
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


@pytest.mark.parametrize("value", ["..", ".", ""])
async def test_an_argument_does_not_climb_out_of_the_path(value: str) -> None:
    parameters = {"properties": {"order": {"type": "string"}}, "required": ["order"]}
    async with service() as bar:
        one = settings(f"{bar.origin}/orders/{{order}}", method="GET", parameters=parameters)
        assert "cannot be used" in error(await ask(one, {"order": value}))
    assert not bar.asked


async def test_facts_are_sent_that_the_model_need_not_know() -> None:
    async with service(orders=json_reply({})) as bar:
        one = settings(f"{bar.origin}/orders", facts=("caller",))
        await ask(one, facts={"caller": "+15550100", "called": "+15550199"})
    assert bar.asked[0].json == {"drink": "coffee", "caller": "+15550100"}


async def test_a_model_cannot_say_who_is_calling() -> None:
    """A caller may talk it into trying: the service trusts what it is told of the call."""
    forged = {**COFFEE, "caller": "+15550666", "called": "+15550666"}
    async with service(orders=json_reply({})) as bar:
        one = settings(f"{bar.origin}/orders", facts=("caller", "called"))
        await ask(one, forged, facts={"caller": "+15550100"})
    assert bar.asked[0].json == {"drink": "coffee", "caller": "+15550100", "called": ""}


async def test_secrets_come_from_the_environment_and_reach_only_the_service(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "voicepipe")
    async with service(orders=json_reply({}, 500)) as bar:
        one = settings(
            f"{bar.origin}/orders?key=${{KEY}}", headers={"authorization": "Bearer ${TOKEN}"}
        )
        result = await ask(one, environ={"KEY": "hush1", "TOKEN": "hush2"})
    assert bar.asked[0].headers["authorization"] == "Bearer hush2"
    assert bar.asked[0].path == "/orders?key=hush1"
    assert "500" in caplog.text
    assert "hush" not in caplog.text + result.text + repr(one)
    assert "coffee" not in caplog.text


def test_a_variable_that_is_not_set_is_named() -> None:
    one = settings("http://127.0.0.1/", headers={"authorization": "${TOKEN}"})
    with pytest.raises(ConfigError, match=r"tools.http\[0\] \(order\): headers.auth.*TOKEN"):
        HttpTools([one], {"TOKEN": ""}, MonotonicClock())


BAD_SETTINGS = [
    ({"url": "ftp://x/"}, "http://"),
    ({"url": "http:///path"}, "host"),
    ({"url": "http://{drink}.example.net/"}, "path and query"),
    ({"url": "http://x/{table}"}, "parameters.required"),
    ({"url": "http://x/", "parameters": {"type": "array"}}, "parameters.type"),
    ({"url": "http://x/", "parameters": {"properties": {"a": {"type": "word"}}}}, "a.type"),
    ({"url": "http://x/", "parameters": {"$ref": "http://evil.example/s"}}, "points out"),
    ({"url": "http://x/", "headers": {"a": "b\r\nc: d"}}, "headers.a"),
    ({"url": "http://x/", "facts": ("drink",)}, "facts: 'drink'"),
    ({"url": "http://x/", "first": True}, "given no arguments"),
]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"first": True, "confirm": True}, "first: is waited for"),
        ({"first": True, "wait": "background"}, "first: is waited for"),
        ({"say_failed": "Sorry."}, "say_failed: is of a tool with first"),
    ],
)
def test_what_a_tool_that_is_asked_first_can_not_be(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        settings("http://x/", **given)


@pytest.mark.parametrize(("given", "told"), BAD_SETTINGS)
def test_what_cannot_be_is_said_at_start(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=r"^tools.http\[0\] \(order\): ") as raised:
        HttpTools([settings(**given)], {}, MonotonicClock())
    assert told in str(raised.value)


async def test_wrong_arguments_never_reach_the_service() -> None:
    async with service() as bar:
        told = error(await ask(settings(f"{bar.origin}/orders"), {"drink": 3}))
    assert "drink: 3 is not of type 'string'" in told
    assert not bar.asked


# What is made of an answer ------------------------------------------------------------------------


UNUSABLE = [
    (Reply((b"<html>login</html>",), 200, {"content-type": "text/html"}), "text/html"),
    (Reply((b'{"number": ',), 200, JSON), "invalid JSON"),
    (Reply((b"[" * 5000,), 200, JSON), "invalid JSON"),
    (Reply((b"\x89PNG",), 200, {"content-type": "image/png"}), "image/png"),
    (Reply((b"words",), 200), "no content type"),
    (Reply((b"x",), 200, {**JSON, "content-encoding": "gzip"}), "compressed"),
    (Reply((b"oops",), 500, JSON), "answered 500"),
    (Reply((b"{}",), 401, JSON), "answered 401"),
    (Reply((b"{", None), 200, JSON), "RemoteProtocolError"),
]


@pytest.mark.parametrize(("reply", "logged"), UNUSABLE, ids=[said for _, said in UNUSABLE])
async def test_what_no_model_can_use_is_told_in_words_and_logged(
    reply: Reply, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(orders=reply) as bar:
        told = error(await ask(settings(f"{bar.origin}/orders")))
    assert told.startswith("order ")
    assert bar.origin not in told
    assert logged in caplog.text
    assert "(tools.http[0] (order)) failed" in caplog.text
    assert bar.origin in caplog.text  # the operator is told where


async def test_ten_megabytes_are_cut_off_early() -> None:
    async with service(orders=Reply([b"x" * 65536] * 160, 200, JSON)) as bar:
        began = time.monotonic()
        told = error(await ask(settings(f"{bar.origin}/orders")))
        assert time.monotonic() - began < 2
    assert "too long" in told
    assert bar.chunks_sent < 160


async def test_a_service_that_hangs_has_a_deadline(caplog: pytest.LogCaptureFixture) -> None:
    async with service(orders=Reply((30.0, b"{}"), 200, JSON)) as bar:
        began = time.monotonic()
        told = error(await ask(settings(f"{bar.origin}/orders", deadline_ms=200)))
        assert time.monotonic() - began < 2
        await asyncio.wait_for(bar.client_gone.wait(), 5)  # the connection is not left open
    assert told == "order did not answer within 0.2 s"
    assert "no answer within 200 ms" in caplog.text


async def test_nobody_there() -> None:
    async with service() as bar:
        gone = bar.origin
    assert error(await ask(settings(f"{gone}/orders"))) == "order could not be reached"


async def test_a_refusal_is_told_with_its_reason_and_is_no_fault() -> None:
    async with service(orders=json_reply({"detail": "we are out of coffee"}, 409)) as bar:
        result = await ask(settings(f"{bar.origin}/orders"))
    assert "409" in error(result)
    assert "out of coffee" in error(result)


LONG_REFUSALS = [
    Reply([b"{" + b" " * 20_000, b'"detail": "out of coffee"}'], 409, JSON),
    Reply([b"<h1>Page not found</h1>" * 1000], 404, {"content-type": "text/html"}),
    Reply([b"x"], 422, {**JSON, "content-encoding": "gzip"}),
]


@pytest.mark.parametrize("reply", LONG_REFUSALS, ids=["json", "html", "gzip"])
async def test_a_refusal_is_one_however_its_body_is(
    reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(orders=reply) as bar:
        told = error(await ask(settings(f"{bar.origin}/orders")))
    assert told.startswith(f"order answered {reply.status}")
    assert len(told) < 600
    assert "failed" not in caplog.text  # no fault of the service, and none for its breaker


async def test_plain_words_and_an_empty_answer_will_do() -> None:
    words = Reply(("süß".encode(),), 200, {"content-type": "text/plain; charset=utf-8"})
    async with service(orders=words, silent=Reply((), 204)) as bar:
        assert (await ask(settings(f"{bar.origin}/orders"))).text == "süß"
        assert (await ask(settings(f"{bar.origin}/silent"))).text == '{"ok": true}'


@pytest.mark.parametrize("charset", ["binary", "utf8mb4", "hex"])
async def test_plain_words_in_a_charset_that_is_none_will_do(charset: str) -> None:
    words = Reply(("süß".encode(),), 200, {"content-type": f"text/plain; charset={charset}"})
    async with service(orders=words) as bar:
        assert (await ask(settings(f"{bar.origin}/orders"))).text == "süß"


async def test_a_service_that_keeps_failing_is_left_alone() -> None:
    async with service(orders=json_reply({}, 503)) as bar:
        clock = MonotonicClock()
        one = settings(f"{bar.origin}/orders", breaker={"min_calls": 3})
        tools = HttpTools([one], {}, clock)
        call = ToolCall("call_1", "order", json.dumps(COFFEE))
        told = [await run_tool(tools.tools()[0], call, {}, clock) for _ in range(5)]
        await tools.aclose()
    assert len(bar.asked) == 3
    assert error(told[4]) == "order is out of order at the moment"


# Redirects ----------------------------------------------------------------------------------------


def redirect(location: str, status: int) -> Reply:
    return Reply((), status, {"location": location})


@asynccontextmanager
async def two_services() -> AsyncIterator[tuple[Service, Service]]:
    async with service(orders=json_reply({"ok": 1})) as other, service() as bar:
        bar.answers["/there"] = json_reply({"ok": 2})
        for status in (301, 302, 303, 307, 308):
            bar.answers[f"/{status}"] = redirect("/there", status)
            bar.answers[f"/out{status}"] = redirect(f"{other.origin}/orders", status)
        bar.answers["/loop"] = redirect("/loop", 303)
        bar.answers["/file"] = redirect("file:///etc/passwd", 303)
        bar.answers["/userinfo"] = redirect(f"http://a:b@{other.origin[7:]}/orders", 303)
        yield bar, other


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_within_the_service_is_followed(status: int) -> None:
    async with two_services() as (bar, _):
        one = settings(f"{bar.origin}/{status}", headers={"x-key": "k"})
        assert json.loads((await ask(one)).text) == {"ok": 2}
    second = bar.asked[1]
    repeated = status in (307, 308)
    assert (second.method, second.body) == (
        ("POST", b'{"drink":"coffee"}') if repeated else ("GET", b"")
    )
    assert second.headers["x-key"] == "k"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("status", [301, 302])
async def test_what_has_moved_is_changed_or_deleted_there_and_not_only_read(
    method: str, status: int
) -> None:
    """Only a POST may become a GET so: else a caller is told that something is deleted which is
    still there."""
    async with two_services() as (bar, other):
        one = settings(f"{bar.origin}/{status}", method=method)
        assert json.loads((await ask(one)).text) == {"ok": 2}
        assert [asked.method for asked in bar.asked] == [method, method]
        assert bar.asked[1].body == (b"" if method == "DELETE" else b'{"drink":"coffee"}')
        out = settings(f"{bar.origin}/out{status}", method=method, redirects="any")
        assert "gave no answer" in error(await ask(out))
    assert not other.asked


async def test_a_slash_at_the_end_does_not_make_an_order_a_question() -> None:
    """The service has taken nothing yet: a GET would tell what is ordered there, as if it had."""
    async with service() as bar:
        bar.answers["/orders"] = redirect("/orders/", 301)
        bar.answers["/orders/"] = json_reply({"placed": 1})
        assert json.loads((await ask(settings(f"{bar.origin}/orders"))).text) == {"placed": 1}
    assert (bar.asked[1].method, bar.asked[1].body) == ("POST", b'{"drink":"coffee"}')


@pytest.mark.parametrize("where", ["out302", "out307", "loop", "file", "userinfo"])
@pytest.mark.parametrize("allowed", ["same_origin", "public"])
async def test_a_redirect_elsewhere_is_refused(where: str, allowed: str) -> None:
    async with two_services() as (bar, other):
        told = error(await ask(settings(f"{bar.origin}/{where}", redirects=allowed)))
    assert "gave no answer" in told
    assert not other.asked


@pytest.mark.parametrize("allowed", ["public", "any"])
async def test_a_name_is_judged_by_its_address_and_looked_up_once(
    allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands for a private address; asked again it would stand for another one."""
    async with two_services() as (bar, other):
        port = other.origin.rpartition(":")[2]
        bar.answers["/named"] = redirect(f"http://somewhere.example:{port}/orders", 303)
        loop = asyncio.get_running_loop()
        look_up, asked = loop.getaddrinfo, []

        async def two_faced(host: Any, *args: Any, **more: Any) -> Any:
            if host != "somewhere.example":
                return await look_up(host, *args, **more)
            asked.append(host)
            return await look_up("127.0.0.1" if len(asked) == 1 else "127.0.0.9", *args, **more)

        monkeypatch.setattr(loop, "getaddrinfo", two_faced)
        done = await ask(settings(f"{bar.origin}/named", redirects=allowed))
        assert asked == ["somewhere.example"]
        if allowed == "public":
            assert "gave no answer" in error(done)
            assert not other.asked
        else:
            assert json.loads(done.text) == {"ok": 1}
            assert other.asked[0].headers["host"] == f"somewhere.example:{port}"


async def test_a_private_network_may_be_allowed_but_gets_no_secret_and_no_body(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with two_services() as (bar, other):
        headers = {"x-key": "hush", "authorization": "hush"}
        one = settings(f"{bar.origin}/out303", redirects="any", headers=headers)
        assert json.loads((await ask(one)).text) == {"ok": 1}
        assert "hush" not in str(other.asked[0])
        assert other.asked[0].headers["host"] == other.origin.removeprefix("http://")
        other.asked.clear()
        one = settings(f"{bar.origin}/out307", redirects="any", headers=headers)
        assert (await ask(one)).failed
    assert not other.asked
    assert "body" in caplog.text
