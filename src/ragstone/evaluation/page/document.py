"""The page of an evaluation as a whole: its head with the policy that lets nothing in, and its parts in order."""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files

from ragstone.core.plural import format_count
from ragstone.core.version import __version__
from ragstone.evaluation.compare import Baseline, Comparison
from ragstone.evaluation.page import sections
from ragstone.evaluation.page.markup import Markup, Section, element, mask
from ragstone.evaluation.page.questions import render_questions
from ragstone.evaluation.run import Report


def render_page(report: Report, *, baseline: Baseline | None = None, comparison: Comparison | None = None) -> str:
    """The page as HTML. It asks for nothing and runs nothing: all that it shows stands in it."""
    parts = [
        sections.render_measures(report, comparison),
        sections.render_ablation(report),
        sections.render_answer_ablation(report),
        render_questions(report, baseline, comparison),
        sections.render_curve(report),
        sections.render_latency(report, baseline),
        sections.render_settings(report, baseline),
        sections.render_warnings(report, comparison),
    ]
    shown = [part for part in parts if part]
    held = report.settings
    name = mask(str(held.get("golden") or held.get("beir") or "questions"))
    title = f"Evaluation of {name}"
    body = element(
        "body",
        element("a", "Skip to the measures", href="#measures", class_="skip"),
        element("header", element("h1", title), _summarize(report, comparison), _list_parts(shown)),
        element("main", [part.markup for part in shown]),
        element("footer", element("p", f"Ragstone {__version__}", class_="quiet")),
    )
    return f"<!DOCTYPE html>\n{element('html', make_head(title), body, lang='en')}\n"


def make_head(title: str) -> Markup:
    """The head of a page in this style, which loads nothing."""
    style = files(__package__).joinpath("style.css").read_text("utf-8")
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(style)),
    )


def _summarize(report: Report, comparison: Comparison | None) -> list[Markup]:
    counts = report.counts
    told = f"{format_count(counts['questions'], 'question')}, {counts['unanswerable']} of them unanswerable"
    out = [element("p", told, class_="quiet")]
    if comparison:
        worse = [change.metric for change in comparison.regressions]
        better = [change.metric for change in comparison.changes if change.verdict == "better"]
        said = f"Worse than the baseline: {', '.join(worse)}." if worse else "Not worse than the baseline."
        said += f" Better: {', '.join(better)}." if better else ""
        out.append(element("p", said, class_=f"verdict {'degraded' if worse else 'better'}"))
    return out


def _list_parts(parts: Sequence[Section]) -> Markup:
    links = [element("li", element("a", part.heading, href=f"#{part.identifier}")) for part in parts]
    return element("nav", element("ul", links), aria_label="Parts of this page")
