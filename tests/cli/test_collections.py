"""`ragstone collections` and `doctor` on what is no store, on what is damaged, and for programs."""

import io
import json
from pathlib import Path

import pytest

from tests.commands import Run


@pytest.fixture
def built(run: Run, docs: Path) -> Path:
    """A store of the documents, by keyword alone."""
    assert run("ingest", docs, "--store", "store", "--embedder", "none").status == 0
    return Path("store")


@pytest.mark.parametrize("store", ["docs/storage.md", "/dev/null", "json:docs/storage.md", "json:/dev/null"])
@pytest.mark.parametrize("command", [("collections", "list"), ("collections", "info"), ("search", "x"), ("runs",)])
def test_a_file_that_is_no_store_is_named(run: Run, docs: Path, store: str, command: tuple[str, ...]) -> None:
    outcome = run(*command, "--store", store)
    assert (outcome.status, outcome.out) == (2, "")
    assert "is not a " in outcome.err


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_store_that_is_not_there_yet_is_said_to_hold_nothing(run: Run, options: tuple[str, ...]) -> None:
    outcome = run("collections", "list", "--store", "/nosuch/x", *options)
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == "nothing was ingested into /nosuch/x for tenant 'default' yet\n"


def test_erasing_gives_json_to_programs(run: Run, built: Path) -> None:
    store = ("--store", "store", "--yes", "--json")
    assert run("collections", "delete", "notes.txt", "--document", *store).json == {"schema": 1, "erased": "notes.txt"}
    assert run("collections", "delete", "docs", "--source", *store).json == {"schema": 1, "erased": "docs"}
    assert "0 documents" in run("collections", "info", "--store", "store").out
    erased = run("collections", "delete", "default", *store)
    assert [json.loads(line) for line in erased.out.splitlines()] == [{"schema": 1, "erased": "default"}]


def test_erasing_looks_before_it_asks(run: Run, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = run("collections", "delete", "default", "--store", "store")
    assert asked.status == 1
    assert "Erase 'default' (4 documents, " in asked.err
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert (
        "Erase 'notes.txt' (of 'docs') for good?"
        in run("collections", "delete", "notes.txt", "--document", "--store", "store").err
    )
    for wrong in (("nowhere",), ("nowhere.txt", "--document"), ("nowhere", "--source")):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        missing = run("collections", "delete", *wrong, "--store", "store")
        assert (missing.status, missing.err.startswith("error: there is no ")) == (2, True)
    assert "4 documents" in run("collections", "info", "--store", "store").out


def test_progress_is_for_terminals_and_programs_that_ask(run: Run, docs: Path) -> None:
    quiet = run("ingest", docs, "--store", "store", "--embedder", "none")
    assert (quiet.status, quiet.err) == (0, "")
    assert len(quiet.out.splitlines()) == 1


def test_a_name_of_several_lines_stands_on_one(run: Run, docs: Path) -> None:
    (docs / "new\nline.md").write_text("# New")
    run("ingest", docs, "--store", "store", "--embedder", "none")
    shown = run("collections", "documents", "--store", "store").out
    assert "docs  new\\nline.md  revision 1\n" in shown
    assert len(shown.splitlines()) == 5
    assert run("collections", "delete", "new\nline.md", "--document", "--yes", "--store", "store").out == (
        "erased new\\nline.md\n"
    )


def test_a_text_that_was_changed_in_the_store_is_found_and_taken_out(run: Run, docs: Path, built: Path) -> None:
    database = built / "default" / "default" / "collection.sqlite"
    database.write_bytes(database.read_bytes().replace(b"Tuesdays at noon", b"Mondays at night"))
    refused = run("search", "meetings", "--store", "store", "--mode", "keyword")
    assert (refused.status, refused.out) == (1, "")
    assert "chunk 0 of 'notes.txt' does not match its checksum; run: ragstone doctor --repair" in refused.err
    doctor = ("doctor", "--store", "store")
    assert "'notes.txt' of source 'docs' is stored damaged" in run(*doctor).out
    assert "is taken out; ingest it again" in run(*doctor, "--repair").out
    assert "notes.txt" not in run(*doctor).out
    run("ingest", docs, "--store", "store", "--embedder", "none")
    assert "Tuesdays at noon" in run("search", "meetings", "--store", "store", "--mode", "keyword").out


def test_an_empty_database_is_broken_and_comes_again_with_recreate(run: Run, docs: Path, built: Path) -> None:
    (built / "default" / "default" / "collection.sqlite").write_bytes(b"")
    assert "broken" in run("collections", "list", "--store", "store").out
    refused = run("ingest", docs, "--store", "store", "--embedder", "none")
    assert refused.status == 1
    assert "collection.sqlite is damaged (it is empty); ingest anew with --recreate" in refused.err
    assert run("ingest", docs, "--store", "store", "--embedder", "none", "--recreate").status == 0
    assert "healthy" in run("collections", "list", "--store", "store").out


@pytest.mark.parametrize(
    "command", [("chunk", "storage.md", "9" * 23), ("runs", "--limit", "9" * 20)], ids=["chunk", "runs"]
)
def test_a_number_that_no_store_can_count_to_is_bad_input(run: Run, built: Path, command: tuple[str, ...]) -> None:
    outcome = run(*command, "--store", "store")
    assert outcome.status == 2
    assert "SQLite" not in outcome.err


@pytest.mark.parametrize("command", [("search", "x"), ("ask", "x"), ("show", "notes.txt"), ("collections", "info")])
def test_a_collection_that_does_not_exist_is_named_with_its_store_and_the_others(
    run: Run, built: Path, command: tuple[str, ...]
) -> None:
    outcome = run(*command, "--store", "store", "--collection", "notes")
    assert (outcome.status, outcome.out) == (1, "")
    expected = (
        "nothing was ingested into collection 'notes' of store yet; its collections are: 'default'; run: ragstone"
    )
    assert expected in outcome.err
    assert "collection 'default' of nowhere yet; run" in run(*command, "--store", "nowhere").err


def test_doctor_names_the_store_and_the_collections_that_are(run: Run, built: Path) -> None:
    outcome = run("doctor", "--store", "store", "--collection", "notes")
    assert outcome.status == 1
    assert "collection 'notes' of store yet; its collections are: 'default'; run: ragstone ingest" in outcome.out


@pytest.mark.parametrize("command", [("search", "x"), ("ask", "x"), ("show", "notes.txt"), ("collections", "info")])
def test_a_folder_of_documents_is_no_store_and_the_error_says_what_to_do(
    run: Run, docs: Path, command: tuple[str, ...]
) -> None:
    outcome = run(*command, "--store", "docs")
    expected = "error: docs is not a store; to search the documents in it, run: ragstone ingest docs\n"
    assert (outcome.status, outcome.out, outcome.err) == (1, "", expected)


def test_explain_says_what_the_filter_is_that_nobody_set(run: Run, built: Path) -> None:
    shown = run("explain", "samples", "--doc", "storage.md", "--mode", "keyword", "--store", "store")
    assert "  filter confidentiality: passes (this search may read the document)\n" in shown.out
    (built / "plan.md").write_text(
        "---\nconfidentiality: restricted\n---\n# Samples\n\nSamples of the plan.\n", "utf-8"
    )
    run("ingest", built, "--store", "store", "--embedder", "none")
    shown = run("explain", "samples", "--doc", "plan.md", "--mode", "keyword", "--store", "store")
    assert "confidentiality: excluded (the document is restricted: add --allow-restricted)\n" in shown.out


def test_no_other_tenants_collection_is_named(run: Run, built: Path) -> None:
    outcome = run("search", "x", "--store", "store", "--tenant", "acme", "--collection", "notes")
    assert "nothing was ingested into collection 'notes' of store yet; run" in outcome.err
