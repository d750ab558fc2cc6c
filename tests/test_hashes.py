"""`scripts/hashes.py`: what it writes is what pip checks, and holds no address."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.hashes import line, locked


def wheel(folder: Path, name: str, needs: str = "") -> Path:
    """A package with nothing in it."""
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    files = {
        f"{info}/METADATA": metadata + (f"Requires-Dist: {needs}\n" if needs else ""),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{path},sha256={_digest(text)},{len(text)}" for path, text in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,"]) + "\n"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, text in files.items():
            archive.writestr(place, text)
    return path


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def test_what_is_written_is_what_pip_checks(tmp_path: Path) -> None:
    first, second = wheel(tmp_path, "voicepipe_a", "voicepipe_b"), wheel(tmp_path, "voicepipe_b")
    here = ["--no-index", "--find-links", str(tmp_path)]
    lines = locked("voicepipe_a", here)
    sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)]
    assert lines == [
        f"voicepipe_a==1.0 --hash=sha256:{sums[0]}",
        f"voicepipe_b==1.0 --hash=sha256:{sums[1]}",
    ]
    assert _installs(tmp_path, lines, here)
    with zipfile.ZipFile(second, "a") as archive:
        archive.writestr("voicepipe_b.py", "print('something else')")
    assert not _installs(tmp_path, lines, here)


def _installs(folder: Path, lines: list[str], options: list[str]) -> bool:
    wanted = folder / "locked.txt"
    wanted.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "pip", "install", "--require-hashes", "--no-deps", "--dry-run"]
    done = subprocess.run(
        [*command, "--ignore-installed", *options, "-r", str(wanted)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 or "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stderr
    return done.returncode == 0


def test_a_package_without_a_checksum_is_refused() -> None:
    with pytest.raises(ValueError, match="no file with a sha256"):
        line({"metadata": {"name": "a", "version": "1"}, "download_info": {"url": "x"}})
