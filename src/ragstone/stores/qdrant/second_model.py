"""A second model beside the active one: its points stand in a collection of Qdrant of their own.

Which model is the active one is the ledger's to say. The points of the second are brought to what the ledger says when
it is filled or looked at; until then what they lack, or have too much, is seen through as ever.
"""

from collections.abc import Mapping
from dataclasses import replace

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import CollectionModel, ReembeddingStore, Store, Vectors, Writer
from ragstone.core.records import Info
from ragstone.core.types import Chunk, Scope
from ragstone.stores.collection_errors import no_second_model_error
from ragstone.stores.qdrant.points import ACTIVE, field_equals
from ragstone.stores.qdrant.reconciliation import Reconciler
from ragstone.stores.qdrant.scope_points import ScopePoints


def require_reembedding(ledger: Store) -> ReembeddingStore:
    """The ledger, which says of two models; raises `UsageError` for one that cannot."""
    if not isinstance(ledger, ReembeddingStore):
        raise UsageError(f"a ledger of kind {ledger.provider!r} supports one model only")
    return ledger


async def read_second_info(ledger: Store, scope: Scope, info: Info) -> Info:
    """The state of a ledger's collection as if the second model were the active one."""
    held = await require_reembedding(ledger).models(scope)
    if len(held) < 2:
        raise no_second_model_error(scope)
    return replace(info, model=held[1].model, variant=held[1].variant, dimension=held[1].dimension)


async def mend_points(reconciler: Reconciler) -> None:
    """Bring the points to what the ledger says: every one is looked at, since a count would not tell."""
    await reconciler.repair(await reconciler.survey())


async def count_missing(remote: ScopePoints, wanting: int) -> int:
    """How many of the chunks that want a vector have none, once the points are repaired."""
    return max(0, wanting - await remote.count(ACTIVE, remote.space.has_dense, without=[field_equals("key", "")]))


def replace_pending(held: CollectionModel, pending: int) -> CollectionModel:
    """The model with the number of vectors that Qdrant lacks: the ledger has no vectors at all."""
    state = held.state if held.state in ("active", "kept") else "filling" if pending else "ready"
    return replace(held, state=state, pending=pending)


class QdrantFiller:
    """Writes the vectors of a second model; implements `Filler`. `inner` writes to the second model's points, `held`
    says which it is."""

    def __init__(self, inner: Writer, ledger: Store, scope: Scope, held: CollectionModel) -> None:
        self._inner = inner
        self._ledger = ledger
        self._scope = scope
        self._held = (held.model, held.variant, held.dimension)

    async def find_unembedded(self, limit: int) -> list[Chunk]:
        return await self._inner.find_unembedded(limit)

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        models = await require_reembedding(self._ledger).models(self._scope)
        if [(one.model, one.variant, one.dimension) for one in models[1:]] != [self._held]:
            raise StoreError("the second model is another one by now; nothing was written")
        await self._inner.put(vectors)

    async def settle(self) -> None:
        await self._inner.settle()
