"""`ragstone reembed`: the whole way with the built-in model's two precisions, and a sentence for each mistake."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.config.load import load
from ragstone.core.errors import UsageError
from ragstone.core.ports import CollectionModel
from ragstone.engine import model_factory
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run, run
from tests.providers.serving import backends
from tests.providers.serving.between import Between, Reply, Seen, standing

__all__ = ["run"]

GOLDEN = [
    {"id": "1", "question": "how long are samples kept", "expected_files": ["samples.md"]},
    {"id": "2", "question": "who mutes alerts", "expected_files": ["alerts.md"]},
]
TEXTS = {
    "samples.md": "# Samples\n\nSamples are kept for 15 days by default.",
    "alerts.md": "# Alerts\n\nA silence mutes alerts that match it.",
    "mail.md": "# Mail\n\nNotifications go out by e-mail.",
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with documents and questions."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    for name, text in TEXTS.items():
        Path("docs", name).write_text(text, encoding="utf-8")
    Path("golden.jsonl").write_text("\n".join(map(json.dumps, GOLDEN)), encoding="utf-8")


def states(run: Run) -> list[tuple[str, str, int]]:
    told = run("reembed", "status", "--json").json
    return [(one["variant"], one["state"], one["pending"]) for one in told["models"]]


def test_a_collection_goes_over_and_back(run: Run) -> None:
    run("ingest", "docs")
    begun = run("reembed", "start", "--precision", "fp32")
    assert (begun.status, begun.out.splitlines()[0].split(" (")[0]) == (0, "3 vectors made")
    assert states(run) == [("int8+title", "active", 0), ("fp32+title", "ready", 0)]
    compared = run("reembed", "compare", "golden.jsonl", "--mode", "semantic", "--json").json
    measures = {change["metric"]: (change["before"], change["after"]) for change in compared["changes"]}
    assert measures["MRR"] == (1.0, 1.0)
    assert "nDCG@10" in run("reembed", "compare", "golden.jsonl").out
    switched = run("reembed", "switch")
    assert "now set" not in switched.err
    assert states(run) == [("fp32+title", "active", 0), ("int8+title", "kept", 0)]
    again = run("reembed", "switch")
    assert (again.status, "nothing was switched; to make it active again run: ragstone reembed back" in again.err) == (
        2,
        True,
    )
    found = run("search", "how long are samples kept", "--json")
    assert "model_changed" not in found.out
    Path("docs", "new.md").write_text("# New\n\nRules are evaluated every minute.", encoding="utf-8")
    ingested = run("ingest", "docs")
    assert (ingested.status, "keeps its fp32 vectors" in ingested.err) == (0, True)
    assert "the others are kept, `ragstone reembed back` changes to them" in ingested.err
    assert states(run) == [("fp32+title", "active", 0), ("int8+title", "kept", 1)]
    back = run("reembed", "back")
    assert back.out.splitlines()[0].startswith("1 vector made")
    assert states(run) == [("int8+title", "active", 0), ("fp32+title", "kept", 0)]
    assert run("reembed", "drop", "--yes").out == "dropped all-MiniLM-L6-v2 fp32+title (384)\n"
    assert states(run) == [("int8+title", "active", 0)]


def test_the_comparison_asks_each_model_with_its_own_vectors(run: Run) -> None:
    """A second model whose vectors were all put to one place finds nothing first."""
    import asyncio

    import numpy as np

    from ragstone.core.types import Scope
    from ragstone.stores import open_store
    from ragstone.testing.stores import as_reembedding

    run("ingest", "docs")

    async def spoil() -> None:
        store = open_store(".ragstone")
        scope = Scope("default", "default")
        await as_reembedding(store).begin(scope, model="all-MiniLM-L6-v2", variant="fp32+title", dimension=384)
        row = np.zeros(384, dtype=np.float32)
        row[0] = 1
        async with as_reembedding(store).filler(scope) as filler:
            await filler.put({chunk.vector_key: row for chunk in await filler.find_unembedded(9)})
        await store.close()

    asyncio.run(spoil())
    compared = run("reembed", "compare", "golden.jsonl", "--mode", "semantic", "--json").json
    before, after = next((c["before"], c["after"]) for c in compared["changes"] if c["metric"] == "MRR")
    assert (before, after < 1.0) == (1.0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("start",), "already: nothing to do"),
        (("start", "--precision", "int3"), "expected fp32 or int8"),
        (
            ("start", "--precision", "int8", "--model", "ollama/nomic-embed-text"),
            "--precision is for the built-in model",
        ),
        (("start", "--model", ""), "invalid embed.model '': expected a text that is not blank"),
        (("start", "--model", "none-such"), "unknown embedder 'none-such'"),
        (("fill",), "has no second model"),
        (("switch",), "has no second model"),
        (("back",), "has no second model"),
        (("drop", "--yes"), "has no second model"),
        (("compare", "golden.jsonl"), "has no second model"),
        (("compare", "nowhere.jsonl"), "nowhere.jsonl"),
        (("status", "--store", "json:x.json"), "holds vectors of one model"),
    ],
)
def test_a_mistake_is_one_sentence(run: Run, arguments: tuple[str, ...], said: str) -> None:
    run("ingest", "docs")
    done = run("reembed", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_there_is_no_way_back_to_what_was_never_active(run: Run) -> None:
    run("ingest", "docs")
    run("reembed", "start", "--precision", "fp32")
    done = run("reembed", "back")
    assert done.status == 2
    assert "was never the active model" in done.err


# --- models of vendors ---

SMALL, LARGE = "ollama/all-minilm", "ollama/nomic-embed-text"  # 254 and 2,046 tokens of BERT's
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def vendor() -> Iterator[Between]:
    """Ollama with two models whose vectors are words counted."""
    bags = {"all-minilm": BagOfWords(384), "nomic-embed-text": BagOfWords(768)}

    def answer(seen: Seen) -> Reply:
        wanted = seen.json
        rows = asyncio.run(bags[wanted["model"]].embed(wanted["input"])).tolist()
        return backends.line({"model": wanted["model"], "embeddings": rows})

    with standing(answer) as between:
        yield between


def configured(vendor: Between, model: str, **more: Any) -> None:
    """A collection of a tenant that has a model of its own, reached in its own way."""
    embed = {"model": model, "base_url": vendor.url, "api_key": "k-acme", "retries": 0}
    rival = {"embed": {**embed, "api_key": "k-rival", "model": LARGE}}
    data = {"tenant": "acme", "embed": {"model": "none"}, "tenants": {"rival": rival, "acme": {"embed": embed}}, **more}
    Path("ragstone.yaml").write_text(json.dumps(data), encoding="utf-8")


def models_asked(vendor: Between) -> set[str]:
    return {f"ollama/{seen.json['model']}" for seen in vendor.requests}


def test_a_vendors_model_is_filled_compared_and_switched_to_with_the_tenants_settings(
    run: Run, vendor: Between
) -> None:
    configured(vendor, SMALL)
    Path("docs", "secret.md").write_text(f"# Deploy\n\nThe token is {SECRET}.", encoding="utf-8")
    assert run("ingest", "docs").status == 0
    assert run("reembed", "start", "--model", LARGE).out.startswith("4 vectors made")
    Path("docs", "new.md").write_text("# New\n\nRules are evaluated every minute.", encoding="utf-8")
    run("ingest", "docs")
    del vendor.requests[:]
    assert run("reembed", "fill").out.startswith("1 vector made")
    assert models_asked(vendor) == {LARGE}
    assert run("reembed", "compare", "golden.jsonl", "--mode", "semantic", "--json").json["changes"]
    assert models_asked(vendor) == {SMALL, LARGE}
    switched = run("reembed", "switch")
    assert f"now set `embed: {{model: {LARGE}}}` for this collection" in switched.err
    assert "documents keep their chunks" in switched.err
    del vendor.requests[:]
    Path("docs", "newer.md").write_text("# Newer\n\nMetrics have labels.", encoding="utf-8")
    configured(vendor, LARGE)
    assert "1 added" in run("ingest", "docs").out
    assert states(run) == [("whole+title", "active", 0), ("whole+title", "kept", 1)]
    assert "ghp_" not in run("reembed", "back").err
    assert models_asked(vendor) == {SMALL, LARGE}
    assert all(seen.headers["authorization"] == "Bearer k-acme" for seen in vendor.requests)
    assert SECRET not in "".join(json.dumps(seen.json) for seen in vendor.requests)
    assert "all-minilm (384)" in run("tenants", "list").out


def test_after_a_switch_ingests_go_on_where_they_can_and_else_are_refused_with_the_way(
    run: Run, vendor: Between
) -> None:
    words = "# Long\n\n" + "\n\n".join(f"Paragraph {n} about pumps and valves, in so many words." for n in range(90))
    Path("docs", "long.md").write_text(words, encoding="utf-8")
    configured(vendor, LARGE)
    run("ingest", "docs")
    run("reembed", "start", "--model", SMALL)
    assert (
        "ingests are refused until ragstone ingest --refresh has re-chunked all of them" in run("reembed", "switch").err
    )
    configured(vendor, SMALL)
    refused = run("ingest", "docs")
    assert (refused.status, refused.out) == (2, "")
    assert "ragstone ingest --refresh" in refused.err
    before = run("ingest", "docs", "--refresh", "--json").json
    assert (before["documents"]["changed"], run("ingest", "docs", "--json").json["written"]) == (4, 0)
    run("reembed", "drop", "--yes")
    run("reembed", "start", "--model", LARGE)
    run("reembed", "switch")
    configured(vendor, LARGE)
    Path("docs", "longer.md").write_text(words + " More.", encoding="utf-8")
    went_on = run("ingest", "docs", "--json").json
    assert (went_on["documents"]["added"], went_on["documents"]["changed"]) == (1, 0)
    assert went_on["written"] > 1  # as the model of before would read it, which could not read all of it at once
    assert run("ingest", "docs", "--refresh", "--json").json["documents"]["changed"] == 5


def test_nothing_of_a_second_model_leaves_the_machine_offline(run: Run, vendor: Between) -> None:
    configured(vendor, SMALL)
    run("ingest", "docs")
    run("reembed", "start", "--model", LARGE)
    Path("docs", "new.md").write_text("# New\n\nRules are evaluated every minute.", encoding="utf-8")
    run("ingest", "docs")
    data = json.loads(Path("ragstone.yaml").read_text(encoding="utf-8"))
    data["tenants"]["acme"]["embed"]["base_url"] = "http://192.0.2.1"
    Path("ragstone.yaml").write_text(json.dumps({**data, "offline": True}), encoding="utf-8")
    for command in (("fill",), ("compare", "golden.jsonl")):
        done = run("reembed", *command)
        assert (done.status, done.out) == (2, "")
        assert "is at 192.0.2.1, and offline is true" in done.err


def test_the_model_of_a_pipeline_is_known_too(run: Run, vendor: Between) -> None:
    named = {"model": "ollama/own", "base_url": vendor.url, "dimensions": 384, "reads": 99, "retries": 0}
    line = {"name": "both", "collections": ["default"], "embed": named}
    configured(vendor, SMALL, pipelines=[line])
    settings = load("ragstone.yaml")
    found = model_factory.find_embed_settings(CollectionModel("ollama/own", "whole+path", 384, "filling", 3), settings)
    assert (found.base_url, found.reads, found.prefix) == (vendor.url, 99, "path")
    shortened = model_factory.find_embed_settings(
        CollectionModel("ollama/nomic-embed-text", "d64+title", 64, "kept", 0), settings
    )
    assert (shortened.dimensions, shortened.api_key) == (64, "k-acme")
    with pytest.raises(UsageError, match="no embedder is known that gives vectors of bag-of-words crc32"):
        model_factory.find_embed_settings(CollectionModel("bag-of-words", "crc32+title", 64, "kept", 0), settings)


def test_a_collection_with_a_model_of_its_own_leaves_the_tenants_pin_alone(run: Run, vendor: Between) -> None:
    embed = {"model": SMALL, "base_url": vendor.url, "retries": 0}
    configured(vendor, SMALL, collections={"own": {"embed": embed}})
    data = json.loads(Path("ragstone.yaml").read_text(encoding="utf-8"))
    data["tenants"]["acme"] = {"embed": embed, "collections": {"own": {"embed": embed}}}
    Path("ragstone.yaml").write_text(json.dumps(data), encoding="utf-8")
    run("ingest", "docs", "--collection", "own")
    run("reembed", "start", "--collection", "own", "--model", LARGE)
    assert run("reembed", "switch", "--collection", "own").status == 0
    listed = run("tenants", "list", "--json").out.splitlines()
    assert [json.loads(line)["embedding_model_id"] for line in listed] == [None]


def test_the_bar_ends_where_it_is_finished(run: Run) -> None:
    for name in ("one", "two", "three"):
        Path("docs", f"{name}.md").write_text("# Same\n\nThe same words.", encoding="utf-8")
    run("ingest", "docs")
    lines = [json.loads(line) for line in run("reembed", "start", "--precision", "fp32", "--json").out.splitlines()]
    assert [(line["done"], line["total"]) for line in lines if line.get("event") == "vectors"][-1] == (6, 6)


def test_a_collection_without_vectors_says_so(run: Run) -> None:
    run("ingest", "docs", "--embedder", "none")
    done = run("reembed", "status")
    assert (done.status, done.out) == (0, "")
    assert "has no vectors yet: name a model" in done.err
