"""Settings: defaults < file < environment < arguments. The only reader of the environment.

Within the file what is said of a collection comes before what is said of its tenant, and that before what is said at
the top. What the environment or an argument says holds over all of that: for every tenant and collection, unless it
names one itself (`RAGSTONE_TENANTS__ACME__EMBED__MODEL`). `pipelines` keep what they say of themselves.

The file is `ragstone.yaml`: the one named, else the one in this folder, else the user's own. In its
values `${NAME}` and `${NAME:-default}` stand for environment variables. A key is set from the environment
as `RAGSTONE_` and its path joined by `__`: `RAGSTONE_STORE`, `RAGSTONE_SEARCH__TOP_K`.
"""

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from ragstone import configfile
from ragstone.bounds import ANSWER, EMBED, KEPT_HERE, LIMITS, LLM, PIPELINE, SEARCH, SOURCE, WHOLE, Bounds, outside
from ragstone.convert import converted, settable
from ragstone.deadlines import USUAL, Deadlines
from ragstone.errors import ConfigError
from ragstone.issuer import JwtSettings
from ragstone.pipelinefile import translated
from ragstone.types import Hyde, Json, Mode
from ragstone.vendors import VENDORS

FILE = "ragstone.yaml"
CALIBRATION = "ragstone.calibration.json"
PREFIX = "RAGSTONE_"
NAMED = ("tenants", "collections")  # groups whose entries have settings of their own
OWN = ("chunk", "embed", "keep_versions", "artifacts", "llm")  # such settings
OF_MODEL = {
    "embed": ("dimensions", "reads", "folder"),
    "llm": ("context", "tokenizer"),
    "judge": ("context", "tokenizer"),
}  # what is said of one model, and of its vendor
OF_VENDOR = ("base_url", "api_key", "api_key_file", "headers")
KEY_LENGTH = 10_000  # characters of a file that are read for a key
# Names with our prefix that are no settings: the switch below, what tests are told, and what Kubernetes sets in
# every container beside a service that is called ragstone.
RESERVED = re.compile(r"DEBUG|TEST_.*|SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_.*)?")


def _check(settings: object, bounds: Bounds) -> None:
    if wrong := outside(settings, bounds):
        raise ConfigError(wrong)


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A root to ingest. `name` is part of every document's identity; by default the folder's name."""

    path: str
    name: str | None = None
    ignore: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    hidden: bool = False

    def __post_init__(self) -> None:
        _check(self, SOURCE)


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut: a chunker's name and its own options, whole numbers all."""

    name: str = "structure"
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The embedding model (`none` for keyword search alone), its precision (`int8` is twice as fast, cosine
    .995 to `fp32`; built-in model only), and the prefix that is embedded with a chunk.

    The rest is for a vendor's model, `VENDOR/MODEL`: how it is reached (see `LlmSettings`), the dimension that its
    vectors have or shall have, the tokens that it reads, texts a request, and fastembed's folder with its files.
    """

    model: str = "minilm"
    precision: Literal["fp32", "int8"] = "fp32"
    prefix: Literal["title", "path", "none"] = "title"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_file: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    dimensions: int | None = None
    reads: int | None = None
    batch: int = 32
    folder: str | None = None
    timeout: float = 30.0
    total: float = 120.0
    retries: int = 3

    def __post_init__(self) -> None:
        _check(self, EMBED)


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model that writes answers, or the one that judges them: as `VENDOR/MODEL`, `none` for answers that
    quote; its address, where that is not the vendor's own; its key, the file that holds it (else it is looked for in
    the vendor's environment variable) and headers.

    Seconds for an attempt until its next piece, for all together, and how many more attempts there are; how much it may
    write, how free, how many tokens it reads and writes together, where that is known, and the file of its tokenizer.
    """

    model: str = "none"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_file: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30.0
    total: float = 120.0
    retries: int = 3
    max_tokens: int = 800
    temperature: float = 0.0
    context: int | None = None
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        _check(self, LLM)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a language model is asked for an answer: its prompt by name or file, tokens for all that it is told, those of
    them that passages leave free, passages at most, and whether only what is supported is shown.

    What decides between an answer and an abstention: the fitted model, company's thresholds on rerank and RRF scores,
    or nothing; and the file of a decision fitted on own questions (null: the one beside the configuration, none:
    the shipped decision).
    """

    prompt: str = "default"
    tokens: int = 6000
    overhead: int = 1000
    chunks: int = 12
    strict: bool = False
    abstain: Literal["fitted", "company", "never"] = "fitted"
    calibration: str | None = None

    def __post_init__(self) -> None:
        _check(self, ANSWER)
        if self.overhead >= self.tokens:
            raise ConfigError(f"answer.overhead {self.overhead} leaves nothing of answer.tokens {self.tokens}")


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    """What may leave this machine: the texts of documents and questions, to have them embedded."""

    embedding: bool = False


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
        _check(self, LIMITS)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How passages are found; see docs/how-to/search.md for each."""

    mode: Mode = "hybrid"
    top_k: int = 10
    fusion: Literal["rrf", "minmax"] = "minmax"
    fusion_at: Literal["client", "server"] = "client"
    bm25_weight: float = 0.4
    cosine_weight: float = 0.6
    min_cosine: float | None = None
    keyword_boost: bool = False
    fold: bool = True
    per_document: int | None = None
    hyde: Hyde = "off"
    hyde_documents: int | None = None
    hyde_below: float = 0.5
    multi_query: int = 0
    filter: bool = False
    filter_below: float = 0.5
    cache: bool = False
    cache_cosine: float = 0.9
    cache_hours: float = 24.0
    cache_entries: int = 1000

    def __post_init__(self) -> None:
        _check(self, SEARCH)


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What differs in one collection: its own sources, never those at the top; the rest, where null, as there."""

    sources: tuple[SourceSettings, ...] = ()
    chunk: ChunkSettings | None = None
    embed: EmbedSettings | None = None
    keep_versions: int | None = None
    artifacts: str | None = None

    def __post_init__(self) -> None:
        _check(self, KEPT_HERE)


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
        _check(self, PIPELINE)
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
    deadlines: Deadlines = USUAL
    search: SearchSettings = SearchSettings()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    collections: Mapping[str, CollectionSettings] = field(default_factory=dict)
    pipelines: tuple[PipelineSettings, ...] = ()
    tenants: Mapping[str, TenantSettings] = field(default_factory=dict)
    encryption: EncryptionSettings = EncryptionSettings()
    key: str | None = field(default=None, repr=False)
    access: AccessSettings = AccessSettings()

    def __post_init__(self) -> None:
        _check(self, WHOLE)

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

    def quoting(self) -> "Settings":
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


def load(path: str | Path | None = None, **arguments: Any) -> Settings:
    """The settings of a configuration file, the environment and arguments (None means: not given).

    Raises `ConfigError` that names the file or the variable, the key and the nearest key that exists.
    """
    file = _find(path)
    data = configfile.read(file, os.environ.get) if file else {}
    settings = _settings(data, str(file))
    given = [(name.split("__"), value) for name, value in arguments.items() if value is not None]
    layers = (("environment", _environment()), ("arguments", given))
    for group, of_model in OF_MODEL.items():
        for model in [str(value) for _, layer in layers for keys, value in layer if keys == [group, "model"]][-1:]:
            for place in (data, *_owners(data)):
                _outranked(place.get(group), model, of_model)
    for origin, layer in layers:
        alone: Json = {}
        for keys, value in sorted(layer, key=lambda one: one[0][0] in NAMED):
            _put(alone, keys, value)
            _put(data, keys, value)
            for owner in _owners(data):
                if keys[0] in OWN and owner.get(keys[0]) is not None:
                    _put(owner, keys, value)
        if alone:
            _settings(alone, origin)  # alone, so that an error names where it comes from
            settings = _settings(data, origin)
    beside = calibration_of(path)
    if settings.answer.calibration is None and os.path.isfile(beside):
        return replace(settings, answer=replace(settings.answer, calibration=str(beside)))
    return settings


def calibration_of(path: str | Path | None = None) -> Path:
    """Where the calibration stands that nobody named: beside the configuration file, else in this folder."""
    file = _find(path)
    return (file.parent if file else Path()) / CALIBRATION


def _owners(data: Json) -> list[Json]:
    """Every entry that says of one tenant or collection what else holds for all."""
    tenants = _entries(data.get("tenants"))
    return [*tenants, *_entries(data.get("collections")), *(c for t in tenants for c in _entries(t.get("collections")))]


def _entries(group: Any) -> list[Json]:
    return [entry for entry in group.values() if isinstance(entry, dict)] if isinstance(group, dict) else []


def _outranked(group: Any, model: str, of_model: Sequence[str]) -> None:
    """What a file says of its own model is nothing to another one that is named over it, least of all the key."""
    named = group.get("model") if isinstance(group, dict) else None
    if not isinstance(named, str) or "/" not in named or named == model:
        return
    same_vendor = named.partition("/")[0] == model.partition("/")[0]
    for key in of_model if same_vendor else (*of_model, *OF_VENDOR):
        group.pop(key, None)


def _settings(data: Json, origin: str) -> Settings:
    ours = [tuple(one.name for one in fields(kind)) for kind in (PipelineSettings, SearchSettings)]
    return converted(translated(_with_embedding(data), *ours, origin=origin), Settings, origin=origin)


def _with_embedding(data: Json) -> Json:
    """The same with the language model's vendor for embedding too, where that is allowed and no model is named."""
    llm, embed, external = (data.get(name) or {} for name in ("llm", "embed", "external"))
    if not all(isinstance(group, dict) for group in (llm, embed, external)) or "model" in embed:
        return data
    vendor = VENDORS.get(str(llm.get("model")).partition("/")[0])
    if vendor is None or vendor.embedding is None or str(external.get("embedding")).lower() not in ("true", "1"):
        return data
    same = {key: llm[key] for key in ("base_url", "api_key", "api_key_file", "headers") if key in llm}
    return {**data, "embed": {**same, "model": f"{vendor.name}/{vendor.embedding}", **embed}}


def key_of(group: str, wanted: LlmSettings | EmbedSettings, variable: str | None) -> str | None:
    """The key for a vendor: the one that is set, else what the file holds, else the environment variable, else None.

    Raises `ConfigError` for a file that cannot be read or holds none.
    """
    if wanted.api_key:
        return wanted.api_key.strip()
    if wanted.api_key_file:
        try:
            with Path(wanted.api_key_file).expanduser().open(encoding="utf-8") as file:
                key = file.read(KEY_LENGTH).strip()
        except (OSError, UnicodeDecodeError, RuntimeError) as error:
            raise ConfigError(f"{group}.api_key_file {wanted.api_key_file} cannot be read: {error}") from error
        if not key or len(key.split()) > 1:
            raise ConfigError(f"{group}.api_key_file {wanted.api_key_file} must hold a key and nothing else")
        return key
    return (os.environ.get(variable, "").strip() or None) if variable else None


def _find(path: str | Path | None) -> Path | None:
    """The file that is named, else the first of the places that holds one."""
    home = os.path.expanduser(os.environ.get("XDG_CONFIG_HOME") or "~/.config")  # stays as it is for who has no home
    places = [Path(FILE), Path(home, "ragstone", FILE)] if path is None else [Path(path)]
    file = next((file for file in places if _stands(file, named=path is not None)), None)
    if path is not None and (file is None or not str(path)):
        raise ConfigError(f"configuration file {str(path) or repr('')} does not exist")
    if file is not None and os.path.isdir(file):
        raise ConfigError(f"configuration file {file} is a folder: name a file, or call the folder otherwise")
    return file


def _stands(file: Path, *, named: bool) -> bool:
    """Whether there is such a file; one that nobody named and this user may not look for is as good as none."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        if named:
            raise ConfigError(f"configuration file {file} cannot be reached: {error.strerror}") from error
        return False
    return True


def _environment() -> list[tuple[list[str], str]]:
    """What the environment sets: keys and value. Raises `ConfigError` for a name that sets nothing."""
    ours = sorted((name.removeprefix(PREFIX), value) for name, value in os.environ.items() if name.startswith(PREFIX))
    known = settable(Settings)
    found = []
    for name, value in ours:
        if RESERVED.fullmatch(name.upper()):
            continue
        keys = name.lower().split("__")
        if not any(
            keys[: len(known_keys)] == known_keys and (open_ or keys == known_keys) for known_keys, open_ in known
        ):
            names = ["__".join(known_keys).upper() for known_keys, _ in known]
            near = difflib.get_close_matches(name.upper(), names, n=1, cutoff=0)
            raise ConfigError(f"environment: {PREFIX}{name} sets nothing; did you mean {PREFIX}{near[0]}?")
        found.append((keys, value))
    return found


def _put(data: Json, keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        data[key] = {} if data.get(key) is None else data[key]
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigError(f"{'.'.join(keys)} cannot be set: {key} is no group of settings")
    data[keys[-1]] = value


def debugging() -> bool:
    """Whether tracebacks are wanted: RAGSTONE_DEBUG is set, and to something else than no."""
    return os.environ.get(f"{PREFIX}DEBUG", "").strip().lower() not in ("", "0", "false", "no", "off")
