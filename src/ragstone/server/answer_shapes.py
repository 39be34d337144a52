"""The shapes of answers over HTTP, for the description of the API, around those of documents, hits and runs."""

from typing import Literal, NotRequired, TypedDict

from ragstone.core.ports.jobs import Job
from ragstone.core.records import Run
from ragstone.core.types import Json
from ragstone.engine.json_views import FullDocumentJson, InfoJson

PRIVATE_TO_SERVER = ("tenant", "lease")  # of a job


class Marked(TypedDict):
    """An answer with the edition of its shape."""

    schema: int


class CollectionsJson(Marked):
    """The collections of a tenant."""

    collections: list[InfoJson]


class ErasedJson(Marked):
    """The name of an erased collection."""

    erased: str


class DocumentsJson(Marked):
    """A page of documents, with the cursor of the next."""

    documents: list[FullDocumentJson]
    next: str | None


class IgnoredFile(TypedDict):
    """A file that a rule leaves out."""

    path: str
    reason: str


class SkippedFile(TypedDict):
    """A file that was left out, and the reason."""

    path: str
    reason: str
    message: str


class DocumentCounts(TypedDict):
    """How many documents a run added, changed, and so on."""

    added: int
    changed: int
    moved: int
    unchanged: int
    removed: int
    skipped: int


class RunStats(TypedDict, total=False):
    """The counts of a run, empty while it has none: `written` passages, `embedded` vectors, and what was left out."""

    documents: DocumentCounts
    passed_over: int
    written: int
    embedded: int
    renewed: int
    enriched: int
    encoded: int
    written_texts: int
    skipped: list[SkippedFile]
    ignored: list[IgnoredFile]
    warnings: list[str]
    left_out: list[Json]
    seconds: float


class Uploaded(Marked, FullDocumentJson):
    """An uploaded document; of an archive, a mail or a PDF with the documents that came of it."""

    members: NotRequired[list[FullDocumentJson]]
    skipped: NotRequired[list[SkippedFile]]


class DocumentText(Marked, FullDocumentJson):
    """A document with its text of record, and the places that were asked for in it."""

    text: str
    marked: NotRequired[list[int]]
    places: NotRequired[list[list[int]]]


class RemovedJson(Marked):
    """How many documents were removed."""

    removed: int


class RunsJson(Marked):
    """Ingestion runs."""

    runs: list[Run]


class JobsJson(Marked):
    """Jobs of ingestion."""

    jobs: list[Job]


class Accepted(Marked):
    """A job that was queued."""

    job: Job


class DroppedJson(Marked):
    """The id of a dropped job."""

    dropped: str


class PipelineName(TypedDict):
    """A pipeline of the configuration."""

    name: str
    description: str


class PipelinesJson(TypedDict):
    """The configured pipelines."""

    pipelines: list[PipelineName]


class PipelineSource(TypedDict):
    """A passage that an answer of a pipeline rests on."""

    id: str | int
    content: str
    score: float


class PipelineAnswer(TypedDict):
    """An answer of a pipeline."""

    answer: str
    tokens_used: int
    sources: NotRequired[list[PipelineSource]]


class Live(TypedDict):
    """The process runs."""

    status: str


class Ready(Live):
    """The server is ready; with `store` where it can only be read."""

    store: NotRequired[str]


class Reached(TypedDict):
    """Whether a model answers."""

    reachable: bool
    error: NotRequired[str]


class PipelineHealth(TypedDict):
    """Whether the models of a pipeline answer."""

    name: str
    embedding: Reached
    completion: NotRequired[Reached]


class Health(Live):
    """The state of the server, with the problems that it has."""

    pipelines: list[PipelineHealth]
    starting: NotRequired[bool]
    store: NotRequired[str]
    configuration: NotRequired[str]
    certificate: NotRequired[str]


class TokenCounts(TypedDict):
    """Counts of tokens."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class PipelineTokens(TypedDict):
    """The tokens that a pipeline used."""

    name: str
    embedding: TokenCounts
    completion: TokenCounts


class Stats(TypedDict):
    """The tokens of each pipeline."""

    pipelines: list[PipelineTokens]


class QueryCitation(TypedDict):
    """A cited passage."""

    doc_id: str
    doc_version_id: str
    chunk_id: str
    title: str
    version_label: str | None


class QueryAnswer(TypedDict):
    """An answer with its citations, or an abstention."""

    answer: str
    citations: list[QueryCitation]
    abstained: bool
    debug: Json | None


class Passage(TypedDict):
    """A passage with its place and window."""

    file_path: str
    header: str
    line_start: int
    score: float
    text: str


class Passages(TypedDict):
    """The results of a search."""

    results: list[Passage]


class Ingested(TypedDict):
    """The counts of an ingestion of the configured sources, and those of them that failed."""

    status: Literal["ok", "partial"]
    failed: NotRequired[list[str]]
    runs: list[str]
    added: NotRequired[int]
    changed: NotRequired[int]
    moved: NotRequired[int]
    unchanged: NotRequired[int]
    removed: NotRequired[int]
    skipped: NotRequired[int]
