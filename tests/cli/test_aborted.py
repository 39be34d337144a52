"""A question that is not answered stops a command with a sentence."""

import pytest
from typer.exceptions import Abort

from tests.commands import Run


def test_a_question_that_is_not_answered_is_a_failure_and_changes_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise Abort

    monkeypatch.setattr("ragstone.cli.app.run_app", stop)
    stopped = run("info")
    assert (stopped.status, stopped.out) == (1, "")
    assert "stopped: nothing was changed" in stopped.err
