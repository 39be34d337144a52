"""The preset `notes` against its specification; 1 Ingestion, 2 Chunking, 3 Embedding & Storage, 4 Retrieval, 5 Semantic
Cache, 6 Query Transformation, 7 multi-fragment queries, 8 Payload Filtering, 9 Reranking, 10 Post-Retrieval Filtering,
11 Generator, 12 HyDE Variants, 13 Evaluate, 14 Test, 15 Monitor, 16 Known Gaps & Drift."""

import hashlib
import json

import httpx2
import pytest
from qdrant_client import QdrantClient

from ragstone.answering.generative.prompt import load_template
from ragstone.config.load import load
from tests.presets.place import DOCUMENTS, Place, make_place, paths
from tests.server.conftest import open_client

QUESTION = "How long are samples of water kept?"
THEIRS = """
preset: notes
knowledge_base: {path: docs, paths: [docs, more]}
pkb: {ignore_patterns: ["templates/**", "*.draft.md"]}
embedder: {provider: ollama, model: nomic-embed-text, ollama_addr: "http://gpu:11434", dimensions: 768}
chunker: {provider: sentence-window, window_size: 2}
sparse_scorer: {provider: splade, addr: "http://localhost:5001"}
reranker: {enabled: true, addr: "http://gpu:5002", candidate_mul: 3}
hyde: {enabled: true, adaptive: true, adaptive_thresh: 0.4, multi_hyde: false, model: "gemma3:1b", num_docs: 2}
semantic_cache: {enabled: true, threshold: 0.92, ttl: 36h}
generator: {enabled: true, model: "gemma3:1b", max_context_tokens: 2000}
chunk_filter: {enabled: true, model: "gemma3:1b", threshold: 0.6}
retry: {max_attempts: 5}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("notes"), "notes")


def payloads(place: Place) -> dict[str, dict[str, object]]:
    """The payload of every point by its id."""
    client = QdrantClient(path=str(place.folder / ".ragstone-notes" / "points"))
    try:
        points, _ = client.scroll("pkb", limit=200, with_payload=True)
    finally:
        client.close()
    return {str(one.id): dict(one.payload or {}) for one in points}


def test_01_unchanged_files_are_skipped_and_vanished_and_changed_ones_leave_no_orphans(place: Place) -> None:
    file = place.folder / "docs" / "notes" / "moved.md"
    file.write_text("# Moved\n\nThe ferry leaves at nine.\n", encoding="utf-8")
    assert place.ok("ingest", "docs", "--json").json["documents"]["added"] == 1
    before = payloads(place)
    file.write_text("\n\n\n# Moved\n\nThe ferry leaves at ten.\n", encoding="utf-8")
    place.ok("ingest", "docs")
    texts = [one["text"] for one in payloads(place).values() if one["file_path"] == "notes/moved.md"]
    assert len(texts) == 1
    assert "ten" in str(texts[0]), "16.2: an edit that shifts lines leaves no stale point"
    file.unlink()
    done = place.ok("ingest", "docs", "--json").json
    assert (done["documents"]["removed"], done["documents"]["unchanged"]) == (1, len(DOCUMENTS))
    assert len(payloads(place)) == len(before) - 1


def test_01_and_03_points_have_uuids_and_the_payload_of_the_engine(place: Place) -> None:
    found = payloads(place)
    crane = next(one for one in found.values() if one["file_path"] == "notes/crane.md")
    assert {"header", "window_text", "file_path", "line_start", "chunk_index", "source_sha", "text"} <= set(crane)
    data = (place.folder / "docs" / "notes" / "crane.md").read_bytes()
    assert crane["source_sha"] == hashlib.sha256(data).hexdigest()
    assert (crane["header"], crane["line_start"]) == ("Crane", 8)
    assert all(len(identity) == 36 and identity[14] == "5" for identity in found), "UUIDv5"
    assert place.settings().embed.prefix == "path"


def test_02_two_chunkers(place: Place) -> None:
    (place.folder / "long.md").write_text("# Log\n\n" + "A line of the log is here. " * 60, encoding="utf-8")
    pieces = [json.loads(line) for line in place.ok("chunk", "--preview", "long.md", "--json").out.splitlines()]
    assert len(pieces) > 2
    assert all(len(piece["text"]) <= 512 for piece in pieces)
    assert all(0 < piece["overlap"] <= 64 for piece in pieces[1:])


def test_03_both_kinds_of_fusion(place: Place) -> None:
    at_client = place.ok("search", QUESTION, "--json", "--no-cache")
    at_server = place.ok("search", QUESTION, "--json", "--no-cache", "--fusion-at", "server")
    assert paths(at_client)[0] == paths(at_server)[0] == "guides/retention.md"
    assert any("fused by the store" in note["message"] for note in at_server.json["notes"])
    # k = 60: first in both rankings
    assert at_client.json["hits"][0]["score"] == pytest.approx(2 / 61, abs=1e-6)


def test_05_a_question_with_the_same_meaning_is_served_from_the_cache(place: Place) -> None:
    place.ok("search", "How long are blocks kept on the disk?", "--json")
    again = place.ok("search", "For how long are blocks kept on the disk?", "--json").json
    assert any(note["message"].startswith("cache hit") for note in again["notes"])
    asked = place.ok("ask", "How long are blocks kept on the disk?", "--json").json
    assert not any(note["message"].startswith("cache hit") for note in asked["notes"]), "an answer is never served"
    settings = place.settings().search
    assert (settings.cache_cosine, settings.cache_hours) == (0.9, 24)


def test_06_and_12_hyde_and_10_the_filter_are_off_and_a_note_says_that_they_need_a_model(place: Place) -> None:
    search = place.settings().search
    assert (search.hyde, search.hyde_below, search.filter, search.filter_below) == ("off", 0.5, False, 0.5)
    for option in (("--hyde", "adaptive"), ("--hyde", "multi"), ("--llm-filter",)):
        done = place.run("search", "which colour has the crane", "--json", *option)
        assert paths(done)[0] == "notes/crane.md", "without a model the search goes on"


def test_07_fragments_are_searched_by_themselves(place: Place) -> None:
    done = place.ok("search", f"{QUESTION} Which colour has the harbour crane?", "--json", "--top-k", "3")
    assert {"guides/retention.md", "notes/crane.md"} <= set(paths(done)[:3])
    assert any(note["code"] == "fragments" for note in done.json["notes"])


async def test_04_and_08_search_and_filters_over_http(place: Place) -> None:
    with place.inside():
        async with open_client(place.settings()) as client:
            found = (await client.post("/search", json={"query": QUESTION, "top_k": 3})).json()["results"]
            assert set(found[0]) == {"file_path", "header", "line_start", "score", "text"}
            assert found[0]["file_path"] == "guides/retention.md"
            for given in ({"file_path": "notes/crane.md"}, {"header": "Crane"}):
                asked = {"query": QUESTION, "filter": given}
                assert {one["file_path"] for one in (await client.post("/search", json=asked)).json()["results"]} == {
                    "notes/crane.md"
                }
            words = (await client.post("/search", json={"keyword": "tombstones"})).json()["results"]
            assert {one["file_path"] for one in words} == {"guides/retention.md"}
            assert (await client.post("/search", json={})).status_code == 400
            await _answer(client)
            assert (await client.get("/healthz")).status_code == 200
            assert "ragstone_" in (await client.get("/metrics")).text, "15: metrics of the program itself"


async def _answer(client: httpx2.AsyncClient) -> None:
    """11: an answer as text while it comes."""
    reply = await client.post("/search", json={"query": QUESTION, "generate": True})
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "15 days" in reply.text


def test_11_one_message_of_the_user_within_2800_tokens(place: Place) -> None:
    answer = place.settings().answer
    assert (answer.prompt, answer.tokens) == ("notes", 2800)
    assert load_template(answer.prompt).system == ""


def test_13_an_evaluation_with_its_measures_and_a_warning_below_50_questions(place: Place) -> None:
    golden = place.folder / "golden.yaml"
    golden.write_text(
        f"- query: {QUESTION}\n  expected_files: [retention.md]\n"
        "- query: which colour has the harbour crane\n  relevance: {notes/crane.md: 3, evil.md: 0}\n",
        encoding="utf-8",
    )
    report = place.ok("eval", "--golden", str(golden), "--fetch-k", "10", "--mode", "retrieval", "--json")
    assert {"Recall@5", "Recall@10", "P@5", "RR", "Success@5", "AP", "nDCG@10"} & set(report.json["metrics"])
    assert report.json["metrics"]["Recall@5"] == 1.0
    assert "below 50" in report.err or "50" in report.err


def test_the_configuration_of_the_engine_is_read_in_its_own_words(place: Place) -> None:
    (place.folder / "own.yaml").write_text(THEIRS, encoding="utf-8")
    with place.inside():
        settings = load("own.yaml")
    assert [(one.path, one.ignore) for one in settings.sources] == [
        ("docs", ("templates/**", "*.draft.md")),
        ("more", ("templates/**", "*.draft.md")),
    ]
    assert (settings.embed.model, settings.embed.base_url) == ("ollama/nomic-embed-text", "http://gpu:11434")
    assert (settings.chunk.name, dict(settings.chunk.options)) == ("sentence-window", {"window": 2})
    search = settings.search
    assert (search.hyde, search.hyde_below, search.hyde_documents) == ("adaptive", 0.4, 2)
    assert (search.cache_cosine, search.cache_hours, search.filter, search.filter_below) == (0.92, 36, True, 0.6)
    sparse = settings.sparse
    assert (search.sparse, sparse.model, sparse.base_url) == (
        "splade",
        "tei/prithivida/Splade_PP_en_v1",
        "http://localhost:5001",
    )
    rerank = settings.rerank
    assert (rerank.model, rerank.base_url, rerank.oversample) == (
        "tei/cross-encoder/ms-marco-MiniLM-L-6-v2",
        "http://gpu:5002",
        3,
    )
    assert (settings.llm.model, settings.llm.retries, settings.answer.tokens) == ("ollama/gemma3:1b", 5, 2000)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hyde: {enabeld: true}", "unknown key hyde.enabeld; did you mean enabled"),
        ("chunker: {provider: markdwn}", "unknown chunker.provider 'markdwn'"),
        ("sparse_scorer: {provider: splad}", "unknown sparse_scorer.provider 'splad'"),
        ("semantic_cache: {ttl: soon}", "invalid semantic_cache.ttl 'soon'"),
        ("retry: {max_attempts: -1}", "invalid llm.retries -1"),
    ],
)
def test_a_mistake_in_it_is_one_sentence(place: Place, line: str, said: str) -> None:
    (place.folder / "wrong.yaml").write_text(line + "\n", encoding="utf-8")
    done = place.run("search", "x", "--config", "wrong.yaml")
    assert done.status == 2
    assert said in done.err
