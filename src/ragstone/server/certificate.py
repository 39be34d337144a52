"""The certificate of the server, which is renewed without a restart."""

import asyncio
import contextlib
import logging
import ssl
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ragstone.core.errors import ConfigError
from ragstone.server.reload import digest_files

log = logging.getLogger("ragstone")

POLL_SECONDS = 1.0
FAULTS = {"KEY_VALUES_MISMATCH": "the key is that of another certificate"}


class Certificate:
    """Two PEM files, and the context that was made from them last. Connections that are open keep the certificate that
    they began with."""

    def __init__(self, cert: str, key: str) -> None:
        self.problem: str | None = None
        self._files = (cert, key)
        self._known = digest_files([Path(cert), Path(key)])
        self._current: ssl.SSLContext | None = None  # is made in the process that serves
        self._kept: tuple[bytes, ...] | None = None  # the files that fitted last

    def load(self) -> ssl.SSLContext:
        """A context of the files as they are now; raises `ConfigError` for files that do not fit each other."""
        cert, key = self._files
        read = self._read()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(cert, key, password="")
        except OSError as error:  # of OpenSSL, or of a file that has gone since it was opened
            reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
            what = FAULTS.get(reason or "", "they must be PEM files, the key without a password")
            raise ConfigError(f"the certificate {cert} with the key {key} cannot be used: {what}") from error
        if read == self._read():  # nobody wrote meanwhile
            self._kept = read
        return context

    def _read(self) -> tuple[bytes, ...]:
        found = []
        for name, file in zip(("cert_file", "key_file"), self._files, strict=True):
            try:
                found.append(Path(file).read_bytes())
            except OSError as error:
                raise ConfigError(f"serve.{name} {file} cannot be read: {error.strerror}") from error
        return tuple(found)

    def refresh(self) -> None:
        """Keep a renewed certificate for processes that start later."""
        now = digest_files(list(self._known))
        if now != self._known:
            self._known = now
            with contextlib.suppress(ConfigError):  # the processes that serve tell of it
                self.load()

    @contextlib.contextmanager
    def open_fitting(self) -> Iterator[tuple[str, str]]:
        """Paths of a certificate and its key: the files, or copies of those that fitted last, which are there until the
        block ends. A process that takes the place of a killed one starts with them."""
        self._known = digest_files(list(self._known))
        try:
            self.load()
        except ConfigError as error:
            if self._kept is None:
                raise
            self._tell(error)
            with tempfile.TemporaryDirectory(prefix="ragstone-tls-") as folder:  # nobody else may enter it
                copies = (str(Path(folder, "cert.pem")), str(Path(folder, "key.pem")))
                for copy, content in zip(copies, self._kept, strict=True):
                    Path(copy).write_bytes(content)
                yield copies
        else:
            yield self._files

    def _tell(self, error: ConfigError) -> None:
        self.problem = str(error)
        log.error("the certificate was not loaded again: %s", error)

    def attach(self, context: ssl.SSLContext) -> None:
        """Let each handshake of a listening context take the certificate that is in force then."""

        def choose(handshake: ssl.SSLObject | ssl.SSLSocket, _name: str | None, _context: ssl.SSLContext) -> None:
            if self._current is not None:
                handshake.context = self._current

        context.sni_callback = choose  # is asked without a name as well

    async def follow(self) -> None:
        """Put a changed certificate in force, for ever; one that does not fit leaves the former in force."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            now = await asyncio.to_thread(digest_files, list(self._known))
            if now == self._known:
                continue
            self._known = now
            try:
                self._current = await asyncio.to_thread(self.load)
            except ConfigError as error:  # half of it is written perhaps
                self._tell(error)
            else:
                self.problem = None
                log.warning("the certificate was loaded again")
