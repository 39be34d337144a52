"""`make gate`: the demo's questions by words alone, without a model, against a baseline that is kept."""

from pathlib import Path

from tests.commands import Run

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "demo"


def test_the_gate_by_words_is_open_and_closes_when_documents_are_gone(run: Run, tmp_path: Path) -> None:
    questions = ("--golden", DEMO / "golden.jsonl", "--mode", "keyword", "--baseline", DEMO / "gate.json", "--gate")
    for folder, status in (("docs", 0), ("docs/prometheus/introduction", 3)):
        store = tmp_path / folder.replace("/", "-")
        assert run("ingest", DEMO / folder, "--store", store, "--embedder", "none").status == 0
        done = run("eval", *questions, "--store", store, "--json")
        assert done.status == status, done.err
        assert {change["metric"] for change in done.json["comparison"]["changes"]} >= {"nDCG@10", "MRR", "Recall@10"}


def test_make_and_the_automatic_checks_run_this_gate() -> None:
    recipe = (ROOT / "Makefile").read_text("utf-8").split("\ngate: ", 1)[1].split("\n\n", 1)[0]
    assert "--embedder none" in recipe
    assert "--golden demo/golden.jsonl" in recipe
    assert "--mode keyword --baseline demo/gate.json --gate" in recipe
    assert "make gate" in (ROOT / ".ci" / "run").read_text("utf-8")
