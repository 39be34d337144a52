"""Safeguards of a run: vanished documents, and the checks that stop a run before it writes."""

from collections.abc import Iterable, Mapping, Sequence

from ragstone.core.errors import UsageError
from ragstone.core.ports import Ledger, ListedFile
from ragstone.core.records import Skipped
from ragstone.core.types import Document
from ragstone.ingestion.build_revision import RevisionBuilder

SMALL_SOURCE = 10  # documents; below, only a removal of all of them is suspicious
RUNS_SEARCHED = 1000  # how far back a source's root is looked for
WRITING_STATUSES = ("succeeded", "interrupted")  # runs that may have written something
REFUSED_BY_RULE = frozenset({"denied", "outside_root", "unsupported"})  # refused by rule: what stood there goes


def find_vanished(
    known: Mapping[str, Document], listed: Iterable[ListedFile], skipped: Iterable[Skipped]
) -> list[Document]:
    """The documents that the source no longer has, without those that only could not be read this time."""
    missing = set(known)
    for entry in listed:
        missing.discard(entry.path)
    unread = tuple(s.path for s in skipped if s.reason not in REFUSED_BY_RULE)
    folders = tuple(f"{path.rstrip('/')}/" for path in unread)
    missing.difference_update(unread)
    return [
        document for path, document in known.items() if path in missing and not (folders and path.startswith(folders))
    ]


async def check_root(root: str, source: str, ledger: Ledger) -> None:
    """Two folders of one name are two sources: the second must not pass for a changed first one."""
    earlier = [
        run for run in await ledger.runs(RUNS_SEARCHED) if run.source == source and run.status in WRITING_STATUSES
    ]
    other = next((run.config["root"] for run in earlier if run.config.get("root")), root)
    if other != root:
        raise UsageError(
            f"source {source!r} is {other}; to add {root} beside it, give it another name "
            f"with --source NAME; if it is the same source in a new place, use --source {source}"
        )


def check_removals(source: str, gone: Sequence[Document], known: Mapping[str, Document], *, share: float) -> None:
    """A missing mount looks like a mass deletion: more than `share` of a source's documents does not go unasked."""
    if gone and (len(gone) == len(known) or (len(known) > SMALL_SOURCE and len(gone) > share * len(known))):
        raise UsageError(
            f"{len(gone)} of {len(known)} documents of source {source!r} are gone; nothing was changed. "
            "If a folder is not mounted, mount it; if they were deleted on purpose, add --allow-removals"
        )


def check_chunking(builder: RevisionBuilder, known: Mapping[str, Document]) -> None:
    """Two ways of chunking in one source would make its chunks incomparable. Documents of an earlier edition are made
    anew."""
    cutting = builder.chunking_recipe
    others = [d for d in known.values() if not d.recipe.endswith(f"+{cutting}") and not builder.is_former(d)]
    if others:
        raise UsageError(
            f"{len(others)} of {len(known)} documents were chunked with other settings ({others[0].recipe}; "
            f"now {cutting}); to re-chunk them all, run: ragstone ingest --refresh; or restore the settings"
        )


def check_other_sources(builder: RevisionBuilder, beside: Sequence[Document], *, refresh: bool) -> list[str]:
    """Check the chunking of the other sources of a collection. A refresh must begin with one of them, and so must the
    first run with another edition of the chunker: they only warn."""
    cutting = builder.chunking_recipe
    others = [document for document in beside if not document.recipe.endswith(f"+{cutting}")]
    if not others:
        return []
    if all(map(builder.is_former, others)):
        names = ", ".join(sorted({repr(document.source) for document in others}))
        return [f"{len(others)} documents were chunked by an earlier version; ingest their sources too: {names}"]
    source, recipe = others[0].source, others[0].recipe
    found = f"{len(others)} documents of other sources (such as {source!r}) were chunked with other settings ({recipe})"
    if refresh:
        return [f"{found}; ingest them with --refresh too"]
    raise UsageError(
        f"{found}, now {cutting}: use their settings or another --collection, or re-chunk all, source by "
        "source, with --refresh"
    )
