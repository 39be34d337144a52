"""A child: reads document after document under limits, until its parent ends or it should be replaced."""

import faulthandler
import importlib
import os
import sys
from collections.abc import Callable
from typing import IO, Any

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.sandbox import allowance, messages
from ragstone.extraction.sandbox.messages import (
    ANSWER,
    DRAWN,
    FAILED,
    LENGTH,
    MADE,
    PAGE,
    READY,
    Failure,
    Request,
    open_channels,
)

DOCUMENTS = 200  # after which a child is replaced: a leak of 1 MB a document stays bearable
MEMORY_DIVISOR = 4  # a child that keeps more than this part of the memory allowed is replaced
TRACE = 20_000  # characters of a trace at most
NAME = 80


def main() -> None:
    """Ends with the parent, or when it says so. The argument is the number of its end of the lifeline."""
    lifeline = int(sys.argv[1])
    requests, answers = open_channels()
    faulthandler.enable()  # the parent logs what it says last
    try:
        # Not there on every system; a system without must be told of, not fail on import.
        from ragstone.extraction.sandbox import child_process_limits, seccomp

        child_process_limits.set_process_limits()
        seccomp.install_filter()
    except (ImportError, OSError, ValueError) as error:
        _send_answer(answers, FAILED, 0, messages.pack_message(Failure("unlimited", message=repr(error))), last=True)
        return
    try:
        _send_answer(answers, READY, 0, b"", last=False)
        for left in reversed(range(DOCUMENTS)):
            _serve_document(requests, answers, lifeline, last=not left)
    except (EOFError, OSError):
        pass
    os._exit(0)  # without a last flush into a pipe that nobody reads


def _make_grant(request: Request, answers: IO[bytes]) -> Callable[[], bool]:
    """Grants the time of each page that is read by OCR, and tells the parent, until there were as many as may be."""
    from ragstone.extraction.sandbox import child_process_limits

    left = request.pages

    def grant_page() -> bool:
        nonlocal left
        if left <= 0:
            return False
        left -= 1
        child_process_limits.extend_time_limits(cpu=request.page_seconds, wall=request.page_wall)
        _send_answer(answers, PAGE, request.number, b"", last=False)
        return True

    return grant_page


def _serve_document(requests: IO[bytes], answers: IO[bytes], lifeline: int, *, last: bool) -> None:
    from ragstone.extraction.sandbox import child_process_limits, parent_process

    request = messages.unpack_request(_read_exactly(requests, LENGTH.unpack(_read_exactly(requests, LENGTH.size))[0]))
    data = _read_exactly(requests, request.size)
    with parent_process.end_with_parent(lifeline), allowance.allow_pages(_make_grant(request, answers)):
        made = _run_parser(request, data)
    del data
    if isinstance(made, Failure):
        # What a parser leaves behind that fell over itself, nobody knows.
        doubtful = made.kind not in ("refused", "unloadable")
        _send_answer(answers, FAILED, request.number, messages.pack_message(made), last=last or doubtful)
    else:
        kind, answer = made
        _send_answer(
            answers,
            kind,
            request.number,
            answer,
            last=last or child_process_limits.resident_bytes() > request.memory_bytes // MEMORY_DIVISOR,
        )


def _run_parser(request: Request, data: bytes) -> tuple[bytes, bytes] | Failure:
    """The extraction, packed, or a picture as it is; else what came of trying."""
    from ragstone.extraction.sandbox import child_process_limits

    try:
        child_process_limits.set_document_limits(
            cpu=request.cpu_seconds, wall=request.wall_seconds, memory=request.memory_bytes
        )
        parse = _load_parser(request.parser)
        if isinstance(parse, Failure):
            return parse
        made = parse(data, path=request.path, **request.options)
        if not isinstance(made, Extraction | bytes):
            return Failure("raised", message=f"{_type_name(made)} for an Extraction")
        kind, answer = (DRAWN, made) if isinstance(made, bytes) else (MADE, messages.pack_message(made))
        return (kind, answer) if len(answer) <= request.output_bytes else Failure("output")
    except Refused as error:
        return Failure("refused", error.reason[:NAME], _clean_text(str(error)))
    except MemoryError:
        child_process_limits.lift_document_limits()
        return Failure("memory", trace=_format_trace())
    except BaseException as error:  # whatever a document does to a parser, SystemExit included
        child_process_limits.lift_document_limits()
        return Failure("raised", message=_type_name(error), trace=_format_trace())
    finally:
        child_process_limits.lift_document_limits()


def _load_parser(parser: str) -> Callable[..., Any] | Failure:
    module, _, function = parser.partition(":")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        return Failure("unloadable", message=_clean_text(str(error)), trace=_format_trace())
    return found


def _type_name(value: object) -> str:
    return "".join(c for c in _clean_text(type(value).__name__)[:NAME] if c.isprintable())


def _clean_text(text: str) -> str:
    """A text that can be told: without halves of characters, and not endless."""
    return text[:TRACE].encode(errors="replace").decode()


def _format_trace() -> str:
    import traceback  # for the few that fail

    return _clean_text(traceback.format_exc()[-TRACE:])


def _read_exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _send_answer(pipe: IO[bytes], kind: bytes, number: int, message: bytes, *, last: bool) -> None:
    pipe.write(ANSWER.pack(kind, last, number, len(message)))
    pipe.write(message)
    pipe.flush()


if __name__ == "__main__":
    main()
