"""OpenDocument presentations: slides with their titles, shapes from the top left on, tables, notes."""

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.media_types import detect
from ragstone.extraction.odp import parse_odp
from ragstone.testing.extractors import check_spans
from tests.extraction.made import make_odt


def shape(text: str, *, kind: str = "", at: str = "0cm", left: str = "0cm", name: str = "frame") -> str:
    inside = f"<draw:text-box>{text}</draw:text-box>" if name == "frame" else text
    return f'<draw:{name} presentation:class="{kind}" svg:x="{left}" svg:y="{at}" xmlns:svg="s">{inside}</draw:{name}>'


def line(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def slide(*shapes: str, notes: str = "") -> str:
    behind = f"<presentation:notes>{shape('', kind='page')}{shape(notes, kind='notes')}</presentation:notes>"
    return f"<draw:page>{''.join(shapes)}{behind if notes else ''}</draw:page>"


def make_odp(*slides: str) -> bytes:
    return make_odt("".join(slides), kind="presentation")


def test_slides_have_their_title_and_shapes_from_the_top_left_on() -> None:
    items = "<text:list><text:list-item><text:p>Tiles</text:p></text:list-item></text:list>"
    cells = "".join(f"<table:table-cell>{line(text)}</table:table-cell>" for text in ("Roof", "9000"))
    table = f"<table:table><table:table-row>{cells}</table:table-row></table:table>"
    grouped = f"<draw:g>{shape(line('Right'), at='41mm', left='9cm', name='custom-shape')}</draw:g>"
    picture = shape("<draw:image/><svg:desc>A roof</svg:desc>", at="15cm").replace("draw:text-box", "draw:x")
    first = slide(
        shape(line("Below"), at="10cm"),
        grouped,
        shape(items, at="4cm", left="1cm"),
        shape(line("Plans"), kind="title", at="20cm"),
        shape(line("7"), kind="page-number"),
        picture,
        notes=line("Ask Ann.") + line("Then Bo."),
    )
    data = make_odp(first, slide(), slide(f'<draw:frame xmlns:svg="s">{table}</draw:frame>'))
    assert detect(data, "a.bin") == detect(data, "a.odp")
    found = parse_odp(data, path="a.odp")
    check_spans(found)
    assert [(block.type, block.text, block.spans[0].page) for block in found.blocks] == [
        ("heading", "Plans", 1),
        ("list", "- Tiles", 1),
        ("paragraph", "Right", 1),
        ("paragraph", "Below", 1),
        ("paragraph", "A roof", 1),
        ("paragraph", "Notes: Ask Ann.", 1),
        ("paragraph", "Then Bo.", 1),
        ("heading", "Slide 3", 3),
        ("table", "| Roof | 9000 |", 3),
    ]
    assert (found.title, found.meta["slides"]) == ("Plans", 3)


@pytest.mark.parametrize(
    ("slides", "reason"), [([], "empty"), ([slide()], "empty"), ([slide("<draw:image/>")], "no_text")]
)
def test_a_presentation_without_text_is_refused(slides: list[str], reason: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_odp(make_odp(*slides), path="a.odp")
    assert caught.value.reason == reason
