from __future__ import annotations

from xml.etree import ElementTree

import pytest

from voicepipe.lab.bench import svg
from voicepipe.lab.bench.svg import Bar, Series, ticks


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 600, [0, 100, 200, 300, 400, 500, 600]),
        (-30, 1000, [0, 200, 400, 600, 800, 1000]),
        (0.01, 0.11, [0.02, 0.04, 0.06, 0.08, 0.1]),
        (7150, 9420, [7500, 8000, 8500, 9000]),
    ],
)
def test_ticks_are_round_and_inside(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


def elements(picture: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(picture[: picture.index("</svg>") + 6])
    return root.findall(f"{{http://www.w3.org/2000/svg}}{name}")


def test_a_cumulative_line_rises_to_all_turns_and_the_limit_is_drawn() -> None:
    series = [Series("a & b", [400, 420, 900], "one"), Series("c", [500], "two")]
    picture = svg.cumulative(series, "ms", line_at=800)
    first, second = elements(picture, "polyline")
    points = [tuple(map(float, p.split(","))) for p in first.get("points", "").split()]
    heights = [y for _, y in points]
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] == svg.TOP
    assert len(points) == 6
    (limit,) = [e for e in elements(picture, "line") if e.get("class") == "limit"]
    assert points[2][0] < float(limit.get("x1", 0)) < points[-1][0]
    assert second.get("class") == "line two"
    assert "a &amp; b" in picture


def test_a_histogram_counts_every_value_once() -> None:
    picture = svg.histogram(Series("x", [1, 1, 1, 2, 5], "one"), "ms", bins=4)
    counts = [int(e[0].text or 0) for e in elements(picture, "rect")]
    assert sum(counts) == 5
    assert max(counts) >= 3
    assert elements(svg.histogram(Series("x", [3.0], "one"), "ms"), "rect")  # one value only


def test_a_waterfall_shows_work_and_what_was_waited_for() -> None:
    bars = [
        Bar("endpoint", (0, 300), (0, 300), over=False),
        Bar("asr", (120, 220), (300, 300), over=False),  # hidden behind the endpoint
        Bar("llm", (-50, 420), (300, 420), over=True),
    ]
    found = elements(svg.waterfall(bars, 420), "rect")
    assert [e.get("class") for e in found] == ["work", "critical", "work", "work", "over"]
    assert [e[0].text for e in found][3:] == ["work 470.0 ms", "critical 120.0 ms"]
    assert all(float(e.get("x", 0)) >= svg.LEFT - 0.1 for e in found)
