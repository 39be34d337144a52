"""A server on a Unix socket: asked through it, by keys, after a killed server, beside another."""

import os
import signal
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ragstone
from ragstone import Unavailable, UsageError
from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import Settings
from ragstone.server.listening import listen
from tests.commands import Run
from tests.server.conftest import QUESTION, Kept, serve_program


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its path is short: sockets allow about a hundred bytes."""
    return str(tmp_path_factory.mktemp("s") / "s.sock")


@pytest.mark.parametrize("workers", [1, 2])
def test_questions_go_through_the_socket(kept: Kept, place: str, workers: int) -> None:
    with serve_program("--store", kept.settings.store, "--host", f"unix:{place}", "--workers", workers) as served:
        assert served.url == f"unix:{place}"
        assert stat.S_IMODE(os.stat(place).st_mode) == 0o660
        with ragstone.connect(f"unix:{place}", key=kept.keys["read"]) as kb:
            assert "15 days" in kb.ask(QUESTION).text
            assert "final_answer" in {event.name for event in kb.events(QUESTION)}
        with ragstone.connect(f"unix:{place}") as kb, pytest.raises(UsageError, match="refuses the key"):
            kb.search(QUESTION)
        assert any("a proxy may lead others through unix:" in line for line in served.lines)
        assert served.stop() == 0
    assert not os.path.exists(place)


def test_a_killed_server_leaves_a_socket_that_the_next_one_takes(kept: Kept, run: Run, place: str) -> None:
    arguments = ("--store", kept.settings.store, "--host", f"unix:{place}")
    with serve_program(*arguments) as served:
        served.stop(signal.SIGKILL)
    with pytest.raises(Unavailable, match=r"unix:.* cannot be reached: Connection refused; is the server"):
        ragstone.connect(f"unix:{place}", key=kept.keys["read"]).search(QUESTION)
    with serve_program(*arguments) as served:
        done = run("serve", *arguments)
        assert done.status == 2
        assert "another server listens there; choose another path for --host" in done.err
        with ragstone.connect(served.url, key=kept.keys["read"]) as kb:  # the second one left it in place
            assert kb.search(QUESTION).hits


def test_a_path_that_cannot_be_a_socket_is_one_sentence(kept: Kept, run: Run, place: str, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("a file", "utf-8")
    for path, why in (
        (tmp_path / "notes.md", "another file has this name"),
        (Path(place).parent / "none" / "s", "No such file or directory"),
        (tmp_path / ("x" * 120), "too long"),
    ):
        done = run("serve", "--store", kept.settings.store, "--host", f"unix:{path}")
        assert done.status == 2
        assert why in done.err.splitlines()[-1]
    assert (tmp_path / "notes.md").read_text("utf-8") == "a file"


def test_of_servers_that_start_at_once_one_has_the_socket_and_answers(place: str) -> None:
    settings = Settings(serve=ServeSettings(listen_address=f"unix:{place}"))
    begin, end = threading.Barrier(4), threading.Barrier(4)

    def start() -> bool:
        begin.wait()
        try:
            with listen(settings):
                end.wait()
                with socket.socket(socket.AF_UNIX) as asked:
                    asked.connect(place)
                end.wait()
            return True
        except UsageError:
            end.wait()
            end.wait()
            return False

    for _ in range(40):
        with socket.socket(socket.AF_UNIX) as left:  # as by a killed server
            left.bind(place)
        with ThreadPoolExecutor(4) as pool:
            assert sum(future.result() for future in [pool.submit(start) for _ in range(4)]) == 1


@pytest.mark.parametrize("address", ["unix:", "unix:."])
def test_an_address_without_a_path_is_one_sentence(address: str) -> None:
    with (
        pytest.raises(UsageError, match="expected unix:PATH"),
        listen(Settings(serve=ServeSettings(listen_address=address))),
    ):
        pass


def test_a_certificate_on_a_socket_is_refused(place: str) -> None:
    serve = ServeSettings(listen_address=f"unix:{place}", cert_file="c.pem", key_file="k.pem")
    with pytest.raises(UsageError, match="a Unix socket has no use for a certificate"), listen(Settings(serve=serve)):
        pass
