"""Batches of chunks that want a vector begin where the last one began, also where the engine rounds that moment."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt
from ragstone.core.types import Scope
from ragstone.stores import open_store
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.qdrant import QdrantStore, parse_qdrant_url
from ragstone.testing.stores import SCOPE, create_collection, make_revision, write_revisions
from ragstone.testing.stores.samples import make_vector
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder, serving

SECOND = Scope(SCOPE.tenant, "second")
MOMENT = datetime(2026, 1, 1, 12, 0, 5, 6785, tzinfo=UTC)  # a tick later is what the engine reads back as still later


async def test_a_moment_that_is_read_back_later_leaves_no_chunk_out(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine")
    with serving(recorder=Recorder(inner=engine)) as server:
        ledger = EmbeddedStore(tmp_path / "ledger", now=lambda: MOMENT)
        store = QdrantStore(parse_qdrant_url(server.url(tmp_path)), ledger, now=lambda: MOMENT)
        await write_revisions(store, make_revision("a.md", ["apple", "pear", "plum", "quince"]), vectors=False)
        async with store.writer(SCOPE) as writer:
            [apple] = await writer.find_unembedded(1)
            await writer.put({apple.vector_key: make_vector("apple")})
            batches = [[chunk.text for chunk in await writer.find_unembedded(1)] for _ in range(3)]
        assert (apple.text, batches) == ("apple", [["pear"]] * 3)
        await store.close()
    engine.close()


async def test_a_lent_vector_that_does_not_arrive_ends_the_run(either: Recorder, tmp_path: Path) -> None:
    store = open_store(either.url(tmp_path / "ledger"))
    await create_collection(store)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["apple"])])
    await create_collection(store, SECOND)
    async with store.writer(SECOND) as writer:
        await writer.replace([make_revision("b.md", ["apple"], scope=SECOND)])
        [chunk] = await writer.find_unembedded(5)
        await writer.put({chunk.vector_key: make_vector("apple")})
    either.inner.update_vectors = lambda *_: None  # a damaged index: what is written is not found
    async with store.writer(SCOPE) as writer:
        with pytest.raises(Corrupt, match=r"a\.md#0 was written .* does not find it; run: ragstone doctor --repair"):
            await writer.find_unembedded(5)
    await store.close()
