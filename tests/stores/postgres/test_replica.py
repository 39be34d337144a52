"""A standby that lags shows an older whole state; who writes finds the primary, before and after it changes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from ragstone.core.errors import StoreError
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import (
    EVERYTHING,
    SCOPE,
    fill_vectors,
    make_revision,
    make_vector,
    search_texts,
    write_revisions,
)
from tests.patience import until
from tests.stores.postgres.server import Server


@pytest.fixture(scope="module")
def primary(server: Server) -> Server:
    if server.process is None:
        pytest.skip("the server is not ours to copy")
    return server


@pytest.fixture(scope="module")
def standby(primary: Server) -> Iterator[Server]:
    with primary.standby() as following:
        yield following


def several(primary: Server, standby: Server, database: str, wanted: str) -> str:
    """One URL of both servers, the primary first."""
    url = primary.url(database, target_session_attrs=wanted)
    first, second = urlsplit(primary.superuser).port, urlsplit(standby.superuser).port
    return url.replace(f"@127.0.0.1:{first}/", f"@127.0.0.1:{first},127.0.0.1:{second}/")


def caught_up(primary: Server, standby: Server) -> None:
    """Wait until the standby has replayed all that the primary has written."""
    [(written_to,)] = primary.run("SELECT pg_current_wal_lsn()")
    until(lambda: standby.run(f"SELECT pg_last_wal_replay_lsn() < '{written_to}'") == [(False,)])


async def test_a_standby_that_lags_shows_an_older_whole_state(primary: Server, standby: Server, database: str) -> None:
    writer = PostgresStore(several(primary, standby, database, "primary"))
    reader = PostgresStore(several(primary, standby, database, "standby"))
    await write_revisions(writer, *(make_revision(f"{n}.md", [f"apple old {n}", "apple pie"]) for n in range(3)))
    caught_up(primary, standby)
    assert len(await search_texts(reader, "apple")) == 6
    standby.run("SELECT pg_wal_replay_pause()")
    async with writer.writer(SCOPE) as writing:
        await writing.replace([make_revision("0.md", ["apple new"], revision=2)])
        await writing.remove([make_revision("1.md", [""]).document.id])
        await fill_vectors(writing)
        await writing.settle()
    assert sorted(await search_texts(writer, "apple")) == ["apple new", "apple old 2", "apple pie"]
    async with reader.reader(SCOPE) as old:
        info = await old.info()
        words = await old.matching("apple", where=EVERYTHING, limit=99)
        near = await old.nearest(make_vector("apple old 0"), where=EVERYTHING, limit=99)
        chunks = await old.chunks([candidate.id for candidate in words])
        assert (info.documents, info.chunks, info.pending_vectors) == (3, 6, 0)
        assert {c.id for c in words} == {c.id for c in near}
        assert sorted(chunk.text for chunk in chunks) == sorted(
            [*(f"apple old {n}" for n in range(3)), *["apple pie"] * 3]
        )
        records = await old.records([chunk.document for chunk in chunks])
        assert all(chunk.text in records[chunk.document.id] for chunk in chunks)
    standby.run("SELECT pg_wal_replay_resume()")
    caught_up(primary, standby)
    assert await search_texts(reader, "apple") == await search_texts(writer, "apple")
    assert await reader.admin.check(SCOPE) == []
    await writer.close()
    await reader.close()


async def test_a_standby_is_not_written_to_and_a_due_version_waits_there(
    primary: Server, standby: Server, database: str
) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    writer = PostgresStore(primary.url(database), now=lambda: clock[0])
    await write_revisions(writer, make_revision("a.md", ["apple"]))
    await write_revisions(writer, make_revision("a.md", ["apple later"], revision=2, effective_at="2026-02-01"))
    caught_up(primary, standby)
    reader = PostgresStore(several(primary, standby, database, "standby"), now=lambda: clock[0])
    with pytest.raises(StoreError, match=r"may only be read .*target_session_attrs=primary"):
        await write_revisions(reader, make_revision("b.md", ["apple"]))
    clock[0] = datetime(2026, 3, 1, tzinfo=UTC)
    assert await search_texts(reader, "apple") == ["apple"]  # the standby cannot activate it
    assert await search_texts(writer, "apple") == ["apple later"]
    caught_up(primary, standby)
    assert await search_texts(reader, "apple") == ["apple later"]
    await writer.close()
    await reader.close()


async def test_when_the_primary_is_gone_its_standby_answers_and_takes_over(primary: Server, database: str) -> None:
    with primary.standby() as heir:
        writer = PostgresStore(several(primary, heir, database, "primary"))
        reader = PostgresStore(several(primary, heir, database, "prefer-standby"))
        await write_revisions(writer, make_revision("a.md", ["apple"]))
        caught_up(primary, heir)
        assert await search_texts(reader, "apple") == ["apple"]
        primary.stop()
        try:
            assert await search_texts(reader, "apple") == ["apple"]
            heir.run("SELECT pg_promote()")
            async with writer.writer(SCOPE) as writing:  # the same store, its connections now lead elsewhere
                await writing.replace([make_revision("a.md", ["apple after"], revision=2)])
                await fill_vectors(writing)
            assert await search_texts(writer, "apple") == ["apple after"]
            assert await writer.admin.check(SCOPE) == []
            await writer.close()
            await reader.close()
        finally:
            primary.start()
