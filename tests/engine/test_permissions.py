"""Every verb asks for a permission, and gets it from the right roles only."""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone import Where
from ragstone.access import Credential, Permission, Role
from ragstone.access.credential import ROLE_PERMISSIONS
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.errors import Forbidden, Unauthorized, UsageError
from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.engine import Engine
from ragstone.engine.blocking import Knowledge
from ragstone.engine.permission_checks import read_permissions, require_permissions
from ragstone.engine.pipeline import Pipeline
from ragstone.testing.bag_of_words import BagOfWords
from tests.spelled import spell

SECRET = """---
title: Salaries
confidentiality: restricted
---
# Salaries

Dana earns 100 apples for the samples that are kept.
"""
PROPERTIES = {"calibration_place", "search_context", "scope", "settings", "store"}
QUESTION = "How long are samples kept?"
Call = Callable[[Engine, Path], Any]

ENGINE_PERMISSIONS, PIPELINE_PERMISSIONS = map(read_permissions, (Engine, Pipeline))
CALLS: dict[str, Call] = {
    "search": lambda kb, _: kb.search(QUESTION),
    "ask": lambda kb, _: kb.ask(QUESTION),
    "events": lambda kb, _: kb.events(QUESTION),
    "context": lambda kb, _: kb.context(QUESTION),
    "chunk": lambda kb, _: kb.chunk("storage.md", 0),
    "get": lambda kb, _: kb.get("no id"),
    "record": lambda kb, _: kb.record("storage.md"),
    "page": lambda kb, _: kb.page("storage.md", 1),
    "info": lambda kb, _: kb.info(),
    "documents": lambda kb, _: kb.documents(),
    "collections": lambda kb, _: kb.collections(),
    "exists": lambda kb, _: kb.exists(),
    "models": lambda kb, _: kb.models(),
    "embed": lambda kb, _: kb.embed(["samples"]),
    "select_judge": lambda kb, _: kb.select_judge(),
    "pipelines": lambda kb, _: kb.pipelines(),
    "pipeline": lambda kb, _: kb.pipeline("all"),
    "ingest": lambda kb, docs: kb.ingest(docs),
    "ingest_source": lambda kb, docs: kb.ingest_source(Empty()),
    "ingest_files": lambda kb, docs: kb.ingest_files(docs, ["storage.md"]),
    "ingest_texts": lambda kb, _: kb.ingest_texts({"a.md": "Samples are kept."}),
    "watch": lambda kb, _: kb.watch("https://nowhere.invalid/"),
    "flush": lambda kb, _: kb.flush(),
    "invalidate": lambda kb, _: kb.invalidate(),
    "is_dirty": lambda kb, _: kb.is_dirty(),
    "jobs": lambda kb, _: kb.jobs(),
    "find_job": lambda kb, _: kb.find_job("no id"),
    "retry_job": lambda kb, _: kb.retry_job("no id"),
    "drop_job": lambda kb, _: kb.drop_job("no id"),
    "original": lambda kb, _: kb.original("storage.md"),
    "create": lambda kb, _: kb.create(),
    "delete": lambda kb, _: kb.delete("no path"),
    "drop": lambda kb, _: kb.drop("no collection"),
    "reembed": lambda kb, _: kb.reembed(),
    "switch_model": lambda kb, _: kb.switch_model(),
    "drop_model": lambda kb, _: kb.drop_model(),
    "check_chunking": lambda kb, _: kb.check_chunking(),
    "runs": lambda kb, _: kb.runs(),
    "doctor": lambda kb, _: kb.doctor(),
    "check_settings": lambda kb, _: kb.check_settings(),
    "extract": lambda kb, docs: kb.extract(docs / "storage.md"),
    "iter_extractions": lambda kb, docs: kb.iter_extractions(docs / "storage.md"),
    "preview": lambda kb, docs: kb.preview(docs / "storage.md"),
    "explain": lambda kb, _: kb.explain(QUESTION, path="storage.md"),
    "copy": lambda kb, _: kb.copy("ftp://nowhere"),
    "backup": lambda kb, _: kb.backup("."),
    "create_key": lambda kb, _: kb.create_key("alice"),
    "keys": lambda kb, _: kb.keys(),
    "revoke_key": lambda kb, _: kb.revoke_key("no id"),
    "tenants": lambda kb, _: kb.tenants(),
    "erase_tenant": lambda kb, _: kb.erase_tenant("\ud800"),
    "rotate": lambda kb, _: kb.rotate(),
    "encrypt": lambda kb, _: kb.encrypt(),
}
OF_PIPELINE: dict[str, Callable[[Pipeline], Any]] = {
    "search": lambda line: line.search(QUESTION),
    "ask": lambda line: line.ask(QUESTION),
    "events": lambda line: line.events(QUESTION),
    "context": lambda line: line.context(QUESTION),
    "explain": lambda line: line.explain(QUESTION, path="storage.md"),
    "check": lambda line: line.check(),
}


class Empty:
    """A source of no documents."""

    name = "empty"

    def walk(self) -> Iterator[ListedFile | Skipped]:
        return iter(())

    def read(self, path: str, limit: int) -> bytes:
        raise AssertionError


async def done(made: Any) -> Any:
    """What a verb brings, however it brings it."""
    if isinstance(made, AsyncGenerator):
        return [event async for event in made]
    return await made if isinstance(made, Awaitable) else made


async def admitted(made: Callable[[], Any]) -> bool:
    """Whether a verb was let in; what it cannot find is another matter."""
    try:
        await done(made())
    except Forbidden:
        return False
    except UsageError:
        return True
    return True


def settings(folder: Path, **given: Any) -> Settings:
    lines = (PipelineSettings("all", collections=("default",)),)
    return Settings(store=f"embedded:{folder / 'store'}", pipelines=lines, **given)


@pytest.fixture
async def built(docs: Path, tmp_path: Path) -> Settings:
    """The documents, one of them restricted, of tenant acme."""
    (docs / "salaries.md").write_text(SECRET, encoding="utf-8")
    given = settings(tmp_path, tenant="acme")
    async with Engine(given, embedder=BagOfWords()) as kb:
        await kb.ingest(docs)
    return settings(tmp_path)


@pytest.fixture
def entering(built: Settings) -> Callable[..., Engine]:
    """An engine as somebody of acme with these roles."""
    return lambda *roles: Engine(built, embedder=BagOfWords(), credential=Credential("acme", roles))


def public(kind: type[Any], of: Callable[[Any], bool]) -> set[str]:
    """The names of a class, its own and inherited, of whose values something holds."""
    return {
        name for each in kind.__mro__ for name, found in vars(each).items() if not name.startswith("_") and of(found)
    }


def test_every_public_verb_has_its_entry_and_every_entry_its_call() -> None:
    assert public(Engine, inspect.isfunction) == set(ENGINE_PERMISSIONS)
    assert public(Pipeline, inspect.isfunction) == set(PIPELINE_PERMISSIONS)
    assert set(CALLS) == {name for name, permission in ENGINE_PERMISSIONS.items() if permission is not None}
    assert set(OF_PIPELINE) == {name for name, permission in PIPELINE_PERMISSIONS.items() if permission is not None}
    assert public(Engine, lambda found: isinstance(found, property)) == PROPERTIES


def test_what_is_waited_for_is_the_engines_own() -> None:
    beside = {"wait", "close", "iterate_stream"}
    assert public(Knowledge, inspect.isfunction) - beside <= set(ENGINE_PERMISSIONS)


def test_a_verb_without_an_entry_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="Leaky has methods without a permission: everything"):

        @require_permissions
        class Leaky:
            def everything(self) -> None: ...


def test_nor_can_one_be_inherited() -> None:
    class Group:
        def everything(self) -> None: ...

    with pytest.raises(TypeError, match="Leaky has methods without a permission: everything"):

        @require_permissions
        class Leaky(Group): ...


def test_every_verb_of_the_engine_that_needs_a_permission_is_behind_the_gate() -> None:
    """What a group of verbs defines is not what the engine calls: the gate stands between."""
    groups = Engine.__mro__[1:]
    for name, permission in ENGINE_PERMISSIONS.items():
        [own] = [vars(group)[name] for group in groups if name in vars(group)]
        assert (getattr(Engine, name) is own) == (permission is None), name


@pytest.mark.parametrize("role", Role)
async def test_each_role_gets_exactly_what_it_permits(entering: Callable[..., Engine], docs: Path, role: Role) -> None:
    async with entering(role) as kb:
        let_in = {name for name, call in CALLS.items() if await admitted(lambda call=call: call(kb, docs))}  # type: ignore[misc]  # bound at once
        line = kb.pipeline("all")
        of_line = {name for name, call in OF_PIPELINE.items() if await admitted(lambda call=call: call(line))}  # type: ignore[misc]  # bound at once
    assert let_in == {name for name in CALLS if ENGINE_PERMISSIONS[name] in ROLE_PERMISSIONS[role]}
    assert of_line == {name for name in OF_PIPELINE if PIPELINE_PERMISSIONS[name] in ROLE_PERMISSIONS[role]}


async def test_what_is_refused_has_done_nothing(entering: Callable[..., Engine], docs: Path) -> None:
    async with entering(Role.READ) as kb:
        before = (await kb.info()).generation
        for name in ("ingest", "ingest_source", "create", "delete", "drop", "create_key", "revoke_key"):
            with pytest.raises(Forbidden, match=f"^{name.replace('_', ' ')} needs the role"):
                await done(CALLS[name](kb, docs))
        assert (await kb.info()).generation == before


async def test_the_parts_behind_the_verbs_are_for_who_may_do_all(entering: Callable[..., Engine]) -> None:
    async with entering(Role.READ_RESTRICTED, Role.WRITE) as kb:
        with pytest.raises(Forbidden, match="search context needs the role admin"):
            _ = kb.search_context
    async with entering(Role.ADMIN) as kb:
        assert kb.scope.tenant == "acme"


async def test_restricted_documents_are_as_if_they_were_not_there(entering: Callable[..., Engine]) -> None:
    every = Where(allow_restricted=True)
    async with entering(Role.ADMIN) as kb:
        found = await kb.search("apples", where=every)
        [secret] = [hit.chunk for hit in found.hits if hit.chunk.document.path == "salaries.md"]
    for role in (Role.READ, Role.WRITE):
        async with entering(role) as kb:
            shown = [spell(await done(call(kb, Path()))) for name, call in CALLS.items() if name in READING]
            shown.append(spell(await kb.pipeline("all").search("apples Dana earns salaries")))
            assert not any(mark in text for text in shown for mark in ("apples", "salaries", "Salaries"))
            for attempt in (
                partial(kb.get, secret.id),
                partial(kb.chunk, "salaries.md", 0),
                partial(kb.record, "salaries.md"),
                partial(kb.page, "salaries.md", 1),
            ):
                with pytest.raises(UsageError, match=r"no chunk has|there is no document") as refused:
                    await attempt()
                assert "did you mean" not in str(refused.value)
            with pytest.raises(UsageError, match="there is no document 'salaries'") as refused:
                await kb.record("salaries")
            assert "salaries.md" not in str(refused.value)
            for verb in (kb.search, kb.ask, kb.context, kb.pipeline("all").search, kb.pipeline("all").ask):
                with pytest.raises(Forbidden, match="restricted documents needs the role read-restricted or admin"):
                    await verb("apples", where=every)
            for flow in (kb.events, kb.pipeline("all").events):
                with pytest.raises(Forbidden, match="restricted"):
                    await done(flow("apples", where=every))


READING = {"search", "ask", "events", "context", "documents", "collections", "info", "exists", "pipelines"}


async def test_who_may_read_restricted_documents_does(entering: Callable[..., Engine]) -> None:
    async with entering(Role.READ_RESTRICTED) as kb:
        assert "salaries.md" in {document.path for document in await kb.documents()}
        assert "apples" in (await kb.record("salaries.md"))[1]
        asked = Where(allow_restricted=True)
        assert "apples" in (await kb.search("Dana earns apples", where=asked)).hits[0].chunk.text
        assert "apples" not in spell(await kb.search("Dana earns apples"))  # only when asked for


async def test_who_may_write_also_replaces_what_is_restricted(entering: Callable[..., Engine]) -> None:
    async with entering(Role.WRITE) as kb:
        assert await kb.delete("salaries.md") == 1


async def test_a_verb_beside_these_can_ask_for_a_permission(entering: Callable[..., Engine]) -> None:
    async with entering(Role.WRITE) as kb:
        with pytest.raises(Forbidden, match="copy needs the role admin; this credential has write"):
            await kb.admit(Permission.EXPORT, what="copy")
    async with entering(Role.ADMIN) as kb:
        await kb.admit(Permission.EXPORT, what="copy")


# Who comes in


@pytest.fixture
async def keyed(built: Settings, tmp_path: Path) -> AsyncIterator[tuple[Engine, str]]:
    """An engine of who is trusted, and a key that reads."""
    async with Engine(settings(tmp_path, tenant="acme"), embedder=BagOfWords()) as kb:
        yield kb, (await kb.create_key("alice", expires="1d")).text


async def test_the_tenant_is_the_keys(keyed: tuple[Engine, str], tmp_path: Path) -> None:
    async with Engine(settings(tmp_path, key=keyed[1]), embedder=BagOfWords()) as kb:
        assert kb.scope.tenant == "acme"
        assert (await kb.search(QUESTION)).hits
        assert (await kb.pipeline("all").search(QUESTION)).hits
        assert {info.scope.tenant for info in await kb.collections()} == {"acme"}


async def test_another_tenant_than_the_keys_is_refused(keyed: tuple[Engine, str], tmp_path: Path) -> None:
    for given in ({"key": keyed[1]}, {}):
        wanted = settings(tmp_path, tenant="rival", **given)
        credential = None if given else Credential("acme", (Role.ADMIN,))
        with pytest.raises(Forbidden, match="tenant 'rival' was asked for"):
            async with Engine(wanted, embedder=BagOfWords(), credential=credential):
                pass


async def test_a_revoked_key_ends_at_once_in_engines_that_are_open(keyed: tuple[Engine, str], tmp_path: Path) -> None:
    trusted, text = keyed
    async with Engine(settings(tmp_path, key=text), embedder=BagOfWords()) as kb:
        await kb.search(QUESTION)
        stream = kb.events(QUESTION)
        await trusted.revoke_key(text)
        for attempt in (lambda: kb.search(QUESTION), kb.info, lambda: anext(stream)):
            with pytest.raises(Unauthorized, match="was revoked") as refused:
                await attempt()
            assert refused.value.reason == "revoked"
    [kept] = await trusted.keys()
    assert kept.revoked is not None


async def test_before_the_key_was_looked_at_nothing_is_known(keyed: tuple[Engine, str], tmp_path: Path) -> None:
    kb = Engine(settings(tmp_path, key=keyed[1]), embedder=BagOfWords())
    for look in (lambda: kb.scope, lambda: kb.search_context, kb.pipelines, lambda: kb.pipeline("all")):
        with pytest.raises(UsageError, match="async with"):
            look()
    assert (await kb.search(QUESTION)).hits  # it looks by itself
    assert kb.scope.tenant == "acme"
    await kb.close()


async def test_keys_are_made_for_the_own_tenant_only(keyed: tuple[Engine, str], tmp_path: Path) -> None:
    async with Engine(settings(tmp_path), credential=Credential("rival", (Role.ADMIN,))) as kb:
        made = await kb.create_key("bob", roles=["write", "read-restricted"])
        assert (made.key.tenant, made.key.roles) == ("rival", ("read-restricted", "write"))
        assert [key.name for key in await kb.keys()] == ["bob"]
        with pytest.raises(UsageError, match="tenant 'rival' has no key with this id"):
            await kb.revoke_key(keyed[1])
    assert [key.revoked for key in await keyed[0].keys()] == [None]


def test_who_trusts_nobody_asks_everybody(tmp_path: Path) -> None:
    given: dict[str, Any] = {"access__trusted": False}
    for attempt in (
        lambda: ragstone.open(tmp_path / "s", **given),
        lambda: ragstone.open_async(tmp_path / "s", **given),
    ):
        with pytest.raises(Unauthorized, match="a key is needed here") as refused:
            attempt()
        assert refused.value.reason == "missing"
    with ragstone.open(tmp_path / "s", credential=Credential("acme", (Role.ADMIN,)), **given) as kb:
        assert kb.collections() == []


def test_an_empty_key_is_no_leave_to_do_everything(tmp_path: Path) -> None:
    for empty in ("", " \n"):
        with pytest.raises(Unauthorized, match="the key is empty"):
            ragstone.open(tmp_path / "s", key=empty)


def test_a_key_that_is_not_accepted_opens_nothing(tmp_path: Path) -> None:
    with pytest.raises(Unauthorized, match="unknown key rag_"):
        ragstone.open(tmp_path / "s", key=f"rag_{'0' * 16}_{'A' * 43}")
    assert not (tmp_path / "s").exists()


def test_a_key_and_a_credential_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave one out"):
        ragstone.open(tmp_path / "s", key="rag_x", credential=Credential("acme", (Role.READ,)))


def test_options_beside_settings_are_never_left_aside(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="settings and key are both given"):
        ragstone.open(settings=settings(tmp_path), key="rag_x")


def test_a_store_that_keeps_no_keys_says_so(tmp_path: Path) -> None:
    with ragstone.open(f"json:{tmp_path / 's.json'}", embed__model="none") as kb:
        for attempt in (lambda: kb.create_key("x"), kb.keys):
            with pytest.raises(UsageError, match="a json store keeps no keys"):
                attempt()


def test_no_key_is_shown_with_the_settings(tmp_path: Path) -> None:
    given = ragstone.load(key="rag_secret", store=str(tmp_path))
    assert "rag_secret" not in repr(given)
