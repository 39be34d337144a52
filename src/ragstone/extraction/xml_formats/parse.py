"""Files of XML: those of known formats by their root, feeds and documents, any other as plain text."""

from collections.abc import Callable, Iterator

from ragstone.core.types import Extraction
from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.feed.parse import Feed, parse_root
from ragstone.extraction.media_types import XML
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.xml_formats.flat_office import OFFICE, read_flat_office
from ragstone.extraction.xml_formats.outlines import TOPICS, read_mind_map, read_opml, read_topic_map
from ragstone.extraction.xml_formats.processes import read_processes
from ragstone.extraction.xml_formats.translations import read_android_texts, read_resources, read_tmx, read_xliff

Reader = Callable[[Element], Iterator[BlockDraft]]
FLAT = (f"{OFFICE}document", f"{OFFICE}document-content")
BY_ROOT: dict[str, tuple[Reader, Callable[[Element], bool]]] = {
    "opml": (read_opml, lambda root: root.find("body") is not None),
    "map": (read_mind_map, lambda root: root.find("node") is not None),
    "definitions": (read_processes, lambda root: "/BPMN/" in str(root.tag)),
    "xliff": (read_xliff, lambda _: True),
    "tmx": (read_tmx, lambda _: True),
    "root": (read_resources, lambda root: root.find("resheader") is not None),
    "resources": (read_android_texts, lambda root: all(one.get("name") for one in root)),
}


def parse_xml_file(data: bytes, *, path: str) -> Extraction:
    """Extract a file of XML. Raises `Refused`: encoding, empty; of flat OpenDocument as its reader does."""
    root = parse_root(data, path)
    if root is not None and root.tag in FLAT:
        return read_flat_office(root, path=path)
    if root is not None and (reader := _find_reader(root)) is not None:
        record, blocks = write_record(reader(root))
        title = next((block.text for block in blocks if block.type == "heading" and block.level == 1), None)
        if blocks:
            return Extraction(record, blocks, XML, title)
    return Feed().read(root, data, path=path)


def _find_reader(root: Element) -> Reader | None:
    """The reader of a known format; None for any other file."""
    name = element_name(root)
    if name in ("map", "bookmap") and any(element_name(one) in TOPICS for one in root):
        return read_topic_map
    known = BY_ROOT.get(name)
    return known[0] if known is not None and known[1](root) else None
