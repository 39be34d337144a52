"""The report of a red team as a page that loads nothing."""

from ragstone.core.version import __version__
from ragstone.evaluation.page.document import make_head
from ragstone.evaluation.page.markup import Content, element, mask, table
from ragstone.evaluation.redteam.run import Outcome, RedTeamReport

CLASSES = {"passed": "better", "failed": "degraded", "skipped": "quiet"}


def render_page(report: RedTeamReport) -> str:
    """The page as HTML: a table of the probes, what failed first."""
    order = {"failed": 0, "skipped": 1, "passed": 2}
    outcomes = sorted(report.outcomes, key=lambda one: order[one.status])
    title = f"Red team: {mask(report.target)}"
    said = f"{report.count('failed')} failed, {report.count('passed')} passed, {report.count('skipped')} skipped."
    columns = ("Probe", "Outcome", "Attack", "What happened")
    body = element(
        "body",
        element(
            "header",
            element("h1", title),
            element("p", said, class_="verdict " + ("degraded" if report.failed else "better")),
        ),
        element("main", table("Probes", columns, [_render_row(one) for one in outcomes], class_="words")),
        element("footer", element("p", f"Ragstone {__version__}", class_="quiet")),
    )
    return f"<!DOCTYPE html>\n{element('html', make_head(title), body, lang='en')}\n"


def _render_row(one: Outcome) -> list[Content]:
    shown: list[Content] = [mask(one.message), element("pre", mask(one.evidence)) if one.evidence else None]
    return [f"{one.kind}/{one.name}", element("span", one.status, class_=CLASSES[one.status]), one.attack, shown]
