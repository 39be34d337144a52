"""A source whose documents are web pages: one page, those of a sitemap, or a section of a site."""

import hashlib
import heapq
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from ragstone.core.errors import Refused, Unavailable, UsageError
from ragstone.core.plural import format_count
from ragstone.core.ports import ListedFile
from ragstone.core.records import IGNORED, Skipped
from ragstone.ingestion.sources.rules import Rules
from ragstone.ingestion.sources.web import addresses, fetching
from ragstone.ingestion.sources.web.addresses import is_address, normalize_address
from ragstone.ingestion.sources.web.fetching import Fetcher, Reply

__all__ = ["CrawlLimits", "WebSource", "is_address"]

SITEMAP_DEPTH = 3  # of sitemaps in sitemaps
MOST_FAILURES = 10  # pages in a row that do not answer: then the site is taken to be down
NOT_MODIFIED = 304
DIGEST = "sha256:"  # what tells editions of a page apart whose server says nothing of them


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """How far a crawl goes: links from the start, pages, seconds between two requests, bytes of a page
    and of one that is text."""

    depth: int = 3
    pages: int = 1000
    delay: float = 1.0
    bytes: int = 200_000_000
    text_bytes: int = 10_000_000


class WebSource:
    """The pages behind an address, listed by a crawl; a page's path is its address.

    An address that ends with `/` is a section: the pages below it that its pages link to. A sitemap lists pages; any
    other address is one page. Nothing of another host is fetched. A later run asks for each known page again, linked
    or not, and the site sends only changed pages.
    """

    def __init__(self, name: str, address: str, *, rules: Rules, limits: CrawlLimits = CrawlLimits()) -> None:  # frozen
        self._name = name
        self._start = normalize_address(address)
        self._rules = rules
        self._limits = limits
        self._known: Mapping[str, Sequence[Any]] = {}
        self._tell: Callable[[int, int], None] = lambda _done, _total: None
        self._fetcher = Fetcher(self._start, delay=limits.delay, most=limits.bytes, most_text=limits.text_bytes)
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # made with its first file
        self._files: dict[str, Path] = {}
        self._made = 0
        self._listed: list[ListedFile | Skipped] | None = None

    @property
    def name(self) -> str:
        return self._name

    def recall(self, files: Mapping[str, Sequence[Any]], tell: Callable[[int, int], None]) -> None:
        """The stamps of pages that the last run noted; `tell` gets how many pages were fetched, and are known of."""
        self._known, self._tell = files, tell

    def close(self) -> None:
        """End the crawl; remove its temporary files."""
        self._fetcher.stop()
        if self._folder is not None:
            self._folder.cleanup()

    def walk(self) -> Iterator[ListedFile | Skipped]:
        """The pages in the order of their addresses. Raises `UsageError` for a start that is not there or not to be
        fetched, `Unavailable` for a site that does not answer: then nothing of it counts as vanished."""
        if self._listed is None:
            try:
                self._listed = sorted(_Crawl(self).run(), key=lambda entry: entry.path)
            except fetching.Stopped as error:
                raise Unavailable(f"the crawl of {self._start} was stopped") from error
        return iter(self._listed)

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a page, fetched again if they are not at hand; raises `Refused`."""
        data = self._read_start(path, limit + 1)
        if len(data) > limit:
            settings = "limits.text_bytes or limits.office_bytes"
            raise Refused("too_large", f"{path} has more than {limit:,} bytes; raise {settings}, or leave it out")
        return data

    def peek(self, path: str, size: int) -> bytes:
        """The first bytes of a page, at most `size`; raises `Refused` as `read` does."""
        return self._read_start(path, size)

    def _read_start(self, path: str, size: int) -> bytes:
        file = self._files.get(path)
        if file is None:
            file = self.make_file()
            try:
                reply = self._fetcher.fetch(path, file)
            except UsageError as error:
                raise Refused("unreadable", str(error)) from error
            except fetching.Stopped as error:
                raise Refused("unreadable", f"{path} was not fetched: the run was stopped") from error
            if reply.status != 200:
                raise Refused("unreadable", f"{path} {_describe_status(reply)}")
            self._files[path] = file
        with file.open("rb") as opened:
            return opened.read(size)

    def make_file(self) -> Path:
        """A new file for a body."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ragstone-web-")
        self._made += 1
        return Path(self._folder.name, str(self._made))


class _Crawl:
    """One walk over a site."""

    def __init__(self, source: WebSource) -> None:
        self._source = source
        self._fetcher = source._fetcher
        self._start = source._start
        self._limits = source._limits
        self._section = self._start if self._start.endswith("/") else None
        self._count = 0
        self._place = (self._section or urljoin(self._start, "/")).rstrip("/")
        self._failures = 0
        self._silent = 0  # pages that did not answer: a page that only they lead to may be there still
        self._seen: set[str] = set()
        self._queue: list[tuple[int, int, str]] = []  # depth, order of finding, address
        self._found: dict[str, ListedFile | Skipped] = {}

    def run(self) -> list[ListedFile | Skipped]:
        if not self._fetcher.is_allowed(self._start):
            raise UsageError(f"robots.txt of the site forbids {self._start}: ask its owner, or ingest files")
        self._add(self._start, 0)
        if self._section:
            for address, stamp in self._source._known.items():
                self._add(address, int(stamp[1]) if len(stamp) > 1 else 1)
        while self._queue:
            depth, _, address = heapq.heappop(self._queue)
            if len(self._found) >= self._limits.pages:
                return [*self._found.values(), self._describe_rest()]
            self._visit(address, depth)
            self._source._tell(len(self._found), len(self._found) + len(self._queue))
        unsure = self._silent and not self._source._known  # each known page was asked for, whoever leads to it
        return [*self._found.values(), *([self._describe_silence()] if unsure else [])]

    def _describe_rest(self) -> Skipped:
        """The pages that were not looked at, as a folder that could not be read: what is in the collection stays."""
        limit = f"the limit of {self._limits.pages:,} pages was reached (`pages` of the source)"
        return Skipped(
            self._place, "limit", f"{limit}: {format_count(len(self._queue) + 1, 'known page')} not looked at"
        )

    def _describe_silence(self) -> Skipped:
        """The pages that a page which did not answer may lead to: what is in the collection of them stays too."""
        pages = format_count(self._silent, "page")
        return Skipped(self._place, "unreadable", f"{pages} did not answer: no page of {self._place} was removed")

    def _add(self, address: str, depth: int) -> None:
        if address in self._seen or not self._fetcher.is_own(address):
            return
        self._seen.add(address)
        heapq.heappush(self._queue, (depth, len(self._seen), address))

    def _visit(self, address: str, depth: int, *, sitemaps: int = SITEMAP_DEPTH) -> None:
        if address != self._start and (self._source._rules.ignores(address) or not self._fetcher.is_allowed(address)):
            self._found[address] = Skipped(address, IGNORED, "left out by a rule, or by robots.txt")
            return
        known = self._source._known.get(address, ())
        edition = str(known[3]) if len(known) > 3 else ""
        validators = "" if edition.startswith(DIGEST) else edition
        file = self._source.make_file()
        try:
            reply = self._fetcher.fetch(address, file, validators=validators)
        except UsageError as error:
            if address == self._start:
                raise
            self._found[address] = Skipped(address, "unreadable", str(error))
            return
        self._check_alive(address, reply)
        if reply.status == NOT_MODIFIED:
            self._found[address] = ListedFile(address, int(known[0]), (int(known[0]), depth, 0, validators))
        elif reply.status in (404, 410):
            if address == self._start:
                raise UsageError(f"{address} answers {reply.status}: there is no such page")
        elif reply.status != 200:
            self._found[address] = Skipped(address, "unreadable", f"{address} {_describe_status(reply)}")
        else:
            self._take(address, depth, reply, file, sitemaps)

    def _check_alive(self, address: str, reply: Reply) -> None:
        """Raises `Unavailable` for a site that does not answer any more."""
        failed = reply.status in (0, 429) or reply.status >= 500
        self._failures = self._failures + 1 if failed else 0
        self._silent += failed
        if self._failures and (address == self._start or self._failures >= MOST_FAILURES):
            raise Unavailable(f"{address} {_describe_status(reply)}: nothing was changed; try again later")

    def _take(self, address: str, depth: int, reply: Reply, file: Path, sitemaps: int) -> None:
        """List a page, and find those that it leads to."""
        data = file.read_bytes()
        if addresses.is_sitemap(data) and (depth == 0 or sitemaps < SITEMAP_DEPTH):
            self._follow_sitemap(data, depth, sitemaps)
            return
        words = addresses.read_robot_words(reply.robots)
        links: list[str] = []
        if reply.html or data.lstrip()[:1] == b"<":
            links, asked = addresses.list_links(data, reply.address)
            words |= asked
        if self._section and depth < self._limits.depth and "nofollow" not in words:
            for link in links:
                if link.startswith(self._section):
                    self._add(link, depth + 1)
        if "noindex" in words:
            self._found[address] = Skipped(address, IGNORED, "the page asks not to be indexed")
            return
        edition = reply.validators or f"{DIGEST}{hashlib.sha256(data).hexdigest()}"
        self._found[address] = ListedFile(address, reply.size, (reply.size, depth, 0, edition))
        self._source._files[address] = file

    def _follow_sitemap(self, data: bytes, depth: int, sitemaps: int) -> None:
        for address, nested in addresses.read_sitemap(data):
            if not nested:
                self._add(address, depth + 1)
            elif sitemaps and self._fetcher.is_own(address) and address not in self._seen:
                self._seen.add(address)
                self._visit(address, depth, sitemaps=sitemaps - 1)


def _describe_status(reply: Reply) -> str:
    """What a page answers.

    >>> _describe_status(Reply(429, "http://a/b", wait=120.0))
    'answers 429 and asks to wait 120 seconds'
    """
    if not reply.status:
        return "does not answer"
    asked = f" and asks to wait {format_count(round(reply.wait), 'second')}" if reply.wait and reply.wait >= 1 else ""
    return f"answers {reply.status}{asked}"
