"""Requests to one model of a vendor whose replies are not streamed: bounded in time, tried again where that helps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from ragstone.core.errors import Unavailable
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.http import HttpTransport
from ragstone.providers.retries import Attempts, TransientError
from ragstone.providers.wire_format import WireRequest

R = TypeVar("R")


class Credentials(Protocol):
    """The part of a vendor's wire format that every request needs."""

    mend: str

    def headers(self, key: str | None) -> dict[str, str]: ...


class VendorLine:
    """One model of a vendor; connected when it is first asked."""

    def __init__(self, endpoint: Endpoint, wire_format: Credentials, *, model: str) -> None:
        """Raises `ConfigError` for an invalid address."""
        self._endpoint = endpoint.validate()
        self._wire_format = wire_format
        self._model = model
        self._transport: HttpTransport | None = None

    @property
    def name(self) -> str:
        """The name of the model for messages."""
        return self._endpoint.describe_model(self._model)

    async def ask(self, call: WireRequest, parse: Callable[[Any], R]) -> R:
        """The reply as `parse` reads it. Raises `UsageError` for a request that is refused, `Unavailable` for a
        vendor that fails, or whose reply `parse` cannot read."""
        reply = await self._fetch(call)
        try:
            return parse(reply)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            why = f"{error}" if type(error) is ValueError else f"{type(error).__name__}: {error}"
            raise self.describe_nonsense(why) from error

    async def _fetch(self, call: WireRequest) -> Any:
        attempts, endpoint = Attempts(self._endpoint), self._endpoint
        while True:
            try:
                try:
                    async with asyncio.timeout_at(attempts.deadline_after(asyncio.get_running_loop().time())):
                        return await self._open_transport().fetch_value(call)
                except TimeoutError:
                    said = f"{self.name} sent nothing for {endpoint.timeout:g} s ({endpoint.group}.timeout)"
                    raise TransientError(said) from None
            except TransientError as failure:
                await attempts.wait_before_retry(failure)

    def describe_nonsense(self, why: str) -> Unavailable:
        """An error for a reply that makes no sense."""
        return self._open_transport().protocol_error(why)

    async def close(self) -> None:
        """Give back the connections; the next request would open new ones."""
        if self._transport is not None:
            await self._transport.close()

    def _open_transport(self) -> HttpTransport:
        if self._transport is None:
            headers = self._wire_format.headers(self._endpoint.require_key())
            mend = self._wire_format.mend.replace("MODEL", self._model)
            self._transport = HttpTransport(self._endpoint, headers, model=self._model, mend=mend)
        return self._transport
