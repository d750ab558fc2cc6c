"""What gateways have counted, where it outlives them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from voicepipe.server.shared.state import Database, SharedState
from voicepipe.server.shared.sums import DEPARTED, Family, departed_of, only_growing


def with_departed(
    state: SharedState, parts: Mapping[str, Sequence[Family]]
) -> list[Sequence[Family]]:
    """`parts`, by gateway, and what those have left that are no more, or did not answer. A part of
    one that has died meanwhile, and is among the departed by now, does not count twice. Blocking:
    for a thread, with a connection of its own, since the loop's is the loop's. Raises
    StateUnavailable."""
    with state.apart() as database:
        return _with_departed(database, parts)


def _with_departed(
    database: Database, parts: Mapping[str, Sequence[Family]]
) -> list[Sequence[Family]]:
    for gateway, part in parts.items():
        kept = json.dumps(only_growing(part))
        database.run(
            "INSERT OR REPLACE INTO counted SELECT ?1, ?2 "
            "WHERE EXISTS (SELECT 1 FROM gateways WHERE id = ?1)",
            (gateway, kept),
        )
    kept_rows = dict(database.rows("SELECT gateway, families FROM counted"))
    departed = departed_of(kept_rows.pop(DEPARTED, None))
    missing = [json.loads(text) for one, text in kept_rows.items() if one not in parts]
    living = [part for one, part in parts.items() if one not in departed["gateways"]]
    return [*living, *missing, departed["families"]]
