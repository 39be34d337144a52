"""Each tool over stdio, by the official client and a process of its own: shapes, mistakes, pages, secrets, rights."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from mcp import Client, MCPError
from ragstone.mcp.pages import TOKENS, count_tokens
from tests.mcp.conftest import DOCUMENTS, TOKEN, Place, call, fail

ADDRESS = "ragstone://default/zoo/samples.md"
LONG = "ragstone://default/zoo/long.md"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_host_finds_reads_and_asks(place: Place, mode: str) -> None:
    async with Client(place.stdio(), mode=mode) as client:
        assert "never follow" in (client.instructions or "").lower()
        found = await call(client, "search", query="samples of water", top_k=3)
        assert list(found) == ["results", "notes"]  # one, that there are no vectors
        first = found["results"][0]
        assert list(first) == ["id", "title", "url", "text"]
        assert (first["id"], first["title"], first["url"]) == (ADDRESS, "Samples", f"{ADDRESS}#L1-L7")
        assert "kept for nine weeks" in first["text"]
        read = await call(client, "fetch", id=first["id"])
        assert list(read) == ["id", "title", "text", "url", "metadata"]
        assert read["text"] == DOCUMENTS["samples.md"]
        assert read["metadata"]["path"] == "samples.md"
        answer = await call(client, "ask", question="How long are samples of water kept?")
        assert answer["answer"] == "Samples of water are kept for nine weeks. [1]"
        [citation] = answer["citations"]
        assert citation["quote"] in DOCUMENTS["samples.md"]
        assert (citation["n"], citation["status"], citation["url"]) == (1, "verified", f"{ADDRESS}#L3")


async def test_the_tools_tell_a_model_what_they_take_and_give(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [
        "search",
        "fetch",
        "ask",
        "rag_search",
        "list_documents",
        "list_collections",
        "status",
        "ingest",
    ]
    for tool in tools:
        assert tool.input_schema["additionalProperties"] is False
        assert (
            "Return" in (tool.description or "") or "Show" in (tool.description or "") or tool.name.startswith("list")
        )
        assert all("description" in one for one in tool.input_schema["properties"].values())
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "ingest")
    assert tools[0].input_schema["required"] == ["query"]
    # What a host puts into each conversation stays small.
    assert count_tokens(json.dumps([tool.model_dump(mode="json", exclude_none=True) for tool in tools])) < 3500


async def test_an_answer_that_is_not_there_is_an_abstention_with_what_is_closest(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        answer = await call(client, "ask", question="Which bank gives credit for a telescope?")
    assert answer["abstained"] is True
    assert answer["reason"]
    assert answer["citations"] == []


async def test_the_compact_search_leads_to_a_passage(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        pack = await call(client, "rag_search", query="filter changed each spring", top_k=1)
        assert (pack["schema"], pack["sources"]) == (1, {"S1": "samples.md"})
        [item] = pack["items"]
        assert list(item) == ["ref", "snippet", "score", "notes"]
        passage = item["ref"].replace("S1", pack["sources"]["S1"])
        read = await call(client, "fetch", id=passage)
        assert "A filter is changed each spring." in read["text"]
        assert await call(client, "fetch", id=passage.replace("samples.md", ADDRESS)) == read


@pytest.mark.parametrize(
    ("tool", "asked"), [("search", {"query": "buoy"}), ("ask", {"question": "How is the buoy of the pier painted?"})]
)
async def test_a_search_keeps_to_tags_and_days(warm_place: Place, tool: str, asked: dict[str, str]) -> None:
    async with Client(warm_place.stdio()) as client:
        fitting = {"tags": ["lake", "harbour"], "date_from": "2026-03", "date_to": "2026-03-02"}
        assert "painted green" in json.dumps(await call(client, tool, **asked, **fitting))
        for other in ({"tags": ["lake"]}, {"date_from": "2026-03-03"}, {"date_to": "2026-03-01"}):
            found = await call(client, tool, **asked, **other)
            assert "painted green" not in json.dumps(found), other
            assert any("passes the filter" in note for note in found["notes"]), other


async def test_documents_are_listed_by_the_page_with_what_they_are_filtered_by(
    warm_place: Place,
) -> None:
    async with Client(warm_place.stdio()) as client:
        first = await call(client, "list_documents")
        others = await call(client, "list_documents", cursor=first["next_cursor"])
        assert first["total"] == others["total"] == len(DOCUMENTS) - 1  # one is restricted
        ids = [one["id"] for one in (*first["documents"], *others["documents"])]
        assert (len(set(ids)), ids) == (len(DOCUMENTS) - 1, sorted(ids))
        assert "next_cursor" not in others
        [one] = (await call(client, "list_documents", tags="harbour"))["documents"]
        assert (await call(client, "list_documents", tags='["harbour"]', date_from="2026-03"))["documents"] == [one]
        assert (one["date"], "harbour" in one["tags"]) == ("2026-03-02", True)
        everything = await call(client, "list_documents", paths=None, tags=None)
        assert everything["total"] == first["total"]
        none = await call(client, "list_documents", paths=["zebra/**"])
        assert (none["documents"], none["total"]) == ([], 0)
        assert "no document passes these filters" in none["notes"][0]


async def test_a_document_is_read_by_so_many_lines(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        whole = (await call(client, "fetch", id=ADDRESS))["text"].splitlines(keepends=True)
        part = await call(client, "fetch", id=f"{ADDRESS}#L2", lines=2)
        assert part["text"] == "".join(whole[1:3])
        assert (part["metadata"]["first_line"], part["metadata"]["last_line"]) == (2, 3)
        rest = await call(client, "fetch", id=f"{ADDRESS}#L2", lines=1000, cursor=part["metadata"]["next_cursor"])
        assert rest["text"] == "".join(whole[3:])


async def test_state_and_collections(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        listed = await call(client, "list_collections")
        assert [(one["name"], one["documents"]) for one in listed["collections"]] == [("default", len(DOCUMENTS))]
        state = await call(client, "status")
        assert (state["state"], state["may_ingest"], state["answers"]) == ("healthy", True, "quoted from the documents")
        assert (await call(client, "status", collection="other"))["state"] == "missing"


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "unknown parameter": ("search", {"query": "a", "limit": 3}, "unknown parameter 'limit'; did you mean 'top_k'?"),
    "unlike": ("search", {"query": "a", "filter": {}}, "unknown parameter 'filter': expected one of: query,"),
    "other name": ("fetch", {"url": ADDRESS}, "unknown parameter 'url'; did you mean 'id'?"),
    "missing": ("search", {}, "missing parameter 'query'"),
    "empty": ("ask", {"question": ""}, "invalid question"),
    "blank": ("search", {"query": "   "}, ""),
    "kind": ("search", {"query": "a", "top_k": "many"}, "invalid top_k"),
    "bound": ("rag_search", {"query": "a", "top_k": 0}, "invalid top_k: expected at least 1, not 0"),
    "long": ("search", {"query": "a" * 20_001}, "invalid query"),
    "list": ("search", {"query": "a", "paths": 5}, "invalid paths: expected a list, not 5"),
    "collection": ("search", {"query": "a", "collection": "other"}, "list_collections"),
    "name": ("status", {"collection": "a\nb"}, "not usable"),
    "cursor": ("search", {"query": "a", "cursor": "MS4x"}, "the cursor is of another call"),
    "no cursor": ("fetch", {"id": ADDRESS, "cursor": "%%"}, "the cursor is of another call"),
    "document": ("fetch", {"id": "ragstone://default/zoo/other.md"}, "there is no document"),
    "source": ("fetch", {"id": "ragstone://default/other/samples.md"}, "there is no document"),
    "other collection": ("fetch", {"id": "ragstone://other/zoo/samples.md"}, "there is no document"),
    "nearest": ("fetch", {"id": "sampels.md"}, f"there is no document 'sampels.md'; did you mean {ADDRESS!r}?"),
    "passage": ("fetch", {"id": "samples.md#99"}, f"the document has no passage 99: fetch {ADDRESS} without it"),
    "no document": ("fetch", {"id": "zebra.txt#0"}, "there is no document 'zebra.txt#0'; call search"),
    "reference": (
        "fetch",
        {"id": "S1#3"},
        "'S1#3' is a reference: fetch PATH#3, where PATH is the path that",
    ),
    "tag": ("search", {"query": "a", "tags": [5]}, "invalid tags.0: expected text, not 5"),
    "day": ("ask", {"question": "a", "date_from": "last week"}, "invalid date"),
    "upwards": ("fetch", {"id": "ragstone://default/zoo/../../ragstone.yaml"}, "there is no document"),
    "address": ("fetch", {"id": "ragstone://"}, "there is no document"),
    "file": ("fetch", {"id": "/etc/passwd"}, "there is no document"),
    "outside": ("ingest", {"path": "/etc"}, "not inside a configured source; the sources are: zoo"),
    "beside": ("ingest", {"path": "docs/../rival"}, "not inside a configured source"),
    "tool": (
        "ragsearch",
        {},
        "unknown tool 'ragsearch': did you mean rag_search?\nNext step: call a tool that",
    ),
    "no such tool": ("xyz", {}, "unknown tool 'xyz': expected one of: ask, fetch, ingest, list_collections, list_doc"),
}


async def test_wrong_input_is_a_sentence_with_a_next_step(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        for case, (name, arguments, message) in WRONG.items():
            assert message in await fail(client, name, **arguments), case


async def test_a_long_document_comes_in_pages_that_join(warm_place: Place) -> None:
    """Each within the budget; lines go on where the page before ended."""
    pages: list[dict[str, Any]] = []
    async with Client(warm_place.stdio()) as client:
        cursor: str | None = None
        while cursor is not None or not pages:
            asked: dict[str, Any] = {"id": LONG, **({"cursor": cursor} if cursor else {})}
            result = await client.call_tool("fetch", asked)
            assert count_tokens(result.content[0].text) <= TOKENS  # type: ignore[union-attr]
            pages.append(result.structured_content)
            cursor = pages[-1]["metadata"].get("next_cursor")
        from_line = await call(client, "fetch", id=f"{LONG}#L9-L12")
    assert len(pages) > 2
    assert "".join(page["text"] for page in pages) == DOCUMENTS["long.md"].replace(TOKEN, "[masked:api_key]")
    lines = [(page["metadata"]["first_line"], page["metadata"]["last_line"]) for page in pages]
    assert [after[0] - before[1] for before, after in pairwise(lines)] == [1] * (len(pages) - 1)
    assert lines[-1][1] == pages[0]["metadata"]["lines"] == len(DOCUMENTS["long.md"].splitlines())
    assert from_line["text"].startswith(DOCUMENTS["long.md"].splitlines()[8])


async def test_many_results_come_in_pages(warm_place: Place) -> None:
    seen: list[str] = []
    async with Client(warm_place.stdio()) as client:
        cursor, pages = None, 0
        while cursor is not None or not seen:
            asked: dict[str, Any] = {"query": "heron stone walk", "top_k": 100}
            asked |= {"cursor": cursor} if cursor else {}
            result = await client.call_tool("search", asked)
            assert count_tokens(result.content[0].text) <= TOKENS  # type: ignore[union-attr]
            data = result.structured_content
            seen += [one["id"] for one in data["results"]]
            cursor, pages = data.get("next_cursor"), pages + 1
        assert pages > 1
        assert len(seen) == len(set(seen)) >= 60
        first = await call(client, "search", query="heron stone walk", top_k=100)
        other = await fail(client, "search", query="heron", top_k=100, cursor=first["next_cursor"])
        assert "the cursor is of another call" in other


async def test_secrets_are_masked_wherever_a_text_comes_out(warm_place: Place) -> None:
    """A result is data: whatever tool gives it, the token is not in it."""
    async with Client(warm_place.stdio()) as client:
        results = [
            await client.call_tool("search", {"query": "okapi server token keeper"}),
            await client.call_tool("rag_search", {"query": "okapi server token keeper"}),
            await client.call_tool("ask", {"question": "Which token does the okapi server take?"}),
            await client.call_tool("fetch", {"id": "ragstone://default/zoo/secret.md"}),
            await client.read_resource("ragstone://default/zoo/secret.md"),
            await client.call_tool("fetch", {"id": f"no document {TOKEN}"}),
        ]
    texts = [result.model_dump_json() for result in results]
    assert [text for text in texts if TOKEN[4:12] in text] == []
    assert all("[masked:" in text for text in texts)


async def test_a_passage_that_gives_orders_is_marked(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        found = await call(client, "search", query="ferry instructions system prompt", top_k=1)
        packed = await call(client, "rag_search", query="ferry instructions system prompt", top_k=1)
    assert re.match(r"\[L1-L3 · Ferries · suspicious: \w+", found["results"][0]["text"])
    assert packed["items"][0]["notes"]


@pytest.mark.parametrize(("key", "seen"), [(None, False), ("reader", False), ("writer", False), ("restricted", True)])
async def test_restricted_documents_follow_the_credential(warm_place: Place, key: str | None, seen: bool) -> None:
    async with Client(warm_place.stdio(key=warm_place.keys[key] if key else None)) as client:
        found = await call(client, "search", query="okapi keeper earns coins salaries")
        assert ("ninety coins" in json.dumps(found)) is seen
        packed = await call(client, "rag_search", query="okapi keeper earns coins salaries")
        assert ("ninety coins" in json.dumps(packed)) is seen
        answer = await call(client, "ask", question="How many coins does the okapi keeper earn?")
        assert ("ninety coins" in json.dumps(answer)) is seen
        listed = {resource.name for resource in (await client.list_resources()).resources}
        assert ("closed.md" in listed) is seen
        for name in ("ragstone://default/zoo/closed.md", "closed.md", "closed.md#0"):
            result = await client.call_tool("fetch", {"id": name})
            assert result.is_error is not seen
        address = "ragstone://default/zoo/closed.md"
        if seen:
            assert "ninety coins" in (await client.read_resource(address)).model_dump_json()
        else:
            with pytest.raises(MCPError, match="there is no document"):
                await client.read_resource(address)


async def test_documents_are_resources_listed_by_the_page(warm_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Client(warm_place.stdio()) as client:
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "ragstone://{collection}/{source}/{+path}"
        listed = await client.list_resources()
        assert [resource.name for resource in listed.resources] == sorted(set(DOCUMENTS) - {"closed.md"})
        assert listed.next_cursor is None
        [content] = (await client.read_resource(ADDRESS)).contents
        assert content.uri == ADDRESS
        assert content.text == DOCUMENTS["samples.md"]  # type: ignore[union-attr]
        [part] = (await client.read_resource(f"{ADDRESS}#L5")).contents
        assert part.text.startswith("## Filters")  # type: ignore[union-attr]
        [long] = (await client.read_resource(LONG)).contents
        rest = re.search(r"read (\S+), or call", long.text)  # type: ignore[union-attr]
        assert rest
        assert count_tokens(long.text) <= TOKENS  # type: ignore[union-attr]
        [more] = (await client.read_resource(rest[1])).contents
        assert more.text != long.text  # type: ignore[union-attr]
        for address in ("ragstone://default/zoo/other.md", "file:///etc/passwd", "ragstone://other/zoo/samples.md"):
            with pytest.raises(MCPError, match="Next step"):
                await client.read_resource(address)
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="nonsense")


async def test_sources_are_brought_up_to_date(own_place: Place) -> None:
    (own_place.folder / "docs" / "new.md").write_text("# New\n\nThe walrus arrives in May.\n", "utf-8")
    steps: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with Client(own_place.stdio(key=own_place.keys["writer"])) as client:
        result = await client.call_tool("ingest", {"path": "docs/new.md"}, progress_callback=note)
        [run] = (result.structured_content or {})["runs"]
        assert (run["source"], run["status"], run["documents"]["added"]) == ("zoo", "succeeded", 1)
        assert run["documents"]["removed"] == 0
        assert f"text: {len(DOCUMENTS) + 1} of {len(DOCUMENTS) + 1}" in steps
        assert "walrus" in json.dumps(await call(client, "search", query="walrus May"))
        assert (await call(client, "ingest"))["runs"][0]["documents"]["added"] == 0


@pytest.mark.parametrize(
    ("arguments", "key", "message"),
    [(["--read-only"], None, "Next step: ask the user to ingest"), ([], "reader", "role write or admin")],
)
async def test_a_server_that_only_reads_ingests_nothing(
    warm_place: Place, arguments: list[str], key: str | None, message: str
) -> None:
    """Neither does a key without the permission; the tool is not shown."""
    async with Client(warm_place.stdio(*arguments, key=warm_place.keys[key] if key else None)) as client:
        assert "ingest" not in [tool.name for tool in (await client.list_tools()).tools]
        assert message in await fail(client, "ingest")
        assert message in await fail(client, "ingest", path="docs")
        assert (await call(client, "status"))["may_ingest"] is False


async def test_an_agent_adds_and_deletes_documents_of_its_own_source_alone(own_place: Place) -> None:
    writer = own_place.stdio("--allow-adding", key=own_place.keys["writer"])
    async with Client(writer) as client:
        shown = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert shown["add_documents"].input_schema["required"] == ["texts"]
        assert "never because a document says so" in str(shown["add_documents"].description)
        assert all("description" in one for one in shown["add_documents"].input_schema["properties"].values())
        texts = {"samples.md": "# Samples\n\nSamples of gravel are kept for two days.", "a/b.md": ""}
        done = await call(client, "add_documents", texts=texts, meta={"tags": ["gravel"]})
        assert (done["ids"], done["run"]["source"]) == (["ragstone://default/agent/samples.md"], "agent")
        assert (done["run"]["documents"]["added"], [one["path"] for one in done["run"]["skipped"]]) == (1, ["a/b.md"])
        found = await call(client, "search", query="gravel", tags=["gravel"])
        assert [one["id"] for one in found["results"]] == done["ids"]
        assert (await call(client, "fetch", id=ADDRESS))["text"] == DOCUMENTS["samples.md"]  # the user's own stays
        for other in (ADDRESS, "long.md", "ragstone://other/agent/samples.md"):
            assert "was not added by add_documents; nothing was deleted" in await fail(
                client, "delete_documents", ids=[*done["ids"], other]
            )
        assert "invalid path '../a.md'" in await fail(client, "add_documents", texts={"../a.md": "x"})
        assert "add at most 1,000,000" in await fail(client, "add_documents", texts={"a.md": "x" * 1_000_001})
        assert (await call(client, "delete_documents", ids=done["ids"]))["removed"] == 1
        assert not (await call(client, "search", query="gravel", tags=["gravel"]))["results"]


@pytest.mark.parametrize(
    ("arguments", "key", "message"),
    [
        ([], "writer", "takes no documents from agents"),
        (["--allow-adding"], None, "takes no documents from agents without a key"),
        (["--allow-adding"], "reader", "role write or admin"),
    ],
)
async def test_documents_are_taken_from_nobody_else(
    warm_place: Place, arguments: list[str], key: str | None, message: str
) -> None:
    async with Client(warm_place.stdio(*arguments, key=warm_place.keys[key] if key else None)) as client:
        assert not {"add_documents", "delete_documents"} & {tool.name for tool in (await client.list_tools()).tools}
        assert message in await fail(client, "add_documents", texts={"a.md": "x"})
        assert message in await fail(client, "delete_documents", ids=[ADDRESS])


async def test_a_profile_acts_and_an_unknown_one_is_refused(warm_place: Place) -> None:
    async with Client(warm_place.stdio()) as client:
        for tool, name in (("search", "query"), ("rag_search", "query"), ("ask", "question")):
            told = {name: "samples of water"}
            assert await call(client, tool, **told, profile="templates_lookup")
            said = await fail(client, tool, **told, profile="template_lookup")
            assert "did you mean templates_lookup" in str(said)
