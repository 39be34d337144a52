"""Pictures that lie in a folder: read where something can read them, else counted in one line; icons never."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ragstone
from ragstone import extraction
from ragstone.core.records import Run
from ragstone.extraction import SandboxedFormat
from ragstone.extraction.image import eligibility
from tests.commands import Run as Command
from tests.extraction.image.made import png

Open = Callable[..., ragstone.Knowledge]
READ = SandboxedFormat(extraction.recipe("image/png"), "tests.extraction.sandbox.hostile:pictured")


def picture(width: int, height: int) -> bytes:
    return png(np.full((height, width), 255, np.uint8))


@pytest.fixture
def folder(docs: Path) -> Path:
    """The small folder, with two screenshots and with what nobody would read."""
    for name, data in {
        "shot.png": picture(400, 300),
        "guides/long.PNG": picture(100, 50),
        "icon.png": picture(64, 64),
        "line.png": picture(900, 49),
        "logo.svg": b"<svg/>",
        "favicon.ico": b"\0\0\1\0",
    }.items():
        (docs / name).write_bytes(data)
    return docs


@pytest.fixture(params=["no engine", "engine"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether there is an OCR engine."""
    there: bool = request.param == "engine"
    monkeypatch.setattr(eligibility, "ocr_install_hint", lambda: "" if there else "install one")
    if there:
        monkeypatch.setattr(extraction, "SANDBOXED_FORMATS", {**extraction.SANDBOXED_FORMATS, "image/png": READ})
    return there


def counts(run: Run) -> tuple[int, int, list[str]]:
    documents = run.stats["documents"]
    return documents["added"], run.stats["passed_over"], [s["path"] for s in run.stats["skipped"]]


def test_pictures_of_a_folder_are_read_or_counted(folder: Path, opened: Open, engine: bool) -> None:
    kb = opened()
    [run] = kb.ingest(folder)
    assert counts(run) == ((6, 4, []) if engine else (4, 6, []))
    said = [] if engine else ["4 pictures passed over: no OCR engine (install one)"]
    assert run.stats["warnings"] == said
    paths = {document.path for document in kb.documents()}
    assert ("shot.png" in paths, "guides/long.PNG" in paths) == (engine, engine)
    assert not paths & {"icon.png", "line.png", "logo.svg", "favicon.ico"}


def test_what_was_read_of_pictures_stays_when_the_engine_is_gone(
    folder: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = opened()
    with monkeypatch.context() as patched:
        patched.setattr(eligibility, "ocr_install_hint", lambda: "")
        patched.setattr(extraction, "SANDBOXED_FORMATS", {**extraction.SANDBOXED_FORMATS, "image/png": READ})
        kb.ingest(folder)
    monkeypatch.setattr(eligibility, "ocr_install_hint", lambda: "install one")
    (folder / "new.jpg").write_bytes(picture(300, 300))
    [run] = kb.ingest(folder)
    assert run.stats["documents"] == {"added": 0, "changed": 0, "moved": 0, "unchanged": 6, "removed": 0, "skipped": 0}
    assert run.stats["warnings"] == ["3 pictures passed over: no OCR engine (install one)"]


@pytest.mark.parametrize("name", ["shot.png", "icon.png"])
def test_a_picture_that_is_named_is_tried_whatever_it_is(
    folder: Path, opened: Open, engine: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not engine:
        refuses = SandboxedFormat("image/1", "tests.extraction.sandbox.hostile:refuses")
        monkeypatch.setattr(extraction, "SANDBOXED_FORMATS", {**extraction.SANDBOXED_FORMATS, "image/png": refuses})
    [run] = opened().ingest(folder / name)
    assert counts(run) == ((1, 0, []) if engine else (0, 0, [name]))


def test_the_command_says_it_in_one_line(folder: Path, run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eligibility, "ocr_install_hint", lambda: "pip install 'ragstone[ocr]'")
    options = ("--store", "store", "--embedder", "none")
    done = run("ingest", folder, *options)
    assert "picture" not in done.out
    told = [line for line in done.err.splitlines() if "picture" in line]
    assert told == ["warning: 4 pictures passed over: no OCR engine (pip install 'ragstone[ocr]')"]
    assert done.out.startswith("4 added; ")
    assert run("ingest", folder, *options, "--json").json["passed_over"] == 6


def test_whether_something_reads_pictures_is_what_reading_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragstone.extraction.image import engines, rapid, tesseract

    for missing, place in ((True, ""), (True, "/bin/tesseract"), (False, "")):
        monkeypatch.setattr(rapid, "is_missing", lambda missing=missing: missing)
        monkeypatch.setattr(tesseract, "find_program", lambda _program, place=place: place)
        if eligibility.ocr_install_hint():
            assert eligibility.ocr_install_hint() == engines.INSTALL_HINT
            with pytest.raises(ragstone.RagstoneError, match="no OCR engine"):
                engines.choose_engine(path="a.png")
        else:
            engines.choose_engine(path="a.png")
