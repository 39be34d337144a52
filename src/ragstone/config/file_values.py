"""Values of a file in another program's words, checked under the names that it has there, or `ConfigError`."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.config.convert import check_known
from ragstone.config.validation import Allowed
from ragstone.core.errors import ConfigError


def check_keys(given: Any, known: Sequence[str], path: str, origin: str) -> None:
    """Each key of a mapping is known; other values are checked elsewhere."""
    for key in given if isinstance(given, dict) else ():
        check_known(key, known, path, origin)


def check_number(value: Any, allowed: Allowed, path: str, origin: str) -> Any:
    """A number, also as the text that `${NAME}` makes of one."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = int(value) if value.strip().isdecimal() else float(value)
    if not allowed.holds(value):
        raise ConfigError(f"{origin}: {allowed.describe_error(path, value)}")
    return value


def check_texts(value: Any, path: str, origin: str) -> Mapping[str, Any]:
    """A mapping to texts; a wrong one is not shown, it may be secret."""
    given = {key: text for key, text in check_mapping(value, path, origin).items() if text is not None}
    for key, text in given.items():
        if not isinstance(text, str):
            raise ConfigError(
                f"{origin}: invalid {path}.{key}: expected a text, in quotes where YAML would read something else"
            )
    return given


def check_mapping(value: Any, path: str, origin: str) -> Mapping[str, Any]:
    """A mapping of keys; nothing is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{origin}: invalid {path}: expected a mapping of keys")
    return value
