"""An answer in a language model's words: what it is shown, what it writes, and what of that the documents support.

The view of the store is closed by then: all that checking needs was taken out of it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from ragstone.answering.assembly import UNSUPPORTED, AnswerAssembler, Draft
from ragstone.answering.generative.mark_filter import MarkFilter
from ragstone.answering.generative.prompt import list_passage_ids, passage_labels
from ragstone.answering.generative.transcript import Transcript
from ragstone.answering.options import AnswerWriter
from ragstone.core.answers import Answer, Event
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import CompletionResult
from ragstone.core.trace import Trace

FALLBACK = "the answer is quoted, not written"
log = logging.getLogger("ragstone")


async def write_answer(writing: AnswerWriter, draft: Draft, trace: Trace) -> AsyncGenerator[Event | Answer]:
    """Write an answer with the model; gives events, the answer last.

    When the model fails the quoted answer is the answer, with a note that says why: `llm_unavailable`, `llm_refused`
    where the request or its configuration is at fault, or `unsupported` where no sentence passes its check.
    """
    if not draft.shown:
        trace.note(
            "llm_refused",
            f"{_name_fallback(draft)}: {writing.describe_lack_of_room(draft.conversation)}",
        )
        yield draft.quoted
        return
    transcript = Transcript(
        passage_labels(writing.template, draft.shown), list_passage_ids(writing.template, draft.shown)
    )
    assembler = AnswerAssembler(draft, transcript, trace, strict=writing.strict, similarity=draft.similarity)
    done = CompletionResult("", ended="other")
    try:
        async with aclosing(_stream_pieces(writing, draft, trace)) as pieces:
            async for piece in pieces:
                if isinstance(piece, CompletionResult):
                    done = piece
                    break
                async for event in assembler.show(transcript.feed(piece)):
                    yield event
    except RagstoneError as error:
        code = "llm_refused" if isinstance(error, UsageError) else "llm_unavailable"
        trace.note(code, f"{_name_fallback(draft)}: {error}")
        log.warning("%s: %s", code, error)
        yield draft.quoted
        return
    async for event in assembler.show(transcript.end(), last=True):
        yield event
    made = await assembler.finish(done)
    if made.reason == UNSUPPORTED and not draft.quoted.abstained:
        trace.note(UNSUPPORTED, f"{_name_fallback(draft)}: the passages support nothing that the model wrote")
        made = replace(draft.quoted, usage=made.usage)
    yield made


def _name_fallback(draft: Draft) -> str:
    """What there is in place of a model's answer."""
    return "no answer was written, and none can be quoted" if draft.quoted.abstained else FALLBACK


async def _stream_pieces(writing: AnswerWriter, draft: Draft, trace: Trace) -> AsyncGenerator[str | CompletionResult]:
    """The model's stream; what it takes is timed, and bounded, without what a slow reader of the events takes.

    Raises `Unavailable` when it takes longer than it may: one that is handed in has no limits of its own.
    """
    prompt = writing.prompt(draft.conversation, draft.shown)
    marks = MarkFilter(prompt.mark)
    spent, clock = 0.0, writing.clock
    async with aclosing(writing.model.stream(prompt)) as stream:
        while True:
            if spent >= writing.seconds:  # one that never waits for anything is never interrupted
                raise Unavailable(_describe_timeout(writing))
            start = clock()
            with trace.time_stage("model", span=""):  # one a piece: the model's own span is whole
                try:
                    async with asyncio.timeout(writing.seconds - spent) as patience:
                        piece = await anext(stream, None)
                except TimeoutError as error:
                    if not patience.expired():
                        raise
                    raise Unavailable(_describe_timeout(writing)) from error
            spent += clock() - start
            if not isinstance(piece, str):
                yield marks.end()
                if piece is not None:
                    yield piece
                return
            yield marks.feed(piece)


def _describe_timeout(writing: AnswerWriter) -> str:
    model = writing.model
    return f"{model.vendor}/{model.model} did not end its answer within {writing.seconds:g} s ({writing.group}.total)"
