"""When a watcher acts: by the times of events alone."""

import pytest

from ragstone.ingestion.watch.debounce import Delays, Pending, Step, decide_step

DELAYS = Delays(2.0, 30.0)


def changed(*times: float) -> Pending:
    pending = Pending()
    for at in times:
        pending = pending.note_change(at)
    return pending


@pytest.mark.parametrize(
    ("pending", "now", "step"),
    [
        (Pending(), 100.0, Step("wait")),
        (changed(100.0), 100.0, Step("wait", 2.0)),
        (changed(100.0), 102.0, Step("reindex")),
        (changed(100.0, 101.5), 102.0, Step("wait", 1.5)),
        (changed(100.0, 101.5), 103.5, Step("reindex")),
        (changed(*range(100, 121)), 120.0, Step("reindex")),  # never quiet: after ten times the delay nevertheless
        (changed(100.0).note_reindex(102.0), 103.0, Step("wait", 29.0)),
        (changed(100.0).note_reindex(102.0), 132.0, Step("flush")),
        (changed(100.0).note_reindex(102.0).note_change(131.0), 132.0, Step("flush")),
        (changed(100.0).note_reindex(102.0).note_change(120.0), 132.0, Step("reindex")),
        (changed(100.0).note_reindex(102.0).note_reindex(120.0), 132.0, Step("wait", 18.0)),
        (changed(100.0).note_reindex(102.0).note_flush(), 200.0, Step("wait")),
        (changed(100.0).note_nothing(), 200.0, Step("wait")),
        (changed(100.0).note_failure(102.0, DELAYS), 103.0, Step("wait", 29.0)),
        (changed(100.0).note_failure(102.0, DELAYS).note_change(110.0), 112.0, Step("reindex")),
    ],
)
def test_what_is_due_is_done_and_else_the_wait_ends_when_it_is(pending: Pending, now: float, step: Step) -> None:
    assert decide_step(pending, DELAYS, now) == step


def test_a_folder_that_is_never_quiet_is_flushed_after_ten_times_the_delay() -> None:
    pending = Pending()
    for at in range(100, 400, 2):
        pending = pending.note_reindex(at)
        assert decide_step(pending, DELAYS, at).action == "wait"
    assert decide_step(pending.note_reindex(400.0), DELAYS, 400.0) == Step("flush")
