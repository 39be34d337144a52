"""How far a run is, in a terminal and in JSON lines."""

import io
import json
import sys

import pytest
from rich.console import Console

from ragstone.cli import progress
from ragstone.cli.progress import ProgressDisplay, estimate_remaining
from ragstone.core.answers import Event


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Shown:
    """A display in a terminal with a clock of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self._console = Console(file=io.StringIO(), force_terminal=True, width=110)
        self._bars = progress.make_bars(self._console, lambda: self.now)
        monkeypatch.setattr(progress, "make_bars", lambda: self._bars)
        monkeypatch.setattr(sys, "stderr", Terminal())
        self.display = ProgressDisplay(ndjson=False)

    def at(self, now: float, *, done: int | None = None, stage: str = "text") -> str:
        """The line of a moment, after an event where `done` is given."""
        self.now = now
        if done is not None:
            self.display.show_event(Event(stage, {"done": done, "total": 10}))
        with self._console.capture() as captured:
            self._console.print(self._bars.get_renderable())
        return captured.get()


def test_the_display_moves_each_second_without_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown(monkeypatch)
    before = [shown.at(float(now)) for now in range(3)]
    assert all("starting" in line for line in before)
    assert len(set(before)) == 3
    shown.at(4.0, done=2)
    held_up = [shown.at(float(now)) for now in range(5, 25)]
    assert len(set(held_up)) == len(held_up)
    assert all("documents" in line and "starting" not in line for line in held_up)


def test_what_is_left_is_told_by_the_mean_rate_from_the_first_event_on(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown(monkeypatch)
    assert "0:00:16 left" in shown.at(4.0, done=2)
    assert "2/10" in shown.at(4.0)
    assert "0:00:32 left" in shown.at(8.0)  # one document takes long: it grows
    assert "0:00:08 left" in shown.at(8.0, done=5)
    assert "left" not in shown.at(20.0, done=10)
    assert "0:00:18 left" in shown.at(22.0, done=1, stage="vectors")  # its two seconds, not the twenty before


def test_a_listing_without_a_total_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown(monkeypatch)
    shown.display.show_event(Event("listed", {"done": 1234, "total": None}))
    assert "files listed" in shown.at(1.0)
    assert "1234" in shown.at(1.0)
    assert "starting" not in shown.at(1.0)


def test_the_estimate_settles() -> None:
    noisy = [done * 2.0 + (3.0 if done % 2 else 0.0) for done in range(1, 101)]
    left = [estimate_remaining(done, 200, seconds) for done, seconds in enumerate(noisy, 1)]
    assert estimate_remaining(0, 200, 5.0) is None
    errors = [abs((one or 0.0) - 2.0 * (200 - done)) / (2.0 * (200 - done)) for done, one in enumerate(left, 1)]
    assert max(errors[:2]) > 0.5
    assert max(errors[50:]) < 0.03


def test_a_pipe_gets_lines_with_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for ndjson in (False, True):
        with ProgressDisplay(ndjson=ndjson) as display:
            display.show_event(Event("text", {"done": 3, "total": 3}))
        out, err = capsys.readouterr()
        assert err == ""
        assert [json.loads(line) for line in out.splitlines()] == (
            [{"schema": 1, "event": "text", "done": 3, "total": 3}] if ndjson else []
        )
