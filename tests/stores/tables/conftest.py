"""Tables that somebody else made, in a database of their own; a role that may only read them."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import psycopg
import pytest

from ragstone.config.settings import PipelineSettings, Settings, TableSettings
from ragstone.engine import Engine
from ragstone.testing.bag_of_words import BagOfWords
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import PASSWORD, Server

__all__ = ["server"]

READER = "ragstone_test_tables"
DIMENSION = 32
ROWS: Sequence[tuple[str, str, str, int, str]] = (
    ("Samples are kept for 15 days by default.", "Retention", "published", 2021, "tsdb"),
    ("The flag storage.tsdb.retention.time changes how long samples are kept.", "Flags", "published", 2022, "tsdb"),
    ("Alertmanager sends notifications by e-mail and PagerDuty.", "Receivers", "published", 2023, "alerts"),
    ("Silences mute alerts for a while.", "Silences", "published", 2024, "alerts"),
    ("Samples of the secret project are kept forever.", "Hidden", "draft", 2024, "tsdb"),
    ("Recording rules precompute expressions that are needed often.", "Rules", "published", 2020, "rules"),
)
TABLES = f"""
CREATE TABLE docs (id serial PRIMARY KEY, content text NOT NULL, title text, status text, year int, topic text,
    tags text[], updated timestamptz DEFAULT '2024-05-31', flag boolean, price numeric(10, 2), secret text,
    embedding vector({DIMENSION}), title_embedding vector({DIMENSION}));
CREATE TABLE bare (content text, embedding vector({DIMENSION}));
CREATE VIEW shown AS SELECT id, content, embedding, topic FROM docs WHERE status = 'published';
"""


def literal(vector: Any) -> str:
    return "[" + ",".join(map(str, vector.tolist())) + "]"


async def vectors_of(texts: Sequence[str]) -> list[str]:
    return [literal(vector) for vector in await BagOfWords(DIMENSION).embed(texts)]


class Data:
    """A database with the tables; `url` is for the role that may read."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.url = server.url(name, READER)

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.server.owner(self.name), autocommit=True) as connection:
            found = connection.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []


@pytest.fixture
async def data(server: Server) -> AsyncIterator[Data]:
    """Six rows in `docs`, two of them again in `bare`, a view of the published ones."""
    if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'"):
        server.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    with server.database("template0") as name:
        server.run("CREATE EXTENSION vector", name)
        server.run("GRANT CREATE ON SCHEMA public TO PUBLIC", name)
        made = Data(server, name)
        made.run(TABLES)
        texts, titles = await vectors_of([row[0] for row in ROWS]), await vectors_of([row[1] for row in ROWS])
        for row, text, title in zip(ROWS, texts, titles, strict=True):
            made.run(
                "INSERT INTO docs (content, title, status, year, topic, tags, flag, price, secret, embedding,"
                " title_embedding) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                *row, [row[4], "all"], row[3] > 2021, row[3] / 100, f"s-{row[3]}", text, title,
            )  # fmt: skip
        made.run("INSERT INTO bare SELECT content, embedding FROM docs WHERE id < 3")
        made.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}")
        yield made


DOCS = TableSettings("docs", "content", "embedding", "id", filter_columns=("*",))
Opened = Callable[..., Engine]


@pytest.fixture
async def engine(data: Data) -> AsyncIterator[Opened]:
    """Engines with one pipeline `p` over tables of the database; all are closed after."""
    made: list[Engine] = []

    def make(*tables: TableSettings, embedder: Any = None, **more: Any) -> Engine:
        settings = PipelineSettings("p", database=more.pop("url", data.url), tables=tables or (DOCS,), **more)
        made.append(Engine(Settings(pipelines=(settings,)), embedder=embedder or BagOfWords(DIMENSION)))
        return made[-1]

    yield make
    for one in made:
        await one.close()
