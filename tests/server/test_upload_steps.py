"""What a process that was killed in an upload left: the next start finishes the upload, or undoes it."""

import hashlib
import math
import os
import time
from pathlib import Path

import httpx2
import pytest

import ragstone
from ragstone.config.settings import Settings
from ragstone.core.types import Scope
from ragstone.server import ingestion_queue
from ragstone.server.upload_steps import hold_folder, place_file
from tests.extraction.containers.packing import pack_zip
from tests.extraction.containers.test_mail import make_mail
from tests.patience import until_async
from tests.server.conftest import open_client

OLD, NEW = b"# Tea\n\nGreen tea is brewed at 80 degrees.\n", b"# Tea\n\nGreen tea is brewed at 70 degrees.\n"


def find_uploads(settings: Settings) -> Path:
    return Path(settings.store.removeprefix("embedded:")).with_name("store.uploads")


async def upload(client: httpx2.AsyncClient, data: bytes) -> None:
    assert (await client.post("/v1/documents", files={"file": ("tea.md", data)})).status_code == 201


def place_and_die(
    settings: Settings, data: bytes, *, name: str = "0123", collection: str = "default", path: str = "tea.md"
) -> Path:
    """The state in which a kill between the move of a file and the end of its ingestion leaves the folder."""
    root = find_uploads(settings)
    held = root / "incoming" / name
    held.mkdir(parents=True)
    (held / "file").write_bytes(data)
    place = root / "t-default" / f"c-{collection}" / path
    place_file(held / "file", place, held, Scope("default", collection), path)
    assert place.read_bytes() == data
    return place


def damage_collection(settings: Settings, name: str) -> None:
    files = list(Path(settings.store.removeprefix("embedded:"), "default", name).glob("collection.sqlite*"))
    assert files
    for file in files:
        file.write_bytes(b"damaged" * 1000)


async def start(settings: Settings, *, leaving: int = 0) -> None:
    """A start of the server, until it has cleared up."""
    incoming = find_uploads(settings) / "incoming"

    async def is_clear() -> bool:
        return len(list(incoming.iterdir())) == leaving

    async with open_client(settings):
        await until_async(is_clear)


async def test_a_file_that_was_on_its_way_is_removed_and_one_that_is_on_its_way_stays(own: Settings) -> None:
    incoming = find_uploads(own) / "incoming"
    async with hold_folder(incoming) as held:
        (held / "file").write_bytes(b"half")
        (incoming / "0123").mkdir()
        (incoming / "0123" / "file").write_bytes(b"half")
        for name, age in (("of-a-former-version", 7200), ("on-its-way", 10)):
            (incoming / name).write_bytes(b"half")
            os.utime(incoming / name, (time.time() - age,) * 2)
        await start(own, leaving=2)
        assert {one.name for one in incoming.iterdir()} == {held.name, "on-its-way"}
    assert [one.name for one in incoming.iterdir()] == ["on-its-way"]


@pytest.mark.parametrize("former", [True, False])
async def test_documents_of_an_archive_that_was_half_ingested_are_those_of_its_former_edition(
    own: Settings, former: bool
) -> None:
    if former:
        async with open_client(own) as client:
            data = pack_zip({"tea.md": OLD})
            await client.post("/v1/documents", files={"file": ("x.zip", data)}, data={"path": "x.zip"})
    place = place_and_die(own, pack_zip({"tea.md": NEW, "new.md": NEW}), path="x.zip")
    async with ragstone.open_async(settings=own) as engine:
        await engine.ingest_files(place.parent, ["x.zip"])
    expected = [("x.zip/tea.md", hashlib.sha256(OLD).hexdigest())] if former else []
    async with open_client(own) as client:

        async def is_settled() -> bool:
            documents = (await client.get("/v1/documents")).json()["documents"]
            return [(one["path"], one["version"]) for one in documents] == expected

        await until_async(is_settled)


async def test_attachments_of_a_mail_that_was_half_ingested_are_added(own: Settings) -> None:
    mail = make_mail(("text", "csv", "prices.csv", b"item,price\nroof,9000\n")).as_bytes()
    place = place_and_die(own, mail, path="offer.eml")
    async with ragstone.open_async(settings=own) as engine:
        await engine.ingest_files(place.parent, ["offer.eml"])
        await engine.delete("offer.eml/prices.csv")
    async with open_client(own) as client:

        async def is_whole() -> bool:
            documents = (await client.get("/v1/documents")).json()["documents"]
            return [one["path"] for one in documents] == ["offer.eml", "offer.eml/prices.csv"]

        await until_async(is_whole)


async def test_a_server_clears_up_after_another_one_that_is_killed_later(
    own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion_queue, "SWEEP_SECONDS", 0.0)
    monkeypatch.setattr(ingestion_queue, "POLL_SECONDS", 0.05)
    incoming = find_uploads(own) / "incoming"
    async with open_client(own) as client:
        await upload(client, OLD)
        left = incoming / "0123"
        left.mkdir()
        (left / "file").write_bytes(b"half")

        async def is_gone() -> bool:
            return not left.exists()

        await until_async(is_gone)
        assert (await client.get("/v1/documents")).json()["documents"][0]["path"] == "tea.md"


async def test_a_collection_that_broke_does_not_keep_the_uploads_of_others(
    own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion_queue, "SWEEP_SECONDS", math.inf)  # two sweeps at once might share the work
    async with open_client(own) as client:
        for collection in ("default", "broken"):
            files = {"file": ("tea.md", OLD)}
            await client.post(f"/v1/documents?collection={collection}", files=files)
    first = place_and_die(own, NEW, name="0000", collection="broken")
    second = place_and_die(own, NEW, name="0001")
    damage_collection(own, "broken")
    await start(own, leaving=1)
    assert (first.read_bytes(), second.read_bytes()) == (NEW, OLD)


async def test_a_document_that_was_not_ingested_leaves_no_file(own: Settings) -> None:
    place = place_and_die(own, NEW)
    await start(own)
    assert not place.exists()


async def test_the_former_edition_comes_back_where_the_new_one_was_not_ingested(own: Settings) -> None:
    async with open_client(own) as client:
        await upload(client, OLD)
    place = place_and_die(own, NEW)
    await start(own)
    assert place.read_bytes() == OLD


async def test_an_edition_that_was_ingested_stays(own: Settings) -> None:
    async with open_client(own) as client:
        await upload(client, NEW)
    place = place_and_die(own, NEW)
    await start(own)
    assert place.read_bytes() == NEW


async def test_a_later_edition_is_not_undone(own: Settings) -> None:
    async with open_client(own) as client:
        await upload(client, OLD)
    place = place_and_die(own, NEW)
    later = place.with_name("later")
    later.write_bytes(b"# Tea\n\nLater.\n")
    os.replace(later, place)
    await start(own)
    assert place.read_bytes() == b"# Tea\n\nLater.\n"


async def test_an_upload_that_is_refused_leaves_the_former_edition(own: Settings) -> None:
    async with open_client(own) as client:
        await upload(client, OLD)
        refused = await client.post("/v1/documents", files={"file": ("tea.md", b"")})
        assert refused.status_code == 422
    uploads = find_uploads(own)
    assert (uploads / "t-default" / "c-default" / "tea.md").read_bytes() == OLD
    assert list((uploads / "incoming").iterdir()) == []


async def test_a_store_that_is_away_leaves_all_for_the_next_start(
    own: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place = place_and_die(own, NEW)

    async def is_said() -> bool:
        return "what is left of uploads" in caplog.text

    async def fail(*_: object) -> None:
        raise OSError("away")

    with monkeypatch.context() as patch:
        patch.setattr("ragstone.server.uploads._find_version", fail)
        async with open_client(own):
            await until_async(is_said)
    assert place.exists()
    await start(own)
    assert not place.exists()
