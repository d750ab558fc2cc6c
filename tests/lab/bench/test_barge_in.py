"""What docs/barge-in.md promises of telephone sound, with the settings as they ship. Virtual time:
the figures do not depend on the machine."""

from __future__ import annotations

import pytest

from scripts import bench_barge_in as bench
from scripts import bench_vad as sound
from scripts.echo_line import Echo
from voicepipe.audio import echo_canceller
from voicepipe.config import (
    AudioSettings,
    GreetingSettings,
    PhoneTurnSettings,
    Settings,
    TelephonySettings,
)
from voicepipe.config.audio import EchoCancellation
from voicepipe.lab.bench.virtual_time import run_virtual
from voicepipe.ledger.percentiles import percentile

TARGET_MS = 200


def settings(cancelled: EchoCancellation = "off", **phone: float | None) -> Settings:
    return Settings(
        audio=AudioSettings(echo_cancellation=cancelled),
        greeting=GreetingSettings(text=bench.MONOLOGUE),
        simulated=bench.NO_WORDS,
        telephony=TelephonySettings(turns=PhoneTurnSettings.model_validate(phone)),
    )


def echo(of: Echo, chosen: Settings) -> bench.Tally:
    """How the agent fares with its own voice on the line, over a sixth of the recordings."""
    clips = sound.built_in_clips()[::6]
    return bench.together(run_virtual(bench.listen(t, chosen)) for t in bench.echoes(of, clips))


@pytest.mark.parametrize("cancelled", ["off", "auto"])
def test_agent_on_the_telephone_is_silent_in_time(cancelled: EchoCancellation) -> None:
    echo_canceller.load()
    chosen, tally = settings(cancelled), bench.Tally()
    for talk in bench.spoken_over(bench.TELEPHONE, sound.built_in_clips()[::3]):
        tally.add(run_virtual(bench.listen(talk, chosen)))
    assert len(tally.silent_after) == 24
    assert percentile(tally.silent_after, 0.99) <= TARGET_MS
    assert percentile(tally.silent_after, 0.5) <= 60
    assert not tally.gaps, "held for nothing"


def test_own_voice_on_the_line_silences_it_no_longer_than_a_later_hold_did() -> None:
    echo_canceller.load()
    slower = settings(pause_ms=40, pause_threshold=None, confirm_ms=None)
    kinds = (Echo(30), Echo(40), Echo(20, 20), Echo(20, 60))
    ships = bench.together(echo(kind, settings("auto")) for kind in kinds)
    later = bench.together(echo(kind, slower) for kind in kinds)
    assert ships.false_interrupts == later.false_interrupts
    assert 0 < sum(ships.gaps) <= sum(later.gaps)


def test_surer_signs_keep_an_echo_from_holding_the_agent() -> None:
    far = Echo(40)
    assert echo(far, settings()).gaps
    assert not echo(far, settings(pause_threshold=0.4, pause_ms=60)).gaps


@pytest.mark.parametrize("of", [Echo(30), Echo(20, clip=4000), Echo(30, jump_ms=80)])
def test_an_echo_that_is_taken_out_neither_holds_nor_interrupts_the_agent(of: Echo) -> None:
    echo_canceller.load()
    heard = echo(of, settings("auto"))
    assert (len(heard.gaps), heard.false_interrupts) == (0, 0)
