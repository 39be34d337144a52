"""Parsers that do what a document could make a parser do, by their names."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from ragstone.core.errors import Refused
from ragstone.core.page_layout import Layout, Strip
from ragstone.core.types import Block, Cell, Extraction, Span

HERE = "tests.extraction.sandbox.hostile"


def made(text: str, **meta: object) -> Extraction:
    """A small extraction."""
    span = Span(0, len(text), 1, 1, page=1, bbox=(1.0, 2.0, 3.5, 4.25), sheet="S", rows=(1, 2), cols=(3, 4))
    cell = Cell(0, 1, "cell", 1, 2, True, 0, 4, 1, (0.0, 0.0, 1.0, 1.0))
    block = Block("table", text, (span,), role="footer", level=2, cells=(cell,), language="en")
    layout = Layout.from_strips([Strip(0, len(text), 1, (0.0, 0.0, 10.0, 10.0))]) if text else None
    return Extraction(text, (block,), "text/plain", "Title", {"n": 1, "l": [1.5, None, "ü"], **meta}, ("w",), layout)


def reads(data: bytes, *, path: str, **options: Any) -> Extraction:
    """What a parser should do."""
    return made(data.decode(), path=path, options=dict(options), pid=os.getpid())


def slow_reads(data: bytes, *, path: str, **options: Any) -> Extraction:
    """The same, after a while."""
    time.sleep(options["seconds"])
    return reads(data, path=path)


def waits(data: bytes, *, path: str, **options: Any) -> Extraction:
    """The same once a file is there; tells that it is at work."""
    Path(options["tell"]).write_text(str(os.getpid()), encoding="ascii")
    while not Path(options["until"]).exists():
        time.sleep(0.002)
    return reads(data, path=path)


def refuses(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Says why not."""
    raise Refused("encrypted", f"{path} is locked; save it without a password")


def refuses_oddly(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Says why not, at length and with what is no text."""
    raise Refused("Robert'); DROP TABLE", "\ud800" + "x" * 1_000_000)


def loops(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Never ends."""
    while True:
        pass


def works(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Uses up some processor time."""
    end = time.process_time() + options["seconds"]
    while time.process_time() < end:
        pass
    return reads(data, path=path)


def holds_natively(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """The next one, telling that it is at work."""
    Path(options["tell"]).write_text(str(os.getpid()), encoding="ascii")
    loops_natively(data, path=path, **options)


def loops_natively(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Never gives Python another turn."""
    ctypes.PyDLL(None).pause()
    raise AssertionError


def sleeps(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Waits for ever, and for nothing but SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    Path(options["tell"]).write_text(str(os.getpid()), encoding="ascii")
    while True:
        time.sleep(60)


def allocates(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Takes more and more."""
    kept = []
    while True:
        kept.append(bytearray(10_000_000))


def allocates_at_once(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Takes a lot and ends as a native library does that cannot have it."""
    os.write(2, b"memory allocation of 1073741824 bytes failed\n")
    os.abort()


def is_killed(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Ends as if the system had found that memory runs short."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def crashes(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Reads where nothing is."""
    ctypes.string_at(0)
    raise AssertionError


def aborts(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Gives up."""
    os.abort()


def leaves(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Ends its process."""
    os._exit(options.get("status", 0))


def exits(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Ends its process politely."""
    sys.exit(3)


def prints(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Says a lot to whoever listens."""
    for _ in range(200):
        print("x" * 100_000)
        os.write(2, b"y" * 100_000)
        os.write(1, b"z" * 100_000)
    sys.stdout.flush()
    return reads(data, path=path)


def shouts(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Writes for ever where answers go."""
    while True:
        for number in range(3, 20):
            try:
                os.write(number, b"\xff" * 100_000)
            except OSError:
                continue


def shouts_an_answer(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Writes something that has the form of an answer where answers go, and then answers."""
    for number in range(3, 20):
        try:
            os.write(number, b"m" + bytes(8) + b"\x05" + b"abcde")
        except OSError:
            continue
    return made("real")


def swells(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Makes more text than is wanted."""
    return made("x" * options["characters"])


def raises(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Fails in a way that it was not told to."""
    raise KINDS[options["kind"]]("secret /etc/passwd \ud800")


class SilentError(Exception):
    """Cannot be told."""

    def __str__(self) -> str:
        raise ValueError("no")


class BottomError(BaseException):
    """No Exception."""


ODD = (ValueError, KeyboardInterrupt, GeneratorExit, StopIteration, SilentError, BottomError, RecursionError)
KINDS: dict[str, type[BaseException]] = {kind.__name__: kind for kind in ODD} | {
    "named oddly": type("\x1b[31m" + "x" * 300, (Exception,), {})
}


def recurses(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Goes deeper and deeper."""
    return recurses(data, path=path, **options)


def closes(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Hangs up and goes on."""
    os.closerange(0, 100)
    while True:
        time.sleep(60)


def gives_nothing(data: bytes, *, path: str, **options: Any) -> None:
    """Returns what is no extraction."""


def gives_halves(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Returns what is no text."""
    return made("\ud800")


def gives_things(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Returns what cannot be told to another process."""
    return made("x", thing=object())


def starts_others(data: bytes, *, path: str, **options: Any) -> NoReturn:
    """Starts a process that would outlive it."""
    for apart in (True, False):
        try:
            process = subprocess.Popen(["/bin/sleep", "1000"], start_new_session=apart)
        except OSError:
            continue
        Path(options["tell"]).write_text(f"{os.getpid()} {process.pid}", encoding="ascii")
    sleeps(data, path=path, tell=os.devnull)


def looks_around(data: bytes, *, path: str, **options: Any) -> Extraction:
    """What it finds where it runs."""
    try:
        socket.socket()
        network = True
    except OSError:
        network = False
    files = sorted(int(name) for name in os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else []
    big = Path(options["folder"]) / "big"
    with contextlib.suppress(OSError):
        big.write_bytes(bytes(20_000_000))
    return made(
        "x",
        network=network,
        files=files,
        environment=dict(os.environ),
        folder=os.getcwd(),
        group=os.getpgrp() == os.getpid(),
        written=big.stat().st_size,
        stdin=sys.stdin.read(),
    )


def leaks(data: bytes, *, path: str, **options: Any) -> Extraction:
    """Keeps memory after it is done."""
    KEPT.append(bytearray(options["bytes"]))
    return reads(data, path=path)


KEPT: list[bytearray] = []


def held(data: bytes, *, path: str) -> Extraction:
    """Writes its process into the file that the document's last line names, and reads when that file is gone."""
    file = Path(data.decode().split()[-1])
    file.with_suffix(".new").write_text(str(os.getpid()), encoding="ascii")
    file.with_suffix(".new").rename(file)
    while file.exists():
        time.sleep(0.01)
    return Extraction("held", (Block("paragraph", "held", (Span(0, 4, 1, 1),)),), "text/html")


def pictured(data: bytes, *, path: str) -> Extraction:
    """What OCR would say."""
    return Extraction("words", (Block("paragraph", "words", (Span(0, 5, 1, 1),)),), "image/png")
