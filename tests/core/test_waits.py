"""Which waits count when time is over."""

import pytest

from ragstone.core import waits
from ragstone.core.waits import WaitCause, collect_waits, explain_wait

BUSY = WaitCause("all connections are in use", is_busy=True)


def fail() -> WaitCause:
    raise AssertionError("nothing was cut off")


@pytest.mark.parametrize(("late", "known", "told"), [(-1.0, BUSY, [BUSY]), (300.0, BUSY, []), (-1.0, None, [])])
def test_a_wait_that_ended_late_counts_where_its_cause_is_known(
    late: float, known: WaitCause | None, told: list[WaitCause], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "LATE_SECONDS", late)
    with collect_waits() as causes, explain_wait(fail, known=known):
        pass
    assert causes == told
