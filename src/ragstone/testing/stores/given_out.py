"""What a store with `export` promises: all that is kept is given out, of one view."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from ragstone.core.page_layout import Layout, Strip
from ragstone.core.ports import Kept, Store
from ragstone.testing.stores.acts import giving, needs, written
from ragstone.testing.stores.given import Given
from ragstone.testing.stores.made import OTHER, SCOPE, key_of, make_revision, vector_of


def _order(one: Kept) -> tuple[str, int]:
    return one.document.id, one.document.revision


class GivenOut(Given):
    """All that is kept, given out."""

    async def test_every_kept_revision_is_given_out_whole_with_what_it_is(self, store: Store) -> None:
        needs(store, "versions", "export")
        layout = Layout.of([Strip(0, 3, 1, (10.0, 20.0, 40.0, 32.0), (10.0, 20.0, 30.0, 40.0))])
        more = {"heading_path": ("Top",), "metadata": {"n": 1}, "secrets": ((0, 3, "key"),), "header": "| a |"}
        old = [replace(make_revision("a.md", [f"one {n}", "two \x00"], revision=n), layout=layout) for n in (1, 2)]
        now = make_revision("a.md", ["three", "four"], revision=3, meta={"tags": ["t"]}, chunks=more)
        waits = make_revision("a.md", ["five"], revision=4, effective_at="2026-02-01", title="T")
        beside = make_revision("b.md", [])
        async with self.another(keep_versions=2, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            for revision in (*old, now, waits, beside):
                await written(keeping, revision)
            await written(keeping, make_revision("a.md", ["theirs"], scope=OTHER), scope=OTHER)
            async with keeping.reader(SCOPE) as reader:
                view = giving(reader)
                statuses = {2: "kept", 3: "active", 4: "pending"}
                kept = [Kept(one.document, statuses[one.document.revision]) for one in (old[1], now, waits)]  # type: ignore[arg-type]  # literals
                wanted = sorted([*kept, Kept(beside.document, "active")], key=_order)
                assert await view.kept(None, limit=99) == wanted
                assert await view.kept(None, limit=2) == wanted[:2]
                assert await view.kept(_order(wanted[1]), limit=1) == wanted[2:3]
                assert await view.kept(_order(wanted[-1]), limit=9) == []
                asked = [waits, old[1], beside, now]
                assert await view.revisions([one.document for one in asked]) == asked
                assert await view.revisions([old[0].document, now.document]) == [now]

    async def test_what_is_given_out_is_of_one_view(self, store: Store) -> None:
        needs(store, "snapshot", "export")
        first = make_revision("a.md", ["one"])
        await written(store, first)
        async with store.reader(SCOPE) as reader:
            view = giving(reader)
            await written(store, make_revision("a.md", ["two"], revision=2), make_revision("b.md", ["three"]))
            assert [one.document for one in await view.kept(None, limit=9)] == [first.document]
            assert await view.revisions([first.document]) == [first]

    async def test_vectors_are_given_out_by_their_keys(self, store: Store) -> None:
        needs(store, "dense", "export")
        await written(store, make_revision("a.md", ["one", "two"]))
        await written(store, make_revision("b.md", ["three"]), vectors=False)
        async with store.reader(SCOPE) as reader:
            keys = [key_of(text) for text in ("two", "one", "three", "four")]
            found = await giving(reader).vectors([*keys, "no key at all"])
            assert set(found) == {key_of("one"), key_of("two")}
            for text in ("one", "two"):
                assert found[key_of(text)].dtype == np.float32
                assert np.allclose(found[key_of(text)], vector_of(text), atol=1e-6)
