"""Texts that mean something to a database are only ever texts, wherever a request can carry one."""

from pathlib import Path

import pytest

from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.engine import Engine
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import SCOPE, make_key, make_revision, search_texts, write_revisions
from tests.engine.test_foreign_tenants import ATTACKS, rows
from tests.stores.postgres.schema import SNAPSHOT, described
from tests.stores.postgres.server import ADMIN, Server

NAMES = [attack for attack in ATTACKS if attack.isprintable()]


TABLES = """SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'ragstone' AND column_name = 'tenant_id'"""
SAID = """SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM ragstone.{} t
    WHERE tenant_id = 'acme'"""


def of_acme(server: Server, database: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of the tenant that nobody here is."""
    return {str(row[0]): server.run(SAID.format(row[0]), database) for row in server.run(TABLES, database)}


async def test_names_of_all_kinds_change_nothing_beside_what_is_theirs(
    server: Server, database: str, tmp_path: Path
) -> None:
    store, key_store = PostgresStore(server.url(database)), PostgresStore(server.url(database, ADMIN))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    await key_store.keys.add(make_key("a1", tenant=SCOPE.tenant))
    before = of_acme(server, database)
    assert len(before) == 19
    for number, attack in enumerate(NAMES):
        file = tmp_path / str(number) / f"x{attack.replace('/', '_')}.md"
        file.parent.mkdir()
        text = f"---\ntitle: {attack!r}\ntags: [{attack!r}]\n---\n# {attack}\n\napple {attack}\n"
        file.write_text(text, encoding="utf-8")
        settings = Settings(store=server.url(database), tenant=attack, collection=attack)
        async with Engine(settings, embedder=BagOfWords()) as kb:
            await kb.ingest(file.parent, name=attack, version_label=attack)
            [document] = await kb.documents(attack)
            assert (document.source, document.path, document.version_label) == (attack, file.name, attack)
            assert {hit.chunk.document.path for hit in (await kb.search("apple")).hits} == {file.name}
            assert attack in (await kb.record(file.name, source=attack))[1]
            assert [info.scope.collection for info in await kb.collections()] == [attack]
            assert [run.source for run in await kb.runs()] == [attack]
        async with Engine(Settings(store=server.url(database, ADMIN), tenant=attack), embedder=BagOfWords()) as kb:
            assert (await kb.create_key(attack)).key.name == attack
            assert [key.name for key in await kb.keys()] == [attack]
    assert of_acme(server, database) == before
    assert await search_texts(store, "apple") == ["apple"]
    assert described(server.owner(database)) == SNAPSHOT.read_text(encoding="utf-8")
    for number, attack in enumerate(NAMES):  # and each can be erased alone
        async with Engine(Settings(store=server.url(database), tenant=attack), embedder=BagOfWords()) as kb:
            assert await kb.drop(attack)
        left = rows(server, database)
        assert left["tenants"][0][0] == 1 + len(NAMES)
        assert left["collections"][0][0] == len(NAMES) - number
    assert of_acme(server, database) == before
    await store.close()
    await key_store.close()


async def test_what_no_name_can_be_is_refused_before_the_database_hears_of_it(server: Server, database: str) -> None:
    before = rows(server, database)
    for odd in ("\0", "a\0b", "\x01", "\ud800", "x" * 121):
        for settings in (Settings(server.url(database), tenant=odd), Settings(server.url(database), collection=odd)):
            with pytest.raises(UsageError):
                await made(settings)
        async with Engine(Settings(server.url(database, ADMIN)), embedder=BagOfWords()) as kb:
            with pytest.raises(UsageError):
                await kb.create_key(odd)
    assert rows(server, database) == before


async def made(settings: Settings) -> None:
    """Make the collection that settings name."""
    async with Engine(settings, embedder=BagOfWords()) as kb:
        await kb.create()
