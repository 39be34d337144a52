"""Runs the server: sockets, processes, certificates, signals."""

import contextlib
import logging
import math
import multiprocessing
import os
import resource
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from ragstone.config.environment import ignored_variables, set_for_children
from ragstone.config.settings import Settings
from ragstone.core.unix_address import UNIX
from ragstone.engine.tracing import check_tracing
from ragstone.server.app import create_app
from ragstone.server.certificate import Certificate
from ragstone.server.listening import listen
from ragstone.server.logs import write_json_logs
from ragstone.server.metrics import Metrics
from ragstone.server.protocol import PatientProtocol
from ragstone.server.reload import Configuration
from ragstone.server.startup import Startup, check_alone
from ragstone.server.state import is_loopback, trusts_callers

log = logging.getLogger("ragstone.start")

POLL_SECONDS = 0.05  # between two looks at processes that end
KEEP_ALIVE = 30  # seconds that an idle connection stays open
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client when a process of several imports it
FILES = 65_536  # open files that the server asks for: each connection is one


def run_server(
    configuration: Configuration, tell: Callable[[str], None], *, loading: list[object] | None = None
) -> None:
    """Serve until a signal: then no connection is taken, running requests end within `serve.drain` seconds, and a
    second signal ends at once. `tell` gets what a person should know at the start; `loading` holds models that load
    already, and is empty when all is ready.

    Raises `UsageError` for a port that is in use, an address that is none, a certificate that does not fit.
    """
    settings = configuration.load()
    while ignored_variables:
        tell(f"warning: {ignored_variables.pop(0)}")
    _check_exposure(settings, tell)
    certificate = _find_certificate(settings)
    check_tracing(settings.traces)
    _raise_file_limit()
    with listen(settings) as (sock, shown):
        tell(f"listening on {shown}")
        if settings.serve.workers > 1:
            write_json_logs()  # as the processes that serve do
            check_alone(settings, loading)
            with tempfile.TemporaryDirectory(prefix="ragstone-metrics-") as folder:
                set_for_children(METRICS_FOLDER, folder)
                _Supervisor(_make_config(settings, configuration, certificate, folder), [sock]).run()
        else:
            _serve_alone(settings, configuration, certificate, sock, loading)


def _serve_alone(
    settings: Settings,
    configuration: Configuration,
    certificate: Certificate | None,
    sock: socket.socket,
    loading: list[object] | None,
) -> None:
    """Serve in this process; raises what keeps it from starting."""
    startup = _make_startup(settings, loading)
    server = _Server(_make_config(settings, configuration, certificate, startup=startup))
    startup.stop = lambda: server.handle_exit(signal.SIGTERM, None)
    server.handle_hang_up()
    server.run([sock])
    if startup.failure is not None:
        raise startup.failure


def _make_startup(settings: Settings, loading: list[object] | None = None) -> Startup:
    return Startup(settings.serve.start_wait, loading=loading)


class _Server(uvicorn.Server):
    """The server of the only process."""

    def handle_hang_up(self) -> None:
        """End when the terminal is closed; uvicorn looks after the other signals. Another thread hears none, nor is
        what nohup started ended."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  # every signal means the end
        """The first signal ends it when running requests have ended, the second at once."""
        self.force_exit = self.should_exit
        self.should_exit = True


class _Supervisor(Multiprocess):
    """Keeps several processes alive; the second signal kills them."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        hang_up = signal.getsignal(signal.SIGHUP)
        super().__init__(config, sockets)
        if hang_up is signal.SIG_IGN:  # nohup
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def handle_hup(self) -> None:
        """The terminal is closed: end."""
        self.handle_term()

    def init_processes(self) -> None:
        """Start the processes."""
        with _withhold_terminal():
            super().init_processes()

    def keep_subprocess_alive(self) -> None:
        """Start a process for each that was killed, with the certificate that fitted last."""
        if isinstance(self.config, _Config) and self.config.certificate is not None:
            self.config.certificate.refresh()
        with _withhold_terminal():
            super().keep_subprocess_alive()

    def terminate_all(self) -> None:
        """Tell the processes to end. They close their own copies of the sockets; the one that is left would take
        connections that nobody serves."""
        for sock in self.sockets:
            sock.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for the processes to end."""
        while any(process.process.is_alive() for process in self.processes):
            if any(sig in (signal.SIGINT, signal.SIGTERM) for sig in self.signal_queue):
                for process in self.processes:
                    process.process.kill()
            time.sleep(POLL_SECONDS)
        super().join_all()


@contextlib.contextmanager
def _withhold_terminal() -> Iterator[None]:
    """Processes that are started meanwhile never hear Ctrl-C or that the terminal is closed, which go to all of a
    group: their parent tells them to end."""
    resource_tracker.ensure_running()  # which lets signals through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _AppFactory:
    """Makes the application in the process that serves it."""

    def __init__(
        self,
        settings: Settings,
        configuration: Configuration | None,
        certificate: Certificate | None,
        folder: str | None,
        startup: Startup | None,
    ) -> None:
        self._settings = settings
        self._configuration = configuration
        self._certificate = certificate
        self._folder = folder
        self._startup = startup

    def __call__(self) -> FastAPI:
        _end_with_parent()
        metrics = Metrics(Path(self._folder)) if self._folder else None
        # One of several processes: all was checked before, so that what is away now comes back.
        startup = self._startup or Startup(math.inf, tell=log.debug)
        return create_app(
            self._settings,
            configuration=self._configuration,
            certificate=self._certificate,
            metrics=metrics,
            startup=startup,
        )


class _Config(uvicorn.Config):
    """How uvicorn listens; its handshakes take the certificate that is in force."""

    certificate: Certificate | None = None

    def load(self) -> None:
        """Make the context of TLS and the application."""
        write_json_logs()
        if self.certificate is None:
            super().load()
            return
        with self.certificate.open_fitting() as (self.ssl_certfile, self.ssl_keyfile):
            super().load()
        if self.ssl is not None:
            self.certificate.attach(self.ssl)


def _end_with_parent() -> None:
    """One of several processes ends when the one that keeps them is gone, killed perhaps."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait_for_end() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait_for_end, name="ragstone-parent", daemon=True).start()


def _make_config(
    settings: Settings,
    configuration: Configuration | None = None,
    certificate: Certificate | None = None,
    folder: str | None = None,
    startup: Startup | None = None,
) -> uvicorn.Config:
    serve = settings.serve
    config = _Config(
        _AppFactory(settings, configuration, certificate, folder, startup),
        factory=True,
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        workers=serve.workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(serve.drain),
        ssl_certfile=serve.cert_file,
        ssl_keyfile=serve.key_file,
    )
    config.certificate = certificate
    return config


def _check_exposure(settings: Settings, tell: Callable[[str], None]) -> None:
    """Where nobody needs a key only this machine may reach the server, unless the settings say that all are trusted."""
    address = settings.serve.listen_address
    if trusts_callers(settings):
        what = "anyone who reaches this server" if not is_loopback(address) else "every program of this machine"
        tell(f"no key is needed: {what} may read and write. Set access.trusted to false to require keys")
    elif settings.access.trusted is None and settings.access.jwt is None:
        why = "a proxy may lead others through" if address.startswith(UNIX) else "others can reach"
        tell(f"a key is needed, because {why} {address}: ragstone keys create")


def _find_certificate(settings: Settings) -> Certificate | None:
    """The certificate of the settings, if they name one; raises `ConfigError` for one that cannot be used."""
    cert, key = settings.serve.cert_file, settings.serve.key_file
    if cert is None or key is None:
        return None
    certificate = Certificate(cert, key)
    certificate.load()
    return certificate


def _raise_file_limit() -> None:
    """As many connections as the system lets this process have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
