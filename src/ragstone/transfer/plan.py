"""Whether a collection can be copied to where it is to go: what stands there already must be a part of the same."""

from dataclasses import dataclass

from ragstone.errors import NotBuilt, UsageError
from ragstone.ports import Kept, Store
from ragstone.transfer.pages import Key, View, each, key_of, paired, viewing
from ragstone.transfer.sums import described
from ragstone.types import Document, Info, Scope


@dataclass(frozen=True, slots=True)
class Plan:
    """How many revisions there are, and which of them stand in the target already."""

    total: int
    there: frozenset[Key]


async def planned(source: View, target: Store, scope: Scope) -> Plan:
    """Look both through; raises `UsageError` when the target holds something else. Nothing is written."""
    try:
        async with viewing(target, scope) as view:
            _check_model(source.info, view.info, dense="dense" in target.capabilities)
            return await _compared(source, view, scope)
    except NotBuilt:
        return Plan(sum([1 async for _ in each(source)]), frozenset())


def _check_model(ours: Info, theirs: Info, *, dense: bool) -> None:
    wanted, held = [(info.model, info.variant, info.dimension) for info in (ours, theirs)]
    if dense and held != wanted and (theirs.model is not None or theirs.chunks):
        raise UsageError(
            f"collection {ours.scope.collection!r} of the target holds vectors of {_said(held)}, the source's are of "
            f"{_said(wanted)}: {ELSEWHERE}"
        )


async def _compared(source: View, target: View, scope: Scope) -> Plan:
    there: set[Key] = set()
    total = 0
    gap: str | None = None
    async for ours, theirs in paired(source, target):
        total += ours is not None
        if theirs is None:
            gap = None if ours is None else ours.document.id
            continue
        if what := _foreign(ours, theirs, gap):
            raise UsageError(_refusal(scope, theirs.document, what))
        there.add(key_of(theirs.document))
    return Plan(total, frozenset(there))


def _foreign(ours: Kept | None, theirs: Kept, gap: str | None) -> str | None:
    """Why a revision of the target is not one that this copy would have put there; `gap` is a document of which an
    earlier one is missing."""
    if ours is None:
        return "which the source does not have"
    if described(ours.document) != described(theirs.document):
        return "which the source has otherwise (another text, or cut another way)"
    return "but not the one before it" if gap == ours.document.id else None


ELSEWHERE = (
    "copy into an empty store, or erase the collection there first (ragstone collections delete NAME --store TARGET)"
)


def _refusal(scope: Scope, document: Document, what: str) -> str:
    return (
        f"collection {scope.collection!r} of the target already holds revision {document.revision} of "
        f"{document.path!r} (source {document.source!r}), {what}; nothing was changed: {ELSEWHERE}"
    )


def _said(about: tuple[str | None, str | None, int | None]) -> str:
    model, variant, dimension = about
    return f"{model}{f' {variant}' if variant else ''} ({dimension})" if model else "no model"
