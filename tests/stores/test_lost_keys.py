"""What is said, and what is kept from happening, where a key is gone, damaged or another one."""

from pathlib import Path

import pytest

from ragstone.core.errors import Busy, Corrupt, NoKey, StoreError, UsageError
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.encryption import SecretKey
from ragstone.stores.master_key import MasterKey
from ragstone.testing.stores import OTHER, SCOPE, create_collection, make_revision, search_texts, write_revisions
from tests.stores.victim import MASTER

WRONG = MasterKey(SecretKey(bytes(range(1, 33))))
NEW = Scope("newcomer", "notes")


async def filled(root: Path, *scopes: Scope, master: MasterKey | None = MASTER) -> None:
    """A store with a document in each scope, settled."""
    store = EmbeddedStore(root, master=master)
    for scope in scopes:
        await write_revisions(store, make_revision("a.md", ["apple"], scope=scope), scope=scope)
        async with store.writer(scope) as writer:
            await writer.settle()
    await store.close()


def everything(root: Path) -> dict[str, bytes]:
    """All files but locks."""
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


@pytest.mark.parametrize("lost", [["tenant.key"], ["tenant.key", "notes/key-1"]])
async def test_a_key_file_that_is_gone_is_to_be_put_back_and_nothing_is_written_in_its_place(
    tmp_path: Path, lost: list[str]
) -> None:
    await filled(tmp_path, SCOPE)
    before = {name: (tmp_path / "acme" / name).read_bytes() for name in lost}
    for name in lost:
        (tmp_path / "acme" / name).unlink()
    left = everything(tmp_path)
    store, plain = EmbeddedStore(tmp_path, master=MASTER), EmbeddedStore(tmp_path)
    for one in (store, plain):
        for attempt in (
            search_texts(one, "apple"),
            create_collection(one),
            create_collection(one, Scope("acme", "more")),
            one.admin.check(SCOPE, repair=True),
            one.admin.drop(SCOPE),
            one.rekey("acme", fresh=False),
            one.rotate("acme"),
        ):
            with pytest.raises(NoKey, match=r"put .*/acme/tenant\.key back from a backup") as error:
                await attempt
            assert "recreate" not in str(error.value)
        [tenant] = await one.admin.tenants("acme")
        assert (tenant.encrypted, tenant.wrapped_by) == (True, ())
        assert "tenant.key back from a backup" in (tenant.problem or "")
    assert everything(tmp_path) == left
    for name, data in before.items():
        (tmp_path / "acme" / name).write_bytes(data)
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()
    await plain.close()


async def test_a_mark_that_is_gone_is_named_with_what_makes_it_again(tmp_path: Path) -> None:
    await filled(tmp_path, SCOPE)
    (tmp_path / "acme/notes/key-1").unlink()
    store = EmbeddedStore(tmp_path, master=MASTER)
    with pytest.raises(Corrupt, match=r"touch '.*/acme/notes/key-1'"):
        await search_texts(store, "apple")
    (tmp_path / "acme/notes/key-1").touch()
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


async def test_a_tenant_whose_key_is_lost_is_erased_whatever_the_names_of_its_collections(tmp_path: Path) -> None:
    await filled(tmp_path, SCOPE, Scope("acme", "é" * 100))
    (tmp_path / "acme/tenant.key").unlink()
    store = EmbeddedStore(tmp_path, master=MASTER)
    assert len(await store.admin.collections("acme")) == 2
    assert await store.admin.begin_erasing("acme")
    assert await store.admin.erase("acme")
    assert everything(tmp_path).keys() == {"store.json"}
    await store.close()


@pytest.mark.parametrize("damage", ["", "{}", "\0" * 40])
async def test_one_damaged_key_file_is_said_of_its_tenant_alone(tmp_path: Path, damage: str) -> None:
    await filled(tmp_path, SCOPE, OTHER)
    (tmp_path / "acme/tenant.key").write_text(damage)
    store = EmbeddedStore(tmp_path, master=MASTER)
    ours, theirs = await store.admin.tenants("x")
    assert (ours.name, ours.encrypted, theirs.name, theirs.problem) == ("acme", True, "rival", None)
    assert "tenant.key is damaged" in (ours.problem or "")
    assert await store.rotate("rival")
    await create_collection(store, NEW)
    await store.close()


async def test_another_master_key_erases_no_collection_and_makes_no_tenant(tmp_path: Path) -> None:
    await filled(tmp_path, SCOPE)
    store = EmbeddedStore(tmp_path, master=WRONG)
    for attempt in (
        store.admin.drop(SCOPE),
        create_collection(store, NEW),
        store.admin.check(NEW),
        store.sealer("newcomer"),
    ):
        with pytest.raises(NoKey, match=r"with another master key.*configured is \w{8}") as error:
            await attempt
        assert "acme" in str(error.value) or "newcomer" not in str(error.value)
    assert not (tmp_path / "newcomer").exists()
    await store.close()
    store = EmbeddedStore(tmp_path, master=MasterKey(WRONG.key, MASTER.key))
    await create_collection(store, NEW)
    assert await store.admin.drop(SCOPE)
    await store.close()


async def test_a_plain_tenant_is_not_encrypted_under_another_master_key_than_the_rest(tmp_path: Path) -> None:
    await filled(tmp_path, OTHER, master=None)
    await filled(tmp_path, SCOPE)
    store = EmbeddedStore(tmp_path, master=WRONG)
    with pytest.raises(NoKey, match="another master key"):
        await store.rekey("rival", fresh=False)
    assert not (tmp_path / "rival/tenant.key").exists()
    assert await search_texts(store, "apple", OTHER) == ["apple"]
    await store.close()


@pytest.mark.parametrize("anew", [False, True])
async def test_an_older_key_file_is_told_from_the_last_one_and_nothing_is_written_under_it(
    tmp_path: Path, anew: bool
) -> None:
    """From before a change of keys; or of an erased tenant of the same name, whose key has the same number."""
    await filled(tmp_path, SCOPE)
    file = tmp_path / "acme/tenant.key"
    store = EmbeddedStore(tmp_path, master=MASTER)
    await store.admin.pin("acme", model="m", dimension=8)
    before = file.read_bytes()
    if anew:
        await store.admin.erase("acme")
        await filled(tmp_path, SCOPE)
    else:
        await store.rekey("acme", fresh=True)
    await store.close()
    last = file.read_bytes()
    file.write_bytes(before)
    left = everything(tmp_path)
    store = EmbeddedStore(tmp_path, master=MASTER)
    for attempt in (
        search_texts(store, "apple"),
        create_collection(store, Scope("acme", "more")),
        store.rekey("acme", fresh=True),
        store.rotate("acme"),
        store.admin.drop(SCOPE),
        store.admin.pin("acme", model="other", dimension=8),
        store.sealer("acme"),
    ):
        with pytest.raises(NoKey, match="does not hold: put the file that was there last back from a backup"):
            await attempt
    [tenant] = await store.admin.tenants("x")
    assert bool(tenant.problem) == (not anew)  # without opening them, keys are told by their numbers alone
    assert everything(tmp_path) == left
    file.write_bytes(last)
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


# Erasure


async def test_a_busy_collection_is_met_before_anything_of_its_tenant_is_gone(tmp_path: Path) -> None:
    more = Scope("acme", "zebra")
    await filled(tmp_path, SCOPE, more)
    store, other = EmbeddedStore(tmp_path, master=MASTER), EmbeddedStore(tmp_path, master=MASTER)
    await other.ledger(more).start(Run("r", "docs", "running", "2026-01-01T00:00:00Z"))
    before = everything(tmp_path)
    for attempt in (store.admin.begin_erasing("acme"), store.admin.erase("acme")):
        with pytest.raises(Busy, match=r"'zebra' cannot be erased now: an ingestion into it is running \(process \d+"):
            await attempt
    assert everything(tmp_path) == before
    await other.close()
    await store.close()


async def test_no_run_begins_in_a_tenant_that_is_being_erased_and_it_is_said_until_that_is_finished(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await filled(tmp_path, SCOPE, OTHER)
    store = EmbeddedStore(tmp_path, master=MASTER)
    assert await store.admin.begin_erasing("acme")
    for attempt in (
        create_collection(store),
        store.ledger(SCOPE).start(Run("r", "docs", "running", "2026-01-01T00:00:00Z")),
        store.rekey("acme", fresh=True),
        store.admin.pin("acme", model="m", dimension=8),
    ):
        with pytest.raises(Busy, match="'acme' is being erased, and that is not finished; run: ragstone tenants erase"):
            await attempt
    assert await search_texts(EmbeddedStore(tmp_path, master=MASTER), "apple", OTHER) == ["apple"]
    assert "'acme' is being erased" in caplog.text
    assert [bool(tenant.problem) for tenant in await store.admin.tenants("x")] == [True, False]
    assert await store.admin.erase("acme")
    assert [tenant.name for tenant in await store.admin.tenants("x")] == ["rival"]
    await create_collection(store)
    await store.close()


def test_the_keys_of_a_tenant_name_it_where_its_directory_does_not(tmp_path: Path) -> None:
    tenants = Tenants(tmp_path, MASTER)
    tenants.write_keys("é" * 100, {1: SecretKey.generate()})
    assert [one.name for one in tenants.list_tenants()] == ["é" * 100]


# Folders that are no tenants


async def test_a_folder_is_a_tenant_only_when_something_of_ours_stands_in_it(tmp_path: Path) -> None:
    await filled(tmp_path, SCOPE)
    await filled(tmp_path / "ledger", SCOPE)
    for name in ("empty", "foreign"):
        (tmp_path / name).mkdir()
    (tmp_path / "foreign/file").write_text("mine")
    store = EmbeddedStore(tmp_path, master=MASTER)
    assert [tenant.name for tenant in await store.admin.tenants("x")] == ["acme"]
    for name in ("empty", "foreign"):
        assert not await store.admin.begin_erasing(name)
        assert not await store.admin.erase(name)
    for name, said in (("foreign", "holds other files"), ("ledger", "is a store of its own")):
        with pytest.raises(UsageError, match=said):
            await create_collection(store, Scope(name, "notes"))
        with pytest.raises(UsageError, match=said):
            await store.admin.pin(name, model="m", dimension=8)
    with pytest.raises(UsageError, match="is a store of its own"):
        await store.admin.erase("ledger")
    (tmp_path / "acme/foreign").mkdir()
    (tmp_path / "acme/foreign/file").write_text("mine")
    assert not await store.admin.drop(Scope("acme", "foreign"))
    assert (tmp_path / "acme/foreign/file").read_text() == (tmp_path / "foreign/file").read_text() == "mine"
    await store.close()
    ledger = EmbeddedStore(tmp_path / "ledger", master=MASTER)
    assert await search_texts(ledger, "apple") == ["apple"]
    await ledger.close()


@pytest.mark.parametrize("link", ["acme", "acme/notes"])
async def test_what_a_link_leads_to_is_never_called_erased(tmp_path: Path, link: str) -> None:
    root = tmp_path / "store"
    await filled(root, SCOPE)
    (root / link).rename(tmp_path / "elsewhere")
    (root / link).symlink_to(tmp_path / "elsewhere")
    store = EmbeddedStore(root, master=MASTER)
    assert await search_texts(store, "apple") == ["apple"]
    for attempt in (store.admin.begin_erasing("acme"), store.admin.erase("acme")):
        with pytest.raises(StoreError, match=r"is a link to .*elsewhere, which would stay"):
            await attempt
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


async def test_a_tenant_is_not_called_erased_because_another_ones_name_ends_like_its_own(tmp_path: Path) -> None:
    await filled(tmp_path, Scope("a-b", "notes"))
    (tmp_path / "a-b").rename(tmp_path / ".gone-0-a-b")
    store = EmbeddedStore(tmp_path, master=MASTER)
    assert not await store.admin.erase("b")
    await store.close()
