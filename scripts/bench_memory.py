"""What a server keeps of the calls that have ended.

python -m scripts.bench_memory [--calls 1000] [--profile simulated]
"""

from __future__ import annotations

import argparse
import asyncio

from voicepipe.lab.bench.child_server import child_server
from voicepipe.lab.soak.many_calls import Growth, growth


async def run(calls: int, profile: str) -> Growth:
    async with child_server(["--profile", profile]) as server:
        return await growth(server.url, server.pid, calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--profile", default="simulated")
    options = parser.parse_args()
    found = asyncio.run(run(options.calls, options.profile))
    print(
        f"{found.calls} calls: {found.before_mb:.1f} -> {found.after_mb:.1f} MB "
        f"({found.mb:+.1f} MB, {1000 * found.mb / found.calls:+.0f} KB a call)"
    )


if __name__ == "__main__":
    main()
