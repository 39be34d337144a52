"""Safeguards of a run: vanished documents, and the checks that stop a run before it writes."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ragstone.core.errors import SourceNotReady, UsageError
from ragstone.core.ports import Ledger
from ragstone.core.records import Run, Skipped
from ragstone.core.types import Document
from ragstone.ingestion.build_revision import RevisionBuilder

SMALL_SOURCE = 10  # documents; below, only a removal of all of them is suspicious
RUNS_SEARCHED = 1000  # how far back a source's root is looked for
LAST_RUNS = 20  # where the last run of a source stands, usually
WRITING_STATUSES = ("succeeded", "interrupted")  # runs that may have written something
REFUSED_BY_RULE = frozenset({"denied", "outside_root", "unsupported"})  # refused by rule: what stood there goes


class UnreadPaths:
    """The files and folders that a source has and that could not be read this time, out of those skipped."""

    def __init__(self, skipped: Iterable[Skipped]) -> None:
        self._paths = {one.path for one in skipped if one.reason not in REFUSED_BY_RULE}
        self._folders = {path.rstrip("/") for path in self._paths}

    def __contains__(self, path: str) -> bool:
        if path in self._paths:
            return True
        return bool(self._folders) and any(path[:at] in self._folders for at, sign in enumerate(path) if sign == "/")


@dataclass(slots=True)
class ChunkingCount:
    """How stored documents are chunked: how many, those with other settings than now, those by an earlier edition of
    the chunker, the sources of both, the source and recipe of the first with other settings."""

    documents: int = 0
    others: int = 0
    former: int = 0
    sources: set[str] = field(default_factory=set)
    first: tuple[str, str] = ("", "")

    def add(self, document: Document, builder: RevisionBuilder) -> None:
        """Count a document."""
        self.documents += 1
        if document.recipe.endswith(f"+{builder.chunking_recipe}"):
            return
        self.sources.add(document.source)
        if builder.is_former(document):
            self.former += 1
        else:
            self.first = self.first if self.others else (document.source, document.recipe)
            self.others += 1


async def check_root(root: str, source: str, ledger: Ledger) -> None:
    """Two folders of one name are two sources: the second must not pass for a changed first one."""
    earlier = await _list_writing_runs(source, ledger, RUNS_SEARCHED)
    other = next((run.config["root"] for run in earlier if run.config.get("root")), root)
    if other != root:
        raise SourceNotReady(
            f"source {source!r} is {other}; to add {root} beside it, give it another name "
            f"with --source NAME; if it is the same source in a new place, use --source {source}"
        )


async def _list_writing_runs(source: str, ledger: Ledger, number: int) -> list[Run]:
    """The runs of a source that may have written something, out of the last ones of the collection."""
    return [run for run in await ledger.runs(number) if run.source == source and run.status in WRITING_STATUSES]


async def _find_last_run(source: str, ledger: Ledger) -> Run | None:
    """The last run of a source that succeeded, else the last one that may have written something."""
    runs: list[Run] = []
    for number in (LAST_RUNS, RUNS_SEARCHED):
        runs = await _list_writing_runs(source, ledger, number)
        if done := next((run for run in runs if run.status == "succeeded"), None):
            return done
    return next(iter(runs), None)


async def check_texts_source(source: str, ledger: Ledger, *, configured: Collection[str]) -> None:
    """Texts that are handed over do not go beside the files of a folder or the pages of a site: they would replace
    them, and the next ingestion of it would remove what is left."""
    last = await _find_last_run(source, ledger)
    held = last is not None and last.config.get("place") and await ledger.documents(source)
    if source in configured or held:
        raise UsageError(
            f"source {source!r} is a folder, a file or a web site that is ingested: give texts a source of another "
            f"name, or delete its documents first (ragstone collections delete {source} --source)"
        )


def is_suspicious(gone: int, known: int, *, share: float) -> bool:
    """Whether the source itself may be missing, by how many of its documents are gone."""
    return bool(gone) and (gone == known or (known > SMALL_SOURCE and gone > share * known))


def check_removals(source: str, *, gone: int, known: int, share: float) -> None:
    """A missing mount looks like a mass deletion: more than `share` of a source's documents does not go unasked."""
    if is_suspicious(gone, known, share=share):
        raise UsageError(
            f"{gone} of {known} documents of source {source!r} are gone; nothing was changed. "
            "If a folder is not mounted, mount it; if they were deleted on purpose, add --allow-removals"
        )


async def check_place(
    source: str, place: str, ledger: Ledger, *, gone: Iterable[Document], most: float, known: int, is_file: bool
) -> None:
    """Another place than that of the last run may be a part of the source: one file of it, or a folder in it, removes
    nothing of the rest unasked; and any other place `most` of its documents, however few they are."""
    last = await _find_last_run(source, ledger)
    former = last.config.get("place") if last is not None else place
    if former == place:
        return
    own = f"{place.rsplit('/', 1)[-1]}/" if is_file else None  # what was in the file was in it before
    lost = sum(own is None or not document.path.startswith(own) for document in gone)
    is_part = is_file or former is None or place.startswith(f"{former.rstrip('/')}/")
    if lost > (0 if is_part else most):
        before = f"its last run read {former}" if former else "they were handed over by a program"
        raise UsageError(
            f"{lost} of {known} documents of source {source!r} are not in {place}, and {before}; nothing was changed. "
            "Ingest the whole source, or give this part another name with --source; if they are to go, add "
            "--allow-removals"
        )


def check_chunking(found: ChunkingCount, now: str) -> None:
    """Two ways of chunking in one source would make its chunks incomparable. Documents of an earlier edition are made
    anew."""
    if found.others:
        raise UsageError(
            f"{found.others} of {found.documents} documents were chunked with other settings ({found.first[1]}; "
            f"now {now}); to re-chunk them all, run: ragstone ingest --refresh; or restore the settings"
        )


def check_other_sources(found: ChunkingCount, now: str, *, refresh: bool) -> list[str]:
    """Check the chunking of the other sources of a collection. A refresh must begin with one of them, and so must the
    first run with another edition of the chunker: they only warn."""
    if not found.others:
        names = ", ".join(sorted(map(repr, found.sources)))
        said = f"{found.former} documents were chunked by an earlier version; ingest their sources too: {names}"
        return [said] if found.former else []
    source, recipe = found.first
    what = (
        f"{found.others + found.former} documents of other sources (such as {source!r}) were chunked with other "
        f"settings ({recipe})"
    )
    if refresh:
        return [f"{what}; ingest them with --refresh too"]
    raise UsageError(
        f"{what}, now {now}: use their settings or another --collection, or re-chunk all, source by "
        "source, with --refresh"
    )
