"""EPUB books: the chapters in reading order, each as the web page that it is."""

import posixpath
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import unquote

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Archive, Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.html.parse import Html
from ragstone.extraction.media_types import EPUB
from ragstone.extraction.optional_steps import FailedStep, attempt_step, warn_failed_steps
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks, write_record
from ragstone.extraction.record.confidentiality import KEY, is_confidentiality

CONTAINER = "META-INF/container.xml"
PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
ENCRYPTION = "META-INF/encryption.xml"
NAMED = 5  # chapters in a warning


def parse_epub(data: bytes, *, path: str) -> Extraction:
    """The chapters of a book in the order of its spine; title, author and language as the book says.

    Raises `Refused`: broken, encrypted, too_large, empty.
    """
    archive = Archive(data, path=path)
    place = _find_package(archive, path)
    package = archive.read_xml(place)
    unread: list[str] = []
    levels: list[Any] = []
    failed: list[FailedStep] = []
    drafts = list(_read_chapters(archive, package, place, path, unread, levels, failed))
    record, blocks = write_record(drafts)
    if not blocks:
        if failed:
            raise Refused("broken", f"{path} cannot be read: {next(warn_failed_steps(failed))}")
        locked = ENCRYPTION in archive.names
        why = "is protected against copying" if locked else "holds no text"
        raise Refused("encrypted" if locked else "empty", f"{path} {why}")
    meta = _collect_meta(package, levels)
    warnings = (f"chapters were not read: {', '.join(unread[:NAMED])}",) if unread else ()
    return Extraction(record, blocks, EPUB, meta.pop("title", None), meta, (*warnings, *warn_failed_steps(failed)))


def _find_package(archive: Archive, path: str) -> str:
    if CONTAINER in archive.names:
        for element in _walk(archive.read_xml(CONTAINER)):
            place = element.get("full-path")
            if element_name(element) == "rootfile" and place in archive.names:
                return str(place)
    raise Refused("broken", f"{path} holds no book: its list of contents is missing; get the file anew")


def _read_chapters(
    archive: Archive,
    package: Element,
    place: str,
    path: str,
    unread: list[str],
    levels: list[Any],
    failed: list[FailedStep],
) -> Iterator[BlockDraft]:
    items = {element.get("id"): element for element in _walk(package) if element_name(element) == "item"}
    folder = posixpath.dirname(place)
    for reference in _walk(package):
        item = items.get(reference.get("idref")) if element_name(reference) == "itemref" else None
        if item is None or item.get("media-type") not in PAGES or "nav" in (item.get("properties") or "").split():
            continue
        name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "").partition("#")[0]))
        try:
            read = partial(Html().extract, archive.read(name), path=path)
            chapter = attempt_step(f"chapter {name} was not read", read, failed, timed=False)
        except Refused as refused:
            unread += [name] if refused.reason != "empty" else []
            continue
        if chapter is not None:
            levels += [chapter.meta[KEY]] if KEY in chapter.meta else []
            yield from adopt_blocks(chapter)


def _collect_meta(package: Element, levels: list[Any]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for element in _walk(package):
        name, text = element_name(element), " ".join("".join(map(str, element.itertext())).split())
        if name in ("title", "language", "date", "description") and text:
            meta.setdefault(name, text)
        elif name == "creator" and text:
            meta.setdefault("author", text)
        elif name == "meta" and is_confidentiality(element.get("name") or element.get("property") or ""):
            levels.append(element.get("content") or text)
    return {**meta, KEY: levels} if levels else meta


def _walk(root: Element) -> Iterator[Element]:
    return root.iter("{*}*")
