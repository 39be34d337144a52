"""Artifacts that no kept revision owns: found, removed; and kept revisions whose artifact is gone."""

import asyncio
from collections.abc import Iterable, Sequence

from ragstone.core.errors import ConfigError, NoKey, NotBuilt, StoreError
from ragstone.core.ports import Place, Store
from ragstone.core.types import Document, Scope
from ragstone.ingestion.artifacts.place import open_place
from ragstone.ingestion.artifacts.sealed import sealed
from ragstone.ingestion.artifacts.shape import (
    ARTIFACT,
    ASIDE,
    HEAD,
    KEY,
    claim_of,
    folder_of,
    marks,
    name_of,
    source_of,
)
from ragstone.ingestion.artifacts.shelf import Known, holder, runs, taken


async def sweep(store: Store, scope: Scope, where: Known, *, source: str | None = None) -> tuple[int, list[str]]:
    """Remove what no kept revision owns; returns how many, and a sentence for each place that could not be swept.

    With `source` only what is of this source, which the caller is ingesting; else of all that nobody ingests now.
    """
    removed, failed = 0, []
    for uri in where.places:
        try:
            place = await _ours_at(store, uri, scope, where)
            strays = await _strays(place, store, scope, source)
            await asyncio.to_thread(_remove, place, strays)
            removed += len(strays)
        except (StoreError, ConfigError) as problem:
            failed.append(_unseen(uri, problem))
    return removed, failed


async def erase(store: Store, scope: Scope, where: Known) -> list[str]:
    """Remove all artifacts of a collection, then our claim; a sentence for each place that could not be looked through.

    The collection still stands: what is killed is gone on with by another call.
    """
    failed = []
    for uri in where.places:
        try:
            place = await _ours_at(store, uri, scope, where)
            names = await asyncio.to_thread(place.names, folder_of(scope))
            ours = [name for name in names if await asyncio.to_thread(_ours, place, scope, name, None, ())]
            await asyncio.to_thread(_remove, place, ours)
            await asyncio.to_thread(place.remove, claim_of(scope))
        except NoKey as problem:
            if await _holds(uri, scope):
                failed.append(_unseen(uri, problem))
        except (StoreError, ConfigError) as problem:
            failed.append(_unseen(uri, problem))
    return failed


async def _holds(uri: str, scope: Scope) -> bool:
    """Whether anything of this tenant is there, be it encrypted."""
    try:
        return bool(await asyncio.to_thread(open_place(uri).names, folder_of(scope)))
    except (StoreError, ConfigError):
        return True


async def examine(store: Store, scope: Scope, where: Known) -> list[str]:
    """What is wrong, a sentence each."""
    found = []
    for uri in where.places:
        try:
            place = await _ours_at(store, uri, scope, where)
            if strays := await _strays(place, store, scope, None):
                found.append(
                    f"{len(strays)} artifacts belong to no kept revision, such as {place.uri}/{strays[0]}; --repair "
                    "removes them, and so does the next ingest of their source"
                )
            if lacking := await _lacking(place, store, scope):
                found.append(
                    f"{len(lacking)} documents have lost their artifact, such as {lacking[0].path!r} of source "
                    f"{lacking[0].source!r}: it is not at {lacking[0].meta[KEY]}; ingest with --refresh"
                )
        except (StoreError, ConfigError) as problem:
            found.append(_unseen(uri, problem))
    return found


async def unclaim(store: Store, scope: Scope, where: Known) -> None:
    """Take our claims away, before a collection is erased: what a kill would leave is then nobody's, and found."""

    for uri in where.places:
        try:
            place = await sealed(store, scope, open_place(uri))
            if await asyncio.to_thread(holder, place, scope) in where.claims:
                await asyncio.to_thread(place.remove, claim_of(scope))
        except (StoreError, ConfigError):
            continue  # the sweep will say it


async def missing(store: Store, scope: Scope, place: Place) -> set[str]:
    """The ids of documents that have no artifact at this place: a refresh makes it."""
    names = set(await asyncio.to_thread(place.names, folder_of(scope)))
    return {document.id for document in await _newest(store, scope) if not _stands(place, scope, document, names)}


def _unseen(uri: str, problem: Exception) -> str:
    return f"the artifacts at {uri} could not be looked through: {problem}"


async def _ours_at(store: Store, uri: str, scope: Scope, where: Known) -> Place:
    """The place, when it is not another store's."""
    place = await sealed(store, scope, open_place(uri))
    if await asyncio.to_thread(holder, place, scope) not in (None, *where.claims):
        raise ConfigError(taken(place, scope))
    return place


async def _strays(place: Place, store: Store, scope: Scope, source: str | None) -> list[str]:
    """Names of ours that no kept revision owns. One that says that its own is at another place owns it here too: two
    addresses may lead to one place.

    The order keeps out what is being written: listed first, then who is at work, then what is kept. What was listed
    of a run that has ended since is kept by then; a run that goes on sweeps behind itself.
    """
    names = await asyncio.to_thread(place.names, folder_of(scope))
    busy = {run.source for run in await runs(store, scope) if run.status == "running"} - {source}
    owned = await _owned(store, scope)
    left = [name for name in names if name not in owned]
    if any(map(ARTIFACT.fullmatch, left)):
        theirs = await _siblings(store, scope)
        left = [name for name in left if name not in theirs]
    return await asyncio.to_thread(lambda: [name for name in left if _ours(place, scope, name, source, busy)])


async def _siblings(store: Store, scope: Scope) -> set[str]:
    """What the tenant's other collections own. Each artifact says whose it is; this spares reading it."""
    found: set[str] = set()
    for other in await store.admin.collections(scope.tenant):
        try:
            found |= set() if other == scope.collection else await _owned(store, Scope(scope.tenant, other))
        except StoreError:
            continue
    return found


def _ours(place: Place, scope: Scope, name: str, source: str | None, busy: Iterable[str]) -> bool:
    """Whether this may be removed: by its name one of ours, and of this collection, of a source that may be judged."""
    if aside := ASIDE.fullmatch(name):
        collection, own = marks(scope, source or "")
        not_now = {marks(scope, one)[1] for one in busy}
        return aside[1] == collection and aside[2] not in not_now and (source is None or aside[2] == own)
    if not ARTIFACT.fullmatch(name):
        return False
    of = source_of(scope, name, place.head(name, HEAD))
    return of is not None and of not in busy and source in (None, of)


def _remove(place: Place, names: Sequence[str]) -> None:
    for name in names:
        place.remove(name)


async def _lacking(place: Place, store: Store, scope: Scope) -> list[Document]:
    """Documents that say that their artifact is here, and it is not."""
    here = [document for document in await _newest(store, scope) if _says(place, scope, document)]
    names = set(await asyncio.to_thread(place.names, folder_of(scope))) if here else set()
    return [document for document in here if not _stands(place, scope, document, names)]


def _says(place: Place, scope: Scope, document: Document) -> bool:
    return bool(document.meta.get(KEY) == f"{place.uri}/{name_of(scope, document)}")


def _stands(place: Place, scope: Scope, document: Document, names: set[str]) -> bool:
    return _says(place, scope, document) and name_of(scope, document) in names


async def _newest(store: Store, scope: Scope) -> list[Document]:
    try:
        return await store.ledger(scope).documents()
    except NotBuilt:
        return []


async def _owned(store: Store, scope: Scope) -> set[str]:
    try:
        return {name_of(scope, document) for document in await store.ledger(scope).kept()}
    except NotBuilt:
        return set()
