"""The socket that the server listens on: an address and a port, or a Unix socket (`unix:PATH`) for programs of this
machine, such as a proxy."""

import contextlib
import errno
import fcntl
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstone.config.settings import Settings
from ragstone.core.errors import UsageError
from ragstone.core.unix_address import UNIX

BACKLOG = 2048  # connections that wait to be accepted
MODE = 0o660  # its owner and group may connect
LOCK_SECONDS = 5.0


@contextmanager
def listen(settings: Settings) -> Iterator[tuple[socket.socket, str]]:
    """A listening socket, and its address as people read it.

    Raises `UsageError` for a port or a path that is in use, and an address that is none.
    """
    serve = settings.serve
    if serve.listen_address.startswith(UNIX):
        path = _read_path(serve.listen_address)
        if serve.cert_file:
            raise UsageError("a Unix socket has no use for a certificate: remove serve.cert_file, or listen on a port")
        with contextlib.closing(_bind_path(path)) as sock:
            own = path.stat().st_ino
            try:
                yield sock, f"{UNIX}{path}"
            finally:
                with contextlib.suppress(OSError):  # another server may have taken the place
                    if path.stat().st_ino == own:
                        path.unlink()
        return
    with contextlib.closing(_bind_port(serve.listen_address.strip("[]"), serve.port)) as sock:
        host, port = sock.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        yield sock, f"{'https' if serve.cert_file else 'http'}://{shown}:{port}"


def _bind_port(address: str, port: int) -> socket.socket:
    try:
        [(family, kind, protocol, _, place), *_] = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
        sock = socket.socket(family, kind, protocol)  # asyncio sends at once (TCP_NODELAY) only where this says TCP
    except (OSError, UnicodeError) as error:
        raise UsageError(f"invalid listen_address {address!r:.80}: expected an address of this machine") from error
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(place)
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        other = "listen_address" if error.errno == errno.EADDRNOTAVAIL else "--port"
        raise UsageError(f"cannot listen on {address}:{port}: {error.strerror}; choose another {other}") from error
    return sock


def _read_path(address: str) -> Path:
    path = Path(address.removeprefix(UNIX))
    if not path.name:
        raise UsageError(f"invalid listen_address {address!r:.80}: expected unix:PATH")
    return path


def _bind_path(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _lock_folder(path.parent):
            _remove_left_socket(path)
            sock.bind(str(path))
            os.chmod(path, MODE)  # before anybody can connect
            sock.listen(BACKLOG)
        sock.setblocking(False)
    except (OSError, ValueError) as error:
        sock.close()
        what = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen on {UNIX}{path}: {what}; choose another path for --host") from error
    return sock


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """One server at a time: a socket that does not listen yet looks as if it were left. Others may hold a folder for
    all users locked, so the wait has an end."""
    held = os.open(folder, os.O_RDONLY)
    end = time.monotonic() + LOCK_SECONDS
    try:
        while time.monotonic() < end:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.01)
        yield
    finally:
        os.close(held)


def _remove_left_socket(path: Path) -> None:
    """Remove the socket that a killed server left; raises `OSError` where one answers, or the file is another."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise OSError(errno.EEXIST, "another file has this name")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise OSError(errno.EADDRINUSE, "another server listens there")
