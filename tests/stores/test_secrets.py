"""Stores keep which secrets touch a chunk; what was stored without that is read as none known."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.core.ports import Store
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.chunk_rows import decode_chunk, encode_chunk
from ragstone.stores.encoding import encode_value
from ragstone.stores.jsonfile import JsonStore
from ragstone.testing.stores import SCOPE, make_revision, write_revisions

SECRETS = ((2, 9, "password"), (12, 40, "private_key"))


@pytest.fixture(params=["embedded", "json"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    made: Store = EmbeddedStore(tmp_path / "store") if request.param == "embedded" else JsonStore(tmp_path / "i.json")
    yield made
    await made.close()


async def test_secrets_come_back_as_they_were(store: Store) -> None:
    await write_revisions(store, make_revision("a.md", ["a first text", "another one"], chunks={"secrets": SECRETS}))
    async with store.reader(SCOPE) as reader:
        chunks = [await reader.at("a.md", ordinal) for ordinal in range(2)]
    assert [chunk.secrets for chunk in chunks if chunk] == [SECRETS, SECRETS]


async def test_a_json_file_of_an_earlier_version_knows_of_none(tmp_path: Path) -> None:
    file = tmp_path / "i.json"
    old = JsonStore(file)
    await write_revisions(old, make_revision("a.md", ["apple"]))
    await old.close()
    data = json.loads(file.read_text("utf-8"))
    for chunk in data["collections"][0]["revisions"][0]["chunks"]:
        del chunk["secrets"]
    file.write_text(json.dumps(data), "utf-8")
    new = JsonStore(file)
    async with new.reader(SCOPE) as reader:
        chunk = await reader.at("a.md", 0)
    await new.close()
    assert chunk is not None
    assert chunk.secrets == ()


def test_a_row_of_an_earlier_version_knows_of_none() -> None:
    [chunk] = make_revision("a.md", ["apple"], chunks={"secrets": SECRETS}).chunks
    facts, body = encode_chunk(chunk)
    data = json.loads(body)
    assert data.pop("secrets") == [list(secret) for secret in SECRETS]
    document = encode_value(chunk.document, place="a.md")
    row = (chunk.id, chunk.ordinal, chunk.vector_key, facts, json.dumps(data).encode(), document)
    assert decode_chunk(row).secrets == ()
