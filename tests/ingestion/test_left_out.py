"""Nothing is left out without a word: blocks are counted by role, files listed, a limit that was lifted is lifted."""

import json
from pathlib import Path

import pytest

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run
from tests.ingestion.test_editions import url
from tests.ingestion.test_run import Open, counts

__all__ = ["url"]
CONTENTS = "One ..... 1\nTwo ..... 2\nThree ..... 3\n\nThe text of the manual.\n"
LONG = "\n\n".join(f"# Part {n}\n\n" + f"Sentence {n} of part {n} goes on. " * 60 for n in range(8))


def test_what_becomes_no_chunk_is_counted_and_its_document_named(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "manual.txt").write_text(CONTENTS, encoding="utf-8")
    (tmp_path / "page.html").write_text("<nav>Home</nav><main><p>Text.</p></main><footer>Imprint</footer>")
    (tmp_path / "plain.md").write_text("# Plain\n\nNothing is left out.\n", encoding="utf-8")
    [run] = opened().ingest(tmp_path)
    assert run.stats["left_out"] == [
        {"path": "manual.txt", "toc": 1},
        {"path": "page.html", "nav": 1},
    ]
    assert [one.stats["left_out"] for one in opened().runs()] == [run.stats["left_out"]]


def test_a_page_of_ports_is_a_document(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "ports.txt").write_text("These ports are open.\n22\n80\n443\n8080\n9090\n", encoding="utf-8")
    kb = opened()
    [run] = kb.ingest(tmp_path)
    assert counts(run) == {"added": 1}
    assert "8080" in kb.chunk("ports.txt", 0).text


def test_a_document_is_whole_once_the_limit_of_chunks_is_lifted(tmp_path: Path, url: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.md").write_text(LONG, encoding="utf-8")

    def ingest(limit: int | None) -> tuple[dict[str, int], int, bool]:
        with ragstone.open(settings=ragstone.load(store=url, embed__model="none", limits__chunks=limit)) as kb:
            [run] = kb.ingest(tmp_path / "docs")
            [document] = kb.documents()
            return counts(run), kb.info().chunks, document.trimmed

    assert ingest(2) == ({"added": 1}, 2, True)
    assert ingest(2) == ({"unchanged": 1}, 2, True)
    assert ingest(3) == ({"changed": 1}, 3, True)
    changed, chunks, trimmed = ingest(None)
    assert changed == {"changed": 1}
    assert chunks > 3
    assert not trimmed
    assert ingest(None)[0] == {"unchanged": 1}


def test_the_terminal_counts_what_is_left_out_in_a_line_and_json_lists_it(run: Run, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "node_modules" / "x").mkdir(parents=True)
    (docs / "node_modules" / "x" / "readme.md").write_text("A package.", encoding="utf-8")
    (docs / "manual.txt").write_text(CONTENTS, encoding="utf-8")
    (docs / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (docs / "server.log").write_text("started", encoding="utf-8")
    for n in range(3):
        (docs / f"{n}.bin").write_bytes(bytes(99))
    done = run("ingest", docs, "--store", "store", "--embedder", "none", "--strict")
    assert done.status == 0
    said = done.out + done.err
    expected = "left out: 3 files of other formats (3 .bin), 2 ignored (node_modules/), 1 hidden; --json lists them"
    assert expected in said
    assert "left out of 1 document, in blocks: 1 tables of contents" in said
    last = json.loads(run("ingest", docs, "--store", "store", "--embedder", "none", "--json").out.splitlines()[-1])
    assert last["skipped"] == []
    assert {(file["path"], file["reason"]) for file in last["ignored"]} == {
        *((f"{n}.bin", "binary") for n in range(3)),
        ("node_modules/", "ignored"),
        ("server.log", "ignored"),
        (".gitignore", "hidden"),
    }
    assert last["left_out"] == []


def test_minified_scripts_are_left_out_unless_they_are_named(run: Run, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "search-4f1.js").write_text(f"window.search={{{'tank:[1,2],' * 500}}}", encoding="utf-8")
    (docs / "theme.css").write_text("/* blue */\n" + ".tank{color:blue}" * 200 + "\n", encoding="utf-8")
    (docs / "pump.js").write_text("// Starts the pump.\n" + "function start() {\n  run();\n}\n" * 200, encoding="utf-8")
    (docs / "rows.json").write_text(json.dumps([{"tank": n} for n in range(300)]), encoding="utf-8")
    (docs / "page.md").write_text("tank " * 900, encoding="utf-8")
    keyword = ("--store", "store", "--embedder", "none", "--json")
    last = json.loads(run("ingest", docs, *keyword).out.splitlines()[-1])
    assert {file["path"]: file["reason"] for file in last["ignored"]} == dict.fromkeys(
        ["search-4f1.js", "theme.css"], "ignored"
    )
    assert last["documents"]["added"] == 3
    named = json.loads(run("ingest", docs / "theme.css", *keyword).out.splitlines()[-1])
    assert named["documents"]["added"] == 1


def test_a_warning_of_many_documents_is_said_once(run: Run, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(9):
        hidden = "word " * (n + 1)
        (docs / f"{n}.html").write_text(f"<main><p>Text {n}.</p><button>{hidden}</button></main>", encoding="utf-8")
    done = run("ingest", docs, "--store", "store", "--embedder", "none")
    lines = [line for line in (done.out + done.err).splitlines() if "controls" in line]
    assert [line.split(": ")[1] for line in lines] == ["0.html", "1.html", "2.html", "6 more documents"]
    assert lines[-1].endswith("(--json names them)")
    last = json.loads(run("ingest", docs, "--store", "other", "--embedder", "none", "--json").out.splitlines()[-1])
    assert len(last["warnings"]) == 9


def test_a_binary_file_that_is_named_is_refused_with_its_reason(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(99))
    done = run("ingest", tmp_path / "a.bin", "--store", "store", "--embedder", "none", "--strict")
    assert done.status == 1
    assert "skipped a.bin (unsupported): a.bin is binary data, of no format that Ragstone reads" in done.out + done.err


def test_a_folder_without_documents_is_named(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Text.\n", encoding="utf-8")
    (tmp_path / "hollow").mkdir()
    kb = opened()
    kb.ingest(tmp_path / "docs")
    [run] = kb.ingest(tmp_path / "hollow")
    assert run.stats["warnings"] == [
        "no documents found in source 'hollow': it is empty, or the rules exclude everything"
    ]


@pytest.mark.parametrize("place", ["embedded:docs/store", "json:docs/kb.json", "qdrant:docs/points"])
def test_the_files_of_the_store_are_no_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Dam\n\nThe dam holds.\n", encoding="utf-8")
    with ragstone.open(place, embedder=BagOfWords()) as kb:
        for _ in range(2):
            kb.ingest("docs")
            assert [document.path for document in kb.documents()] == ["a.md"]
