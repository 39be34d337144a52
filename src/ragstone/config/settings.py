"""What can be set, as values: each group checks itself, and says which of it holds in one collection of a tenant."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ragstone.config.deadlines import DEFAULT_DEADLINES, Deadlines
from ragstone.config.jwt import JwtSettings
from ragstone.config.model_settings import AnswerSettings, EmbedSettings, ExternalSettings, LlmSettings, check_bounds
from ragstone.config.search_options import SearchOptions
from ragstone.config.validation import (
    COLLECTION,
    LIMITS,
    PIPELINE,
    SEARCH,
    SOURCE,
    TOP_LEVEL,
)
from ragstone.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A root to ingest. `name` is part of every document's identity; by default the folder's name."""

    path: str
    name: str | None = None
    ignore: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    hidden: bool = False

    def __post_init__(self) -> None:
        check_bounds(self, SOURCE)


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut: a chunker's name and its own options, whole numbers all."""

    name: str = "structure"
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Bytes of a text document and of any other (PDF, office), seconds of the processor and bytes of memory that
    reading one of the others may take (a MB of it adds 10 s, a page that OCR reads half of `seconds`), pages of one
    document that OCR reads, chunks of a document (null: no limit), the share of
    a source's documents that a run may remove unasked."""

    text_bytes: int = 10_000_000
    office_bytes: int = 200_000_000
    seconds: float = 60.0
    memory_bytes: int = 1_500_000_000
    ocr_pages: int = 500
    chunks: int | None = None
    removals: float = 0.5

    def __post_init__(self) -> None:
        check_bounds(self, LIMITS)


@dataclass(frozen=True, slots=True)
class SearchSettings(SearchOptions):
    """How passages are found; see docs/how-to/search.md for each."""

    def __post_init__(self) -> None:
        check_bounds(self, SEARCH)


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What differs in one collection: its own sources, never those at the top; the rest, where null, as there."""

    sources: tuple[SourceSettings, ...] = ()
    chunk: ChunkSettings | None = None
    embed: EmbedSettings | None = None
    keep_versions: int | None = None
    artifacts: str | None = None

    def __post_init__(self) -> None:
        check_bounds(self, COLLECTION)


@dataclass(frozen=True, slots=True)
class TenantSettings:
    """What differs for one tenant. Its collections come before those at the top; where null, all is as there.

    Nothing here takes part in finding out who asks: this is read for the tenant that a key or token has named.
    """

    embed: EmbedSettings | None = None
    llm: LlmSettings | None = None
    collections: Mapping[str, CollectionSettings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EncryptionSettings:
    """The master key, 32 bytes in base64 or a file that holds them: it wraps the keys of tenants. `previous` is the one
    before, while keys are rotated. None of them is ever shown."""

    key: str | None = field(default=None, repr=False)
    key_file: str | None = None
    previous: str | None = field(default=None, repr=False)
    previous_file: str | None = None


@dataclass(frozen=True, slots=True)
class TableSettings:
    """A text column of an existing table or view of a pipeline's database, and the column of its vectors. `filter` is
    SQL, or structured conditions; `filter_columns` are those that a request may filter by, `*` for all."""

    table: str
    text_column: str
    vector_column: str | None = None
    id_column: str | None = None
    filter: str | Mapping[str, Any] | None = None
    filter_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """A named way to answer: over collections, over tables of a database, or both. Where null, `store`, `embed`,
    `search` and `llm` are as at the top; `system_prompt` stands in place of that part of the prompt, `token_budget` is
    for the passages of an answer or a context, `timeout` in seconds for each statement of the database; `notes` are
    remarks that its listing shows."""

    name: str
    description: str = ""
    store: str | None = field(default=None, repr=False)
    collections: tuple[str, ...] = ()
    database: str | None = field(default=None, repr=False)
    tables: tuple[TableSettings, ...] = ()
    embed: EmbedSettings | None = None
    search: SearchSettings | None = None
    llm: LlmSettings | None = None
    system_prompt: str | None = None
    token_budget: int | None = None
    timeout: float = 10.0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_bounds(self, PIPELINE)
        if bool(self.tables) != bool(self.database):
            raise ConfigError("a pipeline with tables needs their database, and one with a database its tables")
        if not self.tables and not self.collections:
            raise ConfigError("a pipeline needs tables of a database, or collections")
        if again := next((name for name in self.collections if self.collections.count(name) > 1), None):
            raise ConfigError(f"collections: {again!r} stands twice")


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Who may come in. `trusted: false` asks everybody for a key or a token; null trusts whoever opens the store."""

    trusted: bool | None = None
    jwt: JwtSettings | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it. Every field is read somewhere; an unknown key is an error."""

    store: str = "embedded:.ragstone"
    tenant: str = "default"
    collection: str = "default"
    keep_versions: int = 1
    artifacts: str | None = None
    passwords: tuple[str, ...] = ()
    sources: tuple[SourceSettings, ...] = ()
    chunk: ChunkSettings = ChunkSettings()
    embed: EmbedSettings = EmbedSettings()
    llm: LlmSettings = LlmSettings()
    judge: LlmSettings = LlmSettings()
    answer: AnswerSettings = AnswerSettings()
    external: ExternalSettings = ExternalSettings()
    offline: bool = False
    limits: LimitSettings = LimitSettings()
    deadlines: Deadlines = DEFAULT_DEADLINES
    search: SearchSettings = SearchSettings()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    collections: Mapping[str, CollectionSettings] = field(default_factory=dict)
    pipelines: tuple[PipelineSettings, ...] = ()
    tenants: Mapping[str, TenantSettings] = field(default_factory=dict)
    encryption: EncryptionSettings = EncryptionSettings()
    key: str | None = field(default=None, repr=False)
    access: AccessSettings = AccessSettings()

    def __post_init__(self) -> None:
        check_bounds(self, TOP_LEVEL)

    def of(self, collection: str) -> "Settings":
        """These settings as they hold in one collection of the tenant: what is said of the tenant comes first."""
        tenant = self.tenants.get(self.tenant, TenantSettings())
        embed = self.own_embed(collection) or tenant.embed or self.embed
        llm = tenant.llm or self.llm
        own = tenant.collections.get(collection) or self.collections.get(collection)
        if own is None:
            return replace(self, collection=collection, embed=embed, llm=llm)
        return replace(
            self,
            collection=collection,
            sources=own.sources,
            chunk=own.chunk or self.chunk,
            embed=embed,
            llm=llm,
            keep_versions=own.keep_versions or self.keep_versions,
            artifacts=own.artifacts or self.artifacts,
        )

    def without_llm(self) -> "Settings":
        """The same without any language model, those of tenants and pipelines included."""
        tenants = {name: replace(tenant, llm=None) for name, tenant in self.tenants.items()}
        pipelines = tuple(replace(pipeline, llm=None) for pipeline in self.pipelines)
        return replace(self, llm=LlmSettings(), judge=LlmSettings(), tenants=tenants, pipelines=pipelines)

    def own_embed(self, collection: str) -> EmbedSettings | None:
        """The model of one collection that has its own, whatever its tenant's is."""
        tenant = self.tenants.get(self.tenant, TenantSettings())
        for settings in (tenant.collections, {} if tenant.embed else self.collections):
            if (found := settings.get(collection)) is not None and found.embed is not None:
                return found.embed
        return None
