"""The plan of a copy: new, changed and removed documents, and whether the target may be updated."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.ports import Store, StoredRevision
from ragstone.core.records import Info, Run
from ragstone.core.types import Scope
from ragstone.engine.transfer.checksums import encode_document
from ragstone.engine.transfer.pages import RevisionKey, View, iterate_kept, open_view, pair_revisions, revision_key
from ragstone.ingestion.safeguards import SMALL_SOURCE
from ragstone.stores.model_checks import describe_model

SOURCE = "copy"  # what such a run is called: one at a time into a collection, wherever it comes from
RUNS_COPIED = 1_000  # of the latest runs are carried over: as far back as a source's root and artifacts are looked for
SOURCE_RUNS_KNOWN = 10_000  # of the source's latest runs are known to be its own
COPY_ELSEWHERE = (
    "copy into an empty store, or erase the collection there first (ragstone collections delete NAME --store TARGET)"
)
DocumentOutcome = Literal["new", "same", "grown", "changed", "gone"]
Sides = tuple[list[StoredRevision], list[StoredRevision]]


@dataclass(frozen=True, slots=True)
class Changes:
    """Documents by what becomes of them in the target. `changed` are those of which other revisions stand there, or
    not all of them; `gone` are those that the source no longer has."""

    new: int = 0
    changed: int = 0
    gone: int = 0
    same: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """How many revisions the source has, and which of them stand in the target and stay; the documents to rewrite
    completely, and those to remove. `generation` is that of the target, None where it has no such collection."""

    total: int
    changes: Changes
    there: frozenset[RevisionKey] = frozenset()
    anew: frozenset[str] = frozenset()
    gone: tuple[str, ...] = ()
    generation: int | None = None


async def plan_copy(source: View, stores: tuple[Store, Store], scope: Scope, removals: float) -> Plan:
    """Look both through; `stores` are source and target, `removals` is the share of its documents that the target may
    lose.

    Raises `UsageError` when the target holds something that no copy has put there, or would lose too much. Nothing is
    written.
    """
    target = stores[1]
    try:
        async with open_view(target, scope) as view:
            _check_model(source.info, view.info, dense="dense" in target.capabilities)
            plan, first = await _compare_views(source, view)
    except NotBuilt:
        keys = [revision_key(one.document) async for one in iterate_kept(source)]
        return Plan(len(keys), Changes(new=len({document for document, _ in keys})))
    if first is not None and (why := await _find_foreign_writes(stores, scope)) is not None:
        raise UsageError(_describe_refusal(scope, first, why))
    _check_removals(plan, scope, removals)
    return plan


def _check_model(ours: Info, theirs: Info, *, dense: bool) -> None:
    wanted, held = [(info.model, info.variant, info.dimension) for info in (ours, theirs)]
    if dense and held != wanted and (theirs.model is not None or theirs.chunks):
        raise UsageError(
            f"collection {ours.scope.collection!r} of the target holds vectors of {describe_model(held)}, "
            "the source's are of "
            f"{describe_model(wanted)}: {COPY_ELSEWHERE}"
        )


async def _compare_views(source: View, target: View) -> tuple[Plan, Sides | None]:
    """The plan, and the first document that could not be brought up to date by adding to it."""
    found: dict[DocumentOutcome, list[str]] = {"new": [], "same": [], "grown": [], "changed": [], "gone": []}
    there: set[RevisionKey] = set()
    total = 0
    first: Sides | None = None
    async for sides in _group_by_document(source, target):
        ours, theirs = sides
        what = _classify_document(ours, theirs)
        found[what].append((ours or theirs)[0].document.id)
        total += len(ours)
        if what in ("same", "grown"):
            there |= {revision_key(one.document) for one in theirs}
        elif what != "new":
            first = first or sides
    changed = [*found["grown"], *found["changed"]]
    changes = Changes(len(found["new"]), len(changed), len(found["gone"]), len(found["same"]))
    plan = Plan(
        total, changes, frozenset(there), frozenset(found["changed"]), tuple(found["gone"]), target.info.generation
    )
    return plan, first


async def _group_by_document(source: View, target: View) -> AsyncIterator[Sides]:
    """What both sides keep of each document, revisions from the oldest up."""
    sides: Sides = ([], [])
    last: str | None = None
    async for pair in pair_revisions(source, target):
        document = next(one.document.id for one in pair if one is not None)
        if last is not None and document != last:
            yield sides
            sides = ([], [])
        last = document
        for side, one in zip(sides, pair, strict=True):
            if one is not None:
                side.append(one)
    if last is not None:
        yield sides


def _classify_document(ours: list[StoredRevision], theirs: list[StoredRevision]) -> DocumentOutcome:
    if not theirs:
        return "new"
    if not ours:
        return "gone"
    mine, others = [{one.document.revision: encode_document(one.document) for one in side} for side in (ours, theirs)]
    if any(mine.get(number) != about for number, about in others.items()):
        return "changed"
    lacking = mine.keys() - others.keys()
    if not lacking:
        return "same"
    return "grown" if min(lacking) > max(others) else "changed"


async def _find_foreign_writes(stores: tuple[Store, Store], scope: Scope) -> str | None:
    """The reason why the target may not be updated from the source, None for a copy without other writers."""
    source, target = [store.ledger(scope) for store in stores]
    known = {run.id for run in await source.runs(SOURCE_RUNS_KNOWN)}
    apart = [run for run in await target.runs(RUNS_COPIED) if run.id not in known]
    if own := next((run for run in apart if not is_copy(run)), None):
        return f"the target was ingested into separately (source {own.source!r}, {own.started_at:.10})"
    return None if apart else "it was not made by a copy of this source"


def is_copy(run: Run) -> bool:
    """Whether a run was a copy from another store; it was once called after where it came from."""
    return "from" in run.config and (run.source == SOURCE or run.source.startswith("copy of "))


def _describe_refusal(scope: Scope, sides: Sides, why: str) -> str:
    ours, theirs = [{one.document.revision: one.document for one in side} for side in sides]
    what, document = "but not the one before it", theirs[max(theirs)]
    for number, held in theirs.items():
        if number not in ours:
            what, document = "which the source does not have", held
            break
        if encode_document(ours[number]) != encode_document(held):
            what, document = "which differs in the source (another text, or other chunking)", held
            break
    return (
        f"collection {scope.collection!r} of the target already holds revision {document.revision} of "
        f"{document.path!r} (source {document.source!r}), {what}, and {why}; nothing was changed: {COPY_ELSEWHERE}"
    )


def _check_removals(plan: Plan, scope: Scope, share: float) -> None:
    """A source that lost its documents by mistake must not take those of its copy with it."""
    gone, changes = len(plan.gone), plan.changes
    held = gone + changes.changed + changes.same
    if share < 1 and gone and (gone == held or (held > SMALL_SOURCE and gone > share * held)):
        raise UsageError(
            f"the source no longer has {gone} of the {held} documents that the target holds in collection "
            f"{scope.collection!r}; nothing was changed. If they were deleted on purpose, add --allow-removals"
        )
