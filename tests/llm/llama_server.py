"""The real llama.cpp serving a GGUF file over HTTP in a process of its own, like `llama-server`.

python -m tests.llm.llama_server FILE.gguf PORT
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
START_DEADLINE_S = 90.0


@contextmanager
def llama_server(model: Path, port: int, log_path: Path) -> Iterator[str]:
    """Its base URL. What it says goes to `log_path`."""
    url = f"http://127.0.0.1:{port}/v1"
    with log_path.open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.llm.llama_server", str(model), str(port)],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        try:
            _await_models(server, url, log_path)
            yield url
        finally:
            server.terminate()
            server.wait(timeout=280)


def _await_models(server: subprocess.Popen[bytes], url: str, log_path: Path) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"llama.cpp ended at start:\n{log_path.read_text()}")
        try:
            if httpx.get(f"{url}/models").status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"llama.cpp does not answer:\n{log_path.read_text()}")


def main() -> None:
    """Serve until terminated, with what `llama-server -m FILE --port PORT` takes by default; only
    the threads are fewer, since other programs run on these cores."""
    import xllamacpp

    awaited = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)  # before it makes threads, which inherit it
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.port = int(sys.argv[2])
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"serving at {server.listening_address}", flush=True)
    signal.sigwait(awaited)


if __name__ == "__main__":
    main()
