"""A drawn page shows none of the secrets that its text holds."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ragstone.core.errors import UsageError
from ragstone.core.page_layout import Layout, Strip
from ragstone.core.types import Document
from ragstone.engine.page_secrets import find_secret_boxes
from ragstone.extraction.pdf.page_image import draw_pdf_page
from ragstone.guard import locate_secrets
from tests.commands import Run
from tests.extraction.pdf.sheets import pdf, shown
from tests.pixels import pixels

SECRETS = ("kR9&w2Tz7p;Vq", "q7Rz2LmX9vTb4NcW8yKdq7Rz2LmX9vTb4NcW")
PAGE = "\n".join(
    shown(50, 60 + 40 * n, text, size=14)
    for n, text in enumerate(
        (
            "The okapi server answers questions about okapis.",
            f"DB_PASSWORD={SECRETS[0]}",
            f"token ghp_{SECRETS[1]}",
            "Ask the keeper for more about it.",
        )
    )
)
OTHER = shown(50, 60, "Nothing is secret on this page about zebras.", size=14)


def inked(png: bytes, top: float, bottom: float) -> npt.NDArray[np.bool_]:
    """Which pixels between two heights, in points, are not paper."""
    found = pixels(png)
    scale = found.shape[0] / 800
    rows: npt.NDArray[np.bool_] = np.asarray((found < 200).all(axis=2))
    return rows[round(top * scale) : round(bottom * scale)]


@pytest.fixture
def ingested(run: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "okapi"
    folder.mkdir()
    (folder / "okapi.pdf").write_bytes(pdf([PAGE, OTHER]))
    assert run("ingest", folder, "--embedder", "none").status == 0
    return folder


def drawn(run: Run, tmp_path: Path, page: int) -> bytes:
    assert run("show", "okapi.pdf", "--page", page, "--out", tmp_path / "page.png").status == 0
    return (tmp_path / "page.png").read_bytes()


def test_secrets_are_painted_over_and_what_is_beside_them_is_not(run: Run, tmp_path: Path, ingested: Path) -> None:
    png = drawn(run, tmp_path, 1)
    plain = draw_pdf_page((ingested / "okapi.pdf").read_bytes(), path="okapi.pdf", page=1)
    for line, secret in ((100, SECRETS[0]), (140, SECRETS[1])):
        black = np.logical_and.reduce(
            inked(png, line - 11, line + 1)
        )  # no letter has ink from top to bottom: a bar has
        first, last = int(black.argmax()), len(black) - int(black[::-1].argmax())
        assert black[first:last].all()
        assert last - first > 6 * len(secret)
        letters = np.logical_or.reduce(inked(plain, line - 12, line + 4))
        assert not letters[last:].any()
        before = slice(0, first - 4)
        assert letters[before].any()
        assert (inked(png, line - 12, line + 4)[:, before] == inked(plain, line - 12, line + 4)[:, before]).all()
    for line in (60, 180):
        assert (inked(png, line - 12, line + 4) == inked(plain, line - 12, line + 4)).all()


def test_a_page_without_secrets_is_as_in_the_file(run: Run, tmp_path: Path, ingested: Path) -> None:
    data = (ingested / "okapi.pdf").read_bytes()
    assert drawn(run, tmp_path, 2) == draw_pdf_page(data, path="okapi.pdf", page=2)
    assert drawn(run, tmp_path, 1) != draw_pdf_page(data, path="okapi.pdf", page=1)


RECORD = f"Okapis.\nDB_PASSWORD={SECRETS[0]}\nZebras.\nLions."
DOCUMENT = Document("d", "s", "okapi.pdf", 1, "v", "r")


def strip(text: str, page: int, *, last: int = 0) -> Strip:
    start = RECORD.index(text)
    return Strip(start, start + len(text) - last, page, (50.0, 50.0, 300.0, 60.0))


def covered(layout: Layout | None, page: int) -> int:
    return len(find_secret_boxes(DOCUMENT, layout, RECORD, locate_secrets(RECORD), page=page))


def test_a_page_whose_secret_has_no_known_place_is_refused() -> None:
    line = f"DB_PASSWORD={SECRETS[0]}"
    whole = [strip("Okapis.", 1), strip(line, 2), strip("Zebras.", 3), strip("Lions.", 4)]
    assert [covered(Layout.from_strips(whole), page) for page in (1, 2, 3, 4)] == [0, 1, 0, 0]
    for lacking in (None, Layout.from_strips([whole[0], *whole[2:]]), Layout.from_strips([strip(line, 2, last=3)])):
        with pytest.raises(UsageError, match=r"page 2 of okapi\.pdf may show a secret \(password\)"):
            covered(lacking, 2)
    assert covered(Layout.from_strips([whole[0], *whole[2:]]), 4) == 0
