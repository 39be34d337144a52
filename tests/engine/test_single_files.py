"""Single files of a folder, and texts: added or replaced while all else stays; and the file of a document."""

import asyncio
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ragstone import guard
from ragstone.config.settings import Settings, SourceSettings
from ragstone.core.errors import StoreError, UsageError
from ragstone.core.records import Run
from ragstone.engine import Engine
from ragstone.stores.embedded.ledger import EmbeddedLedger
from ragstone.stores.embedded.reader import EmbeddedReader
from ragstone.testing.bag_of_words import BagOfWords
from tests.patience import HANG


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "handed"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text(f"# {name}\n\nText of {name}.\n", "utf-8")
    return folder


async def test_a_file_is_added_or_replaced_and_the_others_stay(folder: Path, tmp_path: Path) -> None:
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        await kb.ingest_files(folder, ["a.md"])
        await kb.ingest_files(folder, ["b.md"])
        assert [document.path for document in await kb.documents()] == ["a.md", "b.md"]
        (folder / "a.md").write_text("# a\n\nAnother text.\n", "utf-8")
        (folder / "b.md").unlink()
        run = await kb.ingest_files(folder, ["a.md"])
        assert (run.source, run.stats["documents"]["changed"], run.stats["documents"]["removed"]) == ("uploads", 1, 0)
        assert [document.revision for document in await kb.documents()] == [2, 1]
        gone = await kb.ingest_files(folder, ["b.md"])
        assert [skipped["path"] for skipped in gone.stats["skipped"]] == ["b.md"]
        assert len(await kb.documents()) == 2


async def test_texts_of_a_program_are_documents_with_their_metadata(tmp_path: Path) -> None:
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        facts = {"tags": ["garden"], "date": date(2026, 1, 31), "owner": "Ann\u2028\x85 \N{GRINNING FACE}: \\ 'x'"}
        pumps = {"text": "# Pumps\n\nThe pump starts at six.\n", "meta": facts}
        await kb.ingest_texts({"a/pumps.md": pumps, "b.html": b"<p>The gate is shut at night.</p>", "c.txt": "Old."})
        run = await kb.ingest_texts({"c.txt": "The lamp is lit at eight.", "d.txt": ""})
        assert (run.source, run.stats["documents"]["changed"], run.stats["documents"]["removed"]) == ("texts", 1, 0)
        assert [skipped["reason"] for skipped in run.stats["skipped"]] == ["empty"]
        documents = {document.path: document for document in await kb.documents()}
        assert list(documents) == ["a/pumps.md", "b.html", "c.txt"]
        meta = documents["a/pumps.md"].meta
        assert (meta["tags"], meta["date"], meta["owner"]) == (["garden"], "2026-01-31", facts["owner"])
        assert (await kb.record("a/pumps.md"))[1] == pumps["text"]
        [citation] = (await kb.ask("When does the pump start?")).citations
        assert [(span.line_start, span.char_start) for span in citation.spans] == [(3, 9)]  # of the text as given
        assert (await kb.record("c.txt"))[1] == "The lamp is lit at eight."
        with pytest.raises(UsageError, match="have no file"):
            await kb.original("c.txt")
    with pytest.raises(StoreError, match=r"^the store is closed; open it anew$"):
        await kb.documents()


async def test_a_text_does_not_remove_those_whose_paths_begin_with_its_own(tmp_path: Path) -> None:
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        await kb.ingest_texts({"docs/pumps.md": "The pump starts at six."})
        run = await kb.ingest_texts({"docs": "All about the house."})
        assert (run.stats["documents"]["added"], run.stats["documents"]["removed"]) == (1, 0)
        assert [document.path for document in await kb.documents()] == ["docs", "docs/pumps.md"]


async def test_what_is_handed_over_is_compared_with_the_documents_at_its_paths_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each of many small calls would go through all documents of the store."""
    scans = list[str]()

    def spy(kind: type, name: str) -> None:
        method = getattr(kind, name)

        def noted(*given: object, **options: object) -> object:
            scans.append(name)
            return method(*given, **options)

        monkeypatch.setattr(kind, name, noted)

    spy(EmbeddedLedger, "scan_documents")
    spy(EmbeddedReader, "list_revisions_after")
    settings = Settings(store=str(tmp_path / "store"))
    async with Engine(settings, embedder=BagOfWords()) as kb:
        await kb.ingest_texts({f"{n}.md": f"Pump {n} runs." for n in range(3)})
        await kb.ingest_files(folder, ["a.md"])
        scans.clear()
        assert (await kb.ingest_texts({"1.md": "Pump 1 is shut.", "9.md": "New."})).stats["documents"]["changed"] == 1
        assert (await kb.ingest_files(folder, ["a.md"])).stats["documents"]["unchanged"] == 1
        assert not scans
        monkeypatch.setattr(guard, "current_edition", lambda: "another")
        run = await kb.ingest_texts({"8.md": "New too."})
        assert run.stats["renewed"] == 5  # the documents of this source, once
        scans.clear()
        await kb.ingest_texts({"7.md": "New as well."})
        assert not scans
    otherwise = replace(settings, chunk=replace(settings.chunk, options={"tokens": 99}))
    async with Engine(otherwise, embedder=BagOfWords()) as kb:
        with pytest.raises(UsageError, match=r"were chunked with other settings"):
            await kb.ingest_texts({"1.md": "Pump 1 is open."})


async def test_documents_are_removed_by_path_by_themselves_or_with_their_source(tmp_path: Path) -> None:
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        texts = {"a.md": "The pump runs.", "b.md": "The lamp is lit."}
        await kb.ingest_texts(texts)
        await kb.ingest_texts(texts, name="pages")
        first, *_ = await kb.documents("pages")
        assert await kb.delete(first) == 1
        assert await kb.delete("b.md", source="texts") == 1
        assert await kb.delete("4f1c2a5e-0b7b-5a35-9c2e-3f6d1d1f6a10") == 0
        assert [(one.source, one.path) for one in await kb.documents()] == [("pages", "b.md"), ("texts", "a.md")]
        [last] = await kb.documents("texts")
        assert await kb.delete(last.id) == 1
        await kb.ingest_texts({"a.md": "The pump runs."})
        assert await kb.delete(source="pages") == 1
        assert await kb.delete(source="pages") == 0
        assert [document.source for document in await kb.documents()] == ["texts"]


async def test_calls_at_once_wait_in_line(tmp_path: Path) -> None:
    """A web application has many callers; before, all but one of them were refused as busy."""
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        await asyncio.gather(*(kb.ingest_texts({f"{n}.md": f"Pump {n} runs."}) for n in range(5)))
        assert len(await kb.documents("texts")) == 5


async def test_texts_do_not_go_into_the_source_of_a_folder(folder: Path, tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "store"), sources=(SourceSettings("/srv/manuals"),))
    async with Engine(settings, embedder=BagOfWords()) as kb:
        await kb.ingest(folder)
        for name in ("handed", "manuals"):
            with pytest.raises(
                UsageError, match=f"^source '{name}' is a folder, a file or a web site that is ingested"
            ):
                await kb.ingest_texts({"a.md": "Planted."}, name=name)
        await kb.ingest_texts({"a.md": "The pump runs."}, name="pages")
        await kb.ingest_texts({"a.md": "The pump is shut."}, name="pages")
        assert len(await kb.documents("handed")) == 2
        await kb.delete(source="handed")  # then the name is free
        await kb.ingest_texts({"b.md": "The pump runs.", "c.md": "The lamp is lit."}, name="handed")
        with pytest.raises(UsageError, match=r"^1 of 2 documents .* were handed over by a program; nothing was"):
            await kb.ingest(folder, name="handed")


@pytest.mark.parametrize("part", ["a.md", "sub", "../copy/a.md", "../copy"])
async def test_a_part_of_a_source_does_not_pass_for_the_whole(part: str, folder: Path, tmp_path: Path) -> None:
    """It removed the other documents of a source that was too small for the guard of mass removals."""
    for place in (folder / "sub", tmp_path / "copy"):
        place.mkdir()
        (place / "a.md").write_text("# Another\n\nThe pump runs.\n", "utf-8")
    (folder / "c.md").write_text("# c\n\nThe lamp is lit.\n", "utf-8")
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        await kb.ingest(folder)
        with pytest.raises(UsageError, match=rf"^3 of 4 documents of source 'handed' are not in .*{Path(part).name}, "):
            await kb.ingest(folder / part, name="handed")
        assert len(await kb.documents("handed")) == 4
        await kb.ingest(folder / part, name="handed", allow_removals=True)
        assert [document.path for document in await kb.documents("handed")] == ["a.md"]


async def test_files_never_lead_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nNothing of this.\n", "utf-8")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        run = await kb.ingest_files(folder, ["../secret.md", "link.md", "a.md"])
        assert {skipped["reason"] for skipped in run.stats["skipped"]} == {"outside_root"}
        assert [document.path for document in await kb.documents()] == ["a.md"]


async def test_the_file_of_a_document_is_given_while_it_is_the_same(folder: Path, tmp_path: Path) -> None:
    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        await kb.ingest_files(folder, ["a.md"])
        document, data = await kb.original("a.md")
        assert (document.path, data) == ("a.md", b"# a.md\n\nText of a.md.\n")
        (folder / "a.md").write_text("changed", "utf-8")
        with pytest.raises(UsageError, match="changed since"):
            await kb.original("a.md")


async def test_a_call_that_is_cancelled_as_it_begins_lets_its_source_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread took the lock after all, and the source was busy until the process ended."""
    begun, go_on = threading.Event(), threading.Event()
    lock = EmbeddedLedger._lock_source

    def wait_and_lock(ledger: EmbeddedLedger, run: Run) -> Path:
        begun.set()
        assert go_on.wait(HANG)
        return lock(ledger, run)

    async with Engine(Settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as kb:
        await kb.ingest_texts({"a.md": "The pump runs."})
        with monkeypatch.context() as patched:
            patched.setattr(EmbeddedLedger, "_lock_source", wait_and_lock)
            call = asyncio.create_task(kb.ingest_texts({"b.md": "The lamp is lit."}))
            assert await asyncio.to_thread(begun.wait, HANG)
            call.cancel()
            go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await call
        run = await kb.ingest_texts({"b.md": "The lamp is lit."})
        assert [one.status for one in await kb.runs()] == ["succeeded", "interrupted", "succeeded"]
        assert run.stats["documents"]["added"] == 1
