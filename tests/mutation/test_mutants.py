"""scripts/mutate: what it changes, and that it tells noticed changes from unnoticed ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.mutation.mutants import mutants

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("code", "versions"),
    [
        ("return a < b", {"return a <= b", "return a >= b"}),
        (
            "return a < b <= c",
            {
                "return a <= b <= c",
                "return a >= b <= c",
                "return a < b < c",
                "return a < b > c",
            },
        ),
        ("return a is None", {"return a is not None"}),
        ("return a and b", {"return a or b"}),
        ("return not a", {"return a"}),
        ("return a + 3", {"return a - 3", "return a + 4"}),
        ("return True", {"return False"}),
        ("a = b", {"pass"}),
        ("return a if b else c", {"return a", "return c"}),
        ("if a:\n        b()", {"if True: b()", "if False: b()", "if a: pass"}),
        ("while a:\n        b()", {"while False: b()", "while a: pass"}),
        ("raise E(a)", {"pass"}),
        ("return a[1:2]", {"return a[2:2]", "return a[1:3]"}),
        ("return 'text'", set()),
        ("'''It says so.'''", set()),
        ("yield a", set()),
        ("return a < b  # no mutant: why not", set()),
    ],
)
def test_what_is_changed(code: str, versions: set[str]) -> None:
    source = f"LIMIT = 3\n\ndef f(a: int = 5) -> str:\n    {code}\n"
    head = "LIMIT = 3 def f(a: int=5) -> str: "
    found = {" ".join(one.source.split()).removeprefix(head) for one in mutants(source)}
    assert found == versions


def test_methods_and_nested_functions_are_changed_once() -> None:
    source = """
class A:
    x: int = 1

    def f(self):
        def g():
            return 1
        return g
"""
    assert [str(one) for one in mutants(source)] == ["line 7: 1  ->  2"]


def test_survivors_are_named_and_counted(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("voicepipe/small", "tests/small", "scripts"):
        (tree / name).mkdir(parents=True)
    (tree / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    code = tree / "voicepipe" / "small" / "steps.py"
    code.write_text(
        "def older(a, b):\n    while a > b:\n        a -= 1\n    return a\n\n"
        "def spare():\n    return 1\n"
    )
    (tree / "tests" / "small" / "test_steps.py").write_text(
        "from voicepipe.small.steps import older\n\ndef test():\n    assert older(3, 2) == 2\n"
    )
    (tree / "scripts" / "mutation").symlink_to(ROOT / "scripts" / "mutation")
    program = (
        "import sys; from pathlib import Path; import scripts.mutation.__main__ as program; "
        "program.ROOT = Path.cwd(); program.LEAST_LIMIT_S = 2; sys.exit(program.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "voicepipe/small", "--jobs", "2", "--at-least", "0.9"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    survivors = [line for line in done.stdout.splitlines() if line.startswith("survived")]
    assert survivors == ["survived: voicepipe/small/steps.py, line 7: 1  ->  2"], done
    assert "voicepipe/small/steps.py: 5 of 6 dead" in done.stdout
    assert "6 of 6 mutants tried: 4 failed a test, 1 hung, 1 survived; 83.3% dead" in done.stdout
    assert done.returncode == 1
    assert code.read_text().startswith("def older(a, b)")
