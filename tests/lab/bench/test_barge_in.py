"""What docs/barge-in.md promises of telephone sound, with the settings as they ship. Virtual time:
the figures do not depend on the machine."""

from __future__ import annotations

from scripts import bench_barge_in as bench
from scripts import bench_vad as sound
from voicepipe.config import GreetingSettings, PhoneTurnSettings, Settings, TelephonySettings
from voicepipe.lab.bench.virtual_time import run_virtual
from voicepipe.ledger.percentiles import percentile

TARGET_MS = 200


def settings(**phone: float | None) -> Settings:
    return Settings(
        greeting=GreetingSettings(text=bench.MONOLOGUE),
        simulated=bench.NO_WORDS,
        telephony=TelephonySettings(turns=PhoneTurnSettings.model_validate(phone)),
    )


def echo(of: bench.Echo, chosen: Settings) -> bench.Tally:
    """How the agent fares with its own voice on the line, over a sixth of the recordings."""
    clips = sound.built_in_clips()[::6]
    heard = (run_virtual(bench.listen(f, None, chosen, True)) for f in bench.echoes(of, clips))
    return bench.together(heard)


def test_agent_on_the_telephone_is_silent_in_time() -> None:
    chosen, tally = settings(), bench.Tally()
    for scene in sound.scenes(bench.TELEPHONE, sound.built_in_clips()[::2]):
        if scene.start_ms is not None and scene.end_ms is not None:
            times = (scene.start_ms + sound.WARM_UP_MS, scene.end_ms + sound.WARM_UP_MS)
            tally.add(run_virtual(bench.listen(scene.frames, times, chosen, True)))
    assert len(tally.silent_after) == 36
    assert percentile(tally.silent_after, 0.99) <= TARGET_MS
    assert percentile(tally.silent_after, 0.5) <= 60
    assert not tally.gaps, "held for nothing"


def test_own_voice_on_the_line_silences_it_no_longer_than_a_later_hold_did() -> None:
    slower = settings(pause_ms=40, pause_threshold=None, confirm_ms=None)
    ships = bench.together(echo(kind, settings()) for kind in bench.ECHOES)
    later = bench.together(echo(kind, slower) for kind in bench.ECHOES)
    assert ships.false_interrupts == later.false_interrupts
    assert 0 < sum(ships.gaps) <= sum(later.gaps)


def test_surer_signs_keep_an_echo_from_holding_the_agent() -> None:
    far = bench.Echo(40)
    assert echo(far, settings()).gaps
    assert not echo(far, settings(pause_threshold=0.4, pause_ms=60)).gaps
