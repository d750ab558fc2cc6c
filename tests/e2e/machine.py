"""A machine of its own for a test: a checkout with another registry, a home with nothing in it and
an environment in which nothing is set."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.serving import START_DEADLINE_S, serving

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Machine:
    """`voicepipe` runs in `checkout` and finds its user's files below `home`."""

    checkout: Path
    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)  # set besides

    @property
    def env(self) -> dict[str, str]:
        """All that is set there."""
        return {
            "PATH": os.environ["PATH"],
            "COLUMNS": "200",
            "PYTHONPATH": str(self.checkout),
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.data),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            **self.variables,
        }

    @property
    def data(self) -> Path:
        """The user's data directory."""
        return self.home / "data"

    def model(self, name: str) -> Path:
        """The folder into which a model is pulled."""
        return self.data / "voicepipe" / "models" / name

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """`voicepipe ARGS`."""
        return subprocess.run(
            [sys.executable, "-m", "voicepipe", *args],
            cwd=self.checkout,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    def missing(self, profile: str, *options: str) -> list[dict[str, str]]:
        """What `voicepipe doctor` finds missing for the profile."""
        done = self.run("doctor", "--profile", profile, "--json", *options)
        report = json.loads(done.stdout)["profiles"][profile]
        assert done.returncode == (0 if report["can_run"] else 1)
        missing: list[dict[str, Any]] = report["missing"]
        return missing

    @contextmanager
    def serving(self, *options: str, start_s: float = START_DEADLINE_S) -> Iterator[str]:
        """`host:port` of `voicepipe serve OPTIONS`, warm."""
        log = self.home / "serve.log"
        with serving(log, *options, cwd=self.checkout, env=self.env, start_s=start_s) as address:
            yield address


def bare_machine(
    folder: Path, registry: Path, variables: Mapping[str, str] | None = None
) -> Machine:
    """One with `registry` as its checkout's models/registry.toml."""
    checkout, home = folder / "checkout", folder / "home"
    shutil.copytree(ROOT / "voicepipe", checkout / "voicepipe", symlinks=True)
    (checkout / "models").mkdir()
    shutil.copyfile(registry, checkout / "models" / "registry.toml")
    (checkout / "models" / "builtin").symlink_to(ROOT / "models" / "builtin")
    (checkout / "web").symlink_to(ROOT / "web")
    home.mkdir()
    return Machine(checkout, home, variables or {})
