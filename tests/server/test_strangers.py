"""What a page elsewhere on the web may do with a server on its visitor's machine: nothing."""

from __future__ import annotations

import httpx
import pytest
import websockets
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.server.harness import RunningServer, running_server
from tests.server.telephony.harness import phone_server
from voicepipe.cli.serve import refuse_open_server
from voicepipe.config import ServerSettings, Settings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.hosts import known_hosts

EVIL = "https://evil.example"
STREAMS = ("/v1/realtime?model=m", "/v1/pcm", "/telephony/asterisk", "/telephony/twilio")
PAGES = ("/", "/web/server", "/readyz", "/healthz", "/metrics", "/v1/turns", "/v1/models")


async def status_of(server: RunningServer, path: str, **headers: str) -> int:
    """Of an upgrade; 101 where it is let in."""
    url = f"ws://127.0.0.1:{server.port}{path}"
    origin = headers.pop("origin", None)
    try:
        async with connect(
            url, origin=None if origin is None else Origin(origin), additional_headers=headers
        ):
            return 101
    except websockets.InvalidStatus as refused:
        return refused.response.status_code


@pytest.mark.parametrize("path", STREAMS)
async def test_foreign_page_opens_no_stream(path: str) -> None:
    async with phone_server() as server:  # telephony.insecure: without signatures
        assert await status_of(server, path, origin=EVIL) == 403
        assert await status_of(server, path, origin="null") == 403
        assert await status_of(server, path, origin="https://127.0.0.1.evil.example") == 403
        assert await status_of(server, path) == 101


@pytest.mark.parametrize("origin", ["http://[::1", "http://]"])
async def test_an_origin_that_is_no_address_is_a_strangers(origin: str) -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        told = await http.get("/web/server", headers={"Origin": origin})
        assert (told.status_code, told.json()["origin_allowed"]) == (200, False)
        assert await status_of(server, STREAMS[0], origin=origin) == 403


async def test_pages_of_the_server_and_of_this_machine_open_streams() -> None:
    async with running_server() as server:
        for origin in (server.http, "http://localhost:3000", "http://[::1]:5173"):
            assert await status_of(server, STREAMS[0], origin=origin) == 101


async def test_foreign_page_reads_no_answer() -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        for path in PAGES:
            answer = await http.get(path, headers={"Origin": EVIL})
            assert "access-control-allow-origin" not in answer.headers, path
        mine = await http.get("/v1/models", headers={"Origin": "http://localhost:3000"})
        assert mine.headers["access-control-allow-origin"] == "http://localhost:3000"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""]
)
async def test_name_that_was_pointed_here_is_not_answered_to(host: str) -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        for path in PAGES:
            answer = await http.get(path, headers={"Host": host})
            assert answer.status_code == 421, path
            assert "server.allowed_hosts" in answer.json()["error"]["message"]


async def test_stream_under_a_foreign_name_is_refused() -> None:
    async with running_server() as server:
        name = f"evil.example:{server.port}"
        url = f"ws://{name}/v1/realtime?model=m"
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with connect(
                url, host="127.0.0.1", port=server.port, origin=Origin(f"http://{name}")
            ):
                pass
        assert refused.value.response.status_code == 421


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:80", "[::1]:80", "192.168.1.7", "LOCALHOST."]
)
async def test_names_of_this_machine_and_addresses_are_answered_to(host: str) -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        assert (await http.get("/healthz", headers={"Host": host})).status_code == 200


def test_a_name_is_known_however_it_is_written() -> None:
    """As it stands in an address, say; the port is none of it."""
    written = ["Voice.example:8443", "phone.example.", "https://app.example/"]
    known = known_hosts(Settings(server={"allowed_hosts": written}))
    assert known is not None
    assert known >= {"voice.example", "phone.example", "app.example"}


async def test_an_origin_is_known_as_it_stands_in_an_address() -> None:
    section = {"allowed_origins": ["https://App.example/"]}
    async with running_server(server=section) as server:
        headers = {"Origin": "https://app.example"}
        async with httpx.AsyncClient(base_url=server.http, headers=headers) as http:
            answer = await http.get("/web/server")
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert answer.json()["origin_allowed"] is True
        assert await status_of(server, STREAMS[0], origin="https://app.example") == 101


def test_names_that_are_known() -> None:
    assert known_hosts(Settings(server={"api_key": "k3y"})) is None
    assert known_hosts(Settings(server={"allowed_hosts": ["*"]})) is None
    settings = Settings(
        server={
            "host": "box.lan",
            "allowed_origins": ["https://app.example:8443"],
            "allowed_hosts": ["Voice.example"],
            "api_key": "k3y",
        },
        telephony={"public_url": "https://phone.example/"},
    )
    known = known_hosts(settings)
    assert known is not None
    assert known > {"box.lan", "app.example", "voice.example", "phone.example", "localhost"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "voice.example", ""])
def test_open_server_without_a_key_does_not_start(host: str) -> None:
    with pytest.raises(ConfigError, match=r"server\.api_key .* --insecure"):
        refuse_open_server(ServerSettings(host=host))
    refuse_open_server(ServerSettings(host=host, api_key="k3y"))
    refuse_open_server(ServerSettings(host=host, insecure=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_server_for_this_machine_starts_without_a_key(host: str) -> None:
    refuse_open_server(ServerSettings(host=host))


@pytest.mark.parametrize("empty", ["", "  "])
def test_empty_key_is_an_error_and_none_a_decision(empty: str) -> None:
    with pytest.raises(ConfigError, match="VOICEPIPE_SERVER__API_KEY is empty"):
        load_settings(environ={"VOICEPIPE_SERVER__API_KEY": empty})
    assert load_settings(environ={"VOICEPIPE_SERVER__API_KEY": "none"}).server.api_key is None
