"""Agents of a changed file, while the server runs: taken on SIGHUP if they are well."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.forked import Voicepipe, bare
from tests.server.harness import running_server, simulated_engines
from tests.serving import START_DEADLINE_S, free_port
from voicepipe.cli.gateways import _Newest
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings
from voicepipe.server.service import Service
from voicepipe.server.serving import Serving, load_agents


async def test_a_changed_file_is_taken_if_it_is_well(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    file = tmp_path / "voicepipe.toml"

    def write(text: str) -> None:
        file.write_text(text)
        load_agents(server.service, lambda: load_settings("simulated", file, {}))

    async with running_server() as server:
        write('[agents.bar]\ngreeting = "Hello."\n')
        assert server.service.agents.names == ("bar",)
        write('[agents.desk]\ngreeting = "{{nobody}}"\n')
        write("[agents.desk\n")
        write("[agents.desk]\ngreting = 'x'\n")
        assert server.service.agents.names == ("bar",)
        write("")
        assert not server.service.agents.names
    assert "{{nobody}} is not among its variables" in caplog.text
    assert "not valid TOML" in caplog.text
    assert "agents.bar.greting" not in caplog.text
    assert "greting is not a setting; did you mean greeting?" in caplog.text


KEYS = {"shop": {"key": "12345678", "agent": "bar"}}


async def test_an_agent_that_a_key_names_cannot_go(caplog: pytest.LogCaptureFixture) -> None:
    agents = {"bar": {"greeting": "Hello."}}
    owner = {"api_key": "the owner's"}
    async with running_server(agents=agents, keys=KEYS, server=owner) as server:
        load_agents(server.service, lambda: Settings.model_validate({"agents": {"desk": {}}}))
        assert server.service.agents.names == ("bar",)
    assert "the agents stay as they were: keys.shop: there is no agent 'bar'" in caplog.text


def test_gateways_that_start_later_have_no_agents_that_they_would_refuse(
    caplog: pytest.LogCaptureFixture,
) -> None:
    said = {"agents": {"bar": {}}, "keys": KEYS, "server": {"api_key": "the owner's"}}
    newest = _Newest(
        Settings.model_validate(said), lambda: Settings.model_validate({"agents": {"desk": {}}})
    )
    assert not newest.load_agents()
    assert set(newest.settings.agents) == {"bar"}
    assert "keys.shop: there is no agent 'bar'" in caplog.text


async def test_a_reload_while_it_starts_waits_until_it_has(tmp_path: Path) -> None:
    """A signal that nobody takes ends the process."""
    untaken: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, _: untaken.append(number))
    service = Service(Settings.model_validate({"profile": "simulated"}), simulated_engines())
    warm, synthesizer = asyncio.Event(), service.engines.synthesizer
    start = synthesizer.start

    async def slowly() -> None:
        await warm.wait()
        await start()

    synthesizer.start = slowly  # type: ignore[method-assign]
    serving = Serving(
        service, lambda kind, state: None, lambda: Settings.model_validate({"agents": {"desk": {}}})
    )
    try:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            running = asyncio.create_task(serving.run(listener))
            while not serving.server.started:
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0.1)
            assert not untaken
            assert "desk" not in service.agents.names
            warm.set()
            async with asyncio.timeout(30):
                while service.agents.names != ("desk",):
                    await asyncio.sleep(0.01)
            serving.stop()
            assert await running is None
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_reload_before_there_is_a_server_is_made_up_for(processes: int, tmp_path: Path) -> None:
    """It comes while the settings are read that it has made old."""
    log, file, newer = (tmp_path / name for name in ("log.txt", "voicepipe.toml", "newer.toml"))
    os.mkfifo(file)
    words = ("--profile", "simulated", "--config", str(file), "--processes", str(processes))
    server = Voicepipe(
        *("serve", "--port", str(free_port()), *words),
        output=log,
        cwd=tmp_path,
        env=bare(tmp_path, {"TMPDIR": str(tmp_path)}),
    )
    try:
        with file.open("w") as reads:  # as soon as it does
            server.send_signal(signal.SIGHUP)
            newer.write_text('[agents.desk]\ngreeting = "Hello."\n')
            newer.rename(file)
            reads.write('[agents.bar]\ngreeting = "Hello."\n')
        until = time.monotonic() + START_DEADLINE_S
        while log.read_text().count("agents loaded anew: desk") < processes:
            assert server.poll() is None, (server.poll(), log.read_text())
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    finally:
        server.kill()
    assert "Traceback" not in log.read_text()
