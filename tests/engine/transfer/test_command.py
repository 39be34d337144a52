"""`ragstone copy`: what it prints, and a sentence for each mistake."""

import asyncio
import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragstone.core.ports import CachedSearch, SearchCachingStore
from ragstone.stores import open_store
from tests.commands import Run, run
from tests.engine.transfer.made import BESIDE, SCOPE, build

__all__ = ["run"]


@pytest.fixture
async def source(tmp_path: Path) -> str:
    url = f"embedded:{tmp_path / 'source'}"
    await build(url, documents=6)
    return url


def test_a_table_says_what_both_sides_hold(run: Run, source: str, tmp_path: Path) -> None:
    done = run("copy", "--from", source, "--to", tmp_path / "target", "--tenant", SCOPE.tenant)
    assert (done.status, done.out.count("revisions copied")) == (0, 2)
    rows = [line.split() for line in done.out.splitlines() if line.startswith("  ")]
    assert [row[0] for row in rows[1:7]] == ["documents", "revisions", "chunks", "texts", "layouts", "vectors"]
    assert all(row[1] == row[2] for row in rows[1:7])
    again = run("copy", "--from", source, "--to", tmp_path / "target", "--tenant", SCOPE.tenant)
    assert "0 revisions copied, 10 were there, 2 runs" in again.out


def test_json_has_counts_and_checksums_of_both_sides(run: Run, source: str, tmp_path: Path) -> None:
    where = ("--from", source, "--to", tmp_path / "target", "--tenant", SCOPE.tenant)
    done = run("copy", *where, "--collection", BESIDE.collection, "--json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert lines[0] == {"schema": 1, "event": "copied", "collection": BESIDE.collection, "done": 6, "total": 6}
    [about] = done.json["collections"]
    assert (done.status, done.json["same"], about["collection"]) == (0, True, BESIDE.collection)
    assert about["source"] == about["target"]
    assert about["source"]["counts"]["revisions"] == about["written"] == 6
    listed = run("collections", "list", "--store", tmp_path / "target", "--tenant", SCOPE.tenant)
    assert listed.out.count("documents") == 1


def test_a_difference_is_exit_code_1(run: Run, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragstone.stores.embedded.writer import EmbeddedWriter

    async def forgetful(*_given: object) -> None:
        return None

    monkeypatch.setattr(EmbeddedWriter, "put", forgetful)
    where = ("--from", source, "--to", tmp_path / "target", "--tenant", SCOPE.tenant)
    done = run("copy", *where, "--collection", SCOPE.collection)
    assert done.status == 1
    assert "revisions of 'manuals' differ; the first:" in done.err
    assert "a/2.md, revision 1: other vectors" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--to", "SOURCE"), "name another store to copy to"),
        (("--to", "elsewhere", "--collection", "none"), "has no collection 'none' of tenant 'acme'; it has: 'manuals'"),
        (("--to", "elsewhere", "--tenant", "nobody"), "no collection of tenant 'nobody': there is nothing to copy"),
        (("--to", "elsewhere", "--tenant", "acmee"), "there is nothing to copy; did you mean 'acme'?"),
        (("--to", "ftp://x"), "unknown store"),
        ((), "--to"),
    ],
)
def test_a_mistake_is_one_sentence(
    run: Run, source: str, arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [source if one == "SOURCE" else one for one in arguments]
    done = run("copy", "--from", source, *(() if "--tenant" in given else ("--tenant", SCOPE.tenant)), *given)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_what_cannot_be_encrypted_is_copied_to_what_is_and_the_way_back_says_so(
    run: Run, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, sealed = f"json:{tmp_path / 'plain.json'}", tmp_path / "sealed"
    tenant = ("--tenant", SCOPE.tenant)
    run("copy", "--from", source, "--to", plain, *tenant)
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", base64.b64encode(bytes(32)).decode())
    done = run("copy", "--from", plain, "--to", sealed, *tenant)
    assert (done.status, "encrypted" in done.err) == (0, False)
    assert (sealed / SCOPE.tenant / "tenant.key").is_file()
    back = run("copy", "--from", sealed, "--to", f"json:{tmp_path / 'back.json'}", *tenant)
    assert (back.status, back.err.count("tenant 'acme' is encrypted here, and not in the copy")) == (0, 2)


async def test_earlier_searches_do_not_come_along_and_outlive_no_copy(run: Run, source: str, tmp_path: Path) -> None:
    one = CachedSearch("s", "k", 0, datetime.now(UTC), b"\0" * 4, b"{}")
    where = ("--from", source, "--to", tmp_path / "target", "--tenant", SCOPE.tenant)
    stores = [open_store(url) for url in (source, str(tmp_path / "target"))]
    memories = [one.search_cache(SCOPE) for one in stores if isinstance(one, SearchCachingStore)]
    await memories[0].put_search(one, most=9)
    await asyncio.to_thread(run, "copy", *where)
    assert await memories[1].find_by_key("k") == []
    await memories[1].put_search(one, most=9)
    await asyncio.to_thread(run, "copy", *where)
    assert [await memory.find_by_key("k") for memory in memories] == [[one], []]
    for store in stores:
        await store.close()
