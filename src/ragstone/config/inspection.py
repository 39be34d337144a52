"""The settings in force, each with where it comes from; a starter file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from ragstone.config.environment import PREFIX, read_environment
from ragstone.config.load import choose_preset, load, read_file
from ragstone.config.settings import Settings

HIDDEN_VALUE = "***"
DEFAULT = "default"
STARTER = """\
# Ragstone's settings. Every line is optional; `ragstone config show` prints all settings and where they come from.
# ${NAME} stands for an environment variable, ${NAME:-text} gives it a default.

# Where the collections lie: a folder, or postgresql://USER@HOST/DATABASE, or qdrant://HOST:6334
store: embedded:.ragstone

# What `ragstone ingest` reads when it is called without a path.
sources:
  - path: docs
    # ignore: ["drafts/**"]      # beside what .gitignore and .ragstoneignore name
    # deny: ["private/**"]       # never opened

# The embedding model. The built-in one runs on this machine and needs no key.
# embed:
#   model: ollama/nomic-embed-text
# Texts of documents go to a vendor elsewhere only if this says so:
# external:
#   embedding: true

# A language model that writes answers. Without one, Ragstone quotes the documents.
# llm:
#   model: ollama/llama3.2
#   api_key: ${API_KEY:-}

search:
  top_k: 10

# answer:
#   abstain: fitted              # or never, or thresholds
"""


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """A setting in force: its key, its value (of a secret only whether it is set), and its origin: `default`, the
    configuration file, an environment variable, or `option`."""

    key: str
    value: Any
    origin: str


def list_settings(path: str | Path | None = None, **arguments: Any) -> list[ShownSetting]:
    """Every setting in force, in the order of the documentation. Raises `ConfigError` as `load` does."""
    settings = load(path, **arguments)
    file, data = read_file(path)
    preset = choose_preset(data, **arguments)
    origins = dict.fromkeys(_flatten(preset.settings), f"preset {preset.name}") if preset else {}
    origins |= dict.fromkeys(_flatten(data), str(file))
    origins |= {".".join(keys): PREFIX + "__".join(keys).upper() for keys, _ in read_environment()}
    origins |= {name.replace("__", "."): "option" for name, value in arguments.items() if value is not None}
    return [
        ShownSetting(key, value, _find_origin(key, value, origins, str(file))) for key, value in _list_values(settings)
    ]


def _list_values(settings: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for field in fields(settings):
        key, value = f"{path}{field.name}", getattr(settings, field.name)
        if is_dataclass(value) and not isinstance(value, type):
            yield from _list_values(value, f"{key}.")
        elif not field.repr and value:
            yield key, HIDDEN_VALUE
        else:
            yield key, show_value(value)


def show_value(value: Any) -> Any:
    """A value as plain data, without fields that are secret or as they are by default."""
    if is_dataclass(value) and not isinstance(value, type):
        changed = [field for field in fields(value) if getattr(value, field.name) != field.default]
        return {
            field.name: show_value(getattr(value, field.name)) if field.repr else HIDDEN_VALUE
            for field in changed
            if getattr(value, field.name) not in (None, (), {})
        }
    if isinstance(value, Mapping):
        return {str(name): show_value(item) for name, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [show_value(item) for item in value]
    return value


def _find_origin(key: str, value: Any, origins: Mapping[str, str], file: str) -> str:
    if key in origins:
        return origins[key]
    below = [origin for name, origin in origins.items() if name.startswith(f"{key}.")]
    if below:
        return below[-1]
    default = dict(_list_values(Settings()))
    return DEFAULT if default.get(key) == value else f"follows from {file}" if file != "None" else "follows"


def _flatten(data: Any, path: str = "") -> Iterator[str]:
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        full = f"{path}{key}"
        yield full
        yield from _flatten(value, f"{full}.")
