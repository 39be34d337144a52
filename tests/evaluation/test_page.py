"""The page for a browser: the figures of the report, nothing that runs, nothing from elsewhere, secrets masked."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from ragstone.core.types import Chunk, Document, Span
from ragstone.evaluation import Case, Entry, Ranking, Report, ScoredAnswer, as_json, compare, evaluate, read_baseline
from ragstone.evaluation.interval import Difference
from ragstone.evaluation.page import render_page
from ragstone.evaluation.page.questions import MOST_QUESTIONS
from ragstone.evaluation.stage_effects import StageEffect, StageGain

HOSTILE = (
    '<script>alert(1)</script><img src="https://evil.example/x.png" onerror=alert(2)>'
    " ]]> </style><a href='javascript:alert(3)'>cats</a> \x1b[31m\u202e "
    "token ghp_x9Kd83jfLs0Qm4Vb7Tz1Yc6Rw2Ae5Ug8HiN3"
)
CASES = [
    Case("up", "where do cats purr", relevance={"a.md": 3, "b.md": 1}, kind="fact"),
    Case("down <b>", f"why {HOSTILE}", relevance={"b.md": 1}, kind="<i>odd</i>"),
    Case("same", "what is same", relevance={"c.md": 1}),
    Case("none", "who painted the ceiling", answerable=False),
]
ORDERS = {"then": {"up": "bca", "down <b>": "bac"}, "now": {"up": "abc", "down <b>": "acb"}}


def make_entry(name: str) -> Entry:
    text = f"Cats purr in {name}. {HOSTILE}"
    document = Document(name, "docs", f"{name}.md", 1, "v", "r")
    span = Span(0, len(text), 1, 1)
    return Entry(f"{name}.md", 0, chunk=Chunk(name, document, 0, text, (span,), heading_path=("<h1>Cats</h1>",)))


async def report_of(run: str, cases: list[Case] = CASES) -> Report:
    async def search(case: Case) -> Ranking:
        order = ORDERS[run].get(case.id, "cab")
        likely = 0.9 if case.answerable else 0.2
        answer = ScoredAnswer(not case.answerable, likely, ("x",), 1, 1, "x")
        return Ranking(tuple(map(make_entry, order)), {"total": 0.02, "<u>odd</u>": 0.01}, answer)

    return await evaluate(search, cases, depth=10, settings={"golden": "set.jsonl", "mode": run, "note": HOSTILE})


async def page_of(tmp_path: Path) -> tuple[str, Report, Any]:
    file = tmp_path / "base.json"
    file.write_text(json.dumps(as_json(await report_of("then"))), "utf-8")
    baseline, report = read_baseline(file), await report_of("now")
    gain = StageGain("nDCG@10", 0.9, 0.8, 3, Difference(0.1, -0.05, 0.25, 0.2))
    report = replace(report, ablation=(StageEffect("key<words", {"mode": "x"}, (gain,), 12.5, 3.25),))
    comparison = compare(baseline, report)
    return render_page(report, baseline=baseline, comparison=comparison), report, comparison


def parse_page(text: str) -> Any:
    """The page as a tree; the stubs of lxml know too many types for what a path finds."""
    return html.document_fromstring(text)


def cells(tree: Any, caption: str) -> list[list[str]]:
    """The rows of the table with this caption, headings first."""
    [found] = [one for one in tree.iter("table") if one.findtext("caption") == caption]
    return [[cell.text_content() for cell in row] for row in found.iter("tr")]


async def test_the_page_shows_the_figures_of_the_report(tmp_path: Path) -> None:
    text, report, comparison = await page_of(tmp_path)
    tree = parse_page(text)
    measures = {row[0]: row for row in cells(tree, "Means over the questions that count, with bootstrap intervals")}
    for change in comparison.changes:
        shown = f"{change.metric}@10" if change.metric in ("MRR", "MAP") else change.metric
        low, high = report.intervals[change.metric]
        row = measures[shown]
        assert row[1:3] == [f"{report.metrics[change.metric]:.3f}", f"{low:.3f} – {high:.3f}"]
        assert (row[4], row[5], row[7]) == (f"{change.before:.3f}", f"{change.difference.mean:+.3f}", change.verdict)
    [stage] = cells(tree, "What each stage brings")[1:]
    assert [stage[0], *stage[2:6]] == ["key<words", "0.900", "0.800", "+0.100", "-0.050 – +0.250"]
    assert stage[-2:] == ["12.5", "3.2"]
    assert ["total", "20.0", "20.0", "20.0"] in cells(tree, "Milliseconds by stage")
    assert ["mode", "now", "then (other)"] in cells(tree, "What the figures depend on")
    assert cells(tree, "The curve in figures")[-1] == ["1.00", "0.250", "1.000"]


async def test_the_most_changed_questions_come_first_with_the_passages_of_both_runs(tmp_path: Path) -> None:
    text, *_ = await page_of(tmp_path)
    tree = parse_page(text)
    parts = tree.xpath("//section[@id='questions']/details")
    assert [part.findtext("summary/strong") for part in parts] == ["down <b>", "up", "same"]
    up = parts[1]
    assert " 1.000 now)" in up.find("summary").text_content()
    baseline, run = up.xpath(".//div[h3]")
    assert (baseline.findtext("h3"), run.findtext("h3")) == ("Baseline", "This run")
    assert [one.text for one in baseline.xpath(".//span[@class='path']")] == ["b.md", "c.md", "a.md"]
    assert [one.text for one in run.xpath(".//span[@class='path']")] == ["a.md", "b.md", "c.md"]
    assert "expected (grade 3)" in run.xpath(".//li")[0].text_content()
    assert "expected" not in run.xpath(".//li")[2].text_content()
    assert {mark.text.lower() for mark in run.xpath(".//mark")} >= {"cats", "purr"}


async def test_nothing_of_a_document_runs_or_is_fetched_and_secrets_are_masked(tmp_path: Path) -> None:
    text, *_ = await page_of(tmp_path)
    tree = parse_page(text)
    known = {"html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer", "section", "div", "p"}
    known |= {"h1", "h2", "h3", "ul", "ol", "li", "a", "table", "caption", "thead", "tbody", "tr", "th", "td", "span"}
    known |= {"details", "summary", "strong", "mark", "svg", "line", "circle", "rect", "text", "polyline"}
    assert {one.tag for one in tree.iter()} <= known
    for one in tree.iter():
        assert not [name for name in one.attrib if name.startswith("on") or name in ("src", "style", "srcset")]
        assert one.get("href", "#").startswith("#")
    assert "<script>alert(1)</script>" in tree.text_content()  # as text, to be read
    assert "ghp_" not in text
    assert not re.search("[\x00-\x08\x1b\u202e]", text)
    style = tree.findtext("head/style")
    [policy] = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "url(" not in style
    assert "@import" not in style


async def test_the_page_can_be_read_without_eyes_and_without_a_mouse(tmp_path: Path) -> None:
    text, *_ = await page_of(tmp_path)
    tree = parse_page(text)
    assert tree.get("lang") == "en"
    assert len(tree.xpath("//h1")) == 1
    assert all(part.find("h2") is not None for part in tree.xpath("//section"))
    assert all(one.findtext("caption") for one in tree.iter("table"))
    assert all(one.get("scope") for one in tree.iter("th"))
    assert all(one.get("role") == "img" and one.findtext("title") == one.get("aria-label") for one in tree.iter("svg"))
    names = [one.get("id") for one in tree.iter() if one.get("id")]
    assert len(names) == len(set(names))
    assert all(link[1:] in names for link in tree.xpath("//a/@href"))
    assert "prefers-color-scheme: dark" in text


async def test_of_thousands_of_questions_the_page_shows_some(tmp_path: Path) -> None:
    report = await report_of("now")
    rows = tuple(replace(report.rows[n % 3], id=f"q{n}") for n in range(2000))
    text = render_page(replace(report, rows=rows))
    tree = parse_page(text)
    assert len(tree.xpath("//details")) == MOST_QUESTIONS
    assert f"{2000 - MOST_QUESTIONS} more questions are left out here." in tree.text_content()
    assert len(text) < 1_000_000


async def test_a_report_without_answers_scores_or_times_is_a_page_too() -> None:
    async def search(case: Case) -> Ranking:
        return Ranking(())

    text = render_page(await evaluate(search, [Case("1", "anything", answerable=False)]))
    assert parse_page(text).findtext(".//h1") == "Evaluation of questions"


@pytest.fixture
async def page_file(tmp_path: Path) -> Path:
    """The page as a file."""
    file = tmp_path / "page.html"
    file.write_text((await page_of(tmp_path))[0], "utf-8")
    return file


def test_a_browser_shows_the_page_in_its_own_style(page_file: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium here")
    flags = "--headless --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=2000 --dump-dom"
    place = f"--user-data-dir={page_file.parent / 'profile'}"
    command = [browser, *flags.split(), place, page_file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "<h1>Evaluation of set.jsonl</h1>" in done.stdout
    assert "Content Security Policy" not in done.stderr  # what the policy refuses is said there
    assert "CONSOLE" not in done.stderr
