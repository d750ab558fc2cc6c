"""A voice's three parts on disk: cut once, tried once, found again by the voice's checksum."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.tts.engines.vits.reach import Reach
from voicepipe.tts.engines.vits.stream import CutVoice, Feeds, Layout, Session

CUT_VERSION = 1
"""Part of the key: a newer way of cutting does not take an older one's files."""

TRIAL_IDS = 160
"""Phoneme ids of the trial sentence: several windows of every part, in any voice."""

MAX_DIFFERENCE = 1e-4
"""Of full scale; a window cut in the wrong place is off by far more, other rounding by far less."""

_ABOUT = "cut.json"
_PARTS = ("text", "flow", "vocoder")

MakeSession = Callable[[Path], Session]


class CutFailed(Exception):
    """The voice cannot be spoken in windows; the message says why. Whole, it may well be."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Where a cut voice lies. `difference` from the uncut voice in the trial, of full scale;
    0.0 is bit for bit."""

    folder: Path
    layout: Layout
    difference: float

    def load(self, make_session: MakeSession) -> CutVoice:
        """Open the three parts."""
        text, flow, vocoder = (make_session(self.folder / f"{part}.onnx") for part in _PARTS)
        return CutVoice(text, flow, vocoder, self.layout)


def parts_of(voice: Path, make_session: MakeSession) -> Parts:
    """The parts of a voice: those found, else cut now (seconds, once). Raises CutFailed.

    They are kept beside the voice, in `NAME.cut-KEY`, or where that folder cannot be written, in
    the user's cache directory. Of several processes one cuts while the others wait.
    """
    with voice.open("rb") as held:
        with contextlib.suppress(OSError):  # some network disks cannot; then each may cut
            fcntl.flock(held, fcntl.LOCK_EX)
        key = hashlib.file_digest(held, "sha256").hexdigest()[:16]
        name = f"{voice.name}.cut-{key}-{CUT_VERSION}"
        places = (voice.parent / name, cache_dir() / name)
        for place in places:
            if (found := _read(place)) is not None:
                return found
        return _make(voice, places, make_session)


def cache_dir() -> Path:
    """The user's cache directory for voices."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return cache / "voicepipe" / "voices"


def _read(place: Path) -> Parts | None:
    try:
        about = json.loads((place / _ABOUT).read_text(encoding="utf-8"))
        layout = about["layout"]
        for reach in ("flow_reach", "vocoder_reach"):
            layout[reach] = Reach(**layout[reach])
        return Parts(place, Layout(**layout), float(about["difference"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _make(voice: Path, places: tuple[Path, ...], make_session: MakeSession) -> Parts:
    with _workshop(voice.name, tuple(place.parent for place in places)) as folder:
        layout = _write_parts(voice, folder)
        parts = Parts(folder, layout, 0.0)
        difference = _trial(make_session(voice), parts.load(make_session))
        if not difference <= MAX_DIFFERENCE:
            raise CutFailed(f"cut in windows, it sounds otherwise (by {difference:.2g})")
        place = next(place for place in places if place.parent == folder.parent)
        about = {"layout": asdict(layout), "difference": difference, "voice": voice.name}
        (folder / _ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
        for old in place.parent.glob(f"{voice.name}.cut-*"):
            shutil.rmtree(old, ignore_errors=True)
        folder.rename(place)
    return Parts(place, layout, difference)


@contextlib.contextmanager
def _workshop(name: str, parents: tuple[Path, ...]) -> Iterator[Path]:
    """A new folder in the first of `parents` that can be written; gone afterwards."""
    reasons = []
    for parent in parents:
        try:
            parent.mkdir(parents=True, exist_ok=True)
            for left in parent.glob(f".cutting-{name}-*"):  # by one that was killed meanwhile
                shutil.rmtree(left, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix=f".cutting-{name}-", dir=parent))
        except OSError as error:
            reasons.append(str(error))
            continue
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    raise CutFailed(f"there is no place for its parts: {'; '.join(reasons)}")


def _write_parts(voice: Path, folder: Path) -> Layout:
    try:
        import onnx

        from voicepipe.tts.engines.vits.cut import NotCuttable, cut
    except ImportError:
        raise CutFailed("the package 'onnx' is needed once, to cut it: pip install onnx") from None
    try:
        done = cut(onnx.load(str(voice)))
    except NotCuttable as error:
        raise CutFailed(str(error)) from None
    try:
        models = (done.text, done.flow.model, done.vocoder.model)
        for part, model in zip(_PARTS, models, strict=True):
            onnx.save(model, str(folder / f"{part}.onnx"))
    except OSError as error:
        raise CutFailed(f"its parts cannot be written: {error}") from None
    return Layout(
        prior=done.flow.source,
        mask=done.mask,
        frames=done.frames,
        rise=done.flow.result,
        flow_reach=done.flow.reach,
        vocoder_reach=done.vocoder.reach,
    )


def _trial(whole: Session, windowed: CutVoice) -> float:
    """Largest difference of a sentence spoken both ways, without noise."""
    wanted = {given.name for given in whole.get_inputs()}
    feeds: dict[str, Any] = {
        "input": np.arange(TRIAL_IDS, dtype=np.int64)[None] % 11 + 3,  # ids that every voice has
        "input_lengths": np.array([TRIAL_IDS], np.int64),
        "scales": np.array([0.0, 1.0, 0.0], np.float32),
        "sid": np.array([0], np.int64),
    }
    known: Feeds = {name: value for name, value in feeds.items() if name in wanted}
    expected = whole.run(None, known)[0].reshape(-1)
    spoken = np.concatenate(list(windowed.speak(known).chunks))
    if spoken.shape != expected.shape:
        return float("inf")
    return float(np.abs(spoken - expected).max())
