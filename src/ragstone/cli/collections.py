"""`ragstone collections`: list, look at and erase collections."""

from typing import Annotated

import typer

from ragstone.cli.shared import Shared, emit, give, say, shared, show
from ragstone.core.errors import UsageError
from ragstone.core.plural import counted
from ragstone.core.types import Info, Json

app = typer.Typer(help="List, look at and erase collections.", no_args_is_help=True)


def data(info: Info) -> Json:
    """One collection's state as plain data (the names of an index's info)."""
    return {
        "schema": 1,
        "name": info.scope.collection,
        "tenant": info.scope.tenant,
        "points": info.chunks,
        "documents": info.documents,
        "dimension": info.dimension,
        "status": info.state,
        "provider": info.provider,
        "index_version": info.version,
        "built_at": info.built_at,
        "embedding_model_id": info.model,
        "variant": info.variant,
        "recipes": list(info.recipes),
        "pending_vectors": info.pending_vectors,
        "bytes": info.bytes,
        "warnings": list(info.warnings),
    }


def _show(options: Shared, infos: list[Info]) -> None:
    from ragstone.cli.safe import line

    for info in infos:
        if options.json:
            emit(data(info))
        else:
            counts = f"{counted(info.documents, 'document')}, {counted(info.chunks, 'chunk')}, {info.state}"
            show(f"{line(info.scope.collection)}  {counts}, {info.model or 'no vectors'}")
            for warning in info.warnings:
                show(f"    {line(warning)}")


@app.command(name="list")
@shared
def list_(options: Shared) -> int:
    """The collections of a tenant."""
    from ragstone.cli.opened import opened
    from ragstone.stores import concealed

    with opened(options, embed__model="none") as kb:
        found = kb.collections()
        settings, tenant = kb.engine.settings, kb.engine.scope.tenant
    _show(options, found)
    if not found:
        say(f"nothing was ingested into {concealed(settings.store)} for tenant {tenant!r} yet")
    return 0


@app.command()
@shared
def info(options: Shared) -> int:
    """The state of one collection (--collection)."""
    from ragstone.cli.opened import opened

    with opened(options, embed__model="none") as kb:
        _show(options, [kb.info()])
    return 0


@app.command()
@shared
def create(options: Shared) -> int:
    """Make an empty collection (--collection) for the configured model's vectors."""
    from ragstone.cli.opened import opened

    with opened(options) as kb:
        _show(options, [kb.create()])
    return 0


@app.command()
@shared
def documents(options: Shared) -> int:
    """The documents of one collection."""
    from ragstone.cli.opened import opened
    from ragstone.cli.output import document_data
    from ragstone.cli.safe import line

    with opened(options, embed__model="none") as kb:
        for document in kb.documents():
            about = f"{line(document.source)}  {line(document.path)}  revision {document.revision}"
            give(options, document_data(document), about)
    return 0


@app.command()
@shared
def delete(
    options: Shared,
    name: Annotated[str, typer.Argument(help="The collection, or with --document a document's path.")],
    document: Annotated[bool, typer.Option("--document", help="Delete one document of --collection.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Erase a collection, or one document of it, with text, vectors and index."""
    from ragstone.cli.opened import opened
    from ragstone.cli.safe import line

    if not yes and not typer.confirm(f"Erase {name!r} for good?", err=True):
        return 1
    with opened(options, embed__model="none") as kb:
        erased = kb.delete(name) if document else int(kb.drop(name))
    if not erased:
        raise UsageError(f"there is no {'document' if document else 'collection'} {name!r}")
    give(options, {"schema": 1, "erased": name}, f"erased {line(name)}")
    return 0
