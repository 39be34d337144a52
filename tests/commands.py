"""Runs commands as the shell would, in this process."""

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from ragstone.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command left: exit status, stdout, stderr."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The last line of stdout as JSON."""
        return json.loads(self.out.strip().splitlines()[-1])


Run = Callable[..., Outcome]


@contextmanager
def _kept_signals() -> Iterator[None]:
    """A command handles signals until its process ends, and this one does not end with it."""
    main_thread = threading.current_thread() is threading.main_thread()  # only there may a command handle them
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if main_thread else ()
    kept = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("search", "x")` is `ragstone search x`."""

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr("sys.argv", ["ragstone", *map(str, arguments)])
        capsys.readouterr()
        with _kept_signals(), pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        status = stopped.value.code
        assert isinstance(status, int)
        assert "Traceback" not in out + err
        return Outcome(status, out, err)

    return call
