"""Settings: defaults < file < environment < arguments.

Within the file, settings of a collection override those of its tenant, which override those at the top. The environment
and arguments override them all: for every tenant and collection, unless it names one itself
(`RAGSTONE_TENANTS__ACME__EMBED__MODEL`). `pipelines` keep their own settings.

The file is `ragstone.yaml`: the one named, else the one in this folder, else the user's own. In its
values `${NAME}` and `${NAME:-default}` stand for environment variables. A key is set from the environment
as `RAGSTONE_` and its path joined by `__`: `RAGSTONE_STORE`, `RAGSTONE_SEARCH__TOP_K`.
"""

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ragstone.config import yaml_file
from ragstone.config.convert import convert_data
from ragstone.config.environment import PREFIX, get_variable, read_environment, warn_once
from ragstone.config.layers import MODEL_KEYS, drop_outranked, put_over
from ragstone.config.model_settings import FORMER_RULES, EmbedSettings, LlmSettings, RerankSettings, SparseSettings
from ragstone.config.nadir import translate_notes
from ragstone.config.pgedge import translate_pipelines
from ragstone.config.presets import Preset, find_preset, list_stand_ins
from ragstone.config.profiles import DEFAULT_PROFILE, apply_profiles, find_profile
from ragstone.config.settings import PipelineSettings, SearchSettings, Settings
from ragstone.config.vendors import VENDORS
from ragstone.core.errors import ConfigError
from ragstone.core.types import Json

ENVIRONMENT = "environment"
CONFIG_FILE = "ragstone.yaml"
CALIBRATION_FILE = "ragstone.calibration.json"
NAMED_GROUPS = ("tenants", "collections")  # groups whose entries have settings of their own
OVERRIDABLE = ("chunk", "embed", "keep_versions", "artifacts", "llm", "rerank")  # such settings
KEY_LENGTH = 10_000  # characters of a file that are read for a key


def load(path: str | Path | None = None, **arguments: Any) -> Settings:
    """The settings of a configuration file, the environment and arguments (None means: not given).

    Raises `ConfigError` that names the file or the variable, the key and the nearest key that exists.
    """
    file, data = read_file(path)
    given = [(name.split("__"), value) for name, value in arguments.items() if value is not None]
    layers = ((ENVIRONMENT, read_environment()), ("arguments", given))
    preset = choose_preset(data, **arguments)
    if preset is not None:
        data = _translate(preset, data, str(file))
        for own, origin in ((preset.settings, f"preset {preset.name}"), (data, str(file))):
            _parse_settings(own, origin)  # alone, so that an error names where it comes from
        data = put_over(preset.settings, data)
    settings = _parse_settings(data, str(file))
    for group, of_model in MODEL_KEYS.items():
        for model in [str(value) for _, layer in layers for keys, value in layer if keys == [group, "model"]][-1:]:
            for place in (data, *_list_owners(data)):
                drop_outranked(place.get(group), model, of_model)
    for origin, layer in layers:
        alone: Json = {}
        for keys, value in sorted(layer, key=lambda one: one[0][0] in NAMED_GROUPS):
            _set_value(alone, keys, value)
            _set_value(data, keys, value)
            for owner in _list_owners(data):
                if keys[0] in OVERRIDABLE and owner.get(keys[0]) is not None:
                    _set_value(owner, keys, value)
        if alone:
            _check_alone(alone, origin, layer)
            settings = _parse_settings(data, origin)
    _check_profiles(settings)
    beside = default_calibration_path(path)
    if settings.answer.calibration is None and os.path.isfile(beside):
        return replace(settings, answer=replace(settings.answer, calibration=str(beside)))
    return settings


def _check_alone(data: Json, origin: str, layer: Sequence[tuple[list[str], Any]]) -> None:
    """Parse the settings of a layer alone, so that an error names where it comes from: of the environment, the
    variable too."""
    try:
        _parse_settings(data, origin)
    except ConfigError:
        for keys, value in layer if origin == ENVIRONMENT else ():
            alone: Json = {}
            _set_value(alone, keys, value)
            _parse_settings(alone, f"{ENVIRONMENT}: {PREFIX}{'__'.join(keys).upper()}")
        raise


def _translate(preset: Preset, data: Json, origin: str) -> Json:
    """The file's data in Ragstone's keys, where the preset's system has its own."""
    if preset.name != "notes":
        return data
    data, ignored = translate_notes(data, origin=origin)
    for said in ignored:
        warn_once(f"{origin}: {said}")
    return data


def choose_preset(data: Json, **arguments: Any) -> Preset | None:
    """The preset that arguments, the environment or a file's data name, in this order."""
    given = [([name], value) for name, value in arguments.items() if value is not None]
    return find_preset(data, read_environment(), given, lookup=get_variable)


def describe_stand_ins(settings: Settings) -> tuple[str, ...]:
    """A note for each part of the preset in force for which something else stands in."""
    return list_stand_ins(settings, get_variable)


def _check_profiles(settings: Settings) -> None:
    """Raises `ConfigError` for an unknown profile in `search`, also of a pipeline."""
    named = {"search": settings.search, **{f"pipelines.{one.name}.search": one.search for one in settings.pipelines}}
    for group, search in named.items():
        try:
            find_profile(search.profile if search else DEFAULT_PROFILE, settings.profiles)
        except ConfigError as error:
            raise ConfigError(f"{group}.profile: {error}") from error


def read_file(path: str | Path | None = None) -> tuple[Path | None, Json]:
    """The configuration file in force and its data with variables filled in; None and {} where there is no file.

    Raises `ConfigError` as `load` does.
    """
    file = _find_file(path)
    return file, yaml_file.read_yaml(file, get_variable) if file else {}


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


def _parse_settings(data: Json, origin: str) -> Settings:
    ours = [tuple(one.name for one in fields(kind)) for kind in (PipelineSettings, SearchSettings)]
    data = apply_profiles(_add_embedding_model(_replace_former_rule(data)))
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


def read_api_key(
    group: str, wanted: LlmSettings | EmbedSettings | RerankSettings | SparseSettings, variable: str | None
) -> str | None:
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
    return ((get_variable(variable) or "").strip() or None) if variable else None


def _find_file(path: str | Path | None) -> Path | None:
    """The file that is named, else the first of the places that holds one."""
    home = os.path.expanduser(get_variable("XDG_CONFIG_HOME") or "~/.config")  # stays as it is for who has no home
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


def _set_value(data: Json, keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        data[key] = {} if data.get(key) is None else data[key]
        data = data[key]
        if not isinstance(data, dict):
            raise ConfigError(f"cannot set {'.'.join(keys)}: {key} is not a group of settings")
    data[keys[-1]] = value
