"""The caller of a tool, and the engines of that caller."""

from collections.abc import Callable
from dataclasses import dataclass

from ragstone.access import Permission
from ragstone.config.settings import Settings
from ragstone.core.errors import Forbidden
from ragstone.core.filter_matching import document_matches
from ragstone.core.filters import Where
from ragstone.core.types import Document
from ragstone.engine import Engine
from ragstone.engine.engine_pool import EnginePool


@dataclass(frozen=True, slots=True)
class Caller:
    """A key or token, or None for a caller who is trusted, or not."""

    key: str | None
    trusted: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """The engines of one caller. `report` takes how far an ingestion is, as a text; `allow_adding`: this server takes
    documents from callers whose key permits it."""

    pool: EnginePool
    caller: Caller
    read_only: bool
    report: Callable[[str], None] = lambda _message: None
    allow_adding: bool = False

    @property
    def settings(self) -> Settings:
        """The settings of the server, before those of the caller's tenant."""
        return self.pool.settings

    async def open(self, collection: str | None = None) -> Engine:
        """The engine for a collection; raises `Unauthorized` for a key that is not accepted."""
        caller = self.caller
        return await self.pool.open(key=caller.key, collection=collection, trusted=caller.trusted and not caller.key)

    async def may_write(self) -> bool:
        """Whether the caller may ingest here."""
        try:
            await (await self.open()).admit(Permission.WRITE, what="ingest")
        except Forbidden:
            return False
        return not self.read_only

    async def may_add(self) -> bool:
        """Whether the caller may add documents here: a trusted caller without a key may not."""
        return self.allow_adding and self.caller.key is not None and await self.may_write()


def restricted_filter(engine: Engine) -> Where:
    """The filter by which a caller reads: restricted documents for a credential that permits them, and for no one
    else."""
    credential = engine.authenticator.credential
    return Where(allow_restricted=credential is not None and Permission.RESTRICTED in credential.permissions)


def is_visible(engine: Engine, document: Document) -> bool:
    """Whether the caller may see a document."""
    return document_matches(restricted_filter(engine), document)
