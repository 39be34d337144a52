"""The way out, continued: from what was found to an answer whose every sentence was checked, or an abstention.

An answer comes as events; waiting for it is the same path. Without a language model it quotes
(`ragstone.answering.quoted`); with one the model writes (`ragstone.answering.generated`), and what is quoted stands
in where the model fails.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace

from ragstone.answering import Policy
from ragstone.answering import quoted as quoting
from ragstone.answering.assembly import Draft, Talk
from ragstone.answering.generated import Writing, written
from ragstone.answering.quoted import Sought
from ragstone.answering.verification.similarity import Alike
from ragstone.config.deadlines import Deadlines
from ragstone.core.ports import Message
from ragstone.core.trace import Trace, reading
from ragstone.core.types import Answer, Chunk, Document, Event, Hit
from ragstone.retrieval import semantic_cache, windows
from ragstone.retrieval.question import LONGEST_QUESTION, Question
from ragstone.retrieval.search import seen, vector_of
from ragstone.retrieval.search_context import Desk
from ragstone.retrieval.standalone_question import standalone


async def events(
    desk: Desk, question: Question, *, writing: Writing | None = None, history: Sequence[Message] = ()
) -> AsyncGenerator[Event]:
    """An answer as it comes about: `search_results`, then `message` after `message`, then `final_answer`.

    Without `writing` a message is a quoted sentence with the numbers of its citations. With it a message is a piece
    of the model's text (`delta`), a `citation` comes before the piece that uses it first, and the final answer carries
    the verdicts and replaces what was streamed.
    """
    trace = Trace()
    talk = Talk(question.text, tuple(history))
    question = await alone(question, history, writing, trace, desk.deadlines)
    with trace.timed("total"):
        vector = await vector_of(desk, question, trace)
        async with seen(desk, question, vector, trace) as view:
            hits = view.hits
            with trace.timed("answer"):
                sought = Sought(desk, view.reader, question, vector, hits, trace)
                draft = await prepared(sought, talk=talk, writing=writing, policy=desk.policy)
        await semantic_cache.remember(
            desk, view.info, question, vector, hits, trace
        )  # an answer is never served from there
    # Only now: whoever reads events slowly, or writes them, must not keep a view of the store open.
    async with aclosing(told(draft, hits, trace, writing=writing)) as stream:
        async for event in stream:
            yield event


async def alone(
    question: Question, history: Sequence[Message], writing: Writing | None, trace: Trace, deadlines: Deadlines
) -> Question:
    """The question as it is searched for where it goes on from others; a note says how it reads then."""
    model = writing.model if writing else None
    text = await standalone(question.text, history, model, trace, seconds=deadlines.rewrite)
    if text == question.text:
        return question
    trace.note("standalone", f"searched for: {text}")
    return replace(question, text=text[:LONGEST_QUESTION])


async def told(
    draft: Draft, hits: Sequence[Hit], trace: Trace, *, writing: Writing | None = None
) -> AsyncGenerator[Event]:
    """An answer as events: quoted, or in the words of a model."""
    yield Event("search_results", {"hits": hits})
    made = draft.quoted
    if writing is None or made.abstained:
        for sentence in made.sentences:
            yield Event("message", {"text": sentence.text, "citations": sentence.citations, "delta": False})
    else:
        async with aclosing(written(writing, draft, trace)) as stream:
            async for said in stream:
                if isinstance(said, Answer):
                    made = said
                else:
                    yield said
    usage = {name: made.usage.get(name, 0) + count for name, count in trace.usage().items()}
    whole = replace(
        made,
        answerability=draft.quoted.answerability,
        hits=tuple(hits),
        notes=(*made.notes, *trace.notes),
        timings=dict(trace.timings),
        usage={**made.usage, **usage},
        steps=tuple(trace.steps),
    )
    yield Event("final_answer", {"answer": whole})


async def answer(
    desk: Desk, question: Question, *, writing: Writing | None = None, history: Sequence[Message] = ()
) -> Answer:
    """The same as `events`, for who would rather wait."""
    return await waited(events(desk, question, writing=writing, history=history))


async def waited(stream: AsyncGenerator[Event]) -> Answer:
    """The answer that a stream of events ends with."""
    [done] = [event.data["answer"] async for event in stream if event.name == "final_answer"]
    result: Answer = done
    return result


async def prepared(
    sought: Sought, *, talk: Talk | None = None, writing: Writing | None = None, policy: Policy | None = None
) -> Draft:
    """All that an answer needs of a view: the quoted one, and what a model would be shown and checked against. `talk`
    is what a model is asked, where that is not the question that was searched for."""
    talk = talk or Talk(sought.question.text)
    desk, reader = sought.desk, sought.reader
    seconds = desk.deadlines.check
    async with reading(desk.deadlines, beside=seconds):
        sought = replace(sought, hits=await windows.read(reader, sought.hits))
        quoted = await quoting.quoted(sought, policy or Policy(), sparing=writing is not None)
        if writing is None or quoted.abstained:
            return Draft(talk, quoted)
        talk = _recalled(writing, talk, sought.trace)
        shown = writing.context(sought.hits, talk)
        chunks = [chunk for one in shown for chunk in one.chunks]
        records = await reader.records(_documents(chunks))
        layouts = await reader.layouts(_documents(c for c in chunks if any(span.page for span in c.spans)))
    alike = Alike.of(desk.embedder, seconds=seconds)
    return Draft(talk, quoted, tuple(shown), records, layouts, alike=alike)


def _documents(chunks: Iterable[Chunk]) -> list[Document]:
    """Those of the chunks, each once."""
    return list({chunk.document.id: chunk.document for chunk in chunks}.values())


def _recalled(writing: Writing, talk: Talk, trace: Trace) -> Talk:
    kept = writing.recalled(talk)
    if left := len(talk.history) - len(kept.history):
        trace.note("history", f"the model was not told the first {left} of {len(talk.history)} turns: no room for them")
    return kept
