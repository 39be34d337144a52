"""Single questions on the page: those that changed most against a baseline, else those that went worst."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragstone.answering.excerpts import QuestionTerms, mark_words, weigh_terms
from ragstone.core.escaping import MARK_END, MARK_START
from ragstone.core.plural import format_count
from ragstone.evaluation.compare import Baseline, Comparison
from ragstone.evaluation.interval import score_gain
from ragstone.evaluation.page.charts import draw_changes
from ragstone.evaluation.page.markup import Content, Markup, Section, element, join, mask
from ragstone.evaluation.passages import Passage
from ragstone.evaluation.report import display_name
from ragstone.evaluation.run import Report, Row

MOST_QUESTIONS = 100  # on the page: a set may have thousands
MOST_EXPECTED = 10  # documents of one question
LONGEST = 1000  # characters of a question or an id that are shown
OPEN = 3  # questions that are unfolded at first


@dataclass(frozen=True, slots=True)
class Shown:
    """A question with its score then and now; `before` is None without a baseline."""

    row: Row
    now: float
    before: float | None = None

    @property
    def change(self) -> float:
        """The gain against the baseline."""
        return 0.0 if self.before is None else score_gain(self.before, self.now)


def render_questions(report: Report, baseline: Baseline | None, comparison: Comparison | None) -> Section | None:
    """Gains and losses of the questions in one measure, with the passages of both runs side by side."""
    metric = _choose_metric(report, comparison)
    if metric is None:
        return None
    every = list(_pair_rows(report, baseline, metric))
    if not every:
        return None
    name = display_name(metric, report.settings.get("depth"))
    if baseline is None:
        every.sort(key=lambda one: (one.now, one.row.id))
        told: Content = f"The {format_count(len(every[:MOST_QUESTIONS]), 'question')} with the lowest {name}."
        heading = "Questions that went worst"
    else:
        every.sort(key=lambda one: (-abs(one.change), one.row.id))
        told = _describe_changes(every, name)
        heading = "Questions that changed"
    shown = every[:MOST_QUESTIONS]
    rest = len(every) - len(shown)
    left = (
        element("p", f"{format_count(rest, 'more question is', 'more questions are')} left out here.") if rest else None
    )
    return Section("questions", heading, [told, [_render(one, baseline, name, n) for n, one in enumerate(shown)], left])


def _choose_metric(report: Report, comparison: Comparison | None) -> str | None:
    """The first measure, of a comparison the first that was compared, that single questions have."""
    names = [change.metric for change in comparison.changes] if comparison else list(report.metrics)
    return next((name for name in names if any(name in row.scores for row in report.rows)), None)


def _pair_rows(report: Report, baseline: Baseline | None, metric: str) -> Iterator[Shown]:
    for row in report.rows:
        if metric not in row.scores:
            continue
        if baseline is None:
            yield Shown(row, row.scores[metric])
        elif baseline.questions.get(row.id) == row.question and metric in baseline.scores[row.id]:
            yield Shown(row, row.scores[metric], baseline.scores[row.id][metric])


def _describe_changes(every: Sequence[Shown], name: str) -> list[Markup]:
    gained, lost = sum(one.change > 0 for one in every), sum(one.change < 0 for one in every)
    same = len(every) - gained - lost
    said = (
        f"{name}: {format_count(gained, 'question')} better, {lost} worse, {same} the same; the largest changes first"
    )
    return [element("p", f"{said}."), draw_changes([one.change for one in every], said=said)]


def _render(one: Shown, baseline: Baseline | None, name: str, place: int) -> Markup:
    row = one.row
    figures: Content = f"{name} {one.now:.3f}"
    if one.before is not None:
        kind = "gain" if one.change > 0 else "loss" if one.change < 0 else "quiet"
        figures = [
            element("span", f"{one.change:+.3f}", class_=kind),
            f" ({name} {one.before:.3f} before, {one.now:.3f} now)",
        ]
    head = element(
        "summary", element("strong", mask(row.id[:LONGEST])), " ", mask(row.question[:LONGEST]), " · ", figures
    )
    wanted = element("p", "Expected: ", _list_expected(row)) if row.expected else None
    earlier = baseline.passages.get(row.id, ()) if baseline else ()
    terms = weigh_terms(row.question, [passage.text for passage in (*row.passages, *earlier)])
    now = _render_side("This run" if baseline else "First passages", row.passages, terms)
    sides = [_render_side("Baseline", earlier, terms), now] if baseline else [now]
    body = element("div", wanted, element("div", sides, class_="sides"))
    return element("details", head, body, open="" if place < OPEN else None)


def _list_expected(row: Row) -> str:
    names = [f"{mask(path)} (grade {grade})" for path, grade in row.expected.items()]
    more = f", and {len(names) - MOST_EXPECTED} more" if len(names) > MOST_EXPECTED else ""
    return ", ".join(names[:MOST_EXPECTED]) + more


def _render_side(heading: str, passages: Sequence[Passage], terms: QuestionTerms) -> Markup:
    items = [_render_passage(passage, terms) for passage in passages]
    found = element("ol", items, class_="passages") if items else element("p", "No passage is kept.", class_="quiet")
    return element("div", element("h3", heading), found)


def _render_passage(passage: Passage, terms: QuestionTerms) -> Markup:
    place = [
        element("span", mask(passage.path), class_="path"),
        f" · {mask(passage.heading)}" if passage.heading else None,
        element("span", f" · expected (grade {passage.grade})", class_="expected gain") if passage.grade > 0 else None,
    ]
    return element("li", place, element("p", _highlight(passage.text, terms)) if passage.text else None)


def _highlight(text: str, terms: QuestionTerms) -> Markup:
    """A text with the question's words marked; all else in it is escaped."""
    escaped = join(mark_words(mask(text), terms.for_passage(text)))
    return Markup(escaped.replace(MARK_START, "<mark>").replace(MARK_END, "</mark>"))
