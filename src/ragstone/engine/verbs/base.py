"""The base of all groups of methods: the parts of an engine, and the caller."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from ragstone.access import Credential, Permission
from ragstone.config.settings import Settings
from ragstone.config.validation import find_violation
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Embedder, Reranker, Store
from ragstone.core.types import Scope
from ragstone.engine.arguments import SETTINGS, check_arguments
from ragstone.engine.components import Components
from ragstone.engine.permission_checks import verb
from ragstone.engine.shared_parts import SharedParts
from ragstone.retrieval.question import read_utc
from ragstone.retrieval.search_context import SearchContext


class VerbGroup:
    """A group of verbs: parts that are opened and closed together, and a look at who asks."""

    @check_arguments()
    def __init__(
        self,
        settings: Settings | None = None,
        *,
        store: Store | None = None,
        embedder: Embedder | None = None,
        completion: Completion | None = None,
        reranker: Reranker | None = None,
        credential: Credential | None = None,
        shared: SharedParts | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        settings = settings or Settings()
        if wrong := find_violation(settings, SETTINGS):
            raise UsageError(wrong)
        self._components = Components(
            settings,
            store=store,
            embedder=embedder,
            completion=completion,
            reranker=reranker,
            credential=credential,
            shared=shared,
        )
        self.authenticator = self._components.authenticator
        self._clock = clock or read_utc

    async def __aenter__(self) -> Self:
        try:
            await self.sign_in()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @verb(None)
    async def close(self) -> None:
        """Give back files, threads, processes and models that this engine opened; in a fork they are the parent's."""
        if not self.authenticator.is_of_parent:
            await self._components.close()

    @verb(None)
    async def sign_in(self) -> Credential | None:
        """Check the key or token of the settings; None in trusted mode.

        Raises `Unauthorized` for one that is not accepted, `Forbidden` for one of another tenant than the settings'.
        """
        return await self.authenticator.sign_in()

    @verb(None)
    async def admit(self, permission: Permission, *, what: str) -> None:
        """Raises `Unauthorized` or `Forbidden` unless the caller has this permission: for methods outside this
        class."""
        await self.authenticator.admit(permission, what=what)

    @property
    def settings(self) -> Settings:
        """The settings of the caller's collection; with a key, known once that was looked at."""
        return self._components.settings

    @property
    def store(self) -> Store:
        """Where the collection is; known as the settings are."""
        return self._components.stores.store

    @property
    def scope(self) -> Scope:
        """Whose collection; with a key it is known once that was looked at."""
        return self._components.scope

    @property
    def calibration_place(self) -> Callable[[Path], str]:
        """Gives the name of this collection in a calibration file at a path."""
        return self._components.calibration_place

    @property
    def search_context(self) -> SearchContext:
        """The sources, models and deadlines that `ragstone.retrieval.search` works on. They ask for no permission, so
        reading this needs all of them."""
        for permission in Permission:
            self.authenticator.admit_now(permission, what="search context")
        return self._components.search_context
