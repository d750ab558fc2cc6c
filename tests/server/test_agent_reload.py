"""Agents of a changed file, while the server runs: taken on SIGHUP if they are well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.harness import running_server
from voicepipe.config.loading import load_settings
from voicepipe.server.serving import load_agents


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
