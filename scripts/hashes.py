#!/usr/bin/env python3
"""The pinned packages with the checksums of the files that pip would take on this machine.

    python -m scripts.hashes espeak otel > locked.txt       # extras; further options go to pip
    pip install --require-hashes --no-deps -r locked.txt    # on the machine that serves
    pip install --no-deps voicepipe_server-*.whl

Checksums fit the files of your index and platform only, so none are kept in the repository. Nothing
is installed, and no address is written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def locked(requirement: str, pip_options: list[str]) -> list[str]:
    """A line for each package that `requirement` needs. Raises CalledProcessError, ValueError."""
    constraints = ROOT / "constraints.txt"
    options = ["--dry-run", "--ignore-installed", "--quiet", "--no-input", "--report", "-"]
    command = [sys.executable, "-m", "pip", "install", *options, "-c", str(constraints)]
    done = subprocess.run(
        [*command, *pip_options, requirement], stdout=subprocess.PIPE, text=True, check=True
    )
    found = [line(one) for one in json.loads(done.stdout)["install"] if not _is_ours(one)]
    return sorted(found, key=str.lower)


def line(package: dict[str, Any]) -> str:
    """As `--require-hashes` reads it. Raises ValueError where pip took no file with a checksum."""
    name, version = package["metadata"]["name"], package["metadata"]["version"]
    sha256 = package["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
    if sha256 is None:
        raise ValueError(f"{name} {version} comes from no file with a sha256")
    return f"{name}=={version} --hash=sha256:{sha256}"


def _is_ours(package: dict[str, Any]) -> bool:
    return "dir_info" in package["download_info"]


def main() -> int:
    parser = argparse.ArgumentParser(description="The pinned packages with their checksums.")
    parser.add_argument("extras", nargs="*", help="of voicepipe: espeak, piper, otel ...")
    options, pip_options = parser.parse_known_args()
    extras = f"[{','.join(options.extras)}]" if options.extras else ""
    try:
        print("\n".join(locked(f"{ROOT}{extras}", pip_options)))
    except (subprocess.CalledProcessError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
