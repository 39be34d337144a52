"""The command line: data on stdout, everything else on stderr, no traceback for a user's mistake."""

import atexit
import gc
import io
import os
import sys
import warnings
from typing import Any

from ragstone.cli.signals import INTERRUPTED, interrupts

# New objects after which the collector looks for cycles. At Python's 700 it went through those that imports make, which
# all stay, so often that it took a sixth of the time of a search (`benchmarks/spine/shell.sh`).
COLLECT_AFTER = 50_000


def main() -> None:
    """Run a command; the exit status is that of the error tree (0 ok, 1 failure, 2 bad input, 3 degraded)."""
    try:
        interrupts.catch()
        gc.set_threshold(COLLECT_AFTER)
        atexit.register(gc.freeze)  # nor is anything looked for at the end, when the system takes all back
        _prepare_streams()
        status = 0 if sys.argv[1:] == ["--version"] and _print_version() else _run_caught()
        interrupts.finish(status)
    except KeyboardInterrupt:  # also while the program is still being imported
        status = interrupts.tell()
        interrupts.finish(status)
    _drop_output()
    sys.exit(status)


def _prepare_streams() -> None:
    """A stream that the caller closed swallows what is written; what a terminal cannot show is escaped."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # lives as long as the program
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # PYTHONUNBUFFERED: what a pipe does not take of a text at once would be lost without a word.
        coding, place = sys.stdout.encoding, sys.stdout.fileno()
        sys.stdout = open(place, "w", buffering=1, encoding=coding, closefd=False)  # noqa: SIM115  # as above
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # what tests put in their place has none
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _print_version() -> bool:
    """Print the version before anything is imported; False where the output takes none, which is then reported."""
    from ragstone.core.version import __version__

    try:
        print(f"ragstone {__version__}", flush=True)
    except OSError:
        return False
    return True


def _run_caught() -> int:
    from ragstone.config.environment import is_debugging
    from ragstone.core.errors import RagstoneError

    try:
        status = _run(debug=is_debugging())
        if interrupts.received and status in (
            INTERRUPTED,
            interrupts.status,
        ):  # typer ends such a command without a word
            raise KeyboardInterrupt
        sys.stdout.flush()
    except SystemExit:  # typer, where the output has no reader or a shell has got its completions
        sys.stdout = getattr(sys.stdout, "wrapped", sys.stdout)  # typer's wrapper hides that it cannot be flushed
        _drop_output()
        raise
    except BrokenPipeError:  # the reader of the output has seen enough; typer says 1 too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except RagstoneError as error:
        status = _fail_with(f"error: {error}", error.exit)
    except OSError as error:
        _drop_output()
        status = _fail_with(f"error: {_describe_os_error(error)}", 1)
    except Exception as error:  # the last door: a user gets a sentence, a developer asks for more
        if is_debugging() and not interrupts.received:
            raise
        status = _fail_with(f"internal error: {type(error).__name__}: {error} (RAGSTONE_DEBUG=1 shows where)", 1)
    return status


def _run(*, debug: bool) -> int:
    import logging

    from typer.exceptions import Abort, TyperException

    from ragstone.cli.app import run_app

    # What a user must know comes as a note or an error; the log, with its traces, is for who asks for it.
    if not debug:  # an interrupt may meet work before it begins
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    level = logging.INFO if debug else logging.CRITICAL
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(level)  # some libraries set a level of their own, which the root's does not hold back
    logging.basicConfig(handlers=[handler], level=level)
    try:
        return run_app(sys.argv[1:]) or 0
    except TyperException as error:  # an unknown command or option, a value of the wrong kind
        message = error.format_message()
        if message.startswith("Usage: "):  # a group without a command: its whole help
            print(message, file=sys.stderr)
            return error.exit_code
        message += _describe_place(error)
        return _fail_with(f"error: {message} (see ragstone {_name_command(error)}--help)", error.exit_code)
    except Abort:  # a question was not answered
        return _fail_with("stopped: nothing was changed", 1)


def _describe_place(error: Any) -> str:
    """Where options are expected, if one stood before the command that takes it."""
    is_group = hasattr(getattr(error, "cmd", None), "list_commands")
    return ", options stand behind the command" if is_group and hasattr(error, "option_name") else ""


def _name_command(error: Any) -> str:
    """The command, or group of commands, that was not understood, with a blank behind each word."""
    names, context = "", getattr(error, "ctx", None)
    while context is not None and context.parent is not None:
        names, context = f"{context.info_name} {names}", context.parent
    return names


def _describe_os_error(error: OSError) -> str:
    try:
        os.getcwd()
    except OSError:
        return "the current folder no longer exists; change to another one"
    named = f" ({error.filename})" if error.filename else ""
    return f"the system refused: {error.strerror or error}{named}"


def _drop_output() -> None:
    """Nothing more can be written where output cannot be; else the interpreter would say so once more at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _fail_with(message: str, status: int) -> int:
    if interrupts.received:  # where a library, as while it is imported, makes another error of it
        raise KeyboardInterrupt
    from ragstone.cli.shared_options import print_message

    print_message(message)
    return status
