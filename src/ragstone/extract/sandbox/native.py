"""A parser in another process, as an extractor like any other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragstone.extract import sandbox
from ragstone.extract.sandbox.bounds import DEFAULT, Bounds
from ragstone.types import Extraction


@dataclass(frozen=True, slots=True)
class Native:
    """`parser` is "package.module:function"; what it is given and may raise, `sandbox.run` tells."""

    recipe: str
    parser: str
    bounds: Bounds = DEFAULT
    options: Mapping[str, object] = field(default_factory=dict)

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """As the parser does, within the bounds; raises `Refused`."""
        return sandbox.run(self.parser, data, path=path, options=self.options, bounds=self.bounds)
