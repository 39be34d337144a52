"""Thousands of odd requests of several tenants: no answer ever holds anything of another one, and nothing changes.

Every tenant has the same paths and the same sentences, each with a mark of its own beside a lure, and a collection that
is called by its mark. Requests use the lures, paths, ids, digests and names of all tenants, and texts that mean
something to a database; they never say a mark, so a mark of another tenant that comes out was let out. No two tenants
have the same number of documents; each is filled once more into a store where it is alone, which says what it may count
and how its passages rank.
"""

import asyncio
import base64
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ragstone.access import Credential, Role
from ragstone.config.settings import EncryptionSettings, PipelineSettings, SearchSettings, Settings
from ragstone.core.errors import Forbidden, RagstoneError
from ragstone.core.filters import OPERATORS, Condition, Where
from ragstone.core.records import Info, Key, Run
from ragstone.core.records import Tenant as Shown
from ragstone.core.types import Document, Mode
from ragstone.engine import Engine
from ragstone.engine.transfer import CopyResult
from ragstone.retrieval.explain import Explanation
from ragstone.testing.bag_of_words import BagOfWords
from tests.spelled import spell
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import ADMIN, Server
from tests.stores.qdrant.engine import Engine as Points
from tests.stores.qdrant.server import Recorder, serving

__all__ = ["server"]

TENANTS = ("acme", "ACME", "acme%", "a_me", "rival' OR '1'='1")
COLLECTIONS = ("default", "notes")
WORDS = ("samples", "kept", "days", "alerts", "disk", "retention", "the", "How long", "receiver")
ATTACKS = (
    "'; DELETE FROM chunks; --",
    "' OR '1'='1",
    "') UNION SELECT text FROM ragstone.chunks --",
    '"; DROP SCHEMA ragstone CASCADE; --',
    "%(tenant)s",
    "%s",
    "{}",
    "$1",
    "\\'; SELECT set_config('ragstone.tenant', 'rival', false); --",
    "$$; RESET ROLE; $$",
    "tenant_id",
    "../acme%25/default",
    "\x01",
    "/* */ OR true",
    "1); COMMIT; UPDATE collections SET name = 'gone'; --",
    "*",
)
COLUMNS = "path source title project tags sha heading ordinal tenant tenant_id collection_id".split()
MODES = ("keyword", "keyword", "hybrid", "semantic")
CASES = {"embedded": 1_000, "postgresql": 1_000, "qdrant": 500}
AT_ONCE = 10
ERROR = "error: "
VEIL = "hidden-"


@dataclass
class Tenant:
    """One tenant: what marks its rows, what others lure with, its engines by role and collection, and what there is of
    it where it is alone: documents and chunks of each collection, and the hits of a question."""

    name: str
    number: int
    ids: list[str] = field(default_factory=list)
    shas: list[str] = field(default_factory=list)
    engines: list[Engine] = field(default_factory=list)
    holds: dict[str, tuple[int, int]] = field(default_factory=dict)
    hits: list[tuple[str, float]] = field(default_factory=list)

    @property
    def mark(self) -> str:
        return f"markof{'abcde'[self.number]}"

    @property
    def lure(self) -> str:
        return f"lure{'vwxyz'[self.number]}"

    @property
    def box(self) -> str:
        """A collection of which others must not know either."""
        return f"box of {self.mark}"

    def documents(self) -> dict[str, str]:
        """Paths and texts."""
        front = f"---\ntitle: {self.mark} title\nproject: {self.lure}\ntags: [{self.lure}, {self.mark}]\n"
        text = f"# Retention {self.mark}\n\nThe samples of {self.lure} are kept for 15 days, says {self.mark}.\n"
        return {
            "storage.md": f"{front}---\n{text}",
            "guides/alerts.md": f"{front}---\n# Alerts {self.mark}\n\nA receiver of {self.lure}, {self.mark}.\n",
            f"{self.lure}.md": f"{front}---\n{text}\n## More\n\nHow long are alerts of {self.mark} kept?\n",
            "veiled.md": f"---\nconfidentiality: restricted\n---\n# Veiled\n\n{VEIL}{self.mark} hides samples.\n",
            **{f"more-{n}.md": f"# Page {n}\n\nSamples and alerts of {self.mark}, {n}.\n" for n in range(self.number)},
        }

    def write(self, folder: Path) -> Path:
        """The folder with its documents."""
        root = folder / str(self.number)
        for path, text in self.documents().items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return root


async def filled(settings: Settings, folder: Path) -> list[Tenant]:
    """All tenants, each in the store with the others and in one of its own."""
    tenants = [Tenant(name, number) for number, name in enumerate(TENANTS)]
    for tenant in tenants:
        root = tenant.write(folder)
        for collection in COLLECTIONS:
            own = replace(settings, tenant=tenant.name, collection=collection)
            async with Engine(own, embedder=BagOfWords()) as kb:
                await kb.ingest(root, name="docs")
                async with kb.store.reader(kb.scope) as reader:
                    found = await reader.matching("samples receiver", where=Where(allow_restricted=True), limit=50)
                tenant.ids += [one.id for one in found]
                tenant.shas += [document.version for document in await kb.documents()]
        async with Engine(replace(own, collection=tenant.box), embedder=BagOfWords()) as kb:
            await kb.create()
        alone = replace(settings, tenant=tenant.name, store=f"embedded:{folder / 'alone' / str(tenant.number)}")
        async with Engine(alone, embedder=BagOfWords()) as kb:
            await kb.ingest(root, name="docs")
            info = await kb.info()
            tenant.holds = {**dict.fromkeys(COLLECTIONS, (info.documents, info.chunks)), tenant.box: (0, 0)}
            tenant.hits = await ranked(kb)
    assert len({tenant.holds["default"] for tenant in tenants}) == len(tenants)
    return tenants


async def ranked(kb: Engine) -> list[tuple[str, float]]:
    """What a question finds by words and by meaning, and how well: the rarity of words is that of the collection, and
    nobody else's passages stand in the way of its nearest."""
    text, out = "How long are samples kept, and which receiver has alerts?", []
    signals: tuple[tuple[Mode, str], ...] = (("keyword", "bm25"), ("semantic", "cosine"))
    for mode, signal in signals:
        found = await kb.search(text, mode=mode, top_k=20)
        out += [(f"{hit.chunk.document.path}:{hit.chunk.ordinal}", round(hit.signals[signal], 4)) for hit in found.hits]
    return out


@dataclass(frozen=True)
class Ground:
    """A store: its URL for applications, that for who makes keys, and all that it holds."""

    kind: str
    url: str
    keys: str
    state: Callable[[], object]


@pytest.fixture(params=list(CASES))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    """An empty store of each kind."""
    if request.param == "embedded":
        url = f"embedded:{tmp_path / 'store'}"
        yield Ground("embedded", url, url, lambda: files(tmp_path / "store"))
        return
    if request.param == "qdrant":
        inner: Any = Points(tmp_path / "engine")
        with serving(recorder=Recorder(inner=inner)) as made:
            url = made.url(tmp_path / "store")
            yield Ground("qdrant", url, url, lambda: (files(tmp_path / "store"), points(inner)))
        inner.close()
        return
    running: Server = request.getfixturevalue("server")
    with running.database() as name:
        # Twenty engines stay open, and a server of the tests has sixty connections.
        yield Ground("postgresql", running.url(name, pool="2"), running.url(name, ADMIN), lambda: rows(running, name))


@pytest.fixture
async def tenants(place: Ground, tmp_path: Path) -> AsyncIterator[list[Tenant]]:
    """The tenants with their engines: of each collection one who may do all and one, by a key, who may read."""
    lines = (PipelineSettings("all", collections=COLLECTIONS),)
    settings = Settings(store=place.url, pipelines=lines, search=SearchSettings(fold=False))
    made = await filled(settings, tmp_path / "texts")
    async with AsyncExitStack() as stack:
        for tenant in made:
            keys = replace(settings, store=place.keys, tenant=tenant.name)
            async with Engine(keys, embedder=BagOfWords()) as kb:
                key = (await kb.create_key("fuzz")).text
            for collection in COLLECTIONS:
                own = replace(settings, collection=collection)
                admin = Engine(own, embedder=BagOfWords(), credential=Credential(tenant.name, (Role.ADMIN,)))
                reader = Engine(replace(own, key=key), embedder=BagOfWords())
                tenant.engines += [await stack.enter_async_context(engine) for engine in (admin, reader)]
        yield made


def files(root: Path) -> object:
    """What stands in every file of the store that is no log."""
    names = (
        path for path in sorted(root.rglob("*")) if path.is_file() and not path.name.endswith(("-wal", "-shm", ".lock"))
    )
    return {str(path): path.read_bytes() for path in names}


def points(engine: Points) -> dict[str, list[str]]:
    """Every point of Qdrant's engine with its payload, by collection."""
    every: Any = {"offset": None, "order_by": None, "with_payload": True, "with_vectors": False}
    return {
        one.name: sorted(map(repr, engine.scroll(one.name, scroll_filter=None, limit=10_000, **every)[0]))
        for one in engine.get_collections().collections
    }


def rows(running: Server, database: str) -> dict[str, list[tuple[object, ...]]]:
    """How many rows each table has, and a digest of them all."""
    names = running.run("SELECT tablename FROM pg_tables WHERE schemaname = 'ragstone' ORDER BY 1", database)
    said = "SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM ragstone.{} t"
    return {str(name): running.run(said.format(name), database) for [name] in map(list, names)}


class Chance:
    """A request made of chance; the same seed gives the same requests."""

    def __init__(self, seed: int, tenants: Sequence[Tenant]) -> None:
        self.pick = random.Random(seed)
        self.tenants = tenants
        self.copies: list[tuple[str, Engine]] = []

    def anyone(self) -> Tenant:
        return self.pick.choice(self.tenants)

    def text(self) -> str:
        words = [*WORDS, *ATTACKS, *(tenant.lure for tenant in self.tenants), *(tenant.name for tenant in self.tenants)]
        return " ".join(self.pick.choices(words, k=self.pick.randint(1, 4)))

    def path(self) -> str:
        known = ("storage.md", "guides/alerts.md", "veiled.md", f"{self.anyone().lure}.md", "**", "*.md")
        return self.pick.choice((*known, *ATTACKS))

    def other(self, kb: Engine) -> str:
        """The name of another tenant, or what looks like many."""
        return self.pick.choice([*(name for name in TENANTS if name != kb.scope.tenant), *ATTACKS])

    def copy(self, kb: Engine) -> Any:
        """A copy of collections by any names into a store of its own."""
        self.copies.append((f"embedded:copies/{len(self.copies)}", kb))
        names = self.pick.choice(((), (), COLLECTIONS[:1], (self.value(),), (COLLECTIONS[1], self.other(kb))))
        return kb.copy(self.copies[-1][0], collections=names)

    def value(self) -> str:
        return self.pick.choice((self.anyone().lure, self.anyone().name, self.path(), self.text()))

    def condition(self) -> Condition:
        operator = self.pick.choice(OPERATORS)
        many = [self.value(), self.value()]
        column = self.pick.choice((*COLUMNS, *ATTACKS))
        return Condition(
            column, operator, many if "IN" in operator.split() else None if "IS" in operator else self.value()
        )

    def where(self, *, restricted: bool) -> Where:
        choose = self.pick.random
        if choose() < 0.6:
            return Where(allow_restricted=restricted and choose() < 0.3)
        return Where(
            sources=("docs",) if choose() < 0.2 else (self.value(),) if choose() < 0.1 else (),
            paths=(self.path(), self.path()) if choose() < 0.3 else (),
            headers=(self.value(),) if choose() < 0.1 else (),
            shas=(self.pick.choice(self.anyone().shas),) if choose() < 0.1 else (),
            tags=(self.value(),) if choose() < 0.2 else (),
            projects=(self.value(),) if choose() < 0.2 else (),
            categories=(self.value(),) if choose() < 0.05 else (),
            doc_types=(self.value(),) if choose() < 0.05 else (),
            confidentiality_allow=(self.value(),) if choose() < 0.05 else (),
            conditions=tuple(self.condition() for _ in range(self.pick.choice((0, 0, 1, 2)))),
            logic=self.pick.choice(("AND", "OR")),
            allow_restricted=restricted and choose() < 0.3,
        )

    def request(self, kb: Engine, *, restricted: bool) -> Any:
        """One call of one verb."""
        where = self.where(restricted=restricted)
        asked: dict[str, Any] = {"mode": self.pick.choice(("keyword", "keyword", "hybrid", "semantic"))}
        source = self.pick.choice((None, None, "docs", self.value()))
        calls: list[Callable[[], Any]] = [
            lambda: kb.search(self.text(), where=where, **asked),
            lambda: kb.search(self.text(), where=where, **asked),
            lambda: kb.search(" ".join(tenant.lure for tenant in self.tenants), where=where, **asked),
            lambda: kb.context(self.text(), where=where, **asked),
            lambda: kb.ask(self.text(), where=where, mode=asked["mode"]),
            lambda: kb.events(self.text(), where=where, mode=asked["mode"]),
            lambda: kb.pipeline("all").search(self.text(), where=where, **asked),
            lambda: kb.get(self.pick.choice((*self.anyone().ids, self.value()))),
            lambda: kb.get(self.pick.choice(self.anyone().ids)),
            lambda: kb.chunk(self.path(), self.pick.randint(0, 2), source=source),
            lambda: kb.record(self.path(), source=source),
            lambda: kb.page(self.path(), 1, source=source),
            lambda: kb.documents(source),
            kb.collections,
            kb.info,
        ]
        if restricted:
            calls += [
                lambda: kb.explain(self.text(), path=self.path(), source=source, where=where, **asked),
                kb.runs,
                kb.doctor,
                lambda: kb.delete(self.pick.choice(ATTACKS)),
                lambda: kb.drop(self.pick.choice(ATTACKS)),
                lambda: kb.revoke_key(self.pick.choice(ATTACKS)),
                lambda: kb.erase_tenant(self.other(kb)),
                lambda: kb.rotate(self.other(kb), rekey=self.pick.choice((True, False))),
                lambda: self.copy(kb),
                kb.tenants,
                kb.keys,
            ]
        return self.pick.choice(calls)()


@dataclass(frozen=True)
class Case:
    """Who asks: even engines may do all, odd ones read."""

    tenant: Tenant
    number: int

    @property
    def all(self) -> bool:
        return self.number % 2 == 0


async def outcome(case: Case, chance: Chance) -> tuple[object, str]:
    """All that a caller learns: the whole result, or the error; and how it reads."""
    try:
        made = chance.request(case.tenant.engines[case.number], restricted=case.all)
        result = [event async for event in made] if isinstance(made, AsyncGenerator) else await made
        return result, spell(result)
    except RagstoneError as error:
        return error, f"{ERROR}{error!r} {error}"


def foreign(case: Case, everyone: Sequence[Tenant], said: str) -> list[str]:
    """What is in an outcome and must not be: an error may say again which id was asked for."""
    others = [tenant for tenant in everyone if tenant is not case.tenant]
    wrong = [tenant.mark for tenant in others if tenant.mark in said]
    if not said.startswith(ERROR):
        wrong += [one for tenant in others for one in tenant.ids if one in said]
    return wrong + ([VEIL] if not case.all and VEIL in said else [])


def miscounted(tenant: Tenant, result: object) -> list[str]:
    """What a result counts or names that is not the tenant's own."""
    if isinstance(result, list | tuple):
        most = {Document: max(tenant.holds.values())[0], Run: 1, Key: 1, Shown: 1, Info: len(tenant.holds)}
        many = [f"{len(result)} of {kind.__name__}" for kind in most if len(_all(result, kind)) > most[kind]]
        return many + [wrong for one in result for wrong in miscounted(tenant, one)]
    seen: list[tuple[object, object]] = []
    match result:
        case Info(scope=scope, documents=documents, chunks=chunks):
            seen = [(scope.tenant, tenant.name), ((documents, chunks), tenant.holds.get(scope.collection))]
        case CopyResult(scope=scope, runs=runs, source=source, target=target, differing=differing):
            held = tenant.holds.get(scope.collection)
            seen = [(scope.tenant, tenant.name), ((runs, differing), (int(held != (0, 0)), 0))]
            seen += [((side.counts["documents"], side.counts["chunks"]), held) for side in (source, target)]
        case Shown(name=name, collections=collections):
            seen = [((name, collections), (tenant.name, len(tenant.holds)))]
        case Key(tenant=name):
            seen = [(name, tenant.name)]
        case Explanation(ranks=ranks):
            seen = [(rank, "a rank") for rank in ranks.values() if rank and rank > max(tenant.holds.values())[1]]
    return [f"{found} where {known} is right" for found, known in seen if found != known]


def _all(result: Sequence[object], kind: type) -> list[object]:
    return [one for one in result if isinstance(one, kind)]


async def test_no_answer_ever_holds_anything_of_another_tenant(tenants: list[Tenant], place: Ground) -> None:
    everyone = tenants
    before = place.state()
    chance = Chance(20_261, everyone)
    found = dict.fromkeys(TENANTS, 0)
    for tenant in everyone:
        assert [await ranked(kb) for kb in tenant.engines[::2]] == [tenant.hits] * len(COLLECTIONS)
    for first in range(0, CASES[place.kind], AT_ONCE):
        cases = [
            Case(chance.pick.choice(everyone), chance.pick.randrange(2 * len(COLLECTIONS))) for _ in range(AT_ONCE)
        ]
        outcomes = await asyncio.gather(*(outcome(case, chance) for case in cases))
        for number, (case, (result, said)) in enumerate(zip(cases, outcomes, strict=True), first):
            wrong = foreign(case, everyone, said) + miscounted(case.tenant, result)
            assert not wrong, f"case {number} of {case.tenant.name!r} shows {wrong}: {said}"
            found[case.tenant.name] += case.tenant.mark in said
    assert min(found.values()) > CASES[place.kind] / len(everyone) / 5, found  # who asks does find what is their own
    assert place.state() == before
    assert {mark for url, kb in chance.copies for mark in await copied(url, kb.scope.tenant)} == set()


async def copied(url: str, tenant: str) -> list[str]:
    """What stands in a store that was copied to and is not this tenant's."""
    settings = Settings(store=url, tenant=tenant)
    async with Engine(settings, embedder=BagOfWords()) as kb:
        wrong = [shown.name for shown in await kb.tenants() if shown.name != tenant]
        for name in [info.scope.collection for info in await kb.collections()]:
            async with Engine(replace(settings, collection=name), embedder=BagOfWords()) as each:
                said = spell(await each.search("samples receiver", where=Where(allow_restricted=True), top_k=100))
                wrong += [one.name for one in map(Tenant, TENANTS, range(9)) if one.name != tenant and one.mark in said]
    return wrong


async def test_keys_of_encryption_are_made_anew_for_the_own_tenant_alone(tmp_path: Path) -> None:
    """Who has a credential rotates its tenant, whoever else is in the store; who owns the store rotates all."""
    master = base64.b64encode(bytes(range(32))).decode()
    settings = Settings(store=f"embedded:{tmp_path / 'store'}", encryption=EncryptionSettings(key=master))
    for tenant in map(Tenant, TENANTS[:2], range(2)):
        async with Engine(replace(settings, tenant=tenant.name), embedder=BagOfWords()) as kb:
            await kb.ingest(tenant.write(tmp_path / "texts"), name="docs")

    def held() -> dict[str, bytes]:
        return {path.parent.name: path.read_bytes() for path in (tmp_path / "store").rglob("tenant.key")}

    before = held()
    async with Engine(settings, embedder=BagOfWords(), credential=Credential(TENANTS[0], (Role.ADMIN,))) as kb:
        assert [done.tenant for done in await kb.rotate(rekey=True)] == [TENANTS[0]]
        with pytest.raises(Forbidden):
            await kb.rotate(TENANTS[1], rekey=True)
        assert await kb.encrypt() == 0
        assert [shown.name for shown in await kb.tenants()] == [TENANTS[0]]
    assert len([name for name, key in held().items() if before[name] != key]) == 1
    async with Engine(settings, embedder=BagOfWords()) as kb:
        assert [done.tenant for done in await kb.rotate()] == sorted(TENANTS[:2])
