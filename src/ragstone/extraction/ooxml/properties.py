"""Properties of a file: title, author, dates."""

import re

from ragstone.core.types import Json
from ragstone.extraction.ooxml.elements import local_name
from ragstone.extraction.ooxml.package import Package
from ragstone.extraction.record.dates import iso_date

# Titles that programs put there.
MADE = re.compile(
    r"microsoft (?:word|powerpoint)\b.*|(?:word )?document ?\d*|untitled.*|powerpoint presentation|slide 1"
    r"|presentation ?\d*|.{0,200}\.(?:docx?|pptx?|dotx?|rtf)",
    re.IGNORECASE,
)
TEXTS = {
    "creator": "author",
    "description": "description",
    "subject": "subject",
    "keywords": "keywords",
    "category": "category",
    "language": "language",
}
LONGEST = 500


def read_properties(package: Package) -> tuple[str | None, Json]:
    """The title, None for none or one that a program made up; and author, description, dates and so on.

    `date` is when the file was last changed: the creation date is often the template's.
    """
    root = package.part(package.find_related("", "core-properties"), needed=False)
    said: dict[str, str] = {}
    for element in root.iter() if root is not None else ():
        text = " ".join((element.text or "").split())
        if text and len(text) <= LONGEST:
            said.setdefault(local_name(element.tag), text)
    meta: Json = {ours: said[theirs] for theirs, ours in TEXTS.items() if theirs in said}
    for name in ("created", "modified"):
        if name in said and (date := iso_date(said[name])):
            meta[name] = date
    if date := meta.get("modified") or meta.get("created"):
        meta["date"] = date
    title = said.get("title")
    return (title if title and not MADE.fullmatch(title) else None), meta
