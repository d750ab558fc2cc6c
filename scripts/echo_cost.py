"""What libwebrtc's echo canceller costs: processor time for 10 ms of sound, the best of five runs.

python -m scripts.echo_cost
"""

from __future__ import annotations

import time
from pathlib import Path

from voicepipe.audio import echo_canceller, files
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES

FAR = Path(__file__).parents[1] / "tests" / "data" / "questions" / "how_are_you_today.flac"
ECHO = 10  # times softer than the agent's own voice: 20 dB down
RUNS, PASSES = 5, 20


def main() -> None:
    """Measure and print."""
    if not echo_canceller.load():
        raise SystemExit("NOT RUN: the echo canceller's library (livekit) is not there")
    far = files.read(FAR)
    starts = range(0, len(far) - FRAME_SAMPLES, FRAME_SAMPLES)
    frames = [far[start : start + FRAME_SAMPLES] for start in starts]
    echoes = [frame // ECHO for frame in frames]
    best = float("inf")
    for _ in range(RUNS):
        canceller = echo_canceller.EchoCanceller()
        began = time.process_time()
        for _ in range(PASSES):
            for near, played in zip(echoes, frames, strict=True):
                canceller.clean(near, played)
        best = min(best, (time.process_time() - began) / (PASSES * len(frames)))
    print(f"{best * 1e6 * 10 / FRAME_MS:.0f} us for 10 ms, {best * 1e5 / FRAME_MS:.2f} % of a core")


if __name__ == "__main__":
    main()
