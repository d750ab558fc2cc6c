"""Two gateways that know each other, one of them far away."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError

from tests.server.harness import running_server
from tests.serving import free_port
from voicepipe.config import ServerSettings
from voicepipe.lab.delay_relay import delay_relay

RECIPE = Path(__file__).parents[2] / "examples" / "nearest_region.py"
FAR_MS = 60.0


@asynccontextmanager
async def two_regions(far: str) -> AsyncIterator[dict[str, str]]:
    """Origins by name; the way to `far` ("west" or "east") is long. Each has its own port, and is
    known by that of its relay."""
    doors = {"west": free_port(), "east": free_port()}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in doors.items()}
    async with (
        running_server(server={"region": "west", "regions": urls}) as west,
        running_server(server={"region": "east", "regions": urls}) as east,
        delay_relay(("127.0.0.1", west.port), FAR_MS * (far == "west"), doors["west"]),
        delay_relay(("127.0.0.1", east.port), FAR_MS * (far == "east"), doors["east"]),
    ):
        yield urls


async def test_the_list_names_all_and_says_which_one_answers() -> None:
    urls = {"west": "https://west.example.com", "east": "https://east.example.com:8443"}
    async with (
        running_server(server={"region": "east", "regions": urls, "api_key": "k"}) as server,
        httpx.AsyncClient(base_url=server.http) as client,
    ):
        listed = (await client.get("/v1/regions")).json()  # without the key
        page = await client.get("/")
    assert listed["region"] == "east"
    assert [(one["id"], one["url"], one["here"]) for one in listed["data"]] == [
        ("west", urls["west"], False),
        ("east", urls["east"], True),
    ]
    policy = page.headers["content-security-policy"]
    assert "connect-src 'self' https://west.example.com" in policy
    assert "wss://east.example.com:8443" in policy


async def test_a_gateway_that_the_list_lacks_is_where_it_was_asked() -> None:
    async with running_server(server={"region": "lab"}) as server:
        listed = (await _get(server.http, "/v1/regions"))["data"]
    assert listed == [{"id": "lab", "object": "region", "url": None, "here": True}]


async def test_without_regions_the_list_is_empty() -> None:
    async with running_server() as server:
        assert (await _get(server.http, "/v1/regions"))["data"] == []


async def test_pages_of_one_region_may_call_another_and_no_others_may() -> None:
    urls = {"west": "https://west.example.com", "east": "https://east.example.com"}
    async with (
        running_server(server={"region": "east", "regions": urls}) as server,
        httpx.AsyncClient(base_url=server.http) as client,
    ):
        for origin, allowed in ((urls["west"], True), ("https://elsewhere.example.com", False)):
            answer = await client.get("/web/server", headers={"Origin": origin})
            assert ("access-control-allow-origin" in answer.headers) is allowed
            assert answer.json()["origin_allowed"] is allowed


@pytest.mark.parametrize("far", ["west", "east"])
async def test_the_recipe_chooses_the_nearer(far: str) -> None:
    near = "east" if far == "west" else "west"
    async with two_regions(far) as urls:
        recipe = await asyncio.create_subprocess_exec(
            *(sys.executable, str(RECIPE), urls[far]), stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(30):
            said, _ = await recipe.communicate()
    assert recipe.returncode == 0
    lines = said.decode().splitlines()
    assert [line.split()[0] for line in lines[:2]] == [near, far]
    assert lines[-1] == f"OPENAI_BASE_URL={urls[near]}/v1"


@pytest.mark.parametrize(
    "regions",
    [
        {"eu": "https://eu.example.com/path"},
        {"eu": "wss://eu.example.com"},
        {"eu": "https://user:password@eu.example.com"},
        {"eu": "https://eu.example.com; script-src *"},
        {"E U": "https://eu.example.com"},
    ],
)
def test_only_names_and_origins_are_taken(regions: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        ServerSettings(regions=regions)


async def _get(base: str, path: str) -> dict[str, list[dict[str, object]]]:
    async with httpx.AsyncClient(base_url=base) as client:
        found: dict[str, list[dict[str, object]]] = (await client.get(path)).json()
        return found
