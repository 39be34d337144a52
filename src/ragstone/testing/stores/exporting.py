"""The contract of a store with `export`: it gives out everything it keeps, from one view."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from ragstone.core.page_layout import Layout, Strip
from ragstone.core.ports import Store, StoredRevision
from ragstone.testing.stores.actions import as_exporter, require_capabilities, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import OTHER, SCOPE, make_revision, make_vector, make_vector_key


def _revision_key(one: StoredRevision) -> tuple[str, int]:
    return one.document.id, one.document.revision


class ExportContract(StoreFixtures):
    """All that is kept, given out."""

    async def test_every_kept_revision_is_given_out_whole_with_what_it_is(self, store: Store) -> None:
        require_capabilities(store, "versions", "export")
        layout = Layout.from_strips([Strip(0, 3, 1, (10.0, 20.0, 40.0, 32.0), (10.0, 20.0, 30.0, 40.0))])
        more = {"heading_path": ("Top",), "metadata": {"n": 1}, "secrets": ((0, 3, "key"),), "header": "| a |"}
        old = [replace(make_revision("a.md", [f"one {n}", "two \x00"], revision=n), layout=layout) for n in (1, 2)]
        now = make_revision("a.md", ["three", "four"], revision=3, meta={"tags": ["t"]}, chunks=more)
        waits = make_revision("a.md", ["five"], revision=4, effective_at="2026-02-01", title="T")
        beside = make_revision("b.md", [])
        async with self.open_empty_store(keep_versions=2, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            for revision in (*old, now, waits, beside):
                await write_revisions(keeping, revision)
            await write_revisions(keeping, make_revision("a.md", ["theirs"], scope=OTHER), scope=OTHER)
            async with keeping.reader(SCOPE) as reader:
                view = as_exporter(reader)
                statuses = {2: "kept", 3: "active", 4: "pending"}
                kept = [StoredRevision(one.document, statuses[one.document.revision]) for one in (old[1], now, waits)]  # type: ignore[arg-type]  # literals
                wanted = sorted([*kept, StoredRevision(beside.document, "active")], key=_revision_key)
                assert await view.list_revisions_after(None, limit=99) == wanted
                assert await view.list_revisions_after(None, limit=2) == wanted[:2]
                assert await view.list_revisions_after(_revision_key(wanted[1]), limit=1) == wanted[2:3]
                assert await view.list_revisions_after(_revision_key(wanted[-1]), limit=9) == []
                asked = [waits, old[1], beside, now]
                assert await view.revisions([one.document for one in asked]) == asked
                assert await view.revisions([old[0].document, now.document]) == [now]

    async def test_what_is_given_out_is_of_one_view(self, store: Store) -> None:
        require_capabilities(store, "snapshot", "export")
        first = make_revision("a.md", ["one"])
        await write_revisions(store, first)
        async with store.reader(SCOPE) as reader:
            view = as_exporter(reader)
            await write_revisions(store, make_revision("a.md", ["two"], revision=2), make_revision("b.md", ["three"]))
            assert [one.document for one in await view.list_revisions_after(None, limit=9)] == [first.document]
            assert await view.revisions([first.document]) == [first]

    async def test_vectors_are_given_out_by_their_keys(self, store: Store) -> None:
        require_capabilities(store, "dense", "export")
        await write_revisions(store, make_revision("a.md", ["one", "two"]))
        await write_revisions(store, make_revision("b.md", ["three"]), vectors=False)
        async with store.reader(SCOPE) as reader:
            keys = [make_vector_key(text) for text in ("two", "one", "three", "four")]
            found = await as_exporter(reader).vectors([*keys, "no key at all"])
            assert set(found) == {make_vector_key("one"), make_vector_key("two")}
            for text in ("one", "two"):
                assert found[make_vector_key(text)].dtype == np.float32
                assert np.allclose(found[make_vector_key(text)], make_vector(text), atol=1e-6)
