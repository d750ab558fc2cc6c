"""The node packages of package.json, where scripts/test puts them (`ensure_browser`)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

INSTALLED = Path(__file__).parents[2] / ".cache" / "browser" / "node_modules"


def package_file(name: str) -> Path:
    """A file under node_modules. Raises RuntimeError if it is not there."""
    path = INSTALLED / name
    if not path.exists():
        raise RuntimeError(f"{name} is not installed; scripts/test does that, with node and npm")
    return path


def bundle(source: Path, out: Path) -> None:
    """One file a page can load, with everything that the module `source` imports."""
    esbuild = [str(package_file(".bin/esbuild")), str(source), "--bundle", "--format=iife"]
    done = subprocess.run(
        [*esbuild, f"--outfile={out}", "--log-level=warning"],
        env={**os.environ, "NODE_PATH": str(INSTALLED)},
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{source.name} could not be bundled:\n{done.stderr}")
