"""The engines of a server: each caller has its own tenant, while stores and models are opened once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.config.settings import Settings
from ragstone.core.errors import Forbidden, Unauthorized, UsageError
from ragstone.engine import Engine, engine_pool
from ragstone.engine.engine_pool import EnginePool


async def fill(store: Path, tenant: str, text: str) -> str:
    """A collection of a tenant with one document; a key of the tenant that may do everything."""
    folder = store.parent / tenant
    folder.mkdir()
    (folder / "rule.md").write_text(text, "utf-8")
    async with Engine(Settings(store=f"embedded:{store}", tenant=tenant)) as engine:
        await engine.ingest(folder)
        return (await engine.create_key("test", roles="admin")).text


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    store = tmp_path_factory.mktemp("pool") / "store"
    texts = {"acme": "Samples are kept for ten years.", "rival": "Samples are burnt at once."}
    return store, {tenant: asyncio.run(fill(store, tenant, text)) for tenant, text in texts.items()}


@pytest.fixture
async def pool(keys: tuple[Path, dict[str, str]]) -> AsyncIterator[EnginePool]:
    pool = EnginePool(Settings(store=f"embedded:{keys[0]}"))
    yield pool
    await pool.close()


async def test_each_key_reads_its_own_tenant_over_one_store_and_one_model(
    pool: EnginePool, keys: tuple[Path, dict[str, str]]
) -> None:
    acme, rival = [await pool.open(key=keys[1][tenant]) for tenant in ("acme", "rival")]
    assert [hit.chunk.text for hit in await acme.search("samples")] == ["Samples are kept for ten years."]
    assert [hit.chunk.text for hit in await rival.search("samples")] == ["Samples are burnt at once."]
    assert acme.store is rival.store
    assert acme._components.embedders.own is rival._components.embedders.own
    assert await pool.open(key=keys[1]["acme"]) is acme


async def test_a_key_that_is_revoked_ends_at_once(pool: EnginePool, keys: tuple[Path, dict[str, str]]) -> None:
    admin = await pool.open(key=keys[1]["acme"])
    made = await admin.create_key("short", roles="read")
    reader = await pool.open(key=made.text)
    assert len(await reader.search("samples")) == 1
    await admin.revoke_key(made.key.id)
    with pytest.raises(Unauthorized):
        await reader.search("samples")
    with pytest.raises(Unauthorized):
        await pool.open(key=made.text)


async def test_a_tenant_is_the_keys_and_without_one_only_trusted_callers_name_it(
    pool: EnginePool, keys: tuple[Path, dict[str, str]]
) -> None:
    assert (await pool.open(key=keys[1]["acme"], tenant="acme")).scope.tenant == "acme"
    with pytest.raises(Forbidden, match="another tenant"):
        await pool.open(key=keys[1]["acme"], tenant="rival")
    assert (await pool.open(tenant="rival", trusted=True)).scope.tenant == "rival"
    with pytest.raises(Unauthorized):
        await pool.open(tenant="rival")
    with pytest.raises(UsageError):
        await pool.open(collection="a\nb", trusted=True)


async def test_few_engines_are_kept(pool: EnginePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_pool, "KEPT", 2)
    first = await pool.open(collection="a", trusted=True)
    for name in ("b", "c"):
        await pool.open(collection=name, trusted=True)
    assert len(pool._kept) == 2
    assert await pool.open(collection="a", trusted=True) is not first
    assert await first.exists() is False  # its parts are open still
