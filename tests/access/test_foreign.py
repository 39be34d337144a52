"""Thousands of odd requests of several tenants: no answer ever holds anything of another one, and nothing changes.

Every tenant has the same paths and the same sentences, each with a mark of its own beside a lure. Requests use the
lures, paths, ids and digests of all tenants, and texts that mean something to a database; they never say a mark, so a
mark of another tenant that comes out was let out.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ragstone.access import Credential, Role
from ragstone.config import PipelineSettings, SearchSettings, Settings
from ragstone.engine import Engine
from ragstone.errors import RagstoneError
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.where import OPERATORS, Condition, Where
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import ADMIN, Server

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
CASES = 1_250  # of each store
AT_ONCE = 10
ERROR = "error: "
VEIL = "hidden-"


@dataclass
class Tenant:
    """One tenant: what marks its rows, what others lure with, and its engines by role and collection."""

    name: str
    number: int
    ids: list[str] = field(default_factory=list)
    shas: list[str] = field(default_factory=list)
    engines: list[Engine] = field(default_factory=list)

    @property
    def mark(self) -> str:
        return f"markof{'abcde'[self.number]}"

    @property
    def lure(self) -> str:
        return f"lure{'vwxyz'[self.number]}"

    def documents(self) -> dict[str, str]:
        """Paths and texts."""
        front = f"---\ntitle: {self.mark} title\nproject: {self.lure}\ntags: [{self.lure}, {self.mark}]\n"
        text = f"# Retention {self.mark}\n\nThe samples of {self.lure} are kept for 15 days, says {self.mark}.\n"
        return {
            "storage.md": f"{front}---\n{text}",
            "guides/alerts.md": f"{front}---\n# Alerts {self.mark}\n\nA receiver of {self.lure}, {self.mark}.\n",
            f"{self.lure}.md": f"{front}---\n{text}\n## More\n\nHow long are alerts of {self.mark} kept?\n",
            "veiled.md": f"---\nconfidentiality: restricted\n---\n# Veiled\n\n{VEIL}{self.mark} hides samples.\n",
        }


async def filled(settings: Settings, folder: Path) -> list[Tenant]:
    """All tenants, each with the same collections."""
    tenants = [Tenant(name, number) for number, name in enumerate(TENANTS)]
    for tenant in tenants:
        root = folder / str(tenant.number)
        for path, text in tenant.documents().items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        for collection in COLLECTIONS:
            own = replace(settings, tenant=tenant.name, collection=collection)
            async with Engine(own, embedder=BagOfWords()) as kb:
                await kb.ingest(root, name="docs")
                async with kb.store.reader(kb.scope) as reader:
                    found = await reader.matching("samples receiver", where=Where(allow_restricted=True), limit=50)
                tenant.ids += [one.id for one in found]
                tenant.shas += [document.version for document in await kb.documents()]
    return tenants


@dataclass(frozen=True)
class Ground:
    """A store: its URL for applications, that for who makes keys, and all that it holds."""

    url: str
    keys: str
    state: Callable[[], object]


@pytest.fixture(params=["embedded", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    """An empty store of each kind."""
    if request.param == "embedded":
        url = f"embedded:{tmp_path / 'store'}"
        yield Ground(url, url, lambda: files(tmp_path / "store"))
        return
    running: Server = request.getfixturevalue("server")
    with running.database() as name:
        yield Ground(running.url(name), running.url(name, ADMIN), lambda: rows(running, name))


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

    def anyone(self) -> Tenant:
        return self.pick.choice(self.tenants)

    def text(self) -> str:
        words = [*WORDS, *ATTACKS, *(tenant.lure for tenant in self.tenants), *(tenant.name for tenant in self.tenants)]
        return " ".join(self.pick.choices(words, k=self.pick.randint(1, 4)))

    def path(self) -> str:
        known = ("storage.md", "guides/alerts.md", "veiled.md", f"{self.anyone().lure}.md", "**", "*.md")
        return self.pick.choice((*known, *ATTACKS))

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
        where, asked = (
            self.where(restricted=restricted),
            {"mode": self.pick.choice(("keyword", "keyword", "hybrid", "semantic"))},
        )
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


async def outcome(case: Case, chance: Chance) -> str:
    """All that a caller learns: the whole result, or the error."""
    try:
        made = chance.request(case.tenant.engines[case.number], restricted=case.all)
        if isinstance(made, AsyncGenerator):
            return repr([event async for event in made])
        return repr(await made)
    except RagstoneError as error:
        return f"{ERROR}{error!r} {error}"


def foreign(case: Case, everyone: Sequence[Tenant], said: str) -> list[str]:
    """What is in an outcome and must not be: an error may say again which id was asked for."""
    others = [tenant for tenant in everyone if tenant is not case.tenant]
    wrong = [tenant.mark for tenant in others if tenant.mark in said]
    if not said.startswith(ERROR):
        wrong += [one for tenant in others for one in tenant.ids if one in said]
    return wrong + ([VEIL] if not case.all and VEIL in said else [])


async def test_no_answer_ever_holds_anything_of_another_tenant(tenants: list[Tenant], place: Ground) -> None:
    everyone = tenants
    before = place.state()
    chance = Chance(20_261, everyone)
    found = dict.fromkeys(TENANTS, 0)
    for first in range(0, CASES, AT_ONCE):
        cases = [
            Case(chance.pick.choice(everyone), chance.pick.randrange(2 * len(COLLECTIONS))) for _ in range(AT_ONCE)
        ]
        outcomes = await asyncio.gather(*(outcome(case, chance) for case in cases))
        for number, (case, said) in enumerate(zip(cases, outcomes, strict=True), first):
            wrong = foreign(case, everyone, said)
            assert not wrong, f"case {number} of {case.tenant.name!r} shows {wrong}: {said}"
            found[case.tenant.name] += case.tenant.mark in said
    assert min(found.values()) > CASES / len(everyone) / 5, found  # who asks does find what is their own
    assert place.state() == before
