"""What the carriers' signatures have in common. All are checked in constant time.

Every check takes the URL exactly as the carrier requested it, built from a configured public
origin, never from headers of an untrusted peer. A valid signature does not expire by itself: see
`server/telephony/spent_requests.py`.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

Form = Iterable[tuple[str, str]]
"""A form's fields as (name, value), in any order, names perhaps repeated."""


def names_a_field_twice(form: Form) -> bool:
    """Where each field is signed once a second one would be unsigned."""
    names = [name for name, _ in form]
    return len(set(names)) < len(names)


def hmac_of(secret: str, text: str, algorithm: str) -> bytes:
    return hmac.digest(secret.encode(), text.encode("utf-8", "replace"), algorithm)


def base64_hmac(secret: str, text: str, algorithm: str) -> str:
    return base64.b64encode(hmac_of(secret, text, algorithm)).decode("ascii")


def base64url(data: bytes) -> str:
    """Without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def same(wanted: str, offered: str) -> bool:
    """Takes the same time wherever the two differ."""
    return hmac.compare_digest(wanted.encode(), offered.encode("utf-8", "replace"))
