"""The preset `library` against its specification; 1 Overview, 2 Package Layout, 3 Embedder … 16 Dependency Graph."""

import hashlib
import json
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from qdrant_client import QdrantClient

from ragstone.config.vendors import VENDORS
from tests.presets.place import DOCUMENTS, Place, make_place, paths
from tests.server.conftest import open_client

QUESTION = "How long are samples of water kept?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("library"), "library")


def test_03_the_embedder_has_a_dimension_and_takes_batches(place: Place) -> None:
    assert place.ok("collections", "info", "--json").json["dimension"] == 384
    assert place.settings().embed.batch > 1


def test_05_points_are_upserted_by_the_hundred(place: Place) -> None:
    """Slices of BatchSize, 100 by default."""
    assert "&batch=100&" in place.settings().store
    assert "&batch=100&" in place.settings(RAGSTONE_SERVICES="true").store


def test_04_collections_are_made_listed_described_and_deleted(place: Place) -> None:
    place.ok("ingest", "docs/notes", "--collection", "extra", "--store", "embedded:other")
    listed = place.ok("collections", "list", "--json", "--store", "embedded:other").out
    assert "extra" in listed
    info = place.ok("collections", "info", "--json").json
    assert (info["points"] > 0, info["status"], info["dimension"]) == (True, "healthy", 384)
    place.ok("collections", "delete", "extra", "--yes", "--store", "embedded:other")
    assert "extra" not in place.ok("collections", "list", "--json", "--store", "embedded:other").out


def test_05_and_09_points_have_the_ids_and_the_payload_of_the_library(place: Place) -> None:
    client = QdrantClient(path=str(place.folder / ".ragstone-library" / "points"))
    try:
        assert [one.name for one in client.get_collections().collections] == ["knowledge"]
        points, _ = client.scroll("knowledge", limit=100, with_payload=True)
    finally:
        client.close()
    found = {(one.payload or {})["source"]: one for one in points}
    assert set(found) == set(DOCUMENTS)
    button = found["components/ui/button.md"]
    assert button.payload is not None
    text = button.payload["text"]
    named = hashlib.md5(f"components/ui/button.md:0:{text[:100]}".encode()).hexdigest()
    assert str(button.id).replace("-", "") == named
    assert {key: button.payload[key] for key in ("section", "category", "chunk_index")} == {
        "section": "",
        "category": "ui-component",
        "chunk_index": 0,
    }
    retention = [one.payload for one in points if (one.payload or {})["source"] == "guides/retention.md"]
    assert {one["section"] for one in retention if one} >= {"Samples", "Blocks"}


def test_06_ollama_is_asked_where_services_are_wanted(place: Place) -> None:
    settings = place.settings(RAGSTONE_SERVICES="true")
    assert (settings.embed.model, settings.embed.dimensions, settings.embed.timeout) == (
        "ollama/nomic-embed-text",
        768,
        30,
    )
    assert ":11434" in str(VENDORS["ollama"])
    assert settings.store.startswith("qdrant://localhost:6334?")
    said = place.ok("config", "show")
    assert "stands in for nomic-embed-text" in said.err
    assert "stands in" not in place.ok("config", "show", RAGSTONE_SERVICES="true").err


def test_07_sections_paragraphs_and_sentences_of_500_characters_with_an_overlap_of_50(place: Place) -> None:
    text = "# Log\n\n## One\n\n" + "\n\n\n\n".join(
        f"Paragraph {n} of the log. " + "It is long. " * 15 for n in range(4)
    )
    (place.folder / "long.md").write_text(text, encoding="utf-8")
    pieces = [json.loads(line) for line in place.ok("chunk", "--preview", "long.md", "--json").out.splitlines()]
    assert len(pieces) > 2
    assert all(len(piece["text"]) <= 500 for piece in pieces)
    for before, piece in pairwise(pieces[1:]):
        assert piece["text"][: piece["overlap"]] in before["text"]
        assert 0 < piece["overlap"] <= 50
    assert [piece["ordinal"] for piece in pieces] == list(range(len(pieces)))


def test_08_a_second_run_writes_nothing_and_recreate_begins_anew(place: Place) -> None:
    again = place.ok("ingest", "docs", "--json").json
    assert (again["documents"]["unchanged"], again["embedded"]) == (len(DOCUMENTS), 0)


@pytest.mark.parametrize("top_k", [None, 1])
def test_10_the_best_five_by_meaning_over_a_threshold(place: Place, top_k: int | None) -> None:
    given = ["--top-k", str(top_k)] if top_k else []
    hits = place.ok("search", QUESTION, "--json", *given).json["hits"]
    assert 0 < len(hits) <= (top_k or 5)
    assert all(hit["signals"]["cosine"] >= 0.5 for hit in hits)
    assert hits[0]["document"]["path"] == "guides/retention.md"
    assert place.ok("search", "chess championship of Reykjavik", "--json").json["hits"] == []
    one = place.ok("search", QUESTION, "--json", "--category", "ui-component", "--min-cosine", "-1")
    assert set(paths(one)) == {"components/ui/button.md"}


def test_11_keywords_boost_by_a_tenth_each(place: Place) -> None:
    plain, boosted = (
        place.ok("search", "samples of water", "--json", *more).json["hits"] for more in ([], ["--keyword-boost"])
    )
    scores = {hit["id"]: hit["score"] for hit in plain}
    text = boosted[0]["text"].casefold()
    words = sum(word in text for word in ("samples", "water"))
    assert boosted[0]["score"] == pytest.approx(scores[boosted[0]["id"]] * (1 + 0.1 * words), abs=1e-5)


def test_12_three_formats(place: Place) -> None:
    assert (
        "guides/retention.md" in place.ok("search", QUESTION).out or "retention.md:" in place.ok("search", QUESTION).out
    )
    tree = ElementTree.fromstring(place.ok("search", QUESTION, "--format", "xml").out)
    assert tree.tag == "retrieved_context"
    assert next(one.tag for one in tree) == "document"
    assert json.loads(place.ok("search", QUESTION, "--format", "json").out)["hits"]


async def test_13_and_14_the_same_over_http(place: Place) -> None:
    with place.inside():
        async with open_client(place.settings()) as client:
            found = (await client.post("/v1/search", json={"query": QUESTION})).json()
    assert found["hits"][0]["document"]["path"] == "guides/retention.md"
    assert len(found["hits"]) <= 5


def test_15_the_operations_of_its_table_are_measured(place: Place) -> None:
    timings = place.ok("search", QUESTION, "--json").json["timings"]
    assert {"total", "embedding"} <= set(timings)
