"""A Ray cluster of three machines: one begins the run, two work, and one of these is lost while it works.

Each machine is a network of its own on this one, with a folder of its own to work in. It needs root and `ip`, and runs
by `make ray` alone.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

import ragstone
from tests.ingestion.test_ray import WANTED
from tests.patience import HANG, until

ROOT = Path(__file__).parents[2]
ALLOWED = WANTED and os.geteuid() == 0 and shutil.which("ip") is not None
pytestmark = pytest.mark.skipif(not ALLOWED, reason="makes networks for a Ray cluster: make ray, as root")
DOCUMENTS = 300
PORT = 26401
STARTED = "Ray runtime started"
SIZES = ("--object-store-memory=100000000", "--disable-usage-stats")


class Machines:
    """Networks that are connected, and the commands that run in each. The first one begins the runs."""

    def __init__(self, stack: ExitStack, folder: Path, count: int) -> None:
        self._stack, self._folder = stack, folder
        self._names = [f"rs{os.getpid()}-{n}" for n in range(count)]
        shared = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
        self._environment = os.environ | shared | {"PYTHONPATH": f"{ROOT / 'src'}:{os.environ.get('PYTHONPATH', '')}"}
        for name in self._names:
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "del", name)
            _ip("-n", name, "link", "set", "lo", "up")
        first = self._names[0]
        _ip("-n", first, "link", "add", "br0", "type", "bridge")
        _ip("-n", first, "addr", "add", f"{self.address(0)}/24", "dev", "br0")
        _ip("-n", first, "link", "set", "br0", "up")
        for n, name in enumerate(self._names[1:], 1):
            _ip("-n", first, "link", "add", f"p{n}", "type", "veth", "peer", "name", "e0", "netns", name)
            _ip("-n", first, "link", "set", f"p{n}", "master", "br0", "up")
            _ip("-n", name, "addr", "add", f"{self.address(n)}/24", "dev", "e0")
            _ip("-n", name, "link", "set", "e0", "up")

    def address(self, n: int) -> str:
        return f"10.201.77.{n + 1}"

    def start(self, n: int, *command: str, printed: Path) -> "subprocess.Popen[bytes]":
        """A command of Python on one machine, in a working folder of its own; stdout goes to `printed`."""
        place = self._folder / f"machine-{n}"
        place.mkdir(exist_ok=True)
        whole = ["ip", "netns", "exec", self._names[n], sys.executable, *command]
        with printed.open("wb") as out, printed.with_suffix(".err").open("wb") as errors:
            process = subprocess.Popen(whole, cwd=place, env=self._environment, stdout=out, stderr=errors)
        self._stack.callback(process.wait)
        self._stack.callback(self.kill, n)
        return process

    def list_processes(self, n: int) -> list[int]:
        told = subprocess.run(["ip", "netns", "pids", self._names[n]], capture_output=True, text=True, check=True)
        return [int(pid) for pid in told.stdout.split()]

    def kill(self, n: int) -> None:
        """End all that runs on a machine at once."""
        for pid in self.list_processes(n):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def is_working(self, n: int) -> bool:
        """Whether documents are worked on there now."""
        for pid in self.list_processes(n):
            with suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::MapBatches"):
                    return True
        return False


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """The machines of a cluster that is up; the first one works on nothing itself."""
    with ExitStack() as stack, _short_folder() as session:
        made = Machines(stack, tmp_path, 3)
        ray = ("-m", "ray.scripts.scripts", "start")
        head = (f"--node-ip-address={made.address(0)}", f"--port={PORT}", f"--temp-dir={session}", "--num-cpus=0")
        log = tmp_path / "head.log"
        begun = made.start(0, *ray, "--head", *head, "--include-dashboard=false", *SIZES, printed=log)
        assert begun.wait(HANG) == 0, log.read_text()
        for n in (1, 2):
            place = (f"--address={made.address(0)}:{PORT}", f"--node-ip-address={made.address(n)}")
            log = tmp_path / f"{n}.log"
            begun = made.start(n, *ray, *place, "--num-cpus=2", "--block", *SIZES, printed=log)
            assert until(lambda log=log, begun=begun: STARTED in log.read_text() or begun.poll() is not None)  # type: ignore[misc]
            assert begun.poll() is None, log.read_text()
        yield made


@contextmanager
def _short_folder() -> Iterator[str]:
    """For sockets, whose names may have 100 characters."""
    folder = f"/tmp/rs-{os.getpid()}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_a_machine_that_is_lost_loses_and_doubles_nothing(machines: Machines, tmp_path: Path) -> None:
    folder = tmp_path / "machine-0" / "docs"
    folder.mkdir(parents=True)
    for number in range(DOCUMENTS):
        text = f"# Sluice {number}\n\nThe sluice number{number} opens at dawn.\n"
        (folder / f"{number:03}.md").write_text(text, encoding="utf-8")
    address = f"{machines.address(0)}:{PORT}"
    printed = tmp_path / "run.log"
    run = machines.start(0, "-m", "ragstone", "ingest", "docs", "--ray", address, "--json", printed=printed)
    assert until(lambda: machines.is_working(1))
    machines.kill(1)
    assert run.wait(4 * HANG) == 0, printed.with_suffix(".err").read_text()
    told = [json.loads(line) for line in printed.read_text().splitlines()]
    assert told[-1]["documents"] == {
        **dict.fromkeys(("changed", "moved", "unchanged", "removed", "skipped"), 0),
        "added": DOCUMENTS,
    }
    assert told[-1]["embedded"] == DOCUMENTS
    with ragstone.open(tmp_path / "machine-0" / ".ragstone") as kb:
        assert [(one.path, one.revision) for one in kb.documents()] == [(f"{n:03}.md", 1) for n in range(DOCUMENTS)]
        info = kb.info()
        assert (info.chunks, info.pending_vectors) == (DOCUMENTS, 0)
        assert kb.search("sluice number217 opens").hits[0].chunk.document.path == "217.md"
        assert kb.doctor() == []
