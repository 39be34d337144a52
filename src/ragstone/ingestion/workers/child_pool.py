"""A few children and who asks them: each is started when it is first needed and replaced when it dies."""

import contextlib
import logging
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.types import Document, Enclosing, Revision
from ragstone.extraction.sandbox import Sandbox
from ragstone.extraction.sandbox.children import Children
from ragstone.extraction.sandbox.lifeline import Lifeline
from ragstone.ingestion import build_revision
from ragstone.ingestion.build_revision import RevisionBuilder, build
from ragstone.ingestion.workers.messages import pack_message, receive, send

MAX_FIRST_ANSWER = 4096  # bytes that the first answer may have
BuildFunction = Callable[[str, bytes, str, Document | None, Enclosing], Revision]
"""Path, bytes, their sha256, the revision before and the facts from outside, to the next one; raises `Refused`."""

log = logging.getLogger("ragstone")


class Child:
    """Used by one thread at a time. Telling and asking raise `OSError` or `EOFError` when it has died."""

    def __init__(self) -> None:
        """Start it, out of reach of the terminal's Ctrl-C, and without modules from the current folder.

        Raises `OSError`.
        """
        self._lifeline = Lifeline()
        self._process = self._lifeline.start(_start_process)
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
        """Close the pipes once they are unused."""
        for pipe in (self._from, self._to):
            with contextlib.suppress(OSError):  # what it was not told any more
                pipe.close()
        self._lifeline.close()


def _start_process(lifeline: int) -> "subprocess.Popen[bytes]":
    apart: dict[str, Any] = {"process_group": 0, "pass_fds": (lifeline,)}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [sys.executable, "-I" if sys.flags.isolated else "-P", "-m", "ragstone.ingestion.workers", str(lifeline)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **apart,
    )


def build_in_process(builder: RevisionBuilder, source: str, processes: Sandbox) -> BuildFunction:
    """Build a revision in this process."""
    return lambda path, data, version, before, enclosing: build(
        builder, source, path, data, version=version, before=before, enclosing=enclosing, processes=processes
    )


class ChildPool:
    """At most `most` children. Where none can be started, `instead` does their work."""

    def __init__(self, rules: bytes, instead: BuildFunction, *, most: int) -> None:
        self._rules = rules
        self._instead = instead
        self._children: Children[Child] = Children(most)
        self._stopped = False
        self._useless = False

    def build(self, path: str, data: bytes, version: str, before: Document | None, enclosing: Enclosing) -> Revision:
        """Builds one revision in the child. A child that dies meanwhile makes the document `Refused` as broken."""
        with self._children.places:
            child = self._take_child()
            if child is not None:
                answer = self._ask_child(child, path, pack_message((path, data, version, before, enclosing)))
        return _unpack_revision(answer, path) if child else self._instead(path, data, version, before, enclosing)

    def stop(self) -> None:
        """End all children, also those that are at work, and start no more."""
        self._stopped = True
        for child in self._children.list_all():
            child.end()

    def close(self) -> None:
        """Give back what is left, once no thread builds any more."""
        for child in self._children.list_all():
            child.close()

    def _take_child(self) -> Child | None:
        """An idle child or a new one; None when children do not work here."""
        if self._stopped:
            raise Refused("broken", "the run was stopped")
        child = self._children.take_idle()
        return child if child is not None or self._useless else self._start_child()

    def _start_child(self) -> Child | None:
        try:
            child = Child()
        except OSError as error:
            self._give_up(error)
            return None
        self._children.add(child)
        try:
            if not self._stopped and child.learn(self._rules):  # `stop` may have come before it was added
                return child
            self._give_up("it is another program")
        except (OSError, EOFError) as error:
            self._give_up(error)
        self._dismiss_child(child)
        return None

    def _give_up(self, reason: object) -> None:
        log.debug("documents are built without worker processes, as one could not start: %r", reason)
        self._useless = True

    def _ask_child(self, child: Child, path: str, request: bytes) -> bytes:
        try:
            answer = child.ask(request)
        except (OSError, EOFError):
            status = self._dismiss_child(child)
            raise Refused(
                "broken",
                f"{path} could not be ingested: the process that read it {_describe_exit(status)}; "
                "it breaks a parser or needs more memory than there is",
            ) from None
        self._children.give_back(child)
        return answer

    def _dismiss_child(self, child: Child) -> int:
        status = child.end()
        child.close()
        self._children.remove(child)
        return status


def _describe_exit(status: int) -> str:
    names = {-number.value: number.name for number in signal.Signals}
    return f"was ended by {names[status]}" if status in names else f"ended with status {status}"


def _unpack_revision(answer: bytes, path: str) -> Revision:
    """The revision in a child's answer; raises the refusal in it."""
    made = pickle.loads(answer)  # noqa: S301  # from our own child and nobody else
    if isinstance(made, Revision):
        return made
    reason, message, trace = made
    if trace:
        log.error("%s could not be ingested\n%s", path, trace)
    raise Refused(reason, message)
