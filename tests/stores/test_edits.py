"""Whatever happened to a store, it answers as a fresh one with the same documents would."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.core.types import Revision
from ragstone.stores.embedded import EmbeddedStore, compaction, mirror
from ragstone.testing.stores import SCOPE, create_collection, fill_vectors, make_revision, make_vector, write_revisions

WORDS = "red green blue apple pear plum house river".split()
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), max_size=4)
PATHS = st.sampled_from(["a.md", "b.md", "c/d.md"])
WRITE = st.tuples(st.just("write"), st.lists(st.tuples(PATHS, TEXTS), min_size=1, max_size=3))
REMOVE = st.tuples(st.just("remove"), PATHS)
RENAME = st.tuples(st.just("rename"), PATHS, PATHS)
OTHERS = st.sampled_from([("put",), ("settle",), ("reopen",), ("read",)])
STEPS = st.lists(st.one_of(WRITE, WRITE, REMOVE, RENAME, OTHERS), max_size=12)


class History:
    """A store that lives through steps, a second one that only looks on, and what should be there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store: Store = EmbeddedStore(root)
        self.witness: Store = EmbeddedStore(root)
        self.documents: dict[str, Sequence[str]] = {}
        self.revision = 0

    async def live(self, step: tuple[Any, ...]) -> None:
        async with self.store.writer(SCOPE) as writer:
            match step:
                case ("write", pairs):
                    await writer.replace([self._next(path, texts) for path, texts in pairs])
                case ("remove", path):
                    await writer.remove([make_revision(path, []).document.id])
                    self.documents.pop(path, None)
                case ("rename", old, new) if old in self.documents and new != old:
                    texts = self.documents.pop(old)
                    await writer.remove([make_revision(old, []).document.id])
                    await writer.replace([self._next(new, texts)])
                case ("put",):
                    await fill_vectors(writer)
                case ("settle",):
                    await writer.settle()
        if step == ("reopen",):
            await self.store.close()
            self.store = EmbeddedStore(self.root)
        if step == ("read",):
            await answers(self.witness)

    def _next(self, path: str, texts: Sequence[str]) -> Revision:
        self.revision += 1
        self.documents[path] = texts
        return make_revision(path, texts, revision=self.revision)


async def answers(store: Store) -> tuple[Any, ...]:
    """What a store says to a few questions, with scores and order."""
    async with store.reader(SCOPE) as reader:
        found: list[Any] = [
            await reader.matching(q, where=Where(), limit=n) for q in ("red apple", "river") for n in (2, 99)
        ]
        found += [await reader.nearest(make_vector(q), where=Where(), limit=n) for q in "xy" for n in (2, 99)]
        found += [await reader.matching("red pear", where=Where(paths=("c/**",)), limit=9), await reader.idf("red x")]
        info = await reader.info()
        return (*found, info.state, info.documents, info.chunks, info.pending_vectors)


@pytest.mark.parametrize(("tail", "few"), [(mirror.TAIL_MIN, compaction.MIN_DEAD_ROWS), (0, 2)])
@settings(max_examples=30, deadline=None)
@given(steps=STEPS)
def test_any_sequence_of_edits_ends_in_the_answers_of_a_fresh_store(
    tail: int, few: int, steps: list[tuple[Any, ...]]
) -> None:
    async def lived() -> None:
        with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
            patch.setattr(mirror, "TAIL_MIN", tail)
            patch.setattr(compaction, "MIN_DEAD_ROWS", few)
            history = History(Path(directory) / "lived")
            await create_collection(history.store)
            for step in (*steps, ("put",)):
                await history.live(step)
            fresh = EmbeddedStore(Path(directory) / "fresh")
            await write_revisions(fresh, *(make_revision(path, texts) for path, texts in history.documents.items()))
            wanted = await answers(fresh)
            assert await answers(history.store) == wanted
            assert await answers(history.witness) == wanted
            assert await history.store.admin.check(SCOPE) == []
            for store in (history.store, history.witness, fresh):
                await store.close()

    asyncio.run(lived())
