"""How the network and pocketsphinx's own acoustic model are heard together."""

from __future__ import annotations

import pytest

from tests.asr.sphinx.listening import question, started
from voicepipe.asr.sphinx import blend as blending
from voicepipe.audio.pcm import SAMPLE_RATE


@pytest.mark.parametrize(("sure", "least", "most"), [(10_000, 1.0, 1.0), (blending.SURE, 0.1, 0.7)])
async def test_where_the_network_is_sure_the_gaussians_are_not_asked(
    sure: int, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blending, "SURE", sure)
    sound, asked = question("turn_on_the_lights_in_the_kitchen"), set[int]()
    async with started() as engine:
        assert engine._pool is not None
        decoder = await engine._pool.take()
        assert decoder._ear is not None
        blend = decoder._ear._blend
        real = blend._old

        def counted(*args: int) -> int:
            asked.add(args[5])
            return int(real(*args))

        monkeypatch.setattr(blend, "_old", counted)
        decoder.begin(decoder.mean_of(sound))
        decoder.feed(sound, whole=True)
        decoder.end()
        text = decoder.text()
        engine._pool.give_back(decoder)

    frames = len(sound) * 100 / SAMPLE_RATE
    assert least - 0.05 <= len(asked) / frames <= most
    assert "lights" in text
