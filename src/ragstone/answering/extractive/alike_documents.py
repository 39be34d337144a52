"""Documents of one kind that differ in a name: reports of two firms, folders of two customers."""

import re
from collections.abc import Set
from itertools import zip_longest

from ragstone.core.analyzer import extract_terms
from ragstone.core.document_names import readable_name, readable_path
from ragstone.core.types import Document

WORDS = re.compile(r"[^\W_]+")
INNER_NAME = re.compile(r"[^\W\dA-Z_][,;]? ([A-Z][^\W_]*)|\b(?:A[ts]|In|For|By|Of|With|From) ([A-Z][^\W_]*)")


def has_another_name(one: Document, other: Document, names: Set[str], asked: Set[str]) -> bool:
    """Whether a document bears another name where a second one has some of these: another folder written with a capital
    or number at the same place, or another word in a file name or title that is the same for the rest. Words that are
    asked for do not count: "Configure backups" is another kind beside "Configure Docker" for backups in Docker.

    >>> paths = "2023 Q1 NVDA.pdf", "2023 Q1 INTC.pdf", "roof.pdf"
    >>> nvda, intc, roof = (Document("", "files", path, 1, "", "") for path in paths)
    >>> [has_another_name(one, intc, {"intc"}, {"intc", "rose"}) for one in (nvda, roof)]
    [True, False]
    """
    ours, theirs = one.path.split("/"), other.path.split("/")
    for own, its in zip_longest(ours[:-1], theirs[:-1], fillvalue=""):
        if not names.isdisjoint(terms := _list_terms(its)):
            return bool(own) and not own[0].islower() and asked.isdisjoint(_list_terms(own) - terms)
    files = ((readable_name(ours[-1]), readable_name(theirs[-1])), (one.title or "", other.title or ""))
    return any(_differ_in_name(own, its, names, asked) for own, its in files)


def tells_own_name(document: Document, text: str, asked: Set[str]) -> bool:
    """Whether a text says a word of its document's title or file name as a name, with a capital within a sentence and
    never without, that is not asked for.

    >>> acme, leave = (Document("", "files", path, 1, "", "") for path in ("ACME.md", "Leave.md"))
    >>> tells_own_name(acme, "At ACME it is 28 days.", {"globex"}), tells_own_name(leave, "Leave: 28 days.", set())
    (True, False)
    """
    words = {
        word for word in WORDS.findall(f"{readable_name(document.path)} {document.title or ''}") if word[0].isupper()
    }
    inner = {match[1] or match[2] for match in INNER_NAME.finditer(text)}
    plain = {word for word in WORDS.findall(text) if word.islower()}
    return any(word.lower() not in plain and asked.isdisjoint(extract_terms(word)) for word in words & inner)


def _list_terms(folder: str) -> frozenset[str]:
    return frozenset(extract_terms(readable_path(folder)))


def _differ_in_name(one: str, other: str, names: Set[str], asked: Set[str]) -> bool:
    ours, theirs = frozenset(extract_terms(one)), frozenset(extract_terms(other))
    if names.isdisjoint(theirs) or not names.isdisjoint(ours):
        return False
    return bool(ours & theirs) and bool(ours - theirs) and asked.isdisjoint(ours - theirs)
