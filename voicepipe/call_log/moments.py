"""Moments as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from voicepipe.runtime.errors import VoicepipeError

_AGO = re.compile(r"(\d{1,6})\s*([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def moment(text: str, option: str) -> datetime:
    """A date, a time (where this runs, unless it names its zone) or an age; raises VoicepipeError
    naming the option."""
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago is not None:
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise VoicepipeError(
            f"{option} {text[:60]}: write a date (2026-11-21), a time (2026-11-21T14:30) or how "
            "long ago (90m, 12h, 7d)"
        ) from None
