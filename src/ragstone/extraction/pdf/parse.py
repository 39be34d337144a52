"""A PDF's bytes to a text of record, blocks and layout."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pypdfium2

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.optional_steps import FailedStep, attempt_each, attempt_step, warn_failed_steps
from ragstone.extraction.pdf.characters.annotations import iterate_embedded
from ragstone.extraction.pdf.characters.layers import may_have_hidden_layers
from ragstone.extraction.pdf.characters.links import locate_links
from ragstone.extraction.pdf.characters.pdfium import open_document
from ragstone.extraction.pdf.document.compose import compose_document
from ragstone.extraction.pdf.ocr import PageOcr, format_pages, needs_ocr
from ragstone.extraction.pdf.page import Page, read_pdf_page
from ragstone.extraction.record.confidentiality import KEY, find_marked_head

MEDIA_TYPE = "application/pdf"
WINDOW = 128  # pages that are read before the file is opened anew: pdfium keeps what it has seen
PAGES = 100_000  # of one file
PROPERTIES, EMBEDDED = "the file's properties were not read", "embedded files were not listed"
FILES_NAMED, LONGEST = 5, 120  # embedded files in a message, and letters of their names
WORD = re.compile(r"[^\W\d_]{2,}")
BETWEEN_LETTERS = re.compile(r"[\W_]+")
BEGINNING, FEWEST_WORDS = 10_000, 100  # characters that a title is looked for in; words that can tell
INFO = {"Author": "author", "Subject": "subject", "CreationDate": "created", "Producer": "producer"}


def parse_with_reader(data: bytes, *, path: str, password: str | None, reader: PageOcr) -> Extraction:
    """Text of record, blocks with pages and boxes, and the layout of all characters; `reader` reads pages that have no
    text of their own. Raises `Refused` as `ragstone.extraction.image.pdf_with_ocr.parse_pdf` does."""
    info: dict[str, Any] = {}
    files: list[str] = []
    failed: list[FailedStep] = []
    pages = list(_read_pages(data, path, password, info, files, reader, failed))
    files += [name for page in pages for name in page.files]
    warnings = (*_collect_warnings(pages, reader), *reader.warnings())
    failed += [step for page in pages for step in page.failures]
    if not any(page.pieces for page in pages):
        if all(page.failed for page in pages):
            why = next(iter(warn_failed_steps(failed)), "none of its pages can be read")
            raise Refused("broken", f"{path} is not a readable PDF: {why}; export or repair it again")
        if pictured := [page.number for page in pages if page.pictured]:
            raise Refused(
                "no_text",
                f"{path} shows pictures only, as a scan does; {_ocr_advice(reader, pictured)}{_describe_files(files)}",
            )
        if files:
            raise Refused(
                "unsupported", f"{path} shows no content of its own{_describe_files(files)}: they are its documents"
            )
        hint = " but invisible text" if any(page.hidden for page in pages) else ""
        them = "page and nothing on it" if len(pages) == 1 else "pages and nothing on them"
        raise Refused("empty", f"{path} has {len(pages)} {them}{hint}")
    made = compose_document(pages)
    title = info.pop("title", "")
    title = title if title and _is_borne_out(title, made.record) else made.title
    meta: dict[str, Any] = {"pages": len(pages), **info, **reader.meta()}
    links = [link for page in pages for link in page.links]
    if found := attempt_step("links were not placed", lambda: locate_links(made.layout, made.record, links), failed):
        meta["links"] = found
    if files:
        meta["attachments"] = list(dict.fromkeys(files))
    if remarks := [remark for page in pages for remark in page.remarks]:
        meta["comments"] = remarks
    warnings = (*warnings, *warn_failed_steps([*failed, *made.failed]))
    return Extraction(made.record, made.blocks, MEDIA_TYPE, title, meta, warnings, made.layout)


def _read_pages(
    data: bytes,
    path: str,
    password: str | None,
    info: dict[str, Any],
    files: list[str],
    reader: PageOcr,
    failed: list[FailedStep],
) -> Iterator[Page]:
    """The pages, read in windows so that a long file needs little memory; fills `info`, names embedded `files` and
    notes what of both `failed`."""
    first = 0
    layered = may_have_hidden_layers(data)
    while True:
        with open_document(data, path=path, password=password) as document:
            count = min(len(document), PAGES)
            if not count:
                raise Refused("broken", f"{path} is a PDF without pages; export it again")
            if not first:
                said = attempt_step(PROPERTIES, partial(read_info, document), failed)
                info.update({KEY: RESTRICTED} if said is None else said)
                files += [name for name, _ in attempt_each(EMBEDDED, partial(iterate_embedded, document), failed)]
            for number in range(first, min(first + WINDOW, count)):
                yield _read_page(document, number, reader, layered=layered)
        first += WINDOW
        if first >= count:
            return


def _read_page(document: Any, number: int, reader: PageOcr, *, layered: bool) -> Page:
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return Page(number + 1, 0.0, 0.0, failed=True)
    failed: list[FailedStep] = []
    try:
        read = partial(read_pdf_page, page, number + 1, layered=layered)
        found = attempt_step("a page could not be read", read, failed, page=number + 1, timed=False)
        if found is None:
            return Page(number + 1, 0.0, 0.0, failed=True, failures=failed)
        scan = partial(reader.add_ocr, page, found)
        return attempt_step("OCR failed", scan, found.failures, page=number + 1, timed=False) or found
    finally:
        page.close()


def read_info(document: Any) -> dict[str, str]:
    """The author, dates, title and level of confidentiality in the properties of the file."""
    said = document.get_metadata_dict(skip_empty=True)
    found = {ours: str(said[name]).strip() for name, ours in INFO.items() if str(said.get(name, "")).strip()}
    levels = [document.get_metadata_value(name) for name in (KEY, KEY.capitalize(), KEY.upper())]
    if level := next(filter(None, levels), "") or (find_marked_head(str(said.get("Keywords", ""))) and RESTRICTED):
        found[KEY] = level.lower()
    title = str(said.get("Title", "")).strip()
    if title and not re.search(r"\.(?:docx?|pdf|xlsx?|indd|qxd)\b|^untitled|^microsoft \w+ -", title, re.IGNORECASE):
        found["title"] = title
    return found


def _is_borne_out(title: str, record: str) -> bool:
    """Whether the title in a file's properties, often a template's or a number of the program that made the file, has
    words, and half of them stand in the document's beginning where that has text enough to tell."""
    words = WORD.findall(title.casefold())
    beginning = record[:BEGINNING].casefold()
    if not words or len(beginning.split()) < FEWEST_WORDS:
        return bool(words)
    letters = BETWEEN_LETTERS.sub("", beginning)  # titles are set in spaced letters, and broken with hyphens
    return 2 * sum(word in letters for word in words) >= len(words)


def _collect_warnings(pages: list[Page], reader: PageOcr) -> Iterator[str]:
    """What a reader of the record must know: pages without text, text left out, remarks."""
    if failed := [page.number for page in pages if page.failed and not page.failures]:
        yield f"could not be read: {format_pages(failed)}"
    if silent := [page.number for page in pages if not page.pieces and needs_ocr(page)]:
        yield f"shows pictures or drawings but gives no text: {format_pages(silent)}; {_ocr_advice(reader, silent)}"
    if hidden := [page for page in pages if page.hidden]:
        count = sum(page.hidden for page in hidden)
        yield f"left out {count} invisible characters: {format_pages([page.number for page in hidden])}"
    if remarked := [page for page in pages if page.remarks]:
        count = sum(len(page.remarks) for page in remarked)
        where = format_pages([page.number for page in remarked])
        yield f"{count} annotation{'s' * (count != 1)} kept in the metadata only, as comments: {where}"
    if mixed := _find_unread_scans(pages, reader):
        yield f"mostly a picture, of which nothing was read: {format_pages(mixed)}; {_ocr_advice(reader, mixed)}"
    if unread := [page.number for page in pages if page.pieces and needs_ocr(page)]:
        yield f"uses letters without a meaning in the file: {format_pages(unread)}; {_ocr_advice(reader, unread)}"


def _list_names(files: list[str]) -> str:
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    return f"{', '.join(name[:LONGEST] for name in files[:FILES_NAMED])}{more}"


def _describe_files(files: list[str]) -> str:
    """What a document that shows nothing else embeds."""
    return f", but embeds {_list_names(files)}" if files else ""


def _find_unread_scans(pages: list[Page], reader: PageOcr) -> list[int]:
    """Pages that are a scan with a little text of their own, which alone is in the record."""
    return [page.number for page in pages if page.scan and page.pieces and page.number not in reader.over]


def _ocr_advice(reader: PageOcr, numbers: list[int]) -> str:
    """What to do about pages that stay without text."""
    if set(reader.tried).issuperset(numbers):
        return "OCR read nothing there"
    return f"recognise it by OCR{f': {reader.missing}' if reader.missing else ''}"
