"""Every command on real input, with the built-in model where it embeds."""

import contextlib
import hashlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ragstone.core.types import Span, join_slices
from tests.commands import Run
from tests.patience import HANG


@pytest.fixture
def built(run: Run, docs: Path) -> Path:
    """The documents in `store`, by keyword alone (fast)."""
    assert run("ingest", docs, "--store", "store", "--embedder", "none").status == 0
    return docs


@pytest.mark.parametrize(
    "text",
    [
        "# Tax\nThe tax rate is nine percent.\n# Leave\nEmployees get thirty days of leave.\n",
        "Tax\n===\nThe tax rate is nine percent.\n\nLeave\n-----\nEmployees get thirty days of leave.\n",
        "**Tax**\nThe tax rate is nine percent.\n\n**Leave**\nEmployees get thirty days of leave.\n",
        "<h2>Tax</h2>The tax rate is nine percent.\n",
    ],
)
def test_a_heading_without_a_blank_line_is_no_part_of_the_quote(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text(text, encoding="utf-8")
    assert run("ingest", tmp_path / "docs", "--store", "store", "--embedder", "none").status == 0
    answer = run("ask", "What is the tax rate?", "--store", "store", "--json").json
    assert [citation["quote"] for citation in answer["citations"]] == ["The tax rate is nine percent."]


def test_ingest_json_ends_with_the_counts(run: Run, docs: Path) -> None:
    (docs / "bad.md").write_bytes(b"\x00\x01\x02\x03" * 50)
    done = run("ingest", docs, "--store", "store", "--json")
    assert done.status == 0
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert {line["event"] for line in lines} == {"text", "vectors", "done"}
    last = lines[-1]
    assert last["documents"] == {"added": 4, "changed": 0, "moved": 0, "unchanged": 0, "removed": 0, "skipped": 1}
    assert last["chunks"] >= 4
    assert [s["path"] for s in last["skipped"]] == ["bad.md"]
    assert last["skipped"][0]["reason"] == "not_text"
    assert run("ingest", docs, "--store", "store", "--strict").status == 1


def test_the_built_in_model_answers_end_to_end(run: Run, docs: Path) -> None:
    assert run("ingest", docs, "--store", "store").status == 0
    answer = run("ask", "For how many days are samples retained by default?", "--store", "store", "--json").json
    assert answer["schema"] == 1
    assert not answer["abstained"]
    assert "15 days" in answer["answer"]
    for citation in answer["citations"]:
        assert citation["status"] == "verified"
        file = (docs / citation["document"]["path"]).read_text(encoding="utf-8")
        spans = [Span(**{**span, "bbox": None, "rows": None, "cols": None}) for span in citation["spans"]]
        assert join_slices(file, spans) == citation["quote"]


def test_search_prints_places_for_people_and_json_for_programs(run: Run, built: Path) -> None:
    shown = run("search", "retention of samples", "--store", "store", "--mode", "keyword")
    assert "storage.md:" in shown.out
    data = run("search", "retention of samples", "--store", "store", "--mode", "keyword", "--json").json
    hit = data["hits"][0]
    assert {"id", "document", "heading_path", "text", "score", "signals", "spans", "flags", "risk_score"} <= set(hit)
    assert set(hit["document"]) == {"id", "version", "version_label", "source", "path", "title"}


@pytest.mark.parametrize("format_", ["xml", "evidence", "evidence-llm", "json"])
def test_other_formats(run: Run, built: Path, format_: str) -> None:
    shown = run("search", "samples", "--store", "store", "--mode", "keyword", "--format", format_)
    assert shown.status == 0
    assert "storage" in shown.out


def test_filters_on_the_command_line(run: Run, built: Path) -> None:
    base = ("search", "samples alerts release snapshots", "--store", "store", "--mode", "keyword", "--json")
    assert {h["document"]["path"] for h in run(*base, "--path", "guides/*").json["hits"]} == {"guides/alerts.md"}
    assert {h["document"]["path"] for h in run(*base, "--tag", "disk").json["hits"]} == {"storage.md"}
    condition = json.dumps({"conditions": [{"column": "path", "operator": "LIKE", "value": "%.txt"}]})
    assert {h["document"]["path"] for h in run(*base, "--filter", condition).json["hits"]} == {"notes.txt"}


def test_chunk_show_and_explain(run: Run, built: Path) -> None:
    assert "15 days" in run("chunk", "storage.md", "0", "--store", "store").out
    assert run("chunk", "storage.md", "0", "--store", "store", "--json").json["ordinal"] == 0
    assert (
        run("show", "storage.md", "--lines", "1-2", "--store", "store").out.splitlines()[1].endswith("title: Storage")
    )
    explained = run("explain", "samples", "--doc", "storage.md", "--store", "store", "--mode", "keyword")
    assert "found at rank 1" in explained.out
    for part in (r"rank bm25 +1\n", r"bm25 +\d\.\d{4}", r"score +\d\.\d{4}"):
        assert re.search(part, explained.out), part
    assert explained.out.count("\n") <= 24
    elsewhere = ("--path", "guides/*", "--store", "store", "--mode", "keyword")
    assert "filter paths: excluded" in run("explain", "samples", "--doc", "storage.md", *elsewhere).out
    assert (
        run("explain", "x", "--doc", "no.md", "--store", "store", "--mode", "keyword", "--json").json["stage"]
        == "not_there"
    )
    missed = run("explain", "x", "--doc", "docs/guides/alerts.md", "--store", "store", "--mode", "keyword")
    assert "no document 'docs/guides/alerts.md'; did you mean 'guides/alerts.md'?" in missed.out


def test_a_preview_needs_no_store(run: Run, docs: Path) -> None:
    shown = run("chunk", "--preview", docs / "storage.md")
    assert "15 days" in shown.out
    assert "title: Storage" not in shown.out
    assert not Path(".ragstone").exists()


def test_extract_gives_text_and_blocks(run: Run, docs: Path) -> None:
    assert "15 days" in run("extract", docs / "storage.md").out
    data = run("extract", docs / "guides" / "alerts.md", "--json").json
    assert data["schema"] == 1
    assert data["media_type"] == "text/markdown"
    table = next(block for block in data["blocks"] if block["type"] == "table")
    assert {"row", "col", "rowspan", "colspan", "text", "header", "page", "bbox"} <= set(table["cells"][0])
    assert [c["text"] for c in table["cells"] if c["header"]] == ["Receiver", "Since"]


def test_collections_runs_and_doctor(run: Run, built: Path) -> None:
    listed = run("collections", "list", "--store", "store", "--json").json
    assert (listed["name"], listed["documents"], listed["status"]) == ("default", 4, "healthy")
    assert run("runs", "--store", "store", "--json").json["status"] == "succeeded"
    healthy = run("doctor", "--store", "store")
    assert (healthy.status, healthy.out) == (0, "healthy: store\n")
    assert run("collections", "documents", "--store", "store").out.count("\n") == 4
    listed = [
        json.loads(line) for line in run("collections", "documents", "--store", "store", "--json").out.splitlines()
    ]
    versions = {document["path"]: document["version"] for document in listed}
    assert versions["notes.txt"] == hashlib.sha256((built / "notes.txt").read_bytes()).hexdigest()
    assert run("collections", "delete", "notes.txt", "--document", "--yes", "--store", "store").status == 0
    assert run("collections", "info", "--store", "store", "--json").json["documents"] == 3
    assert run("collections", "delete", "default", "--yes", "--store", "store").status == 0
    assert run("collections", "list", "--store", "store").out == ""


def test_with_json_everything_on_stdout_is_json(run: Run, built: Path) -> None:
    """One value a line, NaN none; `collections` and `doctor` have tests of their own."""
    sha = hashlib.sha256((built / "notes.txt").read_bytes()).hexdigest()
    Path("golden.jsonl").write_text(json.dumps({"query": "samples", "expected_files": ["storage.md"]}), "utf-8")
    for command in (
        ("ingest", built, "--embedder", "none"),
        ("search", "samples", "--mode", "keyword"),
        ("search", "samples", "--mode", "keyword", "--format", "xml"),
        ("search", "nothing of this kind", "--mode", "keyword", "--sha", sha.upper()),
        ("ask", "How long are samples kept?", "--mode", "keyword"),
        ("chunk", "storage.md"),
        ("chunk", "--preview", built / "storage.md"),
        ("extract", built / "storage.md"),
        ("show", "storage.md"),
        ("explain", "samples", "--doc", "storage.md", "--mode", "keyword"),
        ("eval", "--golden", "golden.jsonl", "--mode", "keyword"),
        ("runs",),
    ):
        outcome = run(*command, "--store", "store", "--json")
        assert outcome.status == 0
        assert outcome.out
        for line in outcome.out.splitlines():
            assert isinstance(json.loads(line, parse_constant=pytest.fail), dict)


def test_an_abstention_is_no_failure_unless_strict(run: Run, built: Path) -> None:
    ask = ("ask", "Who won the world cup in 1998?", "--store", "store", "--mode", "keyword")
    assert run(*ask).status == 0
    assert run(*ask, "--json").json["abstained"] is True
    assert run(*ask, "--strict").status == 1


def test_eval_gives_metrics_with_intervals_and_a_gate(run: Run, built: Path) -> None:
    golden = Path("golden.jsonl")
    cases = [("how long are samples kept", "storage.md"), ("telegram receiver", "guides/alerts.md")]
    golden.write_text("\n".join(json.dumps({"query": q, "expected_files": [f]}) for q, f in cases), "utf-8")
    base = ("eval", "--golden", golden, "--store", "store", "--mode", "keyword")
    report = run(*base, "--json", "--csv", "out.csv").json
    assert report["metrics"]["Recall@10"] == 1.0
    assert set(report["intervals"]) == set(report["metrics"])
    assert report["questions"] == 2
    assert Path("out.csv").read_text("utf-8").count("\n") == 3
    for row in report["per_question"]:
        row["metrics"] = dict.fromkeys(row["metrics"], 0.0)
    Path("base.json").write_text(json.dumps(report), "utf-8")
    assert run(*base, "--baseline", "base.json", "--gate").status == 0
    for row in report["per_question"]:
        row["metrics"] = dict.fromkeys(row["metrics"], 1.5)
    Path("base.json").write_text(json.dumps(report), "utf-8")
    worse = run(*base, "--baseline", "base.json", "--gate")
    assert worse.status == 3
    assert "worse than the baseline" in worse.err


def test_eval_reads_a_beir_folder_as_it_is(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    texts = {"d/1": "Cats purr when they are content.", "d 2": "Dogs bark at strangers.", "d3": "Fish swim in water."}
    corpus = [json.dumps({"_id": i, "title": "", "text": t}) for i, t in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(corpus), "utf-8")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "which animal purrs"}), "utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td/1\t1\n", "utf-8")
    report = run("eval", "--beir", folder, "--json").json
    assert report["metrics"]["nDCG@10"] == 1.0


def test_help_names_every_command(run: Run) -> None:
    shown = run("--help")
    assert shown.status == 0
    for command in "ingest search ask chunk extract explain eval collections runs doctor show".split():
        assert f" {command} " in shown.out
        assert run(command, "--help").status == 0


def test_a_terminal_sees_bars_with_rate_and_time_left(docs: Path) -> None:
    """Run under a pseudo-terminal, as a person would; the data still goes to stdout."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "ragstone", "ingest", str(docs), "--store", "store", "--embedder", "none"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env={**os.environ, "TERM": "xterm"})
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # the terminal is gone when the child is
        while part := os.read(controller, 4096):
            shown += part
    out, _ = child.communicate(timeout=HANG)
    os.close(controller)
    assert "4 added" in out.decode()
    assert "documents" in shown.decode()
    assert "4/4" in shown.decode()
    assert "/s" in shown.decode()
    assert re.search(r"[\d-]:[\d-]{2}:[\d-]{2}", shown.decode())  # the time left
    assert '"event"' not in shown.decode()


def test_a_terminal_sees_that_a_question_is_at_work_and_the_answer_alone_on_stdout(built: Path) -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "ragstone", "ask", "How long are samples kept?", "--store", "store"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env={**os.environ, "TERM": "xterm"})
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(controller, 4096):
            shown += part
    out, _ = child.communicate(timeout=HANG)
    os.close(controller)
    assert "answering …" in shown.decode()
    assert "samples" in out.decode().lower()
    assert "answering" not in out.decode()
    assert "\x1b" not in out.decode()
