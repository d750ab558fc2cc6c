"""What is written to the disk under keys of the settings: AES-256-GCM, and AES-SIV where equal
texts must stay equal to be found.

It protects who finds the disk or a backup without the settings. It hides neither how long a text or
a recording is nor when it was written, and SIV shows which numbers are the same.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from voicepipe.runtime.errors import ConfigError

KEY_BYTES, NONCE_BYTES, TAG_BYTES, ID_BYTES = 32, 12, 16, 4
UNREADABLE = "[sealed with a key that is not in calls.encryption_key]"

_SEALED = re.compile(r"\x02sealed:1:([0-9a-f]{8}):([gs]):([A-Za-z0-9+/=]*)")


class Seal:
    """Thread-safe. `keys`: of `KEY_BYTES` each; the first one seals, all of them open."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = {derived(key, b"voicepipe key id", ID_BYTES): key for key in keys}
        self.key_id = next(iter(self._keys))

    @classmethod
    def of(cls, setting: str) -> Seal | None:
        """Of base64 keys with commas between them; None: there are none. Raises ConfigError."""
        texts = [text.strip() for text in setting.split(",") if text.strip()]
        try:
            keys = [base64.b64decode(text, validate=True) for text in texts]
        except ValueError:  # not base64, or not even ASCII
            keys = [b""]
        if any(len(key) != KEY_BYTES for key in keys):
            raise ConfigError(
                f"calls.encryption_key must be {KEY_BYTES} bytes as base64, such as "
                "`openssl rand -base64 32` makes; several have commas between them, newest first"
            )
        return cls(keys) if keys else None

    def text(self, plain: str, context: str) -> str:
        """Sealed anew each time; it opens in the same `context` only."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        key = derived(self._keys[self.key_id], b"voicepipe texts")
        data = nonce + AESGCM(key).encrypt(nonce, _bytes(plain), context.encode())
        return _as_text(self.key_id, "g", data)

    def numbers(self, plain: str, context: str) -> list[str]:
        """Sealed so that the same stays the same: by the key that seals, then by each other."""
        return [
            _as_text(key_id, "s", _siv(key).encrypt(_bytes(plain), [context.encode()]))
            for key_id, key in self._keys.items()
        ]

    def opened(self, stored: str, context: str) -> str:
        """What was never sealed is given back as it is; what cannot be opened is `UNREADABLE`."""
        found = _SEALED.fullmatch(stored)
        if found is None:
            return stored
        key = self._keys.get(bytes.fromhex(found[1]))
        if key is None:
            return UNREADABLE
        try:
            data = base64.b64decode(found[3])
            return _opened(key, found[2], data, context.encode()).decode()
        except (InvalidTag, ValueError):
            return UNREADABLE

    def key_of_file(self, key_id: bytes, salt: bytes) -> bytes | None:
        """A key of its own for each file; None: none of ours."""
        key = self._keys.get(key_id)
        return None if key is None else derived(key, b"voicepipe recordings" + salt)


def without_keys(stored: str) -> str:
    """What a reader without keys sees."""
    return stored if _SEALED.fullmatch(stored) is None else UNREADABLE


def derived(key: bytes, purpose: bytes, size: int = KEY_BYTES) -> bytes:
    """A key of its own for each purpose (HKDF, RFC 5869)."""
    return HKDF(SHA256(), size, salt=None, info=purpose).derive(key)


def _opened(key: bytes, how: str, data: bytes, context: bytes) -> bytes:
    if how == "s":
        return _siv(key).decrypt(data, [context])
    cipher = AESGCM(derived(key, b"voicepipe texts"))
    return cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], context)


def _siv(key: bytes) -> AESSIV:
    return AESSIV(derived(key, b"voicepipe numbers", 2 * KEY_BYTES))


def _as_text(key_id: bytes, how: str, data: bytes) -> str:
    return f"\x02sealed:1:{key_id.hex()}:{how}:{base64.b64encode(data).decode()}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
