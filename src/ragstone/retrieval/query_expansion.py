"""The ways in which a question is searched for: as it stands, by imagined answers, by paraphrases."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragstone import retrieval
from ragstone.core.plural import counted
from ragstone.core.ports import Embedder, Vectors
from ragstone.core.trace import Trace
from ragstone.providers.batching import checked
from ragstone.retrieval import Assistant
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import refusal

# The cosine of the best passage for a vector; None where there is none to compare with.
Top = Callable[[Vectors], Awaitable[float | None]]


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask: a text for its words, a vector for its meaning, None where only words are searched for."""

    text: str
    vector: Vectors | None


@dataclass(frozen=True, slots=True)
class Written:
    """What a language model has written of a question, to be embedded by whatever embeds the collection."""

    documents: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()


async def written(question: Question, vector: Vectors | None, assistant: Assistant, top: Top) -> Written:
    """What the question wants of a model; both at once, told in the same order whichever ends first. Nothing where the
    model fails, with a note."""
    first, second = replace(assistant, trace=Trace()), replace(assistant, trace=Trace())
    documents, paraphrases = await asyncio.gather(
        _documents(question, vector, first, top), _paraphrases(question, second)
    )
    for one in (first, second):
        assistant.trace.join(one.trace)
    return Written(documents, paraphrases)


async def _documents(question: Question, vector: Vectors | None, assistant: Assistant, top: Top) -> tuple[str, ...]:
    if question.hyde == "off" or vector is None:
        return ()
    if question.hyde == "adaptive":
        best = await assistant.trace.attempt("hyde", top(vector), None)
        if best is None or best >= question.hyde_below:
            if best is not None:
                said = f"not needed, the best cosine is {best:.4f}, not under {question.hyde_below:g}"
                assistant.trace.note("hyde", f"hyde: {said}")
            return ()
    count = retrieval.count_of(question.hyde, question.hyde_documents)
    return await retrieval.imagined(question.text, question.hyde, count, assistant)


async def _paraphrases(question: Question, assistant: Assistant) -> tuple[str, ...]:
    if not question.multi_query:
        return ()
    return await retrieval.paraphrased(question.text, question.multi_query, assistant)


async def wordings(
    question: Question, vector: Vectors | None, made: Written, embedder: Embedder | None, trace: Trace
) -> tuple[Wording, ...]:
    """The question first, by the mean of the imagined documents where there are some, then its paraphrases."""
    if vector is None or embedder is None:
        return tuple(Wording(text, None) for text in (question.text, *made.paraphrases))
    main, refused = vector, refusal(embedder)
    if made.documents:
        rows = await trace.attempt("hyde", _embedded(embedder, made.documents, query=False), None, refused=refused)
        middle = None if rows is None else retrieval.mean(rows)
        if middle is not None:
            main = middle
            trace.note("hyde", f"hyde: searched with the mean of {counted(len(made.documents), 'imagined document')}")
    first = Wording(question.text, main)
    if not made.paraphrases:
        return (first,)
    others = await trace.attempt(
        "multi_query", _embedded(embedder, made.paraphrases, query=True), None, refused=refused
    )
    if others is None:
        return (first,)
    trace.note("multi_query", f"multi_query: searched for {counted(len(made.paraphrases), 'paraphrase')} too")
    return (first, *(Wording(text, one) for text, one in zip(made.paraphrases, others, strict=True)))


async def _embedded(embedder: Embedder, texts: Sequence[str], *, query: bool) -> Vectors:
    vectors = await embedder.embed(list(texts), kind="query" if query else "document")
    references = [f"text {n} of the model" for n in range(1, len(texts) + 1)]
    return np.asarray(checked(vectors, dimension=embedder.dimension, references=references))
