"""Shared by the tests of pocketsphinx."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Language models of these tests are made once, in a place of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
