"""`ragstone watch`: keep a collection in line with folders while they change."""

import sys
from typing import Annotated, Any

import typer

from ragstone.cli.folded_warnings import fold_warnings
from ragstone.cli.shared_options import (
    SharedOptions,
    add_shared_options,
    print_json,
    print_message,
    print_notes,
    print_text,
)
from ragstone.cli.signals import interrupts
from ragstone.core.answers import Event
from ragstone.core.types import Json


@add_shared_options
def watch(
    options: SharedOptions,
    paths: Annotated[list[str] | None, typer.Argument(help="Folders, files [default: those configured].")] = None,
    source: Annotated[str | None, typer.Option("--source", help="Name of the source [default: the folder's].")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Glob to leave out, such as drafts/**.")] = None,
    reindex_after: Annotated[
        float | None, typer.Option(help="Seconds of quiet before changes are indexed [default: 2].")
    ] = None,
    flush_after: Annotated[
        float | None, typer.Option(help="Seconds of quiet before the index is merged [default: 30].")
    ] = None,
    poll: Annotated[bool, typer.Option("--poll", help="Look at the files every few seconds, as for a mount.")] = False,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Allow removing any number of vanished documents.")
    ] = False,
    embedder: Annotated[str | None, typer.Option(help="Embedding model, or none for keyword search only.")] = None,
) -> int:
    """Update a collection whenever its folders change.

    With --json: a line for each event.
    """
    from ragstone.cli.knowledge import open_knowledge
    from ragstone.cli.progress import ProgressDisplay
    from ragstone.config.load import describe_stand_ins

    with (
        open_knowledge(options, embed__model=embedder) as kb,
        ProgressDisplay(ndjson=options.json) as progress,
    ):

        def show_event(event: Event) -> None:
            progress.show_event(event)
            _show_event(event, as_json=options.json)

        print_notes(describe_stand_ins(kb.engine.settings))
        try:
            kb.watch(
                *(paths or ()),
                name=source,
                ignore=tuple(ignore or ()),
                reindex_after=reindex_after,
                flush_after=flush_after,
                allow_removals=allow_removals,
                poll=poll,
                tell=show_event,
            )
        except KeyboardInterrupt:  # the way to end it; what was not flushed is flushed by now
            interrupts.mark_told()
            _print(options.json, {"event": "stopped"}, "stopped")
    return 0


def _show_event(event: Event, *, as_json: bool) -> None:
    """A line for an event of the watcher; progress is shown elsewhere."""
    data = event.data
    match event.name:
        case "watching":
            places = ", ".join(source["place"] for source in data["sources"])
            _print(as_json, {"event": "watching", **data}, f"watching {places}; Ctrl-C stops")
        case "indexed":
            counts = ", ".join(f"{n} {name}" for name, n in data["documents"].items() if n)
            text = f"{data['source']}: {counts or 'nothing to do'} ({data['seconds']:.1f} s)"
            _print(as_json, {"event": "indexed", **data}, text)
            for skipped in () if as_json else data["skipped"]:
                print_message(f"skipped {skipped['path']} ({skipped['reason']}): {skipped['message']}")
            for warning in () if as_json else fold_warnings(data["warnings"]):
                print_message(f"warning: {warning}")
        case "flushed":
            _print(as_json, {"event": "flushed"}, "flushed")
        case "note":
            _say(as_json, event, f"note: {data['message']}")
        case "problem":
            _say(as_json, event, f"problem: {data['message']}; it is tried again")


def _say(as_json: bool, event: Event, text: str) -> None:
    if as_json:
        _print(as_json, {"event": event.name, **event.data}, "")
    else:
        print_message(text)


def _print(as_json: bool, data: Json, text: str) -> None:
    """One line at once: a reader at the other end of a pipe waits for it."""
    line: dict[str, Any] = {"schema": 1, **data}
    if as_json:
        print_json(line)
    else:
        print_text(text)
    sys.stdout.flush()
