"""`ragstone ingest`: bring a collection in line with folders or files."""

from typing import Annotated

import typer

from ragstone.cli.folded_warnings import fold_warnings
from ragstone.cli.ignored import describe_ignored
from ragstone.cli.shared_options import (
    SharedOptions,
    add_shared_options,
    print_json,
    print_message,
    print_notes,
    print_text,
)
from ragstone.core.errors import Unavailable
from ragstone.core.plural import format_count
from ragstone.core.records import Run
from ragstone.core.types import Json

LEFT_OUT = {
    "toc": "tables of contents",
    "nav": "navigation",
    "header": "page headers",
    "footer": "page footers",
    "body": "other",
}

Password = Annotated[
    list[str] | None, typer.Option(help="Password of encrypted documents; prefer `passwords` with ${NAME}.")
]


@add_shared_options
def ingest(
    options: SharedOptions,
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Folders, files, web addresses, or - for JSON lines [default: those configured]."),
    ] = None,
    source: Annotated[str | None, typer.Option("--source", help="Name of the source [default: the folder's].")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Glob to leave out, such as drafts/**.")] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Re-extract and re-chunk documents built with other settings.")
    ] = False,
    checksum: Annotated[bool, typer.Option("--checksum", help="Read files of unchanged size and time too.")] = False,
    recreate: Annotated[bool, typer.Option("--recreate", help="Erase the collection first.")] = False,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Allow removing any number of vanished documents.")
    ] = False,
    version_label: Annotated[str | None, typer.Option(help="Version label of the documents.")] = None,
    effective_at: Annotated[str | None, typer.Option(help="Date they take effect, as 2026-01-01.")] = None,
    embedder: Annotated[str | None, typer.Option(help="Embedding model, or none for keyword search only.")] = None,
    password: Password = None,
    ray: Annotated[str | None, typer.Option(help="Ray cluster to use: local, auto or HOST:PORT.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if a document was skipped.")] = False,
) -> int:
    """Update a collection from folders or files. Only changed documents are read and embedded.

    With --json: a line for each step, then one for the result.
    With -: a document for each line of stdin, {"path": "a.md", "text": "…", "meta": {"tags": ["x"]}}; others stay.
    Wrong lines are left out and listed at the end; the exit status is then 1.
    """
    from ragstone.cli.given_lines import ingest_paths
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.progress import ProgressDisplay
    from ragstone.config.load import describe_stand_ins

    with (
        open_knowledge(options, embed__model=embedder, passwords=password) as kb,
        ProgressDisplay(ndjson=options.json) as progress,
    ):
        changes = {"refresh": refresh, "checksum": checksum, "recreate": recreate, "allow_removals": allow_removals}
        given = {"ignore": tuple(ignore or ()), **changes, "ray": ray}
        given |= {"version_label": version_label, "effective_at": effective_at}
        runs, wrong = ingest_paths(kb, paths or [], source, given, progress.show_event)
        chunks = kb.info().chunks
        print_notes(describe_stand_ins(kb.engine.settings))
    done = summarize_runs(runs, chunks)
    if wrong.count:
        done |= {"wrong_lines": wrong.count, "wrong_lines_not_listed": wrong.count - len(wrong.listed)}
        done["documents"]["skipped"] += wrong.count
        done["skipped"] += wrong.listed
    return _finish(done, as_json=options.json, strict=strict)


def _finish(done: Json, *, as_json: bool, strict: bool) -> int:
    """Print the summary; the exit status."""
    if as_json:
        print_json(done)
    else:
        _print_summary(done)
    if done["failed"] or "wrong_lines" in done:
        return Unavailable.exit
    return 1 if strict and done["skipped"] else 0


def summarize_runs(runs: list[Run], chunks: int) -> Json:
    """The last line of `ingest --json`: counts over all sources, chunks now active in the collection."""
    names = ("added", "changed", "moved", "unchanged", "removed", "skipped")
    return {
        "schema": 1,
        "event": "done",
        "documents": {name: sum(run.stats["documents"][name] for run in runs) for name in names},
        "passed_over": sum(run.stats["passed_over"] for run in runs),
        "chunks": chunks,
        "written": sum(run.stats["written"] for run in runs),
        "embedded": sum(run.stats["embedded"] for run in runs),
        "renewed": sum(run.stats["renewed"] for run in runs),
        "seconds": round(sum(run.stats["seconds"] for run in runs), 3),
        "skipped": [skipped for run in runs for skipped in run.stats["skipped"]],
        "ignored": [ignored for run in runs for ignored in run.stats["ignored"]],
        "warnings": [warning for run in runs for warning in run.stats["warnings"]],
        "left_out": [left for run in runs for left in run.stats["left_out"]],
        "failed": [run.source for run in runs if run.status == "failed"],
        "runs": [run.id for run in runs],
    }


def _print_summary(done: Json) -> None:
    counts = ", ".join(f"{n} {name}" for name, n in done["documents"].items() if n)
    print_text(
        f"{counts or 'nothing to do'}; {format_count(done['chunks'], 'chunk')} in the collection "
        f"({done['seconds']:.1f} s)"
    )
    if done["renewed"]:
        print_message(f"search terms and flags of {done['renewed']} documents were brought up to date")
    for skipped in done["skipped"]:
        print_message(f"skipped {skipped['path']} ({skipped['reason']}): {skipped['message']}")
    if more := done.get("wrong_lines_not_listed"):
        print_message(f"and {more:,} more wrong lines of stdin")
    if ignored := describe_ignored(done["ignored"]):
        print_message(ignored)
    if done["left_out"]:
        print_message(_describe_left_out(done["left_out"]))
    for warning in fold_warnings(done["warnings"]):
        print_message(f"warning: {warning}")


def _describe_left_out(left_out: list[Json]) -> str:
    sums = {name: sum(left.get(role, 0) for left in left_out) for role, name in LEFT_OUT.items()}
    said = ", ".join(f"{n:,} {name}" for name, n in sums.items() if n)
    documents = format_count(len(left_out), "document")
    return f"left out of {documents}, in blocks: {said} (--json names them, extract --json shows them)"
