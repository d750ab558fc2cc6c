"""A file that is read and written at any place, under a key: blocks of AES-256-GCM.

    magic 8 | key id 4 | salt 16 | zeros 4 | block 0 | block 1 ...
    block: nonce 12 | up to 32 KiB | tag 16; its number is authenticated with it

A block is sealed anew, with a new nonce, whenever any of it changes. Whoever may write to the disk
can put an older state of a block back, or cut the file at a block; nothing else goes unnoticed.
"""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from voicepipe.privacy.seal import ID_BYTES, NONCE_BYTES, TAG_BYTES, Seal

MAGIC = b"VPSEAL1\n"
SALT_BYTES = 16
HEAD_BYTES = 32
BLOCK = 32 * 1024
_MORE = NONCE_BYTES + TAG_BYTES


class SealedFile:
    """As `PlainFile`. Opens `file`, a descriptor that is its own from then on; an empty one is
    begun. Raises OSError, also where the key is not ours."""

    def __init__(self, file: int, seal: Seal) -> None:
        self._file = file
        head = os.pread(file, HEAD_BYTES, 0)
        if not head:
            salt = secrets.token_bytes(SALT_BYTES)
            head = (MAGIC + seal.key_id + salt).ljust(HEAD_BYTES, b"\0")
            if os.pwrite(file, head, 0) < HEAD_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        key_id, salt = head[8 : 8 + ID_BYTES], head[8 + ID_BYTES : 8 + ID_BYTES + SALT_BYTES]
        key = seal.key_of_file(key_id, salt) if head.startswith(MAGIC) else None
        if key is None:
            raise OSError(errno.EACCES, "sealed with a key that is not in calls.encryption_key")
        self._cipher = AESGCM(key)

    @property
    def size(self) -> int:
        """Bytes without what the seal adds."""
        whole, rest = divmod(os.fstat(self._file).st_size - HEAD_BYTES, BLOCK + _MORE)
        return whole * BLOCK + max(0, rest - _MORE)

    def read(self, size: int, place: int) -> bytes:
        """Up to `size` bytes from `place` on. Raises OSError where they were tampered with."""
        end = min(place + size, self.size)
        if end <= place:
            return b""
        first, last = place // BLOCK, (end - 1) // BLOCK
        data = b"".join(self._block(number) for number in range(first, last + 1))
        return data[place - first * BLOCK : end - first * BLOCK]

    def write(self, data: bytes, place: int) -> None:
        """Behind the end there are zeros up to it. Raises OSError where not all finds room."""
        had, end = self.size, place + len(data)
        for number in range(min(place, had) // BLOCK, -(-end // BLOCK)):
            begin = number * BLOCK
            old = self._block(number) if begin < had else b""
            new = bytearray(old.ljust(min(end - begin, BLOCK), b"\0"))
            part = data[max(begin - place, 0) : max(begin + BLOCK - place, 0)]
            at = max(place - begin, 0)
            new[at : at + len(part)] = part
            self._put(number, bytes(new))

    def resize(self, size: int) -> None:
        """Cut the end off, or add zeros."""
        if size > self.size:
            self.write(b"", size)
            return
        number, kept = divmod(size, BLOCK)
        rest = self._block(number)[:kept] if kept else b""
        os.ftruncate(self._file, HEAD_BYTES + number * (BLOCK + _MORE))
        if rest:
            self._put(number, rest)

    def sync(self) -> None:
        """Wait until all of it is on the disk: till then a power failure may tear a block."""
        os.fsync(self._file)

    def mend(self) -> list[int]:
        """Zeros in place of the blocks that cannot be opened: whoever died while it wrote has torn
        one, and the others are as good as ever. Returns their numbers."""
        blocks = range(-(-self.size // BLOCK))
        torn = [number for number in blocks if self._opened(number) is None]
        for number in torn:
            self._put(number, bytes(min(BLOCK, self.size - number * BLOCK)))
        return torn

    def close(self) -> None:
        os.close(self._file)

    def _block(self, number: int) -> bytes:
        plain = self._opened(number)
        if plain is None:
            raise OSError(errno.EIO, f"block {number} of a sealed recording is damaged")
        return plain

    def _opened(self, number: int) -> bytes | None:
        """None: it is damaged."""
        stored = os.pread(self._file, BLOCK + _MORE, HEAD_BYTES + number * (BLOCK + _MORE))
        try:
            return self._cipher.decrypt(stored[:NONCE_BYTES], stored[NONCE_BYTES:], _of(number))
        except (InvalidTag, ValueError):
            return None

    def _put(self, number: int, plain: bytes) -> None:
        """All of a block or nothing of it, as far as the disk lets us."""
        place = HEAD_BYTES + number * (BLOCK + _MORE)
        nonce = secrets.token_bytes(NONCE_BYTES)
        stored = nonce + self._cipher.encrypt(nonce, plain, _of(number))
        total = os.fstat(self._file).st_size
        before = os.pread(self._file, len(stored), place)
        if os.pwrite(self._file, stored, place) < len(stored):
            os.pwrite(self._file, before, place)
            os.ftruncate(self._file, total)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _of(number: int) -> bytes:
    return number.to_bytes(8, "little")


def is_sealed(path: Path) -> bool:
    """Whether a file is one of these. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
