"""Connections while the server ends."""

import asyncio
from typing import Any

import httpx2
import uvicorn
from uvicorn.server import ServerState

from ragstone.server.protocol import PatientProtocol


async def test_a_response_while_the_server_ends_tells_its_client_to_close() -> None:
    """A client that kept the connection sent its next request there, and got an error in place of a response."""
    begun, going = asyncio.Event(), asyncio.Event()

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        begun.set()
        await going.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config, state = uvicorn.Config(answer, http=PatientProtocol, lifespan="off", log_config=None), ServerState()
    config.load()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: PatientProtocol(config, state, {}), "127.0.0.1", 0)
    async with server, httpx2.AsyncClient() as client:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        asking = asyncio.ensure_future(client.get(url))
        await begun.wait()
        [connection] = state.connections
        connection.shutdown()
        going.set()
        reply = await asking
        assert (reply.text, reply.headers["connection"]) == ("ok", "close")
        again = await client.get(url)
        assert "connection" not in again.headers
