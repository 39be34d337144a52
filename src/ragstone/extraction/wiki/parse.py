"""Pages of wikis in files of their own, by the markup that their name or their beginning tells."""

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.media_types import CREOLE as CREOLE_TYPE
from ragstone.extraction.media_types import DOKUWIKI as DOKUWIKI_TYPE
from ragstone.extraction.media_types import JIRA as JIRA_TYPE
from ragstone.extraction.media_types import TEXTILE as TEXTILE_TYPE
from ragstone.extraction.record.builder import write_record
from ragstone.extraction.wiki.creole import CREOLE
from ragstone.extraction.wiki.dialect import Dialect
from ragstone.extraction.wiki.dokuwiki import DOKUWIKI
from ragstone.extraction.wiki.jira import JIRA
from ragstone.extraction.wiki.reader import read_wiki
from ragstone.extraction.wiki.textile import TEXTILE


def parse_dokuwiki(data: bytes, *, path: str) -> Extraction:
    """Extract a page of DokuWiki. Raises `Refused`: encoding, empty."""
    return _parse(data, path, DOKUWIKI, DOKUWIKI_TYPE)


def parse_jira(data: bytes, *, path: str) -> Extraction:
    """Extract a text in the markup of Jira. Raises `Refused`: encoding, empty."""
    return _parse(data, path, JIRA, JIRA_TYPE)


def parse_textile(data: bytes, *, path: str) -> Extraction:
    """Extract a page in Textile. Raises `Refused`: encoding, empty."""
    return _parse(data, path, TEXTILE, TEXTILE_TYPE)


def parse_creole(data: bytes, *, path: str) -> Extraction:
    """Extract a page in Creole. Raises `Refused`: encoding, empty."""
    return _parse(data, path, CREOLE, CREOLE_TYPE)


def _parse(data: bytes, path: str, dialect: Dialect, media_type: str) -> Extraction:
    text, warnings = decode_text(data, path=path)
    record, blocks = write_record(read_wiki(text, dialect))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    title = next((block.text for block in blocks if block.type == "heading"), None)
    return Extraction(record, blocks, media_type, title, {}, warnings)
