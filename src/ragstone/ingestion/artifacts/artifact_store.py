"""One collection's part of a place: where the artifacts of its revisions go, and whose it is.

Two stores may hold collections of one name, and each would take the other's artifacts for leftovers. So the first
run puts a claim there, a random word that every run of this store records; whose runs do not know it stays away.
"""

import asyncio
import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ragstone.core.errors import ConfigError, Corrupt, NotBuilt, Refused, StoreError
from ragstone.core.ports import ArtifactStorage, Exporter, Store
from ragstone.core.records import Run
from ragstone.core.types import Document, Json, Scope
from ragstone.ingestion.artifacts.artifact_json import HEAD_BYTES, artifact_name, aside_marks, claim_name
from ragstone.ingestion.artifacts.place import open_place, seal_place

BEFORE = "artifacts_before"  # of a run's settings
REVISIONS_AT_ONCE = 8
RUNS_SEARCHED = 1000  # how far back earlier places are looked for


@dataclass(frozen=True, slots=True)
class ArtifactPlaces:
    """Where a collection's artifacts may be (the configured place and those of earlier runs), its claims, and the
    places of its runs alone."""

    places: tuple[str, ...]
    claims: tuple[str, ...] = ()
    used: tuple[str, ...] = ()

    @property
    def config(self) -> Json | None:
        """The earlier places and claims, which a run records: older runs are forgotten."""
        return {"places": list(self.used), "claims": list(self.claims)} if self.used else None

    def add_claim(self, claim: str) -> "ArtifactPlaces":
        """The places with a claim of a run that goes on."""
        return replace(self, claims=_list_texts(self.claims, [claim]))


@dataclass(frozen=True, slots=True)
class ArtifactStore:
    """Puts artifacts in their place; taking them away is the sweep's. `closed` says why nothing can be put there."""

    place: ArtifactStorage
    scope: Scope
    claim: str
    closed: str | None = None

    @property
    def config(self) -> Json:
        """The configuration that a run records."""
        return {"place": self.place.uri, "claim": self.claim}

    def put_claim(self) -> "ArtifactStore":
        """Put the claim there, unless it stands. The run that knows it is recorded by now."""
        try:
            if self.closed is None and not self._has_claim():
                about = {"tenant": self.scope.tenant, "collection": self.scope.collection, "claim": self.claim}
                data = json.dumps({"schema": 1, **about}).encode()
                self.place.put(claim_name(self.scope), data, mark=".".join(aside_marks(self.scope, "")))
        except StoreError as error:
            return replace(self, closed=str(error))
        return self

    def _has_claim(self) -> bool:
        try:
            return read_claim(self.place, self.scope) == self.claim
        except Corrupt:  # whoever opened this store has seen to whose it is
            return False

    def put(self, document: Document, data: bytes) -> None:
        """Keep an artifact, durable when it returns; raises `Refused`, so that the document fails and not the run."""
        mark = ".".join(aside_marks(self.scope, document.source))
        try:
            if self.closed is not None:
                raise StoreError(self.closed)
            self.place.put(artifact_name(self.scope, document), data, mark=mark)
        except StoreError as error:
            raise Refused("artifact", f"{document.path}: its artifact could not be kept: {error}") from error


async def open_artifact_store(store: Store, scope: Scope, uri: str, where: ArtifactPlaces) -> ArtifactStore:
    """The store at a place; raises `ConfigError` when another store has claimed it."""
    place = await seal_place(store, scope, open_place(uri))
    own = where.claims
    try:
        claim = await asyncio.to_thread(read_own_claim, place, scope, where)
    except StoreError as error:
        return ArtifactStore(place, scope, own[0] if own else str(uuid.uuid4()), str(error))
    if claim is not None and claim not in own:
        raise ConfigError(describe_foreign_claim(place, scope))
    return ArtifactStore(place, scope, claim or (own[0] if own else str(uuid.uuid4())))


def describe_foreign_claim(place: ArtifactStorage, scope: Scope) -> str:
    """A sentence for a place that another store has claimed."""
    return (
        f"{place.uri} keeps the artifacts of collection {scope.collection!r} for another store: name another place in "
        f"`artifacts`, or, if that store is gone for good, remove {place.uri}/{claim_name(scope)}"
    )


def read_own_claim(place: ArtifactStorage, scope: Scope, where: ArtifactPlaces) -> str | None:
    """The claim that stands at a place; "" for one that cannot be read, which is somebody's. At a place where runs of
    ours have been it is ours, and counts as None, as where there is none: they found the place free, or their own."""
    try:
        return read_claim(place, scope)
    except Corrupt:
        return None if place.uri in where.used else ""


def read_claim(place: ArtifactStorage, scope: Scope) -> str | None:
    """The claim that stands at a place, None where there is none."""
    head = place.head(claim_name(scope), HEAD_BYTES)
    try:
        return str(json.loads(head)["claim"]) if head else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""  # somebody's, we cannot tell whose


async def seal_anew(store: Store, artifact_store: ArtifactStore) -> ArtifactStore:
    """Read the tenant's keys again. While a run holds its source's lock they do not change."""
    place = open_place(artifact_store.place.uri)
    return replace(artifact_store, place=await seal_place(store, artifact_store.scope, place))


async def find_artifact_places(store: Store, scope: Scope, *, configured: str | None = None) -> ArtifactPlaces:
    """Taken from the collection's runs, never from documents: what these say is not ours. A collection that cannot
    be read has the configured place alone."""
    try:
        configs = [run.config for run in await list_runs(store, scope)]
    except StoreError:
        configs = []
    used = [config["artifacts"] for config in configs if config.get("artifacts")]
    before = [config[BEFORE] for config in configs if config.get(BEFORE)]
    ran = _list_texts([one["place"] for one in used], *(one["places"] for one in before))
    claims = _list_texts([one["claim"] for one in used], *(one["claims"] for one in before))
    return ArtifactPlaces(tuple(dict.fromkeys([*([configured] if configured else []), *ran])), claims, ran)


def _list_texts(*lists: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(one) for each in lists for one in each))


async def list_runs(store: Store, scope: Scope) -> list[Run]:
    """The runs of a collection, none where it was never made."""
    try:
        return await store.ledger(scope).runs(RUNS_SEARCHED)
    except NotBuilt:
        return []


async def open_own_place(store: Store, uri: str, scope: Scope, where: ArtifactPlaces) -> ArtifactStorage:
    """The place, when it is not another store's."""
    place = await seal_place(store, scope, open_place(uri))
    if await asyncio.to_thread(read_own_claim, place, scope, where) not in (None, *where.claims):
        raise ConfigError(describe_foreign_claim(place, scope))
    return place


async def read_kept_names(store: Store, scope: Scope, documents: Iterable[str] | None = None) -> set[str]:
    """The names of the artifacts of all kept revisions, none where the collection was never made. With `documents` at
    least those of these."""
    try:
        if documents is not None:
            async with store.reader(scope) as reader:
                if isinstance(reader, Exporter):
                    kept = [one for each in documents for one in await _list_revisions(reader, each)]
                    return {artifact_name(scope, document) for document in kept}
        return {artifact_name(scope, document) for document in await store.ledger(scope).list_all_revisions()}
    except NotBuilt:
        return set()


async def _list_revisions(reader: Exporter, document: str) -> list[Document]:
    """The kept revisions of a document."""
    found, after = list[Document](), (document, 0)
    while page := await reader.list_revisions_after(after, limit=REVISIONS_AT_ONCE):
        found += [one.document for one in page if one.document.id == document]
        if page[-1].document.id != document:
            break
        after = (document, page[-1].document.revision)
    return found
