"""A backup is whole or not there, is a store that answers, and fills any store again."""

import asyncio
from pathlib import Path

import pytest

from ragstone import Engine, load
from ragstone.core.errors import UsageError
from ragstone.engine.transfer import CopyResult
from ragstone.stores import open_store
from tests import forked
from tests.commands import Run, run
from tests.engine.transfer.made import BESIDE, SCOPE, build, carried, told
from tests.engine.transfer.test_copy import between

__all__ = ["between", "run"]


async def backed_up(source: str, folder: Path) -> list[CopyResult]:
    async with Engine(load(store=source, tenant=SCOPE.tenant, embed__model="none")) as engine:
        return await engine.backup(str(folder))


def list_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.fixture
async def source(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'source'}"
    await build(url, documents=8)
    return url


async def test_every_store_is_backed_up_and_filled_again(between: str, tmp_path: Path) -> None:
    await build(between, documents=8)
    folder = tmp_path / "backups" / "monday"
    done = await backed_up(between, folder)
    assert [one.scope for one in done] == [SCOPE, BESIDE]
    assert [path.name for path in folder.parent.iterdir()] == ["monday"]
    home = f"embedded:{tmp_path / 'home'}"
    await carried(f"embedded:{folder}", home)
    for scope in (SCOPE, BESIDE):
        assert await told(between, scope) == await told(str(folder), scope) == await told(home, scope)


@pytest.mark.parametrize("nth", [2, 5])
async def test_a_killed_backup_is_not_there_and_the_next_one_goes_on(source: str, tmp_path: Path, nth: int) -> None:
    folder = tmp_path / "monday"
    killed = ("tests.engine.transfer.victim", source, f"backup:{folder}", "told", nth)
    assert await asyncio.to_thread(forked.run, *killed) == -9
    assert not folder.exists()
    store = open_store(source)
    await store.admin.drop(BESIDE)  # the one that goes on shows what is there then
    await store.close()
    [done] = await backed_up(source, folder)
    assert done.found
    assert done.written + done.found == done.source.counts["revisions"]
    assert not folder.with_name("monday.partial").exists()
    assert await told(source, SCOPE) == await told(str(folder), SCOPE)
    kept = open_store(str(folder))
    assert await kept.admin.collections(SCOPE.tenant) == [SCOPE.collection]
    await kept.close()


async def test_a_backup_overwrites_nothing(source: str, tmp_path: Path) -> None:
    await backed_up(source, tmp_path / "monday")
    before = list_files(tmp_path)
    with pytest.raises(UsageError, match="exists: name a new folder for each backup"):
        await backed_up(source, tmp_path / "monday")
    assert list_files(tmp_path) == before


def test_the_command_says_what_it_kept(run: Run, tmp_path: Path) -> None:
    asyncio.run(build(f"embedded:{tmp_path / 'source'}", documents=4))
    given = ("--store", tmp_path / "source", "--tenant", SCOPE.tenant)
    done = run("backup", tmp_path / "monday", *given)
    assert (done.status, done.out.count("revisions copied")) == (0, 2)
    assert run("backup", "postgresql://x/y", *given).err == (
        "error: a backup is a folder, 'postgresql://x/y' is none: fill other stores with `copy`\n"
    )
    listed = run("collections", "list", "--store", tmp_path / "monday", "--tenant", SCOPE.tenant)
    assert SCOPE.collection in listed.out


def test_a_backup_that_differs_keeps_its_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragstone.stores.embedded.writer import EmbeddedWriter

    async def forgetful(*_given: object) -> None:
        return None

    asyncio.run(build(f"embedded:{tmp_path / 'source'}", documents=4))
    monkeypatch.setattr(EmbeddedWriter, "put", forgetful)
    done = run("backup", tmp_path / "monday", "--store", tmp_path / "source", "--tenant", SCOPE.tenant)
    assert done.status == 1
    assert "the backup differs from the store" in done.err
    assert not (tmp_path / "monday").exists()
    assert (tmp_path / "monday.partial").exists()
