from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from ragstone.answering.abstention.calibration import Calibration, model_edition, render_calibration
from ragstone.config.load import load as load_settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.types import Json
from ragstone.engine import Engine
from ragstone.evaluation import BeirSource, Case, Quote, as_json
from ragstone.evaluation.engine_evaluation import check_only_beir, evaluate_beir, evaluate_golden, make_search
from ragstone.evaluation.run_description import describe_run, effective_search
from ragstone.testing.bag_of_words import BagOfWords


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine(load_settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as engine:
        yield engine


async def filled(engine: Engine, root: Path, **texts: str) -> Engine:
    """The engine with a document for each name; `__` in a name is a folder's end."""
    for name, text in texts.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    await engine.ingest(root)
    return engine


async def test_a_quote_is_placed_in_the_file_that_its_path_names_and_no_other(engine: Engine, tmp_path: Path) -> None:
    """`a/b.md` is no name of `xa/b.md`, which comes first and holds the same words further on."""
    await filled(engine, tmp_path / "docs", xa__b="A long way in, the cat purrs.", y__a__b="The cat purrs.")
    case = Case("1", "what does the cat do", relevance={"a/b.md": 1}, quotes=(Quote("a/b.md", "cat purrs"),))
    report = await evaluate_golden(engine, [case], granularity="span", name="g", mode="keyword")
    assert report.rows[0].scores["Recall@5"] == 1
    elsewhere = Case("2", "?", quotes=(Quote("z/a/b.md", "cat purrs"),))
    with pytest.raises(UsageError, match=r"question '2': z/a/b\.md, which it quotes, is not in the collection"):
        await evaluate_golden(engine, [elsewhere], granularity="span", name="g")


async def test_the_document_of_the_very_path_is_the_one_that_is_quoted(engine: Engine, tmp_path: Path) -> None:
    await filled(engine, tmp_path / "docs", a__b="Nothing of the kind.", b="The cat purrs.")
    case = Case("1", "cat", quotes=(Quote("b.md", "cat purrs"),))
    report = await evaluate_golden(engine, [case], granularity="span", name="g")
    assert report.rows[0].scores["Recall@5"] == 1


async def test_golden_documents_that_are_not_there_are_a_warning(engine: Engine, tmp_path: Path) -> None:
    await filled(engine, tmp_path / "docs", a="The cat purrs.")
    case = Case("1", "cat", relevance={"a.md": 1, "typo.md": 1})
    report = await evaluate_golden(engine, [case], granularity="file", name="g")
    assert "1 of 2 documents" in report.warnings[0]
    assert "typo.md" in report.warnings[0]


async def test_a_search_that_lost_a_leg_says_so_in_the_report(tmp_path: Path) -> None:
    settings = load_settings(store=str(tmp_path / "store"))
    async with Engine(settings, embedder=BagOfWords()) as engine:
        await filled(engine, tmp_path / "docs", a="The cat purrs.")
    without_model = replace(settings, embed=replace(settings.embed, model="none"))
    async with Engine(without_model) as engine:
        report = await evaluate_golden(engine, [Case("1", "cat", relevance={"a.md": 1})], granularity="file", name="g")
    assert any("semantic" in warning and "(1 of 1 question)" in warning for warning in report.warnings), report.warnings


async def test_how_deep_a_ranking_goes_does_not_change_what_is_abstained_on(engine: Engine, tmp_path: Path) -> None:
    texts = {f"d{n}": f"Cats purr when they are content, says number {n}." for n in range(30)}
    await filled(engine, tmp_path / "docs", **texts)
    asked: list[object] = []
    ask = engine.ask

    async def listened(text: str, **options: object) -> object:
        asked.append(options)
        return await ask(text, **options)  # type: ignore[arg-type]  # as they came

    engine.ask = listened  # type: ignore[method-assign,assignment]  # hears what an answer is asked with
    case = Case("1", "when do cats purr", relevance={"d1.md": 1})
    ranking = await make_search(engine, answers=True, top_k=25, per_document=1, mode="keyword", fold=False)(case)
    assert len(ranking.entries) == 25
    assert asked == [{"where": case.where, "mode": "keyword", "fold": False, "cache": False}]


async def test_the_same_evaluation_twice_gives_the_same_figures(engine: Engine, tmp_path: Path) -> None:
    texts = {f"d{n}": f"Page {n} is about topic{n % 7} and word{n}." for n in range(20)}
    await filled(engine, tmp_path / "docs", **texts)
    cases = [Case(str(n), f"topic{n % 7} word{n + n % 3}", relevance={f"d{n}.md": 1}) for n in range(20)]
    first, second = [
        {**as_json(await evaluate_golden(engine, cases, granularity="file", name="g", answers=True)), "timings": None}
        for _ in range(2)
    ]
    assert first == second
    assert 0 < first["metrics"]["MRR"] < 1
    low, high = first["intervals"]["MRR"]
    assert low < first["metrics"]["MRR"] < high


async def test_the_settings_are_the_whole_search(engine: Engine) -> None:
    assert effective_search(engine, top_k=7)["top_k"] == 7
    assert {"mode", "fusion", "bm25_weight", "cosine_weight", "fold", "per_document"} <= effective_search(engine).keys()
    with pytest.raises(UsageError, match="fuzzy"):
        effective_search(engine, mode="fuzzy")


async def test_a_report_says_what_decided_and_what_a_model_was_told(engine: Engine, tmp_path: Path) -> None:
    await filled(engine, tmp_path / "docs", a="The cat purrs.")
    plain = await describe_run(engine, {}, answers=False, judge=None)
    assert plain["embedding"] == "bag-of-words/crc32+title"
    assert (plain["collection"]["documents"], plain["collection"]["chunks"]) == (1, 1)
    assert not {"decision", "llm", "writing"} & plain.keys()
    asked = await describe_run(engine, {"mode": "keyword"}, answers=True, judge=None)
    shipped = {"rule": "fitted", "edition": model_edition(), "calibration": "shipped", "file": None}
    assert (asked["embedding"], asked["decision"], asked["writing"]) == (None, shipped, None)
    helped = load_settings(store=str(tmp_path / "store"), search__hyde="adaptive")
    async with Engine(helped, embedder=BagOfWords()) as other:
        assert "llm" in await describe_run(other, {}, answers=False, judge=None)


async def test_a_calibration_and_a_prompt_are_told_by_their_words(engine: Engine, tmp_path: Path) -> None:
    await filled(engine, tmp_path / "docs", a="The cat purrs.")
    told: list[Json] = []
    for least, prompt in ((0.5, "default"), (0.5, "chunk-ids"), (0.7, "default")):
        file = tmp_path / f"{len(told)}.json"
        place = engine.calibration_place(file)
        own = Calibration("words", least, edition=model_edition(), place=place)
        file.write_text(render_calibration(own), encoding="utf-8")
        named = {"answer__calibration": str(file), "answer__prompt": prompt, "llm__model": "ollama/m"}
        settings = load_settings(store=str(tmp_path / "store"), answer__abstain="never", **named)
        async with Engine(settings, embedder=BagOfWords()) as one:
            told.append(await describe_run(one, {}, answers=True, judge=None))
    first, other, third = told
    assert first["decision"]["rule"] == "never"
    assert [one["decision"]["file"] for one in told] == [str(tmp_path / f"{n}.json") for n in range(3)]
    assert first["decision"]["calibration"] == other["decision"]["calibration"] != third["decision"]["calibration"]
    assert first["writing"] == third["writing"]
    assert first["writing"]["prompt_digest"] != other["writing"]["prompt_digest"]
    assert (first["writing"]["tokens"], first["writing"]["max_tokens"]) == (6000, 800)
    (tmp_path / "0.json").write_text("{}", encoding="utf-8")
    wrong = load_settings(store=str(tmp_path / "store"), answer__calibration=str(tmp_path / "0.json"))
    async with Engine(wrong, embedder=BagOfWords()) as one:
        with pytest.raises(ConfigError, match="is not a calibration"):
            await describe_run(one, {}, answers=True, judge=None)


def beir(root: Path, *texts: str) -> BeirSource:
    root.mkdir(exist_ok=True)
    lines = [f'{{"_id": "{text.split()[0]}", "text": "{text}"}}' for text in texts]
    (root / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return BeirSource(root)


async def test_a_corpus_wants_a_collection_of_its_own(engine: Engine, tmp_path: Path) -> None:
    source = beir(tmp_path / "beir", "cats purr", "dogs bark")
    await check_only_beir(engine, source)
    await engine.ingest_source(source)
    await check_only_beir(engine, source)
    cases = [Case("1", "who purrs", relevance={"cats": 1, "lions": 1})]
    report = await evaluate_beir(engine, source, cases, name="b", mode="keyword")
    assert report.metrics["Success@5"] == 1
    assert report.settings["granularity"] == "id"
    assert report.warnings[0].endswith(": lions")
    with pytest.raises(UsageError, match=r"1 documents that are not of this corpus, such as cats\.txt"):
        await check_only_beir(engine, beir(tmp_path / "beir", "dogs bark", "fish swim"))
    await filled(engine, tmp_path / "docs", a="The cat purrs.")
    with pytest.raises(UsageError, match=r"such as a\.md of source 'docs'"):
        await check_only_beir(engine, source)
