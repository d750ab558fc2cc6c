"""How a gateway and an engine host prove to each other that they know the same key.

Each side sends a nonce and answers the other's with an HMAC over both; the key never travels.
What follows is not encrypted: between machines it belongs on a private network.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any, Literal

Side = Literal["gateway", "host"]


def nonce() -> str:
    return secrets.token_hex(16)


def proof(key: str, side: Side, asked: str, own: str) -> str:
    """`side`'s answer to the nonce `asked`, tied to its own."""
    text = f"voicepipe {side} {asked} {own}".encode()
    return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()


def proves(given: object, key: str, side: Side, asked: str, own: str) -> bool:
    """Whether `given` is that answer."""
    return isinstance(given, str) and hmac.compare_digest(
        given.encode(), proof(key, side, asked, own).encode()
    )


class WrongKey(ValueError):
    """The two ends do not know the same key."""


class Handshake:
    """A gateway's side of one connection after the other."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._nonce = ""
        self._proved = False

    def begin(self) -> dict[str, Any]:
        """What goes with the greeting."""
        self._nonce, self._proved = nonce(), False
        return {"nonce": self._nonce}

    def answer(self, asked: Mapping[str, Any]) -> str:
        """To a host that asks for a proof, and has given its own. Raises WrongKey."""
        theirs = str(asked["nonce"])
        if not self._key or not proves(asked["proof"], self._key, "host", self._nonce, theirs):
            raise WrongKey("the host has another key")
        self._proved = True
        return proof(self._key, "gateway", theirs, self._nonce)

    def check(self) -> None:
        """Raises WrongKey: a host that asks for no key is none of ours."""
        if self._key and not self._proved:
            raise WrongKey("the host asks for no key")
