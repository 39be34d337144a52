"""Artifacts that no kept revision owns: found, removed; and kept revisions whose artifact is gone."""

import asyncio
from collections.abc import Collection, Iterable, Sequence

from ragstone.core.errors import ConfigError, Corrupt, NoKey, NotBuilt, StoreError
from ragstone.core.ports import ArtifactStorage, Store
from ragstone.core.types import Document, Scope
from ragstone.ingestion.artifacts.artifact_json import (
    ARTIFACT,
    ARTIFACT_KEY,
    ASIDE,
    HEAD_BYTES,
    artifact_name,
    aside_marks,
    claim_name,
    read_source,
    tenant_folder,
)
from ragstone.ingestion.artifacts.artifact_store import (
    ArtifactPlaces,
    list_runs,
    open_own_place,
    read_kept_names,
    read_own_claim,
)
from ragstone.ingestion.artifacts.place import open_place, seal_place
from ragstone.ingestion.artifacts.seals import find_outdated_seals

MOST_LOOKED_AT = 200  # documents; of more, all are gone through at once


async def remove_strays(
    store: Store,
    scope: Scope,
    where: ArtifactPlaces,
    *,
    source: str | None = None,
    documents: Collection[str] | None = None,
) -> tuple[int, list[str]]:
    """Remove what no kept revision owns; returns how many, and a sentence for each place that could not be swept.

    With `source` only what is of this source, which the caller is ingesting; else of all that are not being ingested
    now. With `documents` only what is of these: where a few changed, nobody goes through all.
    """
    documents = documents if documents is None or len(documents) <= MOST_LOOKED_AT else None

    removed, failed = 0, []
    for uri in where.places:
        try:
            place = await open_own_place(store, uri, scope, where)
            strays = await _find_strays(place, store, scope, source, documents)
            await asyncio.to_thread(_remove_names, place, strays)
            removed += len(strays)
        except (StoreError, ConfigError) as problem:
            failed.append(_describe_failure(uri, problem))
    return removed, failed


async def erase(store: Store, scope: Scope, where: ArtifactPlaces) -> list[str]:
    """Remove all artifacts of a collection, then our claim; a sentence for each place that could not be looked through.

    The collection still stands: another call continues an interrupted one.
    """
    failed = []
    for uri in where.places:
        try:
            place = await open_own_place(store, uri, scope, where)
            names = await asyncio.to_thread(place.names, tenant_folder(scope))
            kept = await read_kept_names(store, scope)
            ours = [
                name
                for name in names
                if name in kept or await asyncio.to_thread(_is_removable, place, scope, name, None, ())
            ]
            await asyncio.to_thread(_remove_names, place, ours)
            await asyncio.to_thread(place.remove, claim_name(scope))
        except NoKey as problem:
            if await _has_artifacts(uri, scope):
                failed.append(_describe_failure(uri, problem))
        except (StoreError, ConfigError) as problem:
            failed.append(_describe_failure(uri, problem))
    return failed


async def _has_artifacts(uri: str, scope: Scope) -> bool:
    """Whether anything of this tenant is there, be it encrypted."""
    try:
        names = await asyncio.to_thread(open_place(uri).names, tenant_folder(scope))
        return any(ARTIFACT.fullmatch(name) or ASIDE.fullmatch(name) for name in names)
    except (StoreError, ConfigError):
        return True


async def find_problems(store: Store, scope: Scope, where: ArtifactPlaces) -> list[str]:
    """The problems, one sentence each."""
    found = []
    for uri in where.places:
        try:
            place = await open_own_place(store, uri, scope, where)
            if strays := await _find_strays(place, store, scope, None):
                found.append(
                    f"{len(strays)} artifacts belong to no kept revision, such as {place.uri}/{strays[0]}; --repair "
                    "removes them, and so does the next ingest of their source"
                )
            if behind := await find_outdated_seals(store, scope, place):
                found.append(
                    f"{len(behind)} artifacts are not encrypted with the tenant's key, such as "
                    f"{place.uri}/{behind[0]}; --repair encrypts those that it can read, and ingest with --refresh "
                    "makes all others anew"
                )
            if lacking := await _find_lost(place, store, scope):
                found.append(
                    f"{len(lacking)} documents have lost their artifact, such as {lacking[0].path!r} of source "
                    f"{lacking[0].source!r}: it is not at {lacking[0].meta[ARTIFACT_KEY]}; ingest with --refresh"
                )
        except (StoreError, ConfigError) as problem:
            found.append(_describe_failure(uri, problem))
    return found


async def remove_claim(store: Store, scope: Scope, where: ArtifactPlaces) -> None:
    """Take our claims away, before a collection is erased: leftovers of a kill then have no owner, and are found."""

    for uri in where.places:
        try:
            place = await seal_place(store, scope, open_place(uri))
            if await asyncio.to_thread(read_own_claim, place, scope, where) in (None, *where.claims):
                await asyncio.to_thread(place.remove, claim_name(scope))
        except (StoreError, ConfigError):
            continue  # the sweep will say it


async def find_missing(store: Store, scope: Scope, place: ArtifactStorage) -> set[str]:
    """The ids of documents that have no artifact at this place, or none under the tenant's key: a refresh makes it."""
    names = set(await asyncio.to_thread(place.names, tenant_folder(scope)))
    names -= set(await find_outdated_seals(store, scope, place))
    return {
        document.id for document in await _read_newest(store, scope) if not _is_present(place, scope, document, names)
    }


def _describe_failure(uri: str, problem: Exception) -> str:
    return f"the artifacts at {uri} could not be listed: {problem}"


async def _find_strays(
    place: ArtifactStorage, store: Store, scope: Scope, source: str | None, documents: Collection[str] | None = None
) -> list[str]:
    """Names of ours that no kept revision owns. One that says that its own is at another place owns it here too: two
    addresses may lead to one place.

    The order keeps out what is being written: listed first, then who is at work, then what is kept. What was listed
    of a run that has ended since is kept by then; a run that goes on sweeps behind itself.
    """
    under = tenant_folder(scope)
    folders = [under] if documents is None else [f"{under}/{document}" for document in documents]
    names = await asyncio.to_thread(lambda: [name for folder in folders for name in place.names(folder)])
    busy = {run.source for run in await list_runs(store, scope) if run.status == "running"} - {source}
    owned = await read_kept_names(store, scope, documents)
    left = [name for name in names if name not in owned]
    if any(map(ARTIFACT.fullmatch, left)):
        theirs = await _sibling_names(store, scope)
        left = [name for name in left if name not in theirs]
    return await asyncio.to_thread(lambda: [name for name in left if _is_removable(place, scope, name, source, busy)])


async def _sibling_names(store: Store, scope: Scope) -> set[str]:
    """What the tenant's other collections own. Each artifact says whose it is; this spares reading it."""
    found: set[str] = set()
    for other in await store.admin.collections(scope.tenant):
        try:
            found |= set() if other == scope.collection else await read_kept_names(store, Scope(scope.tenant, other))
        except StoreError:
            continue
    return found


def _is_removable(place: ArtifactStorage, scope: Scope, name: str, source: str | None, busy: Iterable[str]) -> bool:
    """Whether this may be removed: by its name one of ours, and of this collection, of a source that may be judged."""
    if aside := ASIDE.fullmatch(name):
        collection, own = aside_marks(scope, source or "")
        not_now = {aside_marks(scope, one)[1] for one in busy}
        return aside[1] == collection and aside[2] not in not_now and (source is None or aside[2] == own)
    if not ARTIFACT.fullmatch(name):
        return False
    try:
        of = read_source(scope, name, place.head(name, HEAD_BYTES))
    except Corrupt:  # by its content nobody's
        return False
    return of is not None and of not in busy and source in (None, of)


def _remove_names(place: ArtifactStorage, names: Sequence[str]) -> None:
    for name in names:
        place.remove(name)


async def _find_lost(place: ArtifactStorage, store: Store, scope: Scope) -> list[Document]:
    """Documents that say that their artifact is here, and it is not."""
    here = [document for document in await _read_newest(store, scope) if _is_recorded_at(place, scope, document)]
    names = set(await asyncio.to_thread(place.names, tenant_folder(scope))) if here else set()
    return [document for document in here if not _is_present(place, scope, document, names)]


def _is_recorded_at(place: ArtifactStorage, scope: Scope, document: Document) -> bool:
    return bool(document.meta.get(ARTIFACT_KEY) == f"{place.uri}/{artifact_name(scope, document)}")


def _is_present(place: ArtifactStorage, scope: Scope, document: Document, names: set[str]) -> bool:
    return _is_recorded_at(place, scope, document) and artifact_name(scope, document) in names


async def _read_newest(store: Store, scope: Scope) -> list[Document]:
    try:
        return await store.ledger(scope).documents()
    except NotBuilt:
        return []
