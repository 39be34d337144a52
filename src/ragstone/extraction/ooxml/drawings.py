"""The readable content of a drawing: alternative text, boxes with text, charts, diagrams."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ragstone.extraction.ooxml.charts import read_chart, read_diagram
from ragstone.extraction.ooxml.elements import DGM, MC, WP, A, C, Element, R, V, W, choose_alternative, local_name
from ragstone.extraction.ooxml.package import Link, Package
from ragstone.extraction.record.builder import BlockDraft

# What programs write by themselves where nobody described the picture.
MADE = re.compile(
    r"(?:picture|image|graphic|grafik|bild|imagen|grafik|shape|text ?box|diagram|chart|group|rectangle)\s*\d*"
    r"|\S.{0,100}\.(?:png|jpe?g|gif|emf|wmf|svg|bmp|tiff?)",
    re.IGNORECASE,
)
ADDED = re.compile(r"\s*(?:description automatically generated|ai-generated content may be incorrect)[^\n]{0,80}", re.I)
Reader = Callable[[Element], Iterator[BlockDraft]]
PICTURES = frozenset(("blip", "imagedata"))


@dataclass(slots=True)
class DrawingContent:
    """The content of a drawing: texts that stand for pictures, boxes to be read as text, blocks of charts."""

    alt: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    blocks: list[BlockDraft] = field(default_factory=list)
    pictures: int = 0


CHART = "a chart or diagram was not read"


def read_drawing(element: Element, package: Package, links: Mapping[str, Link]) -> DrawingContent:
    """Look through a drawing once; the caller reads the text in its boxes. Nothing is fetched."""
    found = DrawingContent()
    waiting = [element]
    while waiting:
        now = waiting.pop()
        name = local_name(now.tag)
        if now.tag == MC + "AlternateContent":
            choice = choose_alternative(now)
            waiting.extend([choice] if choice is not None else [])
        elif now.tag == W + "txbxContent":
            found.boxes.append(now)
        elif now.tag == C + "chart" and now.get(R + "id"):
            found.blocks += _read_part(package, links, now.get(R + "id"), read_chart)
        elif now.tag == DGM + "relIds":
            found.blocks += _read_part(package, links, now.get(R + "dm"), read_diagram)
        else:
            found.pictures += name in PICTURES
            if text := alternative_text(now):
                found.alt.append(text)
            waiting.extend(reversed(now))
    said = {" ".join("".join(one.text or "" for one in box.iter(W + "t")).split()) for box in found.boxes}
    # Programs describe a box by its own words.
    found.alt = [text for text in dict.fromkeys(found.alt) if text not in said]
    return found


def alternative_text(element: Element) -> str:
    """The alternative text of an element, "" if there is none."""
    name = local_name(element.tag)
    if element.tag == WP + "docPr" or name == "cNvPr":
        if any(local_name(one.tag) == "decorative" and one.get("val") in ("1", "true") for one in element.iter()):
            return ""
        text = element.get("descr") or element.get("title") or ""
    elif element.tag == V + "textpath":
        text = element.get("string") or ""
    elif str(element.tag).startswith(V):
        text = element.get("alt") or ""
    elif element.tag == A + "t":
        return " ".join((element.text or "").split())
    else:
        return ""
    text = " ".join(ADDED.sub("", text).split())
    return "" if MADE.fullmatch(text) else text


def _read_part(package: Package, links: Mapping[str, Link], name: str | None, read: Reader) -> Iterator[BlockDraft]:
    link = links.get(name or "")
    root = package.part(link.target) if link is not None and not link.outside else None
    yield from (package.attempt(CHART, lambda: list(read(root))) or ()) if root is not None else ()
