"""Collections, documents and runs over HTTP."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import numpy as np
import pytest

from ragstone.config.model_settings import EmbedSettings
from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import AccessSettings, Settings, SourceSettings
from ragstone.core.records import Run
from ragstone.engine import Engine
from ragstone.extraction.pdf.page_image import draw_pdf_page
from ragstone.server.routes.runs import run_json
from tests.extraction.containers.packing import pack_zip
from tests.extraction.containers.test_mail import make_mail
from tests.extraction.pdf.sheets import pdf, shown
from tests.guard.test_drawn_pages import OTHER, PAGE, inked
from tests.pixels import pixels
from tests.server.conftest import Kept, open_client
from tests.server.test_questions import read_events


async def upload(client: httpx2.AsyncClient, path: str, data: bytes) -> httpx2.Response:
    return await client.post("/v1/documents", files={"file": ("x", data)}, data={"path": path})


def list_uploads(settings: Settings) -> list[str]:
    return [p.name for p in Path(settings.store.partition(":")[2] + ".uploads").rglob("*") if p.is_file()]


async def test_collections_are_made_listed_and_erased(own: Settings) -> None:
    async with open_client(own) as client:
        assert (await client.get("/v1/collections")).json()["collections"] == []
        assert (await client.post("/v1/collections", json={"name": "a"})).status_code == 201
        assert (await client.get("/v1/collections/a")).json()["documents"] == 0
        assert [one["name"] for one in (await client.get("/v1/collections")).json()["collections"]] == ["a"]
        assert (await client.delete("/v1/collections/a")).json()["erased"] == "a"
        assert (await client.delete("/v1/collections/a")).status_code == 404


async def test_a_collection_may_have_any_name(own: Settings) -> None:
    async with open_client(replace(own, embed=EmbedSettings("none"))) as client:
        for name in ("a/b", "../x", "50 % off?"):
            there = f"/v1/collections/{quote(name, safe='')}"
            assert (await client.post("/v1/collections", json={"name": name})).status_code == 201
            assert (await client.get(there)).json()["name"] == name
            assert (await client.get(f"/v1/models/{quote(name, safe='')}")).json()["id"] == name
            found = await client.post(f"/v1/vector_stores/{quote(name, safe='')}/search", json={"query": "samples"})
            assert found.json()["data"] == []
            assert (await client.delete(there)).json()["erased"] == name
            assert (await client.get(there)).status_code == 404


async def test_documents_are_listed_page_by_page(client: httpx2.AsyncClient) -> None:
    seen, cursor = [], None
    while True:
        more: dict[str, str] = {} if cursor is None else {"cursor": cursor}
        page = (await client.get("/v1/documents", params={"limit": 2, **more})).json()
        seen += [document["path"] for document in page["documents"]]
        if (cursor := page["next"]) is None:
            break
    assert seen == ["alerts.md", "closed.md", "keys.md", "storage.md"]
    assert (await client.get("/v1/documents", params={"cursor": "?"})).status_code == 400


async def test_a_document_is_read_masked(client: httpx2.AsyncClient) -> None:
    documents = (await client.get("/v1/documents")).json()["documents"]
    [keys] = [one for one in documents if one["path"] == "keys.md"]
    shown = (await client.get(f"/v1/documents/{keys['id']}")).json()
    assert "rotated every 90 days" in shown["text"]
    assert "hunter2secret99" not in str(shown)
    [hit] = (await client.post("/v1/search", json={"query": "rotated", "top_k": 1})).json()["hits"]
    assert "hunter2secret99" not in (await client.get(f"/v1/chunks/{hit['id']}")).text
    assert (await client.get("/v1/chunks/nope")).status_code == 404


async def test_secrets_in_the_front_matter_of_a_document_are_masked(own: Settings) -> None:
    front = "---\ntitle: 'password: hunter2secret99'\npassword: hunter3secret99\nlogins:\n  - db://app:hunter4secret9@db/x\n---\n"
    async with open_client(own) as client:
        made = await upload(client, "a.md", f"{front}The server is red.\n".encode())
        assert made.json()["meta"]["password"] == "[masked:password]"
        shown = await client.get(f"/v1/documents/{made.json()['id']}")
        found = await client.post("/v1/search", json={"query": "red server"})
        said = await client.post("/v1/ask", json={"query": "Which color has the server?"})
        for reply in (made, shown, await client.get("/v1/documents"), found, said):
            assert reply.is_success
            assert "hunter" not in reply.text


async def test_an_upload_is_found_replaced_and_deleted(own: Settings) -> None:
    async with open_client(own) as client:
        made = await upload(client, "guides/tea.md", b"# Tea\n\nGreen tea is brewed at 80 degrees.\n")
        assert made.status_code == 201
        identity = made.json()["id"]
        [hit] = (await client.post("/v1/search", json={"query": "green tea", "top_k": 1})).json()["hits"]
        assert hit["document"]["path"] == "guides/tea.md"
        assert b"80 degrees" in (await client.get(f"/v1/documents/{identity}/original")).content
        again = await upload(client, "guides/tea.md", b"# Tea\n\nGreen tea is brewed at 70 degrees.\n")
        assert (again.json()["id"], again.json()["revision"]) == (identity, 2)
        assert (await upload(client, "coffee.md", b"# Coffee\n\nBeans are roasted.\n")).status_code == 201
        assert len((await client.get("/v1/documents")).json()["documents"]) == 2
        assert (await client.delete(f"/v1/documents/{identity}")).json()["removed"] == 1
        assert (await client.get(f"/v1/documents/{identity}")).status_code == 404
        assert list_uploads(own) == ["coffee.md"]


async def test_an_upload_that_is_refused_leaves_the_former_edition(own: Settings) -> None:
    async with open_client(own) as client:
        await upload(client, "a.md", b"# Tea\n\nGreen tea is brewed at 80 degrees.\n")
        broken = await upload(client, "a.md", bytes(range(256)) * 40)
        assert (broken.status_code, broken.json()["error"]["code"]) == (422, "document_refused")
        [document] = (await client.get("/v1/documents")).json()["documents"]
        assert b"80 degrees" in (await client.get(f"/v1/documents/{document['id']}/original")).content
        never = await upload(client, "b.bin", bytes(range(256)) * 40)
        assert never.status_code == 422
        assert list_uploads(own) == ["a.md"]


async def test_an_uploaded_archive_is_its_files(own: Settings) -> None:
    tea, coffee = b"# Tea\n\nGreen tea is brewed at 80 degrees.\n", b"# Coffee\n\nBeans are roasted.\n"
    async with open_client(own) as client:
        made = await upload(
            client,
            "kitchen/all.zip",
            pack_zip({"tea.md": tea, "in/coffee.md": coffee, "x.bin": b"\0", ".git/config": tea}),
        )
        assert made.status_code == 201
        paths = [one["path"] for one in made.json()["members"]]
        assert paths == ["kitchen/all.zip/in/coffee.md", "kitchen/all.zip/tea.md"]
        identity = made.json()["members"][1]["id"]
        assert (await client.get(f"/v1/documents/{identity}/original")).content == tea
        again = await upload(
            client, "kitchen/all.zip", pack_zip({"tea.md": tea, "cake.md": b"# Cake\n\nIt is sweet.\n"})
        )
        assert [one["path"] for one in again.json()["members"]] == ["kitchen/all.zip/cake.md", "kitchen/all.zip/tea.md"]
        assert len((await client.get("/v1/documents")).json()["documents"]) == 2
        for files, said in (({}, "holds no file"), ({"x.bin": b"\0"}, "all.zip/x.bin is of no format")):
            refused = await upload(client, "kitchen/all.zip", pack_zip(files))
            assert refused.status_code == 422
            assert said in refused.json()["error"]["message"]
            assert len((await client.get("/v1/documents")).json()["documents"]) == 2
        assert list_uploads(own) == ["all.zip"]
        for document in again.json()["members"]:
            assert (await client.delete(f"/v1/documents/{document['id']}")).json()["removed"] == 1
        assert list_uploads(own) == []


async def test_an_uploaded_mail_goes_with_its_attachments(own: Settings) -> None:
    mail = make_mail(("text", "csv", "prices.csv", b"item,price\nroof,9000\n")).as_bytes()
    async with open_client(own) as client:
        made = (await upload(client, "offer.eml", mail)).json()
        assert (made["path"], [one["path"] for one in made["members"]]) == (
            "offer.eml",
            ["offer.eml", "offer.eml/prices.csv"],
        )
        original = await client.get(f"/v1/documents/{made['members'][1]['id']}/original")
        assert original.content == b"item,price\nroof,9000\n"
        damaged = await upload(client, "offer.pdf", bytes(range(256)) * 4)
        assert "is not a PDF as its name says" in damaged.json()["error"]["message"]
        assert (await client.delete(f"/v1/documents/{made['id']}")).json()["removed"] == 2
        assert list_uploads(own) == []


async def test_a_caller_who_may_not_see_files_of_an_archive_leaves_their_archive(own: Settings) -> None:
    closed = b"---\nconfidentiality: restricted\n---\n# Salaries\n\nNine million.\n"
    data = pack_zip({"open.md": b"# Tea\n\nIt is green.\n", "closed.md": closed})
    async with Engine(own) as engine:
        keys = [(await engine.create_key(role, roles=role)).text for role in ("write", "admin")]
    locked = replace(own, access=AccessSettings(trusted=False))
    async with open_client(locked, keys[0]) as writer, open_client(locked, keys[1]) as admin:
        made = (await upload(writer, "x.zip", data)).json()
        assert [one["path"] for one in made["members"]] == ["x.zip/open.md"]
        assert (await writer.delete(f"/v1/documents/{made['id']}")).json()["removed"] == 1
        assert list_uploads(own) == ["x.zip"]
        left = (await admin.get("/v1/documents")).json()["documents"]
        [one] = [one for one in left if one["path"].startswith("x.zip")]
        assert (await admin.delete(f"/v1/documents/{one['id']}")).json()["removed"] == 1
        assert list_uploads(own) == []


@pytest.mark.parametrize(
    "path", ["../a.md", "/etc/passwd", "a/../../b.md", "a//b.md", "a\\b.md", "a\x00.md", "a/", ".", "x" * 300, "a\n.md"]
)
async def test_an_upload_stays_in_its_folder(own: Settings, path: str) -> None:
    async with open_client(own) as client:
        reply = await upload(client, path, b"# A\n\ntext\n")
        assert reply.status_code == 400
        assert "path" in reply.json()["error"]["message"]


async def test_a_form_without_a_file_is_refused(own: Settings) -> None:
    async with open_client(own) as client:
        forms: list[tuple[int, dict[str, Any]]] = [
            (415, {"data": {"path": "a.md"}}),
            (415, {"json": {}}),
            (400, {"files": {"other": b"x"}}),
            (400, {}),
        ]
        for status, given in forms:
            assert (await client.post("/v1/documents", **given)).status_code == status


async def test_many_uploads_at_once_all_arrive(own: Settings) -> None:
    async with open_client(own) as client:
        replies = await asyncio.gather(*(upload(client, f"{n}.md", f"# N{n}\n\ntext {n}\n".encode()) for n in range(6)))
        assert [reply.status_code for reply in replies] == [201] * 6
        assert len((await client.get("/v1/documents")).json()["documents"]) == 6


async def test_uploads_may_have_a_folder_of_their_own(own: Settings, tmp_path: Path) -> None:
    async with open_client(replace(own, serve=ServeSettings(uploads=str(tmp_path / "kept")))) as client:
        assert (await upload(client, "a.md", b"# A\n\ntext\n")).status_code == 201
        assert [p.name for p in (tmp_path / "kept").rglob("*.md")] == ["a.md"]
        assert oct(os.stat(tmp_path / "kept").st_mode & 0o777) == "0o700"


async def test_a_page_is_drawn(own: Settings) -> None:
    paper = pdf([shown(50, 50, "Samples are kept.")])
    async with open_client(own) as client:
        identity = (await upload(client, "paper.pdf", paper)).json()["id"]
        page = await client.get(f"/v1/documents/{identity}/pages/1")
        assert page.headers["content-type"] == "image/png"
        assert page.content.startswith(b"\x89PNG")
        assert (await client.get(f"/v1/documents/{identity}/pages/999")).status_code == 404
        marked = await client.get(f"/v1/documents/{identity}/pages/1", params={"box": ["50,40,130,54"]})
        changed = (pixels(marked.content) != pixels(page.content)).any(axis=2)
        assert changed.any()
        for odd in ("1,2,3", "a,b,c,d", "nan,0,1,1"):
            reply = await client.get(f"/v1/documents/{identity}/pages/1", params={"box": odd})
            assert reply.status_code == 400
            assert reply.json()["error"]["message"].startswith("invalid box")
        text = (await upload(client, "a.md", b"# A\n\ntext\n")).json()["id"]
        assert (await client.get(f"/v1/documents/{text}/pages/1")).status_code == 404


async def test_the_place_of_a_citation_is_told_in_the_masked_text(own: Settings) -> None:
    record = "password=hunter2secret99 and\n\nthe key is red\n"
    async with open_client(own) as client:
        identity = (await upload(client, "a.md", record.encode())).json()["id"]
        place = {"start": record.index("the key"), "end": record.index(" is red")}
        shown = (await client.get(f"/v1/documents/{identity}", params=place)).json()
        assert "hunter2" not in shown["text"]
        assert shown["text"][slice(*shown["marked"])] == "the key"
        two = {"start": [0, place["start"]], "end": [8, place["end"]]}
        shown = (await client.get(f"/v1/documents/{identity}", params=two)).json()
        assert [shown["text"][slice(*one)] for one in shown["places"]] == ["password", "the key"]
        assert shown["text"][slice(*shown["marked"])].endswith("] and\n\nthe key")
        odd = await client.get(f"/v1/documents/{identity}", params={"start": [0, 1], "end": 5})
        assert (odd.status_code, odd.json()["error"]["message"][:17]) == (400, "2 start and 1 end")
        inside = {"start": record.index("secret99"), "end": record.index("secret99") + 3}
        shown = (await client.get(f"/v1/documents/{identity}", params=inside)).json()
        assert shown["text"][slice(*shown["marked"])] == "[masked:password]"
        far = (await client.get(f"/v1/documents/{identity}", params={"start": 900, "end": 950})).json()
        assert far["marked"] == [len(far["text"])] * 2
        assert "marked" not in (await client.get(f"/v1/documents/{identity}")).json()


async def test_a_page_with_secrets_is_drawn_without_them(own: Settings) -> None:
    """`tests/guard/test_drawn_pages.py` tells what is painted over; here the marked passage holds the secret too."""
    data = pdf([PAGE, OTHER])
    async with open_client(own) as client:
        identity = (await upload(client, "okapi.pdf", data)).json()["id"]
        hits = (await client.post("/v1/search", json={"query": "okapi server", "top_k": 1})).json()["hits"]
        plain = draw_pdf_page(data, path="okapi.pdf", page=1)
        for marked in ({}, {"chunk": hits[0]["id"]}):
            reply = await client.get(f"/v1/documents/{identity}/pages/1", params=marked)
            assert reply.headers["content-type"] == "image/png"
            for line in (100, 140):  # a letter has no ink from top to bottom: a bar has
                assert np.logical_and.reduce(inked(reply.content, line - 11, line + 1)).sum() > 60
                assert not np.logical_and.reduce(inked(plain, line - 11, line + 1)).any()
        other = await client.get(f"/v1/documents/{identity}/pages/2")
        assert other.content == draw_pdf_page(data, path="okapi.pdf", page=2)


async def test_a_response_that_is_opened_as_a_page_loads_nothing(own: Settings) -> None:
    async with open_client(own) as client:
        made = (await upload(client, "paper.pdf", pdf([shown(50, 50, "Samples are kept.")]))).json()
        place = f"/v1/documents/{made['id']}"
        for path in (
            place,
            f"{place}/pages/1",
            f"{place}/original",
            "/v1/openapi.json",
            "/metrics",
            "/healthz",
            "/none",
        ):
            headers = (await client.get(path)).headers
            policy = {rule.split(" ", 1)[0]: rule for rule in headers["content-security-policy"].split("; ")}
            assert policy["default-src"] == "default-src 'none'"
            assert "sandbox" in policy
            assert headers["x-content-type-options"] == "nosniff"


async def test_a_run_is_started_followed_and_listed(own: Settings) -> None:
    async with open_client(own) as client:
        assert (await client.get("/v1/runs")).json()["runs"] == []
        begun = await client.post("/v1/runs", json={})
        assert begun.status_code == 202
        [run] = begun.json()["runs"]
        events = read_events((await client.get(f"/v1/runs/{run['id']}/events")).text)
        assert events[-1][0] == "done"
        assert events[-1][1]["status"] == "succeeded"
        assert (await client.get(f"/v1/runs/{run['id']}")).json()["stats"]["documents"]["added"] == 1
        assert (await client.get("/v1/runs/nope")).status_code == 404
        assert (await client.post("/v1/runs")).status_code == 202
        counted = (await client.post("/ingest")).json()
        assert (counted["status"], counted["unchanged"]) == ("ok", 1)


async def test_a_run_shows_no_place_of_the_server(own: Settings, tmp_path: Path) -> None:
    async with open_client(own) as client:
        await client.post("/v1/documents", files={"file": ("tea.md", b"# Tea\n\nIt is green.\n")})
        assert (await client.post("/ingest")).status_code == 200
        text = (await client.get("/v1/runs")).text
        assert {run["source"] for run in json.loads(text)["runs"]} > {"uploads"}
        assert "uploads/t-" not in text
        assert str(tmp_path) not in text


def test_the_error_of_a_run_is_told_as_one_of_a_request() -> None:
    said = "write: DiskFull: no room in /srv/store\nTraceback (most recent call last):"
    failed = Run("1", "docs", "failed", "2026-01-01", config={"place": "/srv/docs", "prefix": "title"}, error=said)
    shown = run_json(failed)
    assert shown["error"] == "write: DiskFull: the store cannot be used now"
    assert shown["config"] == {"prefix": "title"}
    away = replace(failed, error="list: Unavailable: the site does not answer")
    assert run_json(away)["error"] == "list: Unavailable: the site does not answer"


def test_the_counts_and_warnings_of_a_run_name_no_place_of_the_server() -> None:
    warned = {"warnings": ["/srv/docs/a.md: cut"], "skipped": [{"path": "b.md", "message": "no /srv/kept/b"}], "n": 1}
    config = {"place": "/srv/docs", "root": None, "artifacts": {"uri": "/srv/kept"}, "prefix": "title"}
    shown = run_json(Run("1", "docs", "succeeded", "2026-01-01", config=config, stats=warned))
    assert shown["stats"] == {"warnings": ["…/a.md: cut"], "skipped": [{"path": "b.md", "message": "no …/b"}], "n": 1}


def test_a_folder_written_as_an_address_is_hidden_and_no_document_of_that_name_is() -> None:
    config = {"place": "/docs", "artifacts": {"place": "file:///srv/an%20archive", "claim": "c1"}}
    warned = {"warnings": ["/srv/an archive/x: cut", "file:///srv/an%20archive: full", "/docs: cut", "'/docs/b.md'"]}
    stats = {**warned, "skipped": [{"path": "api/docs/a.md"}]}
    shown = run_json(Run("1", "docs", "succeeded", "2026-01-01", config=config, stats=stats))["stats"]
    assert shown["warnings"] == ["…/x: cut", "…: full", "…: cut", "'…/b.md'"]
    assert shown["skipped"] == [{"path": "api/docs/a.md"}]


async def test_a_missing_folder_is_named_in_the_log_alone(
    own: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gone = tmp_path / "gone"
    async with open_client(replace(own, sources=(SourceSettings(str(gone), "docs"),))) as client:
        for path in ("/v1/runs", "/ingest"):
            reply = await client.post(path, json={})
            assert (reply.status_code, reply.json()["error"]["code"]) == (503, "source_not_ready"), path
            assert str(tmp_path) not in reply.text
        assert f"source 'docs': {gone} does not exist" in caplog.text


async def test_a_run_that_cannot_begin_says_why(own: Settings, kept: Kept) -> None:
    async with open_client(replace(own, sources=())) as client:
        reply = await client.post("/v1/runs", json={})
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad_request")
        assert "the configuration lists no `sources`" in reply.json()["error"]["message"]


async def test_a_mistake_is_named_as_the_caller_wrote_it(own: Settings) -> None:
    """Not as the library calls it: `name`, `within`."""
    async with open_client(own) as client:
        await client.post("/v1/texts", json={"texts": {"a.md": "The pump runs."}})
        for source, said in (("", "invalid source ''"), ("docs", "source 'docs' is a folder")):
            wrong = await client.post("/v1/texts", json={"texts": {"a.md": "x"}, "source": source})
            assert (wrong.status_code, wrong.json()["error"]["message"].startswith(said)) == (400, True), wrong.text
        wrong = await client.get("/v1/documents", params={"path": "a\0"})
        assert (wrong.status_code, "invalid path 'a" in wrong.text) == (400, True)


async def test_texts_of_one_source_wait_in_line(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A try to begin a run beside another costs as much as a small run: many clients kept the server busy with it."""
    begun = list[str]()
    ingest = Engine.ingest_texts

    async def noted(self: Engine, texts: Any, **options: Any) -> Run:
        begun.extend(texts)
        return await ingest(self, texts, **options)

    monkeypatch.setattr(Engine, "ingest_texts", noted)
    async with open_client(own) as client:
        posts = [client.post("/v1/texts", json={"texts": {f"{n}.md": "The pump runs."}}) for n in range(5)]
        assert {reply.status_code for reply in await asyncio.gather(*posts)} == {201}
    assert sorted(begun) == [f"{n}.md" for n in range(5)]
