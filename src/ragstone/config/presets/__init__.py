"""Presets: the settings of five known systems, each a YAML file beside this one.

A file has `about`, the `settings` that hold everywhere, and `stand_ins`: parts that need a service, each with the
`settings` that run without it, those of the `service`, and a `note` that says what differs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.config import yaml_file
from ragstone.config.layers import merge_settings
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError
from ragstone.core.suggestions import find_alike
from ragstone.core.types import Json

FOLDER = Path(__file__).parent
PRESETS = tuple(sorted(file.stem for file in FOLDER.glob("*.yaml")))


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset as it holds: its settings, and what stands in for parts of the system, each with a note."""

    name: str
    about: str
    settings: Json
    stand_ins: tuple[tuple[Json, str], ...] = ()


def read_preset(name: str, lookup: yaml_file.Lookup, *, services: bool = False) -> Preset:
    """The preset of this name, with its own services or what stands in for them. Raises `ConfigError` that names
    those that there are."""
    if name not in PRESETS:
        near = find_alike(name, PRESETS)
        hint = f"did you mean {near}? There are" if near else "there are"
        raise ConfigError(f"unknown preset {name!r:.60}; {hint}: {', '.join(PRESETS)}")
    data = yaml_file.read_yaml(FOLDER / f"{name}.yaml", lookup)
    settings, stand_ins = data["settings"], []
    for part in data.get("stand_ins", ()):
        settings = merge_settings(settings, part["service" if services else "settings"])
        stand_ins += [] if services else [(part["settings"], part["note"])]
    return Preset(name, data["about"], settings, tuple(stand_ins))


def find_preset(
    data: Mapping[str, Any], *layers: Sequence[tuple[list[str], Any]], lookup: yaml_file.Lookup
) -> Preset | None:
    """The preset that a file's data, or layers of keys and values over it, name; None where none is named.

    Raises `ConfigError` as `read_preset` does.
    """
    named = {key: data.get(key) for key in ("preset", "services")}
    named |= {keys[0]: value for layer in layers for keys, value in layer if keys[0] in named}
    if named["preset"] is None:
        return None
    return read_preset(str(named["preset"]), lookup, services=str(named["services"]).lower() in ("true", "1"))


def list_stand_ins(settings: Settings, lookup: yaml_file.Lookup) -> tuple[str, ...]:
    """A note for each part of the preset in force for which something else stands in, and still does."""
    if settings.preset is None:
        return ()
    parts = read_preset(settings.preset, lookup, services=settings.services).stand_ins
    return tuple(note for own, note in parts if _holds(own, settings))


def _holds(own: Mapping[str, Any], settings: object) -> bool:
    """Whether these settings are still in force."""
    pairs = [(value, getattr(settings, key)) for key, value in own.items()]
    return all(_holds(value, now) if isinstance(value, Mapping) else value == now for value, now in pairs)
