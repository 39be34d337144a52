"""The settings as dataclasses: each group checks itself and gives the settings of one collection of a tenant."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeVar

from ragstone.config.deadlines import DEFAULT_DEADLINES, Deadlines
from ragstone.config.jwt import JwtSettings
from ragstone.config.model_settings import (
    AnswerSettings,
    EmbedSettings,
    ExternalSettings,
    LlmSettings,
    RerankSettings,
    SparseSettings,
    check_bounds,
)
from ragstone.config.profiles import ProfileSettings
from ragstone.config.search_options import SearchOptions
from ragstone.config.serve_settings import LogSettings, ServeSettings, TraceSettings
from ragstone.config.validation import BYTES, MANY, Option
from ragstone.config.vendors import LANGUAGE_MODEL, check_reranker_name
from ragstone.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A root to ingest."""

    path: Annotated[str, Option("Folder, file or web address.", not_blank=True)]
    name: Annotated[str | None, Option("Name, part of every document's identity [default: the folder's].")] = None
    ignore: Annotated[tuple[str, ...], Option("Globs of paths to leave out.")] = ()
    deny: Annotated[tuple[str, ...], Option("Globs of paths that Ragstone never opens.")] = ()
    hidden: Annotated[bool, Option("Read hidden files too.")] = False
    ignore_files: Annotated[bool, Option("Leave out what .gitignore and .ragstoneignore name.")] = True
    archives: Annotated[bool, Option("Read the files in archives, mails and PDFs.")] = True
    depth: Annotated[int, Option("Links to follow from the first page of a web section.", 0, 100)] = 3
    pages: Annotated[int, Option("Maximum number of web pages.", 1, MANY)] = 1000
    delay: Annotated[float, Option("Seconds between two requests to a site.", 0, 3600)] = 1.0

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents become chunks: a chunker and its options."""

    name: Annotated[str, Option("The chunker.")] = "structure"
    options: Annotated[Mapping[str, int], Option("Options of the chunker, whole numbers.")] = field(
        default_factory=dict
    )
    enrich: Annotated[
        tuple[Literal["summary", "questions"], ...],
        Option("Texts that the language model writes for each chunk: summary, questions."),
    ] = ()
    enrich_words: Annotated[bool, Option("Let keyword search read these summaries and questions too.")] = False
    enrich_vectors: Annotated[bool, Option("Embed these summaries and questions too, for search by vectors.")] = False


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Bounds of documents and runs; null means no limit."""

    text_bytes: Annotated[int, Option("Largest text document, in bytes.", 1, BYTES)] = 10_000_000
    office_bytes: Annotated[int, Option("Largest document of any other type, in bytes.", 1, BYTES)] = 200_000_000
    seconds: Annotated[
        float, Option("CPU seconds to extract a document, and to chunk and check it; each MB adds 10 s.", 0.1, 86_400)
    ] = 60.0
    memory_bytes: Annotated[
        int, Option("Bytes of memory to extract a document that is not text.", 200_000_000, BYTES)
    ] = 1_500_000_000
    ocr_pages: Annotated[int, Option("Maximum number of pages per document for OCR.", 0, MANY)] = 500
    chunks: Annotated[int | None, Option("Maximum number of chunks per document.", 1, MANY)] = None
    archive_files: Annotated[int, Option("Maximum number of files in an archive or mail.", 1, MANY)] = 50_000
    archive_bytes: Annotated[int, Option("Bytes of all files in an archive or mail, unpacked.", 1, BYTES)] = (
        20_000_000_000
    )
    archive_depth: Annotated[int, Option("Archives and mails one in the other that are opened.", 1, 10)] = 3
    removals: Annotated[
        float, Option("Share of a source's documents, 0 to 1, that a run may remove without --allow-removals.", 0, 1)
    ] = 0.5

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """When `ragstone watch` acts."""

    reindex_after: Annotated[float, Option("Seconds of quiet before changes are indexed.", 0.01, 3600)] = 2.0
    flush_after: Annotated[float, Option("Seconds of quiet before the index is merged.", 0.01, 86_400)] = 30.0

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class SearchSettings(SearchOptions):
    """How passages are found; see docs/how-to/search.md for each."""

    def __post_init__(self) -> None:
        check_bounds(self)
        check_reranker_name(self.rerank)


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """Settings of one collection: its own sources, never those at the top; the rest, where null, as there."""

    sources: Annotated[tuple[SourceSettings, ...], Option("Sources of this collection.")] = ()
    chunk: Annotated[ChunkSettings | None, Option("Chunking of its documents.")] = None
    embed: Annotated[EmbedSettings | None, Option("Its embedding model.")] = None
    keep_versions: Annotated[int | None, Option("Number of revisions to keep per document.", 1, MANY)] = None
    artifacts: Annotated[str | None, Option("URI of the artifact store for its extractions.")] = None

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class TenantSettings:
    """Settings of one tenant. Its collections come before those at the top; where null, all is as there.

    Nothing here takes part in finding out who asks: this is read for the tenant that a key or token has named.
    """

    embed: Annotated[EmbedSettings | None, Option("The tenant's embedding model.")] = None
    llm: Annotated[LlmSettings | None, Option("The tenant's language model.")] = None
    rerank: Annotated[RerankSettings | None, Option("The tenant's reranker.")] = None
    collections: Annotated[Mapping[str, CollectionSettings], Option("The tenant's collections.")] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class EncryptionSettings:
    """The master key, which wraps the keys of tenants. Ragstone never shows it."""

    key: Annotated[str | None, Option("Master key, 32 bytes in base64.")] = field(default=None, repr=False)
    key_file: Annotated[str | None, Option("File that holds the master key.")] = None
    previous: Annotated[str | None, Option("Previous master key, during a rotation.")] = field(default=None, repr=False)
    previous_file: Annotated[str | None, Option("File that holds the previous master key.")] = None


@dataclass(frozen=True, slots=True)
class TableSettings:
    """A text column of an existing table or view of a pipeline's database."""

    table: Annotated[str, Option("Table or view.")]
    text_column: Annotated[str, Option("Column of the texts.")]
    vector_column: Annotated[str | None, Option("Column of the vectors.")] = None
    id_column: Annotated[str | None, Option("Column that identifies a row.")] = None
    filter: Annotated[str | Mapping[str, Any] | None, Option("SQL or structured conditions that rows must meet.")] = (
        None
    )
    filter_columns: Annotated[tuple[str, ...], Option("Columns that a request may filter by; * for all.")] = ()


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """A named way to answer over collections, tables of a database, or both; null means as at the top."""

    name: Annotated[str, Option("Name that requests use.", not_blank=True)]
    description: Annotated[str, Option("Description for listings.")] = ""
    store: Annotated[str | None, Option("Store of its collections [default: the top-level `store`].")] = field(
        default=None, repr=False
    )
    collections: Annotated[tuple[str, ...], Option("Collections to search.")] = ()
    database: Annotated[str | None, Option("URL of the database of its tables.")] = field(default=None, repr=False)
    tables: Annotated[tuple[TableSettings, ...], Option("Tables to search.")] = ()
    embed: Annotated[EmbedSettings | None, Option("Its embedding model.")] = None
    search: Annotated[SearchSettings | None, Option("Search options of this pipeline.")] = None
    llm: Annotated[LlmSettings | None, Option("Its language model.")] = None
    rerank: Annotated[RerankSettings | None, Option("Its reranker.")] = None
    system_prompt: Annotated[str | None, Option("System prompt.")] = None
    token_budget: Annotated[int | None, Option("Token budget for the passages of an answer or a context.", 1, MANY)] = (
        None
    )
    timeout: Annotated[float, Option("Timeout of each database statement, in seconds.", 0.01, 86_400)] = 10.0
    notes: Annotated[tuple[str, ...], Option("Notes for listings.")] = ()

    def __post_init__(self) -> None:
        check_bounds(self)
        if bool(self.tables) != bool(self.database):
            raise ConfigError("a pipeline with tables needs a database, and one with a database needs tables")
        if not self.tables and not self.collections:
            raise ConfigError("a pipeline needs tables of a database, or collections")
        if again := next((name for name in self.collections if self.collections.count(name) > 1), None):
            raise ConfigError(f"duplicate collection {again!r}")


Owner = TypeVar("Owner", TenantSettings, PipelineSettings)


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Settings of access: keys, tokens, trusted mode."""

    trusted: Annotated[
        bool | None, Option("false requires a key or token; null trusts anyone who can open the store.")
    ] = None
    jwt: Annotated[JwtSettings | None, Option("Issuer of the tokens that Ragstone accepts.")] = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it. Every field is read somewhere; an unknown key is an error."""

    store: Annotated[str, Option("Store: a folder or a URL.")] = "embedded:.ragstone"
    tenant: Annotated[str, Option("The tenant.")] = "default"
    collection: Annotated[str, Option("The collection.")] = "default"
    keep_versions: Annotated[int, Option("Number of revisions to keep per document.", 1, MANY)] = 1
    artifacts: Annotated[str | None, Option("URI of the artifact store for extractions.")] = None
    passwords: Annotated[tuple[str, ...], Option("Passwords to try on encrypted documents.")] = field(
        default=(), repr=False
    )
    sources: Annotated[tuple[SourceSettings, ...], Option("Sources that `ingest` reads without an argument.")] = ()
    chunk: Annotated[ChunkSettings, Option("Chunking of documents.")] = ChunkSettings()
    embed: Annotated[EmbedSettings, Option("Embedding model.")] = EmbedSettings()
    llm: Annotated[LlmSettings, Option("Language model that writes answers.")] = LlmSettings()
    judge: Annotated[LlmSettings, Option("Language model that judges answers.")] = LlmSettings()
    rerank: Annotated[RerankSettings, Option("Reranker of passages.")] = RerankSettings()
    sparse: Annotated[SparseSettings, Option("Model of sparse vectors.")] = SparseSettings()
    answer: Annotated[AnswerSettings, Option("Options of answers.")] = AnswerSettings()
    external: Annotated[ExternalSettings, Option("Texts that may leave this machine.")] = ExternalSettings()
    preset: Annotated[str | None, Option("Settings of a known system that all others override.")] = None
    services: Annotated[bool, Option("Use the preset's own services, not what stands in for them.")] = False
    offline: Annotated[bool, Option("Refuse every vendor that is not on this machine.")] = False
    limits: Annotated[LimitSettings, Option("Limits of documents and runs.")] = LimitSettings()
    watch: Annotated[WatchSettings, Option("When watched folders are indexed.")] = WatchSettings()
    deadlines: Annotated[Deadlines, Option("Timeouts of the stages of a question, in seconds.")] = DEFAULT_DEADLINES
    search: Annotated[SearchSettings, Option("Default search options.")] = SearchSettings()
    profiles: Annotated[Mapping[str, ProfileSettings], Option("Your own profiles, by name.")] = field(
        default_factory=dict
    )
    categories: Annotated[Mapping[str, tuple[str, ...]], Option("Categories by words in the path.")] = field(
        default_factory=dict
    )
    collections: Annotated[Mapping[str, CollectionSettings], Option("Settings per collection.")] = field(
        default_factory=dict
    )
    pipelines: Annotated[tuple[PipelineSettings, ...], Option("Named pipelines.", unique_names=True)] = ()
    tenants: Annotated[Mapping[str, TenantSettings], Option("Settings per tenant.")] = field(default_factory=dict)
    encryption: Annotated[EncryptionSettings, Option("Master key of encrypted tenants.")] = EncryptionSettings()
    key: Annotated[str | None, Option("API key or token of this user.")] = field(default=None, repr=False)
    access: Annotated[AccessSettings, Option("Access: keys, tokens and trust.")] = AccessSettings()
    serve: Annotated[ServeSettings, Option("The HTTP server.")] = ServeSettings()
    log: Annotated[LogSettings, Option("The logs of questions and requests.")] = LogSettings()
    traces: Annotated[TraceSettings, Option("Traces for OpenTelemetry.")] = TraceSettings()

    def __post_init__(self) -> None:
        check_bounds(self)

    def of(self, collection: str) -> "Settings":
        """These settings as they hold in one collection of the tenant: the tenant's settings come first."""
        tenant = self.tenants.get(self.tenant, TenantSettings())
        embed = self.own_embed(collection) or tenant.embed or self.embed
        llm, rerank = tenant.llm or self.llm, tenant.rerank or self.rerank
        own = tenant.collections.get(collection) or self.collections.get(collection)
        if own is None:
            return replace(self, collection=collection, embed=embed, llm=llm, rerank=rerank)
        return replace(
            self,
            collection=collection,
            sources=own.sources,
            chunk=own.chunk or self.chunk,
            embed=embed,
            llm=llm,
            rerank=rerank,
            keep_versions=own.keep_versions or self.keep_versions,
            artifacts=own.artifacts or self.artifacts,
        )

    def without_llm(self) -> "Settings":
        """The settings without language models, those of tenants and pipelines included."""
        tenants = {name: _drop_llm(tenant) for name, tenant in self.tenants.items()}
        pipelines = tuple(_drop_llm(pipeline) for pipeline in self.pipelines)
        rerank = RerankSettings() if self.rerank.model == LANGUAGE_MODEL else self.rerank
        none = LlmSettings()
        return replace(self, llm=none, judge=none, rerank=rerank, tenants=tenants, pipelines=pipelines)

    def own_embed(self, collection: str) -> EmbedSettings | None:
        """The model of one collection that has its own, before its tenant's."""
        tenant = self.tenants.get(self.tenant, TenantSettings())
        for settings in (tenant.collections, {} if tenant.embed else self.collections):
            if (found := settings.get(collection)) is not None and found.embed is not None:
                return found.embed
        return None


def _drop_llm(owner: Owner) -> Owner:
    """Settings without their language model, as a reranker too."""
    by_llm = owner.rerank is not None and owner.rerank.model == LANGUAGE_MODEL
    return replace(owner, llm=None, rerank=None if by_llm else owner.rerank)
