"""`ragstone collections`: list, look at and erase collections."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from ragstone.cli.shared_options import (
    SharedOptions,
    add_shared_options,
    confirm,
    print_json,
    print_message,
    print_result,
    print_text,
)
from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.core.records import Info
from ragstone.core.types import Document

app = typer.Typer(help="List, inspect and erase collections.", no_args_is_help=True)


def _print_infos(options: SharedOptions, infos: list[Info]) -> None:
    from ragstone.cli.masking import escape_line
    from ragstone.engine.json_views import info_json

    for info in infos:
        if options.json:
            print_json(info_json(info))
        else:
            counts = f"{format_count(info.documents, 'document')}, {format_count(info.chunks, 'chunk')}, {info.state}"
            unnamed = f"vectors of {info.dimension} dimensions" if info.dimension else "no vectors"
            print_text(f"{escape_line(info.scope.collection)}  {counts}, {info.model or unnamed}")
            for warning in info.warnings:
                print_text(f"    {escape_line(warning)}")


@app.command(name="list")
@add_shared_options
def list_(options: SharedOptions) -> int:
    """List the collections of a tenant.

    With --json: a line for each collection.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.stores import redact_url

    with open_knowledge(options, embed__model="none") as kb:
        found = kb.collections()
        settings, tenant = kb.engine.settings, kb.engine.scope.tenant
    _print_infos(options, found)
    if not found:
        print_message(f"nothing was ingested into {redact_url(settings.store)} for tenant {tenant!r} yet")
    return 0


@app.command()
@add_shared_options
def info(options: SharedOptions) -> int:
    """Show the state of one collection (--collection)."""
    from ragstone.cli.knowledge import open_knowledge

    with open_knowledge(options, embed__model="none") as kb:
        _print_infos(options, [kb.info()])
    return 0


@app.command()
@add_shared_options
def create(options: SharedOptions) -> int:
    """Create an empty collection (--collection).

    It holds vectors of the configured model.
    """
    from ragstone.cli.knowledge import open_knowledge

    with open_knowledge(options) as kb:
        _print_infos(options, [kb.create()])
    return 0


@app.command()
@add_shared_options
def documents(options: SharedOptions) -> int:
    """List the documents of one collection.

    With --json: a line for each document.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line
    from ragstone.engine.json_views import full_document_json

    with open_knowledge(options, embed__model="none") as kb:
        for document in kb.documents():
            about = f"{escape_line(document.source)}  {escape_line(document.path)}  revision {document.revision}"
            print_result(options, {"schema": 1, **full_document_json(document)}, about)
    return 0


def _describe_collection(infos: Iterable[Info], name: str) -> str | None:
    """What a collection holds, None where there is none; one that cannot be read can still be erased."""
    held = next((info for info in infos if info.scope.collection == name), None)
    if held is None:
        return None
    counts = f"{format_count(held.documents, 'document')}, {format_count(held.chunks, 'chunk')}"
    return "damaged" if held.state == "broken" else counts


def _describe_document(documents: Iterable[Document], path: str) -> str | None:
    """The sources that hold a document of this path."""
    sources = [document.source for document in documents if document.path == path]
    return f"of {', '.join(map(repr, sources))}" if sources else None


def _describe_source(documents: Sequence[Document]) -> str | None:
    """The size of a source, None where it has no documents."""
    return format_count(len(documents), "document") if documents else None


def _read_kind(*, document: bool, source: bool) -> str:
    """What is to be erased; raises `UsageError` for both."""
    if document and source:
        raise UsageError("both --document and --source are given: leave one out")
    return "document" if document else "source" if source else "collection"


@app.command()
@add_shared_options
def delete(
    options: SharedOptions,
    name: Annotated[str, typer.Argument(help="The collection; a document's path or a source with the options below.")],
    document: Annotated[bool, typer.Option("--document", help="Delete one document of --collection.")] = False,
    source: Annotated[bool, typer.Option("--source", help="Delete all documents of a source.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> int:
    """Erase a collection, one document of it, or those of a source.

    Text, vectors and index are erased too.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.masking import escape_line

    kind = _read_kind(document=document, source=source)
    with open_knowledge(options, embed__model="none") as kb:
        if document:
            held = _describe_document(kb.documents(), name)
        else:
            held = _describe_source(kb.documents(name)) if source else _describe_collection(kb.collections(), name)
        if held is None:
            raise UsageError(f"there is no {kind} {name!r}")
        if not yes and not confirm(options, f"Erase {name!r} ({held}) for good?"):
            return 1
        if not (kb.delete(name) if document else kb.delete(source=name) if source else kb.drop(name)):
            raise UsageError(f"{name!r} was erased by somebody else meanwhile")
    print_result(options, {"schema": 1, "erased": name}, f"erased {escape_line(name)}")
    return 0
