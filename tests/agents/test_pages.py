"""What the pages and the examples show can be used as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from voicepipe.agents.directory import AgentDirectory
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.tools.sources import build_sources

ROOT = Path(__file__).parents[2]
PAGES = ("agents.md", "tools.md", "your-own-endpoint.md")
EXAMPLES = sorted((ROOT / "agents").glob("*/voicepipe.toml"))


def blocks() -> list[str]:
    return [
        block
        for page in PAGES
        for block in re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)
    ]


async def made(settings: Settings) -> tuple[str, ...]:
    """The names of what the settings define."""
    agents = AgentDirectory(settings.agents, settings.server.agent)
    sources = build_sources(settings.tools, {"TILL_TOKEN": "x"}, MonotonicClock())
    await sources.aclose()
    return (*agents.names, *settings.tools.rules, *(tool.name for tool in sources.tools()))


def test_there_are_pages_and_examples() -> None:
    assert len(blocks()) >= 5
    assert [path.parent.name for path in EXAMPLES] == [
        "bookings",
        "coffee_bar",
        "front_desk",
        "survey",
    ]


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.splitlines()[0])
async def test_a_block_of_a_page_is_settings(block: str, tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text(block)
    settings = load_settings("simulated", file, {})
    await made(settings)
    assert settings != load_settings("simulated", environ={})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
async def test_an_example_is_settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert await made(load_settings("builtin", path, {}))
