"""Files in archives are documents: each is added, changes, moves and goes by itself, and its original can be shown."""

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.core.errors import UsageError
from ragstone.core.filters import Condition, Where
from ragstone.ingestion import progress
from tests.extraction.containers.packing import pack_zip
from tests.extraction.containers.test_mail import make_mail
from tests.extraction.containers.test_pdf import make_pdf
from tests.ingestion.test_run import counts

Open = Callable[..., ragstone.Knowledge]
TEA = b"# Tea\n\nTea is served at four."
TOKEN = "ghp_" + "1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"
COFFEE = b"# Coffee\n\nCoffee is served at nine."


def write_zip(place: Path, files: dict[str, bytes]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(pack_zip(files))
    os.utime(place, (1_500_000_000, 1_500_000_000 + len(files)))


def paths(kb: ragstone.Knowledge) -> list[str]:
    return sorted(document.path for document in kb.documents())


def test_members_are_added_changed_moved_and_removed(tmp_path: Path, opened: Open) -> None:
    docs, kb = tmp_path / "docs", opened()
    (docs / "old").mkdir(parents=True)
    (docs / "a.md").write_text("# A\n\nThis stays.")
    write_zip(docs / "old" / "x.zip", {"tea.md": TEA, "in/coffee.md": COFFEE, "water.md": b"Water is free."})
    assert counts(kb.ingest(docs)[0]) == {"added": 4}
    assert paths(kb) == ["a.md", "old/x.zip/in/coffee.md", "old/x.zip/tea.md", "old/x.zip/water.md"]
    [hit] = [hit for hit in kb.search("coffee nine").hits if hit.chunk.document.path.endswith("coffee.md")]
    assert hit.chunk.document.path == "old/x.zip/in/coffee.md"
    assert kb.original("old/x.zip/tea.md")[1] == TEA
    assert counts(kb.ingest(docs)[0]) == {"unchanged": 4}
    write_zip(docs / "old" / "x.zip", {"tea.md": TEA + b" Cake too.", "in/coffee.md": COFFEE})
    assert counts(kb.ingest(docs)[0]) == {"unchanged": 2, "changed": 1, "removed": 1}
    (docs / "new.zip").write_bytes((docs / "old" / "x.zip").read_bytes())
    (docs / "old" / "x.zip").unlink()
    [moved] = kb.ingest(docs)
    assert (counts(moved), moved.stats["embedded"]) == ({"unchanged": 1, "moved": 2}, 0)
    assert paths(kb) == ["a.md", "new.zip/in/coffee.md", "new.zip/tea.md"]
    (docs / "new.zip").unlink()
    (docs / "b.md").write_text("# B")
    assert counts(kb.ingest(docs, allow_removals=True)[0]) == {"added": 1, "unchanged": 1, "removed": 2}
    with pytest.raises(UsageError):
        kb.original("new.zip/tea.md")


def test_a_member_that_became_unreadable_keeps_its_document(tmp_path: Path, opened: Open) -> None:
    docs, kb = tmp_path / "docs", opened()
    write_zip(docs / "x.zip", {"tea.md": TEA, "coffee.md": COFFEE})
    kb.ingest(docs)
    with zipfile.ZipFile(docs / "x.zip", "w", zipfile.ZIP_LZMA) as made:
        made.writestr("tea.md", TEA)
        made.writestr("coffee.md", COFFEE)
    assert counts(kb.ingest(docs)[0]) == {"skipped": 2}
    write_zip(docs / "x.zip", {"tea.md": TEA, "coffee.md": COFFEE})
    data = (docs / "x.zip").read_bytes()
    (docs / "x.zip").write_bytes(data[: len(data) - 30])
    [run] = kb.ingest(docs)
    assert [(one["path"], one["reason"]) for one in run.stats["skipped"]] == [("x.zip", "broken")]
    assert paths(kb) == ["x.zip/coffee.md", "x.zip/tea.md"]


@pytest.mark.parametrize("damaged", [b"", bytes(500), b"name= of no mail\n"])
def test_attachments_of_a_mail_that_became_unreadable_keep_their_documents(
    tmp_path: Path, opened: Open, damaged: bytes
) -> None:
    docs, kb = tmp_path / "docs", opened()
    write_mail(docs / "offer.eml")
    (docs / "a.md").write_text("# A")
    kb.ingest(docs)
    (docs / "offer.eml").write_bytes(damaged)
    assert counts(kb.ingest(docs)[0]).get("removed", 0) == 0
    assert paths(kb) == ["a.md", "offer.eml", "offer.eml/prices.csv"]


def test_names_of_people_in_an_exported_chat_are_found_in_its_archive(tmp_path: Path, opened: Open) -> None:
    users = b'[{"id": "U1", "name": "ann", "profile": {"real_name": "Ann Smith"}}]'
    day = b'[{"type": "message", "user": "U1", "text": "Tea is at four.", "ts": "1709547072.000100"}]'
    write_zip(tmp_path / "docs" / "slack.zip", {"users.json": users, "general/2024-03-04.json": day})
    kb = opened()
    kb.ingest(tmp_path / "docs")
    assert "Ann Smith" in kb.chunk("slack.zip/general/2024-03-04.json", 0).text


def test_pictures_in_a_named_archive_are_passed_over_as_in_a_folder(tmp_path: Path, opened: Open) -> None:
    icon = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa"
    write_zip(tmp_path / "x.zip", {"icon.png": icon, "tea.md": TEA})
    [run] = opened().ingest(tmp_path / "x.zip")
    assert (counts(run), run.stats["passed_over"]) == ({"added": 1}, 1)


def test_archives_are_left_out_where_the_setting_says_so(tmp_path: Path) -> None:
    write_zip(tmp_path / "docs" / "x.zip", {"tea.md": TEA})
    (tmp_path / "docs" / "a.md").write_text("# A")
    sources = [{"path": str(tmp_path / "docs"), "archives": False}]
    settings = ragstone.load(store=str(tmp_path / "store"), embed__model="none", sources=sources)
    with ragstone.open(settings=settings) as kb:
        [run] = kb.ingest()
    assert run.stats["ignored"] == [{"path": "x.zip", "reason": "binary"}]


def test_an_unchanged_archive_costs_no_read(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zip(tmp_path / "docs" / "x.zip", {"tea.md": TEA})
    now = 1 << 62
    monkeypatch.setattr(progress, "read_clock", lambda: now)
    monkeypatch.setattr("ragstone.ingestion.sources.expansion.time.time_ns", lambda: now)
    kb = opened()
    kb.ingest(tmp_path / "docs")

    def refuse(*_args: object, **_options: object) -> None:
        raise AssertionError("opened again")

    monkeypatch.setattr("ragstone.ingestion.sources.members.open_container", refuse)
    assert counts(kb.ingest(tmp_path / "docs")[0]) == {"unchanged": 1}
    assert counts(opened().ingest(tmp_path / "docs")[0]) == {"unchanged": 1}


def write_mail(place: Path, subject: str = "Offer", **headers: str) -> None:
    mail = make_mail(("text", "csv", "prices.csv", b"item,price\nroof,9000\n"), subject=subject, **headers)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(mail.as_bytes())
    os.utime(place, (1_500_000_000, 1_500_000_000 + len(headers)))


def test_files_in_a_pdf_are_documents_beside_it_and_closed_with_it(tmp_path: Path, opened: Open) -> None:
    docs, kb = tmp_path / "docs", opened()
    docs.mkdir()
    (docs / "bill.pdf").write_bytes(make_pdf({"factur-x.xml": "<Invoice><Total>9000</Total></Invoice>"}, shows="Bill"))
    (docs / "mail.eml").write_bytes(make_mail(("application", "pdf", "p.pdf", make_pdf({"a.md": "# Tea"}))).as_bytes())
    [run] = kb.ingest(docs)
    assert paths(kb) == ["bill.pdf", "bill.pdf/factur-x.xml", "mail.eml", "mail.eml/p.pdf/a.md"]
    assert [(one["path"], one["reason"]) for one in run.stats["skipped"]] == [("mail.eml/p.pdf", "unsupported")]
    assert "9000" in kb.chunk("bill.pdf/factur-x.xml", 0).text
    closing = make_pdf({"factur-x.xml": "<Invoice/>"}, info="/Confidentiality (restricted)", shows="Bill")
    (docs / "bill.pdf").write_bytes(closing)
    kb.ingest(docs)
    levels = {document.path: document.meta.get("confidentiality") for document in kb.documents()}
    assert [path for path, level in levels.items() if level == "restricted"] == ["bill.pdf", "bill.pdf/factur-x.xml"]


def test_attachments_have_subject_sender_and_date_of_their_mail(tmp_path: Path, opened: Open) -> None:
    docs, kb = tmp_path / "docs", opened()
    write_mail(docs / "17.eml", "Harbour works")
    inner = make_mail(("text", "markdown", "a.md", TEA), subject="Inner").as_bytes()
    zipped = pack_zip({"b.md": COFFEE, "in.eml": inner})
    (docs / "18.eml").write_bytes(make_mail(("application", "zip", "c.zip", zipped), subject="Packed").as_bytes())
    kb.ingest(docs)
    found = {document.path: document.meta for document in kb.documents()}
    assert {path: meta.get("mail_subject") for path, meta in found.items()} == {
        "17.eml": None,
        "17.eml/prices.csv": "Harbour works",
        "18.eml": None,
        "18.eml/c.zip/b.md": "Packed",
        "18.eml/c.zip/in.eml": "Packed",
        "18.eml/c.zip/in.eml/a.md": "Inner",
    }
    assert {meta["author"] for meta in found.values()} == {"a@x.org"}
    assert {meta["date"] for meta in found.values()} == {"2024-03-04T10:00:00+01:00"}
    hits = kb.search(
        "harbour",
        mode="keyword",
        where=Where(date_from="2024-03-04", conditions=(Condition("author", "=", "a@x.org"),)),
    ).hits
    assert {hit.chunk.document.path for hit in hits} == {"17.eml", "17.eml/prices.csv"}
    write_mail(docs / "17.eml", f"Castle {TOKEN}")
    assert counts(kb.ingest(docs)[0]) == {"changed": 2, "unchanged": 4}
    assert "ghp_" not in str([document.meta for document in kb.documents()])
    assert counts(kb.ingest(docs)[0]) == {"unchanged": 6}
    assert len(kb.search("castle", mode="keyword").hits) == 2


def test_attachments_are_documents_beside_their_mail_and_closed_with_it(tmp_path: Path, opened: Open) -> None:
    docs, kb = tmp_path / "docs", opened()
    write_mail(docs / "offer.eml")
    assert counts(kb.ingest(docs)[0]) == {"added": 2}
    assert paths(kb) == ["offer.eml", "offer.eml/prices.csv"]
    assert kb.original("offer.eml/prices.csv")[1] == b"item,price\nroof,9000\n"
    levels = {document.path: document.meta.get("confidentiality") for document in kb.documents()}
    assert set(levels.values()) == {None}
    write_mail(docs / "offer.eml", Sensitivity="private")
    assert counts(kb.ingest(docs)[0]) == {"changed": 2}
    assert {document.meta.get("confidentiality") for document in kb.documents()} == {"restricted"}
    write_mail(docs / "offer.eml")
    assert counts(kb.ingest(docs)[0]) == {"changed": 2}
    assert {document.meta.get("confidentiality") for document in kb.documents()} == {None}


def test_a_mail_in_an_archive_closes_an_archive_in_the_mail(tmp_path: Path, opened: Open) -> None:
    inner = ("application", "zip", "all.zip", pack_zip({"tea.md": TEA, "coffee.md": COFFEE}))
    mail = make_mail(inner, Confidentiality="restricted").as_bytes()
    write_zip(tmp_path / "docs" / "export.zip", {"mails/offer.eml": mail, "open.md": b"# Open\n\nFor all."})
    kb = opened()
    kb.ingest(tmp_path / "docs")
    levels = {document.path: document.meta.get("confidentiality") for document in kb.documents()}
    assert levels == {
        "export.zip/mails/offer.eml": "restricted",
        "export.zip/mails/offer.eml/all.zip/coffee.md": "restricted",
        "export.zip/mails/offer.eml/all.zip/tea.md": "restricted",
        "export.zip/open.md": None,
    }


@pytest.mark.skipif(sys.platform != "linux", reason="kill -9")
def test_the_run_after_a_kill_completes_an_archive(tmp_path: Path, opened: Open) -> None:
    files = {"tea.md": TEA, "coffee.md": COFFEE}
    write_zip(tmp_path / "docs" / "x.zip", files)
    places = [str(tmp_path / name) for name in ("docs", "store")]
    command = [sys.executable, "-m", "tests.victim", *places, "commit.after", "1"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == -signal.SIGKILL
    kb = opened()
    kb.ingest(tmp_path / "docs")
    assert paths(kb) == sorted(f"x.zip/{name}" for name in files)
    assert kb.doctor() == []
