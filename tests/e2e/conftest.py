"""One real server process on the built-in profile, shared by the end-to-end tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving import serving


@pytest.fixture(scope="session")
def builtin_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`host:port` of `voicepipe serve`, warm."""
    with serving(tmp_path_factory.mktemp("server") / "serve.log") as address:
        yield address
