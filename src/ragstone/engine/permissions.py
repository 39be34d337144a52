"""What each verb of the library asks for, and the one wrapper that looks: a verb without an entry cannot be written."""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeVar, get_type_hints

from ragstone.access import Permission
from ragstone.core.answers import Event
from ragstone.core.filters import Where

C = TypeVar("C")
PermissionTable = Mapping[str, Permission | None]

# None: needs no permission, because it touches nothing of a tenant.
ENGINE_PERMISSIONS: PermissionTable = {
    "admit": None,
    "close": None,
    "sign_in": None,
    "question": None,
    "search": Permission.SEARCH,
    "ask": Permission.SEARCH,
    "events": Permission.SEARCH,
    "context": Permission.SEARCH,
    "chunk": Permission.SEARCH,
    "get": Permission.SEARCH,
    "record": Permission.SEARCH,
    "page": Permission.SEARCH,
    "info": Permission.SEARCH,
    "documents": Permission.SEARCH,
    "collections": Permission.SEARCH,
    "exists": Permission.SEARCH,
    "models": Permission.SEARCH,
    "select_judge": Permission.SEARCH,
    "pipelines": Permission.SEARCH,
    "pipeline": Permission.SEARCH,
    "ingest": Permission.WRITE,
    "ingest_source": Permission.WRITE,
    "create": Permission.WRITE,
    "delete": Permission.WRITE,
    "drop": Permission.WRITE,
    "reembed": Permission.WRITE,
    "switch_model": Permission.WRITE,
    "drop_model": Permission.WRITE,
    "check_chunking": Permission.WRITE,
    "runs": Permission.WRITE,  # what it says of files and errors is for who ingests
    "doctor": Permission.WRITE,
    "extract": Permission.WRITE,  # reads files that this process may read
    "iter_extractions": Permission.WRITE,
    "preview": Permission.WRITE,
    "explain": Permission.EXPLAIN,
    "copy": Permission.EXPORT,
    "create_key": Permission.KEYS,
    "keys": Permission.KEYS,
    "revoke_key": Permission.KEYS,
    "tenants": Permission.KEYS,  # with a credential its own tenant alone, as the next three
    "erase_tenant": Permission.KEYS,
    "rotate": Permission.KEYS,
    "encrypt": Permission.KEYS,
}
PIPELINE_PERMISSIONS: PermissionTable = {
    "question": None,
    "search": Permission.SEARCH,
    "ask": Permission.SEARCH,
    "events": Permission.SEARCH,
    "context": Permission.SEARCH,
    "explain": Permission.EXPLAIN,
    "check": Permission.WRITE,  # names hosts and what is wrong with them
}


class Admission(Protocol):
    """What knows who asks."""

    async def admit(self, permission: Permission, *, what: str) -> None:
        """Raises `Unauthorized` or `Forbidden`."""
        ...

    def admit_now(self, permission: Permission, *, what: str) -> None:
        """The same by what is known already; raises `UsageError` when nobody has looked yet."""
        ...


def require_permissions(asked: PermissionTable) -> Callable[[type[C]], type[C]]:
    """Every public verb of a class, its own or inherited, looks at its permission first; its objects have `entrance`,
    an `Admission`.

    A call with `where=Where(allow_restricted=True)` needs `restricted` as well. Raises `TypeError` for a verb that the
    table does not name: there is no verb without a decision.
    """

    def guard_class(kind: type[C]) -> type[C]:
        verbs = _public_methods(kind)
        if unlike := set(verbs) ^ set(asked):
            raise TypeError(f"{kind.__name__} and its table of permissions differ in: {', '.join(sorted(unlike))}")
        for name, permission in asked.items():
            if permission is not None:
                setattr(kind, name, _guard_method(verbs[name], permission))
        return kind

    return guard_class


def _public_methods(kind: type[Any]) -> dict[str, Callable[..., Any]]:
    """The public verbs of a class and of those that it is made of, as its objects find them."""
    found = {name: value for each in reversed(kind.__mro__) for name, value in vars(each).items()}
    return {name: value for name, value in found.items() if not name.startswith("_") and inspect.isfunction(value)}


def _guard_method(verb: Callable[..., Any], permission: Permission) -> Callable[..., Any]:
    inner = inspect.unwrap(verb)
    if inspect.iscoroutinefunction(inner):
        return _guard_coroutine(verb, permission)
    if getattr(get_type_hints(inner).get("return"), "__origin__", None) is AsyncGenerator:
        return _guard_stream(verb, permission)

    @wraps(verb)
    def call_now(self: Any, /, *args: Any, **given: Any) -> Any:
        for one, what in _list_permissions(verb, permission, given):
            self.entrance.admit_now(one, what=what)
        return verb(self, *args, **given)

    return call_now


def _guard_coroutine(verb: Callable[..., Any], permission: Permission) -> Callable[..., Any]:
    @wraps(verb)
    async def wait(self: Any, /, *args: Any, **given: Any) -> Any:
        for one, what in _list_permissions(verb, permission, given):
            await self.entrance.admit(one, what=what)
        return await verb(self, *args, **given)

    return wait


def _guard_stream(verb: Callable[..., Any], permission: Permission) -> Callable[..., Any]:
    @wraps(verb)
    def open_stream(self: Any, /, *args: Any, **given: Any) -> AsyncGenerator[Event]:
        stream = verb(self, *args, **given)  # a mistake in the question is said at once; nothing is read yet

        async def stream_admitted() -> AsyncGenerator[Event]:
            try:
                for one, what in _list_permissions(verb, permission, given):
                    await self.entrance.admit(one, what=what)
                async for event in stream:
                    yield event
            finally:
                await stream.aclose()

        return stream_admitted()

    return open_stream


def _list_permissions(
    verb: Callable[..., Any], permission: Permission, given: Mapping[str, Any]
) -> list[tuple[Permission, str]]:
    """The permissions of a call, each with what it is for."""
    needed = [(permission, verb.__name__.replace("_", " "))]
    where = given.get("where")
    if isinstance(where, Where) and where.allow_restricted:
        needed.append((Permission.RESTRICTED, "reading restricted documents"))
    return needed
