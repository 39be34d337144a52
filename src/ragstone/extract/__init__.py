"""From bytes to a text of record and its blocks: the table of media types and their extractors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ragstone.errors import Refused
from ragstone.extract.category import CATEGORIES, category
from ragstone.extract.media import BY_NAME, called, detect, ending
from ragstone.ports import Extractor
from ragstone.types import Extraction

__all__ = ["CATEGORIES", "EXTRACTORS", "Limits", "category", "detect", "extract", "recipe"]


# Imported when the first document of a type comes: a search needs no parser and should not wait for one.
def _markdown() -> Extractor:
    from ragstone.extract.markdown import Markdown

    return Markdown()


def _html() -> Extractor:
    from ragstone.extract.html import Html

    return Html()


def _text(media_type: str) -> Extractor:
    from ragstone.extract.text import Text

    return Text(media_type=media_type)


EXTRACTORS: Mapping[str, Callable[[], Extractor]] = MappingProxyType(
    {
        "text/markdown": _markdown,
        "text/html": _html,
        "text/plain": lambda: _text("text/plain"),
        "application/json": lambda: _text("application/json"),
        "application/xml": lambda: _text("application/xml"),
    }
)


@cache
def _extractor(media_type: str) -> Extractor | None:
    maker = EXTRACTORS.get(media_type)
    return maker() if maker is not None else None


@dataclass(frozen=True, slots=True)
class Limits:
    """The most bytes that a document may have: text formats, and all others (PDF, office, images)."""

    text: int = 10_000_000
    office: int = 200_000_000

    def of(self, media_type: str) -> int:
        """The limit for one media type."""
        is_text = media_type.startswith("text/") or media_type in ("application/json", "application/xml")
        return self.text if is_text else self.office


def extract(data: bytes, *, path: str, limits: Limits = Limits()) -> Extraction:
    """The text of record and the blocks of a document; `path` gives the name for messages and for its ending.

    Raises `Refused` and nothing else: empty, too_large, not_text (binary under a text's name),
    encoding (not UTF-8), unsupported (a format without an extractor).
    """
    if not data.strip():
        raise Refused("empty", f"{path} is empty")
    media_type = detect(data, path)
    if len(data) > limits.of(media_type):
        raise Refused(
            "too_large",
            f"{path} has {len(data):,} bytes, more than the {limits.of(media_type):,} allowed for "
            f"{called(media_type)}; split it or raise the limit",
        )
    extractor = _extractor(media_type)
    if extractor is not None:
        return extractor.extract(data, path=path)
    if ending(path) in (*BY_NAME, ".txt") and not media_type.startswith("text/"):
        raise Refused("not_text", f"{path} is not text: it looks like {called(media_type)}; name it for what it is")
    if media_type in ("application/octet-stream", "text/utf-16"):
        raise Refused("not_text", f"{path} is not text: it looks like {called(media_type)}; convert it to UTF-8 text")
    raise Refused(
        "unsupported", f"{path} is {called(media_type)}: there is no extractor for it yet; convert it to Markdown"
    )


def recipe(media_type: str) -> str:
    """Name and version of the extractor for a media type; "" where there is none."""
    extractor = _extractor(media_type)
    return extractor.recipe if extractor is not None else ""
