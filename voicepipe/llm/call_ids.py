"""Ids of tool calls: a model server's may repeat, ours do not."""

from __future__ import annotations

import secrets
from collections import OrderedDict

MAX_IDS = 10_000
"""Calls of all sessions whose server's id is remembered; the oldest goes first."""


def new_call_id() -> str:
    return f"call_{secrets.token_hex(12)}"


class CallIds:
    """Our id for each call of one server's, and back. Clients keep calls by their ids, and some
    servers number them from 0 in every answer. In its prompts a server reads its own again: some
    insist on their form."""

    def __init__(self) -> None:
        self._theirs: OrderedDict[str, str] = OrderedDict()

    def ours(self, theirs: str) -> str:
        """A new id for a call that the server names `theirs` ("": not at all)."""
        own = new_call_id()
        if theirs:
            self._theirs[own] = theirs
            if len(self._theirs) > MAX_IDS:
                self._theirs.popitem(last=False)
        return own

    def theirs(self, own: str) -> str:
        """What the server calls it; an id that is not known here, as it is."""
        return self._theirs.get(own, own)
