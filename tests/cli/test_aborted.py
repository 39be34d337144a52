"""What a command says on stderr beside its result: why it stopped, and nothing of libraries."""

import logging

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


def test_the_log_of_a_library_with_a_level_of_its_own_is_not_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(_: object) -> int:
        logger = logging.getLogger("a_library")
        logger.setLevel(logging.WARNING)
        logger.warning("error connecting")
        return 0

    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr("ragstone.cli.app.run_app", work)
    level = logging.root.level
    try:
        done = run("info")
    finally:
        logging.root.setLevel(level)
    assert (done.status, done.err) == (0, "")
