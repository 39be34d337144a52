"""OpenDocument in one file of XML (FODT, FODS, FODP): packed into an archive, and read as that."""

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Element
from ragstone.extraction.media_types import ODP, ODS, ODT, XML
from ragstone.extraction.odp import parse_odp
from ragstone.extraction.odt import parse_odt
from ragstone.extraction.spreadsheet.workbook import parse_workbook

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
MANIFEST = '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
PARTS = (
    ("content.xml", "document-content", ("font-face-decls", "automatic-styles", "body")),
    ("styles.xml", "document-styles", ("styles", "master-styles")),
    ("meta.xml", "document-meta", ("meta",)),
)
READERS: Mapping[str, tuple[str, Callable[..., Extraction]]] = MappingProxyType(
    {"text": (ODT, parse_odt), "spreadsheet": (ODS, parse_workbook), "presentation": (ODP, parse_odp)}
)


def read_flat_office(root: Element, *, path: str) -> Extraction:
    """Raises `Refused` as the reader of the archive does, and unsupported for a drawing or a formula."""
    body = root.find(f"{OFFICE}body")
    kind = next((str(one.tag).rpartition("}")[2] for one in body), "") if body is not None else ""
    if kind not in READERS:
        raise Refused("unsupported", f"{path} is a {kind or 'file'} of OpenDocument without text; export it as PDF")
    mime, read = READERS[kind]
    for picture in list(root.iter(f"{OFFICE}binary-data")):
        picture.clear()
    for element in root.iter(f"{TABLE}table-row", f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
        for place in (element, *element):  # indents, which the reader of workbooks takes for damage
            place.tail = None
        element.text = None
    names = {prefix: name for prefix, name in root.nsmap.items() if prefix}  # workbooks are read by their prefixes
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", mime)
        archive.writestr("META-INF/manifest.xml", MANIFEST)
        for name, tag, children in PARTS:
            part = etree.Element(f"{OFFICE}{tag}", nsmap=names)
            part.extend(child for one in children for child in list(root.iterchildren(f"{OFFICE}{one}")))
            archive.writestr(name, etree.tostring(part, encoding="utf-8"))
    return replace(read(packed.getvalue(), path=path), media_type=XML)
