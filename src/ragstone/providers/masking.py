"""Masking of text that leaves the process: every text for a vendor has its secrets masked."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Literal

from ragstone import guard, providers
from ragstone.core.ports import (
    Completion,
    CompletionResult,
    Embedder,
    Prompt,
    Reranker,
    SparseEncoder,
    SparseVector,
    Tokenizer,
    Vectors,
)
from ragstone.core.spans import end_with
from ragstone.providers.model_spans import (
    describe_completion,
    open_embedding_span,
    start_completion_span,
    trace_stream,
)


class MaskingCompletion:
    """A language model that never sees a secret; see `ragstone.core.ports.Completion`."""

    def __init__(self, inner: Completion) -> None:
        self._inner = inner

    @property
    def vendor(self) -> str:
        return self._inner.vendor

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def context(self) -> int | None:
        return self._inner.context

    @property
    def tokenizer(self) -> Tokenizer | None:
        return self._inner.tokenizer

    async def complete(self, prompt: Prompt) -> CompletionResult:
        span = start_completion_span(self.vendor, self.model, prompt)
        with end_with(span), span.activate():
            result = await self._inner.complete(_mask_prompt(prompt))
            describe_completion(span, result)
        return _mask_result(result)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | CompletionResult]:
        """The pieces with the secrets in them masked: a piece waits until it is sure that it is part of none."""
        mask = guard.StreamMask()
        span = start_completion_span(self.vendor, self.model, prompt)
        async with aclosing(trace_stream(span, self._inner.stream(_mask_prompt(prompt)))) as pieces:
            async for piece in pieces:
                if isinstance(piece, CompletionResult):
                    if rest := mask.close():
                        yield rest
                    yield _mask_result(piece)
                elif shown := mask.feed(piece):
                    yield shown
        if rest := mask.close():
            yield rest

    async def check(self) -> list[str]:
        return await self._inner.check()

    async def close(self) -> None:
        await self._inner.close()


class MaskingEmbedder:
    """An embedder that never sees a secret; see `ragstone.core.ports.Embedder`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def variant(self) -> str:
        return self._inner.variant

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def reads(self) -> int:
        return self._inner.reads

    @property
    def tokenizer(self) -> Tokenizer:
        return self._inner.tokenizer

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        vendor, _, model = self.model.partition("/")
        with open_embedding_span(vendor, model, len(texts)):
            return await self._inner.embed([guard.mask_secrets(text) for text in texts], kind=kind)

    async def learn(self) -> None:
        """Ask the inner embedder for its dimension if that is unknown; raises the vendor's errors."""
        await providers.learn_dimension(self._inner)

    async def check(self) -> list[str]:
        """Check the inner embedder; gives one sentence per problem."""
        return await providers.check_embedder(self._inner)

    async def close(self) -> None:
        await self._inner.close()


class MaskingReranker:
    """A reranker that never sees a secret; see `ragstone.core.ports.Reranker`."""

    def __init__(self, inner: Reranker) -> None:
        self._inner = inner

    @property
    def model(self) -> str:
        return self._inner.model

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        return await self._inner.score(guard.mask_secrets(question), [guard.mask_secrets(text) for text in texts])

    async def check(self) -> list[str]:
        return await self._inner.check()

    async def close(self) -> None:
        await self._inner.close()


class MaskingSparseEncoder:
    """A model of sparse vectors that never sees a secret; see `ragstone.core.ports.SparseEncoder`."""

    def __init__(self, inner: SparseEncoder) -> None:
        self._inner = inner

    @property
    def model(self) -> str:
        return self._inner.model

    async def encode(
        self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document"
    ) -> list[SparseVector]:
        return await self._inner.encode([guard.mask_secrets(text) for text in texts], kind=kind)

    async def check(self) -> list[str]:
        return await self._inner.check()

    async def close(self) -> None:
        await self._inner.close()


def _mask_result(result: CompletionResult) -> CompletionResult:
    return replace(result, text=guard.mask_secrets(result.text))


def _mask_prompt(prompt: Prompt) -> Prompt:
    return replace(
        prompt, messages=tuple(replace(turn, text=guard.mask_secrets(turn.text)) for turn in prompt.messages)
    )
