"""Requests to one site: politely, within bounds, never to another host."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.version import __version__
from ragstone.ingestion.sources.web.addresses import find_site, normalize_address

AGENT = f"ragstone/{__version__} (+https://pypi.org/project/ragstone)"
NAME = "ragstone"  # as robots.txt knows it
PACKAGE_MISSING = "the package {} is missing: pip install 'ragstone[web]'"
SECONDS = 30.0  # for a connection, and between two pieces of an answer
WHOLE_SECONDS = 120.0  # for a whole answer
REDIRECTS = 5
MOVED = (301, 302, 303, 307, 308)
TRIES = 3  # of an address that asks for patience or does not answer
FIRST_PATIENCE = 10.0  # seconds in all that a site may ask for before its first page: somebody waits for a word
PATIENCE = 60.0  # and between two pages, in the middle of a crawl
LARGEST_ROBOTS = 512_000  # bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: the status, the address that answered, its validators, the words for robots in its header, the
    seconds that it asks to wait; the body is in the file."""

    status: int
    address: str
    size: int = 0
    validators: str = ""
    robots: str = ""
    html: bool = False
    wait: float | None = None


class Stopped(Exception):
    """The source was closed while it fetched."""


class Fetcher:
    """Fetches from the site of one address; `stop` ends it at the next moment."""

    def __init__(self, start: str, *, delay: float, most: int, most_text: int) -> None:
        try:
            import httpx2
            import protego  # noqa: F401  # needed for each request
        except ImportError as error:
            raise UsageError(PACKAGE_MISSING.format(error.name)) from error
        self._errors = (httpx2.HTTPError, httpx2.InvalidURL)
        self._client = httpx2.Client(
            headers={"User-Agent": AGENT, "Accept-Encoding": "gzip"}, timeout=SECONDS, follow_redirects=False
        )
        self._site = find_site(start)
        self._start = start
        self._delay = delay
        self._most, self._most_text = most, most_text
        self._patience = FIRST_PATIENCE
        self._next = 0.0
        self._stop = threading.Event()
        self._robots: Any = None
        self._is_public = False

    def stop(self) -> None:
        """End waiting and fetching."""
        self._stop.set()
        self._client.close()

    def is_own(self, address: str) -> bool:
        """Whether an address is of the same site."""
        return find_site(address) == self._site

    def is_allowed(self, address: str) -> bool:
        """Whether the site's robots.txt lets this program fetch an address. Raises `Unavailable` where it cannot be
        read, which means that nothing may be fetched."""
        if self._robots is None:
            self._robots = self._read_robots()
            self._delay = max(self._delay, min(float(self._robots.crawl_delay(NAME) or 0), PATIENCE))
        return bool(self._robots.can_fetch(address, NAME))

    def _read_robots(self) -> Any:
        from protego import Protego

        place = urlunsplit((*urlsplit(self._start)[:2], "/robots.txt", "", ""))
        for _ in range(REDIRECTS + 1):
            try:
                status, text, to = self._fetch_robots(place)
            except self._errors as error:
                self._check_running()
                raise Unavailable(f"{place} cannot be reached ({error}): nothing was fetched") from error
            if to is None:
                break
            place = self._resolve_redirect(place, to)
        else:
            raise UsageError(f"{place} leads in a circle ({REDIRECTS} redirects)")
        if status >= 500 or status == 429:
            raise Unavailable(f"{place} answers {status}, so nothing may be fetched now: try again later")
        return Protego.parse(text.decode("utf-8", "replace") if status == 200 else "")

    def _fetch_robots(self, place: str) -> tuple[int, bytes, str | None]:
        """Status, text, and the place of a redirect."""
        text, end = b"", time.monotonic() + WHOLE_SECONDS
        with self._client.stream("GET", place) as reply:
            self._check_peer(reply)
            if reply.status_code in MOVED and "location" in reply.headers:
                return reply.status_code, b"", reply.headers["location"]
            for piece in reply.iter_bytes():
                text += piece
                if len(text) > LARGEST_ROBOTS or time.monotonic() > end:
                    break
            return reply.status_code, text, None

    def _resolve_redirect(self, address: str, to: str) -> str:
        """The address that another leads to; raises `UsageError` where that is on another site."""
        try:
            place = normalize_address(urljoin(address, to))
        except UsageError as error:
            raise UsageError(f"{address} leads to {to!r:.80}; that is not a web address") from error
        if not self.is_own(place):
            raise UsageError(f"{address} leads to another site, {place}: name that address to fetch it")
        return place

    def _check_peer(self, reply: Any) -> None:
        """A site that answered from the internet does not answer from this network later: its name would have been
        turned to a machine that only this one reaches. Raises `UsageError`."""
        stream = reply.extensions.get("network_stream")
        peer = stream.get_extra_info("server_addr") if stream is not None else None
        if not peer:
            return
        is_public = is_public_address(peer[0])
        self._is_public = self._is_public or is_public
        if self._is_public and not is_public:
            raise UsageError(
                f"{reply.url.host} leads to {peer[0]} now, an address inside this network: nothing is read"
            )

    def fetch(self, address: str, file: Path, *, validators: str = "") -> Reply:
        """Fetch an address into a file; status 304 where it is as `validators` say, 0 where it did not answer.

        A body of more bytes than allowed is kept up to one byte more. An answer that asks for more patience than is
        left is final: a busy site does not hold up a run for minutes. Raises `UsageError` for a redirect to another
        site or in a circle, and for a body that is not whole after `WHOLE_SECONDS`.
        """
        reply = Reply(0, address)
        for attempt in range(TRIES):
            reply = self._fetch_redirected(address, file, validators)
            if reply.status not in (0, 429, 502, 503, 504):
                self._patience = PATIENCE
                break
            wait = reply.wait if reply.wait is not None else self._delay * 2**attempt + 0.1
            if attempt == TRIES - 1 or wait > self._patience:
                break
            self._patience -= wait
            self._sleep(wait)
        return reply

    def _fetch_redirected(self, address: str, file: Path, validators: str) -> Reply:
        place = address
        for _ in range(REDIRECTS + 1):
            reply, to = self._fetch_once(place, file, validators)
            if to is None:
                return reply
            place = self._resolve_redirect(place, to)
            if not self.is_allowed(place):
                raise UsageError(f"{address} leads to {place}, which robots.txt forbids")
        raise UsageError(f"{address} leads in a circle ({REDIRECTS} redirects)")

    def _fetch_once(self, address: str, file: Path, validators: str) -> tuple[Reply, str | None]:
        """One request: the reply, the place of a redirect."""
        self._sleep(self._next - time.monotonic())
        self._next = time.monotonic() + self._delay
        end = time.monotonic() + WHOLE_SECONDS
        size = 0
        try:
            with self._client.stream("GET", address, headers=_condition(validators)) as reply, file.open("wb") as body:
                self._check_peer(reply)
                status, headers = reply.status_code, reply.headers
                if status in MOVED and "location" in headers:
                    return Reply(status, address), headers["location"]
                kind = headers.get("content-type", "").lower()
                most = self._most_text if "html" in kind or kind.startswith("text/") else self._most
                for piece in reply.iter_bytes() if status == 200 else ():
                    self._check_running()
                    size += body.write(piece[: most + 1 - size])
                    if size > most:
                        break
                    if time.monotonic() > end:
                        raise UsageError(f"{address} was still being sent after {WHOLE_SECONDS:.0f} seconds")
        except self._errors:
            self._check_running()
            return Reply(0, address), None
        except RuntimeError as error:  # the client was closed
            raise Stopped from error
        robots, wait = headers.get("x-robots-tag", ""), _read_retry_after(headers)
        return Reply(status, address, size, _read_validators(headers), robots, "html" in kind, wait), None

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(max(seconds, 0)):
            raise Stopped

    def _check_running(self) -> None:
        if self._stop.is_set():
            raise Stopped


def is_public_address(address: str) -> bool:
    """Whether an IP address is one of the internet, and none of this machine or its network."""
    return ip_address(address.partition("%")[0]).is_global


def _condition(validators: str) -> dict[str, str]:
    """The headers of a request that wants only what is new."""
    tag, _, date = validators.partition("\n")
    return {**({"If-None-Match": tag} if tag else {}), **({"If-Modified-Since": date} if date else {})}


def _read_validators(headers: Any) -> str:
    tag, date = headers.get("etag", ""), headers.get("last-modified", "")
    return f"{tag}\n{date}" if tag or date else ""


def _read_retry_after(headers: Any, now: Callable[[], float] = time.time) -> float | None:
    """The seconds that a site asks to wait."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if text.isdecimal():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - now(), 0.0)
    except (ValueError, TypeError):
        return None
