"""Properties of a file: title, author, dates."""

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Json
from ragstone.extraction.archive import Archive
from ragstone.extraction.ooxml.elements import Element, local_name
from ragstone.extraction.ooxml.package import Package
from ragstone.extraction.record.confidentiality import KEY, find_marked_head, is_confidentiality, marks_restricted
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
# Where formats in a ZIP archive keep what their authors say of them, in any case of letters; and how .NET names that.
PROPERTIES = frozenset(("docprops/core.xml", "docprops/custom.xml", "meta.xml"))
PROPERTIES_ENDING = ".psmdcp"
RELATIONS = "_rels/.rels"
PROPERTY_KINDS = ("/core-properties", "/custom-properties", "/coreProperties", "/customProperties")


def read_levels(archive: Archive) -> list[str]:
    """The levels of confidentiality in the properties of a file; restricted for a part that cannot be read."""
    levels: list[str] = []
    linked = _find_linked(archive)
    for name in archive.names:
        if (plain := name.lower()) in PROPERTIES | linked or plain.endswith(PROPERTIES_ENDING):
            try:
                levels += _find_levels(archive.read_xml(name))
            except Refused:
                levels.append(RESTRICTED)
    return levels


def _find_linked(archive: Archive) -> frozenset[str]:
    """The parts of properties that an Office file leads to, by their names in small letters."""
    relations = next((name for name in archive.names if name.lower() == RELATIONS), None)
    with suppress(Refused):  # of a file without them no part is read
        root = archive.read_xml(relations) if relations else ()
        linked = (one for one in root if (one.get("Type") or "").endswith(PROPERTY_KINDS))
        return frozenset(posixpath.normpath(unquote(one.get("Target") or "")).lstrip("/").lower() for one in linked)
    return frozenset()


def _find_levels(root: Element) -> Iterator[str]:
    for element in root.iter("*"):
        names = [value for key, value in element.attrib.items() if local_name(str(key)) == "name"]
        text = " ".join("".join(map(str, element.itertext())).split()) if len(element) < 5 else ""
        if any(map(is_confidentiality, (local_name(element.tag), *names))) or (
            not len(element) and find_marked_head(text)
        ):
            yield text.lower()
        elif any(marks_restricted(name, text) for name in names):
            yield RESTRICTED


def attempt_properties(package: Package) -> tuple[str | None, Json]:
    """As `read_properties`; of a file whose properties cannot be read nothing, and none but the few may see it."""
    return package.attempt("the file's properties were not read", lambda: read_properties(package)) or (
        None,
        {KEY: [RESTRICTED]},
    )


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
    if levels := read_levels(package.archive):
        meta[KEY] = levels
    title = said.get("title")
    return (title if title and not MADE.fullmatch(title) else None), meta
