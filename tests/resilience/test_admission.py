from __future__ import annotations

from voicepipe.resilience.admission import Admission, AdmissionLimits
from voicepipe.runtime.clock import ManualClock


def test_late_timers_refuse_and_are_forgotten_after_the_window() -> None:
    clock = ManualClock()
    admission = Admission(AdmissionLimits(loop_lag_ms=20, window_s=10), clock)
    for _ in range(100):
        admission.loop_lag_ms.add(2)
    assert admission.check() is None
    for _ in range(10):
        admission.loop_lag_ms.add(80)
    refusal = admission.check()
    assert refusal is not None
    assert refusal.cause == "loop_lag"
    assert "80 ms" in str(refusal)
    assert "admission.max_loop_lag_ms" in str(refusal)
    assert admission.refused == {"loop_lag": 1}
    clock.advance(11)
    assert admission.check() is None


def test_overhead_refuses_by_its_own_limit_once_there_is_evidence() -> None:
    admission = Admission(AdmissionLimits(overhead_ms=15), ManualClock())
    for _ in range(4):
        admission.overhead_ms.add(100)
    assert admission.check() is None  # four turns prove nothing
    admission.overhead_ms.add(100)
    refusal = admission.check()
    assert refusal is not None
    assert refusal.cause == "overhead"


def test_without_limits_nobody_is_refused() -> None:
    admission = Admission(AdmissionLimits(), ManualClock())
    for _ in range(50):
        admission.loop_lag_ms.add(5000)
        admission.overhead_ms.add(5000)
    assert admission.check() is None
    assert not admission.watches_loop


def test_a_long_window_is_looked_at_whole() -> None:
    """The loop's lag is measured 20 times a second."""
    clock = ManualClock()
    admission = Admission(AdmissionLimits(loop_lag_ms=20, window_s=600), clock)
    for lag_ms, seconds in ((80, 100), (2, 450)):
        for _ in range(seconds * 20):
            clock.advance(0.05)
            admission.loop_lag_ms.add(lag_ms)
    assert admission.check() is not None
    clock.advance(150)
    assert admission.check() is None
