"""Small files of formats that are archives or JSON, made as their programs make them."""

import io
import json
import zipfile
from typing import Any

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
)
OPF = (
    '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>The Orchard</dc:title><dc:creator>Dana</dc:creator><dc:language>en</dc:language>{head}</metadata>"
    "<manifest>{items}</manifest><spine>{spine}</spine></package>"
)
OFFICE = 'xmlns:{0}="urn:oasis:names:tc:opendocument:xmlns:{0}:1.0"'
NAMESPACES = " ".join(
    OFFICE.format(name) for name in ("office", "text", "table", "meta", "style", "draw", "presentation")
)


def make_archive(parts: dict[str, str | bytes]) -> bytes:
    """A zip archive; `mimetype` first and stored, as the formats ask."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def make_epub(*chapters: str, head: str = "", package: str = "") -> bytes:
    """A book of chapters (bodies of pages) in reading order; its package lists them backwards."""
    names = [f"ch {number}.xhtml" for number in range(len(chapters))]
    items = "".join(
        f'<item id="c{number}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for number, name in reversed(list(enumerate(names)))
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head>{}</head><body>{}</body></html>'
    return make_archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/content.opf": OPF.format(head=package, items=items, spine=spine),
            **{f"OEBPS/{name}": page.format(head, text) for name, text in zip(names, chapters, strict=True)},
        }
    )


def make_odt(body: str, *, meta: str = "", kind: str = "text") -> bytes:
    """An OpenDocument text, or a presentation, of a body's elements."""
    text = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    about = f"<office:document-meta {NAMESPACES}><office:meta>{meta}</office:meta></office:document-meta>"
    return make_archive(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {NAMESPACES}>{text}</office:document-content>",
            "meta.xml": about,
            "META-INF/manifest.xml": "<manifest/>",
        }
    )


def make_notebook(*cells: tuple[str, str, list[Any]], **metadata: Any) -> bytes:
    """A notebook of cells: type, source, outputs."""
    made = [
        {"cell_type": kind, "source": source.splitlines(keepends=True), "outputs": outputs}
        for kind, source, outputs in cells
    ]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4}).encode()
