"""Embeddings over all wires: OpenAI's by llama.cpp's server, Ollama's by a shim over it, Gemini's and Voyage's by
scripts of their references, fastembed in this process."""

import asyncio
import json
import re
import shutil
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragstone.config.vendors import VENDORS
from ragstone.core.errors import ConfigError, StoreError, Unavailable, UsageError
from ragstone.core.ports import Embedder
from ragstone.providers import check_embedder, make_embedder
from ragstone.providers.batching import embed_all
from ragstone.providers.embedding import VendorEmbedder
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.minilm import model as minilm
from ragstone.testing.embedders import EmbedderContract
from tests.providers.serving import backends
from tests.providers.serving.between import Backend, Between, Seen, standing
from tests.providers.serving.llama import KEY, MODEL

READS = 100
FAST = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in model's weights as fastembed wants them."""
    place = tmp_path_factory.mktemp("fast")
    shutil.copy(minilm.find_model_file(), place / "model.onnx")
    shutil.copy(Path(minilm.__file__).with_name("tokenizer.json"), place)
    files = {"tokenizer_config": {"model_max_length": 256, "pad_token": "[PAD]"}, "config": {"pad_token_id": 0}}
    for name, data in {**files, "special_tokens_map": {}}.items():
        (place / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return place


async def test_a_model_of_fastembed_gives_what_its_weights_say(folder: Path) -> None:
    texts = ["A cat sleeps on the stove.", "one two " * 300]
    theirs = make_embedder(f"fastembed/{FAST}", folder=str(folder), offline=True)
    ours = make_embedder("minilm", precision="fp32")
    assert np.allclose((await theirs.embed(texts) * await ours.embed(texts)).sum(axis=1), 1, atol=1e-4)
    assert theirs.reads == ours.reads
    await theirs.close()
    await ours.close()


async def test_a_model_of_fastembed_that_is_not_here_is_said() -> None:
    gone = make_embedder("fastembed/BAAI/bge-small-en-v1.5", folder="nowhere", offline=True)
    assert "cannot be loaded" in (await check_embedder(gone))[0]
    nope = make_embedder("fastembed/bge-small-en-v2", offline=True, reads=512)
    assert "did you mean BAAI/bge-small-en" in (await check_embedder(nope))[0]
    for model in (gone, nope):
        await model.close()


async def test_offline_fastembed_downloads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: tried.append(address))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **more: tried.append(address))
    model = make_embedder("fastembed/BAAI/bge-small-en-v1.5", offline=True)
    assert "embed.folder" in (await check_embedder(model))[0]
    assert tried == []
    await model.close()


def embedder_at(
    vendor: str, between: Between, *, below: str = "", model: str = MODEL, **changes: Any
) -> VendorEmbedder:
    """A vendor's embedder behind a server of the tests."""
    options = {name: changes.pop(name) for name in ("dimensions", "reads", "batch") if name in changes}
    reach = {"base_url": between.url + below, "key": KEY, "first": 0.001, **changes}
    made = make_embedder(
        f"{vendor}/{model}", reach=Endpoint(VENDORS[vendor], "embed", **reach), **{"reads": READS, **options}
    )
    assert isinstance(made, VendorEmbedder)
    return made


@asynccontextmanager
async def learnt(embedder: VendorEmbedder) -> AsyncIterator[VendorEmbedder]:
    """It has been asked once; closed when the block ends."""
    try:
        await embedder.learn()
        yield embedder
    finally:
        await embedder.close()


@pytest.fixture(scope="module")
def vectors() -> Iterator[backends.Vectors]:
    """The built-in model for servers of the tests: quick, and its vectors mean something."""
    model = make_embedder("minilm")
    yield lambda texts: asyncio.run(model.embed(texts)).tolist()
    asyncio.run(model.close())


class TestOpenAI(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    async def embedder(self, vectors: backends.Vectors) -> AsyncIterator[Embedder]:
        with standing(backends.openai(vectors)) as between:
            async with learnt(embedder_at("openai", between)) as embedder:
                yield embedder


class TestOllama(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    async def embedder(self, vectors: backends.Vectors) -> AsyncIterator[Embedder]:
        with standing(backends.ollama("", vectors)) as between:
            async with learnt(embedder_at("ollama", between)) as embedder:
                yield embedder


@pytest.mark.parametrize(("vendor", "below"), [("openai", "/v1"), ("ollama", "")])
async def test_a_real_server_gives_unit_vectors_in_order(llama_embedding: str, vendor: str, below: str) -> None:
    backend = {"openai": backends.relay, "ollama": backends.ollama}[vendor](llama_embedding)
    with standing(backend) as between:
        async with learnt(embedder_at(vendor, between, below=below)) as embedder:
            assert embedder.dimension == 576
            vectors = await embedder.embed(["a cat", "the sea"])
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
            # A server computes a batch in another order than one text.
            assert np.allclose(vectors[::-1], await embedder.embed(["the sea", "a cat"]), atol=2e-3)
            assert embedder.spent.prompt_tokens > 4


class TestGemini(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        with standing(backends.gemini) as between:
            async with learnt(embedder_at("gemini", between)) as embedder:
                yield embedder


class TestFast(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    async def embedder(self, folder: Path) -> AsyncIterator[Embedder]:
        model = make_embedder(f"fastembed/{FAST}", folder=str(folder), offline=True)
        yield model
        await model.close()


class TestVoyage(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        with standing(backends.voyage) as between:
            async with learnt(embedder_at("voyage", between)) as embedder:
                yield embedder


@pytest.fixture
def voyage() -> Iterator[Between]:
    with standing(backends.voyage) as between:
        yield between


def replying(data: Any) -> Backend:
    """A server that gives the same to everybody."""
    return lambda _seen: backends.line(data)


def given(vectors: Sequence[Sequence[Any]]) -> Backend:
    """A server that gives these vectors in OpenAI's shape."""
    return replying({"data": [{"embedding": vector, "index": n} for n, vector in enumerate(vectors)]})


async def test_texts_go_in_batches_and_come_back_in_order(voyage: Between) -> None:
    texts = [f"text {'a' * n}" for n in range(7)]
    async with learnt(embedder_at("voyage", voyage, batch=3)) as embedder:
        vectors = await embedder.embed(texts)
        assert [len(seen.json["input"]) for seen in voyage.requests] == [1, 3, 3, 1]
        assert np.allclose(vectors, [(await embedder.embed([text]))[0] for text in texts], atol=1e-6)
        assert embedder.spent.prompt_tokens == 1 + 2 * (7 * 2 - 1)  # one of them has nothing but `text`
        assert embedder.spent.requests == 4 + 7


@pytest.mark.parametrize(
    ("vendor", "backend", "asked", "said"),
    [
        ("voyage", backends.voyage, "input_type", ["document", "query"]),
        ("gemini", backends.gemini, "taskType", ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]),
    ],
)
async def test_documents_and_questions_are_told_apart(
    vendor: str, backend: Backend, asked: str, said: list[str]
) -> None:
    with standing(backend) as between:
        async with learnt(embedder_at(vendor, between)) as embedder:
            await embedder.embed(["question"], kind="query")
            found = [re.search(rf'"{asked}":"(\w+)"', seen.body.decode()) for seen in between.requests]
            assert [match and match[1] for match in found] == said


async def test_a_batch_that_failed_is_asked_again(voyage: Between) -> None:
    async with learnt(embedder_at("voyage", voyage)) as embedder:
        voyage.fail_next(429, Retry_After="0")
        voyage.cut(0)
        assert len(await embedder.embed(["one", "two"])) == 2
    once = embedder_at("voyage", voyage, retries=0)
    voyage.fail_next(503)
    with pytest.raises(Unavailable, match="503"):
        await once.embed(["one"])
    await once.close()


async def test_what_stands_still_ends(voyage: Between) -> None:
    voyage.stall_after(0)
    model = embedder_at("voyage", voyage, timeout=0.2, retries=0)
    with pytest.raises(Unavailable, match=r"sent nothing for 0\.2 s"):
        await model.embed(["one"])
    await model.close()


async def test_a_wrong_key_and_an_unknown_model_are_said(voyage: Between) -> None:
    wrong = embedder_at("voyage", voyage, key="very-secret")
    with pytest.raises(UsageError, match=r"voyage at .* refuses the key .*VOYAGE_API_KEY") as caught:
        await wrong.embed(["one"])
    assert "very-secret" not in str(caught.value)
    await wrong.close()
    with standing(backends.gemini) as between:
        wrong = embedder_at("gemini", between, key="very-secret")
        assert "refuses the key" in (await wrong.check())[0]
        await wrong.close()
        async with learnt(embedder_at("gemini", between)):
            nope = embedder_at("gemini", between, model="nope")
            assert "nope" in (await nope.check())[0]
            await nope.close()


async def test_a_model_that_is_not_pulled_names_the_command() -> None:
    with standing(backends.ollama("http://127.0.0.1:9")) as between:
        model = embedder_at("ollama", between, model="mxbai-embed-large")
        assert "ollama pull mxbai-embed-large" in (await model.check())[0]
        await model.close()


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([[0.0, 0.0], [1.0, 0.0]], "a zero vector for b.md#1"),
        ([[1e300, 0.0], [1.0, 0.0]], "a vector of length inf, not 1, for b.md#1"),
        ([[None, 0.0], [1.0, 0.0]], "a vector of length nan, not 1, for b.md#1"),
    ],
)
async def test_a_vector_of_no_use_names_its_chunk(vectors: list[list[Any]], said: str) -> None:
    with standing(given(vectors)) as between:
        model = embedder_at("openai", between)
        with pytest.raises(StoreError, match=said), np.errstate(over="ignore"):
            # The longest text is sent first.
            async for _ in embed_all(model, ["a", "bb"], references=["a.md#0", "b.md#1"]):
                pass
        await model.close()


@pytest.mark.parametrize(
    "backend",
    [
        given([[1.0, 2.0]]),
        given([[1.0], [1.0, 2.0]]),
        given([[1.0, "2"], [1.0, {}]]),
        replying({"data": [{"embedding": [1.0], "index": 1}, {"embedding": [1.0], "index": 1}]}),
        replying({"data": "none"}),
        replying({}),
        replying([]),
    ],
)
async def test_replies_that_make_no_sense_are_said(backend: Backend) -> None:
    with standing(backend) as between:
        model = embedder_at("openai", between)
        with pytest.raises(Unavailable, match="invalid response"):
            await model.embed(["one", "two"])
        await model.close()


async def test_another_dimension_than_expected_is_refused() -> None:
    with standing(given([[1.0] * 24])) as between:
        for changes, said in (
            ({"dimensions": 25}, "24 numbers, but 25 are set as embed.dimensions"),
            ({"model": "all-minilm"}, "24 numbers, but 384 are known of it"),
        ):
            model = embedder_at("openai", between, **changes)
            with pytest.raises(UsageError, match=said):
                await model.learn()
            await model.close()


async def test_only_a_model_that_is_known_to_have_more_is_asked_for_less() -> None:
    def backend(seen: Seen) -> Any:
        return backends.line({"data": [{"embedding": [1.0] * seen.json.get("dimensions", 24), "index": 0}]})

    with standing(backend) as between:
        async with learnt(embedder_at("openai", between, model="text-embedding-3-small", dimensions=256)) as embedder:
            assert (embedder.dimension, embedder.variant) == (256, "d256")
        async with learnt(embedder_at("openai", between, dimensions=24)) as embedder:
            assert (embedder.dimension, embedder.variant) == (24, "whole")
        assert ["dimensions" in seen.json for seen in between.requests] == [True, False]


async def test_the_dimension_of_an_unknown_model_is_asked_for() -> None:
    with standing(given([[3.0, 4.0]])) as between:
        model = embedder_at("openai", between)
        with pytest.raises(UsageError, match="not known yet"):
            _ = model.dimension
        async with learnt(model):
            assert model.dimension == 2


def test_how_much_an_unknown_model_reads_must_be_said() -> None:
    reach = Endpoint(VENDORS["openai"], "embed", key=KEY)
    with pytest.raises(ConfigError, match=r"set embed\.reads"):
        make_embedder("openai/unheard-of", reach=reach)
    assert make_embedder("openai/text-embedding-3-small", reach=reach).reads == 8191


def test_models_with_berts_vocabulary_are_counted_exactly() -> None:
    reach = Endpoint(VENDORS["ollama"], "embed")
    exact = make_embedder("ollama/nomic-embed-text:latest", reach=reach).tokenizer
    assert exact.count(["unaffable"]) == [3]
    rough = make_embedder("ollama/other", reach=reach, reads=10).tokenizer
    assert rough.count(["unaffable", "日本", ""]) == [3, 2, 0]


async def test_the_request_is_what_the_reference_says(voyage: Between) -> None:
    async with learnt(embedder_at("voyage", voyage, headers={"X-Team": "library"})):
        [seen] = voyage.requests
        assert (seen.method, seen.path) == ("POST", "/embeddings")
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        assert seen.headers["x-team"] == "library"
        assert json.loads(seen.body) == {
            "model": MODEL,
            "input": ["word"],
            "input_type": "document",
            "truncation": True,
        }
