"""All commands, one file each."""

import typer

from ragstone.cli import (
    ask,
    chat,
    chunk,
    collections,
    convert,
    copy,
    doctor,
    eval_,
    explain,
    extract,
    guard,
    ingest,
    keys,
    migrate,
    pipelines,
    reembed,
    runs,
    search,
    show,
    tenants,
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

for command in (
    ingest.ingest,
    search.search,
    ask.ask,
    chat.chat,
    chunk.chunk,
    extract.extract,
    convert.convert,
    guard.guard,
    show.show,
    explain.explain,
    eval_.evaluate,
    pipelines.pipelines,
    runs.runs,
    doctor.doctor,
    migrate.migrate,
    copy.copy,
):
    app.command(name=command.__name__ if command is not eval_.evaluate else "eval")(command)
app.add_typer(collections.app, name="collections")
app.add_typer(reembed.app, name="reembed")
app.add_typer(tenants.app, name="tenants")
app.add_typer(keys.app, name="keys")
