"""No setting is a dead knob: somebody who acts on it reads it, of its own class and not of a namesake."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from ragstone.config import settings as groups
from ragstone.config.jwt import JwtSettings
from ragstone.config.load import describe_stand_ins
from ragstone.config.model_settings import EmbedSettings, LlmSettings, RerankSettings, SparseSettings
from ragstone.config.profiles import ProfileSettings
from ragstone.config.search_options import SearchOptions
from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import (
    AccessSettings,
    ChunkSettings,
    CollectionSettings,
    LimitSettings,
    PipelineSettings,
    SearchSettings,
    Settings,
    SourceSettings,
    TableSettings,
)
from ragstone.config.validation import Option
from ragstone.core.errors import ConfigError
from ragstone.engine import Engine
from ragstone.engine.source_roots import resolve_source
from ragstone.retrieval.question import Question
from ragstone.server import launch
from ragstone.server.listening import listen
from ragstone.testing.bag_of_words import BagOfWords
from tests.access.issuer import AUDIENCE, ISSUER, token
from tests.patience import until_async
from tests.scripted import Scripted
from tests.server.conftest import open_client

KINDS = {kind for kind in vars(groups).values() if isinstance(kind, type) and is_dataclass(kind)} - {
    SearchOptions,
    Option,
}
# Whoever looks at every field alike acts on none; the engine hands all of `search` to a question.
COPIERS = {"dataclasses", "ragstone.config.validation", "ragstone.config.jwt", "reprlib"}
UNREACHABLE = "postgresql://127.0.0.1:1/d"
Read = set[tuple[str, str, str]]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Read]:
    """Which module reads which field of which class."""
    found: Read = set()
    for kind in (*KINDS, Question):
        monkeypatch.setattr(kind, "__getattribute__", _recorded(kind, found))
    yield found
    monkeypatch.undo()


def _recorded(kind: type[Any], found: Read) -> Callable[[Any, str], Any]:
    names = {field.name for field in fields(kind)}

    def get(self: Any, name: str) -> Any:
        if name in names:
            found.add((kind.__name__, name, sys._getframe(1).f_globals["__name__"]))
        return object.__getattribute__(self, name)

    return get


async def test_every_setting_is_read_by_whoever_acts_on_it(read: Read, docs: Path, tmp_path: Path) -> None:
    secret = "x" * 32
    settings = Settings(
        key=token(secret, "HS256", tenant="default", role="admin"),
        access=AccessSettings(jwt=JwtSettings(ISSUER, AUDIENCE, ("HS256",), key=secret)),
        store=str(tmp_path / "store"),
        limits=LimitSettings(chunks=50),
        collections={"default": CollectionSettings(sources=(SourceSettings(str(docs)),))},
        profiles={"own": ProfileSettings(per_document=3)},
        pipelines=(
            PipelineSettings("p", "d", None, ("default",), UNREACHABLE, (TableSettings("t", "c"),), timeout=0.1),
        ),
    )
    assert describe_stand_ins(replace(settings, preset="notes"))
    resolve_source(SourceSettings("http://127.0.0.1:1/"))
    async with Engine(settings) as model:
        assert model.search_context.sources[0].embedder is not None
    async with Engine(settings, embedder=BagOfWords(), completion=Scripted(str)) as engine:
        await engine.ingest()
        await engine.search("samples kept by default", min_cosine=0.1, per_document=3, keyword_boost=True)
        await engine.search("samples", fusion="rrf", profile="own")
        await engine.search("samples", hyde="adaptive", multi_query=1, filter=True, cache=True)
        for _ in range(2):
            await engine.search("samples", cache=True)
        await engine.ask("How long are samples kept by default?", history=[{"role": "user", "content": "Samples?"}])
        begun = asyncio.Event()
        watching = asyncio.create_task(engine.watch(tell=lambda _event: begun.set()))
        await begun.wait()
        watching.cancel()
        await asyncio.wait([watching])
        assert engine.pipelines()
        assert await engine.pipeline("p").context("samples kept by default", mode="keyword")
    vendors = replace(settings, embed=EmbedSettings("ollama/nomic-embed-text"), llm=LlmSettings("ollama/any"))
    async with Engine(vendors) as engine:
        assert engine.search_context.sources[0].embedder is not None
        assert engine._components.completions.writing() is not None
        assert engine._components.policy.rule == "fitted"
        assert engine.pipeline("p").writing is not None
        assert engine.select_judge() is not None
    async with Engine(replace(vendors, embed=EmbedSettings("openai/text-embedding-3-small"))) as engine:
        assert "external.embedding" in (await engine.doctor())[0]
    async with Engine(replace(vendors, embed=EmbedSettings("fastembed/BAAI/bge-small-en-v1.5"))) as engine:
        assert engine.search_context.sources[0].embedder is not None
    by_vendor = RerankSettings("cohere/rerank-v3.5", base_url="http://127.0.0.1:1", retries=0)
    async with Engine(replace(settings, rerank=by_vendor), embedder=BagOfWords()) as engine:
        assert "rerank_failed" in {note.code for note in (await engine.search("samples")).notes}
    async with Engine(replace(settings, rerank=RerankSettings("onnx/x", folder="nowhere"))) as engine:
        assert "rerank.folder nowhere" in " ".join(await engine.doctor())
    sparse = SparseSettings("tei/splade", base_url="http://127.0.0.1:1", retries=0)
    async with Engine(replace(settings, sparse=sparse), embedder=BagOfWords()) as engine:
        assert "splade_failed" in {note.code for note in (await engine.search("samples", sparse="splade")).notes}
    local = SparseSettings("fastembed/prithivida/Splade_PP_en_v1", folder="nowhere")
    async with Engine(replace(settings, sparse=local)) as engine:
        assert "sparse.folder" in " ".join(await engine.doctor())
    away = RerankSettings("cohere/rerank-v3.5", api_key="k")
    async with Engine(replace(settings, rerank=away)) as engine:
        assert "external.rerank" in " ".join(await engine.doctor())
    enriching = replace(settings, chunk=ChunkSettings(enrich=("summary",)))
    async with Engine(enriching, embedder=BagOfWords(), completion=Scripted(str)) as engine:
        assert (await engine.ingest())[0].stats["enriched"] == 0
    async with Engine(replace(enriching, llm=LlmSettings("openai/any", api_key="k")), embedder=BagOfWords()) as engine:
        with pytest.raises(ConfigError, match=r"external\.enrich"):
            await engine.ingest()
    await _serve(replace(settings, key=None, access=AccessSettings(), embed=EmbedSettings("none")))
    acted = {(kind, name) for kind, name, module in read if module not in COPIERS}
    wanted = {(kind.__name__, field.name) for kind in KINDS for field in fields(kind)}
    assert wanted - acted == set()
    asked = {(name, module) for kind, name, module in read if kind == "Question" and module not in COPIERS}
    answered = {name for name, module in asked if not f"{module}.".startswith("ragstone.engine.")}
    assert {field.name for field in fields(SearchSettings)} - answered == set()


async def _serve(settings: Settings) -> None:
    """The ways of a server: its socket, its process, a stream."""
    settings = replace(settings, serve=ServeSettings(port=0))
    launch._find_certificate(settings)
    launch._make_config(settings, startup=launch._make_startup(settings))
    with listen(settings):
        pass
    async with open_client(settings) as client:
        reply = await client.post("/v1/ask", json={"query": "samples", "stream": True})
        assert "final_answer" in reply.text
        queued = await client.post("/v1/documents?wait=false", files={"file": ("broken.bin", bytes(range(256)) * 9)})

        async def is_dead() -> bool:
            return bool((await client.get(queued.headers["location"])).json()["status"] == "dead")

        await until_async(is_dead)


def test_a_field_that_nobody_reads_would_be_seen(read: Read) -> None:
    used = Settings(tenant="a")
    assert used.tenant == "a"
    assert {name for kind, name, module in read if kind == "Settings" and module not in COPIERS} == {"tenant"}
