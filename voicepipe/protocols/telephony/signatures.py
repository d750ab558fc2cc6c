"""Signatures on carriers' webhooks and WebSocket upgrades: made, and checked in constant time.

Every check takes the URL exactly as the carrier requested it, built from a configured public
origin, never from headers of an untrusted peer. A valid signature does not expire by itself: see
`replay.py`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Form = Iterable[tuple[str, str]]
"""A form's fields as (name, value), in any order, names perhaps repeated."""

_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_MAX_TOKEN_CHARS = 8192  # no carrier's JWT comes near


# -- Twilio ----------------------------------------------------------------------------------------


def sign_twilio(url: str, secret: str, form: Form = (), *, algorithm: str = "sha1") -> str:
    """X-Twilio-Signature: base64 HMAC of the URL and the sorted form.

    `algorithm`: "sha1" with the account's auth token, "sha256" with a webhook key's secret.
    """
    fields = sorted(set(form))
    signed = url + "".join(name + value for name, value in fields)
    return _base64_hmac(secret, signed, algorithm)


def verify_twilio(
    url: str,
    secret: str,
    signature: str | None,
    *,
    form: Form = (),
    settings: str | None = None,
) -> bool:
    """Whether Twilio signed a form POST, a GET or an upgrade (`wss` URL, no form).

    `settings`: the header X-Twilio-Webhooks-Signature-Settings, where it came; `secret` then is
    the named key's. Twilio signs the URL with or without its port: both are tried, and an upgrade's
    with and without a slash at the end. A form that names a field twice is nobody's: Twilio signs
    each field once, so a second one would be unsigned.

    A genuine signature has one spelling: it tells a request from another, which the fields do not,
    since they are signed without anything between them.
    """
    algorithm = _twilio_algorithm(settings)
    fields = tuple(form)
    if not signature or not secret or algorithm is None or _names_a_field_twice(fields):
        return False
    matches = [
        _same(sign_twilio(variant, secret, fields, algorithm=algorithm), signature)
        for variant in _as_twilio_may_spell(url)
    ]
    return any(matches)


def verify_twilio_json(
    url: str, secret: str, signature: str | None, body: bytes, *, settings: str | None = None
) -> bool:
    """Whether Twilio signed a JSON POST: the signed URL's query holds the body's SHA-256."""
    wanted = dict(parse_qsl(urlsplit(url).query)).get("bodySHA256", "")
    same_body = _same(hashlib.sha256(body).hexdigest(), wanted.lower())
    return verify_twilio(url, secret, signature, settings=settings) and same_body


def _twilio_algorithm(settings: str | None) -> str | None:
    """Of the header `key=...,algorithm=HMAC_SHA256`; None: not known."""
    if settings is None:
        return "sha1"
    pairs = (part.partition("=") for part in settings.split(","))
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    return "sha256" if fields.get("algorithm") == "HMAC_SHA256" else None


def _as_twilio_may_spell(url: str) -> list[str]:
    """With or without the port, and, of an upgrade, with or without a slash at the end."""
    parts = urlsplit(url)
    spellings = [parts]
    try:
        port, default = parts.port, _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:  # no number
        port = default = None
    if port is not None:
        spellings.append(parts._replace(netloc=parts.netloc.rpartition(":")[0]))
    elif default is not None:
        spellings.append(parts._replace(netloc=f"{parts.netloc}:{default}"))
    if parts.scheme in ("ws", "wss"):
        other = parts.path.removesuffix("/") if parts.path.endswith("/") else parts.path + "/"
        spellings += [spelling._replace(path=other) for spelling in spellings]
    return [url, *(urlunsplit(spelling) for spelling in spellings)]


# -- Plivo -----------------------------------------------------------------------------------------


def sign_plivo(url: str, secret: str, nonce: str, form: Form | None = None) -> str:
    """X-Plivo-Signature-V3. `form`: of a POST; None for a GET or an upgrade."""
    base, _, query = url.partition("?")
    sorted_query = "&".join(f"{n}={v}" for n, v in sorted(parse_qsl(query, True)))
    fields = "".join(name + value for name, value in sorted(form or ()))
    signed = base
    if sorted_query or fields:
        signed += "?" + sorted_query
    if sorted_query and fields:
        signed += "."
    return _base64_hmac(secret, f"{signed}{fields}.{nonce}", "sha256")


def verify_plivo(
    url: str,
    secret: str,
    signature: str | None,
    nonce: str | None,
    *,
    form: Form | None = None,
) -> bool:
    """Whether Plivo signed this request. The header may hold several signatures.

    The nonce is joined to the fields by a dot, so one with a dot in it may be a piece of a field;
    a form that names a field twice is refused as Twilio's is.
    """
    fields = None if form is None else tuple(form)
    if not signature or not nonce or not secret or "." in nonce:
        return False
    if _names_a_field_twice(fields or ()):
        return False
    wanted = sign_plivo(url, secret, nonce, fields)
    matches = [_same(wanted, part.strip()) for part in signature.split(",")]
    return any(matches)


# -- Telnyx ----------------------------------------------------------------------------------------


def verify_telnyx(
    public_key: str,
    signature: str | None,
    timestamp: str | None,
    body: bytes,
    *,
    now_s: float,
    tolerance_s: float = 300.0,
) -> bool:
    """Whether Telnyx signed a webhook: Ed25519 over `timestamp|body`, not longer ago than allowed.

    `public_key`, `signature` (telnyx-signature-ed25519): base64. `timestamp` (telnyx-timestamp) and
    `now_s`: seconds since 1970.
    """
    if not signature or not timestamp or not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if len(timestamp) > 12 or abs(now_s - int(timestamp)) > tolerance_s:
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        raw = base64.b64decode(signature, validate=True)
        key.verify(raw, timestamp.encode() + b"|" + body)
    except (ValueError, InvalidSignature):  # binascii.Error is a ValueError
        return False
    # Base64 has several spellings of some bytes; only one is good, so that a replay is known by it.
    return _same(base64.b64encode(raw).decode("ascii"), signature)


# -- Vonage ----------------------------------------------------------------------------------------


def sign_vonage(secret: str, claims: Mapping[str, Any]) -> str:
    """A JWT as Vonage sends it in `Authorization: Bearer`: HS256 with the signature secret."""
    head = _base64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    signed = f"{head}.{_base64url(json.dumps(dict(claims)).encode())}"
    return f"{signed}.{_base64url(_hmac(secret, signed, 'sha256'))}"


def verify_vonage(
    secret: str,
    token: str | None,
    *,
    now_s: float,
    body: bytes = b"",
    tolerance_s: float = 300.0,
) -> Mapping[str, Any] | None:
    """The claims of a valid JWT, else None.

    Its age (`iat`, `exp`, `nbf`; seconds since 1970, like `now_s`) is checked, and where the token
    has `payload_hash`, the body, be it empty.
    """
    if not secret or not token or len(token) > _MAX_TOKEN_CHARS or token.count(".") != 2:
        return None
    signed, _, signature = token.rpartition(".")
    head, claims = (_json_part(part) for part in signed.split("."))
    if head is None or claims is None or head.get("alg") != "HS256":
        return None
    if not _same(_base64url(_hmac(secret, signed, "sha256")), signature):
        return None
    if not _is_timely(claims, now_s, tolerance_s):
        return None
    if "payload_hash" in claims:
        wanted = claims["payload_hash"]
        if not isinstance(wanted, str) or not _same(hashlib.sha256(body).hexdigest(), wanted):
            return None
    return claims


def _is_timely(claims: Mapping[str, Any], now_s: float, tolerance_s: float) -> bool:
    """A token says when it was made; it is neither old nor of the future."""
    times = {name: claims[name] for name in ("iat", "exp", "nbf") if name in claims}
    if any(isinstance(t, bool) or not isinstance(t, int | float) for t in times.values()):
        return False
    return (
        "iat" in times
        and abs(now_s - times["iat"]) <= tolerance_s
        and now_s <= times.get("exp", now_s)
        and now_s + tolerance_s >= times.get("nbf", now_s)
    )


def _json_part(part: str) -> dict[str, Any] | None:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# -- all -------------------------------------------------------------------------------------------


def _names_a_field_twice(form: Form) -> bool:
    names = [name for name, _ in form]
    return len(set(names)) < len(names)


def _hmac(secret: str, text: str, algorithm: str) -> bytes:
    return hmac.digest(secret.encode(), text.encode("utf-8", "replace"), algorithm)


def _base64_hmac(secret: str, text: str, algorithm: str) -> str:
    return base64.b64encode(_hmac(secret, text, algorithm)).decode("ascii")


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _same(wanted: str, offered: str) -> bool:
    """Takes the same time wherever the two differ."""
    return hmac.compare_digest(wanted.encode(), offered.encode("utf-8", "replace"))
