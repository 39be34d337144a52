"""Rerankers over all wires by scripts of their references, and in this process from folders."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragstone import providers
from ragstone.config.vendors import VENDORS, check_reranker_name
from ragstone.core.errors import ConfigError, Unavailable, UsageError
from ragstone.core.ports import Reranker
from ragstone.providers import make_reranker
from ragstone.providers.endpoint import Endpoint
from ragstone.providers.masking import MaskingReranker
from ragstone.testing.rerankers import ANSWER, QUESTION, TEXTS, UNRELATED, RerankerContract
from tests.providers import tiny_onnx
from tests.providers.serving import backends
from tests.providers.serving.between import Backend, Between, standing
from tests.providers.serving.llama import KEY, MODEL

FAST = "Xenova/ms-marco-MiniLM-L-6-v2"
SERVERS: dict[str, Backend] = {
    "cohere": backends.cohere,
    "voyage": backends.voyage_rerank,
    "jina": backends.jina,
    "infinity": backends.jina,
    "vllm": backends.jina,
    "llamacpp": backends.llamacpp_rerank,
    "tei": backends.tei,
}


def reranker_at(vendor: str, between: Between, *, model: str = MODEL, scale: Any = None, **changes: Any) -> Reranker:
    """A vendor's reranker behind a server of the tests."""
    reach = {"base_url": between.url, "key": KEY, "first": 0.001, **changes}
    return make_reranker(f"{vendor}/{model}", reach=Endpoint(VENDORS[vendor], "rerank", **reach), scale=scale)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder that counts the question's words in the passage."""
    return tiny_onnx.write_folder(tmp_path_factory.mktemp("cross"), tiny_onnx.cross_encoder())


@pytest.fixture(scope="module")
def fast_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as fastembed wants it."""
    place = tmp_path_factory.mktemp("fast")
    return tiny_onnx.write_folder(place, tiny_onnx.cross_encoder(), file="onnx/model.onnx")


class TestVendors(RerankerContract):
    @pytest.fixture(params=list(SERVERS))
    async def reranker(self, request: pytest.FixtureRequest) -> AsyncIterator[Reranker]:
        with standing(SERVERS[request.param]) as between:
            reranker = reranker_at(request.param, between)
            yield reranker
            await reranker.close()


class TestFolder(RerankerContract):
    @pytest.fixture
    async def reranker(self, folder: Path) -> AsyncIterator[Reranker]:
        reranker = make_reranker("onnx/counting", folder=str(folder))
        yield reranker
        await reranker.close()


class TestFast(RerankerContract):
    tolerance = 1e-6

    @pytest.fixture
    async def reranker(self, fast_folder: Path) -> AsyncIterator[Reranker]:
        reranker = make_reranker(f"fastembed/{FAST}", folder=str(fast_folder), offline=True)
        yield reranker
        await reranker.close()


def written(between: Between) -> list[Any]:
    return [(seen.method, seen.path, seen.headers.get("authorization"), seen.json) for seen in between.requests]


async def test_coheres_client_asks_and_hears_the_same() -> None:
    import cohere

    with standing(backends.cohere) as between:
        async with cohere.AsyncClientV2(KEY, base_url=between.url) as client:
            theirs = await client.rerank(model=MODEL, query=QUESTION, documents=list(TEXTS))
        ours = reranker_at("cohere", between)
        scores = await ours.score(QUESTION, TEXTS)
        await ours.close()
        assert {one.index: one.relevance_score for one in theirs.results} == pytest.approx(dict(enumerate(scores)))
        first, second = written(between)
        assert first == second


async def test_voyages_client_asks_and_hears_the_same() -> None:
    from voyageai.client_async import AsyncClient

    with standing(backends.voyage_rerank) as between:
        client = AsyncClient(KEY, base_url=between.url)
        theirs = await client.rerank(QUESTION, list(TEXTS), MODEL)
        ours = reranker_at("voyage", between)
        scores = await ours.score(QUESTION, TEXTS)
        await ours.close()
        assert {one.index: one.relevance_score for one in theirs.results} == pytest.approx(dict(enumerate(scores)))
        (*first, asked), (*second, wanted) = written(between)
        assert first == second
        assert {name: value for name, value in asked.items() if value is not None and name != "top_k"} == wanted


@pytest.mark.parametrize(
    ("vendor", "path", "body"),
    [
        ("jina", "/rerank", {"model": MODEL, "documents": ["a"], "top_n": 1, "return_documents": False}),
        ("tei", "/rerank", {"texts": ["a"], "raw_scores": False, "truncate": True}),
    ],
)
async def test_a_request_is_what_the_reference_says(vendor: str, path: str, body: dict[str, Any]) -> None:
    with standing(SERVERS[vendor]) as between:
        reranker = reranker_at(vendor, between, headers={"X-Team": "library"})
        await reranker.score("q", ["a"])
        await reranker.close()
        [seen] = between.requests
        assert (seen.method, seen.path, seen.headers["x-team"]) == ("POST", path, "library")
        assert json.loads(seen.body) == {"query": "q", **body}


def replying(data: Any) -> Backend:
    return lambda _seen: backends.line(data)


def results(*pairs: tuple[Any, Any]) -> Any:
    return {"results": [{"index": index, "relevance_score": score} for index, score in pairs]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (results((0, 0.5)), "1 scores for 2 texts"),
        (results((0, 0.5), (1, 0.5), (2, 0.1)), "3 scores for 2 texts"),
        (results((0, 0.5), (0, 0.5)), "numbered wrongly"),
        (results((0, None), (1, 0.5)), "NoneType instead of a score"),
        (results((0, "high"), (1, 0.5)), "str instead of a score"),
        (results((0, 7.5), (1, 0.5)), r"the score 7\.5, expected 0 to 1: set rerank\.scores"),
        ({"results": "none"}, "invalid response"),
        ({}, "KeyError"),
        ([], "invalid response"),
        (float("nan"), "not JSON"),
    ],
)
async def test_replies_that_make_no_sense_are_said(data: Any, said: str) -> None:
    with standing(replying(data)) as between:
        reranker = reranker_at("cohere", between)
        with pytest.raises(Unavailable, match=said):
            await reranker.score("q", ["a", "b"])
        await reranker.close()


async def test_a_page_in_place_of_json_is_said() -> None:
    with standing(backends.cohere) as between:
        between.fail_next(200, b"<html>busy</html>")
        reranker = reranker_at("cohere", between)
        with pytest.raises(Unavailable, match=r"not JSON .'<html>busy"):
            await reranker.score("q", ["a"])
        await reranker.close()


@pytest.mark.parametrize(
    ("scale", "raw", "scores"),
    [
        ("unit", [0.25, 1.0004], [0.25, 1.0]),
        ("logit", [0.0, 2.0, -100.0], [0.5, 0.88079708, 0.0]),
        ("cosine", [-1.0, 0.0, 0.5], [0.0, 0.5, 0.75]),
    ],
)
async def test_raw_scores_are_mapped_by_their_scale(scale: str, raw: list[float], scores: list[float]) -> None:
    with standing(replying(results(*enumerate(raw)))) as between:
        reranker = reranker_at("jina", between, scale=scale)
        assert await reranker.score("q", ["t"] * len(raw)) == scores
        await reranker.close()


async def test_a_third_generation_of_jinas_models_gives_cosines() -> None:
    with standing(replying(results((0, -0.5)))) as between:
        reranker = reranker_at("jina", between, model="jina-reranker-v3")
        assert await reranker.score("q", ["t"]) == [0.25]
        await reranker.close()


async def test_what_failed_is_asked_again_within_the_time() -> None:
    with standing(backends.cohere) as between:
        reranker = reranker_at("cohere", between)
        between.fail_next(429, Retry_After="0")
        between.cut(0)
        assert len(await reranker.score("q", ["a", "b"])) == 2
        assert len(between.requests) == 3
        await reranker.close()
        bounded = reranker_at("cohere", between, total=0.5, bounded_by="deadlines.rerank")
        between.fail_next(503, Retry_After="9")
        with pytest.raises(Unavailable, match=r"503.*too late: deadlines\.rerank allows 0\.5 s"):
            await bounded.score("q", ["a"])
        await bounded.close()


async def test_a_wrong_key_and_an_unknown_model_are_said() -> None:
    with standing(backends.cohere) as between:
        wrong = reranker_at("cohere", between, key="very-secret")
        [problem] = await wrong.check()
        assert "refuses the key" in problem
        assert "rerank.api_key" in problem
        assert "COHERE_API_KEY" in problem
        assert "very-secret" not in problem
        nope = reranker_at("cohere", between, model="rerank-v9")
        assert "such as rerank-v3.5, or set rerank.model" in (await nope.check())[0]
        for one in (wrong, nope):
            await one.close()


async def test_a_key_is_needed_at_a_vendors_own_address_alone() -> None:
    reranker = make_reranker("cohere/rerank-v3.5", reach=Endpoint(VENDORS["cohere"], "rerank"))
    assert "COHERE_API_KEY" in (await reranker.check())[0]


async def test_a_reranker_of_a_vendor_never_sees_a_secret() -> None:
    secret = "AKIAQ7ZK3M5N8P2R4T6V"
    with standing(backends.cohere) as between:
        reranker = MaskingReranker(reranker_at("cohere", between))
        await reranker.score(f"whose is {secret}?", [f"a key: {secret}"])
        await reranker.close()
        [seen] = between.requests
        assert secret not in seen.body.decode()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cohre/rerank-v3.5", "unknown vendor 'cohre'; did you mean 'cohere'"),
        ("anthropic/any", "anthropic cannot rerank; "),
        ("cohere/", "expected cohere/MODEL"),
        (3, "expected true, false, llm or VENDOR/MODEL"),
        ("", "expected true, false, llm or VENDOR/MODEL"),
    ],
)
def test_a_wrong_name_is_said(name: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_reranker_name(name)


async def test_a_model_of_fastembed_that_is_not_known_is_refused_with_the_nearest() -> None:
    nope = make_reranker("fastembed/ms-marco-MiniLM-L6-v2", offline=True)
    assert "did you mean Xenova/ms-marco-MiniLM-L-6-v2?" in (await nope.check())[0]
    gone = make_reranker(f"fastembed/{FAST}", folder="nowhere", offline=True)
    assert "rerank.folder" in (await gone.check())[0]
    for one in (nope, gone):
        await one.close()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "find_spec", lambda name: None)
    assert "pip install 'ragstone[cohere]'" in providers.find_missing_packages("cohere/rerank-v3.5")[0]
    assert "pip install 'ragstone[fastembed]'" in providers.find_missing_packages(f"fastembed/{FAST}")[0]
    assert "pip install onnxruntime" in providers.find_missing_packages("onnx/any")[0]


async def test_the_scores_of_a_folder_are_those_of_its_network(folder: Path) -> None:
    reranker = make_reranker(f"onnx/{folder}")
    texts = [UNRELATED, ANSWER, "samples kept default"]
    # Of the question's words `samples`, `kept`, `default` have numbers of rare words: 2 × 3 − 3 is the logit.
    assert await reranker.score(QUESTION, texts) == pytest.approx([0.04742587, 0.95257413, 0.95257413])
    await reranker.close()


async def test_a_network_with_two_classes_is_read_by_their_difference(tmp_path: Path) -> None:
    tiny_onnx.write_folder(tmp_path, tiny_onnx.cross_encoder(outputs=2))
    reranker = make_reranker(f"onnx/{tmp_path}")
    assert await reranker.score(QUESTION, [ANSWER]) == [0.5]
    await reranker.close()


@pytest.fixture
def broken(tmp_path: Path, folder: Path) -> Path:
    """A whole folder, to be broken."""
    tiny_onnx.write_folder(tmp_path, (folder / "model.onnx").read_bytes())
    return tmp_path


async def find_problem(place: Path | str) -> str:
    reranker = make_reranker("onnx/mine", folder=str(place))
    [problem] = await reranker.check()
    await reranker.close()
    return problem


async def test_a_folder_without_a_model_is_said(broken: Path) -> None:
    assert "does not exist: name the folder of a model" in await find_problem(broken / "gone")
    (broken / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert "tokenizer.json cannot be read" in await find_problem(broken)
    (broken / "tokenizer.json").unlink()
    assert "lacks tokenizer.json" in await find_problem(broken)
    (broken / "model.onnx").write_bytes(b"no model")
    (broken / "model.onnx").unlink()
    assert "lacks model.onnx" in await find_problem(broken)


async def test_a_file_that_is_no_model_and_one_of_another_kind_are_said(broken: Path) -> None:
    (broken / "model.onnx").write_bytes(b"no model")
    assert "is not a model that onnxruntime reads" in await find_problem(broken)
    (broken / "model.onnx").write_bytes(tiny_onnx.cross_encoder(outputs=3))
    assert "gives 3 numbers for a passage" in await find_problem(broken)
    (broken / "model.onnx").write_bytes(tiny_onnx.cross_encoder(extra_input="pixels"))
    assert "takes the input 'pixels'" in await find_problem(broken)


async def test_a_model_that_could_not_be_loaded_is_tried_again(broken: Path) -> None:
    network = (broken / "model.onnx").read_bytes()
    (broken / "model.onnx").unlink()
    reranker = make_reranker(f"onnx/{broken}")
    with pytest.raises(UsageError, match=r"lacks model\.onnx"):
        await reranker.score("q", ["a"])
    (broken / "model.onnx").write_bytes(network)
    assert len(await reranker.score("q", ["a"])) == 1
    await reranker.close()


async def test_what_is_cancelled_leaves_the_rest_undone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragstone.providers.onnx_folder import OnnxFolder

    network = OnnxFolder(str(folder), key="rerank.folder", reads=256, threads=1)
    await network.run([("q", "a")])
    done: list[object] = []
    loop, begun = asyncio.get_running_loop(), asyncio.Event()
    compute = network._compute

    def slow(session: Any, tokenizer: Any, text: Any) -> Any:
        done.append(text)
        loop.call_soon_threadsafe(begun.set)
        return compute(session, tokenizer, text)

    monkeypatch.setattr(network, "_compute", slow)
    task = asyncio.ensure_future(network.run([("q", "word " * 200)] * 500))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await network.run([("q", "last")])
    assert done[-1] == ("q", "last")
    assert len(done) < 500
    await network.close()


def test_every_vendor_that_reranks_has_its_file() -> None:
    for vendor in VENDORS.values():
        if vendor.reranks:
            spec = importlib.util.find_spec(f"ragstone.providers.{vendor.reranks}")
            assert spec is not None, vendor.name
