"""The log of a server: one JSON object a line, on stderr."""

import asyncio
import json
import logging
import sys
from datetime import UTC, datetime

from ragstone.core import query_log
from ragstone.guard import mask_secrets

# Ours, and those of libraries that set a level of their own, which the root's then does not hold back.
LOGGERS = (
    logging.getLogger("ragstone"),
    logging.getLogger("uvicorn.error"),
    logging.getLogger("opentelemetry"),
    logging.getLogger("psycopg"),
)
start_log = logging.getLogger("ragstone.start")


class JsonFormatter(logging.Formatter):
    """A record as a line: time, level, logger, message; the request that it is about, the trace of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, its secrets masked."""
        told = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (identity := query_log.REQUEST_ID.get()) is not None:
            told["request_id"] = identity
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps({name: mask_secrets(str(value)) for name, value in told.items()})


def tells_of_failure(record: logging.LogRecord) -> bool:
    """Whether a record is about more than work that ended with the server: uvicorn tells of that with a trace."""
    kind = record.exc_info[0] if isinstance(record.exc_info, tuple) else None
    ended = kind is not None and issubclass(kind, asyncio.CancelledError)
    return not ended and not record.getMessage().rstrip().endswith("asyncio.exceptions.CancelledError")


def write_json_logs(level: int = logging.WARNING) -> None:
    """Write the log of this process as JSON lines to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(tells_of_failure)
    for logger in LOGGERS:
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    start_log.setLevel(logging.INFO)
