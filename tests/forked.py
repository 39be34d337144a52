"""Processes that tests kill, without waiting for their imports: each is a fork of one that has made them.

`start("tests.victim", …)` is `python -m tests.victim …` in the project's folder, with this process's environment. What
must begin as a user's process does (the command line, what Python does as it ends) is a process of its own instead.
"""

import ctypes
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tests.patience import HANG

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
ROOT = Path(__file__).resolve().parents[1]
IMPORTED = (
    "ragstone",
    "ragstone.engine.transfer",
    "ragstone.ingestion.run",
    "ragstone.ingestion.workers",
    "ragstone.stores.embedded",
    "ragstone.stores.postgres",
    "ragstone.stores.qdrant",
    "ragstone.testing.bag_of_words",
    "ragstone.testing.stores",
    "tests.stores.victim",
)


class Forked:
    """A process that was started: what tests use of `subprocess.Popen`."""

    def __init__(self, line: socket.socket, out: int, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = os.fdopen(out, encoding="utf-8")
        self._line = line

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        self.stdout.close()
        self.wait()

    def poll(self) -> int | None:
        """How it ended, None while it runs."""
        return self.returncode if self.returncode is not None else self._status(0.0)

    def wait(self, timeout: float = HANG) -> int:
        """How it ended, when it has."""
        status = self.returncode if self.returncode is not None else self._status(timeout)
        assert status is not None, "a process never ended"
        return status

    def communicate(self, timeout: float = HANG) -> tuple[str, None]:
        """All that it still prints, when it has ended."""
        with self.stdout:
            said = self.stdout.read()
        self.wait(timeout)
        return said, None

    def kill(self) -> None:
        """End it as nobody can prevent; nothing happens when it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ended in between
                os.kill(self.pid, signal.SIGKILL)

    def _status(self, seconds: float) -> int | None:
        self._line.settimeout(seconds)
        try:
            data = self._line.recv(4)
        except (TimeoutError, BlockingIOError):
            return None
        self._line.close()
        self.returncode = int.from_bytes(data, "big", signed=True)
        return self.returncode


_servers: list[tuple["subprocess.Popen[str]", str]] = []


def start(module: str, *arguments: object, env: Mapping[str, str] | None = None, session: bool = False) -> Forked:
    """A module as a program of its own; with `session` in a session of its own."""
    out, inner = os.pipe()
    line = socket.socket(socket.AF_UNIX)
    line.connect(_server())
    environment = dict(os.environ if env is None else env)
    asked = json.dumps([module, [str(one) for one in arguments], environment, session]).encode()
    socket.send_fds(line, [len(asked).to_bytes(4, "big")], [inner])
    line.sendall(asked)
    os.close(inner)
    return Forked(line, out, int.from_bytes(line.recv(4, socket.MSG_WAITALL), "big"))


def run(module: str, *arguments: object, env: Mapping[str, str] | None = None) -> int:
    """How a module as a program of its own ends."""
    child = start(module, *arguments, env=env)
    child.communicate()
    return child.wait()


def _server() -> str:
    """The socket of the process that forks, which is started when it is first asked for."""
    if not _servers:
        place = f"{tempfile.mkdtemp(prefix='forked-')}/socket"  # a short path: its name may have 100 characters
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "tests.forked", place], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        _servers.append((process, place))
    return _servers[0][1]


def end() -> None:
    """End the process that forks."""
    while _servers:
        process, place = _servers.pop()
        with process:
            process.kill()
        Path(place).unlink()
        Path(place).parent.rmdir()


def serve(place: str) -> None:
    """Fork for whoever asks, until this process is ended."""
    for module in IMPORTED:
        import_module(module)
    parent = os.getppid()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        listener.settimeout(5.0)
        print("ready", flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        while os.getppid() == parent:  # it goes with the tests, however these end
            try:
                line, _ = listener.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                listener.close()
                _keep(line)
            line.close()
            bury()


def _keep(line: socket.socket) -> None:
    """In a process that waits for the one that was asked for, and says how it ended."""
    _die_with_parent()
    line.setblocking(True)
    size, [out], _, _ = socket.recv_fds(line, 4, 1)
    module, arguments, environment, session = json.loads(line.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    pid = os.fork()
    if pid == 0:
        _die_with_parent()
        line.close()
        if session:
            os.setsid()
        os.dup2(out, 1)
        os.close(out)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [module, *arguments]
        _run(module)
    os.close(out)
    line.sendall(pid.to_bytes(4, "big"))
    line.sendall(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]).to_bytes(4, "big", signed=True))
    os._exit(0)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)


def _run(module: str) -> None:
    """As a program, but for what Python does at its end: threads that only the forking process has are waited for."""
    status = 1
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as stopped:
        status = stopped.code if isinstance(stopped.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def bury() -> None:
    """Take note of the children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:  # all are
        return


if __name__ == "__main__":
    serve(sys.argv[1])
