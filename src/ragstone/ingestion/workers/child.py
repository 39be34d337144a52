"""One child process as its parent sees it."""

import contextlib
import os
import subprocess
import sys
from typing import Any

from ragstone.ingestion import build_revision
from ragstone.ingestion.workers.messages import pack_message, receive, send

MAX_FIRST_ANSWER = 4096  # bytes that the first answer may have


class Child:
    """Used by one thread at a time. Telling and asking raise `OSError` or `EOFError` when it has died."""

    def __init__(self) -> None:
        """Start it, out of reach of the terminal's Ctrl-C, and without modules from the current folder.

        Raises `OSError`.
        """
        apart: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            [sys.executable, "-I" if sys.flags.isolated else "-P", "-m", "ragstone.ingestion.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **apart,
        )
        assert self._process.stdin is not None  # both are pipes
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout

    def learn(self, rules: bytes) -> bool:
        """Tell it the rules; whether it took them in and is a part of this same program."""
        send(self._to, pack_message(sys.path))
        send(self._to, rules)
        return receive(self._from, MAX_FIRST_ANSWER) == os.fsencode(build_revision.__file__)

    def ask(self, request: bytes) -> bytes:
        """Its answer."""
        send(self._to, request)
        return receive(self._from)

    def end(self) -> int:
        """Kill it and wait for its end; its exit status, negative for a signal. Any thread may do that."""
        self._process.kill()
        return self._process.wait()

    def close(self) -> None:
        """Give the pipes back when nobody uses them any more."""
        for pipe in (self._from, self._to):
            with contextlib.suppress(OSError):  # what it was not told any more
                pipe.close()
