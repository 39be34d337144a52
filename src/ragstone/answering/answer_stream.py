"""From hits to an answer whose every sentence was checked, or an abstention, as events.

Waiting for an answer takes the same path (`wait_for_answer`). Without a language model the answer quotes
(`ragstone.answering.extractive_answer`). With one the model writes (`ragstone.answering.written_answer`), and the
quoted answer stands in where the model fails.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from math import ceil

from ragstone.answering.abstention.translation import translate_abstention
from ragstone.answering.assembly import Draft
from ragstone.answering.extractive.last_turn import find_last_turn
from ragstone.answering.extractive_answer import CONTRADICTION, make_extractive_answer
from ragstone.answering.generative.budget import Budget, fit_budget
from ragstone.answering.options import AnswerOptions, AnswerWriter, Conversation
from ragstone.answering.passage_choice import AnswerInput
from ragstone.answering.verification.citations import chunk_marker, render_answer
from ragstone.answering.verification.similarity import TextSimilarity
from ragstone.answering.written_answer import write_answer
from ragstone.core.answers import Answer, Event, Note
from ragstone.core.ports import Message
from ragstone.core.question_language import tell_speaker_language
from ragstone.core.trace import Trace
from ragstone.core.types import LONGEST_QUESTION, Chunk, Document, Hit
from ragstone.retrieval import semantic_cache, windows
from ragstone.retrieval.filter_diagnostics import FILTER_FIELD, FILTER_GROUP
from ragstone.retrieval.query_vectors import embed_question
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import SearchView, open_search
from ragstone.retrieval.search_context import SearchContext
from ragstone.retrieval.spelling import replace_words
from ragstone.retrieval.standalone_question import make_standalone
from ragstone.retrieval.store_timeout import limit_store_time

CONTEXT, CONTEXT_TOKENS = "context", "context_tokens"  # what is counted of the passages
LETTERS = 4  # characters of a token, on average over English: for a budget that need not be exact


async def stream_answer(
    context: SearchContext, question: Question, options: AnswerOptions, *, history: Sequence[Message] = ()
) -> AsyncGenerator[Event]:
    """An answer as it comes about: `search_results`, then `message` after `message`, then `final_answer`.

    Without a language model a message is a quoted sentence with the numbers of its citations. With one a message is a
    piece of the model's text (`delta`), a `citation` comes before the piece that uses it first, and the final answer
    carries the verdicts and replaces the streamed text.
    """
    trace = Trace()
    conversation = Conversation(question.text, tuple(history))
    question = await _resolve_references(context, question, options, history, trace)
    with trace.time_stage("total", span=""):
        vectors = await embed_question(context, question, trace)
        async with open_search(context, question, vectors, trace) as view:
            hits = view.hits
            with trace.time_stage("answer"):
                draft, hits = await _read_and_draft(context, question, view, options, conversation, trace)
            infos = view.reader.infos
        # An answer is never served from there.
        await semantic_cache.put(context, infos, question, vectors.first, view.hits, trace)
    # Only now: a slow reader of events, or a model, must not keep a view of the store open.
    async with aclosing(stream_draft(draft, hits, trace, writing=options.writing)) as stream:
        async for event in stream:
            yield event


async def wait_for_answer(stream: AsyncGenerator[Event]) -> Answer:
    """The answer that a stream of events ends with."""
    [done] = [event.data["answer"] async for event in stream if event.name == "final_answer"]
    result: Answer = done
    return result


async def _resolve_references(
    context: SearchContext, question: Question, options: AnswerOptions, history: Sequence[Message], trace: Trace
) -> Question:
    """The question as it is searched for where it goes on from others; a note says how it reads then."""
    model = options.writing.model if options.writing else None
    text = await make_standalone(question.text, history, model, trace, seconds=context.deadlines.rewrite)
    if text == question.text:
        return question
    trace.note("standalone", f"searched for: {text}")
    return replace(question, text=text[:LONGEST_QUESTION])


async def stream_draft(
    draft: Draft, hits: Sequence[Hit], trace: Trace, *, writing: AnswerWriter | None = None
) -> AsyncGenerator[Event]:
    """An answer as events: quoted, or in the words of a model."""
    yield Event("search_results", {"hits": hits})
    made = draft.quoted
    if writing is None or not draft.ask:
        for sentence in made.sentences:
            yield Event("message", {"text": sentence.text, "citations": sentence.citations, "delta": False})
    else:
        async with aclosing(write_answer(writing, draft, trace)) as stream:
            async for said in stream:
                if isinstance(said, Answer):
                    made = _add_contradictions(said, draft.quoted)
                else:
                    yield said
    if made.abstained:
        texts = [hit.chunk.text for hit in hits]
        made = translate_abstention(made, tell_speaker_language(draft.conversation.question, texts))
    usage = {name: made.usage.get(name, 0) + count for name, count in trace.usage().items()}
    whole = replace(
        made,
        answerability=draft.quoted.answerability,
        hits=tuple(hits),
        notes=_order_notes((*made.notes, *trace.notes)),
        timings=dict(trace.timings),
        usage={**made.usage, **usage},
        steps=tuple(trace.steps),
        counts=dict(trace.counts),
    )
    yield Event("final_answer", {"answer": whole})


def _order_notes(notes: Sequence[Note]) -> tuple[Note, ...]:
    """A filter that nothing passes is the reason for what the others say: it comes first."""
    return tuple(sorted(notes, key=lambda note: note.code not in (FILTER_GROUP, FILTER_FIELD)))


def _add_contradictions(made: Answer, quoted: Answer) -> Answer:
    """A written answer with the notes on passages that contradict each other, which the quoted answer has."""
    notes = tuple(note for note in quoted.notes if note.code == CONTRADICTION and note not in made.notes)
    return made if made.abstained else replace(made, notes=(*made.notes, *notes))


async def _read_and_draft(
    context: SearchContext,
    question: Question,
    view: SearchView,
    options: AnswerOptions,
    conversation: Conversation,
    trace: Trace,
) -> tuple[Draft, list[Hit]]:
    """The draft of an answer, and the hits that it is made from: all, or those that fit into `options.tokens`."""
    hits = view.hits
    if options.tokens is not None:
        async with limit_store_time(context.deadlines):
            hits = cut_to_tokens(await windows.read_windows(view.reader, hits), options.tokens)
    asker, by_store = view.similarity_source.embedder, view.fused_by_store
    vector, turn = view.vector, find_last_turn(question.text, conversation.question)
    question, turn = view.question, replace_words(turn, view.corrected)
    if vector is not None and turn:
        vectors = await embed_question(context, replace(question, text=turn), trace)
        vector = vectors.vector_for(view.similarity_source)
    found = AnswerInput(question, hits, view.reader, trace, asker, vector, context.deadlines, by_store, turn)
    return await make_draft(found, options, conversation), hits


def cut_to_tokens(hits: Sequence[Hit], tokens: int | None) -> list[Hit]:
    """The hits from the best down that fit, the last one shortened at a sentence; a token is taken for four
    characters."""
    if tokens is None:
        return list(hits)
    return fit_budget(hits, lambda text: ceil(len(text) / LETTERS), budget=Budget(tokens, 0, max(1, len(hits))))


async def make_draft(retrieved: AnswerInput, options: AnswerOptions, conversation: Conversation | None = None) -> Draft:
    """All that an answer needs of a view: the quoted answer, and the passages that a model is shown and checked
    against. `conversation` is what a model is asked, where that is not the question that was searched for."""
    writing, reader = options.writing, retrieved.reader
    conversation = conversation or Conversation(retrieved.question.text)
    seconds = retrieved.deadlines.check
    async with limit_store_time(retrieved.deadlines, beside=seconds):
        retrieved = replace(retrieved, hits=await windows.read_windows(reader, retrieved.hits))
        quoted = await make_extractive_answer(retrieved, options.policy, sparing=writing is not None)
        if writing is None or not quoted.suffices:
            retrieved.trace.count(CONTEXT, len(retrieved.hits))
            retrieved.trace.count(CONTEXT_TOKENS, sum(hit.chunk.tokens for hit in retrieved.hits))
            return Draft(conversation, quoted.answer, ask=False)
        conversation = _fit_history(writing, conversation, retrieved.trace)
        shown = writing.context(retrieved.hits, conversation)
        chunks = [chunk for one in shown for chunk in one.chunks]
        records = await reader.records(_list_documents(chunks))
        paged = [chunk for chunk in chunks if any(span.page for span in chunk.spans)]
        layouts = await reader.layouts(_list_documents(paged))
    retrieved.trace.count(CONTEXT, len(chunks))
    retrieved.trace.count(CONTEXT_TOKENS, sum(chunk.tokens for chunk in chunks))
    similarity = TextSimilarity.for_embedder(retrieved.embedder, seconds=seconds)
    made = _cite_by_chunk(quoted.answer) if writing.template.cites_by_id else quoted.answer
    return Draft(conversation, made, True, tuple(shown), records, layouts, similarity)


def _cite_by_chunk(quoted: Answer) -> Answer:
    """A quoted answer with the markers that the model's would have: `[chunk:ID]`."""
    if quoted.abstained:
        return quoted
    return replace(quoted, text=render_answer(quoted.sentences, quoted.citations, marker=chunk_marker))


def _list_documents(chunks: Iterable[Chunk]) -> list[Document]:
    """Those of the chunks, each once."""
    return list({chunk.document.id: chunk.document for chunk in chunks}.values())


def _fit_history(writing: AnswerWriter, conversation: Conversation, trace: Trace) -> Conversation:
    kept = writing.fit_history(conversation)
    if left := len(conversation.history) - len(kept.history):
        count = len(conversation.history)
        trace.note("history", f"the prompt leaves out the first {left} of {count} turns: no room for them")
    return kept
