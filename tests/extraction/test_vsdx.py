"""Visio drawings: a section a page, the texts of shapes from the top left on."""

import io
import zipfile

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import detect, extract
from ragstone.extraction.media_types import VSDX
from tests.extraction.docx.files import OFFICE, archive, relationships

NAMES = f'xmlns="http://schemas.microsoft.com/office/visio/2012/main" xmlns:r="{OFFICE}"'


def shape(x: str, y: str, text: str, inner: str = "") -> str:
    said = f"<Text><cp IX='0'/>{text}\n</Text>" if text else ""
    return f'<Shape><Cell N="PinX" V="{x}"/><Cell N="PinY" V="{y}"/>{said}{inner}</Shape>'


def drawing(*pages: str) -> bytes:
    listed = "".join(f'<Page ID="{n}" Name="Plan {n}"><Rel r:id="p{n}"/></Page>' for n in range(len(pages)))
    return archive(
        {
            "_rels/.rels": relationships(("a", "document", "visio/document.xml", False)),
            "visio/document.xml": f"<VisioDocument {NAMES}/>",
            "visio/_rels/document.xml.rels": relationships(("b", "pages", "pages/pages.xml", False)),
            "visio/pages/pages.xml": f"<Pages {NAMES}>{listed}</Pages>",
            "visio/pages/_rels/pages.xml.rels": relationships(
                *((f"p{n}", "page", f"page{n}.xml", False) for n in range(len(pages)))
            ),
            **{
                f"visio/pages/page{n}.xml": f"<PageContents {NAMES}><Shapes>{page}</Shapes></PageContents>"
                for n, page in enumerate(pages)
            },
        }
    )


def read(*pages: str) -> Extraction:
    return extract(drawing(*pages), path="plan.vsdx")


def test_texts_of_shapes_stand_below_the_name_of_their_page() -> None:
    inner = f"<Shapes>{shape('1', '1', 'Start')}{shape('9', '9', 'the pump')}</Shapes>"
    found = read(
        shape("1", "2", "Below") + shape("5", "8.05", "Right") + shape("1", "8", "", inner),
        shape("nan", "1e999", "Tank"),
    )
    assert found.record == "## Plan 0\n\nStart\n\nthe pump\n\nRight\n\nBelow\n\n## Plan 1\n\nTank"
    assert [block.spans[0].page for block in found.blocks] == [1, 1, 1, 1, 1, 2, 2]
    assert detect(drawing(""), "plan.vsdx") == VSDX == found.media_type


def test_a_part_is_read_for_one_page() -> None:
    """A file of kilobytes that showed one part on 300 pages took 43 seconds."""
    with zipfile.ZipFile(io.BytesIO(drawing(shape("1", "1", "Tank")))) as made:
        parts = {name: made.read(name).decode() for name in made.namelist()}
    page = '<Page ID="0" Name="Plan 0"><Rel r:id="p0"/></Page>'
    parts["visio/pages/pages.xml"] = parts["visio/pages/pages.xml"].replace(page, 3 * page)
    assert extract(archive(parts), path="plan.vsdx").record == "## Plan 0\n\nTank"


def test_a_drawing_of_broken_pages_says_why() -> None:
    with pytest.raises(Refused, match=r"plan\.vsdx cannot be read: .*page0\.xml") as caught:
        read("</Shapes>")
    assert caught.value.reason == "broken"


def test_a_drawing_without_text_is_empty() -> None:
    with pytest.raises(Refused, match="holds no text"):
        read(shape("1", "1", ""))
    with pytest.raises(Refused, match="its main part is missing"):
        extract(archive({"visio/document.xml": "<a/>"}), path="plan.vsdx")
