"""Web addresses: normalised, compared, found in pages and sitemaps."""

import gzip
import io
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote, urldefrag, urljoin, urlsplit, urlunsplit

from ragstone.core.errors import UsageError

SCHEMES = {"http": 80, "https": 443}
SHAPE = "http:// or https://, a host and a path"
SAFE = "/%:=&?~#+!$,;'@()*[]"
LONGEST = 2000  # characters of an address
LARGEST_SITEMAP = 50_000_000  # bytes, as its protocol says
SITEMAP_ROOTS = (b"<urlset", b"<sitemapindex")


def is_address(text: str) -> bool:
    """Whether a source is a web address and no path."""
    return "://" in text


def normalize_address(text: str) -> str:
    """An address without fragment, default port and user; its host in lower case. Raises `UsageError` for others than
    http and https.

    >>> normalize_address("HTTPS://Example.org:443#top")
    'https://example.org/'
    """
    try:
        parts = urlsplit(urldefrag(text.strip()).url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"invalid address {text!r:.80}: expected {SHAPE}") from error
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise UsageError(f"cannot fetch {text!r:.80}: expected {SHAPE}")
    if parts.username is not None:
        raise UsageError(f"cannot fetch {parts.hostname}: leave user and password out of the address")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port in (None, SCHEMES[parts.scheme]) else f"{host}:{port}"
    path, query = (quote(part, safe=SAFE) for part in (parts.path or "/", parts.query))
    return urlunsplit((parts.scheme, place, path, query, ""))


def find_site(address: str) -> tuple[str, int]:
    """Host and port. The default ports of http and https count as one: sites lead from one to the other."""
    parts = urlsplit(address)
    port = parts.port or SCHEMES[parts.scheme]
    return parts.hostname or "", 443 if port in SCHEMES.values() else port


def list_links(page: bytes, address: str) -> tuple[list[str], frozenset[str]]:
    """The addresses that a page links to, and its words for robots (`nofollow`, `noindex`)."""
    reader = _LinkReader()
    reader.feed(page.decode("utf-8", "replace"))
    base = urljoin(address, reader.base) if reader.base else address
    found = []
    for link in reader.links:
        try:
            found.append(normalize_address(urljoin(base, link)))
        except (UsageError, ValueError):  # mail, scripts, broken ones
            continue
    return [link for link in dict.fromkeys(found) if len(link) <= LONGEST], frozenset(reader.robots)


class _LinkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.robots: set[str] = set()
        self.base = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in given and "nofollow" not in given.get("rel", "").lower().split():
            self.links.append(given["href"].strip())
        elif tag == "base" and not self.base:
            self.base = given.get("href", "")
        elif tag == "meta" and given.get("name", "").lower() in ("robots", "ragstone"):
            self.robots |= read_robot_words(given.get("content", ""))


def read_robot_words(text: str) -> set[str]:
    """The wishes of a page towards robots; `none` is both of its parts."""
    words = {word.strip().lower() for word in text.split(",")}
    return words | ({"noindex", "nofollow"} if "none" in words else set())


def is_sitemap(data: bytes) -> bool:
    """Whether a file is a sitemap or an index of sitemaps, packed perhaps."""
    return any(root in unpack_sitemap(data)[:2000] for root in SITEMAP_ROOTS)


def unpack_sitemap(data: bytes) -> bytes:
    """The XML of a sitemap; of a packed one at most as much as one may have."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as file:
            return file.read(LARGEST_SITEMAP)
    except (OSError, EOFError):
        return b""


def read_sitemap(data: bytes) -> Iterator[tuple[str, bool]]:
    """The addresses in a sitemap, each with whether it is a sitemap itself."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    root = etree.fromstring(unpack_sitemap(data), parser)
    if root is None:
        return
    for place in root.iter("{*}loc"):
        kind = place.getparent()
        try:
            yield normalize_address(place.text or ""), kind is not None and str(kind.tag).endswith("}sitemap")
        except UsageError:
            continue
