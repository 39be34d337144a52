"""Who may: keys of the library, one answer for all who are not let in, hosts and origins."""

import re
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from ragstone.config.jwt import JwtSettings
from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import AccessSettings, Settings
from ragstone.engine import Engine
from ragstone.engine.engine_pool import EnginePool
from ragstone.server.state import trusts_callers
from tests.server.conftest import JSON, QUESTION, Kept, open_client

ASKED: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/v1/search", {"query": QUESTION}),
    ("POST", "/v1/ask", {"query": QUESTION}),
    ("POST", "/v1/ask", {"query": QUESTION, "stream": True}),
    ("POST", "/v1/explain", {"query": QUESTION, "path": "storage.md"}),
    ("POST", "/v1/pipelines/handbook", {"query": QUESTION}),
    ("POST", "/v1/pipelines/nope", {"query": QUESTION}),
    ("POST", "/v1/query", {"question": QUESTION}),
    ("POST", "/v1/query", {"question": QUESTION, "tenant_id": "rival"}),
    ("POST", "/search", {"query": QUESTION}),
    ("POST", "/ingest", None),
    ("GET", "/v1/pipelines", None),
    ("GET", "/v1/stats", None),
    ("GET", "/v1/collections", None),
    ("GET", "/v1/collections/default", None),
    ("GET", "/v1/collections/nope", None),
    ("POST", "/v1/collections", {"name": "x"}),
    ("DELETE", "/v1/collections/default", None),
    ("GET", "/v1/documents", None),
    ("POST", "/v1/texts", {"texts": {"a.md": "x"}}),
    ("GET", "/v1/documents/x", None),
    ("DELETE", "/v1/documents/x", None),
    ("DELETE", "/v1/documents?source=docs", None),
    ("GET", "/v1/documents/x/original", None),
    ("GET", "/v1/documents/x/pages/1", None),
    ("GET", "/v1/chunks/x", None),
    ("POST", "/ingest?wait=false", None),
    ("GET", "/v1/jobs", None),
    ("GET", "/v1/jobs/x", None),
    ("POST", "/v1/jobs/x/retry", None),
    ("DELETE", "/v1/jobs/x", None),
    ("GET", "/v1/runs", None),
    ("POST", "/v1/runs", {}),
    ("GET", "/v1/runs/x", None),
    ("GET", "/v1/runs/x/events", None),
    ("GET", "/v1/models", None),
    ("GET", "/v1/models/default", None),
    ("POST", "/v1/chat/completions", {"model": "default", "messages": [{"role": "user", "content": QUESTION}]}),
    ("POST", "/v1/responses", {"model": "default", "input": QUESTION}),
    ("POST", "/v1/embeddings", {"model": "default", "input": QUESTION}),
    ("POST", "/v1/vector_stores/default/search", {"query": QUESTION}),
)
OPEN = {"/metrics", "/v1/live", "/v1/ready", "/v1/health", "/healthz", "/v1/openapi.json"}
WRONG_KEYS = (None, "rag_0123456789abcdef_" + "x" * 43, "nonsense", "ä")


async def test_the_list_names_every_endpoint(client: httpx2.AsyncClient) -> None:
    described = (await client.get("/v1/openapi.json")).json()["paths"]
    there = {(method.upper(), path) for path, methods in described.items() for method in methods}
    listed = {
        (method, path)
        for method, path in there
        if any(m == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), p.split("?")[0]) for m, p, _ in ASKED)
    }
    upload = ("POST", "/v1/documents")  # below: its body is a form
    assert there - listed - {upload} == {("GET", path) for path in OPEN - {"/v1/openapi.json"}}


@pytest.mark.parametrize("key", WRONG_KEYS)
async def test_without_a_good_key_every_endpoint_says_the_same(locked: Settings, key: str | None) -> None:
    async with open_client(locked) as client:
        headers = {b"authorization": f"Bearer {key}".encode()} if key else {}
        seen = set()
        for method, path, body in ASKED:
            reply = await client.request(method, path, json=body, headers=headers)
            assert reply.status_code == 401, (method, path, reply.text)
            assert reply.headers["www-authenticate"] == "Bearer"
            seen.add(str(reply.json()))
        upload = await client.post("/v1/documents", files={"file": b"x"}, headers=headers)
        assert upload.status_code == 401
        assert len(seen) == 4  # the shapes of four families, each with one text


BODIES: tuple[tuple[str | None, bytes], ...] = (
    ("application/json", b""),
    ("application/json", b"{}"),
    ("application/json", b"{"),
    ("application/json", b'{"query": "\xff"}'),
    ("application/json", b'{"nothing": 1}'),
    ("application/x-www-form-urlencoded", b"query=x"),
    ("text/plain", b" " * 2_000_000),
    (None, b"x"),
)


async def test_nobody_learns_from_a_body_or_a_parameter_before_the_key_is_checked(locked: Settings) -> None:
    async with open_client(locked) as client:
        for kind, content in BODIES:
            headers = {"content-type": kind} if kind else {}
            for method, path, _ in (*ASKED, ("POST", "/v1/documents", None)):
                odd = f"{path}{'&' if '?' in path else '?'}limit=x&wait=x&collection=&start=x&status=x"
                reply = await client.request(method, odd, content=content, headers=headers)
                assert reply.status_code == 401, (method, path, content[:20], reply.text)
        large = await client.post("/v1/search", content=b"x" * 100_000)
        small = await client.post("/v1/search", content=b"x")
        assert large.headers.get("connection") == "close"  # the rest is not read
        assert "connection" not in small.headers


@pytest.mark.parametrize("trusted", [False, True])
async def test_every_described_operation_checks_a_key_before_it_looks_at_the_rest(
    trusted: bool, kept: Kept, locked: Settings
) -> None:
    """Also where nobody needs a key: one that is of our kind and unknown is not let in."""
    headers = {"authorization": f"Bearer {WRONG_KEYS[1]}"}
    async with open_client(kept.settings if trusted else locked) as client:
        described = (await client.get("/v1/openapi.json")).json()["paths"]
        asked = [(method, path) for path, methods in described.items() for method in methods if path not in OPEN]
        assert len(asked) > 30
        for method, path in asked:
            named = re.sub(r"\{\w+\}", "x", path)
            for content in (b"{}", b"{", b"", b'{"query": 3, "limit": "x"}'):
                reply = await client.request(method, named, content=content, headers={**headers, **JSON})
                assert reply.status_code == 401, (method, path, content, reply.text)


async def test_a_key_is_looked_up_once_before_the_request_is_worked_on(
    kept: Kept, locked: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str | None] = []
    open_one = EnginePool.open

    async def count(self: EnginePool, **named: Any) -> Engine:
        opened.append(named["collection"])
        return await open_one(self, **named)

    async with open_client(locked, kept.keys["read"]) as client:
        monkeypatch.setattr(EnginePool, "open", count)
        for path, opens in (("/v1/collections", [None]), ("/v1/documents?collection=other", [None, "other"])):
            opened.clear()
            await client.get(path)
            assert opened == opens


async def test_a_key_of_another_tenant_finds_nothing_of_this_one(kept: Kept, locked: Settings) -> None:
    async with open_client(locked, kept.keys["rival"]) as rival, open_client(locked, kept.keys["admin"]) as owner:
        [document] = [d for d in (await owner.get("/v1/documents")).json()["documents"] if d["path"] == "storage.md"]
        for there, nowhere in (
            ("/v1/collections/default", "/v1/collections/qqq"),
            (f"/v1/documents/{document['id']}", "/v1/documents/5a1f"),
        ):
            found, absent = [await rival.get(path) for path in (there, nowhere)]
            assert found.status_code == absent.status_code == 404
            same = [
                reply.text.replace(path.rpartition("/")[2], "X") for reply, path in ((found, there), (absent, nowhere))
            ]
            assert same[0] == same[1]
        assert (await rival.get("/v1/collections")).json()["collections"] == []
        assert (await rival.post("/v1/search", json={"query": QUESTION})).status_code == 404


async def test_the_tenant_comes_from_the_key(kept: Kept, locked: Settings) -> None:
    async with open_client(locked, kept.keys["read"]) as client:
        for tenant, status in ((None, 200), ("default", 200), ("rival", 403), ("never-there", 403)):
            body = {"question": QUESTION, "tenant_id": tenant}
            assert (await client.post("/v1/query", json=body)).status_code == status


async def test_a_role_opens_what_it_names(kept: Kept, locked: Settings) -> None:
    restricted = {"query": "the director's salary", "filter": {"allow_restricted": True}}
    async with (
        open_client(locked, kept.keys["read"]) as reader,
        open_client(locked, kept.keys["read-restricted"]) as trusted,
    ):
        assert (await reader.post("/v1/search", json=restricted)).status_code == 403
        assert "9 million" in (await trusted.post("/v1/search", json=restricted)).text
        assert "closed.md" not in (await reader.get("/v1/documents")).text
        for method, path, body in (
            ("POST", "/ingest", None),
            ("POST", "/v1/runs", {}),
            ("POST", "/v1/texts", {"texts": {"a.md": "x"}}),
            ("POST", "/v1/texts", {"texts": {"a.md": {"base64": "no"}}}),
            ("DELETE", "/v1/collections/default", None),
            ("DELETE", "/v1/documents?source=docs", None),
            ("DELETE", "/v1/documents?source=uploads", None),  # of which there is no document
            ("POST", "/v1/explain", {"query": QUESTION, "path": "storage.md"}),
        ):
            reply = await reader.request(method, path, json=body)
            assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")
            assert "role" not in reply.text
        debug = await reader.post("/v1/query", json={"question": QUESTION, "debug": True})
        assert (debug.status_code, debug.json()["error"]) == (403, "forbidden")
        [document] = [d for d in (await reader.get("/v1/documents")).json()["documents"] if d["path"] == "storage.md"]
        assert (await reader.get(f"/v1/documents/{document['id']}/original")).status_code == 403
        assert (await reader.get(f"/v1/documents/{document['id']}")).status_code == 200
        assert (await reader.post("/v1/documents", files={"file": ("a.md", b"x")})).status_code == 403


async def test_a_source_goes_whole_also_what_its_caller_may_not_read(kept: Kept, locked: Settings) -> None:
    closed = b"---\nconfidentiality: restricted\n---\n# Bonus\n\nThe bonus is 4 million.\n"
    async with open_client(locked, kept.keys["write"]) as writer, open_client(locked, kept.keys["admin"]) as admin:
        assert (await admin.post("/v1/documents", files={"file": ("bonus.md", closed)})).status_code == 201
        assert (await writer.delete("/v1/documents?source=uploads")).json()["removed"] == 1
        assert (await admin.get("/v1/documents?source=uploads")).json()["documents"] == []


async def test_a_key_may_come_in_either_header(kept: Kept, locked: Settings) -> None:
    async with open_client(locked) as client:
        for headers in ({"authorization": f"bearer {kept.keys['read']}"}, {"x-api-key": kept.keys["read"]}):
            assert (await client.get("/v1/collections", headers=headers)).status_code == 200


async def test_health_tells_names_to_callers_alone(kept: Kept, locked: Settings) -> None:
    async with open_client(locked) as client:
        assert (await client.get("/v1/health")).json() == {"status": "healthy", "pipelines": []}
        known = await client.get("/v1/health", headers={"x-api-key": kept.keys["read"]})
        assert [one["name"] for one in known.json()["pipelines"]] == ["handbook"]
        state = client.app.state.server  # type: ignore[attr-defined]
        state.problem = "/etc/ragstone.yaml:3: unknown key 'nam'; did you mean 'name'?"
        hidden = "the last change is not in force: see the server's log"
        for role, shown in (("read", hidden), ("admin", state.problem)):
            told = await client.get("/v1/health", headers={"x-api-key": kept.keys[role]})
            assert (told.json()["status"], told.json()["configuration"]) == ("degraded", shown)


@pytest.mark.parametrize(
    ("address", "access", "trusted"),
    [
        ("127.0.0.1", AccessSettings(), True),
        ("::1", AccessSettings(), True),
        ("localhost", AccessSettings(), True),
        ("0.0.0.0", AccessSettings(), False),
        ("192.168.1.5", AccessSettings(), False),
        ("example.org", AccessSettings(), False),
        ("0.0.0.0", AccessSettings(trusted=True), True),
        ("127.0.0.1", AccessSettings(trusted=False), False),
        ("127.0.0.1", AccessSettings(jwt=JwtSettings("https://i", "a", ("RS256",), "k.json")), False),
    ],
)
def test_only_this_machine_needs_no_key(address: str, access: AccessSettings, trusted: bool) -> None:
    settings = Settings(serve=ServeSettings(listen_address=address), access=access)
    assert trusts_callers(settings) is trusted


# Hosts and origins


HOSTS = {"localhost:8080": 200, "127.0.0.1": 200, "[::1]:9": 200,
         "evil.example": 421, "localhost.evil.example": 421, "": 421}  # fmt: skip


@pytest.mark.parametrize(("host", "status"), HOSTS.items())
async def test_only_known_hosts_are_served(client: httpx2.AsyncClient, host: str, status: int) -> None:
    assert (await client.get("/v1/live", headers={"host": host})).status_code == status


async def test_pages_of_other_origins_may_not_call(kept: Kept, client: httpx2.AsyncClient) -> None:
    for origin, status in (("http://evil.example", 403), ("null", 403), ("http://localhost", 200)):
        assert (await client.get("/v1/live", headers={"origin": origin})).status_code == status
    serve = ServeSettings(allowed_origins=("https://app.example",))
    async with open_client(replace(kept.settings, serve=serve)) as open_to:
        reply = await open_to.get("/v1/live", headers={"origin": "https://app.example"})
        assert reply.headers["access-control-allow-origin"] == "https://app.example"
        asked = {"origin": "https://app.example", "access-control-request-method": "POST",
                 "access-control-request-headers": "authorization"}  # fmt: skip
        assert (await open_to.options("/v1/search", headers=asked)).status_code == 200
        assert (await open_to.get("/v1/live", headers={"origin": "https://evil.example"})).status_code == 403


async def test_an_outside_address_needs_keys_and_takes_any_name(kept: Kept) -> None:
    outside = replace(kept.settings, serve=ServeSettings(listen_address="0.0.0.0"))
    async with open_client(outside) as client:
        assert (await client.get("/v1/live", headers={"host": "rag.example"})).status_code == 200
        assert (await client.get("/v1/collections", headers={"host": "rag.example"})).status_code == 401
