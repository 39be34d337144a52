"""How much is read at once: a file too large for its kind is refused by its beginning, and few bytes are ahead."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ragstone
from ragstone.core.ports import ListedFile
from ragstone.ingestion import artifacts, document_jobs
from ragstone.ingestion.sources import sizes
from ragstone.ingestion.sources.files import FileSource
from ragstone.testing.bag_of_words import BagOfWords

Open = Callable[..., ragstone.Knowledge]


def test_a_text_that_is_too_large_is_not_read_whole(docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "PEEKED", 1_000)
    (docs / "big.txt").write_text("line of words\n" * 100)
    whole: list[str] = []
    read = FileSource.read

    def noted(source: FileSource, path: str, limit: int) -> bytes:
        whole.append(path)
        return read(source, path, limit)

    monkeypatch.setattr(FileSource, "read", noted)
    [run] = opened(limits__text_bytes=1_000).ingest(docs)
    [skipped] = run.stats["skipped"]
    assert (skipped["path"], skipped["reason"]) == ("big.txt", "too_large")
    assert "has 1,400 bytes, more than the 1,000 allowed for text/plain; split it or raise" in skipped["message"]
    assert "big.txt" not in whole
    assert len(whole) == 4


def test_few_bytes_are_read_ahead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(document_jobs, "BYTES_AHEAD", 2_500)
    now, most, lock = 0, 0, threading.Lock()

    class Large:
        """Eight documents of 1,000 bytes."""

        name = "large"

        def walk(self) -> Iterator[ListedFile]:
            return (ListedFile(f"{number}.txt", 1_000) for number in range(8))

        def read(self, path: str, limit: int) -> bytes:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            threading.Event().wait(0.05)
            with lock:
                now -= 1
            return path.encode() + b" words" * 165

    with ragstone.open(str(tmp_path / "kb"), embedder=BagOfWords()) as kb:
        run = kb.ingest_source(Large())
    assert run.stats["documents"]["added"] == 8
    assert 1 <= most <= 2


def test_json_in_pieces_is_the_json_of_the_whole(docs: Path, kb: ragstone.Knowledge) -> None:
    rows = "\n".join(f"{number},name {number},password = hunter{number}x" for number in range(700))
    (docs / "table.csv").write_text(f"number,name,note\n{rows}\n")
    for file in sorted(path for path in docs.rglob("*") if path.is_file()):
        extraction = kb.extract(file)
        whole = json.dumps(artifacts.extraction_data(extraction, "name"))
        assert "".join(artifacts.iter_extraction_json(extraction, "name", dump=json.dumps)) == whole
