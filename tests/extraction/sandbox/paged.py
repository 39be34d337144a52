"""Parsers for tests that ask for the time of pages."""

import time

from ragstone.core.types import Extraction
from ragstone.extraction.sandbox import allowance


def counted(data: bytes, *, path: str, pages: int, seconds: float = 0.0) -> Extraction:
    """Ask for so many pages, spend so many seconds of the processor on each that is granted; say how many were."""
    granted = 0
    for _ in range(pages):
        if not allowance.request_page():
            break
        granted += 1
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
    return Extraction("text", (), "text/plain", meta={"granted": granted})


def endless(data: bytes, *, path: str) -> Extraction:
    """Ask for one page and never come back from it."""
    allowance.request_page()
    while True:
        pass
