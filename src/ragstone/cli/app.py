"""All commands, one module each."""

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


app = typer.Typer(
    name="ragstone",
    cls=GroupedCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _run_program(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback acts
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
    preset: PresetOption = None,
) -> None:
    """A folder of documents in, checked answers out."""
    context.with_resource(use_preset(preset))


for _panel, _names in COMMANDS.items():
    for _name in _names:
        _module = import_module(f"ragstone.cli.{_name}")
        if hasattr(_module, "app"):
            for _one in _module.app.registered_commands:
                _one.cls = GroupedCommand
            app.add_typer(_module.app, name=_name.rstrip("_"), rich_help_panel=_panel)
        else:
            _command = app.command(name=_name.rstrip("_"), cls=GroupedCommand, rich_help_panel=_panel)
            _command(getattr(_module, _name))
