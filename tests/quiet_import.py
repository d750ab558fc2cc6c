"""Packages whose own imports warn of what is not ours to mend."""

from __future__ import annotations

import importlib
import warnings
from typing import Any


def imported(name: str) -> Any:
    """The module; it has to be there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)
