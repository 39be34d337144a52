"""The web page in a real browser: a streamed answer, its citations, a search, keys, the keyboard, hostile documents.

Playwright keeps its own event loop running in this thread, so tests with `async` stand in `test_page_policy.py`.
"""

import asyncio
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.config.settings import Settings, SourceSettings
from ragstone.engine import Engine
from tests.extraction.pdf.sheets import paragraph, pdf, shown
from tests.server.conftest import QUESTION, Served, serve_program

HOSTILE = (
    "# <img src=x onerror=alert(1)>\n\nThe visitor wifi is <script>alert(1)</script> called Pebble. "
    "![x](http://evil.example/x.png) [1] [click](http://evil.example)\n"
)
FLIGHTS = "Employees may book flights up to 900 euros without approval."
LIST = """# Lamps

Some lamps cost more than one thinks:

* Lamps of the attic burn all night.
* Lamps of the cellar, which has damp walls, break after eleven months.
"""
DOCUMENTS = {
    "lamps.md": LIST,
    "storage.md": "# Storage\n\n😀 password=hunter2secret99\n\nSamples are kept for 15 days by default.\n",
    "hostile.md": HOSTILE,
}
FIELD = "Question or search words"
# What the answer showed while it came, before its citations were drawn.
WATCH = """
window.states = [];
new MutationObserver(() => {
  const one = document.querySelector(".answer");
  if (one) window.states.push([one.textContent, one.ariaBusy, one.querySelectorAll("button").length]);
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
"""
YELLOW = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const rows = [];
  for (let at = 0; at < data.length; at += 4)
    if (data[at] - data[at + 2] > 40) rows.push(Math.floor(at / 4 / canvas.width) / canvas.height);
  return rows.length ? [rows[0], rows.at(-1)] : null;
}"""


async def _fill(settings: Settings) -> str:
    async with Engine(settings) as engine:
        await engine.ingest()
        return (await engine.create_key("page", roles="read")).text


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store, and a key for it."""
    folder = tmp_path_factory.mktemp("page")
    docs = folder / "docs"
    docs.mkdir()
    for name, text in DOCUMENTS.items():
        (docs / name).write_text(text, "utf-8")
    lines = [FLIGHTS, "", "Hotels are paid up to 150 euros a night."]
    (docs / "travel.pdf").write_bytes(pdf([shown(50, 60, "Travel", size=20) + "\n" + paragraph(50, 400, lines)]))
    settings = Settings(store=f"embedded:{folder / 'store'}", sources=(SourceSettings(str(docs), "docs"),))
    return folder / "store", asyncio.run(_fill(settings))


@pytest.fixture(scope="module")
def served(filled: tuple[Path, str]) -> Iterator[Served]:
    with serve_program("--store", filled[0]) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium here")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages; at the end, no script failed, no dialog came, nothing elsewhere was asked for."""
    contexts: list[Any] = []
    problems: list[str] = []

    def open_at(url: str, *, width: int = 1280, scheme: str = "light", **options: Any) -> Any:
        contexts.append(browser.new_context(viewport={"width": width, "height": 700}, color_scheme=scheme, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda asked: problems.extend([] if asked.url.startswith(url) else [asked.url]))
        page.add_init_script(WATCH)
        page.goto(url)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert problems == []


def ask(page: Any, question: str) -> None:
    page.get_by_label(FIELD).fill(question)
    page.keyboard.press("Enter")
    page.wait_for_selector("#do-ask:enabled")


def test_an_answer_streams_and_its_citation_opens_the_marked_span(
    served: Served, open_page: Callable[..., Any]
) -> None:
    page = open_page(served.url)
    ask(page, QUESTION)
    states = page.evaluate("() => window.states")
    assert ["Samples are kept for 15 days by default.", "true", 0] in states  # before the verdicts came
    assert page.locator(".answer").get_attribute("aria-live") == "polite"
    assert page.locator(".answer").get_attribute("aria-busy") == "false"
    page.get_by_role("button", name="Source 1: Storage").click()
    page.wait_for_selector("mark")
    assert page.locator("mark").inner_text() == "Samples are kept for 15 days by default."  # behind a masked secret
    assert "[masked:password]" in page.locator("#viewer").inner_text()
    assert "hunter2" not in page.content()
    ask(page, "Who is the king of Denmark?")
    assert page.get_by_text("Closest passages").is_visible()
    page.get_by_role("button", name="New conversation").click()
    assert page.locator(".turn").count() == 0
    assert page.locator("#viewer").is_hidden()


def test_a_citation_of_several_places_marks_each_and_nothing_between(
    served: Served, open_page: Callable[..., Any]
) -> None:
    page = open_page(served.url)
    ask(page, "When do lamps of the cellar with damp walls break?")
    page.locator(".cite").first.click()
    page.wait_for_selector("mark")
    marked = page.locator("mark").all_inner_texts()
    assert marked[0].startswith("Some lamps")
    assert marked[-1].endswith("eleven months.")
    assert not any("attic" in one for one in marked)
    assert page.locator("#viewer-place").inner_text() == "lamps.md, lines 3, 6"


def test_a_pdf_shows_its_page_with_the_box_drawn(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    ask(page, "Up to how many euros may flights be booked without approval?")
    page.locator(".cite").first.click()
    page.wait_for_selector("canvas")
    top, bottom = page.locator("canvas").evaluate(YELLOW)
    assert 385 / 800 < top < bottom < 410 / 800  # the line at 400 points of 800, and no other
    assert FLIGHTS in page.locator("canvas").get_attribute("aria-label")
    seen = page.evaluate("""() => {
        const [body, canvas] = ["#viewer-body", "canvas"].map((one) => document.querySelector(one));
        return [body, canvas].map((one) => one.getBoundingClientRect()).map((one) => [one.top, one.height]);
    }""")
    (at, height), (start, drawn) = seen
    assert at < start + top * drawn < at + height / 2  # scrolled to the place, wherever on the page it is
    page.locator("#viewer-title").evaluate("one => { one.textContent = 'A long title '.repeat(20); }")
    assert page.locator("#viewer-close").bounding_box()["height"] < 50  # its word on one line


def test_all_is_reached_by_the_keyboard(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    page.keyboard.type(QUESTION)  # the field has the focus
    page.locator(".skip").focus()
    page.keyboard.press("Enter")  # skips to the question
    page.keyboard.press("Enter")
    page.wait_for_selector(".cite")
    page.wait_for_selector("#do-ask:enabled")
    for _ in range(2):  # from the field back over the list of sources to the number
        page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement.className") == "cite"
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector("mark")
    assert page.evaluate("() => document.activeElement.id") == "viewer-title"
    page.keyboard.press("Escape")
    assert page.locator("#viewer").is_hidden()
    assert page.evaluate("() => document.activeElement.className") == "cite"


def test_a_hostile_document_is_text(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    ask(page, "What is the name of the visitor wifi?")
    assert "<script>alert(1)</script>" in page.locator(".turn").inner_text()
    page.locator(".cite").first.click()
    page.wait_for_selector("mark")
    assert page.locator("#viewer pre").text_content().strip() == HOSTILE.strip()
    assert page.locator("#columns :is(img, script, a, iframe, style)").count() == 0


def test_a_search_shows_what_each_retriever_said(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    page.get_by_label(FIELD).fill("samples kept")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("button", name="Ranks by retriever: result 1").click()
    page.wait_for_selector(".hit .scores td:has-text('rank 1')")
    rows = page.locator(".hit").first.locator("tr").all_inner_texts()
    assert [re.split(r"\s+", row.strip())[0] for row in rows] == ["bm25", "cosine", "score"]
    assert all("rank 1" in row for row in rows[:2])
    page.get_by_role("button", name="Show in document: result 1").click()
    page.wait_for_selector("mark")
    page.get_by_label("Search in").select_option(label="default")
    ask(page, QUESTION)
    assert page.locator(".cite").count() == 1


def test_a_key_is_asked_for_and_kept_in_the_page_alone(filled: tuple[Path, str], open_page: Callable[..., Any]) -> None:
    store, key = filled
    with serve_program("--store", store, RAGSTONE_ACCESS__TRUSTED="false") as locked:
        page = open_page(locked.url)
        page.wait_for_selector("dialog[open]")
        page.get_by_label("Key or token").fill("rag_wrong")
        page.keyboard.press("Enter")
        page.get_by_text("The server does not accept this key.").wait_for()
        page.get_by_label("Key or token").fill(key)
        page.get_by_role("button", name="Use this key").click()
        page.wait_for_selector("option[value='collection:default']", state="attached")
        ask(page, QUESTION)
        assert page.locator(".cite").count() == 1
        kept = page.evaluate(
            "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
        )
        assert key not in kept
        assert key not in page.content()
        page.reload()
        page.wait_for_selector("dialog[open]")  # forgotten


def test_an_error_is_one_sentence(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    page.route("**/v1/ask", lambda route: route.abort())
    ask(page, QUESTION)
    assert page.get_by_role("alert").inner_text() == "The server cannot be reached."
    assert page.get_by_label(FIELD).input_value() == QUESTION  # to ask again


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 320)])
def test_axe_finds_nothing(served: Served, open_page: Callable[..., Any], scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(served.url, scheme=scheme, width=width, bypass_csp=True, reduced_motion="reduce")
    ask(page, QUESTION)
    page.get_by_label(FIELD).fill("samples kept")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_selector(".hit")
    page.wait_for_selector("#do-ask:enabled")
    found = [axe.run(page).response["violations"]]
    page.locator(".cite").first.click()
    page.wait_for_selector("mark")
    found.append(axe.run(page).response["violations"])
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for part in found for one in part] == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert page.locator("main").evaluate("one => one.inert") is (width == 320)  # where the document covers it


def test_the_reference_of_the_api_tries_its_example(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    page.goto(f"{served.url}/docs")
    page.get_by_role("button", name="Find the best passages").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.wait_for_selector(".live-responses-table")
    assert "Samples are kept for 15 days by default." in page.locator(".live-responses-table").inner_text()
    for scheme, ground in (("dark", "rgb(28, 32, 34)"), ("light", "rgba(0, 0, 0, 0)")):
        page.emulate_media(color_scheme=scheme)
        is_drawn = "ground => getComputedStyle(document.documentElement).backgroundColor === ground"
        page.wait_for_function(is_drawn, arg=ground)


def test_behind_a_prefix_the_reference_tries_its_requests_there(served: Served, open_page: Callable[..., Any]) -> None:
    page = open_page(served.url)
    asked: list[str] = []

    def strip_prefix(route: Any) -> None:  # as a proxy does
        asked.append(route.request.url)
        route.fulfill(response=route.fetch(url=route.request.url.replace("/kb/", "/")))

    page.route(f"{served.url}/kb/**", strip_prefix)
    page.goto(f"{served.url}/kb/docs/")
    page.get_by_role("button", name="Find the best passages").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.wait_for_selector(".live-responses-table")
    assert f"{served.url}/kb/v1/search" in asked
    assert "Samples are kept for 15 days by default." in page.locator(".live-responses-table").inner_text()
