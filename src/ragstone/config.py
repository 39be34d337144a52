"""Settings: defaults < file < environment < arguments. The only reader of the environment.

The file is `ragstone.yaml`: the one named, else the one in this folder, else the user's own. In its
values `${NAME}` and `${NAME:-default}` stand for environment variables. A key is set from the environment
as `RAGSTONE_` and its path joined by `__`: `RAGSTONE_STORE`, `RAGSTONE_SEARCH__TOP_K`.
"""

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_origin, get_type_hints

from ragstone.bounds import KEPT, KEPT_HERE, LIMITS, SEARCH, SOURCE, Bounds, outside
from ragstone.errors import ConfigError
from ragstone.types import Json, Mode

FILE = "ragstone.yaml"
PREFIX = "RAGSTONE_"
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
MARK = re.compile("\ue000(\\d+)\ue001")  # what stands for a variable while the file is parsed
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
    .995 to `fp32`), and the prefix that is embedded with a chunk."""

    model: str = "minilm"
    precision: Literal["fp32", "int8"] = "fp32"
    prefix: Literal["title", "path", "none"] = "title"


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Bytes of a text document, chunks of a document (null: no limit), the share of a source's documents
    that a run may remove unasked."""

    text_bytes: int = 10_000_000
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
    bm25_weight: float = 0.4
    cosine_weight: float = 0.6
    min_cosine: float | None = None
    keyword_boost: bool = False
    fold: bool = True
    per_document: int | None = None

    def __post_init__(self) -> None:
        _check(self, SEARCH)


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What differs in one collection: its own sources, never those at the top; the rest, where null, as there."""

    sources: tuple[SourceSettings, ...] = ()
    chunk: ChunkSettings | None = None
    embed: EmbedSettings | None = None
    keep_versions: int | None = None

    def __post_init__(self) -> None:
        _check(self, KEPT_HERE)


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it. Every field is read somewhere; an unknown key is an error."""

    store: str = "embedded:.ragstone"
    tenant: str = "default"
    collection: str = "default"
    keep_versions: int = 1
    sources: tuple[SourceSettings, ...] = ()
    chunk: ChunkSettings = ChunkSettings()
    embed: EmbedSettings = EmbedSettings()
    limits: LimitSettings = LimitSettings()
    search: SearchSettings = SearchSettings()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    collections: Mapping[str, CollectionSettings] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self, KEPT)

    def of(self, collection: str) -> "Settings":
        """These settings as they hold in one collection."""
        own = self.collections.get(collection)
        if own is None:
            return replace(self, collection=collection)
        return replace(
            self,
            collection=collection,
            sources=own.sources,
            chunk=own.chunk or self.chunk,
            embed=own.embed or self.embed,
            keep_versions=own.keep_versions or self.keep_versions,
        )


def load(path: str | Path | None = None, **arguments: Any) -> Settings:
    """The settings of a configuration file, the environment and arguments (None means: not given).

    Raises `ConfigError` that names the file or the variable, the key and the nearest key that exists.
    """
    file = _find(path)
    data = _read(file) if file else {}
    settings: Settings = _convert(data, Settings, "", str(file))
    given = [(name.split("__"), value) for name, value in arguments.items() if value is not None]
    for origin, layer in (("environment", _environment()), ("arguments", given)):
        alone: Json = {}
        for keys, value in layer:
            _put(alone, keys, value)
            _put(data, keys, value)
        if alone:
            _convert(alone, Settings, "", origin)  # alone, so that an error names where it comes from
            settings = _convert(data, Settings, "", origin)
    return settings


def _find(path: str | Path | None) -> Path | None:
    if path is not None:
        if not Path(path).is_file():
            raise ConfigError(f"configuration file {path} does not exist")
        return Path(path)
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser())
    return next((file for file in (Path(FILE), home / "ragstone" / FILE) if file.is_file()), None)


def _read(file: Path) -> Json:
    import yaml

    try:
        text = file.read_text(encoding="utf-8")
        if MARK.search(text):
            raise ValueError("it holds the private characters U+E000 and U+E001")
        variables = [match.groups() for match in VARIABLE.finditer(text)]
        # A mark in place of each, so that no value of a variable is ever read as YAML.
        number = iter(range(len(variables)))
        data = yaml.safe_load(VARIABLE.sub(lambda _: f"\ue000{next(number)}\ue001", text))
        data = _filled(data, variables, str(file))
    except (yaml.YAMLError, ValueError, RecursionError, OSError) as error:
        raise ConfigError(f"{file} cannot be read: {' '.join(str(error).split())}") from error
    if data is not None and not isinstance(data, dict):
        raise ConfigError(f"{file} must be a mapping of keys, such as `store: embedded:.ragstone`")
    return data or {}


def _filled(data: Any, variables: Sequence[tuple[str | None, ...]], file: str) -> Any:
    """Parsed data with its variables filled in. A value that is one empty variable is null."""

    def value(match: re.Match[str]) -> str:
        name, default = variables[int(match[1])]
        found = os.environ.get(str(name), default)
        if found is None:
            raise ConfigError(f"{file}: environment variable {name} is not set and has no default")
        return found

    if isinstance(data, dict):
        if key := next((key for key in data if isinstance(key, str) and MARK.search(key)), None):
            raise ConfigError(f"{file}: {MARK.sub('${…}', key)}: variables may stand in values, not in keys")
        return {key: _filled(item, variables, file) for key, item in data.items()}
    if isinstance(data, list):
        return [_filled(item, variables, file) for item in data]
    if not isinstance(data, str):
        return data
    return MARK.sub(value, data) or (None if MARK.fullmatch(data) else "")


def _environment() -> list[tuple[list[str], str]]:
    """What the environment sets: keys and value. Raises `ConfigError` for a name that sets nothing."""
    ours = sorted((name.removeprefix(PREFIX), value) for name, value in os.environ.items() if name.startswith(PREFIX))
    known = _settable(Settings)
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


def _settable(kind: Any) -> list[tuple[list[str], bool]]:
    """The keys of every setting, and whether more keys may follow them."""
    found = []
    for name, hint in get_type_hints(kind).items():
        if isinstance(hint, type) and is_dataclass(hint):
            found += [([name, *keys], more) for keys, more in _settable(hint)]
        else:
            found.append(([name], _is_mapping(hint)))
    return found


def _put(data: Json, keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        data[key] = {} if data.get(key) is None else data[key]
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigError(f"{'.'.join(keys)} cannot be set: {key} is no group of settings")
    data[keys[-1]] = value


def _convert(data: Any, kind: Any, path: str, where: str) -> Any:
    """Plain data as the dataclass `kind`, every key checked by name, every value by type and bounds."""
    import msgspec

    _must_be(dict, data, path or "the file", where)
    hints = get_type_hints(kind)
    values = {}
    for key, value in data.items():
        full = f"{path}.{key}" if path else str(key)
        if key not in hints:
            near = difflib.get_close_matches(str(key), hints, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(hints)}"
            raise ConfigError(f"{where}: unknown key {full}{hint}")
        if value is None and (is_dataclass(hints[key]) or get_origin(hints[key]) in (tuple, Mapping)):
            continue  # a group of which nothing is set
        values[key] = _value(value, hints[key], full, where)
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {path or 'settings'}: {error}") from error
    except ConfigError as error:  # out of bounds
        raise ConfigError(f"{where}: {path}{'.' if path else ''}{error}") from error


def _value(value: Any, kind: Any, path: str, where: str) -> Any:
    """Nested dataclasses are converted here (for the names in messages), all else by msgspec later."""
    inner = _dataclass_in(kind)
    if inner is None or value is None:
        return value
    if get_origin(kind) is tuple:
        items = _must_be((list, tuple), value, path, where)
        return tuple(_convert(_source(item, inner), inner, f"{path}[{i}]", where) for i, item in enumerate(items))
    if _is_mapping(kind):
        items = _must_be(dict, value, path, where).items()
        return {name: _convert({} if item is None else item, inner, f"{path}.{name}", where) for name, item in items}
    return _convert(value, inner, path, where)


def _must_be(kind: Any, value: Any, path: str, where: str) -> Any:
    if not isinstance(value, kind):
        raise ConfigError(f"{where}: {path} must be a {'mapping of keys' if kind is dict else 'list'}")
    return value


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) is Mapping


def _source(item: Any, kind: Any) -> Any:
    """A source may be written as its path alone."""
    return {"path": item} if kind is SourceSettings and isinstance(item, str) else item


def _dataclass_in(kind: Any) -> Any:
    """The dataclass that a type is or holds."""
    if isinstance(kind, type) and is_dataclass(kind):
        return kind
    return next((found for part in getattr(kind, "__args__", ()) if (found := _dataclass_in(part))), None)


def debugging() -> bool:
    """Whether tracebacks are wanted (RAGSTONE_DEBUG)."""
    return bool(os.environ.get(f"{PREFIX}DEBUG"))
