"""Ingestion: what changed is replaced, what vanished goes, what cannot be read is listed, nothing is lost."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

import ragstone
from ragstone import extraction
from ragstone.core import work_limit
from ragstone.core.answers import Event
from ragstone.core.errors import Busy, StoreError, UsageError
from ragstone.core.ports import Vectors
from ragstone.core.types import join_slices
from ragstone.testing.bag_of_words import BagOfWords
from tests.patience import HANG

Open = Callable[..., ragstone.Knowledge]


def counts(run: ragstone.Run) -> dict[str, int]:
    """The document counts that are not zero."""
    return {name: n for name, n in run.stats["documents"].items() if n}


def test_a_first_run_takes_everything_in_and_a_second_embeds_nothing(docs: Path, opened: Open) -> None:
    kb = opened()
    [first] = kb.ingest(docs)
    [second] = kb.ingest(docs)
    assert counts(first) == {"added": 4}
    assert first.stats["embedded"] > 0
    assert counts(second) == {"unchanged": 4}
    assert second.stats["embedded"] == 0
    assert kb.info().pending_vectors == 0


def test_a_changed_document_is_replaced_as_a_whole(docs: Path, kb: ragstone.Knowledge) -> None:
    (docs / "notes.txt").write_text("The release manager for version 3.2 is Robin.\n", encoding="utf-8")
    [run] = kb.ingest(docs)
    assert counts(run) == {"changed": 1, "unchanged": 3}
    texts = [hit.chunk.text for hit in kb.search("release manager Dana Tuesdays", top_k=50).hits]
    assert not any("Dana" in text or "Tuesdays" in text for text in texts)
    assert kb.chunk("notes.txt", 0).document.revision == 2


def test_one_edited_section_embeds_only_itself(docs: Path, kb: ragstone.Knowledge) -> None:
    long = "\n".join(f"## Part {i}\n\n" + f"Sentence {i} about topic{i}. " * 60 for i in range(20))
    (docs / "long.md").write_text(f"# Long\n\n{long}", encoding="utf-8")
    [before] = kb.ingest(docs)
    (docs / "long.md").write_text(f"# Long\n\n{long.replace('topic7.', 'topic-seven.', 1)}", encoding="utf-8")
    [after] = kb.ingest(docs)
    assert before.stats["embedded"] >= 20
    assert 1 <= after.stats["embedded"] <= 2


def test_a_renamed_document_with_a_title_embeds_nothing_anew(docs: Path, kb: ragstone.Knowledge) -> None:
    (docs / "storage.md").rename(docs / "disk.md")
    [run] = kb.ingest(docs)
    assert counts(run) == {"moved": 1, "unchanged": 3}
    assert run.stats["embedded"] == 0
    assert {hit.chunk.document.path for hit in kb.search("retention of samples", top_k=50).hits} >= {"disk.md"}
    assert "storage.md" not in {d.path for d in kb.documents()}


def test_a_second_collection_embeds_nothing_twice(docs: Path, kb: ragstone.Knowledge, opened: Open) -> None:
    other = opened(collection="copy")
    [run] = other.ingest(docs)
    assert counts(run) == {"added": 4}
    assert run.stats["embedded"] == 0
    assert other.info().pending_vectors == 0


def test_going_back_gives_the_same_ids_under_a_new_revision(docs: Path, kb: ragstone.Knowledge) -> None:
    file = docs / "notes.txt"
    first, text = kb.chunk("notes.txt", 0), file.read_text(encoding="utf-8")
    file.write_text("Something else entirely.\n", encoding="utf-8")
    kb.ingest(docs)
    middle = kb.chunk("notes.txt", 0)
    file.write_text(text, encoding="utf-8")
    kb.ingest(docs)
    last = kb.chunk("notes.txt", 0)
    assert (first.id, first.document.version) == (last.id, last.document.version)
    assert middle.id != first.id
    assert [c.document.revision for c in (first, middle, last)] == [1, 2, 3]


def test_the_same_input_gives_the_same_ids_on_every_store(docs: Path, kb: ragstone.Knowledge, opened: Open) -> None:
    other = opened("elsewhere")
    other.ingest(docs)
    for document in kb.documents():
        assert other.chunk(document.path, 0).id == kb.chunk(document.path, 0).id


def test_vanished_files_go_but_a_mass_removal_asks_first(docs: Path, kb: ragstone.Knowledge) -> None:
    (docs / "notes.txt").unlink()
    assert counts(kb.ingest(docs)[0]) == {"unchanged": 3, "removed": 1}
    for file in list(docs.rglob("*.*")):
        file.unlink()
    with pytest.raises(UsageError, match=r"3 of 3 documents of source 'docs' are gone.*--allow-removals"):
        kb.ingest(docs)
    assert len(kb.documents()) == 3
    assert counts(kb.ingest(docs, allow_removals=True)[0]) == {"removed": 3}
    assert kb.search("retention").notes[0].code == "index_empty"


def test_more_than_half_of_a_larger_source_asks_too(tmp_path: Path, opened: Open) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(20):
        (folder / f"{i}.txt").write_text(f"Document number {i}.", encoding="utf-8")
    kb = opened()
    kb.ingest(folder)
    for i in range(11):
        (folder / f"{i}.txt").unlink()
    with pytest.raises(UsageError, match="11 of 20"):
        kb.ingest(folder)


def test_what_cannot_be_read_is_listed_and_the_run_goes_on(docs: Path, opened: Open) -> None:
    (docs / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (docs / "bytes.md").write_bytes(bytes(range(128, 256)) * 9)
    (docs / "empty.md").write_bytes(b"")
    (docs / "huge.txt").write_bytes(b"word " * 3_000_000)
    (docs / "out.md").symlink_to("/etc/hostname")
    (docs / "report.pdf").write_bytes(b"%PDF-1.7\n" + bytes(100))
    kb = opened()
    [run] = kb.ingest(docs)
    reasons = {skipped["path"]: skipped["reason"] for skipped in run.stats["skipped"]}
    assert reasons == {
        "picture.md": "broken",
        "bytes.md": "encoding",
        "empty.md": "empty",
        "huge.txt": "too_large",
        "out.md": "outside_root",
        "report.pdf": "broken",
    }
    assert all(skipped["message"] for skipped in run.stats["skipped"])
    assert counts(run) == {"added": 4, "skipped": 6}


def test_a_document_that_breaks_later_keeps_its_last_good_revision(docs: Path, kb: ragstone.Knowledge) -> None:
    (docs / "notes.txt").write_bytes(bytes(range(128, 256)) * 9)
    [run] = kb.ingest(docs)
    assert [s["path"] for s in run.stats["skipped"]] == ["notes.txt"]
    assert "Dana" in kb.chunk("notes.txt", 0).text


def test_two_sources_with_the_same_file_names_live_side_by_side(
    docs: Path, tmp_path: Path, kb: ragstone.Knowledge
) -> None:
    other = tmp_path / "wiki"
    other.mkdir()
    (other / "notes.txt").write_text("The wiki has notes as well.", encoding="utf-8")
    kb.ingest(other)
    assert [(d.source, d.path) for d in kb.documents() if d.path == "notes.txt"] == [
        ("docs", "notes.txt"),
        ("wiki", "notes.txt"),
    ]
    assert "Dana" in kb.chunk("notes.txt", 0, source="docs").text
    assert "wiki" in kb.chunk("notes.txt", 0, source="wiki").text


def test_two_folders_of_one_name_are_not_taken_for_each_other(tmp_path: Path, kb: ragstone.Knowledge) -> None:
    twin = tmp_path / "b" / "docs"
    twin.mkdir(parents=True)
    (twin / "x.txt").write_text("Another folder called docs.", encoding="utf-8")
    with pytest.raises(UsageError, match=r"source 'docs' is .*--source NAME"):
        kb.ingest(twin)
    assert len(kb.documents()) == 4
    kb.ingest(twin, name="docs-b")
    assert len(kb.documents()) == 5
    with pytest.raises(UsageError, match="duplicate source name 'docs'"):
        kb.ingest(tmp_path / "docs", twin)


def test_a_missing_path_and_an_empty_folder_are_named(tmp_path: Path, opened: Open) -> None:
    kb = opened()
    with pytest.raises(UsageError, match="nowhere does not exist"):
        kb.ingest(tmp_path / "nowhere")
    (tmp_path / "hollow").mkdir()
    with pytest.raises(UsageError, match="no documents found in source 'hollow'"):
        kb.ingest(tmp_path / "hollow")
    with pytest.raises(UsageError, match="nothing to ingest"):
        kb.ingest()
    with pytest.raises(ragstone.NotBuilt):
        kb.info()


def test_another_way_of_cutting_is_named_and_never_mixed(docs: Path, kb: ragstone.Knowledge, opened: Open) -> None:
    other = opened(chunk__name="markdown")
    with pytest.raises(UsageError, match=r"4 of 4 documents were chunked with other settings .*--refresh"):
        other.ingest(docs)
    [run] = other.ingest(docs, refresh=True)
    assert counts(run) == {"changed": 4}
    assert len(other.info().recipes) == 3
    assert all("+markdown-" in recipe for recipe in other.info().recipes)


def test_two_sources_of_a_collection_are_cut_alike(
    docs: Path, tmp_path: Path, kb: ragstone.Knowledge, opened: Open
) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "zebra.md").write_text("# Zebra\n\nZebras are striped.", encoding="utf-8")
    other = opened(chunk__name="markdown")
    with pytest.raises(
        UsageError, match=r"4 documents of other sources \(such as 'docs'\) were chunked with other settings"
    ):
        other.ingest(tmp_path / "wiki")
    [first] = other.ingest(tmp_path / "wiki", refresh=True)
    assert any("ingest them with --refresh too" in warning for warning in first.stats["warnings"])
    mixed = [one for one in other.info().warnings if "chunked in 2 ways" in one]
    assert mixed
    assert other.info().state == "degraded"
    assert [held.warnings for held in other.collections()] == [tuple(mixed)]
    assert mixed[0] in other.doctor()
    [second] = other.ingest(docs, refresh=True)
    assert second.stats["warnings"] == []
    assert all("+markdown-" in recipe for recipe in other.info().recipes)
    assert other.info().warnings == ()
    assert other.doctor() == []


def test_another_embedding_model_is_refused_before_anything_is_written(
    docs: Path, kb: ragstone.Knowledge, opened: Open
) -> None:
    other = opened(embedder=BagOfWords(64))
    before = kb.info()
    with pytest.raises(UsageError, match="--recreate"):
        other.ingest(docs)
    assert kb.info() == before
    [run] = other.ingest(docs, recreate=True)
    assert counts(run) == {"added": 4}
    assert other.info().dimension == 64


def test_every_source_gets_vectors_once_there_is_a_model(docs: Path, tmp_path: Path, opened: Open) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "zebra.md").write_text("# Zebra\n\nZebras are striped.", encoding="utf-8")
    opened(embedder=None, embed__model="none").ingest(docs, tmp_path / "wiki")
    kb = opened()
    kb.ingest(docs)
    [run] = kb.ingest(tmp_path / "wiki")
    assert run.stats["embedded"] == 1
    assert kb.search("striped zebras", mode="semantic").hits[0].chunk.document.path == "zebra.md"


def test_a_chunk_longer_than_the_model_reads_is_noted(docs: Path, opened: Open) -> None:
    row = f"| {'token ' * 100} |"
    (docs / "table.md").write_text(f"# Table\n\n| a |\n|---|\n{row}\n", encoding="utf-8")
    kb = opened(embedder=BagOfWords(reads=40))
    [run] = kb.ingest(docs)
    chunk = next(h.chunk for h in kb.search("token", mode="keyword").hits if h.chunk.embedded_tokens < h.chunk.tokens)
    assert any("longer than the model reads" in note for note in chunk.document.notes)
    assert any("longer than the model reads" in warning for warning in run.stats["warnings"])


def test_a_damaged_collection_can_be_recreated(
    docs: Path, tmp_path: Path, kb: ragstone.Knowledge, opened: Open
) -> None:
    kb.close()
    (tmp_path / "store" / "default" / "default" / "collection.sqlite").write_bytes(b"no database " * 500)
    fresh = opened()
    with pytest.raises(StoreError, match="--recreate"):
        fresh.ingest(docs)
    fresh.ingest(docs, recreate=True)
    assert fresh.info().documents == 4


def test_recreating_erases_nothing_that_it_cannot_replace(docs: Path, tmp_path: Path, kb: ragstone.Knowledge) -> None:
    (tmp_path / "hollow").mkdir()
    with pytest.raises(UsageError, match="nothing was erased"):
        kb.ingest(tmp_path / "hollow", recreate=True)
    assert len(kb.documents()) == 4
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "a.md").write_text("# A wiki page", encoding="utf-8")
    with pytest.raises(UsageError, match=r"would erase what came from other sources too \(docs\)"):
        kb.ingest(tmp_path / "wiki", recreate=True)
    assert len(kb.documents()) == 4
    kb.ingest(docs, tmp_path / "wiki", recreate=True)
    assert len(kb.documents()) == 5


def test_without_a_model_keyword_search_works_and_says_so(docs: Path, opened: Open) -> None:
    kb = opened(embedder=None, embed__model="none")
    kb.ingest(docs)
    found = kb.search("retention of samples")
    assert found.hits[0].chunk.document.path == "storage.md"
    assert found.notes[0].message == "semantic unavailable; fallback=keyword-only"


def test_a_missing_model_is_a_warning_with_what_mends_it(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.providers.minilm.model.PACKAGE", "no_such_package")
    kb = opened(embedder=None)
    [run] = kb.ingest(docs)
    assert counts(run) == {"added": 4}
    assert any("pip install" in warning for warning in run.stats["warnings"])
    found = kb.search("retention of samples")
    assert found.hits[0].chunk.document.path == "storage.md"
    assert [note.code for note in found.notes][:2] == ["semantic_unavailable", "model_missing"]
    assert any("pip install" in problem for problem in kb.doctor())
    monkeypatch.undo()
    later = opened(embedder=None)
    assert later.ingest(docs)[0].stats["embedded"] > 0
    assert later.info().pending_vectors == 0


def test_a_document_that_breaks_a_parser_does_not_end_the_run(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = extraction.extract

    def fragile(data: bytes, *, path: str, **options: Any) -> object:
        if path == "notes.txt":
            raise RecursionError("too deep")
        return real(data, path=path, **options)

    monkeypatch.setattr(extraction, "extract", fragile)
    [run] = opened().ingest(docs)
    assert counts(run) == {"added": 3, "skipped": 1}
    assert run.stats["skipped"][0]["reason"] == "broken"


def test_vectors_may_be_filled_in_later(docs: Path, opened: Open) -> None:
    kb = opened(embedder=None, embed__model="none")
    kb.ingest(docs)
    later = opened()
    [run] = later.ingest(docs)
    assert run.stats["embedded"] > 0
    assert later.info().pending_vectors == 0
    with pytest.raises(UsageError, match="holds vectors of bag-of-words"):
        kb.ingest(docs)


def test_a_run_tells_how_far_it_is_and_is_recorded(docs: Path, opened: Open) -> None:
    heard: list[Event] = []
    kb = opened()
    [run] = kb.ingest(docs, tell=heard.append)
    assert [e.name for e in heard] == sorted(e.name for e in heard)
    last = {e.name: e.data for e in heard}
    assert last["text"] == {"done": 4, "total": 4}
    assert last["vectors"]["done"] == last["vectors"]["total"]
    assert kb.runs()[0] == run
    assert run.status == "succeeded"


def test_a_runs_record_grows_while_it_goes_on_and_names_the_stage_that_failed(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.ingestion.progress.UPDATE_SECONDS", -1.0)
    seen: list[ragstone.Run] = []

    class Watched(BagOfWords):
        async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Vectors:
            if kind == "document" and not seen:
                seen.extend(await kb.engine.runs(1))
                return await super().embed(texts)
            raise ragstone.Unavailable("gone")

    for i in range(400):
        (docs / f"{i}.txt").write_text(f"Document number {i} about topic {i}.", encoding="utf-8")
    kb = opened(embedder=Watched())
    with pytest.raises(ragstone.Unavailable):
        kb.ingest(docs)
    assert seen[0].status == "running"
    assert seen[0].stats["documents"]["added"] == 404
    assert str(kb.runs(1)[0].error).startswith(("text: ", "vectors: "))


def test_one_unusable_vector_leaves_one_chunk_without(docs: Path, opened: Open) -> None:
    class Spoiled(BagOfWords):
        async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
            vectors = await super().embed(texts, kind=kind)
            vectors[["Spoiled" in text for text in texts]] = 0
            return vectors

    for i in range(300):  # more than one batch
        (docs / f"{i:03}.txt").write_text(f"Document number {i} about topic {i}.", encoding="utf-8")
    (docs / "spoiled.txt").write_text("Spoiled text about nothing.", encoding="utf-8")
    kb = opened(embedder=Spoiled())
    [run] = kb.ingest(docs)
    assert run.status == "succeeded"
    [warning] = run.stats["warnings"]
    assert warning.startswith("the model gave a zero vector for spoiled.txt#0: ")
    assert kb.info().pending_vectors == 1
    assert run.stats["embedded"] == kb.info().chunks - 1
    assert kb.search("nothing", mode="keyword").hits[0].chunk.document.path == "spoiled.txt"
    (docs / "spoiled.txt").write_text("Mended text about nothing.", encoding="utf-8")
    kb.ingest(docs)
    assert kb.info().pending_vectors == 0


def test_a_chunks_metadata_has_the_keys_that_readers_expect(kb: ragstone.Knowledge) -> None:
    chunk = next(h.chunk for h in kb.search("telegram receiver", top_k=50).hits if "Telegram" in h.chunk.text)
    assert set(chunk.metadata) >= {"summary", "keywords", "hypothetical_questions", "source", "snippet", "paragraph_id"}
    assert "alertmanager" in chunk.metadata["keywords"]
    assert chunk.metadata["source"] == {"page": None, "bbox": None}
    assert chunk.metadata["snippet"].startswith("# Alerts")
    assert chunk.tokens > 0
    assert 0 < chunk.embedded_tokens <= chunk.tokens


def test_an_error_of_the_model_stays_what_it_is_whatever_it_is_made_of(docs: Path, opened: Open) -> None:
    class Broken(BagOfWords):
        async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Vectors:
            raise ragstone.Unauthorized("expired", "the key has expired")

    kb = opened(embedder=Broken())
    with pytest.raises(ragstone.Unauthorized, match="the key has expired") as error:
        kb.ingest(docs)
    assert error.value.reason == "expired"


def test_a_failed_run_keeps_the_text_and_the_next_one_completes_it(docs: Path, opened: Open) -> None:
    class Broken(BagOfWords):
        async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Vectors:
            raise ragstone.Unavailable("the model is gone: reinstall it")

    kb = opened(embedder=Broken())
    with pytest.raises(ragstone.Unavailable, match="text is searchable"):
        kb.ingest(docs)
    assert kb.runs()[0].status == "failed"
    assert str(kb.runs()[0].error).startswith("vectors: Unavailable: the model is gone")
    working = opened()
    found = working.search("retention of samples")
    assert found.hits[0].chunk.document.path == "storage.md"
    assert "vectors_pending" in {note.code for note in found.notes}
    assert counts(working.ingest(docs)[0]) == {"unchanged": 4}
    assert working.info().pending_vectors == 0


def test_one_source_is_ingested_by_one_run_at_a_time(docs: Path, opened: Open) -> None:
    entered, go = threading.Event(), threading.Event()

    class Slow(BagOfWords):
        async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Vectors:
            entered.set()
            await asyncio.to_thread(go.wait, HANG)
            return await super().embed(texts)

    slow, other = opened(embedder=Slow()), opened()
    thread = threading.Thread(target=slow.ingest, args=(docs,))
    thread.start()
    try:
        assert entered.wait(HANG)
        with pytest.raises(Busy, match="another ingestion of source 'docs' is running"):
            other.ingest(docs)
    finally:
        go.set()
        thread.join()
    assert slow.runs()[0].status == "succeeded"


def test_no_front_matter_and_no_comment_becomes_a_chunk(kb: ragstone.Knowledge) -> None:
    texts = " ".join(hit.chunk.text for hit in kb.search("storage editors check number tags", top_k=50).hits)
    assert "editors: check" not in texts
    assert "tags:" not in texts


def test_every_chunk_is_slices_of_the_text_of_record(kb: ragstone.Knowledge) -> None:
    chunks = [hit.chunk for hit in kb.search("storage alerts notes backup samples release", top_k=50).hits]
    assert {chunk.document.path for chunk in chunks} == {d.path for d in kb.documents()}
    for chunk in chunks:
        assert chunk.text == join_slices(kb.record(chunk.document.path)[1], chunk.spans)


def test_the_text_of_record_of_text_formats_is_the_file_itself(docs: Path, kb: ragstone.Knowledge) -> None:
    for path in ("storage.md", "notes.txt"):
        assert kb.record(path)[1] == (docs / path).read_text(encoding="utf-8")


def test_labels_dates_and_categories_are_kept(docs: Path, opened: Open) -> None:
    kb = opened()
    kb.ingest(docs, version_label="2024.1")
    document = kb.chunk("storage.md", 0).document
    assert document.version_label == "2024.1"
    assert document.title == "Storage"
    assert document.meta["tags"] == ["tsdb", "disk"]
    assert document.meta["category"] == "documentation"


def test_the_day_in_a_file_name_dates_what_says_no_date_itself(opened: Open, tmp_path: Path) -> None:
    for name, head in (("2026-03-02.md", ""), ("2026-03-03 plan.md", "---\ndate: 2025-12-31\n---\n"), ("plan.md", "")):
        (tmp_path / "daily" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "daily" / name).write_text(f"{head}The pump of {name} was oiled.\n", encoding="utf-8")
    kb = opened()
    kb.ingest(tmp_path / "daily")
    assert [document.meta.get("date") for document in kb.documents()] == ["2026-03-02", "2025-12-31", None]
    found = kb.search("pump", where=ragstone.Where(date_from="2026-03"))
    assert [hit.chunk.document.path for hit in found.hits] == ["2026-03-02.md"]


def test_a_label_or_date_given_later_reaches_what_did_not_change(docs: Path, kb: ragstone.Knowledge) -> None:
    [labelled] = kb.ingest(docs, version_label="2024.1")
    assert counts(labelled) == {"changed": 4}
    assert labelled.stats["embedded"] == 0
    assert {document.version_label for document in kb.documents()} == {"2024.1"}
    [dated] = kb.ingest(docs, version_label="2024.1", effective_at="2020-05-01")
    assert counts(dated) == {"changed": 4}
    [again] = kb.ingest(docs, version_label="2024.1", effective_at="2020-05-01")
    assert counts(again) == {"unchanged": 4}


def test_a_document_of_the_future_is_not_active_yet(docs: Path, opened: Open) -> None:
    kb = opened()
    kb.ingest(docs)
    (docs / "notes.txt").write_text("---\n---\nThe release manager will be Kim.\n", encoding="utf-8")
    kb.ingest(docs, effective_at="2999-01-01")
    assert "Dana" in kb.chunk("notes.txt", 0).text
    assert not any("Kim" in hit.chunk.text for hit in kb.search("release manager Kim", top_k=50).hits)


def test_a_limit_on_chunks_keeps_the_first_and_says_so(docs: Path, opened: Open) -> None:
    (docs / "long.md").write_text("\n".join(f"## P{i}\n\n{'word ' * 300}" for i in range(9)), encoding="utf-8")
    kb = opened(limits__chunks=3)
    [run] = kb.ingest(docs)
    document = kb.chunk("long.md", 2).document
    assert document.trimmed
    assert any("only the first 3 chunks" in warning for warning in run.stats["warnings"])
    with pytest.raises(UsageError):
        kb.chunk("long.md", 3)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_who_hears_of_progress_may_end_the_program(docs: Path, opened: Open, stop: type[BaseException]) -> None:
    kb = opened()

    def tell(_: Event) -> None:
        raise stop

    with pytest.raises(stop):
        kb.ingest(docs, tell=tell)
    assert kb.runs()[0].status in ("interrupted", "failed")
    [run] = kb.ingest(docs)
    assert run.status == "succeeded"


def test_counts_of_a_failed_run_are_of_what_was_committed(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = opened()

    async def full(*_: object) -> None:
        raise StoreError("no room left")

    with monkeypatch.context() as broken:
        broken.setattr("ragstone.stores.embedded.writer.EmbeddedWriter.replace", full)
        with pytest.raises(StoreError, match="no room left"):
            kb.ingest(docs)
    assert counts(kb.runs()[0]) == {}
    assert kb.runs()[0].stats["written"] == 0


def test_one_pattern_may_be_given_without_a_list(docs: Path, opened: Open) -> None:
    kb = opened()
    kb.ingest(docs, ignore="notes.txt")
    assert "notes.txt" not in {document.path for document in kb.documents()}
    assert "storage.md" in {document.path for document in kb.documents()}


def test_an_empty_path_is_not_this_folder(opened: Open) -> None:
    with pytest.raises(UsageError, match="path of a source is empty"):
        opened().ingest("")


def test_a_date_that_is_none_is_refused_before_anything_changes(docs: Path, kb: ragstone.Knowledge) -> None:
    for wrong in ("2026-02-31", "soon", ""):
        with pytest.raises(UsageError, match="effective_at"):
            kb.ingest(docs, effective_at=wrong)


def test_a_document_past_its_time_is_named_and_the_others_are_taken_in(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def look_through(text: str) -> tuple[tuple[str, ...], float]:
        now[0] += 40.0 if "slow" in text else 0.0
        return (), 0.0

    monkeypatch.setattr(work_limit, "time", type("Clock", (), {"thread_time": lambda: now[0]}))
    monkeypatch.setattr("ragstone.guard.assess_injection", look_through)
    (docs / "slow.md").write_text("\n\n".join(f"# Part {n}\n\n{'slow ' * 400}" for n in range(3)), encoding="utf-8")
    [run] = opened().ingest(docs)
    assert counts(run) == {"added": 4, "skipped": 1}
    [skipped] = run.stats["skipped"]
    assert (skipped["path"], skipped["reason"]) == ("slow.md", "too_slow")
    assert skipped["message"].startswith("slow.md took more than 60.1 seconds of processor time")
