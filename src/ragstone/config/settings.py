"""What can be set, as values: each group checks itself, and says which of it holds in one collection of a tenant."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from ragstone.config.deadlines import DEFAULT_DEADLINES, Deadlines
from ragstone.config.jwt import JwtSettings
from ragstone.config.model_settings import AnswerSettings, EmbedSettings, ExternalSettings, LlmSettings, check_bounds
from ragstone.config.search_options import SearchOptions
from ragstone.config.validation import BYTES, MANY, Option
from ragstone.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A root to ingest."""

    path: Annotated[str, Option("The folder, file or URL.", not_blank=True)]
    name: Annotated[str | None, Option("Its name, part of every document's identity [default: the folder's].")] = None
    ignore: Annotated[tuple[str, ...], Option("Globs of paths that are left out.")] = ()
    deny: Annotated[tuple[str, ...], Option("Globs of paths that are never read.")] = ()
    hidden: Annotated[bool, Option("Read hidden files too.")] = False

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents become chunks: a chunker and its options."""

    name: Annotated[str, Option("The chunker.")] = "structure"
    options: Annotated[Mapping[str, int], Option("Its own options, whole numbers.")] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Bounds of documents and runs; null means no limit."""

    text_bytes: Annotated[int, Option("Bytes of a text document.", 1, BYTES)] = 10_000_000
    office_bytes: Annotated[int, Option("Bytes of any other document.", 1, BYTES)] = 200_000_000
    seconds: Annotated[
        float, Option("Processor time for reading one document that is no text; each MB adds 10 s.", 0.1, 86_400)
    ] = 60.0
    memory_bytes: Annotated[int, Option("Memory for reading one document that is no text.", 200_000_000, BYTES)] = (
        1_500_000_000
    )
    ocr_pages: Annotated[int, Option("Pages of one document that OCR reads.", 0, MANY)] = 500
    chunks: Annotated[int | None, Option("Chunks of one document.", 1, MANY)] = None
    removals: Annotated[float, Option("Share of a source's documents that a run may remove unasked.", 0, 1)] = 0.5

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class SearchSettings(SearchOptions):
    """How passages are found; see docs/how-to/search.md for each."""

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What differs in one collection: its own sources, never those at the top; the rest, where null, as there."""

    sources: Annotated[tuple[SourceSettings, ...], Option("The roots of this collection.")] = ()
    chunk: Annotated[ChunkSettings | None, Option("How its documents become chunks.")] = None
    embed: Annotated[EmbedSettings | None, Option("Its embedding model.")] = None
    keep_versions: Annotated[int | None, Option("Revisions of a document that stay.", 1, MANY)] = None
    artifacts: Annotated[str | None, Option("Where its extractions are kept, a URI.")] = None

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class TenantSettings:
    """What differs for one tenant. Its collections come before those at the top; where null, all is as there.

    Nothing here takes part in finding out who asks: this is read for the tenant that a key or token has named.
    """

    embed: Annotated[EmbedSettings | None, Option("The tenant's embedding model.")] = None
    llm: Annotated[LlmSettings | None, Option("The tenant's language model.")] = None
    collections: Annotated[Mapping[str, CollectionSettings], Option("The tenant's collections.")] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class EncryptionSettings:
    """The master key, which wraps the keys of tenants. Ragstone never shows it."""

    key: Annotated[str | None, Option("The master key, 32 bytes in base64.")] = field(default=None, repr=False)
    key_file: Annotated[str | None, Option("A file that holds it.")] = None
    previous: Annotated[str | None, Option("The master key before, while keys are rotated.")] = field(
        default=None, repr=False
    )
    previous_file: Annotated[str | None, Option("A file that holds that one.")] = None


@dataclass(frozen=True, slots=True)
class TableSettings:
    """A text column of an existing table or view of a pipeline's database."""

    table: Annotated[str, Option("The table or view.")]
    text_column: Annotated[str, Option("The column of its texts.")]
    vector_column: Annotated[str | None, Option("The column of its vectors.")] = None
    id_column: Annotated[str | None, Option("The column that identifies a row.")] = None
    filter: Annotated[str | Mapping[str, Any] | None, Option("SQL or structured conditions that rows must meet.")] = (
        None
    )
    filter_columns: Annotated[tuple[str, ...], Option("Columns that a request may filter by; * for all.")] = ()


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """A named way to answer over collections, tables of a database, or both; null means as at the top."""

    name: Annotated[str, Option("The name that a request uses.", not_blank=True)]
    description: Annotated[str, Option("A sentence for listings.")] = ""
    store: Annotated[str | None, Option("The store of its collections [default: that at the top].")] = field(
        default=None, repr=False
    )
    collections: Annotated[tuple[str, ...], Option("The collections that it searches.")] = ()
    database: Annotated[str | None, Option("The URL of the database of its tables.")] = field(default=None, repr=False)
    tables: Annotated[tuple[TableSettings, ...], Option("The tables that it searches.")] = ()
    embed: Annotated[EmbedSettings | None, Option("Its embedding model.")] = None
    search: Annotated[SearchSettings | None, Option("Its defaults of a search.")] = None
    llm: Annotated[LlmSettings | None, Option("Its language model.")] = None
    system_prompt: Annotated[str | None, Option("The system part of its prompt.")] = None
    token_budget: Annotated[int | None, Option("Tokens for the passages of an answer or a context.", 1, MANY)] = None
    timeout: Annotated[float, Option("Seconds for each statement of the database.", 0.01, 86_400)] = 10.0
    notes: Annotated[tuple[str, ...], Option("Remarks that its listing shows.")] = ()

    def __post_init__(self) -> None:
        check_bounds(self)
        if bool(self.tables) != bool(self.database):
            raise ConfigError("a pipeline with tables needs their database, and one with a database its tables")
        if not self.tables and not self.collections:
            raise ConfigError("a pipeline needs tables of a database, or collections")
        if again := next((name for name in self.collections if self.collections.count(name) > 1), None):
            raise ConfigError(f"duplicate collection {again!r}")


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Who may come in."""

    trusted: Annotated[
        bool | None, Option("False asks everybody for a key or token; null trusts anyone who opens the store.")
    ] = None
    jwt: Annotated[JwtSettings | None, Option("Whose tokens are accepted.")] = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it. Every field is read somewhere; an unknown key is an error."""

    store: Annotated[str, Option("The store: a folder or a URL.")] = "embedded:.ragstone"
    tenant: Annotated[str, Option("The tenant.")] = "default"
    collection: Annotated[str, Option("The collection.")] = "default"
    keep_versions: Annotated[int, Option("Revisions of a document that stay.", 1, MANY)] = 1
    artifacts: Annotated[str | None, Option("Where extractions are kept, a URI.")] = None
    passwords: Annotated[tuple[str, ...], Option("Passwords that are tried on encrypted documents.")] = ()
    sources: Annotated[tuple[SourceSettings, ...], Option("The roots that `ingest` reads without an argument.")] = ()
    chunk: Annotated[ChunkSettings, Option("How documents become chunks.")] = ChunkSettings()
    embed: Annotated[EmbedSettings, Option("The embedding model.")] = EmbedSettings()
    llm: Annotated[LlmSettings, Option("The language model that writes answers.")] = LlmSettings()
    judge: Annotated[LlmSettings, Option("The language model that judges answers.")] = LlmSettings()
    answer: Annotated[AnswerSettings, Option("How answers are made.")] = AnswerSettings()
    external: Annotated[ExternalSettings, Option("Which texts may leave this machine.")] = ExternalSettings()
    offline: Annotated[bool, Option("Refuse every vendor that is not on this machine.")] = False
    limits: Annotated[LimitSettings, Option("Bounds of documents and runs.")] = LimitSettings()
    deadlines: Annotated[Deadlines, Option("Seconds for each stage of a question.")] = DEFAULT_DEADLINES
    search: Annotated[SearchSettings, Option("Defaults of a search.")] = SearchSettings()
    categories: Annotated[Mapping[str, tuple[str, ...]], Option("Categories by words of a path.")] = field(
        default_factory=dict
    )
    collections: Annotated[Mapping[str, CollectionSettings], Option("Settings of single collections.")] = field(
        default_factory=dict
    )
    pipelines: Annotated[tuple[PipelineSettings, ...], Option("Named ways to answer.", unique_names=True)] = ()
    tenants: Annotated[Mapping[str, TenantSettings], Option("Settings of single tenants.")] = field(
        default_factory=dict
    )
    encryption: Annotated[EncryptionSettings, Option("The master key of encrypted tenants.")] = EncryptionSettings()
    key: Annotated[str | None, Option("The API key or token of this user.")] = field(default=None, repr=False)
    access: Annotated[AccessSettings, Option("Keys, tokens and trust.")] = AccessSettings()

    def __post_init__(self) -> None:
        check_bounds(self)

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
