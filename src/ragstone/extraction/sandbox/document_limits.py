"""The limits of reading one document."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from ragstone.core.errors import UsageError

MB = 1_000_000
WALL_SHARE = 4  # seconds of waiting for each of the processor: the machine may have other work
PAGE_SHARE = 0.5  # of them for each page of OCR: four times what most take
NO_OPTIONS: Mapping[str, object] = MappingProxyType({})  # of a parser


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds of the processor, seconds of waiting, bytes of memory and bytes of what comes back.

    The work grows with the document, and so do both times: a text-only PDF has up to 400 pages a MB
    and takes 1/60 s a page at the speed we ask for, 7 s; 10 s leave room for slower machines. A hostile
    document can thus only spend what it pays for in bytes. Waiting is `WALL_SHARE` times as long.
    `memory_bytes` counts the address space of the whole process, 0.12 GB of which are Python and its
    libraries (numpy, msgspec). 3,000 pages come back as 55 MB, with a box for every character.

    OCR takes 3 to 14 s a page (benchmarks/extraction/ocr.md), so that each page that shows to need it brings
    `page_seconds` of the processor, and waiting in the same proportion; no more than `pages` of a document do.
    """

    cpu_seconds: float = 60.0
    wall_seconds: float = WALL_SHARE * 60.0
    memory_bytes: int = 1_500_000_000
    output_bytes: int = 200_000_000
    cpu_seconds_per_mb: float = 10.0
    pages: int = 500
    page_seconds: float = PAGE_SHARE * 60.0

    @classmethod
    def for_seconds(cls, seconds: float, memory_bytes: int, *, pages: int) -> "Bounds":
        """The bounds of a document that may use these seconds of the processor, with OCR of this number of pages."""
        return cls(seconds, WALL_SHARE * seconds, memory_bytes, pages=pages, page_seconds=PAGE_SHARE * seconds)

    def __post_init__(self) -> None:
        for one in fields(self):
            if not 0 <= getattr(self, one.name) < float("inf"):
                raise UsageError(f"invalid {one.name} {getattr(self, one.name)!r}: expected a number of at least 0")
        if not (self.cpu_seconds and self.wall_seconds):
            raise UsageError("cpu_seconds and wall_seconds must be more than 0")

    def for_size(self, size: int) -> "Bounds":
        """These bounds for a document of `size` bytes: both times grown in the same proportion."""
        cpu = self.cpu_seconds + self.cpu_seconds_per_mb * size / MB
        wall = self.wall_seconds * cpu / self.cpu_seconds
        return replace(self, cpu_seconds=cpu, wall_seconds=wall, cpu_seconds_per_mb=0.0)

    @property
    def page_wall(self) -> float:
        """Seconds of waiting that a page read by OCR brings."""
        return self.page_seconds * self.wall_seconds / self.cpu_seconds

    def with_pages(self, count: int) -> "Bounds":
        """These bounds once `count` pages have brought their time."""
        cpu, wall = self.page_seconds * count, self.page_wall * count
        return replace(self, cpu_seconds=self.cpu_seconds + cpu, wall_seconds=self.wall_seconds + wall)


DEFAULT = Bounds()
