"""What can be wrong with somebody else's table, and what every string of a configuration or request may carry."""

import asyncio
import random
import re
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from ragstone.config.settings import PipelineSettings, SearchSettings, Settings, TableSettings
from ragstone.core.errors import ConfigError, RagstoneError, StoreError, UsageError
from ragstone.core.filter_matching import Facts, matches
from ragstone.core.filters import OPERATORS, Condition, Where
from ragstone.core.types import Document
from ragstone.engine import Engine
from ragstone.stores.tables.relations import read_relation
from ragstone.testing.bag_of_words import BagOfWords
from tests.patience import HANG
from tests.stores.postgres.server import PASSWORD
from tests.stores.tables.conftest import DIMENSION, DOCS, READER, ROWS, Data, Opened
from tests.stores.tables.test_search import BARE, KEYWORD, ids

GONE = TableSettings("nowhere", "content", "embedding", "id")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (GONE, "there is no table or view 'nowhere'"),
        (replace(DOCS, table=""), "invalid table ''"),
        (replace(DOCS, table="a.b.c.d"), "expected the name of a table|there is no table"),
        (replace(DOCS, table='"unfinished'), "expected the name of a table|there is no table"),
        (replace(DOCS, table="docs_id_seq"), "is not a table or view"),
        (replace(DOCS, text_column="contents"), r"no column 'contents' \(text_column\); did you mean 'content'"),
        (replace(DOCS, text_column="year"), "of type int4: expected a text"),
        (replace(DOCS, vector_column="content"), "of type text: expected vector or halfvec"),
        (replace(DOCS, vector_column="nothing"), r"no column 'nothing' \(vector_column\)"),
        (replace(DOCS, id_column="key"), r"no column 'key' \(id_column\)"),
        (TableSettings("shown", "content", "embedding"), "is a view whose rows have no place: name its id_column"),
        (replace(DOCS, filter="status = "), "syntax error"),
        (replace(DOCS, filter="nope = 1"), r"filter of public\.docs .*column \"nope\" does not exist.*correct it"),
        (replace(DOCS, filter="year"), "must be type boolean"),
        (replace(DOCS, filter="year = 'x'"), "invalid input syntax for type integer"),
        (replace(DOCS, filter_columns=("id", "nope")), r"no column 'nope' \(filter_columns\)"),
        (replace(DOCS, filter="status = 'x') OR (true"), "syntax error"),
        (replace(DOCS, filter="true LIMIT 1"), "syntax error"),
        (replace(DOCS, filter="true; DROP TABLE docs"), "syntax error|multiple commands"),
        (replace(DOCS, filter="true /* and so on"), "unterminated"),
        (replace(DOCS, filter={"conditions": [{"column": "nope", "operator": "=", "value": 1}]}), "no column 'nope'"),
    ],
)
async def test_what_is_not_as_configured_is_named(engine: Opened, data: Data, table: TableSettings, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        await engine(table).pipeline("p").search("samples")
    if table.table:  # what has no name is refused before there is a pipeline
        assert await engine(table).pipeline("p").check() == [f"{table.table}.{table.text_column}: {raised.value}"]
    assert PASSWORD not in str(raised.value)
    assert data.run("SELECT count(*) FROM docs") == [(len(ROWS),)]


async def test_a_table_that_may_not_be_read_is_named(engine: Opened, data: Data) -> None:
    data.run("CREATE TABLE closed AS SELECT id, content, embedding FROM docs")
    with pytest.raises(ConfigError, match="may not be read"):
        await engine(replace(DOCS, table="closed")).pipeline("p").search("samples")
    data.run(f"GRANT SELECT (id, content) ON closed TO {READER}")
    with pytest.raises(ConfigError, match=r"column 'embedding' of public\.closed may not be read"):
        await engine(replace(DOCS, table="closed")).pipeline("p").search("samples")
    found = await engine(replace(DOCS, table="closed", vector_column=None)).pipeline("p").search("samples")
    assert len(found.hits) == 3
    with pytest.raises(ConfigError, match="only some columns may be read: name its id_column"):
        await engine(replace(DOCS, table="closed", vector_column=None, id_column=None)).pipeline("p").search("x")


async def test_names_are_taken_as_they_stand_whatever_they_are(engine: Opened, data: Data) -> None:
    odd = 'do"cs; DROP TABLE docs; --'
    quoted = '"' + odd.replace('"', '""') + '"'
    column = "te%xt'); --%s"
    data.run(f"CREATE SCHEMA \"Odd\"; CREATE TABLE \"Odd\".{quoted} AS SELECT id AS \"I d\", content AS \"{column}\","
             " embedding AS \"{v}\" FROM docs".replace("%", "%%").replace("%%", "%"))  # fmt: skip
    data.run('GRANT USAGE ON SCHEMA "Odd" TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA "Odd" TO PUBLIC')
    table = TableSettings(f'"Odd".{quoted}', column, "{v}", "I d", filter_columns=("*",))
    where = Where(conditions=(Condition("I d", ">", 1),))
    found = await engine(table).pipeline("p").search("samples", where=where)
    assert set(ids(found)) == {"2", "3", "4", "5", "6"}
    assert data.run("SELECT count(*) FROM docs") == [(len(ROWS),)]


HOSTILE = (
    "x'; DROP TABLE docs; --",
    'x"; DROP TABLE docs; --',
    "' OR '1'='1",
    "1) OR (true",
    "%s %(limit)s {} {0} %",
    "$1",
    "\\'; SELECT pg_sleep(5); --",
    "E'\\x27'",
    "a\0b",
    "\ud800",
    "docs; SELECT 1",
    "*/ --",
)


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_string_of_a_configuration_is_carried_out(engine: Opened, data: Data, text: str) -> None:
    conditions = [{"column": "topic", "operator": "=", "value": text}]
    for change in (
        {"table": text},
        {"text_column": text},
        {"vector_column": text},
        {"id_column": text},
        {"filter": {"conditions": [{**conditions[0], "column": text}]}},
    ):
        with pytest.raises(RagstoneError):
            await engine(replace(DOCS, **change)).pipeline("p").search("samples")
    for operator in OPERATORS:
        value: Any = [text] if operator.endswith("IN") else text
        table = replace(DOCS, filter={"conditions": [{**conditions[0], "operator": operator, "value": value}]})
        try:
            found = await engine(table).pipeline("p").search("samples")
        except UsageError as error:  # what no text in PostgreSQL holds
            assert "\0" in text or "\ud800" in text, error  # noqa: PT017
            continue
        every = operator in ("!=", "NOT IN", "IS NOT NULL") or operator in ("<", ">", "<=", ">=")
        assert every or len(found.hits) == (0 if "%" not in text or "LIKE" not in operator else len(found.hits))
    assert data.run("SELECT count(*) FROM docs") == [(len(ROWS),)]


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_string_of_a_request_is_carried_out(engine: Opened, data: Data, text: str) -> None:
    line = engine().pipeline("p")
    with pytest.raises(UsageError, match=r"no column|may not be filtered"):
        await line.search("samples", where=Where(conditions=(Condition(text, "=", "x"),)))
    for column in ("topic", "tags", "secret"):
        for operator in ("=", "<", "LIKE", "ILIKE", "IN"):
            value: Any = [text] if operator == "IN" else text
            try:
                found = await line.search("samples", where=Where(conditions=(Condition(column, operator, value),)))
            except UsageError:
                assert "\0" in text or "\ud800" in text
                continue
            assert operator == "<" or found.hits == ()
    for column in ("year", "updated", "flag", "price", "id"):
        with pytest.raises(UsageError):
            await line.search("samples", where=Where(conditions=(Condition(column, "=", text),)))
    if text.isprintable():
        await line.search(text)
        await line.ask(f"{text} samples?")
    assert (await line.search("samples", where=Where(sources=(text.replace(chr(0xD800), ""),)))).hits == ()
    assert data.run("SELECT count(*) FROM docs") == [(len(ROWS),)]


async def test_only_allowed_columns_can_be_asked_about(engine: Opened) -> None:
    table = replace(DOCS, filter_columns=("topic", "year"))
    line = engine(table).pipeline("p")
    found = await line.search("samples", where=Where(conditions=(Condition("topic", "=", "alerts"),)))
    assert set(ids(found)) == {"3", "4"}
    with pytest.raises(UsageError, match="may not be filtered by 'secret'; allowed are: topic, year"):
        await line.search("samples", where=Where(conditions=(Condition("secret", "LIKE", "s%"),)))
    with pytest.raises(UsageError, match="no column 'nothing'"):
        await engine().pipeline("p").search("samples", where=Where(conditions=(Condition("nothing", "=", 1),)))
    closed = engine(replace(DOCS, filter_columns=())).pipeline("p")
    with pytest.raises(UsageError, match="its filter_columns allow none"):
        await closed.search("samples", where=Where(conditions=(Condition("topic", "=", "x"),)))
    with pytest.raises(UsageError, match="unknown filter operator 'SIMILAR TO'"):
        Condition("topic", "SIMILAR TO", "x")
    with pytest.raises(UsageError, match="filter 'tags' asks about documents"):
        await line.search("samples", where=Where(tags=("x",)))


async def test_a_request_can_never_widen_the_configured_filter(engine: Opened) -> None:
    for own in (
        "status = 'published' -- only these",
        "status = 'draft' OR status = 'published' AND content NOT LIKE '%secret%'",
        {"conditions": [{"column": "status", "operator": "=", "value": "published"}]},
    ):
        line = engine(replace(DOCS, filter=own)).pipeline("p")
        either = (Condition("id", ">", 0), Condition("topic", "=", "tsdb"))
        for where in (Where(), Where(conditions=either, logic="OR"), Where(conditions=either)):
            found = await line.search("samples kept forever secret", where=where)
            assert found.hits
            assert ("5" in ids(found)) == ("draft" in str(own))


async def test_conditions_mean_what_they_mean_everywhere(engine: Opened, data: Data) -> None:
    """Random conditions on columns of all kinds, against the one meaning of `ragstone.core.filters`."""
    rows = data.run("SELECT id, topic, year, price::float, flag, tags, title, secret FROM docs")
    data.run(
        "INSERT INTO docs (content, embedding, tags) "
        "SELECT 'samples and nothing else', embedding, '{}' FROM docs LIMIT 1"
    )
    rows.append((7, None, None, None, None, [], None, None))
    names = ("id", "topic", "year", "price", "flag", "tags", "title", "secret")
    values: dict[str, list[Any]] = {
        "topic": ["tsdb", "alerts", "ts%", "%S_b", "", "\\", "a\\"],
        "title": ["Rules", "rules", "R%", "%e%"],
        "year": [2021, 2024, 2021.5, -1],
        "id": [1, 3, 7, 2**70],
        "price": [20.21, 20.24, 20, 1e300],
        "flag": [True, False],
        "tags": ["all", "tsdb", "a%"],
    }
    line = engine(search=SearchSettings(mode="semantic", fold=False)).pipeline("p")
    rng = random.Random(7)
    plain = ("year", "id", "price", "flag")
    for _ in range(150):
        conditions = []
        for _ in range(rng.randint(1, 3)):
            column = rng.choice(list(values))
            operator = rng.choice([one for one in OPERATORS if "LIKE" not in one or column not in plain])
            many = [rng.choice(values[column]) for _ in range(rng.randint(0, 3))]
            conditions.append(
                Condition(column, operator, many if operator.endswith("IN") else rng.choice(values[column]))
            )
        where = Where(conditions=tuple(conditions), logic=rng.choice(("AND", "OR")))
        found = await line.search("samples", where=where, top_k=50)
        expected = set()
        for row in rows:
            document = Document("", "s", "p", 1, "v", "r", title=row[6], meta=dict(zip(names, row, strict=True)))
            if matches(where, Facts(document)):
                expected.add(str(row[0]))
        assert set(ids(found)) == expected, (where.logic, where.conditions)


async def test_a_filter_that_fails_on_a_row_is_an_error(engine: Opened) -> None:
    with pytest.raises(StoreError, match="division by zero"):
        await engine(replace(DOCS, filter="year / 0 = 1")).pipeline("p").search("samples")


async def test_a_wrong_dimension_is_named_and_never_answered_from_half(engine: Opened) -> None:
    line = engine(embedder=BagOfWords(DIMENSION + 1)).pipeline("p")
    said = f"have {DIMENSION} dimensions, those of the pipeline's model {DIMENSION + 1}"
    for mode in ("hybrid", "semantic"):
        with pytest.raises(ConfigError, match=said):
            await line.search("samples kept", mode=mode)
    assert set(ids(await line.search("samples kept", mode="keyword"))) == {"1", "2", "5"}
    [problem] = await line.check()
    assert f"its vectors have {DIMENSION} dimensions" in problem


async def test_vectors_of_mixed_dimensions_are_a_note(engine: Opened, data: Data) -> None:
    data.run("DROP VIEW shown; ALTER TABLE docs ALTER embedding TYPE vector")
    data.run("UPDATE docs SET embedding = '[1,2,3]' WHERE id = 2")
    found = await engine().pipeline("p").search("samples kept")
    assert [note.code for note in found.notes] == ["cosine_failed"]
    assert "is it the same model?" in found.notes[0].message
    assert found.hits


async def test_one_failing_table_is_a_note_and_the_rest_answers(engine: Opened) -> None:
    found = await engine(GONE, DOCS).pipeline("p").search("samples kept")
    assert found.hits
    [note] = found.notes
    assert note.code == "part_failed"
    assert note.message.startswith("nowhere.content failed and was left out: there is no table")
    answer = await engine(DOCS, GONE).pipeline("p").ask("How long are samples kept by default?")
    assert "15 days" in answer.text
    assert [note.code for note in answer.notes] == ["part_failed"]


async def test_all_failing_is_an_error_and_not_nothing_found(engine: Opened) -> None:
    with pytest.raises(UsageError, match=r"the search failed: nowhere\.content .*; docs\.contents "):
        await engine(GONE, replace(DOCS, text_column="contents")).pipeline("p").search("samples")
    with pytest.raises(UsageError, match="there is no table"):
        await engine(GONE).pipeline("p").ask("samples")


async def test_a_server_that_does_not_answer_is_a_note_beside_one_that_does(data: Data) -> None:
    dead = re.sub(r"@[^/]*/", "@127.0.0.1:1/", data.url)
    settings = Settings(
        store="embedded:none",
        pipelines=(
            PipelineSettings("dead", database=dead, tables=(DOCS,), timeout=0.5),
            PipelineSettings("both", database=dead, tables=(DOCS,), collections=("default",), timeout=0.5),
        ),
    )
    async with Engine(settings, embedder=BagOfWords(DIMENSION)) as kb:
        with pytest.raises(StoreError, match="does not answer") as raised:
            await kb.pipeline("dead").search("samples")
        assert PASSWORD not in str(raised.value)
        with pytest.raises(StoreError, match="does not answer"):
            await kb.pipeline("both").search("samples")


async def test_a_statement_that_takes_too_long_is_ended(engine: Opened, data: Data) -> None:
    data.run(f"CREATE VIEW slow AS SELECT id, content, embedding FROM docs WHERE pg_sleep({HANG}) IS NOT NULL")
    data.run("GRANT SELECT ON slow TO PUBLIC")
    slow = TableSettings("slow", "content", "embedding", "id")
    with pytest.raises(StoreError, match="took longer than the pipeline's timeout"):
        await engine(slow, timeout=2.0).pipeline("p").search("samples")
    found = await engine(slow, DOCS, timeout=2.0).pipeline("p").search("samples")
    assert found.hits
    assert {note.code for note in found.notes} == {"cosine_failed", "bm25_failed", "part_failed"}
    assert all(note.message.startswith("slow.content") for note in found.notes)


async def test_a_locked_table_is_not_waited_for_longer(engine: Opened, data: Data) -> None:
    with psycopg.connect(data.server.owner(data.name)) as owner:
        owner.execute("LOCK TABLE docs IN ACCESS EXCLUSIVE MODE")
        found = await engine(DOCS, BARE, timeout=2.0).pipeline("p").search("samples")
    assert ids(found) == ["(0,1)", "(0,2)"]
    assert "part_failed" in {note.code for note in found.notes}


@pytest.mark.parametrize("change", ["DROP TABLE docs CASCADE", "ALTER TABLE docs DROP embedding CASCADE"])
async def test_a_table_that_changes_in_the_middle_is_an_error_of_its_own(
    engine: Opened, data: Data, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def then_gone(*given: Any) -> Any:
        found = await read_relation(*given)
        if found.name == "docs":
            await asyncio.to_thread(data.run, change)
        return found

    monkeypatch.setattr("ragstone.stores.tables.database.read_relation", then_gone)
    line = engine(DOCS, BARE).pipeline("p")
    found = await line.search("samples")
    assert "(0,1)" in ids(found)
    assert found.notes
    assert "changed a moment ago" in found.notes[0].message
    monkeypatch.undo()
    later = await engine(DOCS, BARE, search=KEYWORD).pipeline("p").search("samples")
    assert "part_failed" in {note.code for note in later.notes}


async def test_nothing_is_ever_written(engine: Opened, data: Data) -> None:
    data.run("CREATE FUNCTION spoil() RETURNS boolean LANGUAGE plpgsql AS "
             "$$ BEGIN DELETE FROM docs; RETURN true; END $$")  # fmt: skip
    data.run("GRANT DELETE ON docs TO PUBLIC")
    with pytest.raises(StoreError, match="read-only"):
        await engine(replace(DOCS, filter="spoil()")).pipeline("p").search("samples")
    assert data.run("SELECT count(*) FROM docs") == [(len(ROWS),)]


async def test_a_restart_of_the_server_is_survived(engine: Opened, data: Data) -> None:
    line = engine().pipeline("p")
    first = await line.search("samples kept")
    data.server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{data.name}'")
    assert (await line.search("samples kept")).hits == first.hits


async def test_many_questions_at_once(engine: Opened) -> None:
    line = engine(DOCS, BARE, TableSettings("shown", "content", "embedding", "id")).pipeline("p")
    expected = (await line.search("samples kept")).hits
    found = await asyncio.gather(*(line.search("samples kept") for _ in range(20)))
    assert all(one.hits == expected for one in found)
