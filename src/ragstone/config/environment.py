"""The variables of the environment that Ragstone reads and sets, all of them."""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ragstone.config.convert import list_settable
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError
from ragstone.core.suggestions import find_alike

log = logging.getLogger("ragstone")

PREFIX = "RAGSTONE_"
# Names with our prefix that are no settings: the switch below, what tests are told, and what Kubernetes sets in
# every container beside a service that is called ragstone.
RESERVED = re.compile(r"DEBUG|TEST_.*|SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_.*)?")
TELEMETRY_SWITCHES = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY")  # of onnxruntime, and fastembed's downloads

ignored_variables: list[str] = []
"""A sentence for each variable that was ignored; a program that shows no log takes them out and shows them."""


def get_variable(name: str, default: str | None = None) -> str | None:
    """The value of a variable, else the default."""
    return os.environ.get(name, default)


def find_cache_folder(name: str) -> Path | None:
    """The folder of this name for data of this user that Ragstone can do without; None for a user without a home."""
    folder = Path(os.path.expanduser(get_variable("XDG_CACHE_HOME") or "~/.cache"), "ragstone", name)
    return folder if folder.is_absolute() else None


def set_for_children(name: str, value: str) -> None:
    """Set a variable for the processes that this one starts: some libraries are told in no other way."""
    os.environ[name] = value


def silence_telemetry() -> None:
    """Keep libraries that run models from reporting their use: call it before importing one, later has no effect.

    ONNX Runtime sends events and keeps an identifier of the machine, by default since 1.29 (its Privacy.md names the
    variable). A value that the user has set stays.
    """
    for name in TELEMETRY_SWITCHES:
        os.environ.setdefault(name, "1")


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
            begun = (one for one in names if one.startswith(f"{name.upper()}__") or name.upper().startswith(f"{one}__"))
            near = next(begun, None) or find_alike(name.upper(), of_group or names)
            hint = f"did you mean {PREFIX}{near}?" if near else "`ragstone config show` prints all settings"
            said = f"environment: unknown setting {PREFIX}{name}; {hint}"
            if len(keys) > 1 or any(keys[0] == known_keys[0] for known_keys, _ in known):
                raise ConfigError(said)
            warn_once(f"{said}{'' if near else '.'} Ragstone ignores it")
            continue
        found.append((keys, value))
    return found


def warn_once(message: str) -> None:
    """Log a warning once, and keep it for a program that shows no log."""
    if message not in ignored_variables:
        ignored_variables.append(message)
    _log_once(message)


@cache
def _log_once(message: str) -> None:
    log.warning(message)


@contextmanager
def use_preset(name: str | None) -> Iterator[None]:
    """Let this preset hold for all that is loaded meanwhile, also in processes that this one starts."""
    variable = f"{PREFIX}PRESET"
    before = os.environ.get(variable)
    if name is not None:
        os.environ[variable] = name
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = before


def is_color_wanted() -> bool:
    """Whether a terminal may be sent colours: not where NO_COLOR is set, and not to a dumb one."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_debugging() -> bool:
    """Whether tracebacks are wanted: RAGSTONE_DEBUG is set, and to something else than no."""
    return os.environ.get(f"{PREFIX}DEBUG", "").strip().lower() not in ("", "0", "false", "no", "off")


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
