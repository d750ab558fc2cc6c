"""`${NAME}` in a setting stands for a variable of the environment, so that no secret need be in a
file: `Authorization = "Bearer ${ORDERS_TOKEN}"`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from voicepipe.runtime.errors import ConfigError

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def filled(text: str, environ: Mapping[str, str], where: str) -> str:
    """`text` with its variables put in. Raises ConfigError, beginning with `where`, that names a
    variable which is not set, or set to nothing."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        found = environ.get(name, "")
        if not found:
            raise ConfigError(f"{where} needs the environment variable {name}, which is not set")
        return found

    return _REFERENCE.sub(value, text)
