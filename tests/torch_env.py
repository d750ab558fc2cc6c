"""An environment with torch for the tests that need it: too heavy for `.venv`, so it has a place of
its own in `.cache`, made once (a minute or two) and made again when what goes into it changes.

It sees all packages of the running environment and adds torch and transformers, as constraints.txt
pins them. Where pip finds no build of torch the tests that ask for it fail and say so."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
PACKAGES = ("torch", "transformers")
INSTALL_TIMEOUT_S = 900


def torch_python() -> Path:
    """The environment's interpreter. Raises RuntimeError with pip's words if it cannot be made."""
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    folder = cache / f"torch-{_fingerprint()}"
    python = folder / "bin" / "python"
    with (cache / "torch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test run may be making it
        if not (folder / "ready").exists():
            _make(folder, python)
            (folder / "ready").touch()
    return python


def _make(folder: Path, python: Path) -> None:
    _run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder))
    own = next(folder.glob("lib/python*/site-packages"))
    (own / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-input")
    _run(*pip, "-c", str(CONSTRAINTS), *PACKAGES)


def _run(*command: str) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
    )
    if done.returncode:
        raise RuntimeError(f"no environment with torch: {' '.join(command)}\n{done.stderr}")


def _fingerprint() -> str:
    pins = [line for line in CONSTRAINTS.read_text().splitlines() if line.startswith(PACKAGES)]
    return hashlib.sha256("\n".join([sys.executable, *pins]).encode()).hexdigest()[:12]
