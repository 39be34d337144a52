"""The facts for filters, as columns: `collect_facts` of an active chunk, `asked` of a document's version. Made when
these are written, by Python's own rules.

Shape of `collect_facts`: {name: [[text, number or null], …]}, by the names of `where.CHUNK_FACTS`; no entry where
there is no value; each element as `where` compares it: its text, and its number when it is one. `asked` is {"column":
the same by the other names of `where.Facts.get` (aliases under their one name, see `ALIASES`), "group": {name: [text,
…]}}: `group` is for the named filters: category, tags, project, doc_type as texts, confidentiality in lower case, date
as its one text. A document's facts stand once and not with each of its chunks: that made the rows of chunks three
times as wide. Names and texts stand there as `escape_nul` writes them: NUL, which PostgreSQL cannot hold, would be
lost otherwise.
"""

from collections.abc import Mapping
from typing import Any

from ragstone.core.filter_matching import Facts, collect_facts
from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, RESTRICTED
from ragstone.core.types import Chunk, Document

ALIASES = {"file_path": "path", "source_sha": "sha"}
LIST_FACTS = ("category", "tags", "project", "doc_type")
MARK = "\x01"
EXACT_INTEGERS = 2**53, 2**63  # a float from here to there is a whole number, written with all its digits
NamedValues = dict[str, list[Any]]


def escape_nul(text: str) -> str:
    """A text as PostgreSQL can hold it: different for different texts, and in the same order as they are."""
    return text.replace(MARK, MARK + "\x02").replace("\0", MARK * 2) if MARK in text or "\0" in text else text


def normalize_number(value: float) -> float:
    """A number such that whole numbers and floats compare in decimal digits as they do in Python."""
    return int(value) if EXACT_INTEGERS[0] <= abs(value) < EXACT_INTEGERS[1] else value


def collect_chunk_facts(chunk: Chunk) -> NamedValues:
    """The facts of a chunk itself."""
    about = collect_facts(chunk)
    return _drop_empty({name: [_encode_element(value) for value in _as_list(about.get(name))] for name in CHUNK_FACTS})


def collect_document_facts(document: Document) -> dict[str, NamedValues]:
    """The facts of a document that came back from its row, so that all values are JSON's."""
    about, meta = Facts(document), document.meta
    names = [name for name in DOCUMENT_FACTS if name not in ALIASES]
    names += [name for name in meta if name not in CHUNK_FACTS and name not in DOCUMENT_FACTS]
    column = {escape_nul(name): [_encode_element(value) for value in _as_list(about.get(name))] for name in names}
    group = {name: [escape_nul(str(value)) for value in _as_list(meta.get(name))] for name in LIST_FACTS}
    group["confidentiality"] = [escape_nul(level) for level in _confidentiality_levels(meta)]
    group["date"] = _date_texts(meta.get("date"))
    return {"column": _drop_empty(column), "group": _drop_empty(group)}


def is_restricted(meta: Mapping[str, Any]) -> bool:
    """Whether a document with this front matter is found only by who may see restricted ones."""
    return RESTRICTED in _confidentiality_levels(meta)


def _confidentiality_levels(meta: Mapping[str, Any]) -> list[str]:
    return [str(level).lower() for level in _as_list(meta.get("confidentiality"))]


def _date_texts(value: Any) -> list[str]:
    return [escape_nul(str(value))] if value else []


def _drop_empty(lists: NamedValues) -> NamedValues:
    return {name: values for name, values in lists.items() if values}


def _encode_element(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [str(value).lower(), None]
    return [escape_nul(str(value)), normalize_number(value) if isinstance(value, int | float) else None]


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
