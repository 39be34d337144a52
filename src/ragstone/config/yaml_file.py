"""A configuration file as plain data: YAML with its variables filled in, and no key twice."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragstone.core.errors import ConfigError
from ragstone.core.types import Json

LARGEST = 1_000_000  # bytes; what is longer is no configuration, and may never end
# A variable; or what was meant as one: without a brace in its line, in another form of the shell, within a default.
VARIABLE = re.compile(
    r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>(?:(?!\$\{)[^}\n])*))?\}"
    r"|(?P<wrong>\$\{[A-Za-z_][A-Za-z0-9_]*(?:(?!(?:(?!\$\{)[^\s'\"])*\})|(?=:?[-+=?])))"
)
PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")  # what stands for a variable while the file is parsed
Lookup = Callable[[str, str | None], str | None]  # a variable's value, or the default


class Variable(NamedTuple):
    """A variable of a file. `problem` says why it is none."""

    name: str
    default: str | None
    problem: str = ""


def read_yaml(file: Path, lookup: Lookup) -> Json:
    """The keys and values of a file; {} where it is empty.

    Raises `ConfigError` that names the file: it cannot be read, is not a mapping, has a duplicate key, or uses a
    variable that is not set.
    """
    import yaml

    try:
        text = _read_text(file)
        variables = [_decode_variable(match) for match in VARIABLE.finditer(text)]
        # A mark in place of each, so that no value of a variable is ever read as YAML.
        number = iter(range(len(variables)))
        text = VARIABLE.sub(lambda _: f"\ue000{next(number)}\ue001", text)
        if (again := find_duplicate_key(yaml.compose(text, Loader=yaml.SafeLoader))) is not None:
            raise ValueError(f"duplicate key {again.value!r:.60}, again in line {again.start_mark.line + 1}")
        data = _fill_variables(yaml.safe_load(text), variables, str(file), lookup)
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{file} cannot be read: {_describe_mistake(error)}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise ConfigError(f"{file} cannot be read: it nests too deep, or contains itself") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from error
    if data is not None and not isinstance(data, dict):
        raise ConfigError(f"{file} must be a mapping of keys, such as `store: embedded:.ragstone`")
    return data or {}


def _describe_mistake(error: Any) -> str:
    """Where a mistake is and what it is, of a `yaml.MarkedYAMLError`."""
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{where}{' '.join(filter(None, (error.context, error.problem)))}"


def _read_text(file: Path) -> str:
    with file.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes")
    text = data.decode("utf-8")
    if PLACEHOLDER.search(text):
        raise ValueError("it holds the private characters U+E000 and U+E001")
    return text


def _decode_variable(match: re.Match[str]) -> Variable:
    if not match["wrong"]:
        return Variable(match["name"], match["default"])
    line = match.string.count("\n", 0, match.start()) + 1
    wanted = "write ${NAME} or ${NAME:-default}, closed in the same line"
    return Variable("", None, f"line {line}: {match['wrong']}… is no variable: {wanted}")


def _fill_variables(data: Any, variables: Sequence[Variable], file: str, lookup: Lookup) -> Any:
    """Parsed data with its variables filled in. A value that is one empty variable is null."""

    def fill_match(match: re.Match[str]) -> str:
        name, default, problem = variables[int(match[1])]
        if problem:
            raise ConfigError(f"{file}, {problem}")
        found = lookup(name, default)
        if found is None:
            raise ConfigError(f"{file}: environment variable {name} is not set and has no default")
        return found

    if isinstance(data, dict):
        if key := next((key for key in data if isinstance(key, str) and PLACEHOLDER.search(key)), None):
            raise ConfigError(f"{file}: {PLACEHOLDER.sub('${…}', key)}: variables may stand in values, not in keys")
        return {key: _fill_variables(item, variables, file, lookup) for key, item in data.items()}
    if isinstance(data, list):
        return [_fill_variables(item, variables, file, lookup) for item in data]
    if not isinstance(data, str):
        return data
    return PLACEHOLDER.sub(fill_match, data) or (None if PLACEHOLDER.fullmatch(data) else "")


def find_duplicate_key(root: Any) -> Any | None:
    """The first key node, in the order of the text, that comes again in its mapping; None when there is none.

    `root` is what `yaml.compose` gives. Nothing of yaml is imported: most runs have no such file to read.
    """
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        kind = getattr(node, "id", "")
        if id(node) in seen or kind not in ("sequence", "mapping"):
            continue
        seen.add(id(node))  # an alias: what it names is looked at once
        if kind == "sequence":
            todo += reversed(node.value)
            continue
        keys = set[str]()
        for key, value in node.value:
            if key.id == "scalar" and key.value in keys:
                return key
            keys.add(str(key.value))
            todo.append(value)
    return None
