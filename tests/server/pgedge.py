"""A database and a vendor as a file of the pgEdge RAG Server names them, and that file."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from ragstone.testing.bag_of_words import BagOfWords
from tests.providers.serving.backends import line
from tests.providers.serving.between import Reply, Seen, standing
from tests.stores.postgres.server import PASSWORD, Server

DIMENSION = 1536  # of text-embedding-3-small
READER = "ragstone_test_pgedge"
ROWS = (
    (1, "Samples are kept for 15 days by default.", "tsdb"),
    (2, "Alertmanager sends notifications by e-mail and PagerDuty.", "alerts"),
    (3, "Silences mute alerts for a while.", "alerts"),
)
TABLES = f"""
CREATE TABLE documents (id int PRIMARY KEY, content text NOT NULL, topic text, embedding vector({DIMENSION}));
CREATE TABLE gone (id int PRIMARY KEY, content text NOT NULL, embedding vector({DIMENSION}));
"""
FILE = """
server: {{listen_address: 127.0.0.1, port: 8080}}
defaults:
  embedding_llm: {{provider: openai, model: text-embedding-3-small, base_url: "{vendor}"}}
  rag_llm: {{provider: openai, model: gpt-4o-mini, base_url: "{vendor}"}}
  api_keys: {{openai: "{key}"}}
pipelines:
  - name: docs
    description: The manuals
    database: &database {{host: {host}, port: {port}, database: {name}, username: {user}, password: "{password}"}}
    tables: [{{table: documents, text_column: content, vector_column: embedding, id_column: id}}]
    top_n: 2
  - name: strict
    description: Close passages alone
    database: *database
    tables: [{{table: documents, text_column: content, vector_column: embedding, id_column: id}}]
    search: {{min_similarity: 0.99}}
  - name: gone
    description: A table that is dropped
    database: *database
    tables: [{{table: gone, text_column: content, vector_column: embedding, id_column: id}}]
"""


def answer_as_openai(seen: Seen) -> Reply:
    """Vectors that count words, and an answer that is the first passage; in OpenAI's shapes."""
    if seen.path.endswith("/models"):
        names = ("gpt-4o-mini", "text-embedding-3-small")
        return line({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})
    if seen.path.endswith("/embeddings"):
        rows = asyncio.run(BagOfWords(DIMENSION).embed(seen.json["input"])).tolist()
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
        return line({"object": "list", "data": data, "usage": {"prompt_tokens": 7, "total_tokens": 7}})
    return Reply(_write(), 200, {"Content-Type": "text/event-stream"})


def _write() -> Iterator[bytes]:
    for piece in ("Samples are kept ", "for 15 days by default [1]."):
        yield _frame({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
    yield _frame({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield _frame({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109}})
    yield b"data: [DONE]\n\n"


def _frame(data: dict[str, object]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


@contextmanager
def open_place(server: Server, folder: Path) -> Iterator[tuple[Path, str]]:
    """The file, and the name of its database."""
    if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'"):
        server.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    with server.database(None) as name, standing(answer_as_openai) as vendor:
        server.run("CREATE EXTENSION vector", name)
        _fill(server, name)
        key, file = folder / "openai-key", folder / "pgedge.yaml"
        key.write_text("sk-test")
        at = urlsplit(server.url(name, READER))
        place = {"host": at.hostname, "port": at.port, "name": name, "user": READER, "password": PASSWORD}
        file.write_text(FILE.format(vendor=f"{vendor.url}/v1", key=key, **place), "utf-8")
        yield file, name


def _fill(server: Server, name: str) -> None:
    at = urlsplit(server.superuser)._replace(path=f"/{name}").geturl()
    vectors = asyncio.run(BagOfWords(DIMENSION).embed([text for _, text, _ in ROWS])).tolist()
    with psycopg.connect(at, autocommit=True) as connection:
        connection.execute(TABLES.encode())
        for (number, text, topic), vector in zip(ROWS, vectors, strict=True):
            connection.execute("INSERT INTO documents VALUES (%s, %s, %s, %s)", (number, text, topic, str(vector)))
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}".encode())
