"""Identifiers of wire-visible things: a prefix and 22 random characters."""

from __future__ import annotations

import secrets


def new_id(prefix: str) -> str:
    """Such as `item_Zk3...`; unguessable and unique."""
    return f"{prefix}_{secrets.token_urlsafe(16).replace('-', 'a').replace('_', 'b')}"
