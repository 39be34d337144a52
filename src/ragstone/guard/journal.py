"""The log without secrets: what a document, a question or a vendor's reply puts into a message or a traceback."""

import logging

from ragstone.guard.cover import shown

JOURNAL = "ragstone"  # the one logger that all of this package writes to
PLAIN = logging.Formatter()


class Masking(logging.Filter):
    """Masks each record's message, exception and stack before any handler has it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = shown(record.getMessage()), ()
        if record.exc_info:  # as text, because the exception itself would bring its words along
            record.exc_text, record.exc_info = shown(PLAIN.formatException(record.exc_info)), None
        if record.stack_info:
            record.stack_info = shown(record.stack_info)
        return True


def masks_log() -> None:
    """From now on the package's log is masked; a second call changes nothing."""
    log = logging.getLogger(JOURNAL)
    if not any(isinstance(each, Masking) for each in log.filters):
        log.addFilter(Masking())
