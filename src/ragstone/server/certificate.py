"""The certificate of the server, which is renewed without a restart."""

import asyncio
import logging
import ssl
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

    def load(self) -> ssl.SSLContext:
        """A context of the files as they are now; raises `ConfigError` for files that do not fit each other."""
        cert, key = self._files
        for name, file in (("cert_file", cert), ("key_file", key)):
            try:
                with open(file, "rb"):
                    pass
            except OSError as error:
                raise ConfigError(f"serve.{name} {file} cannot be read: {error.strerror}") from error
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(cert, key, password="")
        except OSError as error:  # of OpenSSL, or of a file that has gone since it was opened
            reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
            what = FAULTS.get(reason or "", "they must be PEM files, the key without a password")
            raise ConfigError(f"the certificate {cert} with the key {key} cannot be used: {what}") from error
        return context

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
                self.problem = str(error)
                log.error("the certificate was not loaded again: %s", error)
            else:
                self.problem = None
                log.warning("the certificate was loaded again")
