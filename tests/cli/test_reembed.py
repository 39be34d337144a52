"""`ragstone reembed`: the whole way with the built-in model's two precisions, and a sentence for each mistake."""

import json
from pathlib import Path

import pytest

from tests.commands import Run, run

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
    begun = run("reembed", "start", "--precision", "int8")
    assert (begun.status, begun.out.splitlines()[0].split(" (")[0]) == (0, "3 vectors made")
    assert states(run) == [("fp32+title", "active", 0), ("int8+title", "ready", 0)]
    compared = run("reembed", "compare", "golden.jsonl", "--mode", "semantic", "--json").json
    measures = {change["metric"]: (change["before"], change["after"]) for change in compared["changes"]}
    assert measures["MRR"] == (1.0, 1.0)
    assert "nDCG@10" in run("reembed", "compare", "golden.jsonl").out
    switched = run("reembed", "switch")
    assert "embed: {model: minilm, precision: int8}" in switched.err
    assert states(run) == [("int8+title", "active", 0), ("fp32+title", "kept", 0)]
    Path("ragstone.yaml").write_text("embed: {precision: int8}\n", encoding="utf-8")
    found = run("search", "how long are samples kept", "--json")
    assert "model_changed" not in found.out
    Path("docs", "new.md").write_text("# New\n\nRules are evaluated every minute.", encoding="utf-8")
    assert run("ingest", "docs").status == 0
    assert states(run) == [("int8+title", "active", 0), ("fp32+title", "kept", 1)]
    back = run("reembed", "back")
    assert back.out.splitlines()[0].startswith("1 vectors made")
    assert states(run) == [("fp32+title", "active", 0), ("int8+title", "kept", 0)]
    assert run("reembed", "drop", "--yes").out == "dropped all-MiniLM-L6-v2 int8+title (384)\n"
    assert states(run) == [("fp32+title", "active", 0)]


def test_the_comparison_asks_each_model_with_its_own_vectors(run: Run) -> None:
    """A second model whose vectors were all put to one place finds nothing first."""
    import asyncio

    import numpy as np

    from ragstone.stores import open_store
    from ragstone.testing.stores import two_models
    from ragstone.types import Scope

    run("ingest", "docs")

    async def spoil() -> None:
        store = open_store(".ragstone")
        scope = Scope("default", "default")
        await two_models(store).begin(scope, model="all-MiniLM-L6-v2", variant="int8+title", dimension=384)
        row = np.zeros(384, dtype=np.float32)
        row[0] = 1
        async with two_models(store).filler(scope) as filler:
            await filler.put({chunk.vector_key: row for chunk in await filler.wanted(9)})
        await store.close()

    asyncio.run(spoil())
    compared = run("reembed", "compare", "golden.jsonl", "--mode", "semantic", "--json").json
    before, after = next((c["before"], c["after"]) for c in compared["changes"] if c["metric"] == "MRR")
    assert (before, after < 1.0) == (1.0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("start",), "already: nothing to do"),
        (("start", "--precision", "int3"), "use fp32 or int8"),
        (("start", "--model", "none-such"), "no embedder is called 'none-such'"),
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
    run("reembed", "start", "--precision", "int8")
    done = run("reembed", "back")
    assert done.status == 2
    assert "was never the active model" in done.err
