"""`ragstone copy`: collections from one store to another."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragstone.cli.shared import Shared, emit, say, shared_but, show
from ragstone.core.plural import counted
from ragstone.core.types import Json

if TYPE_CHECKING:  # what it stands on is not needed to say what the command takes
    from ragstone.core.ports import Store
    from ragstone.engine.transfer import Copied


@shared_but("store", "collection")
def copy(
    options: Shared,
    to: Annotated[str, typer.Option("--to", help="Store URL or folder to copy to.")],
    from_: Annotated[
        str | None, typer.Option("--from", help="Store URL or folder to copy from [default: the configured store].")
    ] = None,
    collections: Annotated[
        list[str] | None, typer.Option("--collection", help="Collection [default: all of the tenant].")
    ] = None,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Remove from a copy however much the source no longer has.")
    ] = False,
) -> int:
    """Copy collections to another store: all kept revisions with texts, chunks, vectors and runs; nothing is embedded
    again. Then both sides are compared: exit 1 when they differ. Run again, it goes on where it stopped, and brings
    the copy up to date: what is new, changed or gone since."""
    from ragstone.cli.progress import Progress
    from ragstone.config.load import load
    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    settings = load(options.config, store=from_, tenant=options.tenant, embed__model="none")
    source = _unencrypted(settings.store)
    with Knowledge(Engine(settings, store=source)) as kb, Progress(ndjson=options.json) as progress:
        try:
            done = kb.copy(to, collections=tuple(collections or ()), allow_removals=allow_removals, tell=progress.hear)
        finally:
            if source is not None:
                kb.wait(source.close())
    if options.json:
        emit(report(done))
    else:
        for one in done:
            _print(one)
    return 1 if any(one.differing for one in done) else 0


def _unencrypted(url: str) -> "Store | None":
    """The store to copy from where it encrypts nothing: a master key that is configured is then the target's alone."""
    from ragstone import stores
    from ragstone.engine import transfer

    return None if stores.encrypts(url) else stores.open_store(url, keep_versions=transfer.ALL_VERSIONS)


def report(done: "list[Copied]") -> Json:
    """The last line of `copy --json`."""
    return {
        "schema": 1,
        "event": "done",
        "same": not any(one.differing for one in done),
        "collections": [_data(one) for one in done],
    }


def _data(one: "Copied") -> Json:
    return {
        "tenant": one.scope.tenant,
        "collection": one.scope.collection,
        "written": one.written,
        "found": one.found,
        "runs": one.runs,
        "seconds": one.seconds,
        "documents": asdict(one.documents),
        "source": {"counts": dict(one.source.counts), "checksums": dict(one.source.checksums)},
        "target": {"counts": dict(one.target.counts), "checksums": dict(one.target.checksums)},
        "differing": one.differing,
        "first": list(one.first),
        "notes": list(one.notes),
    }


def _print(one: "Copied") -> None:
    from ragstone.cli.safe import line

    found = f", {one.found} were there" if one.found else ""
    runs = f"{counted(one.runs, 'run')} ({one.seconds:.1f} s)"
    show(f"{line(one.scope.collection)}: {counted(one.written, 'revision')} copied{found}, {runs}")
    if one.documents.changed or one.documents.gone:
        show(f"  {', '.join(f'{count} {name}' for name, count in asdict(one.documents).items())} documents")
    show(f"  {'':<9}  {'source':>9}  {'target':>9}  checksum")
    for name, count in one.source.counts.items():
        ours, theirs = one.source.checksums.get(name, ""), one.target.checksums.get(name, "")
        same = ours[:12] if ours == theirs else f"{ours[:12]} {theirs[:12]}"
        show(f"  {name:<9}  {count:>9}  {one.target.counts[name]:>9}  {same}")
    for note in one.notes:
        say(f"note: {line(note)}")
    if one.differing:
        say(f"error: {one.differing} revisions of {one.scope.collection!r} differ; the first:")
        for sentence in one.first:
            say(f"    {sentence}")
