"""A red team: planted documents and questions that try to break what Ragstone promises."""

from dataclasses import asdict

from ragstone.core.types import Json
from ragstone.evaluation.redteam.page import render_page
from ragstone.evaluation.redteam.probes import KINDS
from ragstone.evaluation.redteam.run import Outcome, RedTeamReport, run_probes, select_probes
from ragstone.evaluation.redteam.targets import CollectionTarget, ServerTarget

__all__ = [
    "KINDS",
    "CollectionTarget",
    "Outcome",
    "RedTeamReport",
    "ServerTarget",
    "render_page",
    "report_json",
    "run_probes",
    "select_probes",
]


def report_json(report: RedTeamReport) -> Json:
    """The report as plain data."""
    counts = {status: report.count(status) for status in ("passed", "failed", "skipped")}
    return {"schema": 1, "target": report.target, **counts, "probes": [asdict(one) for one in report.outcomes]}
