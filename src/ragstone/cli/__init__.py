"""The command line: data on stdout, everything else on stderr, no traceback for a user's mistake."""

import logging
import os
import sys

from ragstone.config import debugging
from ragstone.errors import RagstoneError


def main() -> None:
    """Run a command; the exit status is that of the error tree (0 ok, 1 failure, 2 bad input, 3 degraded)."""
    try:
        status = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except RagstoneError as error:
        status = _say(f"error: {error}", error.exit)
    except Exception as error:  # the last door: a user gets a sentence, a developer asks for more
        if debugging():
            raise
        status = _say(f"internal error: {type(error).__name__}: {error} (RAGSTONE_DEBUG=1 shows where)", 1)
    sys.exit(status)


def _run() -> int:
    from typer.exceptions import Abort, TyperException

    from ragstone.cli.app import app

    # What a user must know comes as a note or an error; the log, with its traces, is for who asks for it.
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if debugging() else logging.CRITICAL)
    try:
        return app(standalone_mode=False) or 0
    except TyperException as error:  # an unknown command or option, a value of the wrong kind
        message = error.format_message()
        shown = message if message.startswith("Usage: ") else f"error: {message} (see ragstone --help)"
        return _say(shown, error.exit_code)
    except Abort:  # a question was not answered
        return _say("stopped: nothing was changed", 1)


def _say(message: str, status: int) -> int:
    from ragstone.cli.shared import say

    say(message)
    return status
