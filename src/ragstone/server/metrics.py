"""Counts and durations of a server for Prometheus. No label names a tenant, a collection, a document or a question."""

import os
from collections.abc import Iterable
from pathlib import Path

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, multiprocess

from ragstone.core.query_log import QueryRecord
from ragstone.core.records import Run
from ragstone.core.version import __version__

# Nobody here needs the times at which series began.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
CONTENT_TYPE = prometheus_client.CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120)
STAGES = ("embed", "vec", "fts", "merge", "rerank", "llm")
# Prometheus takes the first value that it sees of a series for its beginning: an event that makes its series is lost to
# `rate` and `increase`, and so to the alerts. These series begin with the server.
RUN_ENDS = ("succeeded", "failed", "interrupted")
DOCUMENT_ENDS = ("added", "changed", "moved", "unchanged", "removed", "skipped")
RELOADS = ("done", "failed")
LOOKUPS = ("hit", "miss")
FAILING = (
    *("bm25", "cache", "comparing", "cosine", "embedding", "feedback", "filter", "fragments", "fusion", "hyde"),
    *("multi_query", "part", "rerank", "similarity", "sparse", "spelling", "splade", "standalone", "written"),
)
DEGRADATIONS = (
    *(f"{step}_failed" for step in FAILING),
    *(f"{step}_refused" for step in ("embedding", "llm", "rerank", "splade")),
    "llm_unavailable",
    "semantic_unavailable",
)
UNKNOWN_ROUTE = "unmatched"


class Metrics:
    """The metrics of a process; with a `folder`, those of several processes that share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.registry = CollectorRegistry()
        registry = None if folder else self.registry
        self.requests = Counter("ragstone_http_requests", "Requests.", ("route", "method", "status"), registry=registry)
        self.request_seconds = Histogram(
            "ragstone_http_request_seconds", "Duration of requests.", ("route",), buckets=SECONDS, registry=registry
        )
        self.queries = Counter("ragstone_queries", "Questions by their end.", ("verb", "outcome"), registry=registry)
        self.query_seconds = Histogram(
            "ragstone_query_seconds", "Duration of questions.", ("verb",), buckets=SECONDS, registry=registry
        )
        self.stage_seconds = Histogram(
            "ragstone_stage_seconds", "Duration of stages.", ("stage",), buckets=SECONDS, registry=registry
        )
        self.candidates = Counter(
            "ragstone_candidates", "Candidates that retrievers gave.", ("retriever",), registry=registry
        )
        self.degraded = Counter(
            "ragstone_degraded", "Questions of which a step failed or was left out.", ("note",), registry=registry
        )
        self.abstentions = Counter("ragstone_abstentions", "Abstentions.", ("reason",), registry=registry)
        self.tokens = Counter("ragstone_llm_tokens", "Tokens of language models.", ("kind",), registry=registry)
        self.cache = Counter("ragstone_cache_lookups", "Lookups in the cache.", ("result",), registry=registry)
        self.runs = Counter("ragstone_ingestion_runs", "Ingestion runs.", ("status",), registry=registry)
        self.documents = Counter(
            "ragstone_ingestion_documents", "Documents of ingestion runs.", ("outcome",), registry=registry
        )
        self.jobs_finished = Counter(
            "ragstone_jobs_finished", "Tries of ingestion jobs by their end.", ("outcome",), registry=registry
        )
        self.reloads = Counter(
            "ragstone_configuration_reloads", "Loads of a changed configuration.", ("result",), registry=registry
        )
        begun = (
            (self.runs, RUN_ENDS),
            (self.documents, DOCUMENT_ENDS),
            (self.reloads, RELOADS),
            (self.cache, LOOKUPS),
            (self.degraded, DEGRADATIONS),
        )
        for counter, values in begun:
            for value in values:
                counter.labels(value)
        self._make_gauges(registry)

    def _make_gauges(self, registry: CollectorRegistry | None) -> None:
        self.running = Gauge(
            "ragstone_requests_running", "Questions at work.", registry=registry, multiprocess_mode="livesum"
        )
        self.waiting = Gauge(
            "ragstone_requests_waiting", "Questions in the queue.", registry=registry, multiprocess_mode="livesum"
        )
        self.jobs = Gauge(
            "ragstone_jobs",
            "Ingestion jobs of the store by their state.",
            ("status",),
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.store_reachable = Gauge(
            "ragstone_store_reachable",
            "Whether the store answered when these metrics were asked for.",
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.configured = Gauge(
            "ragstone_configuration_ok",
            "Whether the configuration that was written last is in force.",
            registry=registry,
            multiprocess_mode="livemin",
        )
        self.configured.set(1)
        self.store_bytes = Gauge(
            "ragstone_store_bytes",
            "Size of an embedded store on disk.",
            registry=registry,
            multiprocess_mode="mostrecent",
        )
        self.build = Gauge(
            "ragstone_build_info", "The version.", ("version",), registry=registry, multiprocess_mode="max"
        )
        self.build.labels(__version__).set(1)

    def observe_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests.labels(route, method, str(status)).inc()
        self.request_seconds.labels(route).observe(seconds)

    def observe_query(self, record: QueryRecord) -> None:
        """Count a question with its stages, candidates, tokens, and how it ended."""
        outcome = "error" if record.error else "abstained" if record.abstained else "answered"
        if record.error == "cancelled":
            outcome = "cancelled"
        self.queries.labels(record.verb, outcome).inc()
        self.query_seconds.labels(record.verb).observe(record.latency_ms_total / 1000)
        for stage in STAGES:
            if milliseconds := getattr(record, f"latency_ms_{stage}"):
                self.stage_seconds.labels(stage).observe(milliseconds / 1000)
        self.candidates.labels("vec").inc(record.num_vec_candidates)
        self.candidates.labels("fts").inc(record.num_fts_candidates)
        for note in record.notes:
            if note.endswith(("_failed", "_unavailable", "_refused")):
                self.degraded.labels(note).inc()
        if record.abstained:
            self.abstentions.labels(record.reason or "none").inc()
        self.tokens.labels("prompt").inc(record.llm_prompt_tokens)
        self.tokens.labels("completion").inc(record.llm_completion_tokens)
        if record.cache:
            self.cache.labels(record.cache).inc()

    def observe_runs(self, runs: Iterable[Run]) -> None:
        """Count ingestion runs with their documents."""
        for run in runs:
            self.runs.labels(run.status).inc()
            for outcome, number in run.stats.get("documents", {}).items():
                self.documents.labels(outcome).inc(number)

    def render(self) -> bytes:
        """All metrics in Prometheus' text format."""
        registry = self.registry
        if self._folder:
            registry = CollectorRegistry()
            _forget_dead(self._folder)
            multiprocess.MultiProcessCollector(registry, path=str(self._folder))  # type: ignore[no-untyped-call]
        return prometheus_client.generate_latest(registry)


def _forget_dead(folder: Path) -> None:
    """Remove the gauges of processes that are gone: their questions run no more."""
    for file in folder.glob("gauge_live*_*.db"):
        try:
            os.kill(int(file.stem.rpartition("_")[2]), 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except (ValueError, PermissionError):
            continue


def measure_folder(folder: Path) -> int:
    """The bytes of the files below a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:  # it went meanwhile
                continue
    return total
