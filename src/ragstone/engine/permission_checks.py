"""`verb` declares the permission of a method of the library; `require_permissions` checks it before each call.

Which role has which permission: `ragstone.access.credential`.
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, get_type_hints

from ragstone.access import Permission
from ragstone.core.answers import Event
from ragstone.core.errors import NotBuilt
from ragstone.core.filters import Where
from ragstone.engine.arguments import ArgumentKind, check_arguments
from ragstone.engine.missing_collection import describe_missing

C = TypeVar("C")
P = ParamSpec("P")
R = TypeVar("R")


class Admission(Protocol):
    """An object that knows the caller."""

    async def admit(self, permission: Permission, *, what: str) -> None:
        """Raises `Unauthorized` or `Forbidden`."""
        ...

    def admit_now(self, permission: Permission, *, what: str) -> None:
        """Check the permission with the credential that is known; raises `UsageError` before signing in."""
        ...


def verb(permission: Permission | None, **own: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a method of the library: the permission that it needs, None where it touches nothing of a tenant.

    Its arguments are checked by their names, or by `own` (see `ragstone.engine.arguments`).
    """

    def declare(method: Callable[P, R]) -> Callable[P, R]:
        checked = check_arguments(**own)(method)
        checked.permission = permission  # type: ignore[attr-defined]  # `require_permissions` reads it
        return checked

    return declare


def require_permissions(kind: type[C]) -> type[C]:
    """Each public method of a class, its own or inherited, looks at its permission first; its objects have
    `authenticator`, an `Admission`.

    A call with `where=Where(allow_restricted=True)` needs `restricted` as well. Raises `TypeError` for a method without
    `verb`: no method goes without a decision.
    """
    methods = _public_methods(kind)
    if undeclared := sorted(name for name, method in methods.items() if not hasattr(method, "permission")):
        raise TypeError(f"{kind.__name__} has methods without a permission: {', '.join(undeclared)}")
    for name, permission in read_permissions(kind).items():
        if permission is not None:
            setattr(kind, name, _guard_method(methods[name], permission))
    return kind


def read_permissions(kind: type[Any]) -> dict[str, Permission | None]:
    """The permission of each public method of a class, as `verb` declares it."""
    return {name: method.permission for name, method in _public_methods(kind).items()}  # type: ignore[attr-defined]


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
            self.authenticator.admit_now(one, what=what)
        return verb(self, *args, **given)

    return call_now


def _guard_coroutine(verb: Callable[..., Any], permission: Permission) -> Callable[..., Any]:
    @wraps(verb)
    async def wait(self: Any, /, *args: Any, **given: Any) -> Any:
        for one, what in _list_permissions(verb, permission, given):
            await self.authenticator.admit(one, what=what)
        try:
            return await verb(self, *args, **given)
        except NotBuilt as error:
            raise await describe_missing(self, error) from error

    return wait


def _guard_stream(verb: Callable[..., Any], permission: Permission) -> Callable[..., Any]:
    @wraps(verb)
    def open_stream(self: Any, /, *args: Any, **given: Any) -> AsyncGenerator[Event]:
        stream = verb(self, *args, **given)  # a mistake in the question is said at once; nothing is read yet

        async def stream_admitted() -> AsyncGenerator[Event]:
            try:
                for one, what in _list_permissions(verb, permission, given):
                    await self.authenticator.admit(one, what=what)
                async for event in stream:
                    yield event
            except NotBuilt as error:
                raise await describe_missing(self, error) from error
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
