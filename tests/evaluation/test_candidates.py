"""Candidate questions: each has its answer at an exact place, and none is asked before a person accepts it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.answering.generative.prompt import load_template
from ragstone.answering.options import AnswerWriter
from ragstone.config.load import load as load_settings
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import Prompt
from ragstone.engine import Engine
from ragstone.evaluation import Case, load_cases
from ragstone.evaluation.candidate_questions import KINDS, Candidate, candidate_json, choose_spread
from ragstone.evaluation.candidate_search import collect_candidates, collect_passages
from ragstone.evaluation.engine_evaluation import evaluate_golden
from ragstone.evaluation.written_questions import QuestionWriter
from ragstone.providers import WordPiece
from ragstone.testing.bag_of_words import BagOfWords
from tests.scripted import Scripted

PAGES = {
    "storage.md": """# Storage

The **block store** is a folder with [chunks](https://x.example/c) and an index. It is a good thing.

## How to delete samples

Samples are kept for 15 days unless a flag says otherwise.

## Layout

| Directory | Content |
|---|---|
| `wal` | the write-ahead log |
| `chunks_head` | chunks in memory |

| Elsewhere | Here |
|---|---|
| folder | directory |

## Which limits are there?

There is no limit on the size of a block. The root token is the value ghp_x9Kd83jfLs0Qm4Vb7Tz1Yc6Rw2Ae5Ug8HiN3.
""",
    "alerts.md": "# Alerts\n\nAn alert is a rule that fires. Silences last 2 hours and go away.\n",
    "empty.md": "nothing of use here\n",
}
EXPECTED = {
    "definition": {
        ("What is the block store?", "The block store is a folder with chunks and an index."),
        ("What is an alert?", "An alert is a rule that fires."),
    },
    "figure": {
        ('How many days does "Storage" name under "How to delete samples"?', "15 days"),
        ('How many hours does "Alerts" name?', "2 hours"),
    },
    "heading": {
        ("How do I delete samples?", "Samples are kept for 15 days unless a flag says otherwise."),
        ("Which limits are there?", "There is no limit on the size of a block."),
    },
    "table row": {
        ('What is the Content of `wal` in "Storage"?', "the write-ahead log"),
        ('What is the Content of `chunks_head` in "Storage"?', "chunks in memory"),
    },
}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine(load_settings(store=str(tmp_path / "store")), embedder=BagOfWords()) as engine:
        for name, text in PAGES.items():
            file = tmp_path / "docs" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        await engine.ingest(tmp_path / "docs")
        yield engine


async def test_headings_definitions_figures_and_rows_become_questions_with_their_places(engine: Engine) -> None:
    found = await collect_candidates(engine, 100, seed=0)
    made: dict[str, set[tuple[str, str]]] = {kind: set() for kind in KINDS}
    for one in found:
        made[one.kind].add((one.question, one.answer))
        text = PAGES[one.path]
        assert text[one.start : one.start + len(one.quote)] == one.quote
    # A place answers one question alone, so of two kinds on it one is left out.
    assert {kind for kind in made if made[kind]} == set(KINDS)
    assert all(made[kind] <= EXPECTED[kind] for kind in KINDS), made
    assert made["table row"] == EXPECTED["table row"]
    assert "ghp_" not in str(found)


async def test_the_same_seed_gives_the_same_questions_spread_over_documents(engine: Engine) -> None:
    two = await collect_candidates(engine, 2, seed=0)
    assert {one.path for one in two} == {"storage.md", "alerts.md"}
    assert two == await collect_candidates(engine, 2, seed=0)
    orders = {tuple(one.path for one in await collect_candidates(engine, 2, seed=seed)) for seed in range(8)}
    assert len(orders) == 2
    assert len({candidate_json(one)["id"] for one in await collect_candidates(engine, 100, seed=0)}) > 4


def test_documents_come_before_kinds_and_no_place_or_question_twice() -> None:
    def make(kind: str, path: str, start: int) -> Candidate:
        return Candidate(kind, f"{kind} {start}?", "a", "a", path, start)

    first = [make("heading", "a.md", 1), make("figure", "a.md", 1), make("figure", "a.md", 2)]
    second = [make("heading", "b.md", 3), make("definition", "b.md", 4)]
    taken = choose_spread([first, second], 10)
    assert [(one.path, one.kind, one.start) for one in taken] == [
        ("a.md", "heading", 1),
        ("b.md", "definition", 4),
        ("a.md", "figure", 2),
        ("b.md", "heading", 3),
    ]
    assert choose_spread([first, second], 1) == taken[:1]


async def test_accepted_candidates_are_a_golden_set_that_is_scored_in_every_way(engine: Engine, tmp_path: Path) -> None:
    lines = [candidate_json(one) for one in await collect_candidates(engine, 100, seed=0)]
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with pytest.raises(UsageError, match=rf"no question of {len(lines)} is accepted: read them, and set \"accepted\""):
        load_cases(file)
    lines[0]["accepted"] = True
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    told: list[str] = []
    [case] = load_cases(file, tell=told.append)
    assert case.question == lines[0]["question"]
    assert told == [
        f"{len(lines) - 1} questions are not accepted in {file} and left out: "
        'read them, and set "accepted": true on the good ones'
    ]
    file.write_text("\n".join(json.dumps({**line, "accepted": True}) for line in lines), "utf-8")
    report = await evaluate_golden(engine, load_cases(file), granularity="span", name="g", answers=True)
    assert report.counts["judged"] == len(lines)
    assert report.metrics["Recall@10"] > 0.9
    assert {"answered_sentence_hit", "answer_f1", "answer_recall", "cited_relevance"} <= report.metrics.keys()


def written(question: str, quote: str, answer: str) -> str:
    return json.dumps({"written": {"question": question, "quote": quote, "answer": answer}})


def make_writer(*replies: str | RagstoneError) -> tuple[QuestionWriter, Scripted]:
    left = list(replies)

    def say(_: Prompt) -> str | list[str | RagstoneError]:
        said = left.pop(0) if len(left) > 1 else left[0]
        return said if isinstance(said, str) else [said]

    model = Scripted(say)
    return QuestionWriter(AnswerWriter(model, load_template("default"), WordPiece())), model


async def test_a_models_question_counts_only_with_an_answer_that_stands_in_the_passage(engine: Engine) -> None:
    passages = await collect_passages(engine, 10, seed=0)
    assert passages
    chunk, record = next(one for one in passages if "15 days" in one[0].text)
    good = written("For how long are samples kept?", "Samples are  kept\nfor 15 days", "15 days")
    writer, model = make_writer(good)
    [made] = await writer.write([(chunk, record)], 1)
    assert (made.question, made.answer, made.quote) == (
        "For how long are samples kept?",
        "15 days",
        "Samples are kept for 15 days",
    )
    assert record[made.start :].startswith(made.quote)
    [prompt] = model.prompts
    assert prompt.schema is not None
    assert "ghp_" not in str(prompt.messages)
    assert "kept for 15 days" in str(prompt.messages)
    useless = {
        written("For how long?", "Samples are kept for 16 days", "16 days"): "its quote does not stand in the passage",
        written("For how long?", "Samples are kept for 15 days", "two weeks"): "its answer does not stand in its quote",
        written("What does this passage say?", "15 days", "15 days"): "its question cannot stand alone",
        written("Samples", "15 days", "15 days"): "its question cannot stand alone",
        "I cannot.": "it is not the JSON that was asked for",
        '{"written": 3}': "it is not the JSON that was asked for",
    }
    for reply, why in useless.items():
        writer, _ = make_writer(reply)
        assert await writer.write([(chunk, record)], 1) == []
        assert dict(writer.dropped) == {why: 1}


async def test_a_model_that_is_away_is_left_alone_and_one_failure_is_not(engine: Engine) -> None:
    passages = [(await collect_passages(engine, 1, seed=0))[0]] * 4
    writer, model = make_writer(Unavailable("away"))
    with pytest.raises(Unavailable, match="away"):
        await writer.write(passages, 3)
    assert len(model.prompts) == 2
    writer, model = make_writer(Unavailable("away"), "no JSON")
    assert await writer.write(passages, 3) == []
    assert writer.dropped["the model could not be asked: away"] == 1
    assert len(model.prompts) == 4


async def test_an_empty_collection_has_no_question(tmp_path: Path) -> None:
    async with Engine(load_settings(store=str(tmp_path / "none")), embedder=BagOfWords()) as engine:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "a.md").write_text("Cats purr.", "utf-8")
        await engine.ingest(tmp_path / "docs")
        assert await collect_candidates(engine, 5, seed=0) == []
        await engine.delete("a.md")
        with pytest.raises(UsageError, match="has no document to ask about"):
            await collect_candidates(engine, 5, seed=0)


def test_a_case_says_whether_it_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('{"question": "?", "accepted": "yes"}', "utf-8")
    with pytest.raises(UsageError, match=r"golden.jsonl:1: invalid 'accepted': expected true or false"):
        load_cases(file)
    file.write_text('{"question": "a?"}\n{"question": "b?", "accepted": true}', "utf-8")
    assert load_cases(file) == (Case("q1", "a?"), Case("q2", "b?"))
