"""Virtual time, as the benches use it, under the name by which the tests know it."""

from voicepipe.lab.bench.virtual_time import Deadlock, LoopClock, VirtualTimeLoop, run_virtual

__all__ = ["Deadlock", "LoopClock", "VirtualTimeLoop", "run_virtual"]
