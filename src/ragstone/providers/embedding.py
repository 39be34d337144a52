"""An embedding model over HTTP in any vendor's wire format: in batches, in order, of length 1, asked again while
that helps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import Vectors
from ragstone.providers.completion import TokenUsage
from ragstone.providers.dimension_probe import ProbedEmbedder
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.http import HttpTransport
from ragstone.providers.known_models import find_card, tokenizer_of
from ragstone.providers.model_spans import count_embedded_tokens
from ragstone.providers.retries import Attempts, TransientError
from ragstone.providers.wire_format import EmbeddingBatch, EmbeddingFormat, Kind, WireFormat

BATCH_SIZE = 32  # a large model on a processor alone is done with these before the time for an attempt is over


class FullWireFormat(WireFormat, EmbeddingFormat, Protocol):
    """A vendor's language with the part about vectors."""


class VendorEmbedder(ProbedEmbedder):
    """Embeds texts with a vendor's model over HTTP; implements `Embedder`. The dimension is the vendor's, and must
    match a known or declared one."""

    def __init__(
        self,
        reach: Endpoint,
        speech: FullWireFormat,
        *,
        model: str,
        dimensions: int | None = None,
        reads: int | None = None,
        batch: int = BATCH_SIZE,
    ) -> None:
        """`dimensions`: those to ask for where the model is known to have others by itself, else those that must come
        back. Raises `ConfigError` when neither `reads` nor the name says how much the model reads."""
        card = find_card(model)
        if reads is None and card is None:
            raise ConfigError(f"how many tokens {model} reads is not known: set {reach.group}.reads")
        self.model = f"{reach.vendor.name}/{model}"
        self.tokenizer = tokenizer_of(model)
        self.reads: int = reads or (card.reads if card else 0)
        self.spent = TokenUsage()
        self._name = model
        self._endpoint = reach.validate()
        self._wire_format = speech
        self._batch = min(batch, speech.most)
        self._shortened = dimensions if card is not None and dimensions != card.dimension else None
        self._expected = dimensions or (card.dimension if card else None)
        self._source = "set as embed.dimensions" if dimensions else "known of it"
        self._seen: int | None = None
        self._line: HttpTransport | None = None

    @property
    def variant(self) -> str:
        """Whether the vectors are shortened, and to what."""
        return f"d{self._shortened}" if self._shortened else "whole"

    async def embed(self, texts: Sequence[str], *, kind: Kind = "document") -> Vectors:
        """float32 of shape (len(texts), dimension). A row that is zero or not finite is given as it is, so that who
        knows the texts can name the one.

        Raises `UsageError` for a blank text or another dimension than expected.
        """
        for index, text in enumerate(texts):
            if not text.strip():
                raise UsageError(f"blank text cannot be embedded (text {index} of {len(texts)})")
        starts = range(0, len(texts), self._batch)
        rows = [await self._embed_retrying(texts[start : start + self._batch], kind) for start in starts]
        if not rows:
            await self.learn()
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.concatenate(rows)

    async def close(self) -> None:
        """Give back the connections; the next request would open new ones."""
        if self._line is not None:
            await self._line.close()

    async def _embed_retrying(self, texts: Sequence[str], kind: Kind) -> Vectors:
        attempts = Attempts(self._endpoint)
        while True:
            try:
                return await self._embed_once(texts, kind, attempts)
            except TransientError as failure:
                await attempts.wait_before_retry(failure)

    async def _embed_once(self, texts: Sequence[str], kind: Kind, attempts: Attempts) -> Vectors:
        reach = self._endpoint
        if self._line is None:
            headers = self._wire_format.headers(reach.require_key())
            self._line = HttpTransport(
                reach, headers, model=self._name, mend=self._wire_format.mend.replace("MODEL", self._name)
            )
        line = self._line
        call = self._wire_format.build_embedding_request(EmbeddingBatch(self._name, texts, kind, self._shortened))
        try:
            async with asyncio.timeout_at(attempts.deadline_after(asyncio.get_running_loop().time())):
                reply = await line.fetch_reply(call)
        except TimeoutError:
            raise TransientError(f"{line.name} sent nothing for {reach.timeout:g} s ({reach.group}.timeout)") from None
        try:
            given, tokens = self._wire_format.parse_vectors(reply)
            vectors = np.array(given, dtype=np.float32)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise line.protocol_error(f"no vectors ({type(error).__name__}: {error})") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise line.protocol_error(f"{len(given)} vectors for {len(texts)} texts")
        self.spent.add(tokens)
        count_embedded_tokens(tokens)
        return self._normalize(self._check_dimension(vectors))

    def _check_dimension(self, vectors: Vectors) -> Vectors:
        seen = int(vectors.shape[1])
        expected = self._seen or self._expected
        if seen < 1 or (expected is not None and seen != expected):
            source = "came before" if self._seen else self._source
            raise UsageError(
                f"{self.model} gives vectors of {seen} numbers, but {expected} are {source}: nothing was written; set "
                "the right embed.dimensions, or name the model that the collection was built with"
            )
        self._seen = seen
        return vectors

    @staticmethod
    def _normalize(vectors: Vectors) -> Vectors:
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        usable = np.isfinite(lengths) & (lengths > 0)
        return cast(Vectors, np.where(usable, vectors / np.where(usable, lengths, 1), vectors).astype(np.float32))
