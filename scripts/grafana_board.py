#!/usr/bin/env python3
"""Writes deploy/grafana/voicepipe.json, the Grafana board: `python -m scripts.grafana_board`.

Built with Grafana's own types, so that what it writes is what Grafana reads. Every expression is
asked of a real Prometheus in tests/deploy/test_grafana.py."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path

from grafana_foundation_sdk.builders import dashboard, prometheus, timeseries
from grafana_foundation_sdk.builders.common import (
    GraphThresholdsStyleConfig,
    StackingConfig,
    VizLegendOptions,
)
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    GraphTresholdsStyleMode,  # their spelling
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
)
from grafana_foundation_sdk.models.dashboard import DataSourceRef, Threshold, ThresholdsMode

OUT = Path(__file__).parents[1] / "deploy" / "grafana" / "voicepipe.json"
SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
WIDTH, HEIGHT = 12, 8
"""Of a panel; the board is 24 wide."""

ME = 'job=~"$job", instance=~"$instance"'
PROMISE_S = 0.8


@dataclass(frozen=True)
class Graph:
    """One panel: what it shows, in which unit, by which queries (legend to expression)."""

    title: str
    about: str
    unit: str
    queries: dict[str, str]
    stacked: bool = False
    limit: float | None = None  # a red line


def quantiles(metric: str, *shares: float) -> dict[str, str]:
    """Percentiles of a histogram over the board's interval."""
    return {f"p{share * 100:g}": quantile(metric, share, "le") for share in shares}


def quantile(metric: str, share: float, by: str) -> str:
    buckets = f"rate({metric}_bucket{{{ME}}}[$__rate_interval])"
    return f"histogram_quantile({share}, sum by ({by}) ({buckets}))"


def rate(counter: str, by: str) -> str:
    return f"sum by ({by}) (rate({counter}{{{ME}}}[$__rate_interval]))"


ROWS: dict[str, list[Graph]] = {
    "Turns": [
        Graph(
            "Voice to voice",
            "From the caller's last word to the agent's first. The line is the promise.",
            "s",
            quantiles("voicepipe_turn_voice_to_voice_seconds", 0.5, 0.95, 0.99),
            limit=PROMISE_S,
        ),
        Graph(
            "Where the time goes",
            "Each stage's share of the mean turn. The stages add up to voice to voice.",
            "s",
            {
                "{{stage}}": rate("voicepipe_turn_stage_seconds_sum", "stage")
                + " / on() group_left sum("
                + f"rate(voicepipe_turn_voice_to_voice_seconds_count{{{ME}}}[$__rate_interval]))"
            },
            stacked=True,
        ),
        Graph(
            "Stages, p95",
            "The slowest twentieth of each stage.",
            "s",
            {"{{stage}}": quantile("voicepipe_turn_stage_seconds", 0.95, "le, stage")},
        ),
        Graph(
            "Slower than last week",
            "How many times as slow a stage has become; 1 where it has not. The log says why.",
            "none",
            {"{{stage}}": f"max by (stage) (voicepipe_turn_stage_drift_ratio{{{ME}}})"},
            limit=1.2,
        ),
        Graph(
            "Turns by how they ended",
            "Turns a second. 'reopened': the caller was taken to have finished, and went on.",
            "ops",
            {"{{end}}": rate("voicepipe_turns_total", "end")},
            stacked=True,
        ),
        Graph(
            "Over budget",
            "Turns a second in which a segment took longer than its budget.",
            "ops",
            {"{{segment}}": rate("voicepipe_turn_over_budget_total", "segment")},
            stacked=True,
        ),
    ],
    "The server's own share": [
        Graph(
            "Overhead",
            "Of a turn, neither a wait that was set nor an engine's time.",
            "s",
            quantiles("voicepipe_turn_overhead_seconds", 0.5, 0.99),
        ),
        Graph(
            "Queue and network, p95",
            "The wait for a recognizer that was busy with others; round trip and playout buffer.",
            "s",
            {
                "queue": quantile("voicepipe_turn_queue_seconds", 0.95, "le"),
                "network": quantile("voicepipe_turn_network_seconds", 0.95, "le"),
            },
        ),
    ],
    "Calls": [
        Graph(
            "Open calls",
            "By process.",
            "none",
            {"{{instance}}": f"voicepipe_sessions{{{ME}}}"},
            stacked=True,
        ),
        Graph(
            "Refused",
            "New calls refused: full, or the running ones were late.",
            "ops",
            {"{{cause}}": rate("voicepipe_sessions_refused_total", "cause")},
        ),
    ],
    "Engines": [
        Graph(
            "Engines that serve",
            "0: calls cannot be answered.",
            "none",
            {"{{kind}}": f"min by (kind) (voicepipe_engine_ready{{{ME}}})"},
        ),
        Graph(
            "What the layers around the engines decided",
            "Fallbacks, the small model, the answer cache.",
            "ops",
            {"{{stage}} {{decision}}": rate("voicepipe_route_total", "stage, decision")},
            stacked=True,
        ),
        Graph(
            "Tools, p95",
            "Calls that were waited for.",
            "s",
            {"{{tool}}": quantile("voicepipe_tool_seconds", 0.95, "le, tool")},
        ),
        Graph(
            "Replies prepared before the endpoint",
            "Those that became the answer, and those thrown away, by reason.",
            "ops",
            {
                "hit": f"sum(rate(voicepipe_speculation_hits_total{{{ME}}}[$__rate_interval]))",
                "{{reason}}": rate("voicepipe_speculation_discards_total", "reason"),
            },
            stacked=True,
        ),
    ],
}


def board() -> dashboard.Dashboard:
    """The whole board."""
    built = (
        dashboard.Dashboard("voicepipe")
        .uid("voicepipe")
        .tags(["voicepipe"])
        .time("now-3h", "now")
        .refresh("30s")
        .tooltip(1)  # type: ignore[arg-type]  # a crosshair on all panels at once
        .with_variable(
            dashboard.DatasourceVariable("datasource").type("prometheus").label("Source")
        )
        .with_variable(_label("job"))
        .with_variable(_label("instance", '{job=~"$job"}'))
    )
    numbers = count(1)
    for title, graphs in ROWS.items():
        built = built.with_row(dashboard.Row(title).id(next(numbers)))
        for graph in graphs:
            built = built.with_panel(_panel(graph).id(next(numbers)))
    return built


def _label(name: str, where: str = "") -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(name)
        .label(name.capitalize())
        .datasource(SOURCE)
        .query(f"label_values(voicepipe_sessions{where}, {name})")
        .multi(True)
        .include_all(True)
        .all_value(".*")
    )


def _panel(graph: Graph) -> timeseries.Panel:
    legend = (
        VizLegendOptions()
        .display_mode(LegendDisplayMode.LIST)
        .placement(LegendPlacement.BOTTOM)
        .show_legend(True)
    )
    panel = (
        timeseries.Panel()
        .title(graph.title)
        .description(graph.about)
        .datasource(SOURCE)
        .unit(graph.unit)
        .min(0)
        .span(WIDTH)
        .height(HEIGHT)
        .legend(legend)
    )
    for name, (legend_format, expression) in zip("ABCDEFGH", graph.queries.items(), strict=False):
        query = prometheus.Dataquery().datasource(SOURCE).expr(expression).range().ref_id(name)
        panel = panel.with_target(query.legend_format(legend_format))
    if graph.stacked:
        panel = panel.stacking(StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(40)
    if graph.limit is not None:
        panel = _with_line(panel, graph.limit)
    return panel


def _with_line(panel: timeseries.Panel, at: float) -> timeseries.Panel:
    steps = [Threshold(value=None, color="green"), Threshold(value=at, color="red")]
    return panel.thresholds(
        dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps)
    ).thresholds_style(GraphThresholdsStyleConfig().mode(GraphTresholdsStyleMode.DASHED))


def written() -> str:
    """The file's text."""
    return JSONEncoder(sort_keys=True, indent=1).encode(board().build()) + "\n"


if __name__ == "__main__":
    OUT.write_text(written(), "utf-8")
    print(f"{OUT.name}: {sum(len(graphs) for graphs in ROWS.values())} panels")
