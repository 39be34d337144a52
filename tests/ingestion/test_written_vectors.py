"""Vectors of the summaries and questions that a language model wrote: what they find, what they cost, when they go."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.core.errors import ConfigError, RagstoneError, Unavailable, UsageError
from ragstone.core.types import Scope
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.bag_of_words import BagOfWords
from tests.patience import HANG
from tests.providers.serving.between import Between, Reply, Seen, standing
from tests.stores.postgres.server import shared
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder
from tests.stores.qdrant.server import serving as recording

TEXTS = {
    "fault.md": "E-417: replace fuse F3 behind panel B.\n",
    "menu.md": "Coffee comes hot out of the machine in the kitchen.\n",
    "cold.md": "In the cold season the kitchen stays warm until eight.\n",
}
WRITTEN = {
    "fuse": ("What to do about error 417.", "Why does my coffee machine stay cold?"),
    "hot": ("Where hot drinks are.", "Which drinks are served?"),
    "season": ("Hours of heating.", "How long is the heating on?"),
}
QUESTION = "Why does my coffee maker stay so cold?"
BY_OTHERS = ["menu.md", "cold.md", "fault.md"]
SEMANTIC: Any = {"mode": "semantic"}


def reply(seen: Seen) -> Reply:
    """What a server of the OpenAI format says when it is asked for its models, or for texts about a passage."""
    if seen.method == "GET":
        return answer({"object": "list", "data": [{"id": "writer", "object": "model"}]})
    passage = seen.json["messages"][-1]["content"]
    summary, question = next((said for word, said in WRITTEN.items() if word in passage), ("Something.", "What?"))
    said = json.dumps({"summary": summary, "questions": [question, f"Is there more than: {summary}"]})
    about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "writer"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    events = [
        {**about, "choices": [{"index": 0, "delta": {"role": "assistant", "content": said}, "finish_reason": None}]},
        {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**about, "choices": [], "usage": usage},
    ]
    lines = [*map(json.dumps, events), "[DONE]"]
    pieces = (f"data: {line}\n\n".encode() for line in lines)
    return Reply(pieces, headers={"content-type": "text/event-stream"})


def answer(body: Any) -> Reply:
    return Reply(iter([json.dumps(body).encode()]), headers={"content-type": "application/json"})


def count_asked(writer: Between) -> int:
    return sum(seen.method == "POST" for seen in writer.requests)


@pytest.fixture
def writer() -> Iterator[Between]:
    with standing(reply) as between:
        yield between


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture(params=["embedded", "encrypted", "postgresql", "qdrant"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The URL of an empty store of each kind that keeps them, with its settings."""
    if request.param in ("embedded", "encrypted"):
        key = {"encryption__key": "A" * 43 + "="} if request.param == "encrypted" else {}
        yield f"embedded:{tmp_path / 'store'}", key
    elif request.param == "qdrant":
        engine = Engine(tmp_path / "engine")
        with recording(recorder=Recorder(inner=engine)) as recorder:
            yield recorder.url(tmp_path / "ledger"), {}
        engine.close()
    else:
        server = shared()
        with server.database() as name:
            yield server.url(name), {}


def open_with(store: Any, writer: Between, *, vectors: bool = True, **settings: Any) -> ragstone.Knowledge:
    """With the built-in embedding model unless another is given."""
    given: Any = {"llm__model": "openai/writer", "llm__base_url": f"{writer.url}/v1", "llm__api_key": "k"}
    given |= {"chunk__enrich": ["summary", "questions"], "chunk__enrich_vectors": vectors, "llm__retries": 0}
    return ragstone.open(store, **{**given, **settings})


def paths(found: Any) -> list[str]:
    return [hit.chunk.document.path for hit in found.hits]


def score_of(path: str, found: Any) -> float:
    return next(float(hit.score) for hit in found.hits if hit.chunk.document.path == path)


def test_a_question_in_the_words_of_a_written_one_finds_the_chunk_only_when_asked_for(
    place: tuple[str, dict[str, Any]], folder: Path, writer: Between
) -> None:
    store, settings = place
    with open_with(store, writer, vectors=False, **settings) as kb:
        [run] = kb.ingest(folder)
        assert "written_texts" not in run.stats
        before = kb.search(QUESTION, **SEMANTIC)
        assert paths(before) == BY_OTHERS
        assert {name for hit in before.hits for name in hit.signals} == {"bm25", "cosine"}
        hybrid, by_rank = paths(kb.search(QUESTION)), score_of("fault.md", kb.search(QUESTION, fusion="rrf"))
        assert kb.doctor() == []
    asked = count_asked(writer)
    with open_with(store, writer, **settings) as kb:
        assert kb.doctor() == ["the summaries and questions have no vectors yet; run: ragstone ingest"]
        [run] = kb.ingest(folder)
        assert (run.stats["written_texts"], run.stats["embedded"], count_asked(writer)) == (9, 0, asked)
        found = kb.search(QUESTION, **SEMANTIC)
        assert paths(found)[0] == "fault.md"
        [best] = [hit for hit in found.hits if hit.chunk.document.path == "fault.md"]
        own = next(hit.signals["cosine"] for hit in before.hits if hit.chunk.document.path == "fault.md")
        assert best.signals["cosine"] == own
        assert best.score == best.signals["written"] > 0.8 > own
        assert paths(kb.search(QUESTION))[0] == "fault.md" != hybrid[0]
        assert score_of("fault.md", kb.search(QUESTION, fusion="rrf")) > by_rank
        without = kb.search(QUESTION, written_vectors=False, **SEMANTIC)
        assert [(hit.score, hit.signals) for hit in without.hits] == [(hit.score, hit.signals) for hit in before.hits]
        assert not any("written" in hit.signals for hit in kb.search(QUESTION, mode="keyword").hits)
        assert paths(kb.search(QUESTION, min_cosine=0.8, **SEMANTIC)) == ["fault.md"]
        assert kb.doctor() == []
        [again] = kb.ingest(folder)
        assert (again.stats["written_texts"], count_asked(writer)) == (0, asked)


def test_explanations_and_notes_name_them(folder: Path, tmp_path: Path, writer: Between) -> None:
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
        told = kb.explain(QUESTION, path="fault.md")
        assert (told.stage, told.final_rank, told.ranks["written"]) == ("found", 1, 1)
        assert told.ranks["cosine"] == 3
        assert told.signals["written"] > 0.8 > told.signals["cosine"]
        assert "written" not in kb.explain(QUESTION, path="fault.md", written_vectors=False).ranks
        low = kb.explain(QUESTION, path="cold.md", min_cosine=0.8)
        assert low.stage == "below_threshold"
        assert kb.search(QUESTION).counts["written"] == 3
    with open_with(tmp_path / "store", writer, vectors=False) as kb:
        (folder / "new.md").write_text("A bell rings at six.\n", encoding="utf-8")
        kb.ingest(folder)
        [note] = [note for note in kb.search(QUESTION).notes if note.code == "written_pending"]
        assert "of 1 chunks have no vectors yet; run ingest with chunk.enrich_vectors" in note.message
        [problem] = kb.doctor()
        assert problem.startswith("1 chunk was not looked at for vectors of summaries and questions yet")
        kb.ingest(folder, refresh=True)  # without the setting they go
        assert paths(kb.search(QUESTION, **SEMANTIC))[0] == "menu.md"


def count_rows(store: Path) -> tuple[int, int]:
    with sqlite3.connect(files_of_scope(store, Scope("default", "default")).database) as connection:
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
        with sqlite3.connect(files_of_scope(tmp_path / "store", Scope("default", "default")).database) as connection:
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


def test_two_collections_beside_each_other_keep_one_scale(folder: Path, tmp_path: Path, writer: Between) -> None:
    """A chunk of a collection with such vectors gains by them alone; those of one without keep their scores."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "tea.md").write_text("Tea stays in the cold pot of the coffee maker.\n", encoding="utf-8")
    settings: Any = {
        "collections": {"with": {}, "without": {}},
        "pipelines": [{"name": "both", "collections": ["with", "without"]}],
    }
    with open_with(tmp_path / "store", writer, collection="with", **settings) as kb:
        kb.ingest(folder)
    with open_with(tmp_path / "store", writer, vectors=False, collection="without", **settings) as kb:
        kb.ingest(other)
        found = kb.pipeline("both").search(QUESTION, **SEMANTIC)
        signals = {hit.chunk.document.path: hit.signals for hit in found.hits}
        assert paths(found)[:2] == ["fault.md", "tea.md"]
        assert ("written" in signals["fault.md"], "written" in signals["tea.md"]) == (True, False)


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
