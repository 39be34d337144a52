"""What the verbs of the library take: one table of arguments by name, looked at before a verb begins."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import wraps
from os import PathLike, fspath
from typing import Any, ParamSpec, TypeVar, cast

from ragstone.access import Credential
from ragstone.config.settings import Settings
from ragstone.config.validation import FLAG, MANY, Bounds, Choice, Numbers
from ragstone.core.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Kind:
    """Values of which something holds, said in words."""

    what: str
    holds: Callable[[Any], bool]

    def wrong(self, name: str, value: object) -> str:
        """A sentence for a value of another kind."""
        return f"{name} is {value!r:.60}; it must be {self.what}"


def _text(value: Any) -> bool:
    """Whether it is a text; lone surrogates are none, nothing can store them."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _place(value: Any) -> bool:
    path: Any = fspath(value) if isinstance(value, str | PathLike) else None
    return _text(path) and "\0" not in path


def _all(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda values: isinstance(values, Collection) and not isinstance(values, bytes) and all(map(holds, values))


def _names(values: Any) -> bool:
    return not isinstance(values, str) and _all(_text)(values)


def part(what: str, *verbs: str) -> Kind:
    """Objects that have these verbs. Nothing else is asked of them: an attribute may cost time, such as a model's."""
    return Kind(
        f"{what}: an object with {', '.join(verbs)}",
        lambda value: not isinstance(value, type) and all(callable(getattr(value, verb, None)) for verb in verbs),
    )


TEXT = Kind("a text that UTF-8 can hold", _text)
PLACE = Kind("a path: a text or a pathlib.Path, without a NUL character", _place)
OR_NONE = Kind("a text that UTF-8 can hold, or None", lambda value: value is None or _text(value))
ARGUMENTS: Mapping[str, Kind | Numbers | Choice] = {
    "settings": Kind("settings, as ragstone.load() gives them", lambda value: isinstance(value, Settings)),
    "store": part("a store", "reader", "writer", "ledger", "close"),
    "embedder": part("an embedder", "embed", "close"),
    "completion": part("a language model", "complete", "stream", "close"),
    "paths": Kind("paths: texts or pathlib.Paths, without a NUL character", _all(_place)),
    "collections": Kind("names of collections: texts in a list", _names),
    "ignore": Kind("a glob, or a list of globs", _all(_text)),
    "tell": Kind("a function that takes an event", callable),
    "roles": Kind("the name of a role, or a list of them", _all(_text)),
    "credential": Kind("a ragstone.Credential, or None", lambda value: value is None or isinstance(value, Credential)),
    **dict.fromkeys(("refresh", "allow_removals", "recreate", "repair", "rekey"), FLAG),
    **dict.fromkeys(
        ("name", "path", "source", "tenant", "collection", "identity", "version_label", "to", "model"), TEXT
    ),
    "file": PLACE,
    "ordinal": Numbers(0, 2**31 - 1, whole=True),
    "limit": Numbers(0, MANY, whole=True),
}
SETTINGS: Bounds = cast(Bounds, dict.fromkeys(("store", "tenant", "collection"), TEXT))


def checked(**own: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Look at the arguments of a verb: raises `UsageError` for the first that is not what the table, or `own`, says.

    A parameter left at its default is not looked at, nor one that neither names.
    """
    table = {**ARGUMENTS, **own}

    def wrap(verb: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(verb)

        @wraps(verb)
        def look(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                allowed = table.get(name)
                if allowed and value is not signature.parameters[name].default and not allowed.holds(value):
                    raise UsageError(allowed.wrong(name, value))
            return verb(*args, **kwargs)

        return look

    return wrap
