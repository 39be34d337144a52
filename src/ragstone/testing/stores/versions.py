"""The contract of a store with `versions`: several revisions, of which one is active on its day."""

from datetime import UTC, datetime

import pytest

from ragstone.core.errors import NotBuilt, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.testing.stores.actions import fill_vectors, require_capabilities, search_texts, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import SCOPE, make_revision, make_vector


class VersionContract(StoreFixtures):
    """Revisions beside each other."""

    async def test_a_future_effective_date_waits_for_its_day(self, store: Store) -> None:
        require_capabilities(store, "versions")
        clock = [datetime(2026, 1, 1, tzinfo=UTC)]
        async with self.open_empty_store(now=lambda: clock[0]) as dated:
            await write_revisions(dated, make_revision("a.md", ["apple now"]))
            later = make_revision("a.md", ["apple later"], revision=2, effective_at="2026-02-01")
            await write_revisions(dated, later)
            assert await search_texts(dated, "apple") == ["apple now"]
            assert [d.revision for d in await dated.ledger(SCOPE).documents()] == [2]
            clock[0] = datetime(2026, 2, 1, tzinfo=UTC)
            assert await search_texts(dated, "apple") == ["apple later"]
            async with dated.reader(SCOPE) as reader:
                assert await reader.records([later.document]) == {later.document.id: later.record}
                assert (await reader.info()).documents == 1
            assert await dated.admin.check(SCOPE) == []

    async def test_every_revision_that_is_there_is_listed(self, store: Store) -> None:
        require_capabilities(store, "versions")
        async with self.open_empty_store(keep_versions=2, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            first = [make_revision(path, ["apple"]) for path in ("b.md", "a.md")]
            newer = [make_revision("a.md", ["apple"], revision=number) for number in (2, 3)]
            for revision in (*first, *newer):
                await write_revisions(keeping, revision)
            kept = [first[0].document, *(revision.document for revision in newer)]
            assert await keeping.ledger(SCOPE).list_all_revisions() == sorted(kept, key=lambda d: (d.id, d.revision))
        with pytest.raises(NotBuilt):
            await store.ledger(Scope("nobody", "nothing")).list_all_revisions()

    async def test_a_first_revision_with_a_future_date_is_not_found_yet(self, store: Store) -> None:
        require_capabilities(store, "versions")
        now = datetime(2026, 1, 1, tzinfo=UTC)
        async with self.open_empty_store(now=lambda: now) as dated:
            await write_revisions(dated, make_revision("a.md", ["apple"], effective_at="2026-01-01T00:00:01+00:00"))
            await write_revisions(dated, make_revision("b.md", ["apple b"], effective_at="2025-12-31"))
            assert await search_texts(dated, "apple") == ["apple b"]

    async def test_a_newer_revision_overtakes_one_that_waits(self, store: Store) -> None:
        require_capabilities(store, "versions")
        now = datetime(2026, 1, 1, tzinfo=UTC)
        async with self.open_empty_store(now=lambda: now) as dated:
            await write_revisions(dated, make_revision("a.md", ["apple waits"], effective_at="2026-06-01"))
            await write_revisions(dated, make_revision("a.md", ["apple now"], revision=2))
            now = datetime(2026, 7, 1, tzinfo=UTC)
            assert await search_texts(dated, "apple") == ["apple now"]

    async def test_as_many_versions_stay_as_asked_for(self, store: Store) -> None:
        require_capabilities(store, "versions")
        states = [make_revision("a.md", [f"apple {n}"], revision=n) for n in range(1, 5)]
        async with self.open_empty_store(keep_versions=2, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            for state in states:
                await write_revisions(keeping, state)
            async with keeping.reader(SCOPE) as reader:
                records = [list((await reader.records([state.document])).values()) for state in states]
            assert records == [[], [], ["apple 3"], ["apple 4"]]
            assert await search_texts(keeping, "apple") == ["apple 4"]
            assert await keeping.admin.check(SCOPE) == []

    async def test_an_effective_date_that_is_none_is_the_callers_mistake(self, store: Store) -> None:
        require_capabilities(store, "versions")
        with pytest.raises(UsageError, match="effective_at 'soon'"):
            await write_revisions(store, make_revision("a.md", ["apple"], effective_at="soon"))

    async def test_renewed_documents_have_exactly_the_revisions_that_were_given(self, store: Store) -> None:
        require_capabilities(store, "versions")
        old = make_revision("a.md", ["apple 5", "same"], revision=5)
        states = [make_revision("a.md", [f"apple {n}", "same"], revision=n) for n in (2, 3)]
        async with self.open_empty_store(keep_versions=9, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as keeping:
            await write_revisions(keeping, make_revision("b.md", ["banana"]), old)
            async with keeping.writer(SCOPE) as writer:
                async with keeping.reader(SCOPE) as open_before:
                    await writer.renew([*states, make_revision("c.md", ["cherry"])])
                    assert await open_before.records([old.document]) == {old.document.id: old.record}
                if "dense" in keeping.capabilities:
                    await fill_vectors(writer)
                await writer.settle()
            kept = await keeping.ledger(SCOPE).list_all_revisions()
            assert sorted((d.path, d.revision) for d in kept) == [("a.md", 2), ("a.md", 3), ("b.md", 1), ("c.md", 1)]
            assert await search_texts(keeping, "apple") == ["apple 3"]
            assert sorted(await search_texts(keeping, "cherry banana")) == ["banana", "cherry"]
            assert await keeping.admin.check(SCOPE) == []
            if "dense" in keeping.capabilities:
                async with keeping.reader(SCOPE) as reader:
                    near = await reader.nearest(make_vector("apple 3"), where=Where(), limit=9)
                assert (len(near), near[0].id) == (4, states[1].chunks[0].id)
