"""Tenants as a user meets them: a model of their own, a key of their own, and erased whole."""

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import ragstone
from ragstone.config.load import load
from ragstone.config.model_settings import EmbedSettings
from ragstone.config.settings import CollectionSettings, Settings, TenantSettings
from ragstone.core.errors import ConfigError, Forbidden, NoKey, Unauthorized, UsageError
from ragstone.stores.embedded.admin import EmbeddedAdmin
from ragstone.testing.bag_of_words import BagOfWords
from tests.commands import Run

KEY, OTHER_KEY = (base64.b64encode(bytes(range(n, n + 32))).decode() for n in (0, 1))
ROOT = Path(__file__).parents[2]
Opened = Callable[..., ragstone.Knowledge]
FP32 = EmbedSettings(precision="fp32")


class Wider(BagOfWords):
    """Another model than its parent."""

    model = "wider-bag"


# Settings


def test_what_is_said_of_a_tenant_comes_before_what_is_said_of_all() -> None:
    here = CollectionSettings(keep_versions=5, embed=EmbedSettings("none"))
    settings = Settings(
        tenant="acme",
        collections={"a": here, "b": here, "c": here},
        tenants={
            "acme": TenantSettings(embed=FP32, collections={"b": CollectionSettings(keep_versions=7)}),
            "rival": TenantSettings(collections={"b": CollectionSettings(embed=FP32)}),
        },
    )
    assert settings.of("a").embed == FP32
    assert settings.of("a").keep_versions == 5
    assert (settings.of("b").embed, settings.of("b").keep_versions) == (FP32, 7)
    rival = Settings(tenant="rival", collections=settings.collections, tenants=settings.tenants)
    assert rival.of("a").embed.model == "none"
    assert rival.of("b").embed == FP32
    assert Settings(tenants=settings.tenants).of("b").embed == EmbedSettings()


def test_a_master_key_is_shown_nowhere() -> None:
    settings = load("/dev/null", encryption__key=KEY, encryption__previous=OTHER_KEY)
    assert settings.encryption.key == KEY
    assert KEY not in repr(settings)
    assert OTHER_KEY not in repr(settings)


@pytest.mark.parametrize("store", ["json:s.json", "postgresql://u@h/d", "qdrant://h:1"])
def test_a_store_that_cannot_encrypt_refuses_a_master_key(store: str) -> None:
    with pytest.raises(UsageError, match="only embedded stores encrypt"):
        ragstone.open(store, encryption__key=KEY)


# Models


def test_a_tenant_is_held_to_the_model_of_its_first_ingest(docs: Path, opened: Opened) -> None:
    opened(tenant="acme").ingest(docs)
    wider = opened(tenant="acme", collection="more", embedder=Wider(64))
    for refused in (lambda: wider.ingest(docs), wider.create):
        with pytest.raises(UsageError, match=r"pinned to vectors of bag-of-words \(256\).*wider-bag \(64\).*re-embed"):
            refused()
    assert not wider.exists()
    opened(tenant="rival", embedder=Wider(64)).ingest(docs)
    assert [(t.name, t.model) for t in wider.tenants()] == [("acme", "bag-of-words"), ("rival", "wider-bag")]


def test_a_tenant_with_one_collection_changes_its_model_by_making_it_anew(docs: Path, opened: Opened) -> None:
    acme = partial(opened, tenant="acme")
    acme().ingest(docs)
    acme(collection="more").ingest(docs)
    wider = acme(embedder=Wider(64))
    with pytest.raises(UsageError, match="re-embed"):
        wider.ingest(docs, recreate=True)
    assert acme().info().model == "bag-of-words"
    acme(collection="more").drop("more")
    wider.ingest(docs, recreate=True)
    assert wider.info().model == wider.tenants()[0].model == "wider-bag"


def test_a_collection_may_have_a_model_of_its_own(docs: Path, opened: Opened) -> None:
    own = {"tenant": "acme", "collections": {"own": {"embed": {"model": "minilm"}}}}
    opened(collection="own", embedder=Wider(64), **own).ingest(docs)
    opened(**own).ingest(docs)
    assert [tenant.model for tenant in opened().tenants()] == ["bag-of-words"]


def test_the_tenant_that_nobody_names_is_held_to_no_model_unless_it_is_configured(docs: Path, opened: Opened) -> None:
    opened().ingest(docs)
    opened(collection="more", embedder=Wider(64)).ingest(docs)
    named = {"tenants": {"default": {"embed": {"model": "minilm"}}}}
    opened(**named).ingest(docs)
    with pytest.raises(UsageError, match="re-embed"):
        opened(collection="third", embedder=Wider(64), **named).ingest(docs)


def test_the_last_switch_to_a_new_model_moves_the_pin(docs: Path, opened: Opened) -> None:
    acme = partial(opened, tenant="acme")
    for collection in ("one", "two"):
        acme(collection=collection).ingest(docs)
    for collection in ("one", "two"):
        wider = acme(collection=collection, embedder=Wider(64))
        wider.reembed()
        wider.switch_model()
    assert [tenant.model for tenant in wider.tenants()] == ["wider-bag"]
    wider.ingest(docs)


# Keys, through the library and the commands


def test_artifacts_of_an_encrypted_tenant_are_encrypted_and_go_with_their_document(
    docs: Path, opened: Opened, tmp_path: Path
) -> None:
    place = tmp_path / "kept"
    kb = opened(artifacts=place.as_uri(), encryption__key=KEY)
    kb.ingest(docs)
    files = [path for path in place.rglob("*") if path.is_file()]
    assert len(files) == 5
    assert all(path.read_bytes().startswith(b"RAGBOX") for path in files)
    assert not any(b"noon" in path.read_bytes() for path in files)
    assert kb.doctor() == []
    kb.delete("notes.txt")
    assert len([path for path in place.rglob("*") if path.is_file()]) == 4
    assert kb.erase_tenant("default")
    assert [path for path in place.rglob("*") if path.is_file()] == []
    assert not kb.erase_tenant("default")


def test_erasing_a_tenant_leaves_the_others_artifacts(docs: Path, opened: Opened, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    one, other = (opened(artifacts=place.as_uri(), tenant=name) for name in ("acme", "rival"))
    for kb in (one, other, opened(artifacts=place.as_uri(), tenant="acme", collection="more")):
        kb.ingest(docs)
    assert other.erase_tenant("acme")
    assert {path.relative_to(place).parts[0] for path in place.rglob("*.json")} == {"rival"}
    assert other.doctor() == []
    assert len(other.documents()) == 4


def test_keys_are_rotated_by_commands(run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "none")
    run("ingest", docs, "--tenant", "plain")
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", KEY)
    run("ingest", docs, "--tenant", "acme")
    assert [json.loads(line)["encrypted"] for line in run("tenants", "list", "--json").out.splitlines()] == [
        True,
        False,
    ]
    doctor = run("doctor", "--tenant", "plain")
    assert (doctor.status, "ragstone tenants encrypt --tenant plain" in doctor.out) == (1, True)
    assert run("tenants", "encrypt", "--tenant", "plain", "--json").json["encrypted"] == 1
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", OTHER_KEY)
    for command in (("search", "noon"), ("ingest", docs), ("collections", "list"), ("tenants", "rotate"), ("runs",)):
        refused = run(*command, "--tenant", "acme")
        assert (refused.status, refused.out) == (2, "")
        assert "error: tenant 'acme' is encrypted with another master key" in refused.err.splitlines()[-1]
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__PREVIOUS", KEY)
    assert run("tenants", "rotate", "--tenant", "acme", "--rekey", "--json").json == {
        "schema": 1,
        "rotated": "acme",
        "rekeyed": True,
    }
    assert run("tenants", "rotate").status == 0
    monkeypatch.delenv("RAGSTONE_ENCRYPTION__PREVIOUS")
    for tenant in ("acme", "plain"):
        assert "noon" in run("search", "noon", "--tenant", tenant).out
        assert run("doctor", "--tenant", tenant).status == 0
    monkeypatch.delenv("RAGSTONE_ENCRYPTION__KEY")
    for command in (("search", "noon"), ("tenants", "rotate")):
        refused = run(*command, "--tenant", "acme")
        assert (refused.status, "encryption.key" in refused.err) == (2, True)
    assert run("tenants", "erase", "acme", "--yes", "--json").json == {"schema": 1, "erased": "acme"}
    assert run("tenants", "erase", "acme", "--yes").status == 2
    assert [json.loads(line)["name"] for line in run("tenants", "list", "--json").out.splitlines()] == ["plain"]


@pytest.mark.parametrize(
    "command", [("encrypt", "--tenant", "acmee"), ("rotate", "--tenant", "acmee"), ("erase", "acmee", "--yes")]
)
def test_a_tenant_that_is_not_there_is_refused_with_the_nearest_name(
    run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", KEY)
    run("ingest", docs, "--tenant", "acme", "--embedder", "none")
    refused = run("tenants", *command)
    assert (refused.status, refused.out) == (2, "")
    assert "there is no tenant 'acmee'" in refused.err
    assert "did you mean 'acme'?" in refused.err


def test_a_tenant_is_not_erased_without_a_yes(run: Run, docs: Path) -> None:
    run("ingest", docs, "--embedder", "none")
    assert run("tenants", "erase", "default").status == 1
    assert run("search", "noon", "--mode", "keyword").status == 0


@pytest.mark.parametrize("command", [("rotate",), ("encrypt",)])
def test_keys_of_a_store_that_has_none_are_refused(run: Run, command: tuple[str, ...]) -> None:
    refused = run("tenants", *command, "--store", "json:s.json")
    assert (refused.status, refused.out) == (2, "")
    assert "does not encrypt: only embedded stores do" in refused.err


def test_a_key_that_is_none_is_refused_before_anything_is_opened(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", "c2hvcnQ=")
    refused = run("search", "noon")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        "error: invalid encryption.key of 5 bytes: expected 32 bytes in base64; make one with: "
        "openssl rand -base64 32\n"
    )


async def test_a_key_reaches_its_own_tenant_alone_and_is_erased_with_it(docs: Path, tmp_path: Path) -> None:
    async with ragstone.open_async(tmp_path / "s", tenant="rival", embed__model="none") as kb:
        await kb.ingest(docs)
    async with ragstone.open_async(tmp_path / "s", tenant="acme", embed__model="none") as kb:
        await kb.ingest(docs)
        text = (await kb.create_key("alice", roles="admin")).text
    async with ragstone.open_async(tmp_path / "s", key=text, embed__model="none") as kb:
        assert [tenant.name for tenant in await kb.tenants()] == ["acme"]
        for foreign in (kb.erase_tenant, kb.rotate):
            with pytest.raises(Forbidden, match="belongs to another tenant"):
                await foreign("rival")
        assert await kb.erase_tenant("acme")
        with pytest.raises(Unauthorized):
            await kb.tenants()
    async with ragstone.open_async(tmp_path / "s", embed__model="none") as kb:
        assert [tenant.name for tenant in await kb.tenants()] == ["rival"]
        assert await kb.store.keys.of("acme") == []


async def test_a_list_of_collections_says_once_that_the_key_is_missing(docs: Path, tmp_path: Path) -> None:
    async with ragstone.open_async(tmp_path / "s", encryption__key=KEY, embed__model="none") as kb:
        await kb.ingest(docs)
    async with ragstone.open_async(tmp_path / "s", embed__model="none") as kb:
        with pytest.raises(NoKey):
            await kb.collections()
        with pytest.raises(NoKey, match=r"set encryption\.key"):
            await kb.doctor()
    with pytest.raises(ConfigError):
        ragstone.open_async(tmp_path / "s", encryption__key_file=str(tmp_path / "nowhere"))


def test_a_tenant_without_a_name_is_refused_and_nothing_is_erased(docs: Path, opened: Opened, run: Run) -> None:
    opened(tenant="acme").ingest(docs)
    with pytest.raises(UsageError, match="''"):
        opened().erase_tenant("")
    with pytest.raises(UsageError, match="''"):
        opened().wait(opened().engine.store.admin.erase(""))
    done = run("tenants", "erase", "", "--yes", "--store", "store")
    assert (done.status, done.out) == (2, "")
    assert opened(tenant="acme").info().documents > 0


def test_an_encrypted_tenant_is_copied_encrypted(docs: Path, opened: Opened, tmp_path: Path) -> None:
    own = {"tenant": "acme", "encryption__key": KEY}
    opened(**own).ingest(docs)
    [copied] = opened(**own).copy(str(tmp_path / "other"))
    assert copied.differing == 0
    assert [tenant.encrypted for tenant in opened("other", **own).tenants()] == [True]
    assert opened("other", **own).search("samples kept by default").hits


# What goes wrong, as commands say it


@pytest.fixture
def sealed(opened: Opened, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default store with the documents in each of three encrypted tenants."""
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "none")
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", KEY)
    for tenant in ("acme", "middle", "rival"):
        opened(".ragstone", tenant=tenant, embedder=None, embed__model="none").ingest(docs)
    return tmp_path / ".ragstone"


def test_a_lost_key_file_is_named_by_every_command_and_none_is_written(run: Run, docs: Path, sealed: Path) -> None:
    (sealed / "acme/tenant.key").rename(sealed / "kept")
    for command in (
        ("search", "noon"),
        ("ingest", docs),
        ("ingest", docs, "--recreate", "--allow-removals"),
        ("doctor",),
        ("collections", "delete", "default", "--yes"),
        ("tenants", "encrypt"),
        ("tenants", "rotate"),
        ("tenants", "rotate", "--rekey"),
    ):
        refused = run(*command, "--tenant", "acme")
        assert (refused.status, "acme/tenant.key back from a backup" in refused.err) == (2, True), command
        assert "recreate" not in refused.err
    listed = run("tenants", "list")
    assert (listed.status, listed.out.splitlines()[0]) == (
        1,
        "acme  1 collection, no model, encrypted, its key is lost or damaged",
    )
    assert "error: tenant 'acme' is encrypted and its key file is gone" in listed.err
    (sealed / "kept").rename(sealed / "acme/tenant.key")
    assert run("search", "noon", "--tenant", "acme").status == run("tenants", "list").status == 0


def test_a_wrong_master_key_stops_whatever_would_make_it_worse(
    run: Run, docs: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", OTHER_KEY)
    for command in (
        ("collections", "delete", "default", "--yes", "--tenant", "acme"),
        ("doctor", "--tenant", "acme"),
        ("doctor", "--tenant", "newcomer"),
        ("ingest", docs, "--tenant", "newcomer"),
    ):
        refused = run(*command)
        assert (refused.status, refused.out) == (2, "")
        said = refused.err.splitlines()[-1]
        assert "another master key" in said
        assert "set encryption.key" in said
    assert not (sealed / "newcomer").exists()
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", KEY)
    assert run("doctor", "--tenant", "acme").status == 0


def test_rotation_says_who_was_rotated_and_goes_on_past_who_cannot_be(
    run: Run, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = (sealed / "middle/tenant.key").read_bytes()
    (sealed / "middle/tenant.key").write_bytes(whole[:50])
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", OTHER_KEY)
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__PREVIOUS", KEY)
    done = run("tenants", "rotate", "--json")
    first, failed, last = map(json.loads, done.out.splitlines())
    assert (done.status, first["rotated"], last["rotated"]) == (1, "acme", "rival")
    assert (failed["failed"], failed["code"]) == ("middle", "corrupt")
    assert "middle/tenant.key is damaged" in failed["problem"]
    table = run("tenants", "rotate", "--rekey")
    assert [line.split(":")[0] for line in table.out.splitlines()] == ["acme", "rival"]
    assert "error: middle is not rotated" in table.err
    assert "1 of 3 tenants are not rotated: fix the errors above, then run the same command again" in table.err
    (sealed / "middle/tenant.key").write_bytes(whole)
    assert run("tenants", "rotate").out.count("master key") == 3
    monkeypatch.delenv("RAGSTONE_ENCRYPTION__PREVIOUS")
    for tenant in ("acme", "middle", "rival"):
        assert run("search", "noon", "--tenant", tenant).status == 0


def test_a_rotation_that_is_killed_has_said_how_far_it_came_and_the_same_command_goes_on(
    run: Run, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__KEY", OTHER_KEY)
    monkeypatch.setenv("RAGSTONE_ENCRYPTION__PREVIOUS", KEY)
    command = ["tenants", "rotate", "--rekey"]  # writes each file of keys three times
    code = (
        "import sys; from tests.stores.victim import kill_at; kill_at('keys.kept', 5);"
        f"from ragstone.cli import main; sys.argv[1:] = {command}; main()"
    )
    source = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))}
    killed = subprocess.run([sys.executable, "-c", code], env=source, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout.startswith("acme: ")
    assert run(*command).out.count("\n") == 3
    monkeypatch.delenv("RAGSTONE_ENCRYPTION__PREVIOUS")
    for tenant in ("acme", "middle", "rival"):
        assert "noon" in run("search", "noon", "--tenant", tenant).out


def test_an_erasure_that_meets_an_ingestion_leaves_all_as_it_was(run: Run, docs: Path, opened: Opened) -> None:
    kb, more = (opened(tenant="acme", collection=name) for name in ("default", "zebra"))
    kb.ingest(docs)
    more.ingest(docs)
    text = kb.create_key("alice").text
    last = more.runs()[0]
    more.wait(more.engine.store.ledger(more.engine.scope).start(replace(last, id="again", status="running")))
    refused = run("tenants", "erase", "acme", "--yes", "--store", "store")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err.startswith("error: collection 'zebra' cannot be erased now: another ingestion of source")
    assert kb.search("noon").hits
    assert len(kb.keys()) == 1
    assert opened(key=text).search("noon").hits


def test_a_damaged_file_of_keys_stops_no_erasure_and_says_what_mends_it(run: Run, docs: Path) -> None:
    run("ingest", docs, "--tenant", "acme", "--embedder", "none")
    run("keys", "create", "--name", "alice", "--tenant", "acme")
    for rest in Path(".ragstone").glob("keys.db*"):
        rest.write_bytes(b"no database" * 999)
    done = run("tenants", "erase", "acme", "--yes")
    assert done.status == 1
    assert "error: tenant 'acme' is erased, but not all that belongs to it: " in done.err
    assert "make new keys (ragstone keys create)" in done.err
    assert "recreate" not in done.err
    assert run("tenants", "list").out == ""


def test_an_erasure_that_was_cut_short_is_said_by_doctor_and_list_until_it_is_finished(
    run: Run, docs: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "none")
    for tenant in ("acme", "rival"):
        opened(tenant=tenant).ingest(docs)

    async def cut(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(EmbeddedAdmin, "erase", cut)
        assert run("tenants", "erase", "acme", "--yes", "--store", "store").status == 130
    said = "tenant 'acme' is being erased, and that is not finished; run: ragstone tenants erase acme"
    for command in (("tenants", "list"), ("doctor", "--tenant", "rival")):
        done = run(*command, "--store", "store")
        assert (done.status, said in done.out + done.err) == (1, True)
    assert said in run("ingest", docs, "--tenant", "acme", "--collection", "more", "--store", "store").err
    erase = EmbeddedAdmin.erase

    async def late(self: EmbeddedAdmin, tenant: str) -> bool:
        opened(tenant=tenant).create_key("made meanwhile")
        return await erase(self, tenant)

    monkeypatch.setattr(EmbeddedAdmin, "erase", late)
    assert run("tenants", "erase", "acme", "--yes", "--store", "store").status == 0
    assert run("tenants", "list", "--store", "store").status == 0
    assert opened(tenant="acme").keys() == []


@pytest.mark.parametrize("earlier", [False, True])
def test_a_qdrant_ledger_and_an_embedded_store_share_the_folder_that_nobody_named(
    run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    monkeypatch.setenv("RAGSTONE_EMBED__MODEL", "none")
    qdrant = ("--store", "qdrant:points")
    if earlier:  # where ledgers were before
        run("ingest", docs, "--store", ".ragstone/qdrant", "--tenant", "vectors")
    assert run("ingest", docs, "--tenant", "vectors", *qdrant).status == 0
    assert run("ingest", docs, "--tenant", "files").status == 0
    assert run("tenants", "list").out.splitlines() == ["files  1 collection, no model, not encrypted by Ragstone"]
    assert run("tenants", "list", *qdrant).out.splitlines() == [
        "vectors  1 collection, no model, not encrypted by Ragstone"
    ]
    if earlier:
        refused = run("ingest", docs, "--tenant", "qdrant")
        assert (refused.status, "is a store of its own" in refused.err) == (2, True)
    else:
        assert run("ingest", docs, "--tenant", "qdrant").status == 0
    assert run("tenants", "erase", "files", "--yes").status == 0
    assert "noon" in run("search", "noon", "--tenant", "vectors", *qdrant).out
