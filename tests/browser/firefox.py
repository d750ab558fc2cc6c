"""Debian's Firefox, driven by WebDriver BiDi over its own WebSocket: it needs no driver program."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

START_S = 90.0
ANSWER_S = 60.0
END_S = 20.0

PREFERENCES: dict[str, bool | int | str] = {
    "media.navigator.streams.fake": True,  # the microphone is a tone
    "media.navigator.permission.disabled": True,  # and allowed
    "media.autoplay.default": 0,  # what the page plays is played
    "media.peerconnection.ice.loopback": True,  # for machines that have no other network
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "app.update.auto": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "remote.log.level": "Error",
}

_LISTENS = re.compile(rb"WebDriver BiDi listening on (ws://[\d.:]+)")


def executable() -> str:
    """$FIREFOX, or Debian's."""
    found = shutil.which(os.environ.get("FIREFOX", "firefox-esr")) or shutil.which("firefox")
    assert found, "no Firefox; as root: apt-get install --no-install-recommends firefox-esr"
    return found


class Firefox:
    """One tab. `errors`: what its console called an error."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._number = socket, 0
        self.errors: list[str] = []
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        (tab,) = self._ask("browsingContext.getTree")["contexts"]
        self._tab = tab["context"]

    def go(self, url: str) -> None:
        """Until the page is loaded."""
        self._ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def run(self, script: str) -> Any:
        """What a JavaScript expression gives: a number, a text, a truth or nothing. As if the user
        had just pressed something, so that sound may begin. Raises RuntimeError."""
        answer = self._ask(
            "script.evaluate",
            expression=script,
            target={"context": self._tab},
            awaitPromise=True,
            userActivation=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def until(self, script: str, deadline_s: float = ANSWER_S) -> Any:
        """As soon as the expression is true, its value. Raises TimeoutError."""
        ends = time.monotonic() + deadline_s
        while not (value := self.run(script)):
            if time.monotonic() > ends:
                page = self.run("document.body.innerText.slice(0, 1500)")
                raise TimeoutError(f"{script} did not come true; errors: {self.errors}; {page}")
            time.sleep(0.1)
        return value

    def press(self, handle: str) -> None:
        """Click what has this `data-testid`, when it is there and can be pressed."""
        found = f"document.querySelector('[data-testid=\"{handle}\"]')"
        self.until(f"Boolean({found}) && !{found}.disabled")
        self.run(f"{found}.click()")

    def choose(self, handle: str, value: str) -> None:
        """An option of a select."""
        self.run(
            f"(() => {{ const field = document.querySelector('[data-testid=\"{handle}\"]');"
            f"field.value = {json.dumps(value)};"
            "field.dispatchEvent(new Event('input', {bubbles: true}));"
            "field.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def picture(self, path: Path) -> None:
        """What is seen, as PNG."""
        told = self._ask("browsingContext.captureScreenshot", context=self._tab)
        path.write_bytes(base64.b64decode(told["data"]))

    def close(self) -> None:
        """Ends the browser."""
        self._ask("browser.close")

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=ANSWER_S))
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                self.errors.append(str(told["params"]["text"]))
            if told.get("id") != self._number:
                continue
            if told["type"] == "error":
                raise RuntimeError(f"{method}: {told['message']}")
            result: dict[str, Any] = told["result"]
            return result


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A headless one with a fresh profile in this folder, which plays to nobody."""
    found = executable()
    profile.mkdir()
    with sound_card(profile.parent) as pulse:
        yield from _running(found, profile, pulse)


@contextmanager
def sound_card(folder: Path) -> Iterator[str]:
    """A PulseAudio that plays to nobody: its address. Without a sound card Firefox plays nothing
    and lets no audio graph run."""
    place = folder / "sound-card"
    modules = ("module-null-sink", f"module-native-protocol-unix auth-anonymous=1 socket={place}")
    options = ("-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no")
    process = subprocess.Popen(
        ["pulseaudio", *options, *(part for one in modules for part in ("-L", one))],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)},
    )
    try:
        ends = time.monotonic() + START_S
        while not place.exists():
            assert process.poll() is None, "pulseaudio does not start"
            assert time.monotonic() < ends, "pulseaudio does not listen"
            time.sleep(0.05)
        yield f"unix:{place}"
    finally:
        process.terminate()
        process.wait(timeout=END_S)


def _running(found: str, profile: Path, pulse: str) -> Iterator[Firefox]:
    lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    log = profile.parent / "firefox.log"
    command = [found, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, str(profile)],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PULSE_SERVER": pulse},
        )
        try:
            url = _listening(process, log)
            socket = connect(f"{url}/session", max_size=None, proxy=None)
            with socket:
                browser = Firefox(socket)
                yield browser
                browser.close()
        finally:
            try:
                process.wait(timeout=END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _listening(process: subprocess.Popen[bytes], log: Path) -> str:
    ends = time.monotonic() + START_S
    while time.monotonic() < ends and process.poll() is None:
        found = _LISTENS.search(log.read_bytes())
        if found is not None:
            return found[1].decode()
        time.sleep(0.1)
    raise RuntimeError(f"Firefox does not start: {log.read_text(errors='replace')[-2000:]}")
