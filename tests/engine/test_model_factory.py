"""Settings of models at work: keys, headers, what may leave this machine, what a run and `doctor` find out first."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.answering.options import Conversation
from ragstone.config.load import load
from ragstone.config.model_settings import EmbedSettings, ExternalSettings, LlmSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, Unavailable, UsageError
from ragstone.core.ports import Completion, CompletionResult, Message, Prompt
from ragstone.engine import Engine, model_factory
from ragstone.providers import make_embedder
from tests.commands import Run
from tests.providers.serving import backends
from tests.providers.serving.between import Between, Reply, Seen, standing
from tests.providers.serving.llama import MODEL

SAID = b'data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


@pytest.fixture(scope="module")
def vectors() -> Iterator[backends.Vectors]:
    model = make_embedder("minilm")
    yield lambda texts: asyncio.run(model.embed(texts)).tolist()
    asyncio.run(model.close())


@pytest.fixture
def ollama(vectors: backends.Vectors) -> Iterator[Between]:
    """Ollama with one embedding model."""
    with standing(backends.ollama("", vectors)) as between:
        yield between


@pytest.fixture
def saying() -> Iterator[Between]:
    """A server in OpenAI's language that says yes, and has one model."""

    def backend(seen: Seen) -> Reply:
        return backends.line({"data": [{"id": "m"}]}) if seen.method == "GET" else Reply(iter([SAID]))

    with standing(backend) as between:
        yield between


def at(between: Between, **changes: Any) -> EmbedSettings:
    """An embedder of Ollama's there."""
    options: dict[str, Any] = {"reads": 254, "retries": 0, **changes}
    return EmbedSettings(f"ollama/{options.pop('name', MODEL)}", base_url=between.url, **options)


async def said(model: Completion | None, llm: LlmSettings) -> CompletionResult:
    assert model is not None
    done = await model.complete(Prompt((Message("user", "Well?"),), llm.max_tokens, llm.temperature))
    await model.close()
    return done


# --- keys and headers -------------------------------------------------------------------------------------------------


def test_a_key_comes_from_settings_a_file_or_the_vendors_variable(
    saying: Between, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    monkeypatch.setenv("TEAM", "from-variable")
    (tmp_path / "key").write_text("from-file\n", encoding="utf-8")
    for llm, key in (
        ({}, "from-environment"),
        ({"api_key_file": str(tmp_path / "key")}, "from-file"),
        ({"api_key": "${TEAM}", "api_key_file": str(tmp_path / "key")}, "from-variable"),
    ):
        data = {"llm": {"model": "openai/m", "base_url": saying.url, "headers": {"X-Team": "library"}, **llm}}
        Path("ragstone.yaml").write_text(json.dumps(data), encoding="utf-8")
        settings = load()
        assert asyncio.run(said(model_factory.make_completion(settings.llm), settings.llm)).text == "yes"
        assert saying.requests[-1].headers["authorization"] == f"Bearer {key}"
        assert saying.requests[-1].headers["x-team"] == "library"
        assert key not in repr(settings)
        assert "library" not in repr(settings)


async def test_the_limits_of_the_settings_are_on_the_wire(saying: Between) -> None:
    llm = LlmSettings("vllm/m", base_url=saying.url, max_tokens=77, temperature=0.5)
    await said(model_factory.make_completion(llm), llm)
    assert (saying.requests[0].json["max_tokens"], saying.requests[0].json["temperature"]) == (77, 0.5)


@pytest.mark.parametrize("text", [None, "", "two words"])
def test_a_file_without_a_key_is_said_when_the_key_is_wanted(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "key").write_text(text, encoding="utf-8")
    llm = LlmSettings("openai/m", api_key_file=str(tmp_path / "key"))
    model = model_factory.make_completion(llm)
    with pytest.raises(UsageError, match=r"llm\.api_key_file"):
        asyncio.run(said(model, llm))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("llm: {model: openai/m, temprature: 1}", "did you mean temperature"),
        ("llm: {retries: -1}", "invalid llm.retries -1"),
        ("llm: {headers: {a: [1]}}", "headers"),
        ("embed: {batch: 0}", "invalid embed.batch 0"),
        ("external: {embeddings: true}", "did you mean embedding"),
        ("offline: maybe", "offline"),
    ],
)
def test_settings_that_cannot_be_are_named(text: str, said: str) -> None:
    Path("ragstone.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        load()


# --- what may leave ---------------------------------------------------------------------------------------------------


async def test_texts_go_to_a_vendor_elsewhere_only_when_that_is_allowed(docs: Path, tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "s"), embed=EmbedSettings("openai/text-embedding-3-small", api_key="k"))
    async with Engine(settings) as kb:
        with pytest.raises(ConfigError, match=r"to api\.openai\.com: set external\.embedding to true"):
            await kb.ingest(docs)
    allowed = replace(settings, external=ExternalSettings(embedding=True))
    async with Engine(allowed) as kb:
        assert kb.search_context.sources[0].embedder is not None
    model_factory.make_embedder(EmbedSettings("ollama/nomic-embed-text"), settings)  # on this machine


def test_offline_keeps_every_vendor_elsewhere_out() -> None:
    allowed = Settings(offline=True, external=ExternalSettings(embedding=True))
    with pytest.raises(ConfigError, match=r"at api\.openai\.com, and offline is true"):
        model_factory.make_embedder(EmbedSettings("openai/text-embedding-3-small"), allowed)
    with pytest.raises(ConfigError, match=r"at 10\.1\.2\.3:11434, and offline is true"):
        model_factory.make_completion(LlmSettings("ollama/m", base_url="http://10.1.2.3:11434"), offline=True)
    assert model_factory.make_completion(LlmSettings("ollama/m"), offline=True) is not None
    assert (
        model_factory.make_completion(LlmSettings("openai/m", base_url="http://[::1]:80/v1"), offline=True) is not None
    )


def test_a_language_models_vendor_embeds_where_that_is_allowed_and_nothing_else_is_named() -> None:
    for text, model in (
        ("llm: {model: openai/x, api_key: k}\nexternal: {embedding: true}", "openai/text-embedding-3-small"),
        ("llm: {model: openai/x, api_key: k}", "minilm"),
        ("llm: {model: anthropic/x}\nexternal: {embedding: true}", "minilm"),
        ("llm: {model: openai/x}\nexternal: {embedding: true}\nembed: {model: none}", "none"),
    ):
        Path("ragstone.yaml").write_text(text, encoding="utf-8")
        embed = load().embed
        assert embed.model == model
        assert embed.api_key == ("k" if model.startswith("openai") else None)


# --- at work ----------------------------------------------------------------------------------------------------------


async def test_from_folder_to_answer_with_ollamas_embeddings(ollama: Between, docs: Path, tmp_path: Path) -> None:
    async with Engine(Settings(str(tmp_path / "s"), embed=at(ollama))) as kb:
        await kb.ingest(docs)
        info = await kb.info()
        assert (info.model, info.dimension) == (f"ollama/{MODEL}", 384)
        found = await kb.search("How long are samples kept?", mode="semantic")
        assert "15 days" in found.hits[0].chunk.text
        texts = [text for seen in ollama.requests for text in seen.json["input"]]
        assert "word" in texts  # it was tried before anything was written
        assert await kb.doctor() == []


async def test_a_model_that_is_not_pulled_ends_a_run_before_anything_is_written(
    ollama: Between, docs: Path, tmp_path: Path
) -> None:
    async with Engine(Settings(str(tmp_path / "s"), embed=at(ollama, name="nomic-embed-text"))) as kb:
        with pytest.raises(UsageError, match="ollama pull nomic-embed-text"):
            await kb.ingest(docs)
        assert not await kb.exists()
        assert "ollama pull nomic-embed-text" in (await kb.doctor())[0]


async def test_another_dimension_ends_a_run_before_anything_is_written(
    ollama: Between, docs: Path, tmp_path: Path
) -> None:
    async with Engine(Settings(str(tmp_path / "s"), embed=at(ollama, dimensions=768))) as kb:
        with pytest.raises(UsageError, match="384 numbers, but 768 are set"):
            await kb.ingest(docs)
        assert not await kb.exists()


def test_the_built_in_model_has_no_other_dimension(run: Run, docs: Path) -> None:
    Path("ragstone.yaml").write_text("embed: {model: minilm, dimensions: 100}", encoding="utf-8")
    for arguments in (("ingest", "docs"), ("ingest", "docs", "--json")):
        done = run(*arguments)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert "384 numbers, not of 100" in done.err
    assert not Path(".ragstone").exists()


async def test_a_vendor_that_is_gone_ends_a_run_and_leaves_questions_their_words(
    ollama: Between, docs: Path, tmp_path: Path
) -> None:
    async with Engine(Settings(str(tmp_path / "s"), embed=at(ollama))) as kb:
        await kb.ingest(docs)
    ollama.close()
    async with Engine(Settings(str(tmp_path / "s"), embed=at(ollama))) as kb:
        with pytest.raises(Unavailable, match="cannot be reached"):
            await kb.ingest(docs)
        found = await kb.search("How long are samples kept?")
        assert found.hits
        assert any("embedding" in note.code for note in found.notes)


async def test_a_missing_key_leaves_questions_their_words_and_a_note(docs: Path, tmp_path: Path) -> None:
    embed = EmbedSettings("openai/text-embedding-3-small")
    async with Engine(Settings(str(tmp_path / "s"), embed=embed, external=ExternalSettings(True))) as kb:
        await kb.ingest(docs)
        found = await kb.search("How long are samples kept?")
        assert found.hits
        assert any("OPENAI_API_KEY" in note.message for note in found.notes)
        assert any("OPENAI_API_KEY" in problem for problem in await kb.doctor())


async def test_doctor_asks_the_language_model_for_its_models(saying: Between, tmp_path: Path) -> None:
    for name, problem in (("m", ""), ("nope", "name a model that it serves")):
        llm = LlmSettings(f"openai/{name}", base_url=saying.url)
        async with Engine(Settings(str(tmp_path / "s"), embed=EmbedSettings("none"), llm=llm)) as kb:
            problems = [one for one in await kb.doctor() if one.startswith("openai/")]
            assert [problem in one for one in problems] == ([] if name == "m" else [True])


async def test_doctor_asks_the_judge_too_where_it_is_another_model(saying: Between, tmp_path: Path) -> None:
    good = LlmSettings("openai/m", base_url=saying.url)
    for judge, problem in (
        (LlmSettings(), ""),
        (replace(good, context=99), ""),
        (LlmSettings("openai/nope"), "the judge: openai/nope at "),
        (LlmSettings("anthropic/x"), "the judge: anthropic needs a key: set judge.api_key"),
        (LlmSettings("voyage/x"), "the judge: judge.model 'voyage/x': voyage cannot complete"),
    ):
        settings = Settings(str(tmp_path / "s"), embed=EmbedSettings("none"), llm=good, judge=judge)
        async with Engine(settings) as kb:
            wrong = [one for one in await kb.doctor() if "openai" in one or "the judge" in one]
        assert [one[: len(problem)] for one in wrong] == ([problem] if problem else [])


async def test_what_a_judge_reads_too_little_of_is_its_own_setting(saying: Between) -> None:
    small = LlmSettings("openai/m", base_url=saying.url, context=50)
    for settings, said in (
        (Settings(judge=small), "of judge.context 50, its answer may take 800 (judge.max_tokens)"),
        (Settings(llm=small), "of llm.context 50, its answer may take 800 (llm.max_tokens)"),
    ):
        async with Engine(settings) as kb:
            judging = kb.select_judge()
            assert judging is not None
            assert said in judging.describe_lack_of_room(Conversation("?"))


class Mine:
    """A language model of one's own."""

    vendor, model, context, tokenizer, closed = "mine", "one", None, None, False

    async def complete(self, prompt: Any) -> CompletionResult:
        return CompletionResult("yes")

    async def stream(self, prompt: Any) -> Any:
        yield CompletionResult("yes")

    async def check(self) -> list[str]:
        return []

    async def close(self) -> None:
        self.closed = True


def test_a_language_model_of_ones_own_is_handed_in_and_stays_open(tmp_path: Path) -> None:
    own = Mine()
    with ragstone.open(tmp_path / "s", completion=own, llm={"model": "openai/other"}) as kb:
        writing = kb.engine._components.completions.writing()
        assert writing is not None
        assert (writing.model.vendor, writing.model.model) == (own.vendor, own.model)
    assert not own.closed
    with pytest.raises(UsageError, match="completion"):
        ragstone.open(tmp_path / "s", completion=object())  # type: ignore[arg-type]  # what is refused


def test_doctor_says_what_lacks_on_the_command_line(run: Run, ollama: Between) -> None:
    settings = {"embed": {"model": "ollama/mxbai-embed-large", "base_url": ollama.url}, "llm": {"model": "voyage/x"}}
    Path("ragstone.yaml").write_text(json.dumps(settings), encoding="utf-8")
    done = run("doctor", "--json")
    assert done.status == 1
    problems = json.loads(done.out)["problems"]
    assert any("ollama pull mxbai-embed-large" in problem for problem in problems)
    assert any("voyage cannot complete" in problem for problem in problems)


# --- the judge --------------------------------------------------------------------------------------------------------


def test_a_judge_is_reached_as_the_language_model_of_the_same_vendor_and_never_as_that_of_another() -> None:
    llm = LlmSettings("openai/m", base_url="http://team.example/v1", api_key="k", temperature=0.7, context=4096)
    same, own = LlmSettings("openai/j"), LlmSettings("openai/j", base_url="http://j.example/v1")
    other = LlmSettings("anthropic/j", api_key="a", context=99)
    for judge, named, model, address, key in (
        (LlmSettings(), None, "openai/m", "http://team.example/v1", "k"),
        (same, None, "openai/j", "http://team.example/v1", "k"),
        (own, None, "openai/j", "http://j.example/v1", None),
        (other, None, "anthropic/j", None, "a"),
        (other, "anthropic/two", "anthropic/two", None, "a"),
        (other, "openai/x", "openai/x", "http://team.example/v1", "k"),
        (other, "gemini/x", "gemini/x", None, None),
        (own, "anthropic/x", "anthropic/x", None, None),
        (LlmSettings(), "gemini/x", "gemini/x", None, None),
        (LlmSettings(max_tokens=2000), None, "openai/m", "http://team.example/v1", "k"),
        (LlmSettings(api_key="a"), "anthropic/x", "anthropic/x", None, "a"),
        (LlmSettings(api_key="a"), None, "openai/m", "http://team.example/v1", "a"),
    ):
        found = model_factory.select_judge_settings(Settings(llm=llm, judge=judge), named)
        assert (found.model, found.base_url, found.api_key) == (model, address, key), (judge, named)
        assert found.temperature == 0.0
        assert named is None or found.context is None


def test_a_judge_obeys_offline_and_its_errors_name_its_settings(tmp_path: Path) -> None:
    quiet = Settings(store=str(tmp_path), llm=LlmSettings("ollama/m"), offline=True)
    assert Engine(quiet).select_judge() is not None
    with pytest.raises(ConfigError, match=r"judge\.model 'openai/x' is at api\.openai\.com, and offline is true"):
        Engine(quiet).select_judge("openai/x")
    with pytest.raises(ConfigError, match=r"judge\.model 'x': unknown vendor 'x'"):
        Engine(quiet).select_judge("x")
