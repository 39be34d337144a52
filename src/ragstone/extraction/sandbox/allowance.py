"""Time for pages that are read by OCR: asked for page by page, from wherever a parser meets one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Grant = Callable[[], bool]

_grants: list[Grant] = []


def request_page() -> bool:
    """Whether one more page may be read by OCR; a page that may brings its time along. Without limits all may."""
    return _grants[-1]() if _grants else True


@contextmanager
def allow_pages(grant: Grant) -> Iterator[None]:
    """While this lasts, `grant` decides about each page."""
    _grants.append(grant)
    try:
        yield
    finally:
        _grants.pop()
