"""A pool that cannot start keeps nothing."""

from __future__ import annotations

from typing import cast
from unittest.mock import Mock

import pytest

from voicepipe.asr.sphinx.decoder import SphinxDecoder
from voicepipe.asr.sphinx.pool import DecoderPool, PartsDecoders
from voicepipe.runtime.errors import EngineUnavailable


def test_decoders_of_parts_are_freed_where_one_cannot_be_loaded() -> None:
    first = Mock()
    loads = iter([first])

    def load() -> SphinxDecoder:
        for one in loads:
            return cast(SphinxDecoder, one)
        raise EngineUnavailable("no memory", stage="asr")

    with pytest.raises(EngineUnavailable):
        PartsDecoders(load, 2)
    first.close.assert_called_once_with()


async def test_a_pool_that_cannot_start_keeps_no_decoder_of_parts() -> None:
    part = Mock()

    def load() -> SphinxDecoder:
        raise EngineUnavailable("no memory", stage="asr")

    parts = PartsDecoders(lambda: cast(SphinxDecoder, part), 1)
    with pytest.raises(EngineUnavailable):
        await DecoderPool(load, 2, 1, parts).start()
    part.close.assert_called_once_with()
