"""Killed at any moment: an active revision has its artifact, and what nobody owns is gone after the next run."""

import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import ragstone
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked
from tests.ingestion.artifacts.kept import path_of, revisions, whole
from tests.ingestion.test_interrupted import write_state
from tests.killing import KILLS
from tests.patience import HANG

ROOT = Path(__file__).parents[3]
POINTS = [("artifact.written", 5), ("artifact.renamed", 5), ("commit.before", 4), ("commit.after", 4)]


def start(folder: Path, store: str, place: Path, *fault: str) -> forked.Forked:
    """An ingesting process that keeps artifacts."""
    environment = {**os.environ, "RAGSTONE_ARTIFACTS": place.as_uri()}
    return forked.start("tests.victim", folder, store, *fault, env=environment)


def completed(folder: Path, store: str, place: Path) -> None:
    """Nothing that is kept lacks its artifact; after the next run nothing else is there."""
    with ragstone.open(store, artifacts=place.as_uri(), embedder=BagOfWords()) as kb:
        if kb.exists():
            assert all(path_of(document).is_file() for document in revisions(kb))
        kb.ingest(folder, allow_removals=True)
        whole(kb, place)
        assert kb.doctor() == []


@pytest.mark.parametrize("kind", ["", "json:"])
@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_at_a_fault_point(tmp_path: Path, kind: str, point: str, nth: int) -> None:
    if kind and point.startswith("commit"):
        pytest.skip("these points are the embedded store's")
    folder, store, place = tmp_path / "docs", f"{kind}{tmp_path}/store", tmp_path / "kept"
    for number in (1, 2):
        write_state(folder, number)
        child = start(folder, store, place, point, str(nth))
        child.communicate(timeout=HANG)
        assert child.returncode == -signal.SIGKILL
        completed(folder, store, place)


@pytest.mark.parametrize("round_", range(KILLS))
def test_killed_at_random(tmp_path: Path, round_: int) -> None:
    chance = random.Random(round_)
    folder, store, place = tmp_path / "docs", str(tmp_path / "store"), tmp_path / "kept"
    for number in (1, 2):
        write_state(folder, number)
        child = start(folder, store, place)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.05, 1.0))
        child.kill()
        child.communicate()
        completed(folder, store, place)


def test_killed_between_a_dropped_collection_and_its_artifacts(tmp_path: Path) -> None:
    folder, store, place = tmp_path / "docs", str(tmp_path / "store"), tmp_path / "kept"
    write_state(folder, 1)
    completed(folder, store, place)
    code = (
        "import sys, ragstone; from tests.stores.victim import kill_at; kill_at('drop.renamed', 1);"
        "ragstone.open(sys.argv[1], embed__model='none').drop('default')"
    )
    environment = {**os.environ, "RAGSTONE_ARTIFACTS": place.as_uri()}
    done = subprocess.run([sys.executable, "-c", code, store], cwd=ROOT, env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    with ragstone.open(store, artifacts=place.as_uri(), embed__model="none") as kb:
        assert not kb.exists()
        assert any("30 artifacts belong to no kept revision" in problem for problem in kb.doctor())
        kb.doctor(repair=True)
    assert [path for path in place.rglob("*") if path.is_file()] == []
    completed(folder, store, place)


def test_an_erasure_of_a_tenant_that_is_killed_among_its_artifacts_is_said_and_finished(tmp_path: Path) -> None:
    folder, store, place = tmp_path / "docs", str(tmp_path / "store"), tmp_path / "kept"
    write_state(folder, 1)
    open_at = partial(ragstone.open, store, artifacts=place.as_uri(), embedder=BagOfWords())
    for collection in ("one", "two"):
        with open_at(collection=collection) as kb:
            kb.ingest(folder)
    code = (
        "import sys, ragstone; from tests.stores.victim import kill_at; kill_at('artifact.removed', 33);"
        "ragstone.open(sys.argv[1], embed__model='none').erase_tenant('default')"
    )
    environment = {**os.environ, "RAGSTONE_ARTIFACTS": place.as_uri()}
    done = subprocess.run([sys.executable, "-c", code, store], cwd=ROOT, env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    with open_at(tenant="other") as kb:
        assert kb.doctor()[-1] == (
            "tenant 'default' is being erased, and that is not finished; run: ragstone tenants erase default"
        )
        assert kb.erase_tenant("default")
        assert kb.tenants() == []
        assert not kb.erase_tenant("default")
    assert [path for path in place.rglob("*") if path.is_file()] == []
