"""Signals end a command at any moment: one sentence, the status that shells know, nothing of Python's own."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ragstone.cli import signals
from ragstone.cli.signals import CONTINUE, Interrupts
from tests.patience import HANG

# Sends itself a signal when a module is looked for: at once, where exceptions are swallowed, or when Python ends.
SCRIPT = """
import os, signal, sys, threading

moment, number, *words = sys.argv[1:]

def strike(kill=os.kill, me=os.getpid(), number=signal.Signals[number]):
    kill(me, number)

class Half:
    def __del__(self):
        raise OSError("it was not made to its end")

class Deaf:
    def __del__(self, strike=strike):
        strike()

class Struck:
    def find_spec(self, name, *_):
        if name == "typer":
            sys.meta_path.remove(self)
            half = moment in ("deaf", "nohup") or Half()
            Deaf() if moment == "deaf" else exec("strike()")  # as a dataclass is made
            while moment == "deaf":
                pass

signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background it would be ignored
if moment == "nohup":
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
if moment == "wait":  # as Python waits for threads
    threading._register_atexit(strike)
elif moment == "end":
    sys.kept = Deaf()  # goes when all modules go
else:
    sys.meta_path.insert(0, Struck())
from ragstone.cli import main
sys.argv = ["ragstone", *words]
main()
"""


Struck = Callable[..., tuple[int, str]]


@pytest.fixture
def struck(tmp_path: Path) -> Struck:
    """Exit status and stderr of the script, run as a module as `python -m ragstone` is."""
    (tmp_path / "struck.py").write_text(SCRIPT, encoding="utf-8")

    def run(*how: str) -> tuple[int, str]:
        call = [sys.executable, "-m", "struck", *how]
        done = subprocess.run(call, check=False, timeout=HANG, capture_output=True, text=True, cwd=tmp_path)
        return done.returncode, done.stderr

    return run


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_each_signal_ends_a_command_with_a_sentence(struck: Struck, name: str, status: int) -> None:
    assert struck("import", name) == (status, f"{CONTINUE}\n")


def test_an_interrupt_where_exceptions_are_swallowed_is_not_lost(struck: Struck) -> None:
    assert struck("deaf", "SIGINT") == (130, f"{CONTINUE}\n")


@pytest.mark.parametrize("moment", ["wait", "end"])
def test_an_interrupt_of_a_command_that_is_done_changes_nothing(struck: Struck, moment: str) -> None:
    assert struck(moment, "SIGINT", "guard", "--help") == (0, "")


def test_a_closed_terminal_does_not_end_what_nohup_started(struck: Struck) -> None:
    assert struck("nohup", "SIGHUP", "guard", "--help") == (0, "")


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The statuses that the process would have ended with; no signal comes later."""
    ended: list[int] = []
    monkeypatch.setattr(signals, "end_process", ended.append)
    monkeypatch.setattr(signal, "setitimer", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return ended


def frame_in(file: str) -> FrameType:
    names: dict[str, Any] = {}
    exec(compile("import sys\nframe = sys._getframe()", file, "exec"), names)
    frame: FrameType = names["frame"]
    return frame


def test_only_the_first_signal_raises_and_a_later_one_ends(
    ended: list[int], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    interrupts, frame = Interrupts(), frame_in("/work.py")
    with pytest.raises(KeyboardInterrupt):
        interrupts.handle(signal.SIGINT, frame)
    interrupts.handle(signal.SIGINT, frame)  # a terminal and a job of the shell both send it
    assert (interrupts.status, ended) == (130, [])
    monkeypatch.setattr(signals, "REPEAT_SECONDS", -1.0)
    interrupts.handle(signal.SIGTERM, frame)
    assert ended == [130]
    assert capfd.readouterr().err == f"{CONTINUE}\n"


def test_an_interrupt_waits_while_the_main_thread_may_take_a_lock(ended: list[int]) -> None:
    interrupts = Interrupts()
    taking = [frame_in(file) for file in ("/lib/threading.py", "<frozen importlib._bootstrap>", "/lib/subprocess.py")]
    interrupts.handle(signal.SIGINT, taking[0])
    for frame in taking[1:]:
        interrupts._look_again(signal.SIGALRM, frame)
    with pytest.raises(KeyboardInterrupt):
        interrupts._look_again(signal.SIGALRM, frame_in("/work.py"))
    assert ended == []


def test_an_interrupt_ends_a_wait_for_a_lock(ended: list[int]) -> None:
    interrupts, frame = Interrupts(), frame_in("/lib/threading.py")
    interrupts.handle(signal.SIGINT, frame)
    with pytest.raises(KeyboardInterrupt):
        interrupts._look_again(signal.SIGALRM, frame)
    interrupts._look_again(signal.SIGALRM, frame)  # one that was on its way already
    assert ended == []


def test_a_signal_after_the_work_ends_the_process_with_its_status(ended: list[int]) -> None:
    interrupts = Interrupts()
    interrupts.finish(3)
    monkey = frame_in("/work.py")
    with pytest.raises(KeyboardInterrupt):  # `end_process` does not come back
        interrupts.handle(signal.SIGINT, monkey)
    assert ended == [3]
