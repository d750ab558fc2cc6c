"""A call's audio at another rate. PyAV's own resampler starts a thread for each core, for every
call: here the work of 20 ms stays on the thread that asks for it."""

from __future__ import annotations

import av
from av.filter import Graph


class Resampler:
    """Frames of any rate and layout, always the same one, to 16-bit mono at `rate` Hz."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._graph: Graph | None = None

    def resample(self, frame: av.AudioFrame) -> list[av.AudioFrame]:
        """What is there now; the filter keeps a few samples until more come."""
        if self._graph is None:
            self._graph = self._graph_for(frame)
        self._graph.push(frame)
        pieces: list[av.AudioFrame] = []
        while True:
            try:
                piece = self._graph.pull()
            except (av.BlockingIOError, av.EOFError):
                return pieces
            assert isinstance(piece, av.AudioFrame)
            pieces.append(piece)

    def _graph_for(self, frame: av.AudioFrame) -> Graph:
        graph = Graph()
        graph.threads = 1
        given = graph.add_abuffer(
            sample_rate=frame.sample_rate,
            format=frame.format.name,
            layout=frame.layout.name,
            time_base=frame.time_base,
        )
        wanted = graph.add(
            "aformat", f"sample_fmts=s16:sample_rates={self._rate}:channel_layouts=mono"
        )
        given.link_to(wanted)
        wanted.link_to(graph.add("abuffersink"))
        graph.configure()
        return graph
