"""A record of each question with its results and durations, written as a line of JSON, by default without its text.

The names are those of the production RAG specification. A server collects the records of a request and writes them
when the status of its response is known; elsewhere they are written at once.
"""

import hashlib
import json
import logging
import sys
import unicodedata
from contextvars import ContextVar
from dataclasses import asdict, dataclass

log = logging.getLogger("ragstone.queries")
OPTIONAL = ("question", "trace_id")  # fields that a line has only where there is something in them
REQUEST_ID: ContextVar[str | None] = ContextVar("ragstone_request_id", default=None)
COLLECTED: "ContextVar[list[QueryRecord] | None]" = ContextVar("ragstone_queries", default=None)


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """A question that was answered, refused or failed; seconds are milliseconds here."""

    ts: str
    tenant_id: str
    request_id: str
    question_hash: str
    verb: str
    target: str
    mode: str
    k_vec: int
    k_fts: int
    k_rerank: int
    num_vec_candidates: int
    num_fts_candidates: int
    num_merged_candidates: int
    reranker_used: bool
    reranker_skipped: bool
    reranker_latency_ms: float
    num_context_chunks: int
    context_tokens_est: int
    abstained: bool | None
    reason: str | None
    latency_ms_total: float
    latency_ms_embed: float
    latency_ms_vec: float
    latency_ms_fts: float
    latency_ms_merge: float
    latency_ms_rerank: float
    latency_ms_llm: float
    llm_provider: str | None
    llm_model: str | None
    llm_prompt_tokens: int
    llm_completion_tokens: int
    cache: str | None
    notes: tuple[str, ...]
    error: str | None
    trace_id: str | None = None
    question: str | None = None


def hash_question(text: str) -> str:
    """SHA-256 of a question without what does not change it: case, forms of characters, white space."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def write_record(record: QueryRecord, *, http_status: int | None = None) -> None:
    """Write a record as a line of JSON to the logger `ragstone.queries`; to stderr where that has no handler."""
    line = {name: value for name, value in asdict(record).items() if value is not None or name not in OPTIONAL}
    text = json.dumps({**line, "http_status": http_status}, ensure_ascii=False)
    if log.handlers:
        log.info(text)
    else:
        sys.stderr.write(f"{text}\n")
