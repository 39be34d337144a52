"""A child: reads document after document under limits, until its parent ends or it should be replaced."""

import faulthandler
import importlib
import os
from collections.abc import Callable
from typing import IO, Any

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.sandbox import allowance, messages
from ragstone.extraction.sandbox.channels import channels
from ragstone.extraction.sandbox.messages import ANSWER, DRAWN, FAILED, LENGTH, MADE, PAGE, READY, Failure, Request

DOCUMENTS = 200  # after which a child is replaced: a leak of 1 MB a document stays bearable
KEPT = 4  # a child that keeps more than this part of the memory allowed is replaced
TRACE = 20_000  # characters of a trace at most
NAME = 80


def main() -> None:
    """Ends with the parent, or when it says so."""
    requests, answers = channels()
    faulthandler.enable()  # the parent logs what it says last
    try:
        # Not there on every system; a system without must be told of, not fail on import.
        from ragstone.extraction.sandbox import cage, limits

        limits.begin()
        cage.shut()
    except (ImportError, OSError, ValueError) as error:
        _send(answers, FAILED, 0, messages.pack(Failure("unlimited", message=repr(error))), last=True)
        return
    try:
        _send(answers, READY, 0, b"", last=False)
        for left in reversed(range(DOCUMENTS)):
            _serve(requests, answers, last=not left)
    except (EOFError, OSError):
        pass
    os._exit(0)  # without a last flush into a pipe that nobody reads


def _paced(request: Request, answers: IO[bytes]) -> Callable[[], bool]:
    """Grants the time of each page that is read by OCR, and tells the parent, until there were as many as may be."""
    from ragstone.extraction.sandbox import limits

    left = request.pages

    def granted() -> bool:
        nonlocal left
        if left <= 0:
            return False
        left -= 1
        limits.more(cpu=request.page_seconds, wall=request.page_wall)
        _send(answers, PAGE, request.number, b"", last=False)
        return True

    return granted


def _serve(requests: IO[bytes], answers: IO[bytes], *, last: bool) -> None:
    from ragstone.extraction.sandbox import lifeline, limits

    request = messages.request(_read(requests, LENGTH.unpack(_read(requests, LENGTH.size))[0]))
    data = _read(requests, request.size)
    with lifeline.tied(requests.fileno()), allowance.asked_of(_paced(request, answers)):
        made = _made(request, data)
    del data
    if isinstance(made, Failure):
        # What a parser leaves behind that fell over itself, nobody knows.
        doubtful = made.kind not in ("refused", "unloadable")
        _send(answers, FAILED, request.number, messages.pack(made), last=last or doubtful)
    else:
        kind, answer = made
        _send(answers, kind, request.number, answer, last=last or limits.resident() > request.memory_bytes // KEPT)


def _made(request: Request, data: bytes) -> tuple[bytes, bytes] | Failure:
    """The extraction, packed, or a picture as it is; else what came of trying."""
    from ragstone.extraction.sandbox import limits

    try:
        limits.start(cpu=request.cpu_seconds, wall=request.wall_seconds, memory=request.memory_bytes)
        parse = _loaded(request.parser)
        if isinstance(parse, Failure):
            return parse
        made = parse(data, path=request.path, **request.options)
        if not isinstance(made, Extraction | bytes):
            return Failure("raised", message=f"{_name(made)} for an Extraction")
        kind, answer = (DRAWN, made) if isinstance(made, bytes) else (MADE, messages.pack(made))
        return (kind, answer) if len(answer) <= request.output_bytes else Failure("output")
    except Refused as error:
        return Failure("refused", error.reason[:NAME], _plain(str(error)))
    except MemoryError:
        limits.end()
        return Failure("memory", trace=_trace())
    except BaseException as error:  # whatever a document does to a parser, SystemExit included
        limits.end()
        return Failure("raised", message=_name(error), trace=_trace())
    finally:
        limits.end()


def _loaded(parser: str) -> Callable[..., Any] | Failure:
    module, _, function = parser.partition(":")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        return Failure("unloadable", message=_plain(str(error)), trace=_trace())
    return found


def _name(value: object) -> str:
    return "".join(c for c in _plain(type(value).__name__)[:NAME] if c.isprintable())


def _plain(text: str) -> str:
    """A text that can be told: without halves of characters, and not endless."""
    return text[:TRACE].encode(errors="replace").decode()


def _trace() -> str:
    import traceback  # for the few that fail

    return _plain(traceback.format_exc()[-TRACE:])


def _read(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _send(pipe: IO[bytes], kind: bytes, number: int, message: bytes, *, last: bool) -> None:
    pipe.write(ANSWER.pack(kind, last, number, len(message)))
    pipe.write(message)
    pipe.flush()


if __name__ == "__main__":
    main()
