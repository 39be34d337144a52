"""The arguments of the library's methods: one table by name, checked before a method begins."""

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
from ragstone.core.types import NAME_LENGTH, Document

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ArgumentKind:
    """Values of which something holds, said in words."""

    what: str
    holds: Callable[[Any], bool]

    def describe_error(self, name: str, value: object) -> str:
        """A sentence for a value of another kind."""
        return f"invalid {name} {value!r:.60}: expected {self.what}"

    def check(self, name: str, value: object) -> None:
        """Raise `UsageError` for a value of another kind, under the name that its caller knows."""
        if not self.holds(value):
            raise UsageError(self.describe_error(name, value))


def _is_text(value: Any) -> bool:
    """Whether it is a text; lone surrogates are none, nothing can store them."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _is_path(value: Any) -> bool:
    path: Any = fspath(value) if isinstance(value, str | PathLike) else None
    return _is_text(path) and "\0" not in path


def _all_of(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda values: isinstance(values, Collection) and not isinstance(values, bytes) and all(map(holds, values))


def _is_name_list(values: Any) -> bool:
    return not isinstance(values, str) and _all_of(_is_text)(values)


def object_with(what: str, *verbs: str) -> ArgumentKind:
    """Objects that have these verbs. Nothing else is asked of them: an attribute may cost time, such as a model's."""
    return ArgumentKind(
        f"{what}: an object with {', '.join(verbs)}",
        lambda value: not isinstance(value, type) and all(callable(getattr(value, verb, None)) for verb in verbs),
    )


def _is_documents(values: Any) -> bool:
    return isinstance(values, Mapping) and all(
        _is_text(path) and (isinstance(given, bytes | Mapping) or _is_text(given)) for path, given in values.items()
    )


def _is_source_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) == len(value) <= NAME_LENGTH and value.isprintable()


TEXT = ArgumentKind("a text that UTF-8 can hold", _is_text)
PATH_KIND = ArgumentKind("a path: a text or a pathlib.Path, without a NUL character", _is_path)
DOCUMENT = ArgumentKind("a path, or a ragstone.Document", lambda value: isinstance(value, Document) or _is_text(value))
SOURCE_NAME = ArgumentKind(
    f"the name of a source: 1 to {NAME_LENGTH} printable characters",
    _is_source_name,
)
DOCUMENT_PATH = ArgumentKind("the path of a document, without a NUL character", _is_path)
DOCUMENTS = ArgumentKind(
    'documents by path: a mapping from paths to texts, to the bytes of files, or to {"text": …, "meta": …}',
    _is_documents,
)
ANYTHING = ArgumentKind("anything", lambda _: True)
OPTIONAL_TEXT = ArgumentKind("a text that UTF-8 can hold, or None", lambda value: value is None or _is_text(value))
ARGUMENTS: Mapping[str, ArgumentKind | Numbers | Choice] = {
    "settings": ArgumentKind("settings, as ragstone.load() gives them", lambda value: isinstance(value, Settings)),
    "store": object_with("a store", "reader", "writer", "ledger", "close"),
    "embedder": object_with("an embedder", "embed", "close"),
    "completion": object_with("a language model", "complete", "stream", "close"),
    "reranker": object_with("a reranker", "score", "close"),
    "paths": ArgumentKind("paths: texts or pathlib.Paths, without a NUL character", _all_of(_is_path)),
    "collections": ArgumentKind("names of collections: texts in a list", _is_name_list),
    "ignore": ArgumentKind("a glob, or a list of globs", _all_of(_is_text)),
    "clock": ArgumentKind("a function that gives the time, or None", lambda value: value is None or callable(value)),
    "tell": ArgumentKind("a function that takes an event", callable),
    "roles": ArgumentKind("the name of a role, or a list of them", _all_of(_is_text)),
    "credential": ArgumentKind(
        "a ragstone.Credential, or None", lambda value: value is None or isinstance(value, Credential)
    ),
    **dict.fromkeys(("refresh", "allow_removals", "recreate", "repair", "rekey", "poll", "flush"), FLAG),
    **dict.fromkeys(("name", "path", "source", "tenant", "collection", "version_label", "to", "model", "ray"), TEXT),
    "file": PATH_KIND,
    "identity": ArgumentKind("an id: a text without a NUL character", _is_path),
    "within": DOCUMENT_PATH,
    "ordinal": Numbers(0, 2**31 - 1, whole=True),
    **dict.fromkeys(("reindex_after", "flush_after"), Numbers(0.01, 86_400, unset=True)),
    "limit": Numbers(0, MANY, whole=True),
}
SETTINGS: Bounds = cast(Bounds, dict.fromkeys(("store", "tenant", "collection"), TEXT))


def check_arguments(**own: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Look at the arguments of a verb: raises `UsageError` for the first that is not what the table, or `own`, says.

    A parameter left at its default is not looked at, nor one that neither names.
    """
    table = {**ARGUMENTS, **own}

    def wrap(verb: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(verb)

        @wraps(verb)
        def check_call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                allowed = table.get(name)
                if allowed and value is not signature.parameters[name].default and not allowed.holds(value):
                    raise UsageError(allowed.describe_error(name, value))
            return verb(*args, **kwargs)

        return check_call

    return wrap
