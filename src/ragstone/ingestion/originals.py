"""The file that a stored document was made from, when it is still there and still the same."""

import asyncio
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragstone.core.errors import Refused, UsageError
from ragstone.core.page_layout import Box
from ragstone.core.ports import Ledger
from ragstone.core.types import Document, Span
from ragstone.extraction import try_passwords
from ragstone.extraction.containers import ContainerLimits
from ragstone.extraction.media_types import IMAGES
from ragstone.extraction.sandbox import Sandbox
from ragstone.ingestion.sources import FileSource, Rules

RUNS_SEARCHED = 1000  # how far back a source's place is looked for
DRAWERS = {
    "application/pdf": "ragstone.extraction.pdf.page_image:draw_pdf_page",
    **dict.fromkeys(IMAGES, "ragstone.extraction.image.page_image:draw_image_page"),
}


async def read_original(ledger: Ledger, document: Document) -> bytes:
    """The bytes of a document's file; raises `UsageError` when it is gone or changed since it was ingested."""
    return await asyncio.to_thread(_read_unchanged, document, await _find_root(ledger, document))


async def _find_root(ledger: Ledger, document: Document) -> Path:
    runs = [
        run for run in await ledger.runs(RUNS_SEARCHED) if run.source == document.source and run.config.get("place")
    ]
    if not runs:
        raise UsageError(
            f"the folder of source {document.source!r} is unknown: texts of a program have no file; ingest others again"
        )
    return Path(runs[0].config["place"])


def _read_unchanged(document: Document, place: Path) -> bytes:
    file = place if place.is_file() else place / document.path
    rules = Rules(hidden=True, ignore_files=False)
    try:
        if document.path == place.name or (file != place and os.path.lexists(file)):
            data = file.read_bytes()
        else:  # a member of an archive or a mail
            source = FileSource(document.source, place, rules=rules, containers=ContainerLimits())
            data = source.read(document.path, document.bytes)
    except OSError as error:
        raise UsageError(f"the file of {document.path} cannot be read ({error.strerror}): {file}") from error
    except Refused as error:
        if error.reason != "too_large":  # another size: it changed
            raise UsageError(f"the file of {document.path} cannot be read: {error}") from error
        data = b""
    if hashlib.sha256(data).hexdigest() != document.version:
        raise UsageError(f"{file} changed since {document.path} was ingested; ingest it again")
    return data


def has_pages(document: Document) -> bool:
    """Whether pages of documents of this format can be drawn."""
    return document.media_type in DRAWERS


def draw_page(
    document: Document,
    data: bytes,
    *,
    page: int,
    processes: Sandbox,
    spans: Sequence[Span] = (),
    covered: Sequence[Box] = (),
    passwords: Sequence[str] = (),
) -> bytes:
    """A page (from 1) as a PNG with the boxes of `spans` marked and those of `covered` painted over, drawn in
    `processes`.

    Raises `UsageError` for a format without pages, `Refused` for a page that is not there.
    """
    drawer = DRAWERS.get(document.media_type)
    if drawer is None:
        raise UsageError(f"{document.path} is {document.media_type}: only PDF files and pictures have pages")
    boxes = [list(span.bbox) for span in spans if span.page == page and span.bbox]
    fixed = {"page": page, "boxes": boxes, "covered": [list(box) for box in covered]}

    def draw(options: Mapping[str, object]) -> bytes:
        return processes.draw(drawer, data, path=document.path, options={**fixed, **options})

    return try_passwords(draw, passwords)
