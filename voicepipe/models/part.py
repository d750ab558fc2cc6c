"""A file on its way to disk: FILE.part, and FILE.part.tag with the version it belongs to."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from voicepipe.models.sources import SourceError, Stream

READ_BYTES = 1 << 20


class Part:
    """What has arrived of the file that will lie at `place`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.path = place.with_name(place.name + ".part")
        self.tag_path = place.with_name(place.name + ".part.tag")

    def size(self) -> int:
        return self.path.stat().st_size if self.path.is_file() else 0

    def resume_point(self) -> tuple[int, str | None]:
        """How many bytes are here, and of which version; (0, None) if it cannot go on."""
        tag = self.tag_path.read_text("utf-8") if self.tag_path.is_file() else ""
        return (self.size(), tag) if tag and self.size() else (0, None)

    def start(self, stream: Stream) -> hashlib._Hash:
        """Make the part end where the stream begins; the digest of what is kept."""
        self.path.touch()
        digest = hashlib.sha256()
        if stream.offset > self.size():
            raise SourceError(f"{self.place.name}: the answer starts beyond what is here")
        os.truncate(self.path, stream.offset)
        for chunk in _chunks(self.path):
            digest.update(chunk)
        self.tag_path.write_text(stream.tag or "", "utf-8")
        return digest

    def blame(self) -> None:
        """The next try starts over: a server may refuse what we ask it to go on from."""
        self.tag_path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Throw it away."""
        self.path.unlink(missing_ok=True)
        self.tag_path.unlink(missing_ok=True)

    def finish(self) -> None:
        """It is whole: move it to its place."""
        os.replace(self.path, self.place)
        self.tag_path.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Checksum of a file, read in chunks."""
    digest = hashlib.sha256()
    for chunk in _chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(READ_BYTES):
            yield chunk
