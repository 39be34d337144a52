"""The preset `company` against its specification, whose paragraphs are numbered 0 to 13."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragstone.answering.abstention.abstain import ABSTENTION
from ragstone.answering.generative.prompt import load_template
from tests.presets.place import DOCUMENTS, Place, make_place, paths
from tests.server.conftest import open_client

QUESTION = "How long are samples of water kept by default?"
OFF_TOPIC = "Who won the chess championship of Reykjavik?"
ROWS = "".join(f"| Harbour {n} | {n * 3} metres |\n" for n in range(120))
TABLE = f"# Depths\n\n| Harbour | Depth |\n|---|---|\n{ROWS}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("company"), "company")


def test_03_and_04_one_model_a_tenant_and_another_one_is_refused(place: Place) -> None:
    info = place.ok("collections", "info", "--json").json
    assert (info["embedding_model_id"] is not None, info["dimension"]) == (True, 384)
    settings = place.settings(RAGSTONE_SERVICES="true", DATABASE_URL="postgresql://db/kb")
    assert (settings.embed.model, settings.embed.dimensions) == ("fastembed/BAAI/bge-base-en-v1.5", 768)
    assert (settings.embed.batch, settings.store) == (256, "postgresql://db/kb")
    assert settings.llm.model.startswith("anthropic/")


def test_06_the_rerankers_variables_are_read(place: Place) -> None:
    settings = place.settings(RAGSTONE_SERVICES="true", COHERE_API_KEY="co-test")
    assert settings.rerank.model == "cohere/rerank-v3.5"
    assert (settings.rerank.documents, settings.deadlines.rerank, settings.external.rerank) == (50, 3.0, True)
    assert settings.search.top_k * settings.rerank.oversample == 50
    other = {"RERANK_PROVIDER": "voyage", "COHERE_RERANK_MODEL": "rerank-2.5", "RERANK_TIMEOUT_MS": "450"}
    settings = place.settings(RAGSTONE_SERVICES="true", RERANK_MAX_DOCS="20", **other)
    assert settings.rerank.model == "voyage/rerank-2.5"
    assert (settings.rerank.documents, settings.deadlines.rerank) == (20, 0.45)
    assert place.settings().rerank.model == "none"


def test_06_a_reranker_that_is_away_leaves_the_order_and_a_note(place: Place) -> None:
    away = {"RAGSTONE_RERANK__MODEL": "cohere/rerank-v3.5", "RAGSTONE_RERANK__BASE_URL": "http://127.0.0.1:9"}
    given = {"COHERE_API_KEY": "co-test", "RAGSTONE_RERANK__RETRIES": "0", "RAGSTONE_EXTERNAL__RERANK": "true"}
    plain, found = place.ok("search", QUESTION, "--json"), place.ok("search", QUESTION, "--json", **away, **given)
    assert paths(found) == paths(plain)
    assert any(note["code"].startswith("rerank") for note in found.json["notes"]), found.json["notes"]


def test_05_blocks_are_kept_beside_the_store_and_runs_are_recorded(place: Place) -> None:
    kept = list((place.folder / "data" / "artifacts").rglob("*.json"))
    assert len(kept) >= len(DOCUMENTS)
    told = [json.loads(file.read_text(encoding="utf-8")) for file in kept]
    kinds = {block["type"] for one in told for block in one.get("blocks", ())}
    assert {"heading", "paragraph"} <= kinds
    runs = place.ok("runs", "--json").out
    assert "succeeded" in runs


def test_05_chunks_of_at_most_800_tokens_and_tables_with_their_header(place: Place) -> None:
    options = dict(place.settings().chunk.options)
    assert (place.settings().chunk.name, options) == ("structure", {"tokens": 450, "cap": 800, "overlap": 0})
    (place.folder / "table.md").write_text(TABLE, encoding="utf-8")
    pieces = [json.loads(line) for line in place.ok("chunk", "--preview", "table.md", "--json").out.splitlines()]
    tables = [piece for piece in pieces if piece["kind"] == "table"]
    assert len(tables) > 1
    assert all("Harbour" in (piece["header"] or piece["text"]) for piece in tables)
    assert all(piece["tokens"] <= 800 for piece in tables)
    assert "".join(piece["text"] for piece in tables).count("metres") == 120


def test_05_the_metadata_of_a_chunk_have_its_keys(place: Place) -> None:
    chunk = place.ok("chunk", "guides/retention.md", "0", "--json").json
    assert {"summary", "keywords", "hypothetical_questions", "source"} <= set(chunk["metadata"])


async def test_06_the_five_responses_of_the_query_endpoint(place: Place) -> None:
    with place.inside():
        async with open_client(place.settings()) as client:
            made = await _ask(client, question=QUESTION, top_k=10)
            assert (made["abstained"], made["debug"]) == (False, None)
            assert set(made["citations"][0]) == {"doc_id", "doc_version_id", "chunk_id", "title", "version_label"}
            assert "15 days" in made["answer"]
            none = await _ask(client, question=OFF_TOPIC, debug=True)
            assert (none["answer"], none["citations"], none["abstained"]) == (ABSTENTION, [], True)
            assert none["debug"]["reranker_skipped"] is False
            for body in ({}, {"question": " "}):
                reply = await client.post("/v1/query", json=body)
                assert (reply.status_code, reply.json()["error"]) == (400, "bad_request")


async def _ask(client: httpx2.AsyncClient, **body: Any) -> Any:
    reply = await client.post("/v1/query", json=body)
    assert reply.status_code == 200
    return reply.json()


def test_06_fifty_candidates_each_fused_by_rank(place: Place) -> None:
    search = place.settings().search
    assert (search.bm25_candidates, search.cosine_candidates, search.fusion, search.top_k) == (50, 50, "rrf", 10)
    hits = place.ok("search", QUESTION, "--json").json["hits"]
    assert hits[0]["score"] == pytest.approx(2 / 61, abs=1e-6)
    answer = place.settings().answer
    assert (answer.tokens, answer.overhead, answer.chunks) == (6000, 1000, 12)


def test_07_thresholds_decide_and_come_from_the_environment(place: Place) -> None:
    assert place.ok("ask", QUESTION, "--json").json["abstained"] is False
    strict = place.ok("ask", QUESTION, "--json", ABSTAIN_RRF_THRESHOLD="0.034").json
    assert (strict["abstained"], strict["reason"]) == (True, "weak_evidence")
    answer = place.settings(ABSTAIN_RERANK_THRESHOLD="0.2").answer
    assert (answer.abstain, answer.rerank_threshold, answer.rrf_threshold) == ("thresholds", 0.2, 0.03)
    wrong = place.run("search", QUESTION, ABSTAIN_RRF_THRESHOLD="high")
    assert (wrong.status, "answer.rrf_threshold 'high'" in wrong.err) == (2, True)


def test_08_the_prompt_has_the_specified_words(place: Place) -> None:
    template = load_template(place.settings().answer.prompt)
    assert "ONLY the provided context" in template.system
    assert "What is our parental leave policy in Germany?" in template.system


def test_09_an_evaluation_writes_csv(place: Place) -> None:
    lines = [
        {"question": QUESTION, "expected_files": ["guides/retention.md"]},
        {"question": OFF_TOPIC, "answerable": False},
    ]
    golden = place.folder / "questions.jsonl"
    golden.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = place.ok("eval", "--golden", str(golden), "--answers", "--csv", "out.csv", "--json")
    assert {"RR", "Success@5"} & set(done.json["metrics"]) or done.json["metrics"]
    assert done.json["abstention"]["rate"] == 0.5
    assert QUESTION in Path(place.folder, "out.csv").read_text(encoding="utf-8")


def test_03_and_13_only_the_latest_version_answers(place: Place) -> None:
    file = place.folder / "docs" / "policies" / "travel.md"
    old = file.read_text(encoding="utf-8")
    file.write_text(old.replace("140 euros", "165 euros"), encoding="utf-8")
    place.ok("ingest", "docs", "--version-label", "2025")
    answer = place.ok("ask", "How much may a hotel cost a night?", "--json").json
    assert "165 euros" in answer["answer"]
    assert "140 euros" not in json.dumps(answer)
    assert answer["citations"][0]["document"]["version_label"] == "2025"


async def test_10_the_server_says_that_it_lives_and_logs_one_line_a_query(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    with place.inside(RAGSTONE_LOG__QUERIES="true"):
        async with open_client(place.settings(RAGSTONE_LOG__QUERIES="true")) as client:
            assert (await client.get("/v1/live")).json() == {"status": "ok"}
            await _ask(client, question=QUESTION)
    lines = [line for line in capfd.readouterr().err.splitlines() if '"question_hash"' in line]
    told = json.loads(lines[-1])
    assert {
        "ts", "tenant_id", "request_id", "question_hash", "k_vec", "k_fts", "k_rerank", "num_vec_candidates",
        "num_fts_candidates", "num_merged_candidates", "reranker_used", "reranker_skipped", "reranker_latency_ms",
        "num_context_chunks", "context_tokens_est", "abstained", "latency_ms_total", "latency_ms_vec", "latency_ms_fts",
        "latency_ms_merge", "latency_ms_rerank", "latency_ms_llm", "llm_provider", "llm_model", "http_status",
    } <= set(told)  # fmt: skip
    assert (told["k_vec"], told["k_fts"]) == (50, 50)
    assert QUESTION not in lines[-1]


def test_13_tables_of_documents_are_found(place: Place) -> None:
    assert paths(place.ok("search", "green harbour crane", "--json"))[0] == "notes/crane.md"
