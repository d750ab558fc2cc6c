"""The page's files over HTTP: what is served, as what, under which rules, and what never is."""

from __future__ import annotations

import asyncio
import io
import re
import wave
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.server.harness import FAST, RunningServer, running_server, simulated_engines
from voicepipe.config import ServerSettings
from voicepipe.runtime.errors import EngineError
from voicepipe.server.page_files import FOR_EVER, MEDIA_TYPES, page_of
from voicepipe.server.web import routes, web_dir
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

PAGES = [path for path in sorted(web_dir().rglob("*")) if path.suffix in MEDIA_TYPES]


@asynccontextmanager
async def browser(server: RunningServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.http) as client:
        yield client


async def test_the_page_and_every_file_of_it_come_with_their_type_and_rules() -> None:
    async with running_server() as server, browser(server) as client:
        paths = ["/", *(f"/web/{path.relative_to(web_dir())}" for path in PAGES)]
        assert len(paths) > 20
        for path in paths:
            response = await client.get(path)
            assert response.status_code == 200, path
            suffix = Path(path).suffix or ".html"
            assert response.headers["content-type"] == MEDIA_TYPES[suffix], path
            policy = response.headers["content-security-policy"]
            assert policy.startswith("default-src 'self';")
            assert "unsafe" not in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-cache"


async def test_a_file_that_is_known_is_not_sent_again() -> None:
    async with running_server() as server, browser(server) as client:
        for path in ("/", "/web/app.js"):
            first = await client.get(path)
            again = await client.get(path, headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            other = await client.get(path, headers={"If-None-Match": '"older"'})
            assert other.content == first.content
            head = await client.head(path)
            assert head.headers["content-length"] == first.headers["content-length"]


async def test_what_the_page_names_is_kept_for_ever_and_comes_packed() -> None:
    async with running_server() as server, browser(server) as client:
        html = (await client.get("/")).text
        named = re.findall(r'(?:href|src)="(/web/[^"]+)"', html)
        assert len(named) > 80
        assert len(set(named)) == len(named)
        for path in named:
            packed = await client.get(path)  # httpx unpacks it
            assert packed.headers["cache-control"] == FOR_EVER, path
            assert packed.headers["content-encoding"] == "gzip"
            whole = await client.get(path, headers={"Accept-Encoding": "identity"})
            assert "content-encoding" not in whole.headers
            name = path.split("/", 3)[3]
            assert packed.content == whole.content == (web_dir() / name).read_bytes()
            assert int(packed.headers["content-length"]) < len(whole.content)
        modules = {path.split("/", 3)[3] for path in named if path.endswith(".js")}
        imported = {
            name
            for module in modules
            for name in re.findall(r"^import .*'\./(.+)';$", (web_dir() / module).read_text(), re.M)
        }
        assert imported <= modules


async def test_what_another_server_named_is_asked_for_each_time() -> None:
    async with running_server() as server, browser(server) as client:
        response = await client.get("/web/at-0123456789abcdef/app.js")
        assert response.headers["cache-control"] == "no-cache"
        assert response.content == (web_dir() / "app.js").read_bytes()


async def test_a_page_that_has_changed_names_its_files_anew(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<script type="module" src="/web/app.js"></script>')
    (tmp_path / "app.js").write_text("import { one } from './more/one.js';\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "one.js").write_text("import {\n  two,\n} from '../two.js';\n")
    (tmp_path / "two.js").write_text("import { app } from './app.js';\n")
    (tmp_path / "alone.js").write_text("")
    transport = httpx.ASGITransport(Starlette(routes=routes(ServerSettings(), tmp_path)))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        before = (await client.get("/")).text
        names = re.findall(r'"/web/at-[0-9a-f]{16}/([^"]+)"', before)
        assert names == ["more/one.js", "two.js", "app.js"]
        (tmp_path / "two.js").write_text("const changed = true;\n")
        pages = (before, (await client.get("/")).text)
        stamps = {found[0] for html in pages if (found := re.search(r"at-[0-9a-f]{16}", html))}
        assert len(stamps) == 2
        kept = [await client.get(f"/web/{stamp}/two.js") for stamp in stamps]
        assert {one.text for one in kept} == {"const changed = true;\n"}
        assert {one.headers["cache-control"] for one in kept} == {FOR_EVER, "no-cache"}


async def test_a_page_that_is_kept_learns_of_other_rules(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("page")
    (tmp_path / "away.css").mkdir()
    answers: list[httpx.Response] = []
    for regions in ({}, {"eu": "https://eu.example.com"}):
        app = Starlette(routes=routes(ServerSettings(regions=regions), tmp_path))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            etag = answers[0].headers["etag"] if answers else ""
            answers.append(await client.get("/", headers={"If-None-Match": etag}))
            again = await client.get("/", headers={"If-None-Match": answers[-1].headers["etag"]})
            assert again.status_code == 304
            policy = again.headers["content-security-policy"]
            assert ("eu.example.com" in policy) == bool(regions)
    assert [one.status_code for one in answers] == [200, 200]


async def test_a_file_of_the_page_is_only_read_and_packed_for_who_can_unpack_it() -> None:
    async with running_server() as server, browser(server) as client:
        found = re.search(r'"(/web/at-[^"]+/app.js)"', (await client.get("/")).text)
        assert found
        assert (await client.post(found[1])).status_code == 405
        offers = {"gzip;q=0, identity": False, "x-gzip-foo": False, "br, GZIP;q=0.5": True}
        for offered, packed in offers.items():
            answer = await client.head(found[1], headers={"Accept-Encoding": offered})
            assert (answer.headers.get("content-encoding") == "gzip") == packed
            assert "accept-encoding" in answer.headers["vary"].lower()


@pytest.mark.parametrize(
    "path",
    [
        "/web/at-0123456789abcdef/../../voicepipe/errors.py",
        "/web/at-0123456789abcdef/at-0123456789abcdef/app.js",
        "/web/at-0123456789abcdef/README.md",
        "/web/at-0123456789abcdef/",
        "/web/../voicepipe/errors.py",
        "/web/%2e%2e/index.html",
        "/web/..%2f..%2fpyproject.toml",
        "/web/....//app.js",
        "/web//etc/passwd",
        "/web/%2fetc%2fpasswd.html",
        "/web/worklets/../../LICENSE.js",
        "/web/app.js/..%2fapp.js%00.html",
        "/web/",
        "/web/worklets",
        "/web/no_such.js",
        "/web/README.md",  # for people who work on it
        "/web/package.json",
    ],
)
async def test_nothing_else_is_served(path: str) -> None:
    """Asked over a bare socket: clients tidy such paths up before they send them."""
    async with running_server() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        async with asyncio.timeout(20):
            status = (await reader.read()).split(b"\r\n", 1)[0]
        writer.close()
        assert status.split()[1] == b"404", status


async def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "index.html").write_text("page")
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "web" / "link.html").symlink_to(tmp_path / "secret.html")
    transport = httpx.ASGITransport(Starlette(routes=routes(ServerSettings(), tmp_path / "web")))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        assert (await client.get("/")).text == "page"
        assert (await client.get("/web/link.html")).status_code == 404
        assert not page_of(tmp_path / "web").files


async def test_without_the_folder_the_server_says_what_is_missing(tmp_path: Path) -> None:
    transport = httpx.ASGITransport(Starlette(routes=routes(ServerSettings(), tmp_path / "no")))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        response = await client.get("/")
    assert response.status_code == 404
    assert "'web'" in response.text
    assert "/v1/realtime" in response.text


def test_the_page_has_nothing_that_its_own_rules_forbid() -> None:
    html = (web_dir() / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", html)
    addresses = re.findall(r'(?:src|href)="([^"#]+)"', html)
    assert all(address.startswith("/") for address in addresses), addresses
    for path in PAGES:
        if path.suffix in (".js", ".css", ".html"):
            text = path.read_text().replace("http://www.w3.org/", "")
            assert not re.search(r"https?://[a-z]", text), f"{path.name} names another host"
            assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(", text)


async def test_every_import_leads_to_a_file() -> None:
    imports = re.compile(r"(?:from|import) '(\.[^']+)'")
    for path in PAGES:
        if path.suffix == ".js":
            for target in imports.findall(path.read_text()):
                assert (path.parent / target).is_file(), f"{path.name} imports {target}"


async def test_the_page_comes_while_the_engines_start() -> None:
    engines = simulated_engines()
    gate = asyncio.Event()
    start = engines.model.start

    async def start_late() -> None:
        await gate.wait()
        await start()

    engines.model.start = start_late  # type: ignore[method-assign]
    async with running_server(engines, wait_ready=False) as server, browser(server) as client:
        assert (await client.get("/")).status_code == 200
        health = await client.get("/healthz")
        assert (health.status_code, health.text) == (200, "starting\n")
        assert (await client.get("/readyz")).status_code == 503
        told = (await client.get("/web/server")).json()
        assert told["ready"] is False
        assert told["engines"]["llm"] is False
        assert told["voices"] == []
        gate.set()
        async with asyncio.timeout(20):
            while not (told := (await client.get("/web/server")).json())["ready"]:
                await asyncio.sleep(0.01)
        assert told["voices"] == ["simulated"]


async def test_what_the_page_is_told_before_a_call() -> None:
    async with running_server(turns={"eager_end_ms": 90}) as server, browser(server) as client:
        response = await client.get("/web/server")
        assert response.headers["cache-control"] == "no-store"
        told = response.json()
        assert told["profile"] == "builtin"
        assert told["key"] == "none"
        assert told["problem"] is None
        assert told["voicepipe"]["turns"]["eager_end_ms"] == 90
        assert told["voicepipe"]["budget"]["llm_ms"] == 100
        assert set(told["models"]) == {"asr", "llm", "tts"}
        assert told["better_models"] == "scripts/serve --profile cpu"
        assert set(told["limits"]) <= {"asr", "llm", "tts"}
        assert told["agent"]["instructions"]
        assert "get_time" in [tool["name"] for tool in told["agent"]["tools"]]
        assert (told["origin_allowed"], told["full"]) == (True, False)


@pytest.mark.parametrize(
    ("offered", "state"), [(None, "missing"), ("nonsense", "wrong"), ("s3cret", "right")]
)
async def test_the_page_learns_whether_its_key_is_right(offered: str | None, state: str) -> None:
    headers = {"Authorization": f"Bearer {offered}"} if offered else {}
    async with running_server(server={"api_key": "s3cret"}) as server, browser(server) as client:
        assert (await client.get("/", headers=headers)).status_code == 200
        told = (await client.get("/web/server", headers=headers)).json()
        assert told["key"] == state
        assert ("agent" in told) is (state == "right")  # instructions may be nobody's business


async def test_the_page_learns_that_the_server_is_full() -> None:
    async with running_server(limits={"max_sessions": 1}) as server, browser(server) as client:
        async with connect(f"{server.ws}/realtime?model=m"):
            assert (await client.get("/web/server")).json()["full"] is True


async def test_the_pages_own_address_may_connect_whatever_is_listed() -> None:
    elsewhere = {"allowed_origins": ("https://elsewhere.test",)}
    async with running_server(server=elsewhere) as server, browser(server) as client:
        assert (await client.get("/web/server")).json()["origin_allowed"] is True
        async with connect(f"{server.ws}/realtime?model=m", origin=Origin(server.http)):
            pass


async def test_a_voice_can_be_heard_before_a_call() -> None:
    async with running_server() as server, browser(server) as client:
        response = await client.get("/web/sample?voice=simulated")
        assert response.status_code == 200
        with wave.open(io.BytesIO(response.content)) as sound:
            assert sound.getnframes() > sound.getframerate() / 2
        missing = await client.get("/web/sample?voice=nobody")
        assert missing.status_code == 404
        assert "nobody" in missing.json()["error"]["message"]


async def test_a_voice_that_gives_no_sound_is_said() -> None:
    class Mute(SimulatedSynthesizer):
        async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
            return
            yield

    engines = replace(simulated_engines(), synthesizer=Mute(FAST))
    async with running_server(engines) as server, browser(server) as client:
        response = await client.get("/web/sample")
        assert (response.status_code, response.json()["error"]["code"]) == (503, "no_sound")


async def test_a_voice_whose_engine_fails_is_not_called_busy(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(SimulatedSynthesizer):
        async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
            raise EngineError("its model is gone", stage="tts")
            yield

    engines = replace(simulated_engines(), synthesizer=Broken(FAST))
    async with running_server(engines) as server, browser(server) as client:
        response = await client.get("/web/sample?voice=simulated")
        assert (response.status_code, response.json()["error"]["code"]) == (503, "engine_failed")
        assert "the voice 'simulated' could not be heard: its model is gone" in caplog.text


async def test_a_voice_is_heard_only_with_the_key() -> None:
    async with running_server(server={"api_key": "s3cret"}) as server, browser(server) as client:
        assert (await client.get("/web/sample")).status_code == 401
        headers = {"Authorization": "Bearer s3cret"}
        assert (await client.get("/web/sample", headers=headers)).status_code == 200


async def test_a_voice_is_heard_by_everybody_who_may_call() -> None:
    keys = {"shop": {"key": "key-of-the-shop"}}
    async with running_server(server={"api_key": "s3cret"}, keys=keys) as server:
        async with browser(server) as client:
            owner = {"Authorization": "Bearer s3cret"}
            minted = await client.post("/v1/realtime/client_secrets", headers=owner)
            for key in ("key-of-the-shop", minted.json()["value"]):
                headers = {"Authorization": f"Bearer {key}"}
                assert (await client.get("/web/sample", headers=headers)).status_code == 200
