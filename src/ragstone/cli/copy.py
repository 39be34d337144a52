"""`ragstone copy`: collections from one store to another."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_except, print_json, print_message, print_text
from ragstone.core.plural import format_count
from ragstone.core.types import Json

if TYPE_CHECKING:  # what it stands on is not needed to say what the command takes
    from collections.abc import Callable

    from ragstone.core.ports import Store
    from ragstone.engine.blocking import Knowledge
    from ragstone.engine.transfer import CopyResult
    from ragstone.ingestion.progress import EventCallback


@add_shared_except("store", "collection")
def copy(
    options: SharedOptions,
    to: Annotated[str, typer.Option("--to", help="Store URL or folder to copy to.")],
    from_: Annotated[
        str | None, typer.Option("--from", help="Store URL or folder to copy from [default: the configured store].")
    ] = None,
    collections: Annotated[
        list[str] | None, typer.Option("--collection", help="Collection [default: all of the tenant].")
    ] = None,
    allow_removals: Annotated[
        bool,
        typer.Option(
            "--allow-removals", help="Allow removing from a copy any number of documents that left the source."
        ),
    ] = False,
) -> int:
    """Copy collections to another store, without embedding again.

    All kept revisions go with texts, chunks, vectors and runs. Both sides are compared afterwards; exit 1 if they
    differ. Run it again to continue an interrupted copy or to update an old one.

    With --json: a line for each step, then one for the result.
    """
    done = run_transfer(
        options,
        from_,
        lambda kb, tell: kb.copy(to, collections=tuple(collections or ()), allow_removals=allow_removals, tell=tell),
    )
    return print_results(options, done)


def run_transfer(
    options: SharedOptions, store: str | None, work: "Callable[[Knowledge, EventCallback], list[CopyResult]]"
) -> "list[CopyResult]":
    """Copy from a store with a display of progress."""
    from ragstone.cli.progress import ProgressDisplay
    from ragstone.config.load import load
    from ragstone.engine import Engine
    from ragstone.engine.blocking import Knowledge

    settings = load(options.config, store=store, tenant=options.tenant, embed__model="none")
    source = _open_unencrypted(settings.store)
    with Knowledge(Engine(settings, store=source)) as kb, ProgressDisplay(ndjson=options.json) as progress:
        try:
            return work(kb, progress.show_event)
        finally:
            if source is not None:
                kb.wait(source.close())


def print_results(options: SharedOptions, done: "list[CopyResult]") -> int:
    """Print the results; returns the exit status, 1 where both sides differ."""
    if options.json:
        print_json(copy_json(done))
    else:
        for one in done:
            _print_result(one)
    return 1 if any(one.differing for one in done) else 0


def _open_unencrypted(url: str) -> "Store | None":
    """The store to copy from where it encrypts nothing: a master key that is configured is then the target's alone."""
    from ragstone import stores
    from ragstone.engine import transfer

    return None if stores.can_encrypt(url) else stores.open_store(url, keep_versions=transfer.ALL_VERSIONS)


def copy_json(done: "list[CopyResult]") -> Json:
    """The last line of `copy --json`."""
    return {
        "schema": 1,
        "event": "done",
        "same": not any(one.differing for one in done),
        "collections": [_result_json(one) for one in done],
    }


def _result_json(one: "CopyResult") -> Json:
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


def _print_result(one: "CopyResult") -> None:
    from ragstone.cli.masking import escape_line

    found = f", {one.found} were there" if one.found else ""
    runs = f"{format_count(one.runs, 'run')} ({one.seconds:.1f} s)"
    print_text(f"{escape_line(one.scope.collection)}: {format_count(one.written, 'revision')} copied{found}, {runs}")
    if one.documents.changed or one.documents.gone:
        print_text(f"  {', '.join(f'{count} {name}' for name, count in asdict(one.documents).items())} documents")
    print_text(f"  {'':<9}  {'source':>9}  {'target':>9}  checksum")
    for name, count in one.source.counts.items():
        ours, theirs = one.source.checksums.get(name, ""), one.target.checksums.get(name, "")
        same = ours[:12] if ours == theirs else f"{ours[:12]} {theirs[:12]}"
        print_text(f"  {name:<9}  {count:>9}  {one.target.counts[name]:>9}  {same}")
    for note in one.notes:
        print_message(f"note: {escape_line(note)}")
    if one.differing:
        print_message(f"error: {one.differing} revisions of {one.scope.collection!r} differ; the first:")
        for sentence in one.first:
            print_message(f"    {sentence}")
