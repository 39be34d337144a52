"""Watches the questions of a collection or pipeline, and makes a record of each."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from ragstone.answering.options import AnswerWriter
from ragstone.config.serve_settings import LogSettings
from ragstone.core import query_log
from ragstone.core.answers import Answer, Found
from ragstone.core.errors import RagstoneError
from ragstone.core.query_log import QueryRecord
from ragstone.core.spans import NO_SPAN, Span, end_with, is_tracing, start_span
from ragstone.guard import mask_secrets
from ragstone.retrieval.question import Question
from ragstone.retrieval.reranking import DEPTH, RERANK, RERANKED, is_reranker_skipped

WORDS = ("bm25", "count", "tf", "splade")  # names of rankings of candidates by words
CANCELLED = "cancelled"  # its caller went away


@dataclass(slots=True)
class Observation:
    """A question that is being answered; `result` is set when it is there, `error` is a stable code."""

    question: Question
    result: Found | Answer | None = None
    error: str | None = None
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class QueryObserver:
    """Makes records where the settings, or a server that collects them, want any."""

    settings: LogSettings
    tenant: str
    target: str
    writing: Callable[[], AnswerWriter | None] = lambda: None

    @contextmanager
    def observe(self, verb: str, question: Question) -> Iterator[Observation]:
        """Time a question; its record is made when the block ends."""
        seen, start = Observation(question), time.perf_counter()
        seen.span = start_span(f"ragstone {verb}", {"ragstone.verb": verb, "ragstone.mode": question.mode})
        try:
            with end_with(seen.span):
                try:
                    yield seen
                finally:
                    self._describe(seen)
        except RagstoneError as error:
            seen.error = error.code
            raise
        except Exception:
            seen.error = "internal"
            raise
        except BaseException:
            seen.error = seen.error or (CANCELLED if seen.result is None else None)
            raise
        finally:
            self._tell(verb, seen, time.perf_counter() - start)

    def _describe(self, seen: Observation) -> None:
        """Tell its span how the question ended."""
        if not is_tracing():
            return
        made, span = seen.result, seen.span
        span.set("ragstone.target", self.target)
        span.set("ragstone.tenant", self.tenant)
        span.set("ragstone.question.hash", query_log.hash_question(seen.question.text))
        if self.settings.questions:
            span.set("ragstone.question", mask_secrets(seen.question.text))
        if made is not None:
            span.set("ragstone.notes", tuple(dict.fromkeys(note.code for note in made.notes)))
            for name, count in made.counts.items():
                span.set(f"ragstone.{name}", count)
        if isinstance(made, Answer):
            span.set("ragstone.abstained", made.abstained)
            span.set("ragstone.reason", made.reason)

    def _tell(self, verb: str, seen: Observation, seconds: float) -> None:
        collected = query_log.COLLECTED.get()
        if collected is not None:
            collected.append(self._make_record(verb, seen, seconds))
        elif self.settings.queries:
            query_log.write_record(self._make_record(verb, seen, seconds))

    def _make_record(self, verb: str, seen: Observation, seconds: float) -> QueryRecord:
        made, question = seen.result, seen.question
        timings, counts = (made.timings, made.counts) if made is not None else ({}, {})
        answer = made if isinstance(made, Answer) else None
        writing = self.writing() if verb == "ask" else None
        model = writing.model if writing is not None else None
        codes = tuple(dict.fromkeys(note.code for note in made.notes)) if made is not None else ()

        def milliseconds(*stages: str) -> float:
            return round(1000 * sum(timings.get(stage, 0.0) for stage in stages), 3)

        return QueryRecord(
            ts=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            tenant_id=self.tenant,
            request_id=query_log.REQUEST_ID.get() or uuid.uuid4().hex,
            question_hash=query_log.hash_question(question.text),
            verb=verb,
            target=self.target,
            mode=question.mode,
            k_vec=0 if question.mode == "keyword" else max(counts.get(DEPTH, 0), question.vector_depth),
            k_fts=0 if question.mode == "semantic" else max(counts.get(DEPTH, 0), question.word_depth),
            k_rerank=counts.get(RERANKED, 0),
            num_vec_candidates=counts.get("cosine", 0),
            num_fts_candidates=sum(counts.get(name, 0) for name in WORDS),
            num_merged_candidates=counts.get("merged", 0),
            reranker_used=RERANKED in counts,
            reranker_skipped=is_reranker_skipped(codes),
            reranker_latency_ms=milliseconds(RERANK),
            num_context_chunks=counts.get("context", 0),
            context_tokens_est=counts.get("context_tokens", 0),
            abstained=answer.abstained if answer is not None else None,
            reason=answer.reason if answer is not None else None,
            latency_ms_total=round(1000 * seconds, 3),
            latency_ms_embed=milliseconds("embedding"),
            latency_ms_vec=milliseconds("cosine"),
            latency_ms_fts=milliseconds(*WORDS),
            latency_ms_merge=milliseconds("rank"),
            latency_ms_rerank=milliseconds(RERANK),
            latency_ms_llm=milliseconds("model"),
            llm_provider=model.vendor if model is not None else None,
            llm_model=model.model if model is not None else None,
            llm_prompt_tokens=answer.usage.get("prompt_tokens", 0) if answer is not None else 0,
            llm_completion_tokens=answer.usage.get("completion_tokens", 0) if answer is not None else 0,
            cache=("hit" if counts.get("cache_hits") else "miss") if question.cache and made is not None else None,
            notes=codes,
            error=seen.error,
            trace_id=seen.span.trace_id,
            question=mask_secrets(question.text) if self.settings.questions else None,
        )
