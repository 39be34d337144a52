"""A store with something of everything that can be kept, to be copied."""

import random
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ragstone.core.page_layout import Layout, Strip
from ragstone.core.ports import Store, StoredRevision, Writer
from ragstone.core.records import Run
from ragstone.core.types import Mode, Revision, Scope
from ragstone.engine.transfer import ALL_VERSIONS, CopyResult, CopyRoute, copy_collection
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores import open_store
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import as_exporter, make_revision

SCOPE = Scope("acme", "manuals")
BESIDE = Scope("acme", "žluť / notes")
EMBEDDER = BagOfWords(64)
WORDS = "pump valve filter seal motor gauge pipe tank sensor relay fuse cable".split()
TOMORROW = (datetime.now(UTC) + timedelta(days=1)).isoformat()
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic")
QUESTIONS = ["pump valve", "which relay has a fuse", "cable 7", "gauge of the tank"]


def some_text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(3, 12)))


def some_revision(number: int, revision: int = 1, scope: Scope = SCOPE) -> Revision:
    """The same for the same numbers; now and then a layout, a NUL, no chunk at all."""
    chance = random.Random(f"{number} {revision}")
    texts = [some_text(chance) for _ in range(0 if number % 9 == 8 else chance.randint(1, 5))]
    texts += ["a NUL \x00 in it"] * (number % 7 == 3)
    more: dict[str, Any] = {"heading_path": ("Top", f"{number}"), "metadata": {"n": number, "x": [1, 2.5, None]}}
    more |= {"secrets": ((0, 2, "key"),)} if texts and number % 5 == 1 else {}
    made = make_revision(
        f"{['a', 'b/c'][number % 2]}/{number}.md",
        texts,
        scope=scope,
        source=["docs", "wiki"][number % 3 == 0],
        revision=revision,
        meta={"tags": ["x"], "number": number},
        title=f"Title {number}",
        chunks=more,
        effective_at=TOMORROW if revision == 9 else None,
    )
    layout = Layout.from_strips([Strip(0, 2, 1, (10.0, 20.0, 40.0, 32.0), (10.0, 20.0, 30.0))])
    return replace(made, layout=layout) if number % 4 == 2 else made


async def embedded_all(writer: Writer) -> None:
    while wanted := await writer.find_unembedded(100):
        rows = await EMBEDDER.embed([chunk.text for chunk in wanted])
        await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, rows, strict=True)})


async def build(url: str, *, documents: int = 40) -> None:
    """Two collections: older revisions, one that waits, a run that ended and one that failed."""
    store = open_store(url, keep_versions=3)
    try:
        for scope, number in ((SCOPE, documents), (BESIDE, 3)):
            await store.admin.create(scope, model=EMBEDDER.model, variant=EMBEDDER.variant, dimension=64)
            ledger = store.ledger(scope)
            run = Run(f"first of {scope.collection}", "docs", "running", "2026-01-01T00:00:00", config={"root": "r"})
            await ledger.start(run)
            async with store.writer(scope) as writer:
                await writer.replace([some_revision(n, scope=scope) for n in range(number)])
                await embedded_all(writer)
                await writer.replace([some_revision(n, 2, scope) for n in range(0, number, 5)])
                await embedded_all(writer)
                await writer.replace([some_revision(n, 5, scope) for n in range(0, number, 10)])
                await writer.replace([some_revision(n, 9, scope) for n in range(0, number, 20)])
                await embedded_all(writer)
                await writer.settle()
            await ledger.finish(replace(run, status="succeeded", stats={"documents": {"added": number}}))
            failed = replace(run, id=f"second of {scope.collection}", source="wiki")
            await ledger.start(failed)
            await ledger.finish(replace(failed, status="failed", error="the disk was full"))
    finally:
        await store.close()


@asynccontextmanager
async def both(source: str, target: str) -> Any:
    """The two stores of a copy."""
    first, second = open_store(source, keep_versions=ALL_VERSIONS), open_store(target, keep_versions=ALL_VERSIONS)
    try:
        yield CopyRoute(first, second, "the first")
    finally:
        await first.close()
        await second.close()


async def carried(source: str, target: str, *scopes: Scope) -> list[CopyResult]:
    """Copy collections from one URL to another."""
    async with both(source, target) as way:
        return [await copy_collection(way, scope) for scope in scopes or (SCOPE, BESIDE)]


async def everything(store: Store, scope: Scope) -> list[tuple[StoredRevision, Revision]]:
    """All that a store keeps of a collection."""
    async with store.reader(scope) as reader:
        kept = await as_exporter(reader).list_revisions_after(None, limit=100_000)
        whole = await as_exporter(reader).revisions([one.document for one in kept])
    return list(zip(kept, whole, strict=True))


async def answers(store: Store, scope: Scope) -> list[list[Any]]:
    """What questions find: the first ten with their scores."""
    found: list[list[Any]] = []
    for text in QUESTIONS:
        for mode in MODES:
            hits = (await search(SearchContext.of_collection(store, scope, EMBEDDER), Question(text, mode=mode))).hits
            found.append([(hit.chunk.id, hit.score, dict(hit.signals), hit.chunk.text) for hit in hits])
    return found


async def told(url: str, scope: Scope) -> tuple[Any, ...]:
    """What a store says of a collection when it is opened as every user opens it."""
    store = open_store(url, keep_versions=3)
    try:
        runs = [run for run in await store.ledger(scope).runs(99) if run.source != "copy"]
        assert await store.admin.check(scope) == []
        return await everything(store, scope), await answers(store, scope), runs
    finally:
        await store.close()
