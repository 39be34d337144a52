"""Spans of models by OpenTelemetry's conventions for generative AI: a model, its operation and its tokens; no text."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager

from ragstone.core.ports import CompletionResult, Prompt
from ragstone.core.spans import ACTIVE, Span, Value, end_with, is_tracing, open_span, start_span

PROVIDERS = {"gemini": "gcp.gemini"}  # whose names in the conventions are not ours
BUILT_IN, OWN = "ragstone", "_OTHER"  # the model of this process, and one that the caller brought
READ, WRITTEN = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"


@contextmanager
def open_embedding_span(vendor: str, model: str, texts: int) -> Iterator[None]:
    """The span of texts that a model embeds in the block."""
    if not is_tracing():
        yield
        return
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": PROVIDERS.get(vendor, vendor),
        "gen_ai.request.model": model,
        "ragstone.texts": texts,
    }
    with open_span(f"embeddings {model}", attributes, kind="client"):
        yield


def count_embedded_tokens(tokens: int | None) -> None:
    """Add the tokens that a vendor counted to the span of the texts."""
    if tokens:
        ACTIVE.get().add(READ, tokens)


def start_completion_span(vendor: str, model: str, prompt: Prompt) -> Span:
    """The span of a prompt that a model completes."""
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(vendor, vendor),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": prompt.max_tokens,
        "gen_ai.request.temperature": prompt.temperature,
        "gen_ai.output.type": "text" if prompt.schema is None else "json",
    }
    return start_span(f"chat {model}", attributes, kind="client")


async def trace_stream(
    span: Span, stream: AsyncGenerator[str | CompletionResult]
) -> AsyncGenerator[str | CompletionResult]:
    """The pieces of a model's stream, below its span; what their reader does between them is not."""
    with end_with(span):
        async with aclosing(stream):
            while True:
                with span.activate():
                    piece = await anext(stream, None)
                if piece is None:
                    return
                if isinstance(piece, CompletionResult):
                    describe_completion(span, piece)
                yield piece


def describe_completion(span: Span, result: CompletionResult) -> None:
    """Record the tokens of a result, and its end."""
    span.set(READ, result.prompt_tokens)
    span.set(WRITTEN, result.completion_tokens)
    span.set("gen_ai.response.finish_reasons", (result.ended,))
