"""A child: learns the rules, then makes document after document, until its parent ends."""

import os
import pickle
import signal
import sys
import traceback
from contextlib import AbstractContextManager, nullcontext

from ragstone.core.errors import Refused
from ragstone.extraction.sandbox.messages import open_channels
from ragstone.ingestion import build_revision
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.workers.messages import pack_message, receive, send


def main() -> None:
    """Ends with the parent, or at its word; an interrupt is the parent's business.

    The argument is the number of its end of the lifeline.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = open_channels()
    try:
        # All that is unpickled here comes from the process that started this one.
        sys.path[:] = pickle.loads(receive(requests))  # noqa: S301
        builder, source = pickle.loads(receive(requests))  # noqa: S301
        send(answers, os.fsencode(build_revision.__file__))
        while True:
            request = receive(requests)
            with _end_with_parent(int(sys.argv[1])):
                answer = _answer_request(builder, source, request)
            send(answers, answer)
    except (EOFError, OSError):
        os._exit(0)  # without a last flush into a pipe that nobody reads


def _end_with_parent(lifeline: int) -> AbstractContextManager[None]:
    """While this lasts, the end of the parent ends this process at once, also where it waits for a parser."""
    try:
        from ragstone.extraction.sandbox import parent_process
    except ImportError:  # a system without such signals: it ends when its document is done
        return nullcontext()
    return parent_process.end_with_parent(lifeline)


def _answer_request(builder: RevisionBuilder, source: str, request: bytes) -> bytes:
    """The revision, or reason, message and trace."""
    path, data, version, before, enclosing = pickle.loads(request)  # noqa: S301
    try:
        made = build_revision.build(builder, source, path, data, version=version, before=before, enclosing=enclosing)
        return pack_message(made)
    except Refused as error:
        return pack_message((error.reason, str(error), ""))
    except Exception as error:  # whatever a document does to a parser
        message = f"{path} could not be ingested: {type(error).__name__}: {error}"
        return pack_message(("broken", message, traceback.format_exc()))


if __name__ == "__main__":
    main()
