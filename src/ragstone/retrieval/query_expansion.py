"""The variants in which a question is searched for: as it was asked, by its fragments, by imagined answers, by
paraphrases."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragstone.core.plural import format_count
from ragstone.core.ports import Embedder, Vectors
from ragstone.core.trace import Trace
from ragstone.providers.batching import check_vectors
from ragstone.retrieval.fragments import split_fragments
from ragstone.retrieval.hyde import average_vectors, choose_count, imagine_documents
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.multi_query import write_paraphrases
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import refusal_code

# The cosine of the best passage for a vector; None where there is none to compare with.
FindBest = Callable[[Vectors], Awaitable[float | None]]


@dataclass(frozen=True, slots=True)
class QueryVariant:
    """One way to search for a question: a text for its words, a vector for its meaning, None where only words
    are searched for. The rankings of fragments are merged by score, those of other variants by rank."""

    text: str
    vector: Vectors | None
    is_fragment: bool = False


@dataclass(frozen=True, slots=True)
class Expansion:
    """The texts that a language model wrote for a question, to embed with the collection's model."""

    documents: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()


async def expand_query(
    question: Question, vector: Vectors | None, assistant: Assistant, find_best: FindBest
) -> Expansion:
    """Ask the model for imagined answers and paraphrases, both at once, with notes in a fixed order. Empty, with a
    note, if the model fails."""
    first, second = replace(assistant, trace=Trace()), replace(assistant, trace=Trace())
    documents, paraphrases = await asyncio.gather(
        _write_hypothetical_documents(question, vector, first, find_best), _paraphrase(question, second)
    )
    for one in (first, second):
        assistant.trace.join(one.trace)
    return Expansion(documents, paraphrases)


async def _write_hypothetical_documents(
    question: Question, vector: Vectors | None, assistant: Assistant, find_best: FindBest
) -> tuple[str, ...]:
    if question.hyde == "off" or vector is None:
        return ()
    if question.hyde == "adaptive":
        best = await assistant.trace.attempt("hyde", find_best(vector), None)
        if best is None or best >= question.hyde_below:
            if best is not None:
                said = f"not needed, the best cosine is {best:.4f}, not under {question.hyde_below:g}"
                assistant.trace.note("hyde", f"hyde: {said}")
            return ()
    count = choose_count(question.hyde, question.hyde_documents)
    return await imagine_documents(question.text, question.hyde, count, assistant)


async def _paraphrase(question: Question, assistant: Assistant) -> tuple[str, ...]:
    if not question.multi_query:
        return ()
    return await write_paraphrases(question.text, question.multi_query, assistant)


async def build_variants(
    question: Question, vector: Vectors | None, expansion: Expansion, embedder: Embedder | None, trace: Trace
) -> tuple[QueryVariant, ...]:
    """The question first, by the mean of the imagined documents where there are some, else by its fragments where they
    are asked for, then its paraphrases."""
    parts = list_fragments(question, expansion)
    if vector is None or embedder is None:
        first = tuple(QueryVariant(text, None, is_fragment=bool(parts)) for text in parts or (question.text,))
        return (*first, *(QueryVariant(text, None) for text in expansion.paraphrases))
    main, refused = vector, refusal_code(embedder)
    if expansion.documents:
        work = _embed_texts(embedder, expansion.documents, query=False)
        rows = await trace.attempt("hyde", work, None, refused=refused)
        middle = None if rows is None else average_vectors(rows)
        if middle is not None:
            main = middle
            trace.note(
                "hyde", f"hyde: searched with the mean of {format_count(len(expansion.documents), 'imagined document')}"
            )
    first = await _embed_fragments(parts, embedder, trace) or (QueryVariant(question.text, main),)
    if not expansion.paraphrases:
        return first
    others = await trace.attempt(
        "multi_query", _embed_texts(embedder, expansion.paraphrases, query=True), None, refused=refused
    )
    if others is None:
        return first
    trace.note("multi_query", f"multi_query: searched for {format_count(len(expansion.paraphrases), 'paraphrase')} too")
    return (*first, *(QueryVariant(text, one) for text, one in zip(expansion.paraphrases, others, strict=True)))


def list_fragments(question: Question, expansion: Expansion) -> tuple[str, ...]:
    """The fragments to search for in place of the question; none where HyDE ran or there is only one."""
    parts = split_fragments(question.text) if question.fragments and not expansion.documents else ()
    return parts if len(parts) > 1 else ()


async def _embed_fragments(parts: Sequence[str], embedder: Embedder, trace: Trace) -> tuple[QueryVariant, ...]:
    """The fragments with their vectors; none, with a note, if the model fails."""
    if not parts:
        return ()
    work = _embed_texts(embedder, parts, query=True)
    rows = await trace.attempt("fragments", work, None, refused=refusal_code(embedder))
    pairs = zip(parts, rows, strict=True) if rows is not None else ()
    return tuple(QueryVariant(text, one, is_fragment=True) for text, one in pairs)


async def _embed_texts(embedder: Embedder, texts: Sequence[str], *, query: bool) -> Vectors:
    vectors = await embedder.embed(list(texts), kind="query" if query else "document")
    references = [f"text {n} of the model" for n in range(1, len(texts) + 1)]
    return np.asarray(check_vectors(vectors, dimension=embedder.dimension, references=references))
