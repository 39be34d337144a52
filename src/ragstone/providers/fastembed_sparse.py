"""Models of sparse vectors by name through fastembed, run on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from ragstone.core.errors import ConfigError, Unavailable
from ragstone.core.ports import SparseVector
from ragstone.providers.fastembed_loading import load_fastembed_model
from ragstone.providers.loaded_model import LoadedModel
from ragstone.providers.sparse_vectors import find_sparse_problems, make_sparse_vector
from ragstone.providers.wire_format import Kind


class LocalSparseEncoder:
    """Makes sparse vectors with a model of fastembed; implements `SparseEncoder`. The model loads at first use;
    `folder` holds its files, else the cache does, and missing files are downloaded unless `offline`."""

    def __init__(self, *, model: str, folder: str | None = None, offline: bool = False) -> None:
        self.model = f"fastembed/{model}"
        load = partial(_load, model, folder=folder, offline=offline)
        self._network: LoadedModel[Any] = LoadedModel(load, threads=1, name="fastembed-sparse")

    def start_loading(self) -> Future[Any]:
        """Begin to load on a thread and return at once; further calls give the same future, unless it has failed."""
        return self._network.start_loading()

    async def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> list[SparseVector]:
        """A vector for each text; see `ragstone.core.ports.SparseEncoder`."""
        network, pool = await self._network.wait()
        # One text a call: so a deadline ends the work after the text that has begun.
        run = asyncio.get_running_loop().run_in_executor
        return list(await asyncio.gather(*(run(pool, _encode_text, network, text, kind) for text in texts)))

    async def check(self) -> list[str]:
        """The problems that keep it from working; loads the model, which may download it."""
        return await find_sparse_problems(self)

    async def close(self) -> None:
        """Give back thread and memory; the next call would load again."""
        self._network.close()


def _load(name: str, *, folder: str | None, offline: bool) -> Any:
    """The model. Raises `ConfigError` for one whose weights need statistics of the collection."""
    loaded = load_fastembed_model("sparse", name, folder=folder, offline=offline)
    cards = {str(card["model"]): card for card in loaded.list_supported_models()}
    if cards.get(name, {}).get("requires_idf"):
        raise ConfigError(
            f"sparse.model fastembed/{name}: its weights need the statistics of a collection, which Ragstone's BM25 "
            "has already; use a model such as fastembed/prithivida/Splade_PP_en_v1"
        )
    return loaded


def _encode_text(network: Any, text: str, kind: Kind) -> SparseVector:
    found = network.query_embed([text]) if kind == "query" else network.embed([text], batch_size=1)
    one = next(iter(found))
    try:
        return make_sparse_vector(zip(one.indices.tolist(), one.values.tolist(), strict=True))
    except ValueError as error:
        raise Unavailable(f"the model of sparse vectors gave {error}") from error
