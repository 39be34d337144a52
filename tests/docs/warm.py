"""`ragstone` without waiting for its imports: each command is a fork of one process that has made them. A vector that
a command has computed is read by those after it, for most pages ingest the same documents.

Started as a program it serves: `python -m tests.docs.warm SOCKET [MODULE …]` imports those modules too, says "ready",
then runs whatever CLIENT asks for, with the caller's streams, folder and environment, and gives back its status.
"""

import hashlib
import marshal
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import ragstone.cli
from ragstone.config.environment import silence_telemetry
from ragstone.providers.minilm.model import MiniLM
from tests.docs.blocks import ROOT
from tests.forked import bury

# What most commands import when they use it.
LATER = (
    "numpy",
    "numpy.ma",
    "onnxruntime",
    "pyromark",
    "Stemmer",
    "tokenizers",
    "ragstone.answering.extractive_answer",
    "ragstone.answering.plain_text",
    "ragstone.answering.written_answer",
    "ragstone.chunking.structure",
    "ragstone.engine.blocking",
    "ragstone.engine.json_views",
    "ragstone.extraction.markdown",
    "ragstone.extraction.markdown.parse",
    "ragstone.extraction.sandbox.pool",
    "ragstone.guard.injection",
    "ragstone.ingestion.run",
    "ragstone.providers.minilm.model",
    "ragstone.providers.minilm.network",
    "ragstone.retrieval.search",
    "ragstone.stores.embedded",
)
CLIENT = """
import _socket, marshal, os, sys  # built in: each command starts this once
line = _socket.socket(_socket.AF_UNIX)
line.connect(sys.argv[1])
asked = marshal.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)])
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
line.sendmsg([len(asked).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
line.sendall(asked)
sys.exit(line.recv(1)[0])
"""


@contextmanager
def serving(*modules: str, env: Mapping[str, str]) -> Iterator[str]:
    """The socket of a process that has imported what commands need, and these modules."""
    with tempfile.TemporaryDirectory() as folder:  # a short path: a socket's name may have 100 characters
        place = f"{folder}/socket"
        command = [sys.executable, "-m", "tests.docs.warm", place, *modules]
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            try:
                yield place
            finally:
                process.kill()


def main() -> None:
    """Serve until the caller ends this process."""
    silence_telemetry()  # before onnxruntime
    commands = [module.name for module in pkgutil.iter_modules(ragstone.cli.__path__, "ragstone.cli.")]
    for module in [*commands, *LATER, *sys.argv[2:]]:
        import_module(module)
    _keep_vectors(Path(sys.argv[1]).parent)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen()
        print("ready", flush=True)
        while True:
            line, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _answer(line)
            line.close()
            bury()


def _keep_vectors(folder: Path) -> None:
    """The built-in model takes one text at a time, so its vector is the same in each command."""
    compute = MiniLM._compute_vector

    def read_or_compute(self: MiniLM, session: Any, text: str) -> Any:
        place = folder / hashlib.sha256(f"{self.variant} {text}".encode()).hexdigest()
        if place.exists():
            return np.frombuffer(place.read_bytes(), np.float32)
        vector = compute(self, session, text)
        written = place.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        written.write_bytes(vector.tobytes())
        written.replace(place)  # whole, also where the command is killed
        return vector

    MiniLM._compute_vector = read_or_compute  # type: ignore[method-assign]


def _answer(line: socket.socket) -> None:
    """In a process that waits for the command's own: its status goes back when all of it has ended."""
    size, streams, _, _ = socket.recv_fds(line, 4, 3)
    words, folder, environment = marshal.loads(line.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    if os.fork() == 0:
        line.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin = os.fdopen(0, encoding="utf-8")  # those of before know what kind of file they were
        sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1, encoding="utf-8") for number in (1, 2))
        os.chdir(folder)
        sys.path[0] = folder
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["ragstone", *words]
        ragstone.cli.main()  # ends in SystemExit
    line.sendall(bytes([os.waitstatus_to_exitcode(os.wait()[1]) & 0xFF]))
    os._exit(0)


if __name__ == "__main__":
    main()
