"""Presentations: slides as sections, text in reading order."""

import io
import zipfile
from collections.abc import Mapping
from types import MappingProxyType

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.pptx.parse import parse_pptx
from tests.extraction.docx.files import OFFICE, archive, relationships

NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    f'xmlns:r="{OFFICE}"'
)
MASTER = (
    '<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="-"/></a:lvl2pPr>'
    "</p:bodyStyle></p:txStyles>"
)


def presentation(
    *slides: str,
    notes: str = "",
    attributes: str = "",
    links: tuple[tuple[str, str, str, bool], ...] = (),
    parts: Mapping[str, str | None] = MappingProxyType({}),
) -> bytes:
    """A presentation of slides by the shapes on them; `notes` belong to the first, `links` to all. `parts` are set
    at the end; None leaves one out."""
    ids = [f"s{n}" for n in range(len(slides))]
    made = {
        "_rels/.rels": relationships(("a", "officeDocument", "ppt/presentation.xml", False)),
        "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>"
        + "".join(f'<p:sldId r:id="{one}"/>' for one in ids)
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relationships(*((one, "slide", f"slides/{one}.xml", False) for one in ids)),
        "ppt/slideLayouts/l.xml": f"<p:sldLayout {NAMES}><p:cSld><p:spTree/></p:cSld></p:sldLayout>",
        "ppt/slideLayouts/_rels/l.xml.rels": relationships(("m", "slideMaster", "../slideMasters/m.xml", False)),
        "ppt/slideMasters/m.xml": f"<p:sldMaster {NAMES}><p:cSld><p:spTree/></p:cSld>{MASTER}</p:sldMaster>",
        "ppt/notesSlides/n.xml": f"<p:notes {NAMES}><p:cSld><p:spTree>{notes}</p:spTree></p:cSld></p:notes>",
    }
    for one, shapes in zip(ids, slides, strict=True):
        made[f"ppt/slides/{one}.xml"] = (
            f"<p:sld {NAMES} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
        about = [("l", "slideLayout", "../slideLayouts/l.xml", False), *links]
        if notes and one == "s0":
            about.append(("n", "notesSlide", "../notesSlides/n.xml", False))
        made[f"ppt/slides/_rels/{one}.xml.rels"] = relationships(*about)
    return archive({name: text for name, text in {**made, **parts}.items() if text is not None})


def shape(*paragraphs: str, kind: str | None = None, at: tuple[int, int] | None = None) -> str:
    holder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind is not None else ""
    place = f'<p:spPr><a:xfrm><a:off x="{at[0]}" y="{at[1]}"/></a:xfrm></p:spPr>' if at else ""
    inside = "".join(one if one.startswith("<a:p>") else para(one) for one in paragraphs)
    return f"<p:sp><p:nvSpPr>{holder}</p:nvSpPr>{place}<p:txBody>{inside}</p:txBody></p:sp>"


def para(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def blocks(extraction: Extraction) -> list[tuple[str, int, str]]:
    return [(b.type, b.level, b.text) for b in extraction.blocks]


def test_slides_are_sections_and_spans_carry_their_number() -> None:
    data = presentation(
        shape("Plan", kind="ctrTitle"), shape("Body", at=(0, 9)) + shape("Why", kind="title"), shape("Alone")
    )
    extraction = parse_pptx(data, path="a.pptx")
    assert extraction.record == "# Plan\n\n## Why\n\nBody\n\n## Slide 3\n\nAlone"
    assert [b.spans[0].page for b in extraction.blocks] == [1, 2, 2, 3, 3]
    assert extraction.title == "Plan"


def test_shapes_are_read_from_the_top_left_on() -> None:
    far = 3_000_000
    group = (
        f'<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="{far // 2}"/></a:xfrm></p:grpSpPr>'
        f"{shape('c', at=(9, 9))}<p:grpSp>{shape('d', at=(1, 1))}</p:grpSp></p:grpSp>"
    )
    data = presentation(shape("e", at=(0, far)) + shape("b", at=(far, 10)) + group + shape("a", at=(0, 100)))
    assert parse_pptx(data, path="a.pptx").record == "## Slide 1\n\na\n\nb\n\nc\n\nd\n\ne"


def test_bullets_come_from_the_master_and_numbers_are_counted() -> None:
    auto = '<a:pPr><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr>'
    body = shape(
        "x",
        para("y", '<a:pPr lvl="1"/>'),
        para("z", "<a:pPr><a:buNone/></a:pPr>"),
        para("p", auto),
        para("q", auto),
        kind="body",
    )
    assert blocks(parse_pptx(presentation(body), path="a.pptx"))[1:] == [
        ("list", 1, "- x"),
        ("list", 2, "- y"),
        ("paragraph", 0, "z"),
        ("list", 1, "b) p"),
        ("list", 1, "c) q"),
    ]


def test_tables_keep_their_spans() -> None:
    def tc(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody>{para(text)}</a:txBody></a:tc>"

    head = tc("H", 'gridSpan="2"') + tc("", 'hMerge="1"')
    rows = f"<a:tr>{head}</a:tr><a:tr>{tc('a')}{tc('b')}</a:tr>"
    frame = f'<p:graphicFrame><a:graphic><a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl></a:graphic></p:graphicFrame>'
    table = parse_pptx(presentation(frame), path="a.pptx").blocks[1]
    assert [(c.row, c.col, c.colspan, c.header, c.text) for c in table.cells] == [
        (0, 0, 2, True, "H"),
        (1, 0, 1, False, "a"),
        (1, 1, 1, False, "b"),
    ]


def test_notes_links_pictures_and_footers() -> None:
    link = '<a:p><a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>law</a:t></a:r></a:p>'
    picture = '<p:pic><p:nvPicPr><p:cNvPr descr="A bridge"/></p:nvPicPr></p:pic>'
    data = presentation(
        shape(link) + picture + shape("ACME", kind="ftr") + shape("3", kind="sldNum"),
        notes=shape("Say this.", "And this.", kind="body") + shape("1", kind="sldNum"),
        links=(("h", "hyperlink", "https://x.org", True),),
    )
    extraction = parse_pptx(data, path="a.pptx")
    assert [(b.text, b.role) for b in extraction.blocks][1:] == [
        ("[law](https://x.org)", "body"),
        ("![A bridge]", "body"),
        ("ACME", "footer"),
        ("Notes: Say this.", "body"),
        ("And this.", "body"),
    ]


def test_hidden_slides_are_kept_with_a_warning() -> None:
    extraction = parse_pptx(presentation(shape("x"), attributes='show="0"'), path="a.pptx")
    assert extraction.warnings == ("slides that are hidden in the show are kept: 1",)


@pytest.mark.parametrize(("shapes", "reason"), [("", "empty"), ("<p:pic/>", "no_text")])
def test_a_show_without_text_is_refused(shapes: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_pptx(presentation(shapes), path="a.pptx")
    assert caught.value.reason == reason


def test_all_titles_but_the_first_are_text_of_the_slide() -> None:
    group = f"<p:grpSp>{shape('In a group', kind='title')}</p:grpSp>"
    data = presentation(shape("Why", kind="title") + shape("Also", kind="title") + group)
    assert parse_pptx(data, path="a").record == "## Why\n\nAlso\n\nIn a group"


def test_a_title_is_no_made_up_one_whatever_it_says() -> None:
    extraction = parse_pptx(presentation(shape("Slide rules", kind="title")), path="a")
    assert (extraction.record, extraction.title) == ("## Slide rules", "Slide rules")
    assert parse_pptx(presentation(shape("x")), path="a").title is None


def test_slides_that_are_not_in_the_file_are_named() -> None:
    data = presentation(shape("a"), shape("b"), shape("c"), parts={"ppt/slides/s1.xml": None})
    extraction = parse_pptx(data, path="a")
    assert extraction.record == "## Slide 1\n\na\n\n## Slide 3\n\nc"
    assert extraction.warnings == (
        "a part is missing: ppt/slides/s1.xml",
        "slides that are missing or broken were left out: 2",
    )
    with pytest.raises(Refused) as caught:
        parse_pptx(presentation(shape("a"), parts={"ppt/slides/s0.xml": None}), path="a")
    assert caught.value.reason == "broken"


def test_a_slide_that_is_listed_again_is_read_once() -> None:
    """A file of kilobytes that listed one slide 100 times took 34 seconds."""
    made = presentation(shape("a"), shape("b"))
    with zipfile.ZipFile(io.BytesIO(made)) as parts:
        listed = parts.read("ppt/presentation.xml").decode()
    again = listed.replace('<p:sldId r:id="s0"/>', 3 * '<p:sldId r:id="s0"/>')
    found = parse_pptx(presentation(shape("a"), shape("b"), parts={"ppt/presentation.xml": again}), path="a")
    assert found.record == "## Slide 1\n\na\n\n## Slide 4\n\nb"
    assert found.warnings == ("slides that are listed again were read once: 2, 3",)


def test_notes_and_charts_that_are_missing_are_named() -> None:
    lost = (("n", "notesSlide", "../notesSlides/gone.xml", False), ("c", "chart", "../charts/gone.xml", False))
    chart = '<p:graphicFrame><a:graphic><c:chart r:id="c"/></a:graphic></p:graphicFrame>'
    warnings = parse_pptx(presentation(shape("a") + chart, links=lost), path="a").warnings
    assert warnings == tuple(f"a part is missing: ppt/{name}/gone.xml" for name in ("charts", "notesSlides"))


def test_texts_that_stand_for_shapes_groups_and_objects_are_read() -> None:
    def named(tag: str, text: str) -> str:
        return f'<p:{tag}><p:cNvPr id="1" name="n" descr="{text}"/></p:{tag}>'

    group = f"<p:grpSp>{named('nvGrpSpPr', 'Three boxes')}</p:grpSp>"
    sheet = (
        f"<p:graphicFrame>{named('nvGraphicFramePr', 'The budget')}<a:graphic><p:oleObj/></a:graphic></p:graphicFrame>"
    )
    said = f"<p:sp>{named('nvSpPr', 'A box')}<p:txBody>{para('Words')}</p:txBody></p:sp>"
    data = presentation(f"<p:sp>{named('nvSpPr', 'An arrow')}</p:sp>" + group + sheet + said)
    extraction = parse_pptx(data, path="a")
    assert extraction.record == "## Slide 1\n\n![An arrow]\n\n![Three boxes]\n\n![The budget]\n\nWords"
    [warning] = extraction.warnings
    assert warning.startswith("documents that are embedded on slides are not in this text")
    assert warning.endswith(": 1")


def test_comments_are_kept_beside_the_text() -> None:
    modern = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
    old = f'<p:cmLst {NAMES}><p:cm authorId="0" dt="2024-05-01T10:00:00"><p:text>Why blue?</p:text></p:cm></p:cmLst>'
    answer = (
        '<m:reply authorId="0"><m:txBody><a:p><a:r><a:t>It is </a:t></a:r><a:r><a:t>ours.</a:t></a:r></a:p></m:txBody>'
    )
    new = f"<m:cmLst xmlns:m='{modern}' {NAMES}><m:cm><m:replyLst>{answer}</m:reply></m:replyLst>"
    new += "<m:txBody><a:p><a:r><a:t>Nice.</a:t></a:r></a:p></m:txBody></m:cm></m:cmLst>"
    data = presentation(
        shape("x"),
        links=(("o", "comments", "../comments/o.xml", False), ("n", "comments", "../comments/n.xml", False)),
        parts={
            "ppt/comments/o.xml": old,
            "ppt/comments/n.xml": new,
            "ppt/authors.xml": f'<p:cmAuthorLst {NAMES}><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
            "ppt/_rels/presentation.xml.rels": relationships(
                ("s0", "slide", "slides/s0.xml", False), ("a", "commentAuthors", "authors.xml", False)
            ),
        },
    )
    assert parse_pptx(data, path="a").meta["comments"] == [
        {"author": "Ann", "date": "2024-05-01T10:00:00", "text": "Why blue?", "slide": 1},
        {"text": "Nice.", "slide": 1},
        {"author": "Ann", "text": "It is ours.", "slide": 1},
    ]


def test_slides_that_show_only_pictures_are_named() -> None:
    data = presentation(shape("a"), "<p:pic/>", "", "<p:pic/>")
    assert parse_pptx(data, path="a").warnings == ("slides that show only pictures were not read: 2, 4",)
