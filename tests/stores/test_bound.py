"""Two encrypted collections of one tenant have the same key: their files are bound to their places."""

from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt
from ragstone.core.filters import Where
from ragstone.core.types import Scope
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.stores import SCOPE, make_revision, make_vector, search_texts, write_revisions
from tests.stores.victim import MASTER

MORE = Scope(SCOPE.tenant, "more")


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    """Two encrypted collections, alike but for their words."""
    store = EmbeddedStore(tmp_path, master=MASTER)
    for scope, texts in ((SCOPE, ["apple", "fig"]), (MORE, ["plum", "date"])):
        await write_revisions(store, make_revision("a.md", texts, scope=scope), scope=scope)
        async with store.writer(scope) as writer:
            await writer.settle()
    await store.close()
    return tmp_path


def exchange(root: Path, part: str = "") -> None:
    """The files of this name, or the whole folders."""
    one, other = (files_of_scope(root, scope).directory for scope in (SCOPE, MORE))
    pairs = [(one, other)] if not part else [(one / path.name, other / path.name) for path in one.glob(part)]
    assert pairs
    for here, there in pairs:
        here.rename(root / "aside")
        there.rename(here)
        (root / "aside").rename(there)


@pytest.mark.parametrize("part", ["", "collection.sqlite"])
async def test_exchanged_collections_are_refused(root: Path, part: str) -> None:
    exchange(root, part)
    store = EmbeddedStore(root, master=MASTER)
    for attempt in (
        search_texts(store, "plum"),
        store.admin.check(SCOPE),
        store.admin.create(SCOPE, model=None, variant=None, dimension=None),
    ):
        with pytest.raises(Corrupt, match="holds the files of collection 'more', not of 'notes': they were exchanged"):
            await attempt
    await store.close()
    exchange(root, part)
    store = EmbeddedStore(root, master=MASTER)
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


async def test_an_exchanged_index_is_made_anew_and_exchanged_vectors_are_damage(root: Path) -> None:
    exchange(root, "index-*.bin")
    store = EmbeddedStore(root, master=MASTER)
    assert await search_texts(store, "apple") == ["apple"]
    assert await search_texts(store, "plum", MORE) == ["plum"]
    await store.close()
    exchange(root, "vectors-*.f32")
    store = EmbeddedStore(root, master=MASTER)
    async with store.reader(SCOPE) as reader:
        with pytest.raises(Corrupt, match="rows do not match their checksum"):
            await reader.nearest(make_vector("apple"), where=Where(), limit=1)
    await store.close()
