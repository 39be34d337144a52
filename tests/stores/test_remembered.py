"""The file of earlier searches: whole whatever happens to who writes it, and no loss when it is lost."""

from pathlib import Path

import pytest

from ragstone.stores.search_cache_file import SearchCacheFile
from ragstone.testing.stores import make_search, make_vector
from tests import forked

ROUNDS = 3


def test_a_killed_process_loses_nothing_that_it_kept_and_leaves_nothing_half(tmp_path: Path) -> None:
    file = SearchCacheFile(tmp_path / "searches")
    for round_ in range(ROUNDS):
        child = forked.start("tests.stores.remembering_victim", file.path)
        for _ in range(7 + 5 * round_):
            child.stdout.readline()
        child.kill()
        told, _ = child.communicate()
        last = max(map(int, told.split()), default=6 + 5 * round_)
        found = file.find_by_key("k")
        assert f"{last:06}" in {one.id for one in found}
        assert len(found) <= 20
        assert all(one.vector == make_vector(one.id).tobytes() for one in found)
        assert all(one.content == f"\0 {one.id}".encode() for one in found)


def test_two_processes_keep_side_by_side(tmp_path: Path) -> None:
    files = [SearchCacheFile(tmp_path / "searches") for _ in range(2)]
    for number in range(10):
        files[number % 2].put_search(make_search(f"{number}"), most=20)
    assert len(files[0].find_by_key("k")) == len(files[1].find_by_key("k")) == 10


def test_a_file_under_another_key_is_begun_anew(tmp_path: Path) -> None:
    first, second = (SearchCacheFile(tmp_path / "searches", bytes([n]) * 32) for n in (1, 2))
    first.put_search(make_search("a"), most=9)
    assert [one.id for one in first.find_by_key("k")] == ["a"]
    assert second.find_by_key("k") == []
    second.put_search(make_search("b"), most=9)
    assert [one.id for one in second.find_by_key("k")] == ["b"]


def test_a_file_that_may_only_be_read_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = SearchCacheFile(tmp_path / "searches")
    file.put_search(make_search("a"), most=9)
    monkeypatch.setattr("os.access", lambda *_: False)  # whoever runs the tests may be root
    assert [one.id for one in file.find_by_key("k")] == ["a"]
    file.mark_used("a", at=make_search("a").at)
    file.remove_before(before=9)
    assert [one.id for one in file.find_by_key("k")] == ["a"]


def test_nothing_is_made_by_asking(tmp_path: Path) -> None:
    file = SearchCacheFile(tmp_path / "searches")
    assert file.find_by_key("k") == []
    file.mark_used("a", at=make_search("a").at)
    file.remove_before(before=9)
    assert list(tmp_path.iterdir()) == []
