"""The `voicepipe` command: finds each subcommand's module, loads only the one that runs.

A subcommand is a module `voicepipe/cli/<file>.py` with `app = typer.Typer(add_completion=False)`;
with one command in it that is `voicepipe NAME`, with several they are `voicepipe NAME SUB`.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from voicepipe.runtime import early_reload
from voicepipe.runtime.errors import VoicepipeError

COMMANDS: dict[str, tuple[str, str]] = {
    "serve": ("voicepipe.cli.serve", "Run the server that browsers and SDKs talk to."),
    "cluster": ("voicepipe.cli.cluster", "Engines in pools on Ray Serve: put up, look at."),
    "talk": ("voicepipe.lab.cli.talk", "Hold one conversation from a sound file, in process."),
    "bench": ("voicepipe.lab.cli.bench", "Measure a server's latency under load."),
    "whatif": ("voicepipe.lab.cli.whatif", "Replay recorded turns under other settings."),
    "replay": ("voicepipe.lab.cli.replay", "Tell a recorded dialog again, with its reasons."),
    "lab": ("voicepipe.lab.cli.lab", "Plan a fleet: how many of what for so many calls."),
    "call": ("voicepipe.lab.cli.call", "Ring the server from the desk, as a carrier would."),
    "agents": ("voicepipe.cli.agents", "List and check the agents that the settings define."),
    "tail": ("voicepipe.cli.tail", "Follow a running server: its calls, and a line for each turn."),
    "calls": ("voicepipe.cli.calls", "List, show, export and delete recorded calls."),
    "webhooks": ("voicepipe.cli.webhooks", "Events that wait for your programs; dead letters."),
    "models": ("voicepipe.cli.models_cmd", "List, pull and verify models."),
    "fit": ("voicepipe.cli.fit", "Measure this machine; choose models that answer in time."),
    "config": ("voicepipe.cli.config_cmd", "Show and explain settings, or make a file of them."),
    "doctor": ("voicepipe.cli.doctor", "Say what is installed, what can run and what is missing."),
}
"""Name to module and one line of help; the help is here so that `--help` imports nothing."""

EXIT_ERROR = 2


class LazyGroup(TyperGroup):
    """Commands by name, imported when run; errors for people become one message, no traceback."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """A stand-in that knows its help line; enough for `--help`."""
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(name=cmd_name, help=COMMANDS[cmd_name][1])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """The real command, for running it. An unknown one is answered with the nearest."""
        name = args[0]
        if name not in COMMANDS:
            close = difflib.get_close_matches(name, COMMANDS, 1)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {close[0]}?" if close else ""))
        if name == "serve":
            early_reload.keep()  # the import alone takes a second, or ten
        module = importlib.import_module(COMMANDS[name][0])
        command = typer.main.get_command(module.app)
        command.name = name
        return name, command, args[1:]

    def invoke(self, ctx: Any) -> Any:
        """Run; a VoicepipeError is printed and ends the command with status 2, as does a file that
        cannot be read or written."""
        try:
            return super().invoke(ctx)
        except VoicepipeError as error:
            problem = str(error) or type(error).__name__
        except OSError as error:
            if error.filename is None and error.errno != errno.ENOSPC:
                raise  # nobody's file; of a closed pipe typer makes a quiet end
            where = "" if error.filename is None else f"{error.filename}: "
            problem = f"{where}{error.strerror}"
        print("voicepipe: error: " + "\n  ".join(problem.splitlines()), file=sys.stderr)
        raise typer.Exit(EXIT_ERROR) from None


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,  # locals hold keys and what people said
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from voicepipe import __version__

        typer.echo(f"voicepipe {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it."),
    ] = False,
) -> None:
    """Real-time voice agent server: speech in, speech out, every millisecond accounted for."""
