"""docs/licences.md names whatever an installation brings by voicepipe's own wish."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_dependency_has_its_row() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {n: wanted for n, wanted in project["optional-dependencies"].items() if n != "dev"}
    wanted = [*project["dependencies"], *(one for extra in extras.values() for one in extra)]
    names = {re.split(r"[\[><=!~ ]", one, maxsplit=1)[0] for one in wanted}
    assert len(names) > 30
    rows = re.findall(r"^\|(.+)\|$", (ROOT / "docs" / "licences.md").read_text(), re.M)
    table = " ".join(rows).lower()
    other = {"av": "pyav", "torch": "pytorch"}
    missing = [n for n in names if not re.search(rf"\b{re.escape(other.get(n, n))}\b", table)]
    assert not missing
