"""The guides: what they show is what the server takes, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from voicepipe.config.loading import load_settings

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
BLOCKS = [
    (guide.name, number, block)
    for guide in GUIDES
    for number, block in enumerate(re.findall(r"```toml\n(.*?)```", guide.read_text(), re.S))
    if "pyproject.toml" not in block  # those of a package that brings an engine
]
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")


@pytest.mark.parametrize(("guide", "number", "block"), BLOCKS)
def test_each_toml_block_is_taken(
    guide: str, number: int, block: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Names, kinds and ranges, and that each does something; models need not be there."""
    path = tmp_path / "voicepipe.toml"
    path.write_text(block)
    load_settings(None, path, {}, {})
    assert [record.message for record in caplog.records] == []


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_links_lead_somewhere(guide: Path) -> None:
    for target in LINK.findall(guide.read_text()):
        assert (guide.parent / target).exists(), target
