"""Articles in JATS, before they are read: who wrote what, where and when in a few lines, labels beside what they label.

Tags: https://jats.nlm.nih.gov/archiving/tag-library/1.3/
"""

from collections.abc import Iterator

from lxml import etree

from ragstone.core.types import Json
from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name

LABELLED = frozenset("sec fn fig table-wrap boxed-text app statement supplementary-material ack".split())
NAMES = frozenset(("name", "string-name", "collab", "on-behalf-of"))
CITED = ("year", "volume", "issue", "fpage", "lpage", "elocation-id")
DATES = ("pub-date", "date")
OF_PLACE = frozenset("article-id volume issue fpage lpage elocation-id pub-date".split())


def prepare_article(root: Element) -> Json:
    """Rewrite what programs read in an article as a reader sees it; its authors and date as metadata."""
    for label in list(root.iter("{*}label")):
        _join_label(label)
    for citation in list(root.iter("{*}element-citation", "{*}mixed-citation")):
        _write_citation(citation)
    front = root.find("{*}front")
    about = None if front is None else front.find("{*}article-meta")
    if front is None or about is None:
        return {}
    journal = _join(front.iterfind("{*}journal-meta//{*}journal-title"), ", ")
    authors = ", ".join(filter(None, map(_read_author, about.iterfind("{*}contrib-group/{*}contrib"))))
    date = max(map(_read_date, about.iterfind("{*}pub-date")), key=len, default="")
    _write_front(front, about, [authors, _write_place(about, journal, date)])
    known = {"author": authors, "date": date if len(date) == 10 else ""}
    return {name: value for name, value in known.items() if value}


def _write_front(front: Element, about: Element, lines: list[str]) -> None:
    """The title, who, where and when, then the rest in order; the journal's numbers are in the second line."""
    made = etree.Element("front")
    rest: list[Element] = []
    for part in list(about):
        name = element_name(part)
        if name == "title-group":
            made[0:0] = list(part)
        elif name == "abstract" or name == "trans-abstract":
            if part.find("{*}title") is None:
                part.insert(0, _make("title", "Abstract"))
            rest.append(part)
        elif name == "kwd-group":
            said = _read(part.find("{*}title")).rstrip(":") or "Keywords"
            rest.append(_make("p", f"{said}: {_join(part.iter('{*}kwd'), ', ')}"))
        elif name == "history":
            dates = (f"{one.get('date-type') or ''} {_read_date(one)}".strip() for one in part.iterfind("{*}date"))
            rest.append(_make("p", ", ".join(dates).capitalize()))
        elif name == "contrib-group":
            rest += [one for one in part if element_name(one) not in ("contrib", "aff")]
            rest += [_make("p", _read(one)) for one in part.iter("{*}aff")]
        elif name == "aff":
            rest.append(_make("p", _read(part)))
        elif name not in OF_PLACE:
            rest.append(part)
    made.extend([*(_make("p", line) for line in lines if line), *rest])
    above = front.getparent()
    if above is not None:
        above.replace(front, made)


def _write_place(about: Element, journal: str, date: str) -> str:
    """Where an article appeared: `BMC Genomics 15(1):100–110, 2014-03-12, doi:10.1186/x-1`."""
    ids = (f"{one.get('pub-id-type') or 'id'}:{_read(one)}" for one in about.iterfind("{*}article-id"))
    return ", ".join(filter(None, (f"{journal} {_write_pages(about)}".strip(), date, *ids)))


def _write_pages(parent: Element) -> str:
    """
    >>> _write_pages(etree.fromstring("<a><volume>15</volume><issue>1</issue><fpage>100</fpage><lpage>110</lpage></a>"))
    '15(1):100–110'
    """
    _, volume, issue, first, last, number = (_read(parent.find(f"{{*}}{name}")) for name in CITED)
    pages = f"{first}–{last}" if first and last and first != last else first or number
    return f"{volume}{f'({issue})' if issue else ''}{f':{pages}' if pages else ''}"


def _write_citation(citation: Element) -> None:
    """One whose parts nothing parts: authors, title, where and when."""
    if (citation.text or "").strip() or any((one.tail or "").strip() for one in citation):
        return
    people = [one for one in citation.iter() if element_name(one) in NAMES]
    title = _read(citation.find("{*}article-title")) or _read(citation.find("{*}chapter-title"))
    where = " ".join(filter(None, (_read(citation.find("{*}source")), _write_pages(citation))))
    known = {*CITED, "person-group", "article-title", "chapter-title", "source", *NAMES, "etal"}
    others = (_read(one) for one in citation if element_name(one) not in known)
    parts = (
        ", ".join(filter(None, map(_read_name, people))),
        _read(citation.find("{*}year")),
        title,
        where,
        *others,
    )
    written = ". ".join(part.rstrip(".") for part in parts if part)
    tail = citation.tail
    citation.clear()
    citation.text, citation.tail = f"{written}.", tail


def _join_label(label: Element) -> None:
    """`1.1` in front of `Sampling`, `Figure 1` in front of its caption."""
    above, behind = label.getparent(), label.getnext()
    if above is None or behind is None or element_name(above) not in LABELLED or (label.tail or "").strip():
        return
    if element_name(behind) == "caption":
        behind.insert(0, _make("p", _read(label)))
    elif element_name(behind) in ("title", "p"):
        behind.text = f"{_read(label)} {(behind.text or '').lstrip()}"
    else:
        return
    above.remove(label)


def _read_author(contributor: Element) -> str:
    return ", ".join(filter(None, map(_read_name, (one for one in contributor if element_name(one) in NAMES))))


def _read_name(name: Element) -> str:
    """A person's name as it is spoken."""
    given, family = _read(name.find("{*}given-names")), _read(name.find("{*}surname"))
    return " ".join(filter(None, (given, family, _read(name.find("{*}suffix"))))) or _read(name)


def _read_date(date: Element) -> str:
    """
    >>> _read_date(etree.fromstring("<date><day>2</day><month>3</month><year>2014</year></date>"))
    '2014-03-02'
    """
    year, month, day = (_read(date.find(f"{{*}}{name}")) for name in ("year", "month", "day"))
    parts = [year.zfill(4)]
    for part in (month, day):
        if not part.isdecimal() or len(part) > 2:
            break
        parts.append(part.zfill(2))
    return "-".join(parts) if year.isdecimal() else _read(date)


def _join(elements: Iterator[Element], mark: str) -> str:
    return mark.join(filter(None, map(_read, elements)))


def _read(element: Element | None) -> str:
    """The words of an element on one line, without its labels."""
    if element is None:
        return ""
    parts: list[str] = []
    waiting: list[Element | str] = [element]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
        elif element_name(one) != "label" or one is element:
            parts.append(one.text or "")
            for child in reversed(one):
                waiting += [child.tail or " ", child]
    return " ".join("".join(parts).split())


def _make(name: str, text: str) -> Element:
    made = etree.Element(name)
    made.text = text
    return made
