"""A vendor's model of sparse vectors over HTTP: in batches, in order, each vector checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ragstone.core.errors import RagstoneError
from ragstone.core.ports import SparseEncoder, SparseVector
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.vendor_line import VendorLine
from ragstone.providers.wire_format import Kind, SparseFormat, WeightedTerm

PROBE = "a word"
DECIMALS = 6  # so that a dot product is the same on every machine


class VendorSparseEncoder:
    """Makes sparse vectors with a vendor's model over HTTP; implements `SparseEncoder`."""

    def __init__(self, endpoint: Endpoint, wire_format: SparseFormat, *, model: str) -> None:
        self.model = f"{endpoint.vendor.name}/{model}"
        self._wire_format = wire_format
        self._line = VendorLine(endpoint, wire_format, model=model)

    async def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> list[SparseVector]:  # noqa: ARG002
        """A vector for each text; these models read questions and passages alike."""
        found: list[SparseVector] = []
        for start in range(0, len(texts), self._wire_format.most):
            batch = texts[start : start + self._wire_format.most]
            found += await self._line.ask(self._wire_format.build_sparse_request(batch), self._parser(len(batch)))
        return found

    def _parser(self, count: int) -> Any:
        def parse(reply: Any) -> list[SparseVector]:
            vectors = [make_sparse_vector(terms) for terms in self._wire_format.parse_sparse(reply)]
            if len(vectors) != count:
                raise ValueError(f"{len(vectors)} vectors for {count} texts")
            return vectors

        return parse

    async def check(self) -> list[str]:
        """The problems that keep it from working; asks for one vector."""
        return await find_sparse_problems(self)

    async def close(self) -> None:
        """Give back the connections."""
        await self._line.close()


async def find_sparse_problems(encoder: SparseEncoder) -> list[str]:
    """The problem that one vector shows, as a sentence; [] when it comes."""
    try:
        await encoder.encode([PROBE])
    except RagstoneError as error:
        return [str(error)]
    return []


def make_sparse_vector(terms: Iterable[WeightedTerm]) -> SparseVector:
    """A vector of terms and weights in any order; terms without weight are left out. Raises `ValueError` for a term
    that comes twice or below 0, and for a weight below 0 or not finite.

    >>> make_sparse_vector([(7, 0.5), (3, 1.25), (9, 0.0)])
    SparseVector(terms=(3, 7), weights=(1.25, 0.5))
    """
    pairs = sorted((term, round(weight, DECIMALS)) for term, weight in terms)
    if wrong := next((pair for pair in pairs if pair[0] < 0 or not math.isfinite(pair[1]) or pair[1] < 0), None):
        raise ValueError(f"the weight {wrong[1]:g} of term {wrong[0]}, expected terms and weights of 0 or more")
    if len({term for term, _ in pairs}) != len(pairs):
        raise ValueError("a term comes twice")
    kept = [pair for pair in pairs if pair[1]]
    return SparseVector(tuple(term for term, _ in kept), tuple(weight for _, weight in kept))
