"""Lists of literature (BibTeX, RIS, PubMed, EndNote): a section for each work, its authors, place, date, abstract."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.markup.tex_accents import show_accents
from ragstone.extraction.media_types import BIBLIOGRAPHY
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.confidentiality import close_if_marked

Fields = dict[str, list[str]]
# The fields of each format by what they say, the best first.
SAID: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "title": ("title", "TI", "T1", "CT", "%T"),
        "author": ("author", "FAU", "AU", "A1", "%A", "editor", "ED", "A2", "%E"),
        "in": ("journal", "journaltitle", "booktitle", "JT", "T2", "JF", "JO", "TA", "BT", "%J", "%B"),
        "publisher": ("publisher", "PB", "%I", "school", "institution", "organization", "howpublished"),
        "volume": ("volume", "VL", "VI", "%V"),
        "issue": ("number", "IS", "IP", "%N"),
        "first": ("pages", "SP", "PG", "%P"),
        "last": ("EP",),
        "date": ("date", "year", "PY", "Y1", "DP", "DA", "%D"),
        "doi": ("doi", "DO", "%R"),
        "address": ("url", "UR", "%U"),
        "abstract": ("abstract", "AB", "N2", "%X"),
        "keywords": ("keywords", "KW", "OT", "%K"),
        "note": ("note", "annote", "annotation", "N1", "%Z"),
    }
)
# Fields of BibTeX that programs or other fields say.
OF_PROGRAMS = frozenset(
    "file timestamp owner groups urldate month day language langid creationdate modificationdate citation-key ids "
    "crossref options bdsk-url-1 bdsk-file-1 date-added date-modified __markedentry archiveprefix primaryclass "
    "langidopts sorttitle indextitle indexsorttitle".split()
)
TOLD = frozenset(name for names in SAID.values() for name in names)
JOINS = re.compile(r"\s*+#\s*+")
ENTRY = re.compile(r"^[ \t]*@([A-Za-z]{1,40})[ \t]*[{(]", re.MULTILINE)
KEY = re.compile(r"\s*([^\s,{}=]{0,200})\s*,")
FIELD = re.compile(r"[\s,]*+([A-Za-z][\w:+-]{0,60})\s*+=\s*+")
BRACE = re.compile(r"\\.|[{}\"]", re.DOTALL)
BARE = re.compile(r"[^\s,#{}()\"]+")
PLACES = frozenset(("url", "doi"))  # whose tilde and hyphens are no marks of TeX
TAGGED = re.compile(r"^(?:([A-Z][A-Z0-9]{1,3}) {0,2}- ?|(%[A-Z0-9]) )(.*)$")
ENDS = frozenset(("TY", "PMID", "%0"))  # a new work begins
COMMAND = re.compile(r"\\(?:[A-Za-z]{1,40}[ \t]*|(?=[&%$#_{} ]))")
LOGO = re.compile(r"\\((?:La|Bib|Xe|Lua)?TeX)(?![A-Za-z])")
ESCAPED = re.compile(r"\\(?=[&%$#_{}~])")
TILDE = re.compile(r"\\(?:textasciitilde|~)[ \t]*(?:\{\})?|\$\\sim\$")
BRACES = str.maketrans("", "", "{}")
AND = re.compile(r"\s+and\s+")


def parse_bibliography(data: bytes, *, path: str) -> Extraction:
    """Extract a list of literature; one without a work that can be read is plain text. Raises `Refused`: encoding,
    empty."""
    text, warnings = decode_text(data, path=path)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    works = list(_read_bibtex(text) if ENTRY.search(text) else _read_tagged(text))
    record, blocks = write_record(draft for work in works for draft in _draft_work(work))
    if not blocks:
        return replace(PlainText().extract(data, path=path), media_type=BIBLIOGRAPHY)
    return close_if_marked(Extraction(record, blocks, BIBLIOGRAPHY, None, {}, warnings), text)


def _draft_work(work: Fields) -> Iterator[BlockDraft]:
    said = {name: next((work[one] for one in names if work.get(one)), []) for name, names in SAID.items()}
    first = {name: values[0] for name, values in said.items() if values}
    if not first.keys() & {"title", "author", "abstract", "note"}:
        return
    key = next(iter(work.get("", ())), "")
    people = "; ".join(map(_turn_name, said["author"]))
    yield BlockDraft("heading", first.get("title") or key or "Untitled", level=2)
    date = first.get("date", "").strip("/").replace("/", "-")
    place = ", ".join(filter(None, (first.get("in"), first.get("publisher"), _join_pages(first), date)))
    doi = first.get("doi", "")
    names = [doi if not doi or "doi" in doi else f"doi:{doi}", first.get("address", ""), key]
    yield BlockDraft("paragraph", "\n".join(filter(None, (people, place, ", ".join(filter(None, names))))))
    yield BlockDraft("paragraph", first.get("abstract", ""))
    yield BlockDraft("paragraph", f"Keywords: {', '.join(said['keywords'])}" if said["keywords"] else "")
    yield from (BlockDraft("paragraph", note) for note in said["note"])
    others = (
        f"{name}: {values[0]}" for name, values in work.items() if name.islower() and name not in TOLD | OF_PROGRAMS
    )
    yield BlockDraft("paragraph", "\n".join(others))


def _join_pages(first: Mapping[str, str]) -> str:
    """`12(3):34–56`."""
    issue = f"({first['issue']})" if "issue" in first else ""
    pages = "–".join(filter(None, (first.get("first"), first.get("last"))))
    return f"{first.get('volume', '')}{issue}{f':{pages}' if pages else ''}".lstrip(":")


def _read_tagged(text: str) -> Iterator[Fields]:
    """The works of RIS, PubMed and EndNote: a tag before each value; other lines go on with the last one."""
    work: Fields = {}
    last: list[str] | None = None
    for line in text.split("\n"):
        found = TAGGED.match(line.lstrip("\ufeff"))
        if found is None:
            if last and line.strip():
                last[-1] += f" {line.strip()}"
            continue
        tag = found[1] or found[2]
        if tag in ENDS or tag == "ER":
            yield work
            work = {}
        last = work.setdefault(tag, [])
        last.append(found[3].strip())
    yield work


def _read_bibtex(text: str) -> Iterator[Fields]:
    """The works of BibTeX; short names that the file declares are replaced."""
    names: dict[str, str] = {}
    starts = list(ENTRY.finditer(text))
    for entry, behind in zip(starts, [*(one.start() for one in starts[1:]), len(text)], strict=True):
        kind, body = entry[1].lower(), text[entry.end() : behind]
        if kind in ("comment", "preamble"):
            continue
        key = KEY.match(body) if kind != "string" else None
        fields = {name.lower(): value for name, value in _read_fields(body[key.end() if key else 0 :], names)}
        if kind == "string":
            names |= fields
            continue
        work: Fields = {name: [_clean(value, place=name in PLACES)] for name, value in fields.items() if value.strip()}
        for name in ("author", "editor"):
            if name in fields:
                work[name] = [_clean(one) for one in AND.split(fields[name]) if one.strip()]
        yield work | ({"": [key[1]]} if key and key[1] else {})


def _read_fields(body: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    at = 0
    while field := FIELD.match(body, at):
        parts: list[str] = []
        at = field.end()
        while True:
            if body[at : at + 1] in ("{", '"'):
                end = _find_end(body, at)
                parts.append(body[at + 1 : end])
                at = end + 1
            elif bare := BARE.match(body, at):
                parts.append(names.get(bare[0].lower(), bare[0]))
                at = bare.end()
            rest = JOINS.match(body, at)
            if rest is None:
                break
            at = rest.end()
        yield field[1], "".join(parts)


def _find_end(body: str, at: int) -> int:
    """Where the value ends that begins with a brace or a quote; the end of the entry where it never does."""
    depth, quoted = 0, body[at] == '"'
    for sign in BRACE.finditer(body, at + 1 if quoted else at):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if (quoted and sign[0] == '"' and depth == 0) or (not quoted and sign[0] == "}" and depth == 0):
            return sign.start()
    return len(body)


def _clean(value: str, *, place: bool = False) -> str:
    """A value without the marks of TeX; an address or a DOI keeps its tildes and hyphens.

    >>> _clean('M{\\\\"u}ller \\\\& {S}ons, pp. 1--2')
    'Müller & Sons, pp. 1–2'
    """
    if place:
        return " ".join(ESCAPED.sub("", TILDE.sub("~", value)).translate(BRACES).split())
    shown = COMMAND.sub("", LOGO.sub(r"\1", show_accents(value))).translate(BRACES)
    shown = shown.replace("~", " ").replace("--", "–")
    return " ".join(shown.split())


def _turn_name(name: str) -> str:
    """`Jörg Müller` of `Müller, Jörg`."""
    family, comma, given = name.partition(", ")
    return f"{given} {family}" if comma and "," not in given else name
