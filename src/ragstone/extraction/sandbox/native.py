"""A parser in another process, as an extractor like any other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragstone.core.types import Extraction
from ragstone.extraction import sandbox
from ragstone.extraction.sandbox.bounds import DEFAULT, Bounds


@dataclass(frozen=True, slots=True)
class SandboxExtractor:
    """`parser` is "package.module:function"; what it is given and may raise, `sandbox.run` tells."""

    recipe: str
    parser: str
    bounds: Bounds = DEFAULT
    options: Mapping[str, object] = field(default_factory=dict)

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """As the parser does, within the bounds; raises `Refused`."""
        return sandbox.run(self.parser, data, path=path, options=self.options, bounds=self.bounds)
