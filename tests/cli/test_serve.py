"""A server that cannot start says why at once, in one line."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.forked import voicepipe
from voicepipe.cli.serve import _say_where_to_go
from voicepipe.config.loading import load_settings


def test_port_in_use_is_said_before_engines_load(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        began = time.monotonic()
        done = voicepipe("serve", "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"voicepipe: error: port {port} of 127.0.0.1 is in use by another program: stop it, or "
        "choose another with --port\n"
    )
    assert time.monotonic() - began < 30


def test_address_of_another_machine_is_one_line_too(tmp_path: Path) -> None:
    done = voicepipe("serve", "--host", "192.0.2.1", "--insecure", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("voicepipe: error: cannot listen on 192.0.2.1, port 8080: ")
    assert done.stderr.count("\n") == 1


def test_open_server_without_a_key_is_refused(tmp_path: Path) -> None:
    done = voicepipe("serve", "--host", "0.0.0.0", cwd=tmp_path)
    assert done.returncode == 2
    assert "--insecure" in done.stderr


@pytest.mark.parametrize("host", ["::1", "fe80::1"])
def test_ipv6_addresses_can_be_opened_as_they_are_told(host: str) -> None:
    console = Console(width=120, record=True)
    settings = load_settings("simulated", None, {}, {"server.host": host})
    _say_where_to_go(settings, 8080, console)
    told = console.export_text()
    assert f" http://[{host}]:8080/\n" in told
    assert f" ws://[{host}]:8080/v1/realtime " in told
