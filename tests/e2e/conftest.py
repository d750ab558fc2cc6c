"""One real server process on the built-in profile, shared by the end-to-end tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.serving import serving


@pytest.fixture(scope="session")
def builtin_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`host:port` of `voicepipe serve`, warm."""
    log = tmp_path_factory.mktemp("server") / "serve.log"
    with serving(log, env=dict(os.environ)) as address:  # really started
        yield address
