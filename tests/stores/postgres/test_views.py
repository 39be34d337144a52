"""Programs that know the tables by their required columns read the views of `ragstone_sql` with SQL of their own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests.docs.blocks import DOCS, blocks
from tests.stores.postgres.server import Server

COLUMNS = {
    "tenants": "tenant_id name embedding_model embedding_dim created_at",
    "documents": "doc_id tenant_id source_type source_uri title content_hash created_at",
    "document_versions": "doc_version_id tenant_id doc_id version_label effective_at is_active extracted_artifact_uri "
    "created_at",
    "chunks": "chunk_id tenant_id doc_version_id ordinal heading_path chunk_type text token_count metadata created_at",
    "chunk_embeddings": "chunk_id tenant_id embedding_model embedding created_at",
    "chunk_fts": "chunk_id tenant_id tsv",
    "ingestion_runs": "run_id tenant_id status started_at finished_at config stats error",
    "active_chunks_mv": "tenant_id chunk_id doc_id doc_version_id title version_label heading_path chunk_type text "
    "token_count metadata embedding tsv",
}
VECTORS = """SELECT c.chunk_id, c.text, d.title, 1 - (e.embedding <=> %(vector)s::vector) AS score
    FROM chunk_embeddings e
    JOIN chunks c ON c.chunk_id = e.chunk_id AND c.tenant_id = e.tenant_id
    JOIN document_versions v ON v.doc_version_id = c.doc_version_id AND v.tenant_id = c.tenant_id
    JOIN documents d ON d.doc_id = v.doc_id AND d.tenant_id = v.tenant_id
    WHERE e.tenant_id = %(tenant)s AND v.is_active = true
    ORDER BY e.embedding <=> %(vector)s::vector LIMIT 3"""
WORDS = """SELECT c.chunk_id, c.text, ts_rank_cd(f.tsv, q) AS score
    FROM chunk_fts f
    JOIN chunks c ON c.chunk_id = f.chunk_id AND c.tenant_id = f.tenant_id
    JOIN document_versions v ON v.doc_version_id = c.doc_version_id,
    websearch_to_tsquery('english', %(words)s) q
    WHERE f.tenant_id = %(tenant)s AND v.is_active = true AND f.tsv @@ q
    ORDER BY score DESC LIMIT 3"""
HOT = """SELECT chunk_id, title, text, embedding <=> %(vector)s::vector AS distance FROM active_chunks_mv
    WHERE tenant_id = %(tenant)s AND tsv @@ websearch_to_tsquery('english', %(words)s) ORDER BY distance LIMIT 3"""


@pytest.fixture
def kb(server: Server, database: str, docs: Path) -> Iterator[ragstone.Knowledge]:
    """The documents of one tenant, and a text of another."""
    with ragstone.open(server.url(database), embedder=BagOfWords(), tenant="rival") as rival:
        (docs.parent / "rival").mkdir()
        (docs.parent / "rival" / "r.txt").write_text("Rival samples are kept for 99 days.\n")
        rival.ingest(docs.parent / "rival")
    with ragstone.open(server.url(database), embedder=BagOfWords(), tenant="acme") as opened:
        opened.ingest(docs)
        (docs / "notes.txt").write_text("The release manager for version 3.2 is Robin.\n", encoding="utf-8")
        opened.ingest(docs)
        yield opened


def read(url: str, query: str, tenant: str | None = "acme", **given: Any) -> list[tuple[Any, ...]]:
    """The rows of a query, as another program reads them."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = ragstone_sql, public")
        if tenant is not None:
            connection.execute("SELECT set_config('ragstone.tenant', %s, false)", (tenant,))
        return connection.execute(query.encode(), {"tenant": tenant, **given}).fetchall()


def test_the_required_columns_come_first_and_by_name(server: Server, database: str, kb: ragstone.Knowledge) -> None:
    for view, columns in COLUMNS.items():
        found = server.run(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'ragstone_sql' "
            f"AND table_name = '{view}' ORDER BY ordinal_position",
            database,
        )
        assert [name for (name,) in found if name != "collection"] == columns.split()
    assert len(COLUMNS["active_chunks_mv"].split()) == 13


def test_sql_of_others_finds_what_a_search_finds(server: Server, database: str, kb: ragstone.Knowledge) -> None:
    url = server.url(database)
    question = "release manager"
    vector = str(embed(question))
    best = kb.search(question, mode="semantic", top_k=1).hits[0].chunk
    assert read(url, VECTORS, vector=vector)[0][:2] == (best.id, best.text)
    words = kb.search(question, mode="keyword", top_k=1).hits[0].chunk
    assert read(url, WORDS, words=question)[0][:2] == (words.id, words.text)
    assert read(url, HOT, vector=vector, words="retention samples")[0][1] == "Storage"
    assert len(read(url, "SELECT * FROM active_chunks_mv")) == kb.info().chunks
    assert read(url, "SELECT count(*) FROM active_chunks_mv WHERE embedding IS NULL") == [(0,)]
    assert {status for (status,) in read(url, "SELECT status FROM ingestion_runs")} == {"succeeded"}


def test_the_page_s_statements_give_rows_as_they_are(server: Server, database: str, docs: Path) -> None:
    with ragstone.open(server.url(database), embedder=BagOfWords()) as opened:
        opened.ingest(docs)
    [block] = [block for block in blocks(DOCS / "how-to" / "stores.md") if block.language == "sql"]
    *settings, select = block.text.strip().rstrip(";").split(";\n")
    vector = "'" + str(embed("release manager")) + "'"
    with psycopg.connect(server.url(database)) as connection:
        for statement in settings:
            connection.execute(statement.encode())
        assert connection.execute(select.replace("$1", vector).encode()).fetchall()


@pytest.mark.parametrize("view", COLUMNS)
def test_every_view_shows_one_tenant(server: Server, database: str, kb: ragstone.Knowledge, view: str) -> None:
    for url in (server.url(database), server.owner(database)):
        query = f"SELECT DISTINCT tenant_id FROM {view}"
        assert read(url, query) == [("acme",)]
        assert read(url, query, "rival") == [("rival",)]
        assert read(url, query, None) == []
    assert read(server.superuser.rpartition("/")[0] + f"/{database}", f"SELECT DISTINCT tenant_id FROM {view}") == [
        ("acme",)
    ]


def embed(text: str) -> list[float]:
    return [float(x) for x in asyncio.run(BagOfWords().embed([text], kind="query"))[0]]
