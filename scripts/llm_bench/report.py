"""Rows of the table, with the physical floor beside each figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from scripts.llm_bench.load import QUESTION_TOKENS, SYSTEM_TOKENS, Figures
from scripts.llm_bench.shapes import Shape
from voicepipe.ledger.percentiles import percentile

H200_BYTES_PER_S = 4.3e12  # measured copy; the data sheet says 4.8
H200_FLOPS = 790e12  # measured, BF16; FP8 is taken as twice that

LINEAR_BYTES = {"bf16": 2.0, "fp8": 1.0, "int4": 0.53}  # int4: with the scales of its groups
HEAD_BYTES = 2.0  # stays BF16
FLOPS = {"bf16": H200_FLOPS, "fp8": 2 * H200_FLOPS, "int4": H200_FLOPS}


@dataclass(frozen=True, slots=True)
class Row:
    """One combination of settings, measured. Floors are for one H200 and None where they say
    nothing."""

    weights: str
    cache: bool
    drafter: str
    sessions: int
    requests: int
    first_ms: tuple[float, float, float]  # p50, p95, p99
    token_ms: tuple[float, float, float]
    worst_step_ms: tuple[float, float, float]
    tokens_per_s: float  # of one session, p50
    cached_share: float
    accepted_share: float | None
    floor_first_ms: float | None
    floor_token_ms: float | None


def row(
    weights: str, cache: bool, drafter: str, sessions: int, figures: Figures, shape: Shape | None
) -> Row:
    """`shape`: None for simulated parts, which have no floor."""
    token_ms = _three(figures.token_ms)
    floors = (None, None) if shape is None else floors_ms(shape, weights, cache, sessions)
    return Row(
        weights=weights,
        cache=cache,
        drafter=drafter,
        sessions=sessions,
        requests=len(figures.first_ms),
        first_ms=_three(figures.first_ms),
        token_ms=token_ms,
        worst_step_ms=_three(figures.worst_step_ms),
        tokens_per_s=1000 / token_ms[0] if token_ms[0] > 0 else 0.0,
        cached_share=figures.cached_tokens / max(1, figures.prompt_tokens),
        accepted_share=figures.accepted_tokens / figures.drafted_tokens
        if figures.drafted_tokens
        else None,
        floor_first_ms=floors[0],
        floor_token_ms=None if drafter else floors[1],
    )


def floors_ms(shape: Shape, weights: str, cache: bool, sessions: int) -> tuple[float, float]:
    """What one H200 cannot beat without a drafter: the time of a prompt's computation, and of a
    step's reading of the weights and of all sessions' contexts.
    """
    linear = shape.linear_parameters
    weight_bytes = linear * LINEAR_BYTES[weights] + shape.head_parameters * HEAD_BYTES
    context = SYSTEM_TOKENS + QUESTION_TOKENS
    step_s = (weight_bytes + sessions * context * shape.kv_bytes) / H200_BYTES_PER_S
    tokens = QUESTION_TOKENS if cache else context
    prefill_s = max(weight_bytes / H200_BYTES_PER_S, 2 * linear * tokens / FLOPS[weights])
    return prefill_s * 1000, step_s * 1000


def table(rows: Sequence[Row]) -> str:
    """Markdown."""
    lines = [
        "| weights | prefix cache | drafter | sessions | requests | first token ms p50 / p95 / p99 "
        "| floor | ms a token p50 / p95 / p99 | floor | tokens/s, one session "
        "| worst step p50 / p99 | prompt cached | drafts right |",
        "|" + "---|" * 13,
    ]
    lines += [_line(one) for one in rows]
    return "\n".join(lines)


def _line(one: Row) -> str:
    cells = (
        one.weights,
        "on" if one.cache else "off",
        one.drafter or "none",
        str(one.sessions),
        str(one.requests),
        _slashed(one.first_ms),
        _maybe(one.floor_first_ms),
        _slashed(one.token_ms),
        _maybe(one.floor_token_ms),
        f"{one.tokens_per_s:.0f}",
        f"{one.worst_step_ms[0]:.1f} / {one.worst_step_ms[2]:.1f}",
        f"{one.cached_share:.0%}",
        "" if one.accepted_share is None else f"{one.accepted_share:.0%}",
    )
    return f"| {' | '.join(cells)} |"


def as_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [asdict(one) for one in rows]


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    if not values:
        return 0.0, 0.0, 0.0
    return percentile(values, 0.5), percentile(values, 0.95), percentile(values, 0.99)


def _slashed(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.1f}" for value in values)


def _maybe(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
