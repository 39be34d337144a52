"""HTTP/1.1 that waits for no client for ever."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEADER_SECONDS = 15.0  # that a client may take to send the head of a request


class PatientProtocol(H11Protocol):
    """Closes a connection on which the head of the first request does not come in time; later ones have the time of
    an idle connection."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the head of a request."""
        super().connection_made(transport)
        self._head = asyncio.get_running_loop().call_later(HEADER_SECONDS, self._give_up)

    def handle_events(self) -> None:
        """The head has come when there is a request."""
        super().handle_events()
        if self.cycle is not None:
            self._head.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._head.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection, after the response to its running request: the client learns from that response to
        send no other one here, which nobody would answer."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_started:
            cycle.default_headers = [*cycle.default_headers, (b"connection", b"close")]
        super().shutdown()

    def _give_up(self) -> None:
        self.transport.close()
