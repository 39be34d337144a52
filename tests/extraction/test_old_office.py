"""Word and PowerPoint files of before 2007: read where LibreOffice is installed, refused with what to do elsewhere."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import Bounds, Limits, extract, old_office, recipe
from ragstone.extraction.media_types import DOC, DOCX, PPT, detect
from tests.commands import Run
from tests.patience import HANG

OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
PROGRAM = old_office.find_converter()
needs_office = pytest.mark.skipif(PROGRAM is None, reason="LibreOffice is not installed")
FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>
<text:h text:outline-level="1">Okapis</text:h><text:p>Okapis eat about 30 kg of leaves a day.</text:p>
<text:p><draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char">
<draw:image xlink:href="LINK" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>
</office:text></office:body></office:document>
"""


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """An address on this machine, and what is asked for there."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_error(404)

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_OPTIONS(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/picture.png", seen
    server.shutdown()
    server.server_close()


def save_as(kind: str, source: Path) -> bytes:
    """A document as LibreOffice saves it with its usual settings."""
    home = f"-env:UserInstallation=file://{source.parent}/usual"
    command = [str(PROGRAM), home, "--headless", "--convert-to", kind, "--outdir", str(source.parent), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=HANG)
    return source.with_suffix(f".{kind}").read_bytes()


@pytest.fixture
def letter(tmp_path: Path, asked: tuple[str, list[str]]) -> Callable[[], bytes]:
    def make() -> bytes:
        source = tmp_path / "letter.fodt"
        source.write_text(FLAT.replace("LINK", asked[0]), encoding="utf-8")
        return save_as("doc", source)

    return make


@pytest.mark.parametrize(("stream", "kind"), [("WordDocument", DOC), ("PowerPoint Document", PPT)])
def test_without_a_converter_the_refusal_says_what_to_install(
    stream: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = OLE_START + f"{stream}\0".encode("utf-16-le")
    assert detect(data, "report") == kind
    monkeypatch.setattr(old_office, "find_converter", lambda: None)
    with pytest.raises(Refused, match=r"of before 2007: install LibreOffice.* or save it as DOCX") as caught:
        extract(data, path="report")
    assert caught.value.reason == "unsupported"


@needs_office
def test_an_old_word_file_is_read_and_fetches_nothing(
    letter: Callable[[], bytes], asked: tuple[str, list[str]]
) -> None:
    data = letter()
    assert asked[1], "with its usual settings the program fetches the linked picture"
    asked[1].clear()
    found = extract(data, path="letter.doc")
    assert (found.media_type, recipe(DOC)) == (DOC, f"libreoffice-{recipe(DOCX)}")
    assert "Okapis eat about 30 kg of leaves a day." in found.record
    assert [block.text for block in found.blocks if block.type == "heading"] == ["Okapis"]
    assert asked[1] == []


@needs_office
def test_a_damaged_file_and_a_slow_conversion_are_refused_alone(letter: Callable[[], bytes]) -> None:
    data = letter()
    with pytest.raises(Refused, match="cannot convert it") as caught:
        extract(OLE_START + "WordDocument\0".encode("utf-16-le") + bytes(4096), path="cut.doc")
    assert caught.value.reason == "broken"
    with pytest.raises(Refused, match="more than 0 s") as caught:
        extract(data, path="slow.doc", limits=Limits(bounds=Bounds(wall_seconds=0.05, cpu_seconds_per_mb=0)))
    assert caught.value.reason == "too_slow"


@needs_office
def test_a_folder_with_one_is_ingested_and_found(run: Run, tmp_path: Path, letter: Callable[[], bytes]) -> None:
    docs = tmp_path / "old"
    docs.mkdir()
    (docs / "letter.doc").write_bytes(letter())
    assert run("ingest", docs, "--embedder", "none").status == 0
    assert "30 kg" in run("search", "okapis leaves", "--mode", "keyword").out
    assert "1 unchanged" in run("ingest", docs, "--embedder", "none").out
