"""The engines of a server: one for each caller and collection that asks, over shared stores and models."""

from collections import OrderedDict
from dataclasses import replace
from hashlib import sha256

from ragstone.config.settings import Settings
from ragstone.core.errors import Forbidden
from ragstone.core.types import Scope
from ragstone.engine import Engine
from ragstone.engine.shared_parts import SharedParts
from ragstone.retrieval.store_timeout import limit_store_time

KEPT = 1024  # engines; each is a few kilobytes, since stores and models are shared


class EnginePool:
    """Gives an engine for each combination of key, tenant and collection, and keeps the latest ones.

    Every method of an engine checks its caller's key anew, so that a kept engine admits nobody whose key was revoked.
    """

    def __init__(self, settings: Settings, shared: SharedParts | None = None) -> None:
        self.settings = settings
        self._own = shared is None
        self.shared = shared or SharedParts()
        self._kept: OrderedDict[tuple[bytes | None, str | None, str, bool], Engine] = OrderedDict()

    async def open(
        self, *, key: str | None = None, tenant: str | None = None, collection: str | None = None, trusted: bool = False
    ) -> Engine:
        """The engine of the owner of a key or token, signed in; without a key, of `tenant` if the caller is `trusted`.

        Raises `Unauthorized` for a key that is missing or not accepted, `Forbidden` where `tenant` is not the key's.
        """
        name = collection or self.settings.collection
        Scope(tenant or self.settings.tenant, name)  # a name that is none is refused before anything is kept
        digest, named = (None, tenant) if key is None else (sha256(key.encode()).digest(), None)
        identity = (digest, named, name, trusted)
        engine = self._kept.get(identity)
        if engine is None:
            engine = self._make(key, named, name, trusted=trusted)
        async with limit_store_time(self.settings.deadlines):  # keys are in the store
            await engine.sign_in()
        if key is not None and tenant is not None and tenant != engine.scope.tenant:
            raise Forbidden("tenant_id names another tenant than this key's: leave it out")
        self._kept[identity] = engine
        self._kept.move_to_end(identity)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)  # its parts are shared, so a request that still uses it goes on
        return engine

    def _make(self, key: str | None, tenant: str | None, collection: str, *, trusted: bool) -> Engine:
        settings = replace(
            self.settings,
            key=key,
            tenant=tenant or self.settings.tenant,
            collection=collection,
            access=replace(self.settings.access, trusted=trusted),
        )
        return Engine(settings, shared=self.shared)

    async def close(self) -> None:
        """Close stores and models, unless they were handed in."""
        self._kept.clear()
        if self._own:
            await self.shared.close()
