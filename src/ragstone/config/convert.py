"""Plain data as nested dataclasses: every key checked by its name, every value by its type and its bounds."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ragstone.core.errors import ConfigError
from ragstone.core.suggestions import find_alike

T = TypeVar("T")
# "invalid top_k 0: …", "unknown mode 'x': …", "audience is blank; …"
FIRST_KEY = re.compile(r"(?P<fault>(?:invalid|unknown) )?(?P<key>[a-z_0-9]+)\b")

# How msgspec reports a value of another type, and a key that is needed.
WRONG_TYPE = re.compile(r"Expected `(?P<kinds>[^`]+)`.*? - at `\$\.(?P<key>\w+)(?P<inner>[^`]*)`")
MISSING_KEY = re.compile(r"Object missing required field `(?P<key>\w+)`")
WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping of keys",
    "null": "",
}


def convert_data(data: Any, kind: type[T], *, origin: str, path: str = "") -> T:
    """Plain data as the dataclass `kind`.

    Raises `ConfigError` that names where the data come from (`origin`), the key, and the nearest key that exists.
    """
    import msgspec

    _require_type(dict, data, path or "the file", origin, "a mapping of keys")
    hints = get_type_hints(kind)
    values = {}
    for key, value in data.items():
        full = f"{path}.{key}" if path else str(key)
        check_known(key, hints, path, origin)
        if value is None and (is_dataclass(hints[key]) or get_origin(hints[key]) in (tuple, Mapping)):
            continue  # a group of which nothing is set
        values[key] = _convert_value(value, hints[key], full, origin)
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        wrong = _describe_wrong_choice(values, hints, path) or _describe_wrong_type(str(error), values, path)
        raise ConfigError(f"{origin}: {wrong}") from error
    except ConfigError as error:  # out of bounds
        raise ConfigError(f"{origin}: {_add_path(str(error), hints, path)}") from error


def _add_path(message: str, hints: Mapping[str, Any], path: str) -> str:
    """A message of a group of settings with the group's path: before the key that it names, else at its beginning."""
    named = FIRST_KEY.match(message)
    if path and named and named["key"] in hints:
        return f"{named['fault'] or ''}{path}.{message[named.start('key') :]}"
    return f"{path}: {message}" if path else message


def _describe_wrong_choice(values: Mapping[str, Any], hints: Mapping[str, Any], path: str) -> str | None:
    """A sentence for the first value that is none of those that its key may have."""
    for key, value in values.items():
        hint = hints[key]
        listed = get_origin(hint) is tuple
        hint = get_args(hint)[0] if listed else hint
        allowed = get_args(hint) if get_origin(hint) is Literal else ()
        items = value if listed and isinstance(value, list | tuple) else [value]
        if allowed and (wrong := next((one for one in items if one not in allowed), None)) is not None:
            full = f"{path}.{key}" if path else key
            return f"unknown {full} {wrong!r:.60}: expected one of {', '.join(map(str, allowed))}"
    return None


def _describe_wrong_type(message: str, values: Mapping[str, Any], path: str) -> str:
    """A sentence for what msgspec says of a type: with the key's full name and the value in place of `$.key`."""
    if missing := MISSING_KEY.match(message):
        return f"{path or 'settings'}: {missing['key']} is missing"
    wrong = WRONG_TYPE.match(message)
    if wrong is None:
        return f"{path or 'settings'}: {message}"
    full = f"{path}.{wrong['key']}" if path else wrong["key"]
    value = "" if wrong["inner"] else f" {values.get(wrong['key'])!r:.60}"
    kinds = [WORDS.get(kind, kind) for kind in wrong["kinds"].split(" | ")]
    expected = f"{' or '.join(kind for kind in kinds if kind)}{', or left out' if '' in kinds else ''}"
    return f"invalid {full}{value}: expected {expected}{' in each entry' if wrong['inner'] else ''}"


def check_known(key: Any, known: Iterable[str], path: str, origin: str) -> None:
    """Raises `ConfigError` for a key that is none of those known, with the nearest one or all of them."""
    names = list(known)
    if key in names:
        return
    begun = [name for name in names if key and name.startswith(f"{key}_")]
    near = next(iter(begun), None) or find_alike(str(key), names)
    hint = f"; did you mean {near}?" if near else f"; known here: {', '.join(names)}"
    raise ConfigError(f"{origin}: unknown key {path}{'.' if path else ''}{key}{hint}")


def list_settable(kind: Any) -> list[tuple[list[str], bool]]:
    """The keys that lead to every value of a dataclass, and whether more keys may follow them."""
    found = []
    for name, hint in get_type_hints(kind).items():
        if isinstance(hint, type) and is_dataclass(hint):
            found += [([name, *keys], more) for keys, more in list_settable(hint)]
        else:
            found.append(([name], get_origin(hint) is Mapping))
    return found


def _convert_value(value: Any, kind: Any, path: str, origin: str) -> Any:
    """Nested dataclasses are converted here (for the names in messages), all else by msgspec later."""
    inner = _find_dataclass(kind)
    if value is False and "off" in getattr(kind, "__args__", ()):
        return "off"  # what YAML reads a bare `off` as
    if inner is None or value is None:
        return value
    if get_origin(kind) is tuple:
        items = _require_type((list, tuple), value, path, origin, _describe_list(inner))
        return tuple(_convert_item(item, inner, f"{path}[{i}]", origin) for i, item in enumerate(items))
    if get_origin(kind) is Mapping:
        items = _require_type(dict, value, path, origin, "a mapping of keys").items()
        return {
            name: convert_data({} if item is None else item, inner, origin=origin, path=f"{path}.{name}")
            for name, item in items
        }
    return convert_data(value, inner, origin=origin, path=path)


def _convert_item(item: Any, kind: Any, path: str, origin: str) -> Any:
    """An item of a list; one field alone that needs a value may be written as that value, a text."""
    needed = _list_needed(kind)
    if len(needed) == 1:
        item = {needed[0]: item} if isinstance(item, str) else item
        _require_type(dict, item, path, origin, f"a {needed[0]}, or a mapping of keys")
    return convert_data(item, kind, origin=origin, path=path)


def _list_needed(kind: Any) -> list[str]:
    """The fields of a dataclass that have no default."""
    return [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]


def _describe_list(kind: Any) -> str:
    """A list of such entries, and how one is written."""
    needed = _list_needed(kind)
    return f"a list, with entries such as - {': …, '.join(needed)}: …" if needed else "a list"


def _require_type(kind: Any, value: Any, path: str, origin: str, what: str) -> Any:
    if not isinstance(value, kind):
        raise ConfigError(f"{origin}: invalid {path}: expected {what}")
    return value


def _find_dataclass(kind: Any) -> Any:
    """The dataclass that a type is or holds."""
    if isinstance(kind, type) and is_dataclass(kind):
        return kind
    return next((found for part in getattr(kind, "__args__", ()) if (found := _find_dataclass(part))), None)
