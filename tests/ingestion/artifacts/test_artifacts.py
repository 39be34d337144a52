"""Extractions kept by an ingestion: there before their revision, gone after it, and nobody else's ever touched."""

import errno
import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.core.errors import ConfigError
from ragstone.core.ports import ArtifactStorage
from ragstone.core.records import Run
from ragstone.ingestion.artifacts.folder import FolderPlace
from ragstone.ingestion.artifacts.place import open_place
from ragstone.ingestion.artifacts.sweep import _find_strays
from ragstone.stores.embedded import ledger
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run as Command
from tests.ingestion.artifacts.kept import CLAIM, files, path_of, revisions, whole

Open = Callable[..., ragstone.Knowledge]
KINDS = ("store", "json")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "kept here"


@pytest.fixture(params=KINDS)
def kept(request: pytest.FixtureRequest, tmp_path: Path, place: Path) -> Open:
    """Opens collections of one store, of each kind, that keep artifacts."""

    def make(name: str = "s", **options: object) -> ragstone.Knowledge:
        url = f"json:{tmp_path}/{name}.json" if request.param == "json" else str(tmp_path / name)
        options = {"artifacts": place.as_uri(), "embedder": BagOfWords(), **options}
        made = ragstone.open(url, **options)  # type: ignore[arg-type]  # options of open
        request.addfinalizer(made.close)
        return made

    return make


def skipped(run: Run) -> dict[str, str]:
    return {one["path"]: one["reason"] for one in run.stats["skipped"]}


def test_each_revision_has_its_blocks_and_says_where(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    whole(kb, place)
    [document] = [d for d in kb.documents() if d.path == "guides/alerts.md"]
    assert path_of(document) == place / "default" / document.id / f"{document.version}.json"
    data = json.loads(path_of(document).read_bytes())
    assert [block["type"] for block in data["blocks"]] == ["heading", "paragraph", "table"]
    assert data["blocks"][2]["cells"][0]["text"] == "Receiver"
    assert kb.chunk("guides/alerts.md", 0).document.meta["extracted_artifact_uri"] == path_of(document).as_uri()
    assert kb.doctor() == []


def test_only_the_owner_may_read_them_and_nothing_in_them_is_masked(tmp_path: Path, kept: Open, place: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "key.md").write_text("# Key\n\npassword: Sup3rS3cret!9\n", encoding="utf-8")
    kb = kept()
    kb.ingest(tmp_path / "docs")
    path = path_of(kb.documents()[0])
    assert "Sup3rS3cret!9" in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (place, path.parent, path.parent.parent)} == {0o700}


def test_an_artifact_goes_with_its_revision(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    before = files(place)
    (docs / "notes.txt").write_text("Changed.", encoding="utf-8")
    (docs / "page.html").unlink()
    kb.ingest(docs)
    assert (len(before), len(files(place)), len(files(place) & before)) == (4, 3, 2)
    whole(kb, place)
    assert len(list((place / "default").iterdir())) == 3 + 1  # a folder a document, and the claim


def test_two_kept_revisions_have_two_and_the_same_bytes_share_one(docs: Path, kept: Open, place: Path) -> None:
    kb = kept(keep_versions=2)
    for text in ("one", "two", "one", "three"):
        (docs / "notes.txt").write_text(f"The notes say {text}.", encoding="utf-8")
        kb.ingest(docs)
        whole(kb, place)
    assert [d.revision for d in revisions(kb) if d.path == "notes.txt"] == [3, 4]
    assert len(files(place)) == 3 + 2


def test_a_deleted_document_takes_its_artifact_along(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    assert kb.delete("notes.txt") == 1
    assert len(files(place)) == 3
    whole(kb, place)


def test_a_call_about_few_documents_looks_at_their_artifacts_alone(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside many it went through all of them, with each text."""
    listed = list[str]()
    names = FolderPlace.names

    def note(place: FolderPlace, under: str) -> list[str]:
        listed.append(under)
        return names(place, under)

    monkeypatch.setattr(FolderPlace, "names", note)
    with ragstone.open(tmp_path / "s", artifacts=place.as_uri(), embedder=BagOfWords(), keep_versions=2) as kb:
        for text in ("The pump runs.", "The pump is shut.", "The pump is new."):
            kb.ingest_texts({"a.txt": text, f"{text}.txt": text})
            whole(kb, place)
        assert kb.delete("a.txt") == 1
        whole(kb, place)
        assert listed
        assert "default" not in listed


def test_an_earlier_place_is_known_when_its_runs_are_forgotten(
    docs: Path, tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "KEPT_RUNS", 1)
    monkeypatch.setattr(ledger, "FORGET_EVERY", 1)
    for uri in (place.as_uri(), (tmp_path / "other").as_uri(), None):
        with ragstone.open(tmp_path / "s", artifacts=uri, embedder=BagOfWords()) as kb:
            kb.ingest(docs)
            assert len(kb.runs()) == 1
    with ragstone.open(tmp_path / "s", embedder=BagOfWords()) as kb:
        kb.delete("notes.txt")
        assert len(files(place)) == 3
        kb.drop("default")
    assert files(place) == set()


def test_collections_and_tenants_keep_their_own(docs: Path, kept: Open, place: Path) -> None:
    one, two, three = kept(), kept(collection="two"), kept(tenant="Ä../..")
    for kb in (one, two, three):
        kb.ingest(docs)
    assert len(files(place)) == 12
    (docs / "notes.txt").unlink()
    one.ingest(docs)
    assert len(files(place)) == 11
    assert two.drop("default")
    assert len(files(place)) == 8
    assert two.doctor() == three.doctor() == []
    assert all(path_of(d).is_file() and path_of(d).is_relative_to(place) for kb in (two, three) for d in revisions(kb))
    assert two.drop("two")
    assert three.drop("default")
    assert [path for path in place.rglob("*") if path.is_file()] == []


def test_recreating_leaves_only_what_is_new(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    (docs / "notes.txt").unlink()
    kb.ingest(docs, recreate=True)
    assert len(files(place)) == 3
    whole(kb, place)


def test_what_is_not_named_like_ours_or_says_that_it_is_anothers_stays(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    document = kb.documents()[0]
    own = path_of(document)
    ours = json.loads(own.read_bytes())
    strange = {
        own.with_name("notes.json"): b"{}",
        own.with_name(f"{'0' * 64}.json"): b"{}",
        own.with_name(f"{'1' * 64}.json"): own.read_bytes(),  # a copy: it says that it is another version
        own.with_name(f"{'2' * 64}.json"): json.dumps(
            {"schema": 1, "document": {**ours["document"], "collection": "other", "version": "2" * 64}}
        ).encode(),
        own.with_name(f"{'3' * 64}.json"): b'{"schema": 1, "document": ' + b"[" * 50_000,
        own.parent.parent / "readme.json": b"{}",
    }
    for path, data in strange.items():
        path.write_bytes(data)
    (own.parent.parent / "outside").symlink_to(docs)
    kb.ingest(docs)
    assert kb.doctor(repair=True) == []
    kb.drop("default")
    assert all(path.read_bytes() == data for path, data in strange.items())
    assert not own.exists()
    assert (docs / "notes.txt").is_file()


def test_what_a_killed_run_left_is_found_and_removed(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)

    def leave() -> None:
        document = next(d for d in kb.documents() if d.path == "notes.txt")
        path, version = path_of(document), "a" * 64
        path.with_name(f"{version}.json").write_text(
            path.read_text("utf-8").replace(document.version, version), encoding="utf-8"
        )

    leave()
    [problem] = kb.doctor()
    assert "1 artifacts belong to no kept revision" in problem
    assert "--repair" in problem
    assert kb.doctor(repair=True) == []
    whole(kb, place)
    leave()
    kb.ingest(docs)
    whole(kb, place)


def test_a_lost_artifact_is_found_and_a_refresh_makes_it_again(docs: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    path_of(kb.documents()[0]).unlink()
    [problem] = kb.doctor()
    assert "1 documents have lost their artifact" in problem
    kb.ingest(docs)
    assert kb.doctor() == [problem]
    [run] = kb.ingest(docs, refresh=True)
    assert (run.stats["documents"]["changed"], run.stats["documents"]["unchanged"]) == (1, 3)
    assert kb.doctor() == []
    whole(kb, place)


def test_a_collection_of_before_gets_its_artifacts_by_a_refresh(docs: Path, kept: Open, place: Path) -> None:
    plain = kept(artifacts=None)
    plain.ingest(docs)
    kb = kept()
    assert kb.ingest(docs)[0].stats["documents"]["unchanged"] == 4
    assert files(place) == set()
    assert kb.doctor() == []
    kb.ingest(docs, refresh=True)
    whole(kb, place)
    assert len(files(place)) == 4


def test_another_place_later_and_none_at_all_forget_nothing(
    docs: Path, tmp_path: Path, kept: Open, place: Path
) -> None:
    kept().ingest(docs)
    other = tmp_path / "other"
    moved = kept(artifacts=other.as_uri())
    (docs / "notes.txt").write_text("Changed.", encoding="utf-8")
    moved.ingest(docs)
    assert (len(files(place)), len(files(other))) == (3, 1)
    off = kept(artifacts=None)
    (docs / "storage.md").write_text("# Changed", encoding="utf-8")
    off.ingest(docs)
    assert (len(files(place)), len(files(other))) == (2, 1)
    kb = kept(artifacts=other.as_uri())
    kb.ingest(docs, refresh=True)
    whole(kb, other)
    (docs / "page.html").unlink()
    kb.ingest(docs)
    assert len(files(place)) == 1
    off.drop("default")
    assert files(other) == files(place) == set()


def test_a_document_cannot_say_where_its_artifact_is(docs: Path, kept: Open) -> None:
    (docs / "liar.md").write_text("---\nextracted_artifact_uri: file:///etc\n---\n# Liar\n", encoding="utf-8")
    kb = kept(artifacts=None)
    kb.ingest(docs)
    assert all("extracted_artifact_uri" not in d.meta for d in kb.documents())


def test_another_store_never_takes_them_for_leftovers(docs: Path, tmp_path: Path, kept: Open, place: Path) -> None:
    kb = kept()
    kb.ingest(docs)
    other = kept("trial")
    with pytest.raises(ConfigError, match="keeps the artifacts of collection 'default' for another store"):
        other.ingest(docs)
    assert "for another store" in other.doctor(repair=True)[-1]
    with pytest.raises(ragstone.StoreError, match="for another store"):
        other.drop("default")
    whole(kb, place)
    [claim] = [p for p in place.rglob("*.json") if CLAIM.fullmatch(p.relative_to(place).as_posix())]
    claim.unlink()
    other.ingest(docs)
    whole(other, place)


def test_a_place_that_takes_nothing_fails_each_document_and_no_run(docs: Path, kept: Open, place: Path) -> None:
    place.write_text("a file", encoding="utf-8")
    kb = kept()
    [run] = kb.ingest(docs)
    assert run.status == "succeeded"
    assert set(skipped(run).values()) == {"artifact"}
    assert "its artifact could not be kept" in run.stats["skipped"][0]["message"]
    assert kb.documents() == []
    place.unlink()
    assert kb.ingest(docs)[0].stats["documents"]["added"] == 4
    whole(kb, place)


def test_a_disk_that_is_full_keeps_the_last_good_revision(
    docs: Path, kept: Open, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = kept()
    kb.ingest(docs)
    (docs / "notes.txt").write_text("Changed, but there is no room.", encoding="utf-8")

    def full(point: str) -> None:
        if point == "artifact.written":
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ragstone.ingestion.artifacts.folder.reach_point", full)
    [run] = kb.ingest(docs)
    assert skipped(run) == {"notes.txt": "artifact"}
    assert "no room left on the disk" in run.stats["skipped"][0]["message"]
    assert "Dana" in kb.chunk("notes.txt", 0).text
    whole(kb, place)


def test_a_link_in_the_place_leads_nowhere(docs: Path, tmp_path: Path, kept: Open, place: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place.mkdir()
    (place / "default").symlink_to(tmp_path / "elsewhere")
    [run] = kept().ingest(docs)
    assert set(skipped(run).values()) == {"artifact"}
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_another_run_is_writing_is_left_alone(docs: Path, kept: Open, place: Path) -> None:
    """A run of another source goes on: its artifacts are there before its revisions."""
    kb = kept()
    kb.ingest(docs)
    path = next(path_of(d) for d in kb.documents())
    store, scope = kb.engine.store, kb.engine.scope
    opened: ArtifactStorage = open_place(place.as_uri())

    async def strays(source: str | None) -> list[str]:
        ledger = store.ledger(scope)
        run = Run("other", "docs", "running", "2026-01-01")
        await ledger.start(run)
        try:
            return await _find_strays(opened, store, scope, source)
        finally:
            await ledger.finish(Run("other", "docs", "failed", "2026-01-01"))

    text = path.read_text("utf-8")
    version = path.stem
    path.with_name(f"{'b' * 64}.json").write_text(text.replace(version, "b" * 64), encoding="utf-8")
    assert kb.wait(strays(None)) == []
    assert kb.wait(strays("elsewhere")) == []
    assert len(kb.wait(strays("docs"))) == 1


def test_an_object_store_by_its_url(docs: Path, kept: Open) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    kb = kept(artifacts="memory://bucket/prefix/", keep_versions=2)
    kb.ingest(docs)
    uris = {d.meta["extracted_artifact_uri"] for d in kb.documents()}
    assert all(uri.startswith("memory://bucket/prefix/default/") for uri in uris)
    assert all(json.loads(memory.cat_file(uri))["blocks"] for uri in uris)
    for text in ("two", "three"):
        (docs / "notes.txt").write_text(text, encoding="utf-8")
        kb.ingest(docs)
    assert {f"memory:/{path}" for path in memory.find("/bucket/prefix/default") if len(path) > 100} == {
        d.meta["extracted_artifact_uri"] for d in revisions(kb)
    }
    assert kb.doctor() == []
    memory.rm_file(next(iter(uris & {d.meta["extracted_artifact_uri"] for d in kb.documents()})))
    assert "have lost their artifact" in kb.doctor()[0]
    kb.ingest(docs, refresh=True)
    assert kb.doctor() == []
    assert kb.drop("default")
    assert memory.find("/bucket") == []


def test_an_object_store_that_cannot_be_reached_is_a_reason(
    docs: Path, kept: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec = pytest.importorskip("fsspec")
    from fsspec.implementations.memory import MemoryFileSystem

    fsspec.filesystem("memory").store.clear()
    kb = kept(artifacts="memory://far/away")

    def unreachable(*_: object, **__: object) -> None:
        raise RuntimeError("no route to host")

    for verb in ("pipe_file", "cat_file", "find", "rm_file"):
        monkeypatch.setattr(MemoryFileSystem, verb, unreachable)
    [run] = kb.ingest(docs)
    assert set(skipped(run).values()) == {"artifact"}
    assert "no route to host" in run.stats["skipped"][0]["message"]
    assert "could not be listed" in run.stats["warnings"][-1]
    assert "no route to host" in kb.doctor()[-1]
    monkeypatch.undo()
    assert kb.ingest(docs)[0].stats["documents"]["added"] == 4


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("s3://bucket/prefix", r"pip install 'ragstone\[s3\]'"),
        ("/var/artifacts", "expected file:PATH"),
        ("file://host/path", "three slashes"),
        ("file:///", "expected file:PATH"),
        ("nosuch://x", "invalid artifacts"),
        ("ftp://me:secret@host/x", "expected no user or password"),
        ("simplecache::memory://x", "expected file:PATH|expected "),
    ],
)
def test_a_place_that_cannot_be_is_said_before_anything_is_read(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch, uri: str, says: str
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    kb = opened(artifacts=uri)
    with pytest.raises(ConfigError, match=says) as raised:
        kb.ingest(docs)
    assert "secret" not in str(raised.value)
    assert not kb.exists()


def test_without_fsspec_the_extra_is_named(docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ragstone.ingestion.artifacts.remote", raising=False)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ConfigError, match=r"ragstone\[s3\]"):
        opened(artifacts="gs://bucket/x").ingest(docs)


def test_each_collection_may_have_a_place_of_its_own(docs: Path, tmp_path: Path, run: Command) -> None:
    (tmp_path / "ragstone.yaml").write_text(
        "artifacts: file:one\ncollections:\n  two: {artifacts: 'file:two', sources: [docs]}\n", encoding="utf-8"
    )
    assert run("ingest", docs, "--embedder", "none").status == 0
    assert run("ingest", "--collection", "two", "--embedder", "none").status == 0
    assert (len(files(tmp_path / "one")), len(files(tmp_path / "two"))) == (4, 4)
    shown = run("show", "notes.txt", "--json").json["document"]
    assert Path(shown["extracted_artifact_uri"].removeprefix("file://")).is_relative_to(tmp_path / "one")
    assert run("doctor", "--json").json["problems"] == []
    assert run("collections", "delete", "two", "--yes", "--collection", "default").status == 0
    assert (len(files(tmp_path / "one")), len(files(tmp_path / "two"))) == (4, 0)
    assert run("collections", "delete", "default", "--yes").status == 0
    assert files(tmp_path / "one") == set()


def test_what_extract_prints_is_what_is_kept(docs: Path, tmp_path: Path, run: Command) -> None:
    (tmp_path / "ragstone.yaml").write_text("artifacts: file:kept\n", encoding="utf-8")
    assert run("ingest", docs, "--embedder", "none").status == 0
    shown = run("show", "storage.md", "--json").json["document"]["extracted_artifact_uri"]
    kept = json.loads(Path(shown.removeprefix("file://")).read_bytes())
    printed = run("extract", docs / "storage.md", "--json").json
    assert {**printed, "source": "storage.md", "document": kept["document"]} == kept
