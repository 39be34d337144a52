"""The line to Qdrant: opened when first needed, every call tried again while that may help."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import TypeVar

from qdrant_client import AsyncQdrantClient

from ragstone.core.errors import RagstoneError, StoreError, StoreNotReady
from ragstone.stores.outage import Outage
from ragstone.stores.qdrant import error_mapping
from ragstone.stores.qdrant.url import QdrantUrl

T = TypeVar("T")
PATIENCE = 30.0  # seconds for a server that no longer answers: as long as a restart takes
FIRST_PATIENCE = 1.0  # seconds for one that has not answered yet: a wrong URL, mostly
PING_PATIENCE = 0.3  # seconds for one that is only asked whether it is there
BUSY_PATIENCE = 5.0  # seconds for one that takes connections, and for one that is only asked again whether it is there
QUESTION_PATIENCE = 5.0  # seconds that a question waits; after that its words alone are searched
RETRY_PAUSES = (0.1, 0.25, 0.5, 1.0, 2.0)  # seconds between tries; the last one again and again
MAX_VERSION_GAP = 1  # minor versions between client and server that Qdrant promises to work


def make_client(url: QdrantUrl) -> AsyncQdrantClient:
    """A client for a URL; nothing is sent yet."""
    if url.local == ":memory:":
        return AsyncQdrantClient(location=":memory:")
    if url.local is not None:
        # Its calls come one after the other. Else the client asks SQLite about threads and leaves that connection open.
        return AsyncQdrantClient(path=url.local, force_disable_check_same_thread=True)
    return AsyncQdrantClient(
        host=url.host,
        grpc_port=url.port,
        prefer_grpc=True,
        https=url.tls,
        # Not as api_key=: the client would warn of every key without TLS, on a loopback too.
        headers={} if url.api_key is None else {"api-key": url.api_key},
        timeout=url.timeout,
        # Nothing goes by HTTP; to read the certificates for it took longer than all else here.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        check_compatibility=False,  # it asks by HTTP on another port; see `Client.version_note`
        # Vectors of a thousand points are some 10 MB in one message.
        grpc_options={"grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1},
    )


class QdrantConnection:
    """Qdrant's client within our rules: one event loop, our errors, patience."""

    def __init__(self, url: QdrantUrl, connect: Callable[[QdrantUrl], AsyncQdrantClient] = make_client) -> None:
        self.url = url
        self._connect = connect
        self._client: AsyncQdrantClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._version: str | None = None
        self._closed = False
        self._silent = 0.0  # until when no answer is expected
        self._outage = Outage(self._knock, lost=(OSError, TimeoutError), explain=self._explain_silence)
        self._answered = False

    @property
    def is_local(self) -> bool:
        """Whether there is no server: indexes are not made then, for they would do nothing."""
        return self.url.local is not None

    async def call(
        self, work: Callable[[AsyncQdrantClient], Awaitable[T]], *, hasty: bool = False, first: float = FIRST_PATIENCE
    ) -> T:
        """Do idempotent work, again if that may help; raises our errors only. A question is `hasty`: it waits less,
        and not at all while no server takes a connection, or where the call before it has just waited in vain.
        `first`: seconds before any answer."""
        patience = (QUESTION_PATIENCE if hasty else PATIENCE) if self._answered else first
        if time.monotonic() < self._silent and (hasty or not self._answered):
            patience = 0.0
        end = time.monotonic() + patience
        tries = 0
        while True:
            if hasty:
                self._outage.check()
            client = self._get_client()
            try:
                done = await work(client)
                self._answered = True
                self._outage.note_answer()
                return done
            except RagstoneError:
                raise
            except error_mapping.FOREIGN as error:
                pause = RETRY_PAUSES[min(tries, len(RETRY_PAUSES) - 1)]
                self._note_failure(error)
                if not error_mapping.is_transient(error) or time.monotonic() + pause > end:
                    self._silent = time.monotonic() + (QUESTION_PATIENCE if error_mapping.is_transient(error) else 0.0)
                    raise error_mapping.translate_error(error, self.url.shown) from error
            await asyncio.sleep(pause)
            tries += 1

    def _note_failure(self, error: Exception) -> None:
        """Look for a server that nobody reached."""
        if error_mapping.is_unreached(error) and not self.is_local:
            self._outage.suspect()

    def _get_client(self) -> AsyncQdrantClient:
        if self._closed:
            raise StoreError(f"{self.url.shown} is closed: open the store anew")
        loop = asyncio.get_running_loop()
        if self._client is None or (self._loop is not loop and not self.is_local):
            try:
                self._client = self._connect(self.url)
            except error_mapping.FOREIGN as error:  # the local folder is another process's
                raise error_mapping.translate_error(error, self.url.shown) from error
            self._loop = loop
        return self._client

    async def ping(self) -> None:
        """Raise `StoreError` where no server answers: within a second where none takes a connection, for a busy one
        answers late; `StoreNotReady` where its host has no address."""
        if self.is_local:
            return
        is_there = self._answered or await self._takes_connections()
        seconds = BUSY_PATIENCE if is_there else FIRST_PATIENCE
        try:
            async with asyncio.timeout(seconds):
                await self.call(lambda client: client.info(), hasty=True, first=PING_PATIENCE)
        except StoreError as error:
            if error_mapping.is_unknown_host(error.__cause__):
                raise StoreNotReady(f"{self.url.shown}: there is no such host; check the URL") from error
            raise
        except TimeoutError as error:
            kind, words = error_mapping.SILENT
            raise kind(words.format(place=self.url.shown, error=f"nothing came in {seconds:g} s")) from error

    async def _takes_connections(self) -> bool:
        try:
            await self._knock()
        except (OSError, TimeoutError):
            return False
        return True

    async def _knock(self) -> None:
        """Take a connection and give it up."""
        async with asyncio.timeout(FIRST_PATIENCE):
            _, line = await asyncio.open_connection(self.url.host, self.url.port)
        line.close()

    def _explain_silence(self, error: Exception) -> RagstoneError:
        kind, words = error_mapping.SILENT
        return kind(words.format(place=self.url.shown, error=str(error) or "it takes no connections"))

    async def check_version(self) -> str | None:
        """A sentence when server and client are further apart than Qdrant supports."""
        if self.is_local:
            return None
        if self._version is None:
            self._version = (await self.call(lambda client: client.info(), hasty=True)).version
        ours = version("qdrant-client")
        if _are_compatible(ours, self._version):
            return None
        return (
            f"the Qdrant server is {self._version}, the client {ours}; Qdrant supports one minor version between them"
        )

    async def close(self) -> None:
        """Close the line; nothing can be asked after."""
        client, self._client, self._closed = self._client, None, True
        await self._outage.close()
        if client is not None and (self.is_local or self._loop is asyncio.get_running_loop()):
            await client.close()


def _are_compatible(ours: str, theirs: str) -> bool:
    """Whether two versions may work together; what cannot be read may."""
    try:
        (major, minor), (other, others) = ([int(part) for part in one.split(".")[:2]] for one in (ours, theirs))
    except ValueError:
        return True
    return major == other and abs(minor - others) <= MAX_VERSION_GAP
