"""One collection's part of a place: where the artifacts of its revisions go, and whose it is.

Two stores may hold collections of one name, and each would take the other's artifacts for leftovers. So the first
run puts a claim there, a random word that every run of this store records; whose runs do not know it stays away.
"""

import asyncio
import json
import uuid
from dataclasses import dataclass, replace

from ragstone.core.errors import ConfigError, NotBuilt, Refused, StoreError
from ragstone.core.ports import ArtifactStorage, Store
from ragstone.core.records import Run
from ragstone.core.types import Document, Json, Scope
from ragstone.ingestion.artifacts.artifact_json import HEAD_BYTES, artifact_name, aside_marks, claim_name
from ragstone.ingestion.artifacts.place import open_place, seal_place

RUNS_SEARCHED = 1000  # how far back earlier places are looked for


@dataclass(frozen=True, slots=True)
class ArtifactPlaces:
    """Where a collection's artifacts may be (the configured place and those of earlier runs), and its claims."""

    places: tuple[str, ...]
    claims: tuple[str, ...] = ()


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
            if self.closed is None and read_claim(self.place, self.scope) != self.claim:
                about = {"tenant": self.scope.tenant, "collection": self.scope.collection, "claim": self.claim}
                data = json.dumps({"schema": 1, **about}).encode()
                self.place.put(claim_name(self.scope), data, mark=".".join(aside_marks(self.scope, "")))
        except StoreError as error:
            return replace(self, closed=str(error))
        return self

    def put(self, document: Document, data: bytes) -> None:
        """Keep an artifact, durable when it returns; raises `Refused`, so that the document fails and not the run."""
        mark = ".".join(aside_marks(self.scope, document.source))
        try:
            if self.closed is not None:
                raise StoreError(self.closed)
            self.place.put(artifact_name(self.scope, document), data, mark=mark)
        except StoreError as error:
            raise Refused("artifact", f"{document.path}: its artifact could not be kept: {error}") from error


async def open_artifact_store(store: Store, scope: Scope, uri: str) -> ArtifactStore:
    """The store at a place; raises `ConfigError` when another store has claimed it."""
    place = await seal_place(store, scope, open_place(uri))
    own = (await find_artifact_places(store, scope)).claims
    try:
        claim = await asyncio.to_thread(read_claim, place, scope)
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


def read_claim(place: ArtifactStorage, scope: Scope) -> str | None:
    """The claim that stands at a place, None where there is none."""
    head = place.head(claim_name(scope), HEAD_BYTES)
    try:
        return str(json.loads(head)["claim"]) if head else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""  # somebody's, we cannot tell whose


async def find_artifact_places(store: Store, scope: Scope, *, configured: str | None = None) -> ArtifactPlaces:
    """Taken from the collection's runs, never from documents: what these say is not ours. A collection that cannot
    be read has the configured place alone."""
    try:
        used = [run.config["artifacts"] for run in await list_runs(store, scope) if run.config.get("artifacts")]
    except StoreError:
        used = []
    places = [*([configured] if configured else []), *(str(one["place"]) for one in used)]
    return ArtifactPlaces(tuple(dict.fromkeys(places)), tuple(dict.fromkeys(str(one["claim"]) for one in used)))


async def list_runs(store: Store, scope: Scope) -> list[Run]:
    """The runs of a collection, none where it was never made."""
    try:
        return await store.ledger(scope).runs(RUNS_SEARCHED)
    except NotBuilt:
        return []
