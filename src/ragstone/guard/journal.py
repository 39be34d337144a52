"""The log without secrets: what a document, a question or a vendor's reply puts into a message or a traceback."""

import logging

from ragstone.guard.masking import mask_secrets

LOGGER_NAME = "ragstone"  # the one logger that all of this package writes to
PLAIN_FORMATTER = logging.Formatter()


class MaskingFilter(logging.Filter):
    """Masks each record's message, exception and stack before any handler has it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = mask_secrets(record.getMessage()), ()
        if record.exc_info:  # as text, because the exception itself would bring its words along
            record.exc_text, record.exc_info = mask_secrets(PLAIN_FORMATTER.formatException(record.exc_info)), None
        if record.stack_info:
            record.stack_info = mask_secrets(record.stack_info)
        return True


def mask_log() -> None:
    """From now on the package's log is masked; a second call changes nothing."""
    log = logging.getLogger(LOGGER_NAME)
    if not any(isinstance(each, MaskingFilter) for each in log.filters):
        log.addFilter(MaskingFilter())
