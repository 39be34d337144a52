"""Settings: defaults < file < environment < arguments. The only reader of the environment.

Within the file, settings of a collection override those of its tenant, which override those at the top. The environment
and arguments override them all: for every tenant and collection, unless it names one itself
(`RAGSTONE_TENANTS__ACME__EMBED__MODEL`). `pipelines` keep their own settings.

The file is `ragstone.yaml`: the one named, else the one in this folder, else the user's own. In its
values `${NAME}` and `${NAME:-default}` stand for environment variables. A key is set from the environment
as `RAGSTONE_` and its path joined by `__`: `RAGSTONE_STORE`, `RAGSTONE_SEARCH__TOP_K`.
"""

import difflib
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ragstone.config import yaml_file
from ragstone.config.convert import convert_data, list_settable
from ragstone.config.model_settings import FORMER_RULES, EmbedSettings, LlmSettings, RerankSettings
from ragstone.config.pgedge import translate_pipelines
from ragstone.config.settings import PipelineSettings, SearchSettings, Settings
from ragstone.config.vendors import VENDORS
from ragstone.core.errors import ConfigError
from ragstone.core.types import Json

log = logging.getLogger("ragstone")

CONFIG_FILE = "ragstone.yaml"
CALIBRATION_FILE = "ragstone.calibration.json"
PREFIX = "RAGSTONE_"
NAMED_GROUPS = ("tenants", "collections")  # groups whose entries have settings of their own
OVERRIDABLE = ("chunk", "embed", "keep_versions", "artifacts", "llm", "rerank")  # such settings
MODEL_KEYS = {
    "embed": ("dimensions", "reads", "folder"),
    "llm": ("context", "tokenizer"),
    "judge": ("context", "tokenizer"),
    "rerank": ("folder", "scores", "reads"),
}  # what is said of one model, and of its vendor
VENDOR_KEYS = ("base_url", "api_key", "api_key_file", "headers")
KEY_LENGTH = 10_000  # characters of a file that are read for a key
# Names with our prefix that are no settings: the switch below, what tests are told, and what Kubernetes sets in
# every container beside a service that is called ragstone.
RESERVED = re.compile(r"DEBUG|TEST_.*|SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_.*)?")


ignored_variables: list[str] = []
"""A sentence for each variable that was ignored; a program that shows no log takes them out and shows them."""


def load(path: str | Path | None = None, **arguments: Any) -> Settings:
    """The settings of a configuration file, the environment and arguments (None means: not given).

    Raises `ConfigError` that names the file or the variable, the key and the nearest key that exists.
    """
    file, data = read_file(path)
    settings = _parse_settings(data, str(file))
    given = [(name.split("__"), value) for name, value in arguments.items() if value is not None]
    layers = (("environment", read_environment()), ("arguments", given))
    for group, of_model in MODEL_KEYS.items():
        for model in [str(value) for _, layer in layers for keys, value in layer if keys == [group, "model"]][-1:]:
            for place in (data, *_list_owners(data)):
                _drop_outranked(place.get(group), model, of_model)
    for origin, layer in layers:
        alone: Json = {}
        for keys, value in sorted(layer, key=lambda one: one[0][0] in NAMED_GROUPS):
            _set_value(alone, keys, value)
            _set_value(data, keys, value)
            for owner in _list_owners(data):
                if keys[0] in OVERRIDABLE and owner.get(keys[0]) is not None:
                    _set_value(owner, keys, value)
        if alone:
            _parse_settings(alone, origin)  # alone, so that an error names where it comes from
            settings = _parse_settings(data, origin)
    beside = default_calibration_path(path)
    if settings.answer.calibration is None and os.path.isfile(beside):
        return replace(settings, answer=replace(settings.answer, calibration=str(beside)))
    return settings


def read_file(path: str | Path | None = None) -> tuple[Path | None, Json]:
    """The configuration file in force and its data with variables filled in; None and {} where there is no file.

    Raises `ConfigError` as `load` does.
    """
    file = _find_file(path)
    return file, yaml_file.read_yaml(file, os.environ.get) if file else {}


def default_calibration_path(path: str | Path | None = None) -> Path:
    """The default place of the calibration: beside the configuration file, else in this folder."""
    file = _find_file(path)
    return (file.parent if file else Path()) / CALIBRATION_FILE


def _list_owners(data: Json) -> list[Json]:
    """Every entry that says of one tenant or collection what else holds for all."""
    tenants = _group_entries(data.get("tenants"))
    return [
        *tenants,
        *_group_entries(data.get("collections")),
        *(c for t in tenants for c in _group_entries(t.get("collections"))),
    ]


def _group_entries(group: Any) -> list[Json]:
    return [entry for entry in group.values() if isinstance(entry, dict)] if isinstance(group, dict) else []


def _drop_outranked(group: Any, model: str, of_model: Sequence[str]) -> None:
    """Drop the file's settings of its own model, its key above all, when another model overrides it."""
    named = group.get("model") if isinstance(group, dict) else None
    if not isinstance(named, str) or "/" not in named or named == model:
        return
    same_vendor = named.partition("/")[0] == model.partition("/")[0]
    for key in of_model if same_vendor else (*of_model, *VENDOR_KEYS):
        group.pop(key, None)


def _parse_settings(data: Json, origin: str) -> Settings:
    ours = [tuple(one.name for one in fields(kind)) for kind in (PipelineSettings, SearchSettings)]
    data = _add_embedding_model(_replace_former_rule(data))
    return convert_data(translate_pipelines(data, *ours, origin=origin), Settings, origin=origin)


def _replace_former_rule(data: Json) -> Json:
    """The configuration with the current name of the rule `answer.abstain`."""
    answer = data.get("answer")
    rule = FORMER_RULES.get(str(answer.get("abstain"))) if isinstance(answer, dict) else None
    return data if rule is None or not isinstance(answer, dict) else {**data, "answer": {**answer, "abstain": rule}}


def _add_embedding_model(data: Json) -> Json:
    """The configuration with the language model's vendor for embedding too, if that is allowed and no model is
    named."""
    llm, embed, external = (data.get(name) or {} for name in ("llm", "embed", "external"))
    if not all(isinstance(group, dict) for group in (llm, embed, external)) or "model" in embed:
        return data
    vendor = VENDORS.get(str(llm.get("model")).partition("/")[0])
    if vendor is None or vendor.embedding is None or str(external.get("embedding")).lower() not in ("true", "1"):
        return data
    same = {key: llm[key] for key in ("base_url", "api_key", "api_key_file", "headers") if key in llm}
    return {**data, "embed": {**same, "model": f"{vendor.name}/{vendor.embedding}", **embed}}


def read_api_key(group: str, wanted: LlmSettings | EmbedSettings | RerankSettings, variable: str | None) -> str | None:
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
            raise ConfigError(
                f"{group}.api_key_file {wanted.api_key_file}: expected a file that holds a key and nothing else"
            )
        return key
    return (os.environ.get(variable, "").strip() or None) if variable else None


def _find_file(path: str | Path | None) -> Path | None:
    """The file that is named, else the first of the places that holds one."""
    home = os.path.expanduser(os.environ.get("XDG_CONFIG_HOME") or "~/.config")  # stays as it is for who has no home
    places = [Path(CONFIG_FILE), Path(home, "ragstone", CONFIG_FILE)] if path is None else [Path(path)]
    file = next((file for file in places if _is_present(file, named=path is not None)), None)
    if path is not None and (file is None or not str(path)):
        raise ConfigError(f"configuration file {str(path) or repr('')} does not exist")
    if file is not None and os.path.isdir(file):
        raise ConfigError(f"configuration file {file} is a folder: name a file, or rename the folder")
    return file


def _is_present(file: Path, *, named: bool) -> bool:
    """Whether there is such a file; an unnamed one that this user may not read counts as absent."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        if named:
            raise ConfigError(f"configuration file {file} cannot be reached: {error.strerror}") from error
        return False
    return True


def set_for_children(name: str, value: str) -> None:
    """Set a variable for the processes that this one starts: some libraries are told in no other way."""
    os.environ[name] = value


def read_environment() -> list[tuple[list[str], str]]:
    """The settings of the environment: keys and value. Raises `ConfigError` for an unknown setting of a group; any
    other unknown variable may be another program's, and gives a warning."""
    ours = sorted((name.removeprefix(PREFIX), value) for name, value in os.environ.items() if name.startswith(PREFIX))
    known = list_settable(Settings)
    found = []
    for name, value in ours:
        if RESERVED.fullmatch(name.upper()):
            continue
        keys = name.lower().split("__")
        if not any(
            keys[: len(known_keys)] == known_keys and (open_ or keys == known_keys) for known_keys, open_ in known
        ):
            names = ["__".join(known_keys).upper() for known_keys, _ in known]
            of_group = [one for one in names if one.partition("__")[0] == keys[0].upper()]
            near = difflib.get_close_matches(name.upper(), of_group or names, n=1, cutoff=0)
            said = f"environment: unknown setting {PREFIX}{name}; did you mean {PREFIX}{near[0]}?"
            if len(keys) > 1 or any(keys[0] == known_keys[0] for known_keys, _ in known):
                raise ConfigError(said)
            _warn(f"{said} Ragstone ignores it")
            continue
        found.append((keys, value))
    return found


def _warn(message: str) -> None:
    if message not in ignored_variables:
        ignored_variables.append(message)
    _log_once(message)


@cache
def _log_once(message: str) -> None:
    log.warning(message)


def _set_value(data: Json, keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        data[key] = {} if data.get(key) is None else data[key]
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigError(f"cannot set {'.'.join(keys)}: {key} is not a group of settings")
    data[keys[-1]] = value


class TraceEnvironment(NamedTuple):
    """The variables of OpenTelemetry: whether traces are off, whether a receiver is named, and how they are sent."""

    disabled: bool
    has_receiver: bool
    exporter: str
    protocol: str


def read_trace_environment() -> TraceEnvironment:
    """The variables that the SDK leaves to programs; it reads the others itself."""
    get = os.environ.get
    exporter = get("OTEL_TRACES_EXPORTER", "").strip().lower()
    disabled = get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none"
    named = any(get(name, "").strip() for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
    protocol = get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or get("OTEL_EXPORTER_OTLP_PROTOCOL") or ""
    return TraceEnvironment(disabled, named or exporter in ("otlp", "console"), exporter, protocol.strip().lower())


def is_color_wanted() -> bool:
    """Whether a terminal may be sent colours: not where NO_COLOR is set, and not to a dumb one."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_debugging() -> bool:
    """Whether tracebacks are wanted: RAGSTONE_DEBUG is set, and to something else than no."""
    return os.environ.get(f"{PREFIX}DEBUG", "").strip().lower() not in ("", "0", "false", "no", "off")
