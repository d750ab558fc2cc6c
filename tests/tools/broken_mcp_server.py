"""MCP servers that never come to speak: `python -m tests.tools.broken_mcp_server HOW`. "dies" ends
at once, "slow" does not begin, "floods" writes a line that never ends to its stdout.

They load nothing: the library of a real one takes a second to load.
"""

from __future__ import annotations

import sys
import time

if __name__ == "__main__":
    how = sys.argv[1]
    if how == "dies":
        print("no database: set DATABASE_URL", file=sys.stderr)
        sys.exit(1)
    while how == "floods":
        sys.stdout.write("x" * 65_536)
    if how == "slow":
        time.sleep(30)
