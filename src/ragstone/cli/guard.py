"""`ragstone guard`: orders to a model and secrets in a text."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any, BinaryIO

import typer

from ragstone.cli.shared_options import SharedOptions, add_shared_options, print_json, print_message, print_text
from ragstone.core.errors import UsageError
from ragstone.core.plural import format_count
from ragstone.core.types import Json

# How files begin that many take for text; the rest shows by not being UTF-8.
FOREIGN_PREFIXES = {b"%PDF-": "a PDF", b"PK\x03\x04": "an archive or an office document", b"{\\rtf": "rich text"}


@add_shared_options
def guard(
    options: SharedOptions,
    file: Annotated[str, typer.Argument(metavar="[FILE|-]", help="A UTF-8 text, or - for stdin.")] = "-",
    lines: Annotated[bool, typer.Option("--lines", help="Check each line as a text of its own.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if there are findings.")] = False,
) -> int:
    """Find instructions to a model and secrets in a text.

    The text is printed with the secrets masked.

    With --lines and --json: a line for each line of the text.
    """
    from ragstone.guard import inspect_text

    name = "stdin" if file == "-" else file
    found = seen = unread = 0
    with _open_stream(file) as stream:
        for seen, text in enumerate(_read_texts(stream, name, options.settings().limits.text_bytes, lines=lines), 1):
            if isinstance(text, UsageError):
                unread += 1
                _print_refusal(text, options)
                continue
            one = inspect_text(text)
            found += bool(one.flags or one.secrets)
            if options.json:
                print_json(_finding_json(one))
                sys.stdout.flush()
            else:
                _print_finding(one, line=seen if lines else None)
    if lines and not options.json:
        print_message(f"{format_count(seen, 'line')}, {found} with something found")
    return 2 if unread else 1 if strict and found else 0


@contextmanager
def _open_stream(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield getattr(sys.stdin, "buffer", None) or io.BytesIO(sys.stdin.read().encode("utf-8"))
        return
    try:
        if os.path.isdir(file):
            raise UsageError(f"{file} is a folder: name a text file")
        stream = open(file, "rb")  # noqa: SIM115  # closed below; what reading raises is not what opening does
    except FileNotFoundError as error:
        raise UsageError(f"{file} does not exist: name a text file, or - for stdin") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    with stream:
        yield stream


def _read_texts(stream: BinaryIO, name: str, limit: int, *, lines: bool) -> Iterator[str | UsageError]:
    """The whole as one text, or a text a line without its end; never more than `limit` bytes of one in memory. A line
    that is not UTF-8 is an error in its place."""
    if not lines:
        yield _decode_text(stream.read(limit + 1), name, limit)
        return
    number = 0
    while data := stream.readline(limit + 2):  # the line's end may be two bytes more
        number += 1
        try:
            yield _decode_text(data.removesuffix(b"\n").removesuffix(b"\r"), f"{name}, line {number}", limit)
        except UsageError as error:
            if not isinstance(error.__cause__, UnicodeDecodeError):
                raise
            yield error


def _print_refusal(error: UsageError, options: SharedOptions) -> None:
    """In the place of the line that cannot be read, so that the lines after it keep theirs."""
    if options.json:
        print_json({"schema": 1, "error": str(error)})
    else:
        print_message(f"error: {error}")


def _decode_text(data: bytes, name: str, limit: int) -> str:
    """Raises `UsageError` for what is too long or no text."""
    if kind := next((kind for start, kind in FOREIGN_PREFIXES.items() if data.startswith(start)), None):
        raise UsageError(f"{name} is {kind}, not text: convert it first (ragstone convert IN OUT)")
    if len(data) > limit:
        raise UsageError(f"{name} has more than {limit:,} bytes: split it, use --lines, or raise limits.text_bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text (byte {error.start}): save it as UTF-8, or convert it first "
            "(ragstone convert IN OUT)"
        ) from error


def _finding_json(
    one: Any,
) -> Json:  # a `ragstone.guard.Inspection`, whose room costs start-up time that `--help` need not pay
    return {
        "schema": 1,
        "flags": list(one.flags),
        "risk_score": one.risk_score,
        "secrets": [asdict(secret) for secret in one.secrets],
        "masked": one.masked,
    }


def _print_finding(one: Any, *, line: int | None) -> None:
    """For people: a line of findings, then the text; of many texts only those in which something was found."""
    secrets = [f"{secret.kind} {secret.start}-{secret.end}" for secret in one.secrets]
    if line is None:
        print_text(f"flags    {', '.join(one.flags) or 'none'} (risk {one.risk_score})")
        print_text(f"secrets  {', '.join(secrets) or 'none'}\n\n{one.masked}")
    elif one.flags or one.secrets:
        print_text(f"{line}: {', '.join((*one.flags, *secrets))} (risk {one.risk_score})")
