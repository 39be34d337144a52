"""The file of earlier searches: whole whatever happens to who writes it, and no loss when it is lost."""

import subprocess
import sys
from pathlib import Path

import pytest

from ragstone.stores.remembered import CacheFile
from ragstone.testing.stores import searched, vector_of

ROUNDS = 3


def test_a_killed_process_loses_nothing_that_it_kept_and_leaves_nothing_half(tmp_path: Path) -> None:
    file = CacheFile(tmp_path / "searches")
    for round_ in range(ROUNDS):
        command = [sys.executable, "-m", "tests.stores.remembering_victim", str(file.path)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        assert child.stdout is not None
        for _ in range(7 + 5 * round_):
            child.stdout.readline()
        child.kill()
        told, _ = child.communicate()
        last = max(map(int, told.split()), default=6 + 5 * round_)
        found = file.of("k")
        assert f"{last:06}" in {one.id for one in found}
        assert len(found) <= 20
        assert all(one.vector == vector_of(one.id).tobytes() for one in found)
        assert all(one.content == f"\0 {one.id}".encode() for one in found)


def test_two_processes_keep_side_by_side(tmp_path: Path) -> None:
    files = [CacheFile(tmp_path / "searches") for _ in range(2)]
    for number in range(10):
        files[number % 2].keep(searched(f"{number}"), most=20)
    assert len(files[0].of("k")) == len(files[1].of("k")) == 10


def test_a_file_under_another_key_is_begun_anew(tmp_path: Path) -> None:
    first, second = (CacheFile(tmp_path / "searches", bytes([n]) * 32) for n in (1, 2))
    first.keep(searched("a"), most=9)
    assert [one.id for one in first.of("k")] == ["a"]
    assert second.of("k") == []
    second.keep(searched("b"), most=9)
    assert [one.id for one in second.of("k")] == ["b"]


def test_a_file_that_may_only_be_read_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CacheFile(tmp_path / "searches")
    file.keep(searched("a"), most=9)
    monkeypatch.setattr("os.access", lambda *_: False)  # whoever runs the tests may be root
    assert [one.id for one in file.of("k")] == ["a"]
    file.used("a", at=searched("a").at)
    file.forget(before=9)
    assert [one.id for one in file.of("k")] == ["a"]


def test_nothing_is_made_by_asking(tmp_path: Path) -> None:
    file = CacheFile(tmp_path / "searches")
    assert file.of("k") == []
    file.used("a", at=searched("a").at)
    file.forget(before=9)
    assert list(tmp_path.iterdir()) == []
