"""How large a document may be, by its type."""

from dataclasses import dataclass

from ragstone.core.errors import Refused
from ragstone.extraction.media_types import JSON, XML
from ragstone.extraction.sandbox.document_limits import DEFAULT, Bounds
from ragstone.extraction.type_names import describe_type


@dataclass(frozen=True, slots=True)
class Limits:
    """The most bytes that a document may have, text formats and all others (PDF, office, images), and what
    reading one of the others may cost."""

    text: int = 10_000_000
    office: int = 200_000_000
    bounds: Bounds = DEFAULT

    def limit_for(self, media_type: str) -> int:
        """The limit for one media type."""
        return self.text if _is_limited_as_text(media_type) else self.office


def _is_limited_as_text(media_type: str) -> bool:
    """JSON is not: exports are large, and what is larger than other texts is read in a process of its own."""
    return is_text(media_type) and media_type != JSON


STANDARD = Limits()


def is_text(media_type: str) -> bool:
    """Whether a type is text, also in a form for programs."""
    return media_type.startswith("text/") or media_type in (JSON, XML)


def check_size(size: int, media_type: str, *, path: str, limits: Limits) -> None:
    """Raises `Refused` (too_large) for a document of more bytes than its type may have."""
    setting = "limits.text_bytes" if _is_limited_as_text(media_type) else "limits.office_bytes"
    if size > limits.limit_for(media_type):
        raise Refused(
            "too_large",
            f"{path} has {size:,} bytes, more than the {limits.limit_for(media_type):,} allowed for "
            f"{describe_type(media_type)}; split it or raise {setting}",
        )
