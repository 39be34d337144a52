"""The elements of documents written as XML (DocBook, JATS, TEI, FictionBook, DITA, Mallard), told apart by name."""

import re
from collections.abc import Iterator
from itertools import count, repeat

from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name

ROOTS = frozenset(
    "book article chapter part section sect1 refentry appendix preface set glossary topic concept task reference "
    "troubleshooting glossentry dita TEI TEI.2 text FictionBook".split()
)
TITLES = frozenset("title head bridgehead article-title refname glossterm book-title".split())
PARAGRAPHS = frozenset("para simpara p subtitle formalpara shortdesc cmd v l subject attribution ab desc".split())
LISTS = frozenset(
    "itemizedlist orderedlist variablelist simplelist procedure substeps steps choices steps-unordered calloutlist "
    "qandaset qandadiv bibliodiv list ul ol sl dl parml terms def-list ref-list glosslist glossary "
    "glossdiv listBibl bibliography".split()
)
ITEMS = frozenset(
    "listitem list-item varlistentry member step substep choice callout qandaentry item li sli dlentry plentry "
    "def-item ref bibl biblStruct biblioentry bibliomixed glossentry".split()
)
# A title in one of them is no heading.
CITATIONS = frozenset("bibl biblStruct biblioentry bibliomixed citation element-citation mixed-citation".split())
TERMS = frozenset("term dt pt question label".split())
CODE = frozenset("programlisting screen literallayout synopsis codeblock preformat eg pre".split())
TABLES = frozenset("table informaltable tgroup simpletable".split())
ROWS, CELLS = frozenset(("row", "tr", "strow", "sthead")), frozenset(("entry", "td", "th", "cell", "stentry"))
UNSAID = frozenset("id class role version lang href fileref".split())  # of sections in documents
NOTES = frozenset(("footnote", "fn", "note", "tip", "warning", "caution", "important"))
# Their titles name them alone, not what stands behind them.
FORMAL = NOTES | frozenset("figure fig example equation procedure listing screenshot".split())
CAPTIONED = frozenset(("figure", "fig"))
# Lists that are sections of their own.
SECTIONS = frozenset("ref-list bibliography glossary".split())
NUMBERED = frozenset("orderedlist procedure substeps steps ol".split())
NUMBERS = frozenset("order ordered numbered number decimal arabic".split())
MARK = re.compile(r"[\[(]?(\w{1,5})[\])]?[.:]?")
NAMESPACE_OF_XML, NAMESPACE_OF_XLINK = "{http://www.w3.org/XML/1998/namespace}", "{http://www.w3.org/1999/xlink}"
MALLARD = "{http://projectmallard.org/1.0/}"
UNSEEN = frozenset(f"{MALLARD}{name}" for name in "link links revision credit include media".split())
BREAKS = frozenset(("break", "br", "lb", "sbr"))
SILENT = frozenset("indexterm remark comment binary draft-comment tex-math alternatives-math colspec col".split())
BLOCKS = TITLES | PARAGRAPHS | LISTS | ITEMS | CITATIONS | CODE | TABLES | NOTES
WITHIN = PARAGRAPHS | LISTS | CODE | TABLES | NOTES  # blocks that stand in paragraphs too
LINES = PARAGRAPHS | TITLES | ITEMS - CITATIONS | CELLS | TERMS  # hold words, also where all of them are in elements
DEEPEST = 256  # as deep as XML is read
SHARE = 0.5  # of the text that stands in paragraphs, items, cells and code


def is_silent(element: Element) -> bool:
    """Whether a reader is shown nothing of an element."""
    return element_name(element) in SILENT or element.tag in UNSEEN


def is_code(element: Element) -> bool:
    """Whether an element shows its lines as they are: `code` of JATS and Mallard stands among paragraphs then, `ab` of
    TEI says so."""
    name, above = element_name(element), element.getparent()
    if name == "code":
        return above is not None and not count_letters(above) and element_name(above) not in LINES
    return name in CODE or (name == "ab" and (element.get("type") or "").startswith("code"))


def is_term(element: Element) -> bool:
    """Whether an element is what an item of a list explains."""
    name, item = element_name(element), element.getparent()
    above = item.getparent() if item is not None else None
    if name == "glossterm":
        return above is not None and element_name(above) in LISTS
    if element.tag == MALLARD + "title":
        return item is not None and element_name(item) == "item"
    return name in TERMS


def count_letters(element: Element) -> int:
    """How many letters stand in an element itself, beside the elements in it."""
    return len((element.text or "").strip()) + sum(len((child.tail or "").strip()) for child in element)


def find_marks(parent: Element) -> Iterator[str]:
    """The marks of a list's items, one after the other: numbers where it is numbered."""
    kinds = {parent.get(name) or "" for name in ("list-type", "type", "rend")}
    first = parent.get("startingnumber") or parent.get("start") or ""
    if element_name(parent) not in NUMBERED and parent.tag != MALLARD + "steps" and not kinds & NUMBERS:
        return repeat("-")
    return (f"{number}." for number in count(int(first) if first.isdecimal() and len(first) < 7 else 1))


def find_label(item: Element) -> str:
    """The number that an article or a list of sources gives an item itself."""
    label = next((one for one in item if element_name(one) == "label"), None)
    found = MARK.fullmatch((label.text or "").strip()) if label is not None and not len(label) else None
    return f"{found[1]}." if found else ""


def name_links(root: Element) -> None:
    """Give each link without words the title of the section that it leads to, else its address."""
    bare = [one for one in root.iter("{*}xref", "{*}ulink", "{*}link") if not len(one) and not (one.text or "").strip()]
    if not bare:
        return
    titles: dict[str, str] = {}
    for title in root.iter("{*}title"):
        owner = title.getparent()
        if owner is not None and element_name(owner) == "info":
            owner = owner.getparent()
        name = (owner.get("id") or owner.get(f"{NAMESPACE_OF_XML}id")) if owner is not None else None
        if name:
            titles.setdefault(name, " ".join("".join(map(str, title.itertext())).split()))
    for link in bare:
        address = link.get("url") or link.get(f"{NAMESPACE_OF_XLINK}href") or ""
        link.text = titles.get(link.get("linkend") or "") or (address if "://" in address else link.text)
