"""All commands, one module each."""

from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Annotated

import typer

from ragstone.cli.help_groups import GroupedCommand, GroupedCommands
from ragstone.cli.shared_options import PresetOption
from ragstone.config.environment import use_preset
from ragstone.core.version import __version__

# In the order of the help. A module's function of its own name is the command, or its `app` a group of commands.
COMMANDS = {
    "Documents": (
        "ingest",
        "watch",
        "show",
        "chunk",
        "extract",
        "convert",
        "runs",
        "collections",
    ),
    "Questions": (
        "search",
        "ask",
        "chat",
        "explain",
        "pipelines",
        "mcp",
    ),
    "Quality": (
        "eval_",
        "guard",
        "redteam",
    ),
    "Operation": (
        "serve",
        "jobs",
        "config_",
        "doctor",
        "migrate",
        "copy",
        "backup",
        "reembed",
        "tenants",
        "keys",
    ),
}


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ragstone {__version__}")
        raise typer.Exit


def make_app(names: Collection[str] | None = None) -> typer.Typer:
    """The program with these commands, by default with all. Only their modules are imported."""
    made = typer.Typer(
        name="ragstone",
        cls=GroupedCommands,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_run_program)
    for panel, modules in COMMANDS.items():
        for module in modules:
            if names is None or module.rstrip("_") in names:
                _add_command(made, module, panel)
    return made


def _run_program(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback acts
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
    preset: PresetOption = None,
) -> None:
    """A folder of documents in, checked answers out."""
    context.with_resource(use_preset(preset))


def _add_command(made: typer.Typer, name: str, panel: str) -> None:
    module = import_module(f"ragstone.cli.{name}")
    if hasattr(module, "app"):
        for one in module.app.registered_commands:
            one.cls = GroupedCommand
        made.add_typer(module.app, name=name.rstrip("_"), rich_help_panel=panel)
    else:
        made.command(name=name.rstrip("_"), cls=GroupedCommand, rich_help_panel=panel)(getattr(module, name))


def run_app(arguments: Sequence[str]) -> int | None:
    """Run what a command line asks for. One that begins with a command waits for the modules of no other one."""
    first = next(iter(arguments), "")
    known = {name.rstrip("_") for names in COMMANDS.values() for name in names}
    status: int | None = make_app({first} if first in known else None)(list(arguments), standalone_mode=False)
    return status
