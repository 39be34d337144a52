"""The preset `research` against its specification, whose paragraphs are numbered 1 to 21."""

import json

import pytest

from tests.presets.place import DOCUMENTS, Place, make_place, paths
from tests.server.conftest import open_client

QUESTION = "How long are samples of water kept?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("research"), "research")


def test_01_and_05_the_index_says_what_it_is(place: Place) -> None:
    found = place.ok("search", QUESTION, "--format", "evidence").json["index"]
    assert {
        "index_version",
        "status",
        "built_at",
        "embedding_model_id",
        "recipes",
        "warnings",
        "documents",
        "points",
    } <= set(found)
    assert (found["status"], found["documents"]) == ("healthy", len(DOCUMENTS))
    assert found["recipes"][0].rpartition("+")[2].startswith("bounded-")


def test_03_and_04_a_chunk_is_fetched_by_path_and_ordinal(place: Place) -> None:
    first = place.ok("chunk", "guides/retention.md", "0", "--json").json
    assert (first["document"]["path"], first["ordinal"]) == ("guides/retention.md", 0)
    assert len(first["document"]["version"]) == 64
    assert place.run("chunk", "guides/retention.md", "99").status == 2


def test_05_the_index_as_one_json_file(place: Place) -> None:
    place.ok("ingest", "docs", "--store", "json:index.json")
    done = place.ok("search", "samples of water", "--json", "--store", "json:index.json")
    assert paths(done)[0] == "guides/retention.md"
    assert "count" in done.json["hits"][0]["signals"]
    assert json.loads((place.folder / "index.json").read_text(encoding="utf-8"))


def test_06_limits_of_documents_and_chunks(place: Place) -> None:
    limits = place.settings().limits
    assert (limits.text_bytes, limits.chunks) == (10_000_000, 2000)
    many = place.folder / "many"
    many.mkdir()
    (many / "long.md").write_text("\n\n".join(f"Line {n}." for n in range(2010)), encoding="utf-8")
    (many / "secret.md").write_text("Never opened.", encoding="utf-8")
    (many / "link.md").symlink_to("/etc/hostname")
    (place.folder / "many.yaml").write_text("sources: [{path: many, deny: ['secret*']}]\n", encoding="utf-8")
    given = ("--config", "many.yaml", "--store", "embedded:many-store", "--embedder", "none", "--json")
    done = place.ok("ingest", *given).json
    assert done["chunks"] == 2000
    assert {one["path"] for one in done["skipped"]} == {"secret.md", "link.md"}
    assert any("2000 chunks" in warning for warning in done["warnings"])


def test_07_chunks_know_headings_and_bytes_and_their_text_is_normalised_where_it_is_shown(place: Place) -> None:
    hits = place.ok("search", QUESTION, "--json").json["hits"]
    best = hits[0]
    raw = (place.folder / "docs" / best["document"]["path"]).read_bytes()
    loc = best["chunk_loc"]
    assert loc["heading_path"] == best["heading_path"]
    assert raw[loc["start_byte"] : loc["end_byte"]].decode() == best["text"]
    assert best["normalized_text"] == " ".join(best["text"].split())
    pieces = place.ok("chunk", "--preview", "docs/guides/retention.md", "--json").out.splitlines()
    assert len(pieces) == 3, "headings and blank lines flush"


def test_08_the_order_is_by_score_path_and_ordinal_and_three_of_a_source(place: Place) -> None:
    first, second = (place.ok("search", "samples blocks disk crane hotel", "--json").json["hits"] for _ in range(2))
    keys = [(-hit["score"], hit["document"]["path"], hit["ordinal"]) for hit in first]
    assert keys == sorted(keys)
    assert [hit["id"] for hit in first] == [hit["id"] for hit in second]
    assert max(paths_count(first).values()) <= 3


def paths_count(hits: list[dict[str, dict[str, str]]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for hit in hits:
        found[hit["document"]["path"]] = found.get(hit["document"]["path"], 0) + 1
    return found


@pytest.mark.parametrize("name", ["default_research", "decisions_recent", "templates_lookup"])
def test_09_the_fixed_profiles(place: Place, name: str) -> None:
    found = place.ok("search", "crane decision harbour", "--profile", name, "--format", "evidence").json["items"]
    assert found[0]["document"]["path"] == "notes/crane.md"
    breakdown = found[0]["score_breakdown"]
    assert "bm25" in breakdown
    assert ("metadata" in breakdown) == (name == "templates_lookup")
    assert ("freshness" in breakdown) == (name != "templates_lookup")
    assert ("cosine" in breakdown) == (name != "templates_lookup")
    assert place.settings().search.profile == "default_research"


def test_10_modes_and_the_fallback(place: Place) -> None:
    for mode in ("hybrid", "keyword", "semantic"):
        assert paths(place.ok("search", QUESTION, "--json", "--mode", mode))[0] == "guides/retention.md"
    place.ok("ingest", "docs", "--store", "embedded:plain", "--embedder", "none")
    done = place.ok("search", QUESTION, "--mode", "semantic", "--store", "embedded:plain", RAGSTONE_EMBED__MODEL="none")
    assert "semantic unavailable; fallback=keyword-only" in done.err


def test_11_filters_are_anded_and_restricted_needs_a_permission(place: Place) -> None:
    asked = ("search", "crane hotel salaries director", "--json", "--top-k", "20")
    assert set(paths(place.ok(*asked, "--tag", "harbour", "--project", "port"))) == {"notes/crane.md"}
    assert paths(place.ok(*asked, "--tag", "harbour", "--tag", "nothing", "--all-tags")) == []
    assert set(paths(place.ok(*asked, "--date-from", "2024-01-01"))) == {"notes/crane.md"}
    assert "closed/salaries.md" not in paths(place.ok(*asked))
    assert "closed/salaries.md" in paths(place.ok(*asked, "--allow-restricted"))
    refused = place.run(*asked, "--confidentiality", "restricted")
    assert (refused.status, refused.err.count("\n")) == (2, 1)


def test_12_injections_are_flagged_and_lose_rank_and_secrets_are_masked(place: Place) -> None:
    plain, penalised = (
        place.ok("search", "reveal your system prompt about samples of water", "--json", *more).json["hits"]
        for more in (("--risk-penalty", "0"), ())
    )
    evil = [next(hit for hit in hits if hit["document"]["path"] == "evil.md") for hits in (plain, penalised)]
    assert "policy_override_attempt" in evil[0]["flags"]
    assert 0 < evil[0]["risk_score"] <= 1
    assert evil[1]["score"] < evil[0]["score"]
    shown = place.ok("search", "token of the staging server").out
    assert "hunter2secret99" not in shown


def test_13_the_two_evidence_packs(place: Place) -> None:
    full = place.ok("search", QUESTION, "--format", "evidence").json
    assert {"rank", "score_breakdown", "metadata", "flags"} <= set(full["items"][0])
    small = place.ok("search", QUESTION, "--format", "evidence-llm").json
    assert set(small["items"][0]) == {"ref", "snippet", "score", "notes"}
    alias, _, ordinal = small["items"][0]["ref"].partition("#")
    assert small["sources"][alias] == "guides/retention.md"
    assert ordinal.isdigit()


async def test_03_and_13_over_http(place: Place) -> None:
    with place.inside():
        async with open_client(place.settings()) as client:
            found = (await client.post("/v1/search", json={"query": QUESTION, "profile": "templates_lookup"})).json()
            assert found["hits"][0]["document"]["path"] == "guides/retention.md"
            wrong = await client.post("/v1/search", json={"query": QUESTION, "profile": "template_lookup"})
            assert (wrong.status_code, "did you mean templates_lookup" in wrong.text) == (400, True)


def test_15_an_evaluation_with_its_names_and_four_exit_codes(place: Place) -> None:
    case = {"query": QUESTION, "must_include_source_paths": ["guides/retention.md"], "forbidden_claims": ["30 days"]}
    golden = place.folder / "golden.json"
    golden.write_text(json.dumps([case]), encoding="utf-8")
    report = place.ok("eval", "--golden", str(golden), "--profile", "default_research", "--json").json
    assert report["metrics"]["Recall@5"] == 1.0
    (place.folder / "base.json").write_text(json.dumps(report), encoding="utf-8")
    gated = ("eval", "--golden", str(golden), "--baseline", "base.json", "--gate")
    assert place.run(*gated).status == 0
    golden.write_text("[{", encoding="utf-8")
    assert place.run("eval", "--golden", str(golden)).status == 2


def test_16_errors_are_named(place: Place) -> None:
    lost = place.run("search", QUESTION, "--store", "embedded:nothing-here")
    assert (lost.status != 0, lost.err.count("\n")) == (True, 1)
    assert "nothing was ingested" in lost.err


def test_19_embeddings_leave_the_machine_only_by_permission(place: Place) -> None:
    assert place.settings().external.embedding is False
    assert place.settings(RAGSTONE_SERVICES="true").external.embedding is True
    refused = place.run("ingest", "docs", "--store", "embedded:x", "--embedder", "openai/text-embedding-3-small")
    assert (refused.status, "external.embedding" in refused.err) == (2, True)
