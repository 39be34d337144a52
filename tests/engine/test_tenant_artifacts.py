"""Artifacts go with their tenant: encrypted with it, under its newest key after a rekey, erased with it, not copied to
where nobody can read them; and a kill at any step loses none."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.core.errors import ConfigError, StoreError
from ragstone.ingestion.artifacts.place import open_place, seal_place
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked
from tests.engine.rekeyer import KEY, change
from tests.ingestion.artifacts.kept import path_of, revisions

Opened = Callable[..., ragstone.Knowledge]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "kept"


@pytest.fixture
def kept(place: Path, opened: Opened) -> Opened:
    """Opens collections of the default store, in an encrypted tenant unless told otherwise."""

    def make(name: str = "store", **options: object) -> ragstone.Knowledge:
        return opened(name, **{"artifacts": place.as_uri(), "encryption__key": KEY, **options})

    return make


def whole(kb: ragstone.Knowledge, place: Path) -> None:
    """Each revision has its artifact; all that stands there is encrypted, and can be read with the tenant's key."""
    assert all(path.read_bytes().startswith(b"RAGBOX") for path in place.rglob("*.json"))
    assert not list(place.rglob("*.aside"))
    sealed = kb.wait(seal_place(kb.engine.store, kb.engine.scope, open_place(place.as_uri())))
    for document in revisions(kb):
        name = path_of(document).relative_to(place).as_posix()
        assert json.loads(sealed.head(name, 1 << 20))["document"]["path"] == document.path
    assert kb.doctor() == []


def test_a_rekeyed_tenant_reads_and_writes_its_artifacts(docs: Path, kept: Opened, place: Path) -> None:
    both = [kept(), kept(collection="more")]
    for kb in both:
        kb.ingest(docs)
    before = {path: path.read_bytes() for path in place.rglob("*.json")}
    both[0].rotate("default", rekey=True)
    assert all(path.read_bytes() != data for path, data in before.items())
    (docs / "new.md").write_text("# New\n\nA document that came after the new key.\n")
    for kb in both:
        [run] = kb.ingest(docs)
        assert run.stats["skipped"] == []
        whole(kb, place)
    keys = (Path(kb.engine.settings.store) / "default" / "tenant.key").read_bytes()
    assert (b'"2"' in keys, b'"1"' in keys) == (True, False)
    assert kb.erase_tenant("default")
    assert not list(place.rglob("*.json"))


def test_artifacts_are_encrypted_with_their_tenant(docs: Path, kept: Opened, place: Path) -> None:
    kept(encryption__key=None).ingest(docs)
    assert any(b"noon" in path.read_bytes() for path in place.rglob("*.json"))
    kb = kept()
    assert kb.encrypt() == 1
    whole(kb, place)


def test_artifacts_that_are_plain_are_named_and_encrypted(docs: Path, kept: Opened, place: Path) -> None:
    kb = kept(encryption__key=None)
    kb.ingest(docs)
    plain = {path: path.read_bytes() for path in place.rglob("*.json")}
    kb = kept()
    kb.encrypt()
    for mend in (lambda: kb.doctor(repair=True), lambda: kb.ingest(docs, refresh=True)):
        for path, data in plain.items():
            path.write_bytes(data)
        assert any("4 artifacts are not encrypted with the tenant's key" in problem for problem in kb.doctor())
        mend()
        if any(not path.read_bytes().startswith(b"RAGBOX") for path in plain):  # the claim
            kb.doctor(repair=True)
        whole(kb, place)


@pytest.fixture
def orphaned(docs: Path, kept: Opened) -> ragstone.Knowledge:
    """A tenant whose artifacts are under a key that is destroyed, as earlier versions left them."""
    kb = kept()
    kb.ingest(docs)
    kb.wait(kb.engine.store.rekey("default", fresh=True))  # type: ignore[attr-defined]  # it is a SealingStore
    kb.wait(kb.engine.store.forget_keys("default"))  # type: ignore[attr-defined]  # as above
    return kb


def test_artifacts_of_a_destroyed_key_are_made_anew(orphaned: ragstone.Knowledge, docs: Path, place: Path) -> None:
    assert any("ingest with --refresh makes all others anew" in problem for problem in orphaned.doctor())
    [run] = orphaned.ingest(docs, refresh=True)
    assert run.stats["skipped"] == []
    whole(orphaned, place)


def test_artifacts_of_a_destroyed_key_are_erased(orphaned: ragstone.Knowledge, place: Path) -> None:
    assert orphaned.erase_tenant("default")
    assert not list(place.rglob("*.json"))
    assert not orphaned.erase_tenant("default")


def test_the_former_key_stays_while_artifacts_cannot_be_reached(docs: Path, kept: Opened, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    place.rename(place.with_name("away"))
    place.write_text("in the way")
    with pytest.raises(StoreError, match=r"but not all artifacts: .*; the former key stays until the same command"):
        kb.rotate("default", rekey=True)
    place.unlink()
    place.with_name("away").rename(place)
    kb.rotate("default", rekey=True)
    whole(kb, place)


def test_a_copy_under_another_key_leaves_the_artifacts_to_their_store(
    docs: Path, kept: Opened, place: Path, tmp_path: Path
) -> None:
    kb = kept()
    kb.ingest(docs)
    kb.copy(str(tmp_path / "other"))
    whole(kb, place)
    with pytest.raises(ConfigError, match="keeps the artifacts of collection 'default' for another store"):
        kept("other").ingest(docs)
    other = kept("other", artifacts=(tmp_path / "theirs").as_uri())
    other.ingest(docs, refresh=True)
    whole(other, tmp_path / "theirs")
    assert other.erase_tenant("default")
    whole(kb, place)


STEPS = [
    ("keys.kept", 1),
    ("rekey.written", 1),
    ("rekey.moved", 1),
    ("rekey.aside", 1),
    ("artifact.written", 1),
    ("artifact.renamed", 3),
    ("artifact.renamed", 5),
]


@pytest.mark.parametrize("verb", ["encrypt", "rekey"])
@pytest.mark.parametrize(("point", "nth"), [*STEPS, ("keys.kept", 2), ("rekey.finished", 1)])
def test_a_change_of_keys_that_is_killed_is_finished_by_the_next(
    docs: Path, kept: Opened, place: Path, tmp_path: Path, verb: str, point: str, nth: int
) -> None:
    with kept(encryption__key=KEY if verb == "rekey" else None) as kb:
        kb.ingest(docs)
        store = kb.engine.settings.store
    assert forked.run("tests.engine.rekeyer", store, place.as_uri(), verb, point, nth) == -signal.SIGKILL
    with kept() as kb:
        kb.ingest(docs)  # what was between two keys is of use at once
        assert kb.search("samples kept by default").hits
    change(store, place.as_uri(), verb)
    with ragstone.open(store, artifacts=place.as_uri(), embedder=BagOfWords(), encryption__key=KEY) as kb:
        whole(kb, place)
