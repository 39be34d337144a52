"""Settings: defaults < file < environment < arguments. The only reader of the environment.

The file is `ragstone.yaml`: the one named, else the one in this folder, else the user's own. In it
`${NAME}` and `${NAME:-default}` stand for environment variables. A key is set from the environment
as `RAGSTONE_` and its path joined by `__`: `RAGSTONE_STORE`, `RAGSTONE_SEARCH__TOP_K`.
"""

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_type_hints

from ragstone.errors import ConfigError
from ragstone.types import Json, Mode

FILE = "ragstone.yaml"
PREFIX = "RAGSTONE_"
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A root to ingest. `name` is part of every document's identity; by default the folder's name."""

    path: str = ""
    name: str | None = None
    ignore: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut: a chunker's name and its own options."""

    name: str = "structure"
    options: Mapping[str, Any] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What differs in one collection; null means: as at the top."""

    sources: tuple[SourceSettings, ...] = ()
    chunk: ChunkSettings | None = None
    embed: EmbedSettings | None = None
    keep_versions: int | None = None


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

    Raises `ConfigError` that names the file, the key and the nearest key that exists.
    """
    file = _find(path)
    data = _read(file) if file else {}
    where = str(file) if file else "environment"
    for key, value in _environment().items():
        _put(data, key, value)
    for name, value in arguments.items():
        if value is not None:
            _put(data, name.split("__"), value)
    settings: Settings = _convert(data, Settings, "", where)
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
        data = yaml.safe_load(_filled(file.read_text(encoding="utf-8"), str(file)))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file} cannot be read: {' '.join(str(error).split())}") from error
    if data is not None and not isinstance(data, dict):
        raise ConfigError(f"{file} must be a mapping of keys, such as `store: embedded:.ragstone`")
    return data or {}


def _filled(text: str, file: str) -> str:
    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1], match[2])
        if found is None:
            raise ConfigError(f"{file}: environment variable {match[1]} is not set and has no default")
        return found

    return VARIABLE.sub(value, text)


def _environment() -> dict[tuple[str, ...], str]:
    return {
        tuple(name[len(PREFIX) :].lower().split("__")): value
        for name, value in sorted(os.environ.items())
        if name.startswith(PREFIX) and name[len(PREFIX) :].split("__")[0].lower() in {f.name for f in fields(Settings)}
    }


def _put(data: Json, keys: tuple[str, ...] | list[str], value: Any) -> None:
    for key in keys[:-1]:
        data[key] = {} if data.get(key) is None else data[key]
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigError(f"{'.'.join(keys)} cannot be set: {key} is no group of settings")
    data[keys[-1]] = value


def _convert(data: Any, kind: Any, path: str, where: str) -> Any:
    """Plain data as the dataclass `kind`, every key checked by name and every value by type."""
    import msgspec

    if not isinstance(data, dict):
        raise ConfigError(f"{where}: {path or 'the file'} must be a mapping of keys")
    hints = get_type_hints(kind)
    values = {}
    for key, value in data.items():
        full = f"{path}.{key}" if path else str(key)
        if key not in hints:
            near = difflib.get_close_matches(str(key), hints, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(hints)}"
            raise ConfigError(f"{where}: unknown key {full}{hint}")
        values[key] = _value(value, hints[key], full, where)
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {path or 'settings'}: {error}") from error


def _value(value: Any, kind: Any, path: str, where: str) -> Any:
    """Nested dataclasses are converted here (for the names in messages), all else by msgspec later."""
    inner = _dataclass_in(kind)
    if inner is None or value is None:
        return value
    if isinstance(value, list | tuple):
        return tuple(_convert(_source(item, inner), inner, f"{path}[{i}]", where) for i, item in enumerate(value))
    if str(kind).startswith("collections.abc.Mapping"):
        return {name: _convert(item or {}, inner, f"{path}.{name}", where) for name, item in dict(value).items()}
    return _convert(value, inner, path, where)


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
