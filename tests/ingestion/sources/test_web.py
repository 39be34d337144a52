"""A site as a source, on this machine: what is fetched, how politely, and what a bad answer does."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.config.settings import LimitSettings, Settings, SourceSettings
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.ingestion.sources.web import addresses, fetching
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """Pages by their path; `asked` are the requests that came, with their headers."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer | Callable[[dict[str, str]], Answer]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                site.asked.append((self.path, headers))
                found = site.pages.get(self.path, (404, {}, b"nothing"))
                status, given, body = found(headers) if callable(found) else found
                self.send_response(status)
                for name, value in {"Content-Type": "text/html", **given, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def page(self, path: str, text: str, links: str = "", **headers: str) -> None:
        body = f"<html><head><title>{text}</title></head><body><h1>{text}</h1><p>{text} stands here.</p>{links}</body>"
        self.pages[path] = (200, {name.replace("_", "-"): value for name, value in headers.items()}, body.encode())

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked if path != "/robots.txt"]


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Callable[..., ragstone.Knowledge]]:
    opened = []

    def open_(place: str, *, text_bytes: int = 10_000_000, **more: Any) -> ragstone.Knowledge:
        source = SourceSettings(place, **{"name": "site", "delay": 0, **more})
        made = ragstone.open(
            settings=Settings(
                store=f"embedded:{tmp_path / 'store'}", sources=(source,), limits=LimitSettings(text_bytes)
            ),
            embedder=BagOfWords(),
        )
        opened.append(made)
        return made

    yield open_
    for each in opened:
        each.close()


def held(kb: ragstone.Knowledge) -> list[str]:
    return [document.path for document in kb.documents()]


def test_a_page_is_found_and_cited_by_its_address(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.page("/guide", "Samples are kept for 15 days", '<a href="/other">other</a>')
    site.page("/other", "Other")
    with kb(f"{site.url}/guide#top") as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/guide"]
        answer = opened.ask("How long are samples kept?")
        assert answer.citations[0].document.path == f"{site.url}/guide"
    assert site.paths() == ["/guide"]
    assert site.asked[1][1]["user-agent"].startswith("ragstone/")


def test_a_section_is_followed_below_its_address_and_no_further(
    site: Site, kb: Callable[..., ragstone.Knowledge]
) -> None:
    links = '<a href="a">a</a><a href="/docs/b#x">b</a><a href="/docs/b">b</a><a href="/blog/">no</a>'
    away = '<a href="http://elsewhere.invalid/docs/">no</a><a href="mailto:x@y">no</a><a href="http://[">no</a>'
    site.page("/docs/", "Start", links + away + '<a rel="nofollow" href="/docs/hidden">no</a>')
    site.page("/docs/a", "A", '<a href="deep">deep</a>')
    site.page("/docs/b", "B")
    site.page("/docs/deep", "Deep", '<a href="deeper">too deep</a>')
    site.page("/docs/deeper", "Deeper")
    with kb(f"{site.url}/docs/", depth=2) as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/docs/{name}" for name in ("", "a", "b", "deep")]
    assert sorted(site.paths()) == ["/docs/", "/docs/a", "/docs/b", "/docs/deep"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_sitemap_lists_pages(site: Site, kb: Callable[..., ragstone.Knowledge], packed: bool) -> None:
    pages = "".join(
        f"<url><loc>{place}</loc></url>" for place in (f"{site.url}/a", f"{site.url}/b", "http://x.invalid")
    )
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    inner = f"<urlset {space}>{pages}</urlset>".encode()
    site.pages["/pages.xml"] = (200, {"Content-Type": "text/xml"}, gzip.compress(inner) if packed else inner)
    index = f"<sitemapindex {space}><sitemap><loc>{site.url}/pages.xml</loc></sitemap></sitemapindex>"
    site.pages["/sitemap.xml"] = (200, {"Content-Type": "text/xml"}, index.encode())
    site.page("/a", "Page A")
    site.page("/b", "Page B")
    with kb(f"{site.url}/sitemap.xml") as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/a", f"{site.url}/b"]


def test_robots_are_heeded(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    rules = b"User-agent: *\nDisallow: /docs/*.private\nDisallow: /secret/\nCrawl-delay: 0.01\n"
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, rules)
    site.page("/docs/", "Start", '<a href="x.private">x</a><a href="no">n</a><a href="index">i</a>')
    site.page("/docs/x.private", "Private")
    site.page("/docs/no", "No", '<a href="behind">b</a>', X_Robots_Tag="nofollow")
    site.page("/docs/behind", "Behind")
    site.page("/docs/index", '</title><meta name="robots" content="noindex"><title>')
    with kb(f"{site.url}/docs/") as opened:
        [run] = opened.ingest()
        assert held(opened) == [f"{site.url}/docs/", f"{site.url}/docs/no"]
        ignored = {entry["path"].removeprefix(site.url) for entry in run.stats["ignored"]}
        assert ignored == {"/docs/x.private", "/docs/index"}
    assert not {"/docs/x.private", "/docs/behind"} & set(site.paths())
    with kb(f"{site.url}/secret/page") as opened, pytest.raises(UsageError, match=r"robots\.txt"):
        opened.ingest()
    site.pages["/robots.txt"] = (503, {}, b"")
    with kb(f"{site.url}/docs/") as opened, pytest.raises(Unavailable, match="nothing may be fetched"):
        opened.ingest()


def test_an_unchanged_page_is_not_sent_again(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    def tagged(text: str, tag: str, links: str = "") -> Callable[[dict[str, str]], Answer]:
        body = f"<html><body><h1>{text}</h1><p>{text} stands here.</p>{links}</body>".encode()
        return lambda asked: (
            (304, {"ETag": tag}, b"") if asked.get("if-none-match") == tag else (200, {"ETag": tag}, body)
        )

    site.pages["/d/"] = tagged("Start", '"1"', '<a href="a">a</a>')
    site.pages["/d/a"] = tagged("Page", '"1"')
    with kb(f"{site.url}/d/") as opened:
        opened.ingest()
        site.asked.clear()
        [run] = opened.ingest()
        assert run.stats["documents"]["unchanged"] == 2
        assert {asked["if-none-match"] for path, asked in site.asked if path != "/robots.txt"} == {'"1"'}
        site.pages["/d/a"] = tagged("Changed", '"2"')
        [run] = opened.ingest()
        assert run.stats["documents"] == {**run.stats["documents"], "unchanged": 1, "changed": 1}
        site.asked.clear()
        [run] = opened.ingest(refresh=True)  # all is sent, and read
        assert all("if-none-match" not in asked for _, asked in site.asked)
        assert len(held(opened)) == 2


def test_a_page_that_is_gone_goes_and_one_that_fails_stays(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.page("/d/", "Start", "".join(f'<a href="{n}">x</a>' for n in range(4)))
    for n in range(4):
        site.page(f"/d/{n}", f"Page {n}")
    with kb(f"{site.url}/d/") as opened:
        opened.ingest()
        del site.pages["/d/0"]
        site.pages["/d/1"] = (500, {}, b"")
        site.pages["/d/2"] = (410, {}, b"")
        [run] = opened.ingest()
        assert [path.removeprefix(site.url) for path in held(opened)] == ["/d/", "/d/1", "/d/3"]
        messages = {s["path"].removeprefix(site.url): s["message"].replace(site.url, "") for s in run.stats["skipped"]}
        assert messages == {"/d/1": "/d/1 answers 500"}
        site.pages["/d/"] = (503, {}, b"")
        with pytest.raises(Unavailable, match="answers 503: nothing was changed"):
            opened.ingest()
        site.server.shutdown()
        site.server.server_close()
        with pytest.raises(Unavailable, match="cannot be reached"):
            opened.ingest()
        assert len(held(opened)) == 3


def test_pages_that_only_a_silent_page_leads_to_stay(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.page("/d/", "Start", '<a href="list">list</a>')
    site.page("/d/list", "List", '<a href="far">far</a>')
    site.page("/d/far", "Far")
    with kb(f"{site.url}/d/") as opened:
        opened.ingest()
        site.pages["/d/list"] = (503, {}, b"")
        [run] = opened.ingest(checksum=True)  # without the memory of the last run
        assert run.stats["skipped"][0]["message"] == f"1 page did not answer: no page of {site.url}/d was removed"
        assert [path.removeprefix(site.url) for path in held(opened)] == ["/d/", "/d/far", "/d/list"]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of the waits, which take no time here."""
    made: list[float] = []
    monkeypatch.setattr(fetching.Fetcher, "_sleep", lambda _self, seconds: made.append(seconds))
    return made


def test_a_site_that_asks_for_patience_gets_it(
    site: Site, kb: Callable[..., ragstone.Knowledge], waits: list[float]
) -> None:
    answers = [(429, {"Retry-After": "1"}, b""), (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"")]
    page: Answer = (200, {}, b"<html><body><p>Patience is kept.</p></body>")
    site.pages["/p"] = lambda _asked: answers.pop(0) if answers else page
    with kb(f"{site.url}/p") as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/p"]
    assert len(site.paths()) == 3
    assert [seconds for seconds in waits if seconds > 0.5] == [1.0]


def test_a_site_that_asks_for_too_much_patience_is_named_at_once(
    site: Site, kb: Callable[..., ragstone.Knowledge], waits: list[float]
) -> None:
    site.pages["/d/busy"] = (429, {"Retry-After": "120"}, b"")
    said = r"answers 429 and asks to wait 120 seconds: nothing was changed"
    with kb(f"{site.url}/d/busy") as opened, pytest.raises(Unavailable, match=said):
        opened.ingest()
    assert site.paths() == ["/d/busy"]
    site.pages["/d/slow"] = (503, {"Retry-After": "40"}, b"")
    site.page("/d/", "Start", '<a href="slow">x</a><a href="busy">x</a><a href="last">x</a>')
    site.page("/d/last", "Last")
    with kb(f"{site.url}/d/") as opened:
        [run] = opened.ingest()
        assert held(opened) == [f"{site.url}/d/", f"{site.url}/d/last"]  # the run goes on
    said = "answers 503 and asks to wait 40 seconds"
    assert f"{site.url}/d/slow {said}" in [each["message"] for each in run.stats["skipped"]]
    assert [seconds for seconds in waits if seconds > 0.5] == [40.0]  # a minute in a row is the most


def test_a_busy_site_stops_no_other_source(site: Site, tmp_path: Path) -> None:
    site.pages["/busy"] = site.pages["/full"] = (429, {"Retry-After": "120"}, b"")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nSamples are kept.\n", encoding="utf-8")
    store = f"embedded:{tmp_path / 'store'}"
    with ragstone.open(store, embedder=BagOfWords()) as kb:
        for recorded in (False, True):
            failed, done = kb.ingest(f"{site.url}/busy", folder)
            assert (failed.status, done.status) == ("failed", "succeeded")
            assert "was not updated" in failed.stats["warnings"][-1]
            assert "answers 429" in failed.stats["warnings"][-1]
            assert (failed.id in [run.id for run in kb.runs()]) == recorded
        assert held(kb) == ["a.md"]
        with pytest.raises(Unavailable, match=r"answers 429.*answers 429"):
            kb.ingest(f"{site.url}/busy", f"{site.url}/full".replace("127.0.0.1", "localhost"))


def test_the_command_lists_a_busy_site_at_its_end(site: Site, docs: Path, run: Run) -> None:
    site.pages["/busy"] = (429, {"Retry-After": "120"}, b"")
    done = run("ingest", f"{site.url}/busy", docs, "--embedder", "none")
    assert done.status == Unavailable.exit
    assert "4 added" in done.out
    assert "was not updated" in done.err.splitlines()[-1]
    told = run("ingest", f"{site.url}/busy", docs, "--embedder", "none", "--json").out.splitlines()[-1]
    assert len(json.loads(told)["failed"]) == 1


def test_a_page_without_an_end_is_not_read_for_ever(
    site: Site, kb: Callable[..., ragstone.Knowledge], monkeypatch: pytest.MonkeyPatch
) -> None:
    site.page("/d/", "Start", '<a href="long">x</a>')
    site.page("/d/long", "word " * 600_000)
    monkeypatch.setattr(fetching, "WHOLE_SECONDS", -1.0)
    with kb(f"{site.url}/d/") as opened, pytest.raises(UsageError, match="was still being sent after"):
        opened.ingest()
    monkeypatch.undo()
    with kb(f"{site.url}/d/", text_bytes=1_000_000) as opened:
        [run] = opened.ingest()
        [skipped] = run.stats["skipped"]
        assert (skipped["reason"], "1,000,001 bytes" in skipped["message"]) == ("too_large", True)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/loop", "leads in a circle"),
        ("http://elsewhere.invalid/x", "leads to another site"),
        ("ftp://127.0.0.1/x", "not a web address"),
        ("//127.0.0.1:1/x", "leads to another site"),
    ],
)
def test_a_redirect_leads_nowhere_else(
    site: Site, kb: Callable[..., ragstone.Knowledge], target: str, said: str
) -> None:
    site.pages["/loop"] = (302, {"Location": target}, b"")
    site.page("/d/", "Start", '<a href="away">x</a>')
    site.pages["/d/away"] = (301, {"Location": target}, b"")
    with kb(f"{site.url}/loop") as opened, pytest.raises(UsageError, match=said):
        opened.ingest()
    with kb(f"{site.url}/d/") as opened:
        [run] = opened.ingest()
        assert said in run.stats["skipped"][0]["message"]
        assert held(opened) == [f"{site.url}/d/"]


@pytest.mark.parametrize(
    "target", ["http://elsewhere.invalid/x", "http://169.254.169.254/latest/meta-data/", "/robots.txt"]
)
def test_robots_are_read_on_the_site_alone(site: Site, kb: Callable[..., ragstone.Knowledge], target: str) -> None:
    site.pages["/robots.txt"] = (302, {"Location": target}, b"")
    site.page("/", "Start")
    with kb(f"{site.url}/") as opened, pytest.raises(UsageError, match=r"leads (to another site|in a circle)"):
        opened.ingest()
    assert site.paths() == []


def test_robots_that_moved_on_the_site_are_read(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.pages["/robots.txt"] = (301, {"Location": "/real.txt"}, b"")
    site.pages["/real.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /d/closed\n")
    site.page("/d/", "Start", '<a href="closed">x</a><a href="open">y</a>')
    site.page("/d/closed", "Closed")
    site.page("/d/open", "Open")
    with kb(f"{site.url}/d/") as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/d/", f"{site.url}/d/open"]


def test_a_name_that_is_turned_to_this_network_is_not_read(
    site: Site, kb: Callable[..., ragstone.Knowledge], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the first request, for robots.txt, had been answered from the internet."""
    seen: list[str] = []

    def is_public_at_first(address: str) -> bool:
        seen.append(address)
        return len(seen) == 1 or ip_address(address).is_global

    monkeypatch.setattr(fetching, "is_public_address", is_public_at_first)
    site.page("/", "Start")
    with kb(f"{site.url}/") as opened, pytest.raises(UsageError, match="inside this network"):
        opened.ingest()
    assert seen == ["127.0.0.1"] * 2


def test_a_redirect_on_the_site_is_followed(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.pages["/old"] = (301, {"Location": "/new"}, b"")
    site.page("/new", "New place")
    with kb(f"{site.url}/old") as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/old"]


def test_bounds_hold(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.page("/d/", "Start", "".join(f'<a href="{n}">x</a>' for n in range(9)))
    for n in range(9):
        site.page(f"/d/{n}", f"Page {n}")
    with kb(f"{site.url}/d/") as opened:
        opened.ingest()
        assert len(held(opened)) == 10
    site.asked.clear()
    with kb(f"{site.url}/d/", pages=3) as opened:
        [run] = opened.ingest()
        assert len(site.paths()) == 3
        assert len(held(opened)) == 10  # what was not looked at again stays
        [left] = run.stats["skipped"]
        assert (left["reason"], "`pages` of the source" in left["message"]) == ("limit", True)
    site.pages["/big"] = (200, {"Content-Type": "text/plain"}, b"x" * 12_000_000)
    with kb(f"{site.url}/big", name="big") as opened:
        [run] = opened.ingest()
        assert run.stats["skipped"][0]["reason"] == "too_large"


def test_a_binary_page_is_refused_and_a_pdf_or_text_is_read(site: Site, kb: Callable[..., ragstone.Knowledge]) -> None:
    site.page("/d/", "Start", '<a href="x.bin">x</a><a href="notes">n</a>')
    site.pages["/d/x.bin"] = (200, {"Content-Type": "application/octet-stream"}, bytes(range(256)) * 50)
    site.pages["/d/notes"] = (200, {"Content-Type": "text/plain"}, b"# Notes\n\nTea is brewed at 80 degrees.\n")
    with kb(f"{site.url}/d/") as opened:
        opened.ingest()
        assert held(opened) == [f"{site.url}/d/", f"{site.url}/d/notes"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("ftp://example.org/x", "expected http:// or https://"),
        ("file:///etc/passwd", "expected http:// or https://"),
        ("http://", "expected http:// or https://"),
        ("http://user:secret@example.org/", "leave user and password out"),
        ("http://example.org:99999/", "invalid address"),
    ],
)
def test_other_addresses_are_refused(run: Run, tmp_path: Path, address: str, said: str) -> None:
    done = run("ingest", address, "--store", tmp_path / "store")
    assert done.status == 2
    assert said in done.err
    assert "secret" not in done.err


def test_the_command_line_fetches_only_what_is_named(run: Run, site: Site, tmp_path: Path) -> None:
    site.page("/p", "Tea is brewed at 80 degrees")
    store = ("--store", tmp_path / "store")
    done = run("ingest", f"{site.url}/p", *store, "--embedder", "none")
    assert (done.status, "1 added" in done.out + done.err) == (0, True)
    assert run("extract", f"{site.url}/p").status == 2
    config = tmp_path / "c.yaml"
    config.write_text("offline: true\n", "utf-8")
    refused = run("ingest", f"{site.url}/p", *store, "--config", config)
    assert (refused.status, "offline is true" in refused.err) == (2, True)
    asked = len(site.asked)
    config.write_text(f"sources: [{{path: '{site.url}/p', name: site}}]\nembed: {{model: none}}\n", "utf-8")
    assert run("config", "check", "--config", config, *store).status == 0
    assert len(site.asked) == asked  # a check fetches nothing


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "protego", None)
    done = run("ingest", "http://127.0.0.1:9/", "--store", tmp_path / "store")
    assert done.status == 2
    assert "ragstone[web]" in done.err


def test_addresses_are_normalised() -> None:
    for given, made in {
        "HTTP://Example.ORG": "http://example.org/",
        "https://example.org:443/a b?q=ü#x": "https://example.org/a%20b?q=%C3%BC",
        "http://[::1]:80/x": "http://[::1]/x",
    }.items():
        assert addresses.normalize_address(given) == made
    assert addresses.find_site("http://a.org/") == addresses.find_site("https://a.org/x")
    assert addresses.find_site("http://a.org:81/") != addresses.find_site("http://a.org/")


def test_an_interrupt_ends_a_crawl(site: Site, tmp_path: Path) -> None:
    import asyncio

    from ragstone.engine import Engine
    from tests.patience import HANG, until_async

    site.page("/d/", "Start", "".join(f'<a href="{n}">x</a>' for n in range(500)))
    for n in range(500):
        site.page(f"/d/{n}", f"Page {n}")

    async def interrupt() -> int:
        source = SourceSettings(f"{site.url}/d/", "site", delay=3600)
        settings = Settings(store=f"embedded:{tmp_path / 'store'}", sources=(source,))
        async with Engine(settings, embedder=BagOfWords()) as engine:
            work = asyncio.ensure_future(engine.ingest())

            async def asked() -> bool:
                return bool(site.paths())

            await until_async(asked)
            work.cancel()
            with pytest.raises((asyncio.CancelledError, RagstoneError)):
                await asyncio.wait_for(work, HANG)
        return len(site.paths())

    assert asyncio.run(interrupt()) <= 2
