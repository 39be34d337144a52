"""The preset `tables` against its specification over a real PostgreSQL, by the headings of that document."""

import asyncio
import json
import math
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest

from ragstone.providers import make_embedder
from tests.presets.place import Place
from tests.server.conftest import open_client
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import PASSWORD, Server

__all__ = ["server"]
READER = "ragstone_test_tables"
QUESTION = "How long are samples of water kept?"
ROWS = (
    "Samples of water are kept for 15 days by default.",
    "The harbour crane is painted green each spring.",
    "Employees book trains before flights. A hotel may cost 140 euros a night.",
    "The button component has a label and an icon.",
)
# As the specification has it, with the dimension of the model that stands in.
TABLE = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE documents (id SERIAL PRIMARY KEY, content TEXT NOT NULL, embedding vector(384));
CREATE INDEX ON documents USING ivfflat (embedding vector_cosine_ops) WITH (lists = 1);
"""


@pytest.fixture(scope="module")
def place(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, str]]:
    """A folder in which the preset is in force, and the URL of a database for a role that may only read."""
    if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'"):
        server.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    with server.database(None) as name:
        _fill(urlsplit(server.superuser)._replace(path=f"/{name}").geturl())
        yield Place(tmp_path_factory.mktemp("tables"), "tables"), server.url(name, READER)


def _fill(url: str) -> None:
    embedder = make_embedder("minilm")
    vectors = asyncio.run(embedder.embed(ROWS))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(TABLE.encode())
        for text, vector in zip(ROWS, vectors, strict=True):
            row = (text, str(vector.tolist()))
            connection.execute("INSERT INTO documents (content, embedding) VALUES (%s, %s)", row)
        connection.execute(f"GRANT SELECT ON documents TO {READER}".encode())


def test_database_schema_the_table_of_the_document_is_read_by_the_command_line(place: tuple[Place, str]) -> None:
    here, url = place
    shown = here.ok("pipelines", "--json", DATABASE_URL=url).out
    assert '"documents"' in shown
    done = here.ok("ask", "--pipeline", "documents", QUESTION, "--json", DATABASE_URL=url)
    assert "15 days" in done.json["answer"]
    assert done.json["citations"][0]["quote"] == ROWS[0]
    told = here.ok("config", "show", DATABASE_URL=url).err
    assert "the built-in model and quoted sentences stand in for OpenAI" in told


def test_hybrid_search_has_both_retrievers_lucenes_idf_and_rrf_with_60(place: tuple[Place, str]) -> None:
    here, url = place
    asked = ("search", "--pipeline", "documents", "harbour crane", "--json")
    hits = here.ok(*asked, DATABASE_URL=url).json["hits"]
    assert hits[0]["text"] == ROWS[1]
    assert set(hits[0]["signals"]) >= {"bm25", "cosine"}
    assert hits[0]["score"] == pytest.approx(2 * 0.5 / (60 + 1), abs=1e-6)  # first in both rankings
    settings = here.settings(DATABASE_URL=url)
    assert (settings.search.fusion, settings.search.bm25_weight, settings.search.cosine_weight) == ("rrf", 0.5, 0.5)
    words = here.ok(*asked, "--mode", "keyword", DATABASE_URL=url).json["hits"]
    idf = math.log(1 + (len(ROWS) - 1 + 0.5) / (1 + 0.5))  # each word stands in one of the rows
    saturation = words[0]["signals"]["bm25"] / (2 * idf)  # Lucene's has no factor k1 + 1
    assert 1 / (1 + 1.5) < saturation < 1 / (1 + 1.0)  # a row about as long as the others, once each word


async def test_http_server_and_errors_have_their_shapes(place: tuple[Place, str]) -> None:
    here, url = place
    with here.inside(DATABASE_URL=url):
        async with open_client(here.settings(DATABASE_URL=url)) as client:
            listed = await client.get("/v1/pipelines")
            assert [one["name"] for one in listed.json()["pipelines"]] == ["documents"]
            assert 'rel="service-desc"' in listed.headers["link"]
            assert (await client.get("/v1/openapi.json")).json()["openapi"].startswith("3")
            health = (await client.get("/v1/health")).json()
            assert (health["status"], health["pipelines"][0]["name"]) == ("healthy", "documents")
            made = await client.post("/v1/pipelines/documents", json={"query": QUESTION, "include_sources": True})
            assert "15 days" in made.json()["answer"]
            assert made.json()["sources"][0]["content"] == ROWS[0]
            assert made.json()["sources"][0]["id"] == "1"
            for path, body, status, code in (
                ("documents", {}, 400, "INVALID_REQUEST"),
                ("documents", {"query": " "}, 400, "INVALID_REQUEST"),
                ("nothing", {"query": "x"}, 404, "PIPELINE_NOT_FOUND"),
            ):
                reply = await client.post(f"/v1/pipelines/{path}", json=body)
                assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)


async def test_streams_are_chunks_and_done(place: tuple[Place, str]) -> None:
    here, url = place
    with here.inside(DATABASE_URL=url):
        async with open_client(here.settings(DATABASE_URL=url)) as client:
            reply = await client.post("/v1/pipelines/documents", json={"query": QUESTION, "stream": True})
    events = [json.loads(line.removeprefix("data: ")) for line in reply.text.splitlines() if line.startswith("data: ")]
    assert "15 days" in "".join(event["content"] for event in events if event["type"] == "chunk")
    assert events[-1] == {"type": "done"}


async def test_concurrency_requests_beside_each_other_have_their_own_answers(place: tuple[Place, str]) -> None:
    here, url = place
    questions = {QUESTION: "15 days", "What may a hotel cost a night?": "140 euros"}
    with here.inside(DATABASE_URL=url):
        async with open_client(here.settings(DATABASE_URL=url)) as client:
            asked = [client.post("/v1/pipelines/documents", json={"query": text}) for text in questions]
            replies = await asyncio.gather(*asked)
    assert [word in reply.json()["answer"] for word, reply in zip(questions.values(), replies, strict=True)] == [
        True
    ] * 2


def test_the_tables_are_left_as_they_were(place: tuple[Place, str], server: Server) -> None:
    _, url = place
    name = urlsplit(url).path[1:]
    tables = server.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name)
    assert tables == [("documents",)]
    assert server.run("SELECT count(*) FROM documents", name) == [(len(ROWS),)]


def test_a_database_that_is_away_is_one_sentence(place: tuple[Place, str]) -> None:
    here, _ = place
    done = here.run("ask", "--pipeline", "documents", QUESTION, DATABASE_URL="postgresql://nobody@127.0.0.1:9/none")
    assert done.status != 0
    assert len([line for line in done.err.splitlines() if line.startswith("error:")]) == 1
