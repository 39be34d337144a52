"""PDF, Word and tables from the command line: read, converted, asked, and the place drawn on the page."""

import json
import shutil
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

import ragstone
from tests.beside import DATA, LARGE
from tests.commands import Run
from tests.extraction.containers.packing import pack_zip
from tests.extraction.pdf.locked import locked
from tests.extraction.pdf.sheets import pdf, shown
from tests.pixels import pixels

OFFICE = Path(__file__).parents[2] / "demo" / "office"
QUESTION = "For how long are monthly copies kept?"


@pytest.fixture
def office(run: Run, tmp_path: Path) -> Path:
    """The folder, ingested."""
    folder = tmp_path / "office"
    shutil.copytree(OFFICE, folder, ignore=shutil.ignore_patterns("README.md"))
    done = run("ingest", folder, "--embedder", "none", "--json")
    assert json.loads(done.out.splitlines()[-1])["documents"]["added"] == 3
    return folder


def test_the_boxes_of_a_citation_hold_exactly_its_quote(run: Run, office: Path) -> None:
    answer = json.loads(run("ask", QUESTION, "--mode", "keyword", "--json").out)
    [citation] = [c for c in answer["citations"] if "seven years" in c["quote"]]
    assert citation["status"] == "verified"
    page = pypdfium2.PdfDocument(office / "handbook.pdf")[0]
    text, height = page.get_textpage(), page.get_height()
    found = []
    for span in citation["spans"]:
        assert span["page"] == 1
        x0, y0, x1, y1 = span["bbox"]
        found.append(text.get_text_bounded(x0 - 0.5, height - y1 - 0.5, x1 + 0.5, height - y0 + 0.5).strip())
    assert "\n".join(found) == citation["quote"]


def test_a_page_is_drawn_with_the_boxes_of_what_is_cited(run: Run, office: Path, tmp_path: Path) -> None:
    answer = run("ask", QUESTION, "--mode", "keyword", "--json").out
    (tmp_path / "answer.json").write_text(answer, encoding="utf-8")
    plain = run("show", "handbook.pdf", "--page", "1", "--out", "plain.png")
    assert "0 boxes" in plain.err
    done = run("show", "handbook.pdf", "--page", "1", "--citation", "answer.json", "--json", "--out", "marked.png")
    assert json.loads(done.out)["boxes"] >= 1
    before, after = (pixels((tmp_path / name).read_bytes()) for name in ("plain.png", "marked.png"))
    changed = np.argwhere((before != after).any(axis=2))
    boxes = [span["bbox"] for citation in json.loads(answer)["citations"] for span in citation["spans"]]
    scale = before.shape[0] / 800
    (top, left), (bottom, right) = changed.min(axis=0) / scale, changed.max(axis=0) / scale
    wanted = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    assert (left, top, right, bottom) == pytest.approx(wanted, abs=3)


def test_the_place_on_a_picture_is_drawn_too(run: Run, tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    pytest.importorskip("rapidocr")
    folder = tmp_path / "scans"
    folder.mkdir()
    paper = np.full((400, 1000, 3), 255, np.uint8)
    for n, text in enumerate(("The cellar key hangs", "behind the blue door.")):
        cv2.putText(paper, text, (60, 120 + 80 * n), cv2.FONT_HERSHEY_SIMPLEX, 2, (0, 0, 0), 4)
    cv2.imwrite(str(folder / "note.png"), paper)
    run("ingest", folder, "--embedder", "none")
    answer = run("ask", "Where does the cellar key hang?", "--mode", "keyword", "--json").out
    (tmp_path / "answer.json").write_text(answer, encoding="utf-8")
    done = run("show", "note.png", "--page", "1", "--citation", "answer.json", "--json", "--out", "marked.png")
    assert json.loads(done.out)["boxes"] >= 1
    after = pixels((tmp_path / "marked.png").read_bytes())
    assert after.shape == paper.shape
    changed = np.argwhere((after != paper).any(axis=2))
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    assert 40 <= left <= 70
    assert 60 <= top <= 80
    assert 600 <= right <= 800
    assert 120 <= bottom <= 230
    assert "page 2 is out of range" in run("show", "note.png", "--page", "2").err


def test_a_page_that_cannot_be_drawn_is_one_sentence(run: Run, office: Path) -> None:
    for arguments, says in (
        (("handbook.pdf", "--page", "3"), "has 2 pages; page 3 is out of range"),
        (("quotas.csv", "--page", "1"), "only PDF files and pictures have pages"),
        (("handbook.pdf", "--citation", "x.json"), "add --page N"),
        (("handbook.pdf", "--page", "1", "--citation", "x.json"), "cannot be read"),
        (("handbook.pdf", "--page", "1", "--out", "no/such/folder.png"), "cannot be written"),
        (("nosuch.pdf", "--page", "1"), "there is no document"),
    ):
        done = run("show", *arguments)
        assert done.status != 0
        assert says in done.err
        assert done.err.count("\n") == 1
    (office / "handbook.pdf").write_bytes(b"%PDF-1.4 other")
    assert "changed since handbook.pdf was ingested" in run("show", "handbook.pdf", "--page", "1").err
    (office / "handbook.pdf").unlink()
    assert "cannot be read" in run("show", "handbook.pdf", "--page", "1").err


def test_citations_of_tables_name_rows_and_columns(run: Run, office: Path) -> None:
    with ragstone.open(".ragstone", embed__model="none") as kb:
        chunk = kb.chunk("quotas.csv", 0)
        [pdf] = [h.chunk for h in kb.search("catalogue size films", mode="keyword").hits if "5 120" in h.chunk.text][:1]
    assert chunk.kind == "table"
    assert {span.cols for span in chunk.spans} == {(1, 3)}
    assert chunk.metadata["table"]["csv"].startswith("team,quota_gb,contact")
    assert any(span.rows and span.bbox and span.page == 1 for span in pdf.spans)


def test_a_folder_becomes_markdown_with_its_blocks_beside(run: Run, office: Path, tmp_path: Path) -> None:
    (office / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    done = run("convert", office, "out", "--artifacts", "--json")
    report = json.loads(done.out)
    assert (done.status, report["converted"]) == (0, 3)
    assert [(one["path"], one["reason"]) for one in report["skipped"]] == [("broken.pdf", "broken")]
    markdown = (tmp_path / "out" / "handbook.pdf.md").read_text(encoding="utf-8")
    assert "| films | 5 120 | 7 |" in markdown
    blocks = json.loads((tmp_path / "out" / "handbook.pdf.json").read_text(encoding="utf-8"))["blocks"]
    assert {block["role"] for block in blocks} == {"body", "header", "footer"}
    assert run("convert", office, "out", "--strict").status == 1
    assert run("convert", office, office / "quotas.csv").status == 2
    assert run("convert", "nowhere", "out").status == 2


def test_what_is_left_out_of_an_archive_is_not_skipped(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(pack_zip({"tea.md": b"# Tea", ".git/config": b"x"}))
    done = run("convert", tmp_path / "x.zip", "out", "--strict", "--json").json
    assert (done["converted"], done["skipped"]) == (1, [])
    assert done["ignored"] == [{"path": "x.zip/.git/", "reason": "hidden"}]
    assert (tmp_path / "out" / "x.zip" / "tea.md.md").is_file()


def test_what_is_read_can_be_looked_at_as_a_page(run: Run) -> None:
    html = run("extract", OFFICE / "handbook.pdf", "--html").out
    assert html.startswith("<!doctype html>")
    assert "<th>Size in GB</th>" in html
    assert '<div class="beside" title="footer">' in html


def test_page_furniture_is_never_found(run: Run, office: Path) -> None:
    found = json.loads(run("search", "Page 1 of 2", "--mode", "keyword", "--json").out)
    assert not any("Page 1 of 2" in hit["text"] for hit in found["hits"])


@pytest.mark.parametrize("name", ["", pytest.param("password-example.pdf", marks=LARGE)])
def test_a_wrong_password_and_the_right_one(run: Run, tmp_path: Path, name: str) -> None:
    own = locked(pdf([shown(50, 50, "Hello there")]), "test")
    data = (DATA / "extraction" / "hard_pdfs" / "pdfs" / name).read_bytes() if name else own
    (tmp_path / "locked.pdf").write_bytes(data)
    assert "protected by a password" in run("extract", "locked.pdf").err
    assert "does not open it" in run("extract", "locked.pdf", "--password", "wrong").err
    assert run("extract", "locked.pdf", "--password", "wrong", "--password", "test").status == 0


def odd(**changed: object) -> str:
    """A citation with something wrong in its span, as JSON that Python writes and reads."""
    span = {"page": 1, "bbox": [1, 2, 3, 4], "char_start": 0, "char_end": 1, **changed}
    return json.dumps({"spans": [span]})


@pytest.mark.parametrize(
    ("citation", "says"),
    [
        (odd(bbox=[float("inf"), float("nan"), 1, 5]), "invalid bbox number inf"),
        (odd(bbox=[1, 2, float("nan"), 5]), "invalid bbox number nan"),
        (odd(bbox=[10**400, 2, 3, 4]), "invalid bbox number 1000"),
        (odd(bbox=["1", 2, 3, 4]), "invalid bbox number '1'"),
        (odd(bbox=[True, 2, 3, 4]), "invalid bbox number True"),
        (odd(bbox=[300, 300, 100, 400]), "left, top, right and bottom in this order"),
        (odd(bbox=[100, 300, 300, 100]), "left, top, right and bottom in this order"),
        (odd(bbox=[1, 2, 3]), "expected `spans`"),
        (odd(page=float("inf")), "invalid page inf: expected a whole number"),
        (odd(page=10**400), "invalid page 1000"),
        (odd(page=1.5), "invalid page 1.5"),
        (odd(page=0), "invalid page 0"),
        (odd(char_start=float("inf")), "invalid char_start inf"),
        (odd(char_end=-1), "invalid char_end -1"),
    ],
)
def test_a_citation_with_impossible_numbers_is_one_sentence(
    run: Run, office: Path, tmp_path: Path, citation: str, says: str
) -> None:
    (tmp_path / "odd.json").write_text(citation, encoding="utf-8")
    done = run("show", "handbook.pdf", "--page", "1", "--citation", "odd.json", "--out", "x.png")
    assert says in done.err
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert not (tmp_path / "x.png").exists()


def test_wrong_arguments_of_a_page_end_alike(run: Run, office: Path) -> None:
    for arguments, says in (
        (("--page", "9" * 20), "is not in the range"),
        (("--page", "3"), "page 3 is out of range"),
        (("--page", "1", "--lines", "1-2"), "exclude each other"),
    ):
        done = run("show", "handbook.pdf", *arguments)
        assert says in done.err
        assert (done.status, done.err.count("\n")) == (2, 1)


def test_a_file_that_cannot_be_written_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    long = "n" * 250 + ".md"
    for name in ("a.md", long, "z.md"):
        (folder / name).write_text("# Title\n\nText.\n", encoding="utf-8")
    (tmp_path / "out" / "a.md.md").mkdir(parents=True)
    done = run("convert", folder, "out", "--json")
    assert (done.status, done.json["converted"]) == (0, 1)
    assert [(one["path"], one["reason"]) for one in done.json["skipped"]] == [
        ("a.md", "unwritable"),
        (long, "unwritable"),
    ]
    assert (tmp_path / "out" / "z.md.md").is_file()
    assert run("convert", folder, "out", "--strict").status == 1
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    done = run("convert", folder, "file/out")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "cannot be written" in done.err


@pytest.mark.parametrize("name", ["out", "o*t"])
def test_what_was_converted_is_not_converted_again(run: Run, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for path in ("a.md", "sub/b.md", "outside.md"):
        (folder / path).write_text("# Title\n\nText.\n", encoding="utf-8")
    for _ in range(2):
        assert run("convert", folder, folder / name, "--json").json["converted"] == 3
    done = run("convert", folder, folder)
    assert "is the source folder" in done.err
    assert done.status == 2


def test_an_interrupted_conversion_says_what_is_there(run: Run, office: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragstone.cli import convert

    def stopped(file: Path, text: str) -> None:
        if file.name.startswith("quotas"):
            raise KeyboardInterrupt
        write(file, text)

    write = convert._write_file
    monkeypatch.setattr(convert, "_write_file", stopped)
    done = run("convert", office, "out")
    assert (done.status, done.err) == (130, "interrupted: 2 converted to out so far; the same command starts over\n")


def test_a_password_is_never_shown(run: Run, office: Path) -> None:
    for command in ("extract", "convert", "ingest"):
        done = run(command, office / "handbook.pdf", *(["out"] * (command == "convert")), "--password", "se\udcffcret")
        assert (done.status, done.err) == (2, "error: password is not valid UTF-8\n")
