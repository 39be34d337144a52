"""Vectors of the summaries and questions that a language model wrote: what a run makes anew, and when they go."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragstone.core.errors import ConfigError, RagstoneError, Unavailable, UsageError
from ragstone.core.types import Scope
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.bag_of_words import BagOfWords
from tests.patience import HANG
from tests.providers.serving.between import Between, standing
from tests.stores.postgres.server import shared
from tests.written_texts import BY_OTHERS, QUESTION, SEMANTIC, count_asked, open_with, paths, reply, write_folder


@pytest.fixture
def writer() -> Iterator[Between]:
    with standing(reply) as between:
        yield between


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "docs")


def count_rows(store: Path) -> tuple[int, int]:
    with (
        closing(sqlite3.connect(files_of_scope(store, Scope("default", "default")).database)) as connection,
        connection,
    ):
        sql = "SELECT (SELECT count(*) FROM written_vectors), (SELECT count(*) FROM written_links)"
        vectors, links = connection.execute(sql).fetchone()
    connection.close()
    return vectors, links


def test_what_is_erased_moved_or_edited(folder: Path, tmp_path: Path, writer: Between) -> None:
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
        assert count_rows(tmp_path / "store") == (3, 3)
        (folder / "fault.md").rename(folder / "moved.md")
        [run] = kb.ingest(folder)
        assert (run.stats["written_texts"], run.stats["documents"]["moved"]) == (0, 1)
        assert paths(kb.search(QUESTION, **SEMANTIC))[0] == "moved.md"
        (folder / "moved.md").write_text("E-417: replace fuse F3 behind panel C.\n", encoding="utf-8")
        [run] = kb.ingest(folder)  # asked again, and what was written is the same
        assert (run.stats["enriched"], run.stats["written_texts"]) == (1, 0)
        (folder / "moved.md").unlink()
        kb.ingest(folder)
        assert count_rows(tmp_path / "store") == (2, 2)
        assert "moved.md" not in paths(kb.search(QUESTION, **SEMANTIC))


def test_in_postgresql_an_erased_document_leaves_no_row(folder: Path, writer: Between) -> None:
    server = shared()
    with server.database() as name, open_with(server.url(name), writer) as kb:
        kb.ingest(folder)
        (folder / "fault.md").unlink()
        kb.ingest(folder)
        for table, left in (("written_vectors", 6), ("written_links", 2)):
            assert server.run(f"SELECT count(*) FROM ragstone.{table}", name) == [(left,)]
        kb.drop("default")
        for table in ("written_vectors", "written_links"):
            assert server.run(f"SELECT count(*) FROM ragstone.{table}", name) == [(0,)]


class Failing(BagOfWords):
    """Fails for a text of some words."""

    word = "417"

    async def embed(self, texts: Any, *, kind: Any = "document") -> Any:
        if any(self.word in text and "E-417" not in text for text in texts):
            raise Unavailable("the model is away")
        return await super().embed(texts, kind=kind)


def test_a_model_that_fails_leaves_the_rest_searchable_and_the_next_run_goes_on(
    folder: Path, tmp_path: Path, writer: Between
) -> None:
    with open_with(tmp_path / "store", writer, embedder=Failing()) as kb:
        with pytest.raises(RagstoneError, match=r"away .everything else is searchable; the next run goes on"):
            kb.ingest(folder)
        assert len(kb.search(QUESTION, **SEMANTIC).hits) == 3
    asked = count_asked(writer)
    with open_with(tmp_path / "store", writer, embedder=BagOfWords()) as kb:
        [run] = kb.ingest(folder)
        assert (run.stats["written_texts"], count_asked(writer)) == (9, asked)


KILLED = """
import os, signal, sys
import ragstone
from ragstone.ingestion import written_vectors
from ragstone.testing.bag_of_words import BagOfWords

written_vectors.CHUNKS_AT_ONCE = 1
embed = written_vectors._embed_batch
done = 0


async def kill(*given):
    global done
    if done == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    done += 1
    await embed(*given)

written_vectors._embed_batch = kill
with ragstone.open(sys.argv[1], llm__model="openai/writer", llm__base_url=sys.argv[3], llm__api_key="k",
        chunk__enrich=["summary", "questions"], chunk__enrich_vectors=True, embedder=BagOfWords()) as kb:
    kb.ingest(sys.argv[2])
"""


def test_after_a_kill_the_next_run_embeds_what_is_missing(folder: Path, tmp_path: Path, writer: Between) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-c", KILLED, str(store), str(folder), f"{writer.url}/v1"]
    killed = subprocess.run(command, check=False, timeout=HANG, env=os.environ.copy())
    assert killed.returncode == -signal.SIGKILL
    assert count_rows(store) == (2, 2)
    asked = count_asked(writer)
    with open_with(store, writer, embedder=BagOfWords()) as kb:
        [run] = kb.ingest(folder)
        assert (run.stats["written_texts"], run.stats["embedded"], count_asked(writer)) == (3, 0, asked)
        assert count_rows(store) == (3, 3)
        assert kb.doctor() == []


def test_another_model_of_the_collection_is_told_and_the_next_run_makes_them_anew(
    folder: Path, tmp_path: Path, writer: Between
) -> None:
    with open_with(tmp_path / "store", writer, embedder=BagOfWords()) as kb:
        kb.ingest(folder)
    with open_with(tmp_path / "store", writer, embedder=BagOfWords(48)) as kb:
        kb.reembed()
        kb.switch_model()
        [note] = [note for note in kb.search(QUESTION).notes if note.code == "written_outdated"]
        assert "run ingest with chunk.enrich_vectors to make them anew" in note.message
        [problem] = kb.doctor()
        assert "no longer the collection's model" in problem
        [run] = kb.ingest(folder)
        assert run.stats["written_texts"] == 9
        assert kb.search(QUESTION, **SEMANTIC).notes == ()
        assert "written" in kb.search(QUESTION).hits[0].signals


def test_damage_is_noted_named_and_mended(folder: Path, tmp_path: Path, writer: Between) -> None:
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
        with (
            closing(
                sqlite3.connect(files_of_scope(tmp_path / "store", Scope("default", "default")).database)
            ) as connection,
            connection,
        ):
            connection.execute("UPDATE written_vectors SET vectors = zeroblob(length(vectors)) WHERE id = 1")
        connection.close()
        found = kb.search(QUESTION, **SEMANTIC)
        assert paths(found) == BY_OTHERS
        assert [note.code for note in found.notes] == ["written_failed"]
        [problem] = kb.doctor()
        assert "vectors of summaries and questions" in problem
        [waits] = kb.doctor(repair=True)
        assert waits.startswith("1 chunk was not looked at")
        [run] = kb.ingest(folder)
        assert run.stats["written_texts"] == 3
        assert paths(kb.search(QUESTION, **SEMANTIC))[0] == "fault.md"


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"chunk__enrich": []}, ConfigError, "chunk.enrich_vectors embeds what chunk.enrich writes: set chunk.enrich"),
        ({"embed__model": "none"}, ConfigError, "chunk.enrich_vectors needs an embedding model: set embed.model"),
        ({"chunk__enrich_vectors": "perhaps"}, ConfigError, "chunk.enrich_vectors"),
        ({"store": "json"}, UsageError, "chunk.enrich_vectors: a store of kind 'json' keeps no vectors of summaries"),
    ],
)
def test_settings_that_cannot_be_met_are_one_sentence(
    settings: dict[str, Any], kind: type[Exception], said: str, folder: Path, tmp_path: Path, writer: Between
) -> None:
    given = dict(settings)
    store = f"json:{tmp_path / 'store.json'}" if given.pop("store", None) else tmp_path / "store"
    with pytest.raises(kind) as caught, open_with(store, writer, **given) as kb:
        kb.ingest(folder)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not writer.requests


def test_a_copy_leaves_the_vectors_behind_with_a_note(folder: Path, tmp_path: Path, writer: Between) -> None:
    target = str(tmp_path / "target")
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
        [done] = kb.copy(target)
        assert done.notes == (
            "the vectors of summaries and questions were not copied; set chunk.enrich_vectors and run: ragstone ingest",
        )
        before = kb.search(QUESTION)
    asked = count_asked(writer)
    with open_with(target, writer) as kb:
        kb.ingest(folder)
        assert [(hit.chunk.id, hit.score) for hit in kb.search(QUESTION).hits] == [
            (hit.chunk.id, hit.score) for hit in before.hits
        ]
        assert count_asked(writer) == asked
