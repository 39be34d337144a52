"""Odd requests of several tenants to every door of a server: over HTTP, in OpenAI's shapes, and by MCP.

Each tenant has a mark, which stands in all that it owns and which no request says, and a lure, which requests say. A
request that names something of another tenant has a twin that names what never existed: both must be answered alike.
"""

import asyncio
import itertools
import json
import random
import re
import statistics
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2

from ragstone.config.settings import AccessSettings, PipelineSettings, Settings
from ragstone.engine import Engine
from ragstone.mcp.engine_thread import EngineThread
from ragstone.mcp.http_transport import make_app
from tests.server.conftest import open_client

TENANTS = ("acme", "rival", "third%")
ATTACKS = (
    "' OR '1'='1",
    "../../acme",
    "%s",
    "\x00",
    "a" * 199,
    "*",
    "{}",
    "\u202e",
    "tenant=rival",
    "${HOME}",
    "%2e%2e%2f",
)
WORDS = ("samples", "kept", "how long", "alerts", "days", "the")
ROLES = ("read", "read-restricted", "write")
AT_ONCE = 6
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@dataclass
class Tenant:
    """A tenant: its mark, its lure, its keys by role, and the ids of what it owns."""

    name: str
    mark: str
    lure: str
    keys: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    held: dict[str, tuple[int, int]] = field(default_factory=dict)

    def documents(self) -> dict[str, str]:
        """Paths and texts."""
        front = f"---\ntitle: {self.mark} title\nproject: {self.lure}\ntags: [{self.lure}]\n---\n"
        return {
            "storage.md": f"{front}# Retention {self.mark}\n\nSamples of {self.lure} are kept, says {self.mark}.\n",
            f"{self.lure}.md": f"{front}# Alerts\n\nThe alerts of {self.mark} and {self.lure} last for days.\n",
            "veiled.md": f"---\nconfidentiality: restricted\n---\n# Veiled\n\nHidden {self.mark} of samples.\n",
            f"{self.mark}.md": f"# Name\n\nIts name is {self.mark}.\n",
        }


@dataclass(frozen=True)
class Request:
    """A request of a tenant's key; `named` is what it names of another tenant, None where it has no twin."""

    method: str
    path: str
    body: Any = None
    named: str | None = None

    def twin(self, other: str) -> "Request":
        """The same about something that never existed."""
        assert self.named is not None
        body = None if self.body is None else json.loads(json.dumps(self.body).replace(self.named, other))
        return replace(self, path=self.path.replace(self.named, other), body=body, named=other)


async def fill(settings: Settings, folder: Path, keys: str | None = None) -> list[Tenant]:
    """The tenants' documents, in a collection that all have and in one that is called by the lure; the sources are
    called by the mark. `keys` is the store as makers of keys reach it."""
    tenants = [Tenant(name, f"markof{'xyz'[n]}", f"lure{'vwq'[n]}") for n, name in enumerate(TENANTS)]
    for tenant in tenants:
        root = folder / tenant.lure
        for path, text in tenant.documents().items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        for collection in ("default", f"box-{tenant.lure}", f"box {tenant.mark}"):
            async with Engine(replace(settings, tenant=tenant.name, collection=collection)) as engine:
                await engine.ingest(root, name=tenant.mark)
                info = await engine.info()
                tenant.held[collection] = (info.documents, info.chunks)
                tenant.ids += [document.id for document in await engine.documents()]
                tenant.ids += [run.id for run in await engine.runs(5)]
                tenant.ids += [hit.chunk.id for hit in (await engine.search("samples kept", mode="keyword")).hits]
        async with Engine(replace(settings, tenant=tenant.name, store=keys or settings.store)) as engine:
            tenant.keys = {role: (await engine.create_key(role, roles=role)).text for role in ROLES}
    return tenants


def server_settings(settings: Settings) -> Settings:
    """A server that asks for keys, with a pipeline over the collection that all have."""
    pipelines = (PipelineSettings("all", collections=("default",)),)
    return replace(settings, access=AccessSettings(trusted=False), pipelines=pipelines)


class Chance:
    """Requests made of chance; the same seed gives the same ones."""

    def __init__(self, seed: int, tenants: Sequence[Tenant]) -> None:
        self.pick = random.Random(seed)
        self.tenants = tenants

    def text(self) -> str:
        lures = [tenant.lure for tenant in self.tenants]
        return " ".join(self.pick.choices([*WORDS, *ATTACKS, *lures, *TENANTS], k=self.pick.randint(1, 4)))

    def value(self) -> str:
        return self.pick.choice([*ATTACKS, *TENANTS, *(tenant.lure for tenant in self.tenants), "storage.md", "**"])

    def request(self, own: Tenant) -> Request:
        """One request: of each kind as often."""
        other = self.pick.choice([tenant for tenant in self.tenants if tenant is not own])
        kinds: tuple[Callable[[Tenant], Request], ...] = (self._ask, self._ask, self._name_collection, self._name_id)
        kinds = (*kinds, self._filter, self._as_openai, self._as_tool, self._as_tool)
        return self.pick.choice(kinds)(other)

    def _options(self) -> dict[str, Any]:
        return {
            "mode": self.pick.choice(("keyword", "keyword", "keyword", "hybrid")),
            "top_k": self.pick.choice((1, 100)),
        }

    def _ask(self, _other: Tenant) -> Request:
        text, options = self.text(), self._options()
        path, body = self.pick.choice(
            (
                ("/v1/search", {"query": text, **options}),
                ("/v1/search", {"query": text, "pipeline": "all", **options}),
                ("/v1/ask", {"query": text, "stream": self.pick.choice((True, False)), **options}),
                ("/v1/pipelines/all", {"query": text, "include_sources": True}),
                ("/v1/query", {"question": text, "debug": True}),
                ("/v1/query", {"question": text, "tenant_id": self.value()}),
                ("/search", {"query": text, "top_k": 50}),
                ("/search", {"keyword": text}),
                ("/v1/explain", {"query": text, "path": self.value()}),
            )
        )
        return Request("POST", path, body)

    def _name_collection(self, other: Tenant) -> Request:
        name, text = f"box-{other.lure}", self.text()
        method, path, body = self.pick.choice(
            (
                ("POST", "/v1/search", {"query": text, "collection": name, **self._options()}),
                ("POST", "/v1/ask", {"query": text, "collection": name}),
                ("POST", "/v1/runs", {"collection": name}),
                ("GET", f"/v1/collections/{name}", None),
                ("DELETE", f"/v1/collections/{name}", None),
                ("GET", f"/v1/documents?collection={name}", None),
                ("GET", f"/v1/runs?collection={name}", None),
                ("GET", f"/v1/models/{name}", None),
                ("POST", "/v1/pipelines/" + name, {"query": text}),
                ("POST", f"/v1/vector_stores/{name}/search", {"query": text}),
                ("POST", "/v1/embeddings", {"model": name, "input": text}),
                ("POST", "/v1/chat/completions", {"model": name, "messages": [{"role": "user", "content": text}]}),
                ("POST", "/v1/responses", {"model": name, "input": text}),
            )
        )
        return Request(method, path, body, named=name)

    def _name_id(self, other: Tenant) -> Request:
        identity = self.pick.choice(other.ids)
        method, path = self.pick.choice(
            (
                ("GET", f"/v1/documents/{identity}"),
                ("DELETE", f"/v1/documents/{identity}"),
                ("GET", f"/v1/documents/{identity}/original"),
                ("GET", f"/v1/documents/{identity}/pages/1"),
                ("GET", f"/v1/chunks/{identity}"),
                ("GET", f"/v1/runs/{identity}"),
                ("GET", f"/v1/runs/{identity}/events"),
            )
        )
        return Request(method, path, named=identity)

    def _filter(self, other: Tenant) -> Request:
        column = self.pick.choice(("path", "source", "project", "tags", "tenant", "tenant_id", "title", *ATTACKS[:3]))
        condition = {
            "column": column,
            "operator": self.pick.choice(("=", "!=", "LIKE", "ILIKE")),
            "value": self.value(),
        }
        where = self.pick.choice(
            (
                {"conditions": [condition], "logic": "OR"},
                {"sources": [self.value()], "paths": [self.value()]},
                {"shas": [self.pick.choice(other.ids)]},
                {"tags": [other.lure], "projects": [other.lure], "tag_mode": "any"},
                {"allow_restricted": True},
            )
        )
        return Request("POST", "/v1/search", {"query": self.text(), "filter": where, **self._options()})

    def _as_openai(self, other: Tenant) -> Request:
        messages = [{"role": "user", "content": self.text()}]
        path, body = self.pick.choice(
            (
                ("/v1/chat/completions", {"model": "all", "messages": messages}),
                ("/v1/chat/completions", {"model": "default", "messages": messages, "stream": True}),
                ("/v1/responses", {"model": "default", "input": self.text()}),
                ("/v1/vector_stores/default/search", {"query": self.text(), "max_num_results": 50}),
                ("/v1/vector_stores/all/search", {"query": other.lure}),
                ("/v1/chat/completions", {"model": self.value(), "messages": messages}),
            )
        )
        return Request("POST", path, body)

    def _as_tool(self, other: Tenant) -> Request:
        name, text = f"box-{other.lure}", self.text()
        tool, given, named = self.pick.choice(
            (
                ("search", {"query": text, "top_k": 50}, None),
                ("search", {"query": text, "collection": name}, name),
                ("rag_search", {"query": text}, None),
                ("rag_search", {"query": text, "collection": name}, name),
                ("ask", {"question": text}, None),
                ("ask", {"question": text, "collection": name}, name),
                ("fetch", {"id": f"ragstone://{name}/storage.md"}, name),
                ("fetch", {"id": f"ragstone://{name}/docs/storage.md"}, name),
                ("fetch", {"id": self.value()}, None),
                ("list_collections", {}, None),
                ("status", {"collection": name}, name),
                ("status", {}, None),
                ("ingest", {"path": self.value()}, None),
                (self.value(), {}, None),
            )
        )
        params: dict[str, Any] = {"name": tool, "arguments": given}
        if named is not None and self.pick.random() < 0.2:
            return Request("MCP", "resources/read", {"uri": f"ragstone://{name}/docs/storage.md"}, named)
        return Request("MCP", "tools/call", params, named)


@dataclass(frozen=True)
class Answer:
    """The parts of a response that a caller sees: status, headers without the request's id, body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    text: str

    def without(self, named: str) -> "Answer":
        """The same wherever something of this name was asked for."""
        return replace(self, text=self.text.replace(named, "NAMED"))


class Doors:
    """Every door of a server, for all keys."""

    def __init__(self, http: httpx2.AsyncClient, mcp: httpx2.AsyncClient) -> None:
        self._http = http
        self._mcp = mcp
        self._sessions: dict[str, str] = {}
        self._numbers = itertools.count(1)  # a session never has two calls of one number under way

    async def send(self, request: Request, key: str) -> Answer:
        """The answer to a request."""
        if request.method == "MCP":
            return await self._call(request.path, request.body, key)
        headers = {"authorization": f"Bearer {key}"}
        reply = await self._http.request(request.method, request.path, json=request.body, headers=headers)
        shown = sorted((name, value) for name, value in reply.headers.items() if name not in ("x-request-id", "date"))
        return Answer(reply.status_code, tuple(shown), reply.text)

    async def _call(self, method: str, params: Any, key: str) -> Answer:
        if key not in self._sessions:
            opened = await self._post(
                {
                    "method": "initialize",
                    "params": {
                        "protocolVersion": "2025-11-25",
                        "capabilities": {},
                        "clientInfo": {"name": "t", "version": "1"},
                    },
                },
                key,
            )
            self._sessions[key] = opened.headers["mcp-session-id"]
        reply = await self._post({"method": method, "params": params}, key)
        shown = re.sub(r'"id":\d+', "", reply.text, count=1)  # the call's own number
        return Answer(reply.status_code, (), shown)

    async def _post(self, message: Any, key: str) -> httpx2.Response:
        session = {"mcp-session-id": self._sessions[key]} if key in self._sessions else {}
        headers = {**MCP, "authorization": f"Bearer {key}", **session}
        return await self._mcp.post(
            "/mcp", json={"jsonrpc": "2.0", "id": next(self._numbers), **message}, headers=headers
        )


@asynccontextmanager
async def open_doors(settings: Settings) -> AsyncIterator[Doors]:
    """A server's doors in this process."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(open_client(settings))
        engines = EngineThread(settings)
        engines.start()
        stack.push_async_callback(engines.close)
        app: Any = make_app(engines, names=("localhost",), trusted=False, read_only=False)
        inner: Any = app._app
        await stack.enter_async_context(inner.router.lifespan_context(inner))
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        mcp = await stack.enter_async_context(httpx2.AsyncClient(transport=transport, base_url="http://localhost"))
        yield Doors(http, mcp)


def never(named: str, pick: random.Random) -> str:
    """A name of the same form that never existed."""
    if named.startswith("box-"):
        return f"box-{''.join(pick.choices('bcdfghjk', k=len(named) - 4))}"
    return str(uuid.UUID(int=pick.getrandbits(128))) if len(named) == 36 else "0" * len(named)


async def ask_all(doors: Doors, tenants: Sequence[Tenant], count: int, seed: int = 1) -> list[str]:
    """Send requests of all tenants; gives a sentence for each answer that told something of another tenant."""
    chance, told = Chance(seed, tenants), list[str]()
    waiting = iter([(chance.pick.choice(tenants), chance.pick.choice(ROLES)) for _ in range(count)])

    async def work(cases: Iterator[tuple[Tenant, str]]) -> None:
        for own, role in cases:
            request = chance.request(own)
            told.extend(await judge(doors, tenants, own, own.keys[role], request, chance.pick))

    await asyncio.gather(*(work(waiting) for _ in range(AT_ONCE)))
    return told


async def judge(
    doors: Doors, tenants: Sequence[Tenant], own: Tenant, key: str, request: Request, pick: random.Random
) -> list[str]:
    """The sentences about the answer to one request, and to its twin."""
    answer = await doors.send(request, key)
    told = [f"{request} shows {one.mark}" for one in tenants if one is not own and one.mark in answer.text]
    if answer.status >= 500:
        told.append(f"{request} fails: {answer.text[:300]}")
    if request.named is not None:
        other = never(request.named, pick)
        twin = (await doors.send(request.twin(other), key)).without(other)
        if twin != answer.without(request.named):
            told.append(f"{request} differs from what never existed: {answer} and {twin}")
    return told


async def compare_times(
    one: Callable[[], Awaitable[object]], other: Callable[[], Awaitable[object]], rounds: int
) -> float:
    """By which share the first takes longer than the second (negative: less): the median of the differences of pairs
    that follow each other, in the order of chance, over the median of the second. A pause of the machine is in few
    pairs and moves no median."""
    pick, differences, seconds = random.Random(5), [], []
    for _ in range(rounds):
        first = pick.random() < 0.5
        took: dict[bool, float] = {}
        for which in (first, not first):
            start = time.perf_counter()
            await (one if which else other)()
            took[which] = time.perf_counter() - start
        differences.append(took[True] - took[False])
        seconds.append(took[False])
    return statistics.median(differences) / statistics.median(seconds)
