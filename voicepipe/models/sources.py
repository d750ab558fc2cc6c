"""Where model files come from: the model hub, a mirror on the web, or a folder."""

from __future__ import annotations

import fnmatch
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import httpx

from voicepipe.models.lock import LOCK_NAME, Lock
from voicepipe.models.registry import Model, ModelFile
from voicepipe.runtime.errors import VoicepipeError

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
CHUNK_BYTES = 1 << 20
SHA256 = re.compile(r"[0-9a-f]{64}")
_RETRY_STATUS = {408, 425, 429, 500, 502, 503, 504}


class SourceError(VoicepipeError):
    """A source cannot give a file, and asking again will not help."""


class SourceBusy(VoicepipeError):
    """A source could not be reached or broke off; asking again may help."""

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Stream:
    """An open file. `chunks` raises SourceBusy when it breaks off."""

    offset: int  # where the first chunk belongs; 0 if the source could not resume
    size: int | None  # of the whole file, bytes
    sha256: str | None  # what the source says of it
    tag: str | None  # names this very version of the file, for resuming
    chunks: Iterator[bytes]


class Source(Protocol):
    """A place that has model files."""

    where: str  # in words, for messages

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        """The model's files with patterns resolved. Raises SourceError, SourceBusy."""
        ...

    def open(
        self, model: Model, file: ModelFile, offset: int, tag: str | None
    ) -> AbstractContextManager[Stream]:
        """Open one file at `offset` bytes if it still is the version `tag`, else at 0."""
        ...


class FolderSource:
    """A models folder, e.g. copied from a machine that has network access."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SourceError(f"--mirror {folder}: no such folder")
        self.folder = folder
        self.where = f"folder {folder}"

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        base = self.folder / model.name
        there = {str(p.relative_to(base)): p for p in sorted(base.rglob("*")) if p.is_file()}
        listing = {name: ModelFile(path=name, size=p.stat().st_size) for name, p in there.items()}
        return resolve(model, listing, self.where)

    @contextmanager
    def open(self, model: Model, file: ModelFile, offset: int, tag: str | None) -> Iterator[Stream]:
        with local_stream(self.folder / model.name / file.name, offset, tag) as stream:
            yield stream


@contextmanager
def local_stream(
    path: Path, offset: int, tag: str | None, sha256: str | None = None
) -> Iterator[Stream]:
    """A file on this machine as `Source.open` gives it. Raises SourceError if it is not there."""
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            version = f"{status.st_size}-{status.st_mtime_ns}"
            start = offset if tag == version and offset <= status.st_size else 0
            stream.seek(start)
            chunks = iter(lambda: stream.read(CHUNK_BYTES), b"")
            yield Stream(start, status.st_size, sha256, version, chunks)
    except FileNotFoundError:
        raise SourceError(f"{path} is not there") from None


class _HttpSource(ABC):
    """What hub and mirror share: one kept-alive client, resuming, errors in words."""

    def __init__(self, base: str, token: str | None = None) -> None:
        self.base = base.rstrip("/")
        self.where = self.base
        # identity: a compressed answer could not be resumed by byte
        headers = {"Accept-Encoding": "identity"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.client = httpx.Client(timeout=TIMEOUT, follow_redirects=True, headers=headers)

    @abstractmethod
    def url(self, model: Model, file: ModelFile) -> str:
        """Where `file` of `model` lies."""

    @contextmanager
    def open(self, model: Model, file: ModelFile, offset: int, tag: str | None) -> Iterator[Stream]:
        resume = {"Range": f"bytes={offset}-", "If-Range": tag} if offset and tag else {}
        url = self.url(model, file)
        with self._requests(url), self.client.stream("GET", url, headers=resume) as response:
            if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise SourceBusy(f"{url}: the part already here does not fit; starting over")
            _check_status(response, url)
            yield _stream(response, url)

    def get(self, url: str) -> httpx.Response:
        """A small document. Raises SourceError, SourceBusy."""
        with self._requests(url):
            response = self.client.get(url)
            _check_status(response, url)
            return response

    @contextmanager
    def _requests(self, url: str) -> Iterator[None]:
        try:
            yield
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise SourceError(f"{url}: {error}") from error
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise SourceBusy(f"{url}: {reason}") from error


class HubSource(_HttpSource):
    """The model hub or anything that answers like it (HF_ENDPOINT)."""

    def url(self, model: Model, file: ModelFile) -> str:
        return f"{self.base}/{model.repo}/resolve/{quote(model.revision)}/{quote(file.path)}"

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        if not any(file.is_pattern for file in model.files):
            return model.files
        address = f"{self.base}/api/models/{model.repo}/tree/{quote(model.revision, safe='')}"
        answer = self.get(f"{address}?recursive=true")
        try:
            listing = _listed(answer.json())
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise SourceError(
                f"{address}: its answer is no listing of files ({type(error).__name__})"
            ) from error
        return resolve(model, listing, self.where)


def _listed(items: Any) -> dict[str, ModelFile]:
    """A repository's files as a hub lists them."""
    listing = {}
    for item in items:
        if item.get("type") == "file":
            digest = str((item.get("lfs") or {}).get("oid", ""))
            known = digest if SHA256.fullmatch(digest) else None
            listing[str(item["path"])] = ModelFile(
                path=item["path"], size=item.get("size"), sha256=known
            )
    return listing


class MirrorSource(_HttpSource):
    """A models folder behind a web server; its lock file is the listing."""

    def url(self, model: Model, file: ModelFile) -> str:
        return f"{self.base}/{quote(model.name)}/{quote(file.name)}"

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        address = f"{self.base}/{LOCK_NAME}"
        try:
            lock = Lock.parse(self.get(address).text, address)
        except SourceError:  # a mirror without a lock can still serve files known by name
            lock = Lock()
        locked = lock.models.get(model.name)
        listing = {
            name: ModelFile(path=name, size=file.size, sha256=file.sha256)
            for name, file in (locked.files if locked else {}).items()
        }
        if not listing and not any(file.is_pattern for file in model.files):
            return model.files
        return resolve(model, listing, self.where)


def resolve(model: Model, listing: Mapping[str, ModelFile], where: str) -> tuple[ModelFile, ...]:
    """The registry's files and the matches of its patterns; the registry's word goes first."""
    found: dict[str, ModelFile] = {}
    for file in model.files:
        if not file.is_pattern:
            there = listing.get(file.name) or listing.get(file.path)
            size = file.size if file.size is not None or there is None else there.size
            digest = file.sha256 or (there.sha256 if there else None)
            found[file.name] = file.model_copy(update={"size": size, "sha256": digest})
            continue
        matches = [name for name in listing if fnmatch.fnmatchcase(name, file.path)]
        if not matches:
            raise SourceError(f"{where} lists no file of {model.name} that matches {file.path}")
        for name in matches:
            found.setdefault(name, listing[name])
    return tuple(found.values())


def _check_status(response: httpx.Response, url: str) -> None:
    code = response.status_code
    if code in _RETRY_STATUS:
        wait = response.headers.get("Retry-After", "")
        after = float(wait) if wait.isdigit() else 0.0
        raise SourceBusy(f"{url}: the server answered {code}", retry_after_s=after)
    if code in {401, 403}:
        raise SourceError(f"{url}: access refused ({code}); set HF_TOKEN if the model needs one")
    if not response.is_success:
        raise SourceError(f"{url}: the server answered {code}")


def _stream(response: httpx.Response, url: str) -> Stream:
    headers = response.headers
    if headers.get("Content-Encoding", "identity") != "identity":
        raise SourceError(f"{url}: came compressed though plain bytes were asked for")
    offset, size = 0, headers.get("Content-Length")
    if response.status_code == httpx.codes.PARTIAL_CONTENT:
        matched = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", headers.get("Content-Range", ""))
        if matched is None:
            raise SourceError(f"{url}: a partial answer without a usable Content-Range")
        offset, size = int(matched[1]), matched[2]
    stated = [r.headers.get("X-Linked-Etag", "").strip('"') for r in (*response.history, response)]
    digest = next((value for value in stated if SHA256.fullmatch(value)), None)
    tag = headers.get("ETag", "")
    return Stream(
        offset=offset,
        size=int(size) if size is not None and size.isdigit() else None,
        sha256=digest,
        tag=tag if tag.startswith('"') else None,  # a weak tag does not name bytes
        chunks=response.iter_raw(),  # as they come: a broken line loses nothing that arrived
    )
