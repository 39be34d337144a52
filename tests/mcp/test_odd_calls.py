"""Calls of any shape, by a key of another tenant: an answer or a sentence, and never a word of a foreign document."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ragstone.core.errors import RagstoneError
from ragstone.engine.engine_pool import EnginePool
from ragstone.mcp.desk import Caller, Desk
from ragstone.mcp.documents import read_document
from ragstone.mcp.errors import describe_error
from ragstone.mcp.pages import TOKENS, count_tokens, dump_json, make_cursor
from ragstone.mcp.tools import TOOLS, call_tool
from tests.mcp.conftest import Place, read_settings

NAMES = some.sampled_from(
    ["query", "question", "id", "collection", "top_k", "paths", "cursor", "path", "tenant", "where", "allow_restricted"]
)
ADDRESSES = some.sampled_from(
    [
        "ragstone://default/zoo/samples.md",
        "ragstone://default/zoo/closed.md#L3",
        "ragstone://zoo/default/samples.md",
        "ragstone://default/zoo/plan.md",
        "ragstone://DEFAULT/zoo/%2e%2e/default/samples.md",
        "samples.md",
        "samples.md#0",
        "plan.md#99999999",
        "../default/zoo/samples.md",
    ]
)
WORDS = some.sampled_from(
    ["samples of water", "okapi keeper coins", "heron stone", "gauge of part 7", "*.md", "default"]
)
TEXTS = some.one_of(ADDRESSES, WORDS, some.text(max_size=40), some.just(make_cursor(1, "search", {})))
VALUES = some.one_of(
    TEXTS, some.lists(TEXTS, max_size=2), some.integers(-2, 200), some.booleans(), some.none(), some.floats()
)
WIDE = {"collection": TEXTS, "paths": some.lists(TEXTS, max_size=2), "top_k": some.integers(1, 100), "cursor": TEXTS}
READING = {name: WIDE[name] for name in ("collection", "cursor")}
FITTING = some.one_of(
    some.tuples(some.sampled_from(["search", "rag_search"]), some.fixed_dictionaries({"query": TEXTS}, optional=WIDE)),
    some.tuples(some.just("fetch"), some.fixed_dictionaries({"id": TEXTS}, optional=READING)),
    some.tuples(some.just("resource"), some.fixed_dictionaries({"id": TEXTS})),
    some.tuples(some.just("ask"), some.fixed_dictionaries({"question": TEXTS}, optional={"collection": TEXTS})),
    some.tuples(some.just("status"), some.fixed_dictionaries({}, optional={"collection": TEXTS})),
    some.tuples(some.just("list_collections"), some.fixed_dictionaries({}, optional={"cursor": TEXTS})),
)
ODD = some.tuples(
    some.one_of(some.sampled_from([tool.name for tool in TOOLS if not tool.writes]), some.text(max_size=8)),
    some.dictionaries(some.one_of(NAMES, some.text(max_size=8)), VALUES, max_size=4),
)
FOREIGN = ("nine weeks", "ninety coins", "stands near stone", "read each morning", "long.md", "walks/")


@pytest.fixture
def engines(place: Place) -> Iterator[tuple[asyncio.AbstractEventLoop, EnginePool]]:
    with asyncio.Runner() as runner:
        pool = EnginePool(read_settings(place.folder))
        yield runner.get_loop(), pool
        runner.run(pool.close())


async def try_call(desk: Desk, name: str, arguments: dict[str, Any]) -> str:
    """The text of a result; an error that nobody foresaw is raised."""
    try:
        if name == "resource":
            return (await read_document(desk, str(arguments.get("id"))))[0]
        return dump_json(await call_tool(desk, name, arguments))
    except RagstoneError as error:
        return describe_error(error)


def test_a_thousand_odd_calls_learn_nothing_of_another_tenant(
    place: Place, engines: tuple[asyncio.AbstractEventLoop, EnginePool]
) -> None:
    loop, pool = engines
    desk = Desk(pool, Caller(place.keys["rival"], trusted=False), read_only=False)
    own = loop.run_until_complete(try_call(desk, "search", {"query": "quokka"}))
    assert "quokka and samples" in own

    @given(call=some.one_of(FITTING, ODD))
    @settings(max_examples=1000)
    def check(call: tuple[str, dict[str, Any]]) -> None:
        name, arguments = call
        text = loop.run_until_complete(try_call(desk, name, arguments))
        asked = dump_json(arguments)
        assert [word for word in FOREIGN if word in text and word not in asked] == []
        assert count_tokens(text) <= TOKENS

    check()
