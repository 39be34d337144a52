"""Restricted documents in every spelling of it, asked for over HTTP by a key that may only read."""

from dataclasses import replace
from pathlib import Path

from ragstone.config.model_settings import EmbedSettings
from ragstone.config.settings import AccessSettings, Settings
from ragstone.engine import Engine
from tests.extraction.test_confidentiality import MARKDOWN
from tests.server.conftest import open_client

QUESTION = "How many apples does Dana earn a month?"
ASKED = (
    ("/v1/search", {"query": QUESTION, "top_k": 100}),
    ("/v1/ask", {"query": QUESTION}),
    ("/v1/query", {"question": QUESTION}),
    ("/v1/vector_stores/default/search", {"query": QUESTION}),
    ("/v1/chat/completions", {"model": "default", "messages": [{"role": "user", "content": QUESTION}]}),
)


async def test_a_key_that_reads_sees_no_restricted_document_however_that_is_spelled(
    own: Settings, tmp_path: Path
) -> None:
    for number, text in enumerate(MARKDOWN.values()):
        path = tmp_path / "docs" / f"salary{number}.md"
        path.write_bytes(text.replace("4711", f"47{number:02d}").encode())
    (tmp_path / "docs" / "open.md").write_text("# Apples\n\nDana earns pears, and everybody may know.\n", "utf-8")
    settings = replace(own, embed=EmbedSettings(model="none"), access=AccessSettings(trusted=False))
    async with Engine(replace(settings, access=AccessSettings())) as engine:
        await engine.ingest()
        closed = [one for one in await engine.documents() if one.path.startswith("salary")]
        reading = (await engine.create_key("reader", roles="read")).text
        trusted = (await engine.create_key("trusted", roles="read-restricted")).text
    assert len(closed) == len(MARKDOWN) >= 50
    async with open_client(settings, reading) as client:
        for route, body in ASKED:
            reply = await client.post(route, json=body)
            assert reply.status_code == 200, (route, reply.text)
            assert "salary" not in reply.text, route
            assert " 47" not in reply.text, route
        assert "open.md" in (await client.post("/v1/search", json={"query": QUESTION})).text
        assert "salary" not in (await client.get("/v1/documents")).text
        for document in closed:
            assert (await client.get(f"/v1/documents/{document.id}")).status_code == 404, document.path
    async with open_client(settings, trusted) as client:
        body = {"query": QUESTION, "top_k": 100, "filter": {"allow_restricted": True}}
        assert (await client.post("/v1/search", json=body)).text.count("earns 47") >= len(MARKDOWN)
        assert (await client.get("/v1/documents")).text.count("salary") >= len(MARKDOWN)
