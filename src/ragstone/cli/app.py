"""All commands, one module each."""

from importlib import import_module

import typer

# In the order of the help. A module's function of its own name is the command, or its `app` a group of commands.
COMMANDS = (
    "ingest",
    "search",
    "ask",
    "chat",
    "chunk",
    "extract",
    "convert",
    "guard",
    "show",
    "explain",
    "eval_",
    "pipelines",
    "runs",
    "doctor",
    "migrate",
    "copy",
    "collections",
    "reembed",
    "tenants",
    "keys",
)

app = typer.Typer(
    name="ragstone",
    help="A folder of documents in, checked answers out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for _name in COMMANDS:
    _module = import_module(f"ragstone.cli.{_name}")
    if hasattr(_module, "app"):
        app.add_typer(_module.app, name=_name)
    else:
        app.command(name=_name.rstrip("_"))(getattr(_module, _name))
